//! The Loop v2 parts of an agent's prompt, and the final words of a loop.

use crate::driver::{Action, Memory};
use crate::formats::ccw::progress_docs::records::{CcwRecord, Hypothesis, text};
use crate::formats::ccw::read::debug_log::MARK;
use crate::formats::ccw::read::facts::texts;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::{has_status, saturated};
use crate::summary::Summary;
use loopdeck_agents::prompts::{FailedTest, PromptContext, TaskContext};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// Failed tests in a prompt.
pub(crate) const MOST_FAILURES: usize = 200;
/// Hypotheses in a prompt, the newest ones.
const MOST_HYPOTHESES: usize = 40;

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
pub(crate) fn whole(number: f64) -> u32 {
    number as u32
}

pub(crate) fn prompt_context(
    state: &CcwState<'_>,
    summary: &Summary,
    memory: &Memory,
    action: &Action,
) -> PromptContext {
    let bar = summary.iteration.map_or((0.0, 0.0), |bar| (bar.current, bar.limit));
    let tasks: Vec<TaskContext> = state.tasks.iter().map(task).collect();
    let current = match action {
        Action::Develop { task_id } => tasks.iter().find(|task| task.id == *task_id).cloned(),
        _ => None,
    };
    let begun = current.as_ref().is_some_and(|task| task.status == "in_progress");
    let key = current.as_ref().map_or(action.word(), |task| &task.id);
    let skipped = state.hypotheses.len().saturating_sub(MOST_HYPOTHESES);
    PromptContext {
        title: text(state.root, "title"),
        description: text(state.root, "description"),
        iteration: whole(bar.0).saturating_add(1),
        limit: whole(bar.1),
        interrupted: memory.interrupted || begun,
        failure: memory.failures.get(key).map(|failed| failed.why.clone()),
        unproven: memory.referee.unproven(),
        task: current,
        tasks,
        summaries: memory.summaries.clone(),
        failed_tests: failed_tests(state),
        hypotheses: state.hypotheses.iter().skip(skipped).map(Hypothesis::from_node).collect(),
        confirmed: state.confirmed().map(str::to_owned),
        issues: Vec::new(),
        notes: memory.all_notes(),
        others: Vec::new(),
        tools: std::iter::once(&memory.policy.tool).chain(&memory.policy.tools).cloned().collect(),
        listed: Vec::new(),
        debug_log: memory.v2.debug_log.clone(),
        instrumented: memory.v2.instrumented.iter().cloned().collect(),
        atom: None,
    }
}

/// A task of Loop v2 or Loop-B.
pub(crate) fn task(node: &Node<'_>) -> TaskContext {
    let status = node.get("status").text().unwrap_or("pending").to_lowercase();
    let changed = texts(node.get("files_changed"));
    let files = if status == "completed" && !changed.is_empty() { changed } else { texts(node.get("files")) };
    let convergence = node.get("_convergence");
    let mut criteria = texts(convergence.get("criteria"));
    criteria.extend(convergence.get("verification").shown(500));
    TaskContext {
        id: text(node, "id"),
        description: text(node, "description"),
        status,
        files,
        criteria,
        tool: text(node, "tool"),
        mode: text(node, "mode"),
        listed: if super::listed::is_listed(node) { super::listed::contents(node) } else { String::new() },
    }
}

/// Failed tests of the last run with their messages; for a run without rows, only the names.
fn failed_tests(state: &CcwState<'_>) -> Vec<FailedTest> {
    let is_failing = state.validate.get("passed").flag() == Some(false);
    let Some(run) = state.latest_run().filter(|_| is_failing) else { return Vec::new() };
    let rows = run.rows.iter().filter(|row| has_status(row, "failed")).map(|row| {
        let shown = |key: &str| row.get(key).shown(4_000).unwrap_or_default();
        let message = [shown("error_message"), shown("stack_trace")].join("\n");
        FailedTest { name: shown("test_name"), suite: shown("suite"), message: message.trim().to_owned() }
    });
    let rows: Vec<FailedTest> = rows.take(MOST_FAILURES).collect();
    if !rows.is_empty() {
        return rows;
    }
    let names = texts(state.validate.get("failed_tests")).into_iter().take(MOST_FAILURES);
    names.map(|name| FailedTest { name, ..FailedTest::default() }).collect()
}

/// The results of a completed loop, and what is left to do.
pub(crate) fn executive(state: &CcwState<'_>, memory: &Memory) -> (String, Vec<String>) {
    let total = state.tasks.len();
    let done = state.tasks.iter().filter(|task| has_status(task, "completed")).count();
    let mut sentences = vec![format!("{done} of {} completed.", counted(total, "task"))];
    let mut recommendations: Vec<String> = Vec::new();
    let validated = state.validate.get("passed").flag() == Some(true);
    match state.latest_run().filter(|run| run.total > 0) {
        Some(run) => {
            sentences.push(format!(
                "{} of {} passed in the last run.",
                run.passed,
                counted(run.total as usize, "test")
            ));
            let skipped = saturated(usize::from(run.skipped > 0));
            recommendations
                .extend((skipped > 0).then(|| format!("Look at the skipped tests: {}", run.skipped)));
        }
        None => sentences.push("No tests were run.".to_owned()),
    }
    if !validated || memory.without_tests {
        recommendations.push("Test the result: it was completed without a test run that passed".to_owned());
    }
    if let Some(id) = state.confirmed()
        && let Some(cause) = state.hypotheses.iter().find(|known| known.get("id").text() == Some(id))
    {
        sentences.push(format!("Root cause found: {id}: {}", shorten(&text(cause, "description"), 500)));
    }
    if !memory.v2.instrumented.is_empty() {
        let files: Vec<&str> = memory.v2.instrumented.iter().map(String::as_str).take(20).collect();
        recommendations.push(format!("Remove the log statements marked {MARK} from {}", files.join(", ")));
    }
    let left = state.tasks.iter().filter(|task| !has_status(task, "completed"));
    recommendations.extend(left.map(|task| {
        format!("Finish the task {}: {}", text(task, "id"), shorten(&text(task, "description"), 300))
    }));
    (sentences.join(" "), recommendations)
}

/// `1 task`, `2 tasks`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
