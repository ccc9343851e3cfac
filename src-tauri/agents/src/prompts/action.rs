//! What an agent is started for, and how an earlier run of it was interrupted.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What an agent works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "action", rename_all = "snake_case")]
#[serde(rename = "DriverAction")]
pub enum Action {
    /// Plans tasks.
    Init,
    /// Works on one task.
    Develop {
        /// Which one.
        task_id: String,
    },
    /// Looks for the cause of failed tests and removes it.
    Debug {
        /// 1 = the first round.
        round: u32,
    },
    /// A worker of Loop-B.
    Worker {
        /// Which one.
        worker: WorkerKind,
    },
    /// AoT: works on one atom.
    Atom {
        /// Which one.
        id: String,
    },
    /// AoT: judges one quality check.
    Judge {
        /// Its row in the checklist, from 0.
        #[specta(type = u32)] // a whole number in TypeScript
        row: usize,
        /// Its name.
        item: String,
    },
    /// AoT: checks whether an atom is feasible.
    Probe {
        /// Which one.
        id: String,
    },
    /// Ralph: works by the loop's own prompt.
    Iterate {
        /// The file with the list of the work, below the folder.
        list: String,
        /// 1-based lines of it that look like open boxes and are none.
        #[serde(default)]
        unclear: Vec<u32>,
        /// Items of the plan of another tool that can be begun now, the first one first; none where the list has the items.
        #[serde(default)]
        next: Vec<String>,
    },
}

impl Action {
    /// `init`, `develop`, `debug`, `atom`, `judge`, `probe`, `iterate`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Action::Init => "init",
            Action::Develop { .. } => "develop",
            Action::Debug { .. } => "debug",
            Action::Worker { worker } => worker.word(),
            Action::Atom { .. } => "atom",
            Action::Judge { .. } => "judge",
            Action::Probe { .. } => "probe",
            Action::Iterate { .. } => "iterate",
        }
    }
}

/// A worker of Loop-B that is an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WorkerKind {
    /// Does tasks.
    Develop,
    /// Looks for the cause of what is wrong.
    Debug,
}

impl WorkerKind {
    /// `develop`, `debug`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Develop => "develop",
            Self::Debug => "debug",
        }
    }
}

/// Why a run did not come to the end of its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// A person stopped it.
    Person,
    /// The service: usage limit, sign-in.
    Service,
    /// A limit of ours.
    Limit,
    /// It crashed or was killed.
    Crash,
    /// It waits for an answer.
    Question,
    /// It finished, but one that ran in parallel did not.
    Beside,
}

/// A remark. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A question, or the id of a task.
    pub about: String,
    /// What was said.
    pub text: String,
}

/// What a listed task does with files. Words: catalogue `option.<mode>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TaskMode {
    /// It reads.
    Analysis,
    /// It writes.
    Write,
    /// It reviews what was written.
    Review,
}

impl TaskMode {
    /// The meaning of a word, in any case; none for words that the format does not define.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "analysis" => Some(Self::Analysis),
            "write" => Some(Self::Write),
            "review" => Some(Self::Review),
            _ => None,
        }
    }
}
