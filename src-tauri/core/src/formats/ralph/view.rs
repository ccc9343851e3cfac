//! What a person sees of a Ralph loop: its boxes as tasks, its prompt, its limit.

use super::check::{RalphState, controls, summary, summary_of};
use super::read::{Todo, TodoItem};
use crate::control::{Metadata, Situation};
use crate::format::FileFacts;
use crate::problem::{Problem, ProblemCode};
use crate::view::{Companion, CompanionKind, Fact, FactValue, LoopDetail, TaskState, TaskView};
use loopdeck_text::shorten;

/// Most boxes that are shown.
const MOST_ITEMS: usize = 2_000;
/// Characters of a box's text.
const LONGEST_ITEM: usize = 2_000;
/// Characters of the prompt.
const LONGEST: usize = 20_000;

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let Ok(todo) = Todo::read(bytes) else {
        let summary = summary(bytes, facts);
        let controls = controls(&summary, facts, situation);
        return LoopDetail { controls, problems: summary.problems, ..LoopDetail::default() };
    };
    let (state, summary) = (RalphState::of(&todo), summary_of(&todo, facts));
    let prompt = prompt(companions);
    let mut problems = summary.problems.clone();
    if prompt.is_none_or(|text| text.trim().is_empty()) {
        problems.push(Problem::new(ProblemCode::R1_no_prompt, ""));
    }
    LoopDetail {
        facts: facts_of(&state),
        metadata: Metadata {
            title: Some(summary.title.clone()),
            max_iterations: Some(state.max.into()),
            editable: vec!["max_iterations".to_owned()],
            ..Metadata::default()
        },
        controls: controls(&summary, facts, situation),
        tasks: todo.items.iter().take(MOST_ITEMS).enumerate().map(task).collect(),
        prompt: prompt.map(|text| shorten(text, LONGEST)),
        problems,
        ..LoopDetail::default()
    }
}

/// The text of the prompt, where it can be read.
pub(crate) fn prompt(companions: &[Companion]) -> Option<&str> {
    let file = companions.iter().find(|companion| companion.kind == CompanionKind::Prompt)?;
    std::str::from_utf8(&file.bytes).ok()
}

fn facts_of(state: &RalphState<'_>) -> Vec<Fact> {
    let fact = |name: &str, value| Fact { name: name.to_owned(), value };
    let word = Some(state.word).filter(|word| !word.is_empty());
    let status = word.map(|word| fact("status", FactValue::Code(shorten(word, 40))));
    let numbers = [
        fact(LoopDetail::ITERATION, FactValue::Number(state.iteration.into())),
        fact("max_iterations", FactValue::Number(state.max.into())),
    ];
    status.into_iter().chain(numbers).collect()
}

fn task((index, item): (usize, &TodoItem<'_>)) -> TaskView {
    let (status, state) =
        if item.is_done() { ("completed", TaskState::Completed) } else { ("pending", TaskState::Pending) };
    TaskView {
        id: (index + 1).to_string(),
        description: shorten(item.text, LONGEST_ITEM),
        status: status.to_owned(),
        state,
        ..TaskView::default()
    }
}
