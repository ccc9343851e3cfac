//! What a driver remembers between two actions.

use super::{
    Conclusion, Conversation, DriverQuestion, EndReason, MenuChoice, QuestionCode, Reply, Touched, UsedUp,
};
use crate::checklist::wanted::CheckItem;
use crate::formats::ccw_v2::forms::InitMode;
use crate::referee::{RefereeMemory, rows_of};
use crate::times::Timestamp;
use crate::view::ClaimCounts;
use loopdeck_agents::answers;
use loopdeck_agents::prompts::Note;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use crate::formats::aot::drive::verification::{Probes, RoundMemory};
pub use crate::formats::ccw_v2::drive::memory::LoopV2Memory;
pub use crate::formats::loop_b::drive::memory::{LoopBMemory, Worked, WorkerEnd};

/// What stands in no state file. The runtime keeps it with the run; a lost memory costs repeated work, never harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What was chosen at the start.
    pub policy: Policy,
    /// The open question: nothing is done until it is answered.
    pub question: Option<DriverQuestion>,
    /// Items for the list of the loop, oldest first, that wait until the agent that may write it has ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<String>,
    /// What a person added, oldest first.
    pub notes: Vec<Note>,
    /// Messages of people to the agents, oldest first. The journal keeps them, and the runtime reads them before each step.
    #[serde(skip)]
    pub messages: Vec<Note>,
    /// Results of tasks, oldest first.
    pub summaries: Vec<Note>,
    /// Failed attempts by task id (Loop v2), worker (Loop-B) or action (Ralph).
    pub failures: BTreeMap<String, FailedTry>,
    /// Failed tasks that the person decided to leave.
    pub left: BTreeSet<String>,
    /// Runs of the current action without an answer.
    pub unread: u32,
    /// A person completes the loop without tests.
    pub without_tests: bool,
    /// The person wants the tests to run once more.
    pub run_again: bool,
    /// The person continues without tasks.
    pub without_tasks: bool,
    /// The current action was started but did not end.
    pub interrupted: bool,
    /// Interrupted conversations; several only with parallel workers.
    pub conversations: Vec<Conversation>,
    /// A limit of the whole run that was reached.
    pub used_up: Option<UsedUp>,
    /// The usage limit being waited for.
    pub waiting: Option<ProviderWait>,
    /// How often a usage limit was waited for since the start.
    pub waits: u32,
    /// The person closed the window and kept this start of the loop running.
    pub keeps_going: bool,
    /// Interactive: what a person chose in the menu and is not done yet.
    pub chosen: Option<MenuChoice>,
    /// Tools, by their task names, that the person replaced with the plan's agent.
    pub instead: BTreeSet<String>,
    /// The person lets the plan's agent work on read-only tasks although it has no such level.
    pub without_look_only: bool,
    /// What the runs of the present action changed.
    pub touched: Touched,
    /// How long the loop's runs took together, in milliseconds; `None` when unknown.
    pub worked_ms: Option<f64>,
    /// Of a Loop v2 alone. In the record its fields are next to those above.
    #[serde(flatten)]
    pub v2: LoopV2Memory,
    /// Of a Loop-B alone. In the record its fields are next to those above.
    #[serde(flatten)]
    pub b: LoopBMemory,
    /// Of the rounds of an AoT loop.
    pub aot: RoundMemory,
    /// What the checks of the plan said.
    #[serde(skip_serializing_if = "RefereeMemory::is_new")]
    pub referee: RefereeMemory,
}

/// A usage limit that is waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProviderWait {
    /// When the provider serves again.
    pub until: Timestamp,
    /// The run that it turned away.
    pub run: String,
    /// The agent's message.
    pub said: String,
}

/// What a person chose at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Whether a person can be asked; otherwise the driver ends with [`EndReason::Stalled`].
    pub ask: bool,
    /// Attempts at a task before a person is asked.
    pub task_tries: u32,
    /// Attempts at an action that gives no answer.
    pub answer_tries: u32,
    /// Rounds of DEBUG without a fix before a person is asked.
    pub debug_rounds: u32,
    /// Test runs in a row with the same failed tests before a person is asked.
    pub same_failures: u32,
    /// The agent, by its task name: `claude`, `codex`, `bash`.
    pub tool: String,
    /// The mode that INIT of a Loop v2 sets; from then on it is in the file.
    pub mode: InitMode,
    /// Further agents that tasks may use, named in the same way.
    pub tools: Vec<String>,
    /// AoT: which atoms are checked for feasibility first.
    pub probes: Probes,
    /// What proves that the work is done; an AoT loop has that in its file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckItem>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ask: true,
            task_tries: 2,
            answer_tries: 3,
            debug_rounds: 3,
            same_failures: 3,
            tool: "claude".to_owned(),
            mode: InitMode::Auto,
            tools: Vec::new(),
            probes: Probes::Never,
            checks: Vec::new(),
        }
    }
}

/// Failed attempts at one task or by one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedTry {
    /// How many.
    pub tries: u32,
    /// Why the last one failed. Untrusted text.
    pub why: String,
}

const MOST_NOTES: usize = 30;
const LONGEST_NOTE: usize = 4_000;

impl Memory {
    /// Adds a person's remark, for the prompts of all further actions.
    pub fn add_remark(&mut self, about: &str, text: &str) {
        remember(&mut self.notes, about, text);
    }

    /// What a person added and all messages, for a prompt.
    pub(crate) fn all_notes(&self) -> Vec<Note> {
        self.notes.iter().chain(&self.messages).cloned().collect()
    }

    pub(crate) fn summarise(&mut self, about: &str, text: &str) {
        remember(&mut self.summaries, about, text);
    }

    /// What the work claims and what of that is proven, as the referee saw it last; none without checks or claims.
    #[must_use]
    pub fn claim_counts(&self) -> Option<ClaimCounts> {
        if self.policy.checks.is_empty() { None } else { self.referee.counts() }
    }

    /// The person's reply to the open question; does nothing without one. Stopping is a verb, not a reply.
    pub fn reply(&mut self, reply: &Reply) {
        let Some(question) = self.question.take() else { return };
        if let Reply::Text { text } = reply {
            self.add_remark(&question.text, text);
        }
        let goes_on = *reply == Reply::GoOn;
        self.unread = 0;
        self.v2.answered(&question);
        self.b.answered(&question);
        self.aot.answered(&question, reply);
        self.referee.answer(&question, reply, &rows_of(&self.policy.checks));
        match question.code {
            QuestionCode::AgentAsks if goes_on => {
                self.add_remark(&question.text, "No answer. Decide yourself, and go on.");
            }
            QuestionCode::AgentAsks | QuestionCode::AnswerUnreadable | QuestionCode::AgentFails => {}
            QuestionCode::TaskFailed if goes_on => drop(self.left.insert(question.about)),
            QuestionCode::TaskFailed => self.try_once_more(&question.about),
            QuestionCode::WorkerFailed if goes_on => self.step_over(&question.about),
            QuestionCode::WorkerFailed => self.try_once_more(&question.about),
            // In an interactive loop, where only choices count, the answer is one.
            QuestionCode::NoTests | QuestionCode::TestsCannotRun if goes_on => {
                (self.without_tests, self.chosen) = (true, Some(MenuChoice::Complete));
            }
            QuestionCode::NoTests | QuestionCode::TestsCannotRun => {
                (self.run_again, self.chosen) = (true, Some(MenuChoice::Validate));
            }
            QuestionCode::NoTasks => self.without_tasks = true,
            QuestionCode::DebugInconclusive
            | QuestionCode::TestsKeepFailing
            | QuestionCode::Conflicts
            | QuestionCode::Blocked
            | QuestionCode::NotFeasible
            | QuestionCode::ConfirmAssertion
            | QuestionCode::ChecksChanged
            | QuestionCode::VerificationUnknown
            | QuestionCode::MergeConflict => {}
            // In an interactive loop the agent that is told something is chosen again.
            QuestionCode::NotProven if matches!(reply, Reply::Text { .. }) => self.chosen = None,
            QuestionCode::NotProven => {}
            QuestionCode::ToolHasNoLevel if goes_on && question.text == self.policy.tool => {
                self.without_look_only = true;
            }
            QuestionCode::ToolMissing
            | QuestionCode::ToolNotAllowed
            | QuestionCode::ToolHasNoLevel
            | QuestionCode::ToolHasNoCommand => {
                if goes_on {
                    self.instead.insert(question.text);
                }
            }
        }
    }

    /// The person's choice in the menu of an interactive loop.
    pub fn choose(&mut self, choice: MenuChoice) {
        self.chosen = Some(choice);
    }

    /// A new start is a new attempt: earlier questions are asked again if they still apply. An interrupted
    /// menu action is done again; how to end the loop is chosen again.
    pub fn start_again(&mut self) {
        (self.used_up, self.question) = (None, None);
        (self.waiting, self.waits, self.keeps_going) = (None, 0, false);
        self.aot.start_again();
        self.referee.start_again();
        self.chosen = self.chosen.filter(|choice| !matches!(choice, MenuChoice::Complete | MenuChoice::Exit));
    }

    /// The previous plan had the agent `former`. Tasks that name it now belong to the plan's agent, because
    /// INIT assigned them to the plan's agent of the time. To use both, the person allows the former one as a
    /// further agent.
    pub fn staff_changed(&mut self, former: Option<&str>) {
        let (tool, tools) = (self.policy.tool.clone(), self.policy.tools.clone());
        if let Some(former) = former.filter(|former| *former != tool) {
            self.instead.insert(former.to_owned());
            self.without_look_only = false;
        }
        self.instead.retain(|word| *word != tool && !tools.contains(word));
    }

    fn try_once_more(&mut self, about: &str) {
        if let Some(failed) = self.failures.get_mut(about) {
            failed.tries = self.policy.task_tries.saturating_sub(1);
        }
    }

    fn step_over(&mut self, worker: &str) {
        self.failures.remove(worker);
        self.left.insert(worker.to_owned());
        self.b.step_over(worker);
    }

    /// Counts a failed attempt; returns whether it was the last one.
    pub(crate) fn failed_again(&mut self, about: &str, why: &str) -> bool {
        let failed = self.failures.entry(about.to_owned()).or_default();
        failed.tries = failed.tries.saturating_add(1);
        failed.why = shorten(why, LONGEST_NOTE);
        failed.tries >= self.policy.task_tries
    }

    /// Whether the attempts of a task or worker are used up.
    pub(crate) fn is_used_up(&self, about: &str) -> bool {
        self.failures.get(about).is_some_and(|failed| failed.tries >= self.policy.task_tries)
    }

    /// An action of a Loop v2 failed and nobody was there to conclude it: the file is to say so, and its task was tried.
    pub fn failed_unseen(&mut self, action: &str, task: Option<&str>, message: &str, at: Timestamp) {
        let why = answers::plain_summary(message);
        let why = if why.is_empty() { "The agent failed." } else { &why };
        self.v2.error(action, why, at);
        if let Some(task) = task {
            self.failed_again(task, why);
        }
    }

    /// An action came to its end.
    pub(crate) fn note_end(&mut self) {
        self.ended_asking();
        self.chosen = None;
    }

    /// The same for one that has to be redone after the person answers: their choice is kept.
    pub(crate) fn ended_asking(&mut self) {
        (self.unread, self.interrupted) = (0, false);
    }

    /// The question, or the end when nobody can be asked.
    pub(crate) fn asks(&self, question: DriverQuestion) -> Result<DriverQuestion, EndReason> {
        if self.policy.ask { Ok(question) } else { Err(EndReason::Stalled { question }) }
    }

    /// Keeps the question and asks it.
    pub(crate) fn conclude_asking<Op>(&mut self, question: DriverQuestion) -> Conclusion<Op> {
        self.question = Some(question.clone());
        match self.asks(question) {
            Ok(question) => Conclusion::Ask(question),
            Err(end) => Conclusion::End(end),
        }
    }
}

fn remember(notes: &mut Vec<Note>, about: &str, text: &str) {
    notes.push(Note { about: shorten(about, 500), text: shorten(text, LONGEST_NOTE) });
    let old = notes.len().saturating_sub(MOST_NOTES);
    notes.drain(..old);
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
