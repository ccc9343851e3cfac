//! What waits for the person, and their answers.

use super::LeftProcess;
use loopdeck_agents::answers::AnswerError;
use loopdeck_core::formats::ccw::driver::{QuestionLine, UsedUp};
use loopdeck_core::formats::ccw::menu::MenuChoice;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// What a loop needs of the person. Words: catalogue `need.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
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
    /// Found at the start of Loopdeck: the run ended, or goes on, without it.
    Interrupted,
}

/// Something that waits for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
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
    /// What can be answered: names of [`NeedAnswer`].
    pub answers: Vec<String>,
    /// Processes that are left.
    pub processes: Vec<LeftProcess>,
    /// What is wrong with an answer that cannot be read; `text` has it in English then.
    pub wrong: Vec<AnswerError>,
    /// What is below the question, one line for each reason; `text` has it in English then.
    pub lines: Vec<QuestionLine>,
}

impl Need {
    /// Whether it is an interruption that cut off nothing: the loop continues after what was finished.
    #[must_use]
    pub fn is_only_waiting(&self) -> bool {
        let left = self.args.get("left").map(String::as_str);
        self.kind == NeedKind::Interrupted && matches!(left, Some("finished" | "recorded" | "between"))
    }
}

/// How far a limit that was reached can be raised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
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
    /// Go on without; of a tool: with the plan's agent instead.
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
    /// One of the choices.
    Choose {
        /// Its place, from 0.
        index: u32,
    },
    /// Raise a limit and go on.
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
    /// Do not show it any more; nothing else happens.
    Dismiss,
}

/// All that waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Needs {
    /// Oldest first, at most 200.
    pub needs: Vec<Need>,
    /// Loops with a live process of ours.
    pub running: u32,
}
