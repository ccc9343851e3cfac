//! What waits for the person, and their answers.

use super::LeftProcessView;
use loopdeck_agents::answers::AnswerError;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::{MenuChoice, QuestionLine, ReplyCode, UsedUp};
use loopdeck_system::failure::FailureKind;
use loopdeck_system::words::to_word;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// What a loop needs of the person. Words: catalogue `need.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// The agent wants to use a tool.
    Permission,
    /// The agent or the driver has a question.
    Question,
    /// An interactive loop: which action is next.
    Menu,
    /// Iterations, time, money, tokens or turns are used up.
    LimitReached,
    /// The provider's limit; `until` says when it is over.
    UsageLimit,
    /// The agent is not signed in.
    SignIn,
    /// A run failed, with what the agent said.
    Failed,
    /// Processes are left after a stop.
    LeftOver,
    /// Found when Loopdeck started: the run ended, or continues, without it.
    Interrupted,
}

/// Something that waits for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Need {
    /// Names it in the answer.
    pub id: String,
    /// The loop.
    pub key: String,
    /// The run that it stems from; `None` when it stems from none, or from several.
    pub run: Option<String>,
    /// Its title. Untrusted text.
    pub title: String,
    /// What kind.
    pub kind: NeedKind,
    /// Since when, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub since: f64,
    /// Display name of the agent.
    pub agent: String,
    /// Tool that it wants to use.
    pub tool: Option<String>,
    /// Exact input, at most 16,000 characters. Untrusted text.
    pub input: Option<String>,
    /// How many characters the whole input has, when `input` is only its beginning. It can be allowed only after the whole
    /// one was asked for.
    pub cut_from: Option<u32>,
    /// Folder, for display.
    pub folder: String,
    /// The question, the agent's own message, or why it asks. Untrusted text.
    pub text: String,
    /// Named values for the sentence of its kind (`limit`, `used`, `action`, `code`).
    pub args: BTreeMap<String, String>,
    /// Choices of a menu, in the order shown.
    pub choices: Vec<MenuChoice>,
    /// How far the limit that was reached can be raised.
    pub extension: Option<Extension>,
    /// When a provider's limit is over, ms since 1970 UTC.
    pub until: Option<f64>,
    /// What can be answered.
    #[specta(type = Vec<String>)]
    pub answers: Vec<NeedAnswerKind>,
    /// Processes that are left.
    pub processes: Vec<LeftProcessView>,
    /// What is wrong with an answer that cannot be read; `text` has it in English then.
    pub wrong: Vec<AnswerError>,
    /// What is below the question, one line for each reason; `text` has it in English then.
    pub lines: Vec<QuestionLine>,
    /// Of an interruption: how what ran ended, for decisions; the page gets its name in `args`.
    #[serde(skip)]
    pub left: Option<LeftHow>,
    /// Of a loop on another machine: when it was answered from here, ms since 1970 UTC; that machine has not said yet what
    /// became of the answer.
    #[serde(default)]
    pub requested: Option<f64>,
}

/// How what a loop was doing ended while no Loopdeck was there. Words: catalogue `needs.left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftHow {
    /// It finished, and its result is taken up when the loop continues.
    Finished,
    /// It finished, and its result is in the loop's file.
    Recorded,
    /// It failed with an error.
    Failed,
    /// It was killed, or it is unknown.
    CutOff,
    /// Nothing ran.
    Between,
}

/// Why something failed. The page gets the name as `code` in [`Need::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedReason {
    /// What a step failed with.
    Failure(FailureKind),
    /// How a run ended.
    Run(Outcome),
    /// An agent does not know an argument of its command line.
    UnknownArgument,
    /// A skill ended, and the file still says that the loop runs.
    SkillUnfinished,
    /// The agent does not have the skill.
    SkillMissing,
    /// The file says `failed` while processes are at work.
    MarkedFailed,
    /// The agent was ended, but not by Loopdeck.
    Cancelled,
    /// The agent could not be started.
    CannotStart,
    /// The state file is gone.
    FileGone,
    /// The state file is damaged.
    Damaged,
    /// Work of a worker is kept outside of the folder.
    WorkKept,
    /// Results of checks are not in the evidence next to the loop, or not with what the folder held.
    EvidenceNotWhole,
}

impl NeedReason {
    /// Its name, as the catalogue has it.
    pub(crate) fn word(self) -> String {
        let own = match self {
            Self::Failure(kind) => return to_word(kind),
            Self::Run(outcome) => return to_word(outcome),
            Self::UnknownArgument => "unknown_argument",
            Self::SkillUnfinished => "skill_unfinished",
            Self::SkillMissing => "skill_missing",
            Self::MarkedFailed => "marked_failed",
            Self::Cancelled => "cancelled",
            Self::CannotStart => "cannot_start",
            Self::FileGone => "file_gone",
            Self::Damaged => "damaged",
            Self::WorkKept => "work_kept",
            Self::EvidenceNotWhole => "evidence_not_whole",
        };
        own.to_owned()
    }

    /// The kind of a need that has it.
    pub(crate) fn kind(self) -> NeedKind {
        match self {
            Self::Run(Outcome::Limit) => NeedKind::UsageLimit,
            Self::Run(Outcome::Auth) => NeedKind::SignIn,
            _ => NeedKind::Failed,
        }
    }
}

impl Need {
    /// Whether it is an interruption that cut off nothing: the loop continues after what was finished.
    #[must_use]
    pub fn is_only_waiting(&self) -> bool {
        let is_whole = matches!(self.left, Some(LeftHow::Finished | LeftHow::Recorded | LeftHow::Between));
        self.kind == NeedKind::Interrupted && is_whole
    }
}

/// How far a limit that was reached can be raised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Extension {
    /// Which limit: iterations, minutes, USD, tokens, turns.
    pub of: UsedUp,
    /// The least that can be added.
    #[specta(type = u32)] // a finite number in TypeScript
    pub least: f64,
    /// The most.
    #[specta(type = u32)] // a finite number in TypeScript
    pub most: f64,
    /// Only whole numbers.
    pub whole: bool,
    /// What is proposed.
    #[specta(type = u32)] // a finite number in TypeScript
    pub proposed: f64,
}

/// What the person answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Type)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum NeedAnswer {
    /// This once.
    AllowOnce,
    /// This tool until the run ends.
    AllowForRun,
    /// No, with a note for the agent.
    Deny {
        /// May be blank.
        note: String,
    },
    /// Text for the agent.
    Say {
        /// Not blank.
        text: String,
    },
    /// The same once more.
    TryAgain,
    /// Continue without it; of a tool: with the plan's agent instead.
    GoOn,
    /// Let tasks of this loop use the tool from now on.
    AllowTool,
    /// The sentence of a check is true.
    Confirm,
    /// It is not true.
    Refute {
        /// Why; may be blank.
        why: String,
    },
    /// What is called done is accepted without proof.
    Accept {
        /// Why; may be blank.
        why: String,
    },
    /// One of the choices.
    Choose {
        /// Its place, from 0.
        index: u32,
    },
    /// Raise a limit and continue.
    Extend {
        /// So many iterations more.
        iterations: Option<u32>,
        /// So many minutes more.
        minutes: Option<u32>,
        /// So much money more.
        money_usd: Option<f64>,
        /// So many tokens more.
        tokens: Option<u32>,
        /// So many turns for each agent run.
        turns: Option<u32>,
    },
    /// Start the agent again where it was.
    Resume,
    /// Stop the loop.
    Stop,
    /// End what is left.
    EndLeft,
    /// Put back what the state file said last.
    Restore,
    /// Hide it; nothing else happens.
    Dismiss,
}

/// An answer without its values: what is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is the answer of this name")]
pub enum NeedAnswerKind {
    AllowOnce,
    AllowForRun,
    Deny,
    Say,
    TryAgain,
    GoOn,
    AllowTool,
    Confirm,
    Refute,
    Accept,
    Choose,
    Extend,
    Resume,
    Stop,
    EndLeft,
    Restore,
    Dismiss,
}

impl From<ReplyCode> for NeedAnswerKind {
    fn from(reply: ReplyCode) -> Self {
        match reply {
            ReplyCode::Text => Self::Say,
            ReplyCode::TryAgain => Self::TryAgain,
            ReplyCode::GoOn => Self::GoOn,
            ReplyCode::Allow => Self::AllowTool,
            ReplyCode::Confirm => Self::Confirm,
            ReplyCode::Deny => Self::Refute,
            ReplyCode::Accept => Self::Accept,
        }
    }
}

impl NeedAnswer {
    /// Which one it is.
    #[must_use]
    pub fn kind(&self) -> NeedAnswerKind {
        use NeedAnswerKind as K;
        match self {
            Self::AllowOnce => K::AllowOnce,
            Self::AllowForRun => K::AllowForRun,
            Self::Deny { .. } => K::Deny,
            Self::Say { .. } => K::Say,
            Self::TryAgain => K::TryAgain,
            Self::GoOn => K::GoOn,
            Self::AllowTool => K::AllowTool,
            Self::Confirm => K::Confirm,
            Self::Refute { .. } => K::Refute,
            Self::Accept { .. } => K::Accept,
            Self::Choose { .. } => K::Choose,
            Self::Extend { .. } => K::Extend,
            Self::Resume => K::Resume,
            Self::Stop => K::Stop,
            Self::EndLeft => K::EndLeft,
            Self::Restore => K::Restore,
            Self::Dismiss => K::Dismiss,
        }
    }
}

/// All that waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Needs {
    /// Oldest first, at most 200.
    pub needs: Vec<Need>,
    /// Loops with a live process of ours.
    pub running: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_offered_under_the_name_by_which_it_is_given() {
        let given = [
            json!({ "answer": "allow_once" }),
            json!({ "answer": "allow_for_run" }),
            json!({ "answer": "deny", "note": "" }),
            json!({ "answer": "say", "text": "x" }),
            json!({ "answer": "try_again" }),
            json!({ "answer": "go_on" }),
            json!({ "answer": "allow_tool" }),
            json!({ "answer": "confirm" }),
            json!({ "answer": "refute", "why": "" }),
            json!({ "answer": "accept", "why": "" }),
            json!({ "answer": "choose", "index": 0 }),
            json!({ "answer": "extend" }),
            json!({ "answer": "resume" }),
            json!({ "answer": "stop" }),
            json!({ "answer": "end_left" }),
            json!({ "answer": "restore" }),
            json!({ "answer": "dismiss" }),
        ];
        for given in given {
            let answer: NeedAnswer = serde_json::from_value(given.clone()).expect("an answer");
            assert_eq!(json!(answer.kind()), given["answer"]);
        }
    }

    #[test]
    fn a_usage_limit_and_a_missing_sign_in_are_needs_of_their_own() {
        for (reason, kind, word) in [
            (NeedReason::Run(Outcome::Limit), NeedKind::UsageLimit, "limit"),
            (NeedReason::Run(Outcome::Auth), NeedKind::SignIn, "auth"),
            (NeedReason::Run(Outcome::Crashed), NeedKind::Failed, "crashed"),
            (NeedReason::Failure(FailureKind::Untrusted), NeedKind::Failed, "untrusted"),
            (NeedReason::SkillMissing, NeedKind::Failed, "skill_missing"),
        ] {
            assert_eq!((reason.kind(), reason.word().as_str()), (kind, word));
        }
    }
}
