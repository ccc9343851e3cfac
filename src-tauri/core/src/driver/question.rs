//! Questions to a person, and the possible replies.

use loopdeck_agents::answers::AnswerError;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// A decision that a driver cannot make. Words: catalogue `driver_question.<code>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct DriverQuestion {
    /// Which question.
    pub code: QuestionCode,
    /// Task id, action or worker it is about. Untrusted text.
    pub about: String,
    /// The agent's question, the failure, the files: one per line. Untrusted text.
    pub text: String,
    /// Attempts, rounds or runs so far; for an assertion, the row in the checklist.
    pub count: u32,
    /// Possible replies.
    pub replies: Vec<ReplyCode>,
    /// For [`QuestionCode::AnswerUnreadable`]: what is wrong with the answer, for display; `text` says it to
    /// agents.
    #[serde(default)]
    pub wrong: Vec<AnswerError>,
    /// For [`QuestionCode::Blocked`] and [`QuestionCode::VerificationUnknown`]: the content of `text`, for
    /// display.
    #[serde(default)]
    pub lines: Box<[QuestionLine]>,
}

/// One line below a question, with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct QuestionLine {
    /// Which line.
    pub code: QuestionLineCode,
    /// Values for its sentence, as its code lists them. Untrusted text.
    pub args: BTreeMap<String, String>,
}

/// Lines below a question. Words: catalogue `need_line.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum QuestionLineCode {
    /// An atom (`about`) waits for another one (`id`).
    WaitsFor,
    /// A container (`about`) waits for one of its children (`id`).
    WaitsForChild,
    /// A container (`about`) waits for a child that does not exist.
    WaitsForNoChild,
    /// An atom (`about`) depends on one that does not exist (`id`).
    DependsOnMissing,
    /// An atom (`about`) failed as a choice of a group (`group`), which has no other.
    LastChoiceFailed,
    /// Another choice of the group (`group`) of an atom (`about`) is selected.
    NotSelected,
    /// The group (`group`) of an atom (`about`) has no choice that can be selected.
    NoChoice,
    /// Atoms wait for each other (`cycle`: their ids with arrows).
    Cycle,
    /// How many more there are (`count`).
    More,
    /// A part of the checklist (`about`) never passes (`reason`: a flaw of the checklist).
    NeverPasses,
    /// A quality check (`about`) has no threshold.
    NoThreshold,
    /// A check (`about`) is too long to run.
    TooLong,
    /// A file check (`about`) leads out of the folder of the loop.
    Outside,
    /// A file check (`about`) found nothing, and the folder has more entries than are searched.
    TooMany,
    /// The judge gave no usable scores for a check (`about`).
    NotJudged,
    /// A check (`about`) has no result.
    NoResult,
}

impl QuestionLine {
    pub(crate) fn new(code: QuestionLineCode, args: &[(&str, &str)]) -> Self {
        let args = args.iter().map(|(name, value)| ((*name).to_owned(), shorten(value, 500))).collect();
        Self { code, args }
    }
}

/// Which question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum QuestionCode {
    /// The agent needs to know something (`text`).
    AgentAsks,
    /// A task has used up its attempts (`about`, `text`, `count`).
    TaskFailed,
    /// A worker of Loop-B has used up its attempts (`about`, `text`, `count`).
    WorkerFailed,
    /// Rounds of debugging found no cause (`count`).
    DebugInconclusive,
    /// The same tests keep failing (`text`: the tests, `count`: runs).
    TestsKeepFailing,
    /// The agent's answers are unreadable (`about`, `text`: what is wrong).
    AnswerUnreadable,
    /// The agent does not finish (`about`, `text`).
    AgentFails,
    /// The test command ran no test.
    NoTests,
    /// The test command could not be run (`text`).
    TestsCannotRun,
    /// The loop is initialised and has no tasks.
    NoTasks,
    /// Loop-B, parallel: workers changed the same files (`text`: the files).
    Conflicts,
    /// A task (`about`) names a missing tool (`text`).
    ToolMissing,
    /// A task (`about`) names a tool (`text`) that the person did not allow for this loop.
    ToolNotAllowed,
    /// A task (`about`) is read-only, and its tool (`text`) has no level for that.
    ToolHasNoLevel,
    /// A task (`about`) is for the shell (`text`), and there is no command for it.
    ToolHasNoCommand,
    /// AoT: nothing can start although work is left (`text`: what waits for what, one per line).
    Blocked,
    /// AoT: whether a sentence (`text`) of the completion check (`about`, `count`: its row) is true.
    ConfirmAssertion,
    /// AoT: the completion check has no result (`text`: which checks and why, one per line).
    VerificationUnknown,
    /// AoT: another program changed the commands of the completion check (`text`: the commands; `about`: their fingerprint).
    ChecksChanged,
    /// AoT: the changes of an atom's worker (`about`) cannot be merged, because others changed the same files
    /// (`text`: the files, then the git reference that keeps its version).
    MergeConflict,
    /// The work is called done, and checks of the plan do not pass (`text`: which and why, one per line; `count`: how often it was sent
    /// back).
    NotProven,
    /// AoT: a probe found an atom (`about`) not feasible (`text`: why), and the file has no alternative.
    NotFeasible,
}

impl QuestionCode {
    /// Whether it is about the tool of a task, which is then in `text`.
    #[must_use]
    pub fn is_of_tool(self) -> bool {
        use QuestionCode as Q;
        matches!(self, Q::ToolMissing | Q::ToolNotAllowed | Q::ToolHasNoLevel | Q::ToolHasNoCommand)
    }

    /// What a person can reply, in the order of the buttons. Where a tool is missing, it can be allowed as well when the plan
    /// doesn't have it.
    #[must_use]
    pub fn replies(self) -> Vec<ReplyCode> {
        use ReplyCode as R;
        match self {
            Self::AgentAsks => vec![R::Text, R::GoOn],
            Self::TaskFailed | Self::WorkerFailed => vec![R::Text, R::TryAgain, R::GoOn],
            Self::DebugInconclusive | Self::TestsKeepFailing => vec![R::Text, R::GoOn],
            Self::AnswerUnreadable | Self::AgentFails => vec![R::Text, R::TryAgain],
            Self::NoTests | Self::TestsCannotRun => vec![R::TryAgain, R::GoOn],
            Self::NoTasks | Self::Conflicts | Self::ToolHasNoCommand => vec![R::GoOn],
            Self::ToolNotAllowed => vec![R::GoOn, R::Allow],
            Self::ToolMissing | Self::ToolHasNoLevel => vec![R::GoOn, R::TryAgain],
            Self::Blocked => vec![R::TryAgain],
            Self::ConfirmAssertion => vec![R::Confirm, R::Deny],
            Self::VerificationUnknown => vec![R::Text, R::TryAgain],
            Self::ChecksChanged => vec![R::TryAgain, R::GoOn],
            Self::NotFeasible => vec![R::Text, R::GoOn],
            Self::MergeConflict => vec![R::TryAgain, R::GoOn],
            Self::NotProven => vec![R::Text, R::TryAgain, R::Accept],
        }
    }
}

/// A button below a question. Words: catalogue `driver_reply.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ReplyCode {
    /// A text for the agent.
    Text,
    /// Retry.
    TryAgain,
    /// Continue without it; for a tool, with the plan's agent instead.
    GoOn,
    /// The tool may be used in this loop from now on.
    Allow,
    /// It is true.
    Confirm,
    /// It is not true, with or without a reason.
    Deny,
    /// It is accepted as it is, for a reason.
    Accept,
}

/// What a person replied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "reply", rename_all = "snake_case")]
#[serde(rename = "DriverReply")]
pub enum Reply {
    /// The agent is told, and the action is redone.
    Text {
        /// In the person's words.
        text: String,
    },
    /// Retry.
    TryAgain,
    /// Continue without it: the task stays failed, the loop is completed without tests, debugging continues,
    /// the plan's agent replaces a tool.
    GoOn,
    /// The tool was allowed and is now in the plan.
    Allow,
    /// It is true.
    Confirm,
    /// It is not true.
    Deny {
        /// Why, in the person's words.
        text: Option<String>,
    },
    /// It is accepted as it is.
    Accept {
        /// Why, in the person's words.
        reason: String,
        /// Who; empty when the system does not say.
        by: String,
    },
}

impl DriverQuestion {
    pub(crate) fn new(code: QuestionCode, about: &str, text: &str) -> Self {
        Self {
            code,
            about: shorten(about, 200),
            text: shorten(text, 4_000),
            count: 0,
            replies: code.replies(),
            wrong: Vec::new(),
            lines: Box::default(),
        }
    }

    pub(crate) fn in_lines(mut self, lines: Vec<QuestionLine>) -> Self {
        self.lines = lines.into();
        self
    }

    /// A missing tool can be allowed with the same answer that retries it.
    pub(crate) fn allowing(mut self) -> Self {
        self.replies = vec![ReplyCode::GoOn, ReplyCode::Allow];
        self
    }

    pub(crate) fn counted(mut self, count: u32) -> Self {
        self.count = count;
        self
    }
}
