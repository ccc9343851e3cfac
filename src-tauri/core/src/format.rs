//! The formats and how a file is recognised (the CCW contract §1.1).

use crate::times::Timestamp;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// The system that a file's loop belongs to. Words: catalogue `format.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CCW Loop v2, Claude and Codex flavours.
    LoopV2,
    /// CCW Loop-B: coordinator and workers.
    LoopB,
    /// AoT loop.
    Aot,
    /// Ralph loop: one prompt again and again, until a list is done.
    Ralph,
    /// CCW v1 engine file, read-only.
    V1,
    /// Legacy CCW session folder, read-only.
    Legacy,
    /// Where a loop should be, but unreadable, so its format is unknown.
    Unknown,
}

/// What Loopdeck does with loops of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// It is controlled, and Loopdeck can run its agents.
    Driven,
    /// It is controlled through its file; its agents run elsewhere.
    Controlled,
    /// It is only shown.
    ReadOnly,
}

/// How the agents of a loop work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Teamwork {
    /// One action after the other.
    Alone,
    /// Workers in parallel; their results are taken up together when all have ended.
    Joined,
    /// Rounds of workers, each with a result of its own. A stop and a pause take effect when the round is closed.
    Rounds,
}

/// What sets a format apart for those that run its loops, or show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Traits {
    /// What Loopdeck does with its loops.
    pub handling: Handling,
    /// How its agents work together.
    pub teamwork: Teamwork,
    /// The skill that drives its loops by itself, where it has one.
    pub skill: Option<&'static str>,
    /// A plugin of Claude drives its loops by itself.
    pub has_plugin: bool,
    /// Its work is a graph of atoms.
    pub has_atoms: bool,
    /// Its loops have a completion check of their own.
    pub has_completion_check: bool,
    /// Loopdeck runs the workspace's tests for its loops.
    pub runs_tests: bool,
    /// Its file tells of failed actions, and its agents debug with log statements.
    pub tells_failures: bool,
    /// Its driver takes up the tasks of the list next to the loop, and those that a person planned in the start form.
    pub takes_up_tasks: bool,
    /// The mode of its loops is decided by their first action, not by their first file.
    pub begins_with_mode: bool,
    /// A task list next to a loop can be edited.
    pub has_task_list: bool,
    /// A text next to the loop is the only place that has its hypotheses.
    pub has_debug_text: bool,
    /// Which verbs are offered depends on the layout of the file, not only on what it says.
    pub layout_decides: bool,
}

/// A format that is only shown.
const SHOWN: Traits = Traits {
    handling: Handling::ReadOnly,
    teamwork: Teamwork::Alone,
    skill: None,
    has_plugin: false,
    has_atoms: false,
    has_completion_check: false,
    runs_tests: false,
    tells_failures: false,
    takes_up_tasks: false,
    begins_with_mode: false,
    has_task_list: false,
    has_debug_text: false,
    layout_decides: false,
};

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::LoopV2, Self::LoopB, Self::Aot, Self::Ralph, Self::V1, Self::Legacy, Self::Unknown];

    /// What sets it apart.
    #[must_use]
    pub const fn traits(self) -> Traits {
        match self {
            Self::LoopV2 => Traits {
                handling: Handling::Driven,
                skill: Some("ccw-loop"),
                runs_tests: true,
                tells_failures: true,
                takes_up_tasks: true,
                begins_with_mode: true,
                has_task_list: true,
                ..SHOWN
            },
            Self::LoopB => Traits {
                handling: Handling::Driven,
                teamwork: Teamwork::Joined,
                skill: Some("ccw-loop-b"),
                runs_tests: true,
                has_task_list: true,
                has_debug_text: true,
                ..SHOWN
            },
            Self::Aot => Traits {
                handling: Handling::Driven,
                teamwork: Teamwork::Rounds,
                has_plugin: true,
                has_atoms: true,
                has_completion_check: true,
                layout_decides: true,
                ..SHOWN
            },
            Self::Ralph => Traits { handling: Handling::Driven, ..SHOWN },
            Self::V1 | Self::Legacy | Self::Unknown => SHOWN,
        }
    }

    /// The traits of every format, for the page.
    #[must_use]
    pub fn all_traits() -> BTreeMap<Self, Traits> {
        Self::ALL.into_iter().map(|format| (format, format.traits())).collect()
    }

    /// What Loopdeck does with its loops.
    #[must_use]
    pub const fn handling(self) -> Handling {
        self.traits().handling
    }

    /// Whether a skill or a plugin can run its loops; all others Loopdeck runs itself.
    #[must_use]
    pub const fn has_own_runner(self) -> bool {
        self.traits().skill.is_some() || self.traits().has_plugin
    }

    /// Whether its agents work in rounds.
    #[must_use]
    pub const fn works_in_rounds(self) -> bool {
        matches!(self.traits().teamwork, Teamwork::Rounds)
    }

    /// Whether the results of parallel workers are taken up together.
    #[must_use]
    pub const fn joins_results(self) -> bool {
        matches!(self.traits().teamwork, Teamwork::Joined)
    }
}

/// What is known about a file before its bytes are read.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'a> {
    /// File name without `.json`, or the folder name of a legacy session: the identity (E5).
    pub stem: &'a str,
    /// Modification time.
    pub modified: Timestamp,
    /// Now.
    pub now: Timestamp,
}
