//! "Loopdeck runs" a list: one agent after the other with the same prompt, and what the end of each means (the Ralph contract §5).
//!
//! What an agent says decides nothing: the items of the list do.

use super::operation::ListOperation;
use super::{LONGEST_PROMPT, ListFormat, WorkList, prompt, summary};
use crate::driver::{
    Action, AgentTask, Conclusion, DriverQuestion, EndReason, Ended, Memory, Next, QuestionCode, UsedUp,
    interrupted, waits_for_answer,
};
use crate::format::FileFacts;
use crate::formats::ccw::check::rules;
use crate::formats::loop_format::KnownFile;
use crate::formats::plan::linked::PlanLink;
use crate::refusal::{Refusal, RefusalCode};
use crate::status::FileStatus;
use crate::view::Companion;
use loopdeck_agents::prompts::{self, PromptContext};

/// Most lines that an agent is told of.
const UNCLEAR: usize = 20;
/// Most items of a plan that an agent may choose from, the first one first.
const NEXT: usize = 5;

/// What to do now: `Agent`, `Write`, `Ask` or `End`; then [`conclude`].
pub(crate) type ListNext = Next<ListOperation>;
/// What follows from the end of an iteration.
pub(crate) type ListConclusion = Conclusion<ListOperation>;

/// The next step of the loop. `beside`: the prompt, where it was looked for; a step without it tells what is next, but cannot be
/// carried out.
pub(crate) fn next(
    format: &dyn ListFormat,
    (bytes, facts): KnownFile<'_>,
    memory: &Memory,
    beside: Option<&[Companion]>,
) -> ListNext {
    let Ok(list) = format.read(bytes) else { return Next::End(EndReason::Damaged) };
    let list = list.linked(beside.unwrap_or_default(), facts);
    if let Err(end) = check_drivable(format, &list, facts) {
        return Next::End(end);
    }
    if let Some(limit) = memory.used_up {
        return Next::End(EndReason::Limit { limit });
    }
    if let Some(question) = &memory.question {
        return Next::ask(memory, question.clone());
    }
    if list.is_done() {
        return Next::Write(ListOperation::Complete);
    }
    if list.iteration >= list.limit {
        return Next::End(EndReason::Limit { limit: UsedUp::Iterations });
    }
    // Without its plan there is no work, and with nothing that can be begun an agent would only use up an iteration.
    if let (Some(link), Some(_)) = (list.link.as_ref().filter(|link| link.next().is_empty()), beside) {
        let code = if link.plan.is_some() { RefusalCode::NothingReady } else { RefusalCode::GateNotMet };
        return Next::End(EndReason::Refused { refusal: Refusal::new(code).with("field", &link.file) });
    }
    match beside.map(|beside| whole_prompt(format, beside)).transpose() {
        Ok(text) => Next::agent(iteration(format, &list, text.unwrap_or_default(), facts, memory)),
        Err(refusal) => Next::End(EndReason::Refused { refusal }),
    }
}

/// One more iteration of a list whose items are all done, because a check fails.
pub(crate) fn send_back(
    format: &dyn ListFormat,
    (bytes, facts): KnownFile<'_>,
    memory: &Memory,
    beside: &[Companion],
) -> Option<ListNext> {
    let list = format.read(bytes).ok()?.linked(beside, facts);
    if list.iteration >= list.limit {
        return Some(Next::End(EndReason::Limit { limit: UsedUp::Iterations }));
    }
    let text = whole_prompt(format, beside).ok()?;
    Some(Next::agent(iteration(format, &list, text, facts, memory)))
}

/// Whether a driver may act on the loop now.
fn check_drivable(
    format: &dyn ListFormat,
    list: &WorkList<'_>,
    facts: &FileFacts<'_>,
) -> Result<(), EndReason> {
    let summary = summary(format, list, facts);
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
fn whole_prompt<'c>(format: &dyn ListFormat, beside: &'c [Companion]) -> Result<&'c str, Refusal> {
    let file = format.prompt_file();
    let text = prompt(beside).filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Refusal::new(RefusalCode::GateNotMet).with("field", file))?;
    if text.len() > LONGEST_PROMPT {
        let refusal = Refusal::new(RefusalCode::TooLong).with("field", file);
        return Err(refusal.with("limit", LONGEST_PROMPT).with("length", text.len()));
    }
    Ok(text)
}

fn iteration(
    format: &dyn ListFormat,
    list: &WorkList<'_>,
    text: &str,
    facts: &FileFacts<'_>,
    memory: &Memory,
) -> AgentTask {
    let unclear = list.unclear.iter().take(UNCLEAR).copied().collect();
    let file = list.link.as_ref().map_or_else(|| format.file(facts.stem), PlanLink::told);
    let next = list.link.iter().flat_map(PlanLink::next).take(NEXT).collect();
    let action = Action::Iterate { list: file, unclear, next };
    let context = PromptContext {
        title: list.title.clone().unwrap_or_else(|| facts.stem.to_owned()),
        description: text.to_owned(),
        iteration: list.iteration + 1,
        limit: list.limit,
        notes: memory.all_notes(),
        failure: memory.failures.get(action.word()).map(|failed| failed.why.clone()),
        interrupted: memory.interrupted,
        unproven: memory.referee.unproven(),
        ..PromptContext::default()
    };
    AgentTask { prompt: prompts::prompt(&action, &context), action, answer: None, context }
}

/// What follows from the end of an iteration: it counts, whatever it did. Only one that a person or the service interrupted is done
/// again.
pub(crate) fn conclude(task: &AgentTask, ended: &Ended<'_>, memory: &mut Memory) -> ListConclusion {
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
    Conclusion::Write(vec![ListOperation::Iterated { iteration, max: limit }])
}
