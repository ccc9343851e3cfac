//! The Loop-B parts of an agent's prompt, and the final words of a loop.

use crate::driver::{Action, Memory};
use crate::formats::ccw::progress_docs::records::text;
use crate::formats::ccw_v2::drive::prompt_context::{counted, task, whole};
use crate::formats::loop_b::read::state::LoopBState;
use crate::phase::CcwPhase;
use crate::summary::Summary;
use loopdeck_agents::prompts::{PromptContext, TaskContext, WorkerKind};
use loopdeck_text::shorten;

pub(crate) fn prompt_context(
    state: &LoopBState<'_>,
    summary: &Summary,
    memory: &Memory,
    action: &Action,
) -> PromptContext {
    let bar = summary.iteration.map_or((0.0, 0.0), |bar| (bar.current, bar.limit));
    let pending: Vec<TaskContext> = state.pending.iter().map(task).collect();
    let done = state.completed.iter().map(task);
    let develops = matches!(action, Action::Worker { worker: WorkerKind::Develop });
    let done = done.map(|task| TaskContext { status: "completed".to_owned(), ..task });
    PromptContext {
        title: text(state.root, "title"),
        description: text(state.root, "description"),
        iteration: whole(bar.0).saturating_add(1),
        limit: whole(bar.1),
        interrupted: memory.interrupted,
        failure: memory.failures.get(action.word()).map(|failed| failed.why.clone()),
        unproven: memory.referee.unproven(),
        task: pending.first().filter(|_| develops).cloned(),
        tasks: done.chain(pending).collect(),
        summaries: memory.summaries.clone(),
        failed_tests: memory.b.failing.clone(),
        hypotheses: memory.b.hypotheses.clone(),
        confirmed: None,
        issues: memory.b.issues.clone(),
        notes: memory.all_notes(),
        others: Vec::new(),
        tools: Vec::new(),
        listed: Vec::new(),
        ..PromptContext::default()
    }
}

/// The results of a completed loop, and what is left to do.
pub(crate) fn executive(state: &LoopBState<'_>, memory: &Memory) -> (String, Vec<String>) {
    let done = state.completed.len();
    let total = counted(done + state.pending.len(), "task");
    let mut sentences = vec![format!("{done} of {total} completed.")];
    let tested = memory.summaries.iter().rev().find(|note| note.about == CcwPhase::Validate.word());
    sentences.extend(tested.map(|note| note.text.clone()));
    let mut recommendations: Vec<String> = Vec::new();
    if memory.without_tests {
        recommendations.push("Test the result: it was completed without a test run that passed".to_owned());
    }
    recommendations.extend(state.pending.iter().map(|task| {
        format!("Finish the task {}: {}", text(task, "id"), shorten(&text(task, "description"), 300))
    }));
    recommendations.extend(memory.b.issues.iter().map(|issue| format!("Fix: {}", shorten(issue, 300))));
    (sentences.join(" "), recommendations)
}
