//! The current phase of a loop, its progress and the limit that ended it.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Iterations used and allowed, from the file (both may be fractional or absurd: W8).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct IterationBar {
    /// `current_iteration`; AoT `control.iteration`.
    #[specta(type = u32)] // a finite number in TypeScript
    pub current: f64,
    /// `max_iterations`.
    #[specta(type = u32)] // a finite number in TypeScript
    pub limit: f64,
}

impl IterationBar {
    /// The number of the next iteration. What is in the file may be fractional or absurd.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    pub fn next(self) -> u32 {
        (self.current as u32).saturating_add(1)
    }
}

/// Which limit ended a loop. Words: catalogue `limit.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Iterations used up.
    Iterations,
    /// Too many iterations without progress.
    Stalls,
    /// All alternatives of an OR group failed.
    Alternatives,
    /// No atoms.
    NoAtoms,
}

/// The current phase, for one cell of the list. Words: catalogue `phase.<kind>`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Phase {
    /// No `skill_state` yet.
    NotInitialised,
    /// Planning tasks.
    Init,
    /// Developing: tasks done of all.
    Develop {
        /// Completed tasks.
        done: u32,
        /// All tasks.
        total: u32,
    },
    /// Debugging: hypotheses judged of all.
    Debug {
        /// Hypotheses with a verdict.
        judged: u32,
        /// All hypotheses.
        total: u32,
        /// Id of the confirmed one.
        confirmed: Option<String>,
    },
    /// Validating: tests passed of all in the latest run.
    Validate {
        /// Passed tests.
        passed: u32,
        /// All tests.
        total: u32,
    },
    /// The closing action.
    Complete,
    /// Loop-B workers: those done, and the phase as written.
    Workers {
        /// Phase word as written.
        phase: String,
        /// The phase that the word names.
        known: Option<CcwPhase>,
        /// Completed tasks.
        done: u32,
        /// All tasks.
        total: u32,
    },
    /// AoT atoms.
    Atoms {
        /// Resolved atoms.
        resolved: u32,
        /// All atoms, inactive alternatives left out.
        total: u32,
        /// Atoms that could start now.
        ready: u32,
    },
    /// Boxes of a list.
    Todo {
        /// Ticked boxes.
        done: u32,
        /// All boxes.
        total: u32,
    },
    /// v1 engine steps.
    Steps {
        /// 1-based current step.
        current: u32,
        /// All steps.
        total: u32,
    },
}

/// A phase of a CCW loop: an action of Loop v2, the action of a worker of Loop-B. Words: catalogue `action.<phase>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename = "LoopBPhase", rename_all = "snake_case")]
pub enum CcwPhase {
    /// Plans tasks.
    Init,
    /// Does them.
    Develop,
    /// Looks for the cause of a failure.
    Debug,
    /// Runs the tests.
    Validate,
    /// Sums up.
    Complete,
}

impl CcwPhase {
    /// In the order of the diagram.
    pub const ALL: [Self; 5] = [Self::Init, Self::Develop, Self::Debug, Self::Validate, Self::Complete];

    /// The phase that a word names, in any case; none for an unknown word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.word().eq_ignore_ascii_case(word))
    }

    /// The action, as written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Develop => "develop",
            Self::Debug => "debug",
            Self::Validate => "validate",
            Self::Complete => "complete",
        }
    }
}
