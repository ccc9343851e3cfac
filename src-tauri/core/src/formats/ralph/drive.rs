//! "Loopdeck runs" a Ralph loop: one agent after the other with the same prompt, and what the end of each means
//! (the Ralph contract §5).
//!
//! What an agent says decides nothing: the boxes of the list do.

use super::check::{RalphState, summary_of};
use super::forms::LONGEST_PROMPT;
use super::operation::RalphOperation;
use super::read::Todo;
use super::view::prompt;
use super::{PROMPT_FILE, list_file};
use crate::driver::{
    self, Action, AgentTask, DriverQuestion, EndReason, Ended, Memory, QuestionCode, UsedUp, interrupted,
    waits_for_answer,
};
use crate::format::FileFacts;
use crate::formats::ccw::check::rules;
use crate::refusal::{Refusal, RefusalCode};
use crate::status::FileStatus;
use crate::view::Companion;
use loopdeck_agents::prompts::{self, PromptContext};
use loopdeck_text::text_edit::line_of;

/// Most lines that an agent is told of.
const UNCLEAR: usize = 20;

/// What to do now: `Agent`, `Write`, `Ask` or `End`; then [`conclude`].
pub type RalphNext = driver::Next<RalphOperation>;

/// The next step of the loop in `bytes`. `beside`: the prompt, where it was looked for; a step without it tells what is next, but
/// cannot be carried out.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory, beside: Option<&[Companion]>) -> RalphNext {
    let Ok(todo) = Todo::read(bytes) else { return RalphNext::End(EndReason::Damaged) };
    if let Err(end) = check_drivable(&todo, facts) {
        return RalphNext::End(end);
    }
    if let Some(limit) = memory.used_up {
        return RalphNext::End(EndReason::Limit { limit });
    }
    if let Some(question) = &memory.question {
        return RalphNext::ask(memory, question.clone());
    }
    if todo.is_done() {
        return RalphNext::Write(RalphOperation::Complete);
    }
    let state = RalphState::of(&todo);
    if state.iteration >= state.max {
        return RalphNext::End(EndReason::Limit { limit: UsedUp::Iterations });
    }
    match beside.map(text).transpose() {
        Ok(text) => RalphNext::agent(iteration(&todo, &state, text.unwrap_or_default(), facts, memory)),
        Err(refusal) => RalphNext::End(EndReason::Refused { refusal }),
    }
}

/// Whether a driver may act on the loop now.
fn check_drivable(todo: &Todo<'_>, facts: &FileFacts<'_>) -> Result<(), EndReason> {
    let summary = summary_of(todo, facts);
    if rules::damage(&summary).is_some() {
        return Err(EndReason::Damaged);
    }
    match summary.status {
        FileStatus::Running => Ok(()),
        FileStatus::NotStarted => Err(EndReason::NotStarted),
        FileStatus::Paused => Err(EndReason::Paused),
        FileStatus::StoppedByUser => Err(EndReason::Stopped),
        FileStatus::Failed => Err(EndReason::Failed),
        FileStatus::Completed => Err(EndReason::Completed),
        _ => Err(EndReason::Damaged),
    }
}

/// The prompt of the loop. One that is too long is not cut.
fn text(beside: &[Companion]) -> Result<&str, Refusal> {
    let text = prompt(beside).filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Refusal::new(RefusalCode::GateNotMet).with("field", PROMPT_FILE))?;
    if text.len() > LONGEST_PROMPT {
        let refusal = Refusal::new(RefusalCode::TooLong).with("field", PROMPT_FILE);
        return Err(refusal.with("limit", LONGEST_PROMPT).with("length", text.len()));
    }
    Ok(text)
}

/// The first lines that keep a list from being done although no box there is open.
fn unclear(todo: &Todo<'_>) -> Vec<u32> {
    let lines = todo.lookalikes.iter().filter(|found| found.may_be_open());
    lines.take(UNCLEAR).map(|found| line_of(todo.text.as_bytes(), found.line.start)).collect()
}

fn iteration(
    todo: &Todo<'_>,
    state: &RalphState<'_>,
    text: &str,
    facts: &FileFacts<'_>,
    memory: &Memory,
) -> AgentTask {
    let action = Action::Iterate { list: list_file(facts.stem), unclear: unclear(todo) };
    let context = PromptContext {
        title: todo.title.clone().unwrap_or_else(|| facts.stem.to_owned()),
        description: text.to_owned(),
        iteration: state.iteration + 1,
        limit: state.max,
        notes: memory.notes.clone(),
        failure: memory.failures.get(action.word()).map(|failed| failed.why.clone()),
        interrupted: memory.interrupted,
        ..PromptContext::default()
    };
    AgentTask { prompt: prompts::prompt(&action, &context), action, answer: None, context }
}

/// What follows from the end of an iteration: it counts, whatever it did. Only one that a person or the service interrupted is done
/// again.
pub fn conclude(
    task: &AgentTask,
    ended: &Ended<'_>,
    memory: &mut Memory,
) -> driver::Conclusion<RalphOperation> {
    let about = task.action.word();
    match *ended {
        Ended::Answered { .. } => {
            memory.failures.remove(about);
        }
        Ended::Asks { text } => return waits_for_answer(about, text, memory),
        Ended::Failed { class, message } => {
            if let Some(conclusion) = interrupted(class, message, memory) {
                return conclusion;
            }
            if memory.failed_again(about, message) {
                // It is asked once the iteration is counted.
                let tries = memory.failures.get(about).map_or(0, |failed| failed.tries);
                memory.question =
                    Some(DriverQuestion::new(QuestionCode::AgentFails, about, message).counted(tries));
            }
        }
    }
    memory.note_end();
    let PromptContext { iteration, limit, .. } = task.context;
    driver::Conclusion::Write(vec![RalphOperation::Iterated { iteration, max: limit }])
}
