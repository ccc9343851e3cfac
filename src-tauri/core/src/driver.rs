//! Words that the drivers of all formats share: what is next, what an agent is asked to do, what came of it, what is remembered
//! between two actions because no file has it, and what a person is asked.

use crate::refusal::Refusal;
use loopdeck_agents::answers::{self, AnswerError, AnswerKind};
use loopdeck_agents::prompts::{self, PromptContext, TaskContext};
use serde::{Deserialize, Serialize};
use specta::Type;

mod claims;
mod conversation;
pub(crate) mod judge;
mod memory;
mod menu;
mod next;
mod question;
mod tool;

pub use crate::formats::ccw::progress_docs::records::{self, ActionError};
pub use crate::formats::ccw::read::debug_log;
pub use crate::formats::ccw_v2::forms::InitMode;
pub use claims::{Checked, ObservedRun, Touched};
pub(crate) use claims::{NOTHING_CHANGED, ObservedFiles, about, check};
pub use conversation::{Conversation, ConversationStart, EndedRun};
pub use loopdeck_agents::prompts::{Action, Cut, Note, WorkerKind};
pub use memory::{
    FailedTry, LoopBMemory, LoopV2Memory, Memory, Policy, Probes, ProviderWait, RoundMemory, Worked,
    WorkerEnd,
};
pub use menu::MenuChoice;
pub use next::{Conclusion, Next, Step};
pub use question::{DriverQuestion, QuestionCode, QuestionLine, QuestionLineCode, Reply, ReplyCode};
pub use tool::{AgentLack, AgentWithLevel, Allowed, choose_agent, level_by_answer};

/// One run of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTask {
    /// What for.
    pub action: Action,
    /// The whole prompt; at most [`loopdeck_agents::prompts::MOST_BYTES`].
    pub prompt: String,
    /// The expected kind of answer; `None` when nothing is asked back.
    pub answer: Option<AnswerKind>,
    /// What the prompt was made of.
    pub context: PromptContext,
}

impl AgentTask {
    /// A worker on an atom whose run was found again; the prompt that it got is in its run's folder.
    #[must_use]
    pub fn of_found_worker(atom: &str) -> Self {
        Self {
            action: Action::Atom { id: atom.to_owned() },
            prompt: String::new(),
            answer: Some(AnswerKind::Atom),
            context: PromptContext::default(),
        }
    }

    /// Whether it changes nothing, whatever the plan allows: a judge, a probe.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        matches!(self.action, Action::Judge { .. } | Action::Probe { .. })
    }

    /// Whether it judges a check, which is no work on the loop.
    #[must_use]
    pub fn is_judge(&self) -> bool {
        matches!(self.action, Action::Judge { .. })
    }

    /// Whether it is a worker of an AoT round.
    #[must_use]
    pub fn is_worker_on_atom(&self) -> bool {
        matches!(self.action, Action::Atom { .. })
    }

    /// Whether it is a round of debugging that logs.
    #[must_use]
    pub fn logs(&self) -> bool {
        matches!(self.action, Action::Debug { .. })
    }

    /// Id of the task of the loop that it works on.
    #[must_use]
    pub fn task_id(&self) -> Option<String> {
        self.context.task.as_ref().map(|task| task.id.clone())
    }

    /// The task whose tool and mode choose the agent: the one of DEVELOP. A worker of Loop-B does several in one run.
    #[must_use]
    pub fn chooses(&self) -> Option<&TaskContext> {
        self.context.task.as_ref().filter(|_| matches!(self.action, Action::Develop { .. }))
    }

    /// The schema of its answer.
    #[must_use]
    pub fn schema(&self) -> Option<&'static str> {
        self.answer.map(answers::schema)
    }

    /// What an agent answered.
    ///
    /// # Errors
    /// What is wrong with the answer; nothing is, but no answer either, when none is asked for.
    pub(crate) fn read(
        &self,
        structured: Option<&str>,
        text: &str,
    ) -> Result<answers::CheckedAnswer, Vec<AnswerError>> {
        let kind = self.answer.ok_or_else(Vec::new)?;
        answers::read_structured(kind, structured, text)
    }

    /// Variables for its agent.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        prompts::environment(&self.action, &self.context)
    }
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChangedLines {
    /// Added; a changed line counts here and as removed.
    pub added: u32,
    /// Removed.
    pub removed: u32,
}

impl std::ops::Add for ChangedLines {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            added: self.added.saturating_add(other.added),
            removed: self.removed.saturating_add(other.removed),
        }
    }
}

/// How a run of the tests ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TestsEnd {
    /// They ran; failed ones are a result.
    Ran {
        /// Counts and rows.
        run: records::ValidationRun,
        /// Coverage by file.
        files: Vec<(String, records::CoverageFigures)>,
    },
    /// They could not be run, or left nothing readable.
    CouldNotRun {
        /// The reason in words. Untrusted text.
        why: String,
    },
}

/// What follows from answers that cannot be read: the same prompt with what was wrong, then a question.
pub(crate) fn unreadable<Op>(
    task: &AgentTask,
    errors: &[AnswerError],
    memory: &mut Memory,
) -> Conclusion<Op> {
    memory.unread += 1;
    if memory.unread < memory.policy.answer_tries {
        let again = |kind| prompts::again(&task.prompt, kind, errors);
        return Conclusion::Retry { prompt: task.answer.map_or_else(|| task.prompt.clone(), again) };
    }
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let question = DriverQuestion::new(QuestionCode::AnswerUnreadable, task.action.word(), &text.join("\n"));
    memory.conclude_asking(DriverQuestion { wrong: errors.to_vec(), ..question })
}

/// What follows from an agent that came to no end, where no task takes the blame.
pub(crate) fn failed<Op>(task: &AgentTask, message: &str, memory: &mut Memory) -> Conclusion<Op> {
    memory.unread += 1;
    if memory.unread < memory.policy.answer_tries {
        return Conclusion::Retry { prompt: prompts::after_failure(&task.prompt, message) };
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
    let good = |file: &String| answers::relative_path(file).ok();
    let files: Vec<String> = seen.unwrap_or(claimed).iter().filter_map(good).collect();
    let mut known = std::collections::BTreeSet::new();
    files.into_iter().filter(|file| known.insert(file.clone())).take(answers::MOST_FILES).collect()
}
