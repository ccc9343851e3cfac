//! Vocabulary shared by our two CCW drivers (Loop v2 and Loop-B): an agent's task, its result, what is
//! remembered between two actions because no file has it, and questions to a person.

use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::check::rules;
use crate::refusal::Refusal;
use crate::status::FileStatus;
use crate::summary::Summary;
use loopdeck_agents::answers::{AnswerError, AnswerKind};
use loopdeck_agents::prompts::Matter;
use serde::{Deserialize, Serialize};
use specta::Type;

#[path = "driver_claims.rs"]
mod claims;
#[path = "driver_conversation.rs"]
mod conversation;
#[path = "driver_memory.rs"]
mod memory;
#[path = "driver_question.rs"]
mod question;
#[path = "driver_tool.rs"]
mod tool;

pub use crate::formats::ccw::progress_docs::records::ActionError;
pub use claims::{Checked, Seen, Touched};
pub(crate) use claims::{NOTHING_CHANGED, Sight, about, check};
pub use conversation::{Conversation, EndedRun, Talk};
pub use loopdeck_agents::prompts::{Action, Cut, Note};
pub use memory::{FailedTry, Memory, Policy, ProviderWait, WorkerEnd};
pub use question::{DriverQuestion, QuestionCode, QuestionLine, QuestionLineCode, Reply, ReplyCode};
pub use tool::{Allowed, Lack, Way, level_by_answer, way};

/// One run of an agent. `Op`: the operations of the format.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTask<Op> {
    /// Its purpose.
    pub action: Action,
    /// Written before the agent starts.
    pub begin: Option<Op>,
    /// The whole prompt; at most [`loopdeck_agents::prompts::MOST_BYTES`].
    pub prompt: String,
    /// The expected kind of answer.
    pub answer: AnswerKind,
    /// What the prompt was made of.
    pub matter: Matter,
}

/// How a run of an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<'a> {
    /// It finished.
    Answered {
        /// The final text; of a text agent, its whole output or the end of it.
        text: &'a str,
        /// Structured output, if the program reports it separately from its text.
        structured: Option<&'a str>,
        /// A shell command or another text agent, which need not answer in JSON: exit code 0 is its answer.
        plain: bool,
    },
    /// It needs the person's answer before it continues the same conversation.
    Asks {
        /// Its question. Untrusted text.
        text: &'a str,
    },
    /// It did not finish.
    Failed {
        /// Whose fault.
        class: FailureClass,
        /// In the tool's own words. Untrusted text.
        message: &'a str,
    },
}

/// Why an agent did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The work: it failed, crashed, reached a limit of ours, or the cause is unknown. Counts as an attempt.
    Work,
    /// The service: usage limit, sign-in. The same action is retried later, and nothing counts.
    Unavailable,
    /// A person ended it. The same action is redone when the loop continues.
    Cancelled,
}

/// What follows from the end of an agent or of the tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion<Op> {
    /// Write these in this order, then ask for the next step. If the person paused the loop meanwhile, it
    /// accepts them under the situation `Pausing`.
    Write(Vec<Op>),
    /// Retry the same action; `begin` is not written again.
    Retry {
        /// Includes the errors.
        prompt: String,
    },
    /// A person has to decide; it is also in [`Memory::question`].
    Ask(DriverQuestion),
    /// The driver ends.
    End(EndReason),
    /// The results of the others are written in this order, then the driver ends.
    WriteThenEnd(Vec<Op>, EndReason),
}

/// Why a driver ends. Words: catalogue `driver_end.<reason>`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum EndReason {
    /// The loop is completed.
    Completed,
    /// A limit is used up; the loop stays `running` and is shown as such.
    Limit {
        /// Which one.
        limit: UsedUp,
    },
    /// A person would have to decide, but nobody can be asked.
    Stalled {
        /// What.
        question: DriverQuestion,
    },
    /// The file says `paused`.
    Paused,
    /// A person stopped it.
    Stopped,
    /// The file says `failed`.
    Failed,
    /// A person left it through the menu.
    Left,
    /// It was never set to running.
    NotStarted,
    /// It is not a loop of this driver's format.
    NotOurs,
    /// The file has errors.
    Damaged,
    /// The agent's service is unavailable.
    AgentUnavailable {
        /// In the tool's own words. Untrusted text.
        message: String,
    },
    /// A person ended the agent.
    Cancelled,
    /// The file does not accept the step.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// A limit that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UsedUp {
    /// `max_iterations`.
    Iterations,
    /// Wall time of the whole run.
    Time,
    /// Money.
    Money,
    /// Tokens.
    Tokens,
    /// Turns of one agent run.
    Turns,
    /// AoT: rounds without progress.
    Stalls,
    /// AoT: every alternative of an OR group failed.
    Choices,
}

/// Lines that changed while an agent worked, as the runtime counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Added; a changed line counts here and as removed.
    pub added: u32,
    /// Removed.
    pub removed: u32,
}

/// How a run of the tests ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TestsEnd {
    /// They ran; failed ones are a result.
    Ran {
        /// Counts and rows.
        run: ccw::progress_docs::records::ValidationRun,
        /// Coverage by file.
        files: Vec<(String, ccw::progress_docs::records::CoverageFigures)>,
    },
    /// They could not be run, or left nothing readable.
    CouldNotRun {
        /// The reason in words. Untrusted text.
        why: String,
    },
}

/// The loop, if a driver may act on it: the control signals, read at the start of every action (the
/// CCW contract §6).
pub(crate) fn stand(bytes: &[u8], format: Format, facts: &FileFacts<'_>) -> Result<Summary, EndReason> {
    let summary = ccw::summary(bytes, facts).ok_or(EndReason::NotOurs)?;
    if rules::damage(&summary).is_some() {
        return Err(EndReason::Damaged);
    }
    match summary.status {
        _ if summary.format != format => Err(EndReason::NotOurs),
        FileStatus::Running => Ok(summary),
        FileStatus::NotStarted => Err(EndReason::NotStarted),
        FileStatus::Paused => Err(EndReason::Paused),
        FileStatus::StoppedByUser => Err(EndReason::Stopped),
        FileStatus::Completed => Err(EndReason::Completed),
        FileStatus::UserExit => Err(EndReason::Left),
        FileStatus::LimitReached => Err(EndReason::Limit { limit: UsedUp::Iterations }),
        FileStatus::Failed => Err(EndReason::Failed),
        FileStatus::Unknown | FileStatus::Unreadable => Err(EndReason::Damaged),
    }
}

/// The loop at the end of an action: work finished before a pause took effect is kept.
pub(crate) fn stand_at_end(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
) -> Result<Summary, EndReason> {
    match stand(bytes, format, facts) {
        Err(EndReason::Paused) => ccw::summary(bytes, facts).ok_or(EndReason::NotOurs),
        other => other,
    }
}

/// The situation in which the result of an action is written.
pub(crate) fn situation_at_end(summary: &Summary, facts: &FileFacts<'_>) -> crate::control::Situation {
    use crate::status::StatusWord;
    let paused = summary.status == FileStatus::Paused;
    let shown = if paused { StatusWord::Pausing } else { StatusWord::Running };
    crate::control::Situation { shown, now: facts.now }
}

/// What follows from unreadable answers: the same prompt with the errors, then a question.
pub(crate) fn unreadable<Op>(
    task: &AgentTask<Op>,
    errors: &[AnswerError],
    memory: &mut Memory,
) -> Conclusion<Op> {
    memory.unread += 1;
    if memory.unread < memory.policy.answer_tries {
        return Conclusion::Retry {
            prompt: loopdeck_agents::prompts::again(&task.prompt, task.answer, errors),
        };
    }
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let question = DriverQuestion::new(QuestionCode::AnswerUnreadable, task.action.word(), &text.join("\n"));
    memory.conclude_asking(DriverQuestion { wrong: errors.to_vec(), ..question })
}

/// What follows from an agent that did not finish, if no task is to blame.
pub(crate) fn failed<Op>(task: &AgentTask<Op>, message: &str, memory: &mut Memory) -> Conclusion<Op> {
    memory.unread += 1;
    if memory.unread < memory.policy.answer_tries {
        return Conclusion::Retry { prompt: loopdeck_agents::prompts::after_failure(&task.prompt, message) };
    }
    memory.conclude_asking(DriverQuestion::new(QuestionCode::AgentFails, task.action.word(), message))
}

/// What follows when nobody is to blame; `None` for failures of the work.
pub(crate) fn interrupted<Op>(
    class: FailureClass,
    message: &str,
    memory: &mut Memory,
) -> Option<Conclusion<Op>> {
    let end = match class {
        FailureClass::Work => return None,
        FailureClass::Cancelled => EndReason::Cancelled,
        FailureClass::Unavailable => {
            EndReason::AgentUnavailable { message: loopdeck_text::shorten(message, 500) }
        }
    };
    memory.interrupted = true;
    Some(Conclusion::End(end))
}

/// What follows when the agent waits for an answer: the action is not over and continues after it.
pub(crate) fn waits_for_answer<Op>(about: &str, text: &str, memory: &mut Memory) -> Conclusion<Op> {
    memory.interrupted = true;
    memory.conclude_asking(DriverQuestion::new(QuestionCode::AgentAsks, about, text))
}

/// Files to record: observed changes win over claimed ones; state files are never work.
pub(crate) fn changed_files(claimed: &[String], seen: Option<&[String]>) -> Vec<String> {
    let good = |file: &String| loopdeck_agents::answers::relative_path(file).ok();
    let files: Vec<String> = seen.unwrap_or(claimed).iter().filter_map(good).collect();
    let mut known = std::collections::BTreeSet::new();
    files
        .into_iter()
        .filter(|file| known.insert(file.clone()))
        .take(loopdeck_agents::answers::MOST_FILES)
        .collect()
}
