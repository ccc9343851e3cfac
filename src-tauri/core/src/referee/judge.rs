//! The judge of a plan's quality check: an agent with a conversation of its own that only looks.

use super::claims;
use crate::checklist::outcome::label;
use crate::driver::judge::{check_of, judged, judges};
use crate::driver::{Action, AgentTask, Conclusion, Ended, Memory};
use crate::format::Format;
use crate::formats::loop_format::{KnownFile, LoopConclusion};
use crate::referee::rows_of;
use crate::view::{ChecklistRow, Companion};
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::{AtomContext, JudgeContext, PromptContext, TaskContext, prompt};

/// The run of a judge on the quality check in this row.
pub(super) fn task(
    format: Format,
    file: KnownFile<'_>,
    memory: &Memory,
    beside: &[Companion],
    (row, check): (usize, &ChecklistRow),
) -> AgentTask {
    let item = label(check);
    let action = Action::Judge { row, item: item.clone() };
    let summary = format.rules().summary(file);
    let detail = claims::detail(format, file, beside);
    let figure = |of: fn(&crate::phase::IterationBar) -> f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
        summary.as_ref().and_then(|summary| summary.iteration).map_or(0, |bar| of(&bar) as u32)
    };
    let claimed: Vec<&str> = memory.referee.claims.iter().map(|claim| claim.text.as_str()).collect();
    let atom = AtomContext {
        deliverables: claimed.join("\n"),
        original: detail.prompt.or(detail.metadata.description).unwrap_or_default(),
        judged: Some(JudgeContext {
            item: check.item.clone(),
            criteria: check.value.clone().unwrap_or_default(),
            rubric: check.rubric.clone(),
            scope: check.scope.iter().cloned().collect(),
        }),
        ..AtomContext::default()
    };
    let context = PromptContext {
        iteration: figure(|bar| bar.current),
        limit: figure(|bar| bar.limit),
        title: summary.map(|summary| summary.title).unwrap_or_default(),
        task: Some(TaskContext {
            id: format!("check-{}", row + 1),
            description: item,
            status: "in_progress".to_owned(),
            mode: "analysis".to_owned(),
            ..TaskContext::default()
        }),
        notes: memory.all_notes(),
        atom: Some(Box::new(atom)),
        ..PromptContext::default()
    };
    let prompt = prompt(&action, &context);
    AgentTask { action, prompt, answer: Some(AnswerKind::Judge), context }
}

/// What follows from the end of a judge: what it says is remembered, or it is asked again.
pub(crate) fn conclude(
    task: &AgentTask,
    ended: &Ended<'_>,
    (_, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    let rows = rows_of(&memory.policy.checks);
    let check = rows.get(check_of(task).0).filter(|check| judges(task, check));
    let outcome = match judged(task, ended, check.and_then(|check| check.pass_threshold), memory) {
        Ok(outcome) => outcome,
        Err(concluded) => return *concluded,
    };
    if check.is_some() {
        memory.referee.take(outcome, &rows, facts.now);
    }
    Conclusion::Write(Vec::new())
}
