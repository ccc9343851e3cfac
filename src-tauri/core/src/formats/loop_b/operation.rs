//! The steps of the coordinator, in the words of the CCW contract §8.

use crate::formats::ccw::progress_docs::records::PlannedTask;
use crate::formats::loop_b::read::output::WorkerOutput;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A step of the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "LoopBStep")]
pub enum LoopBOperation {
    /// The next phase starts; it must follow from the current one.
    Enter {
        /// `develop`, `debug`, `validate`, `complete`. A driver takes it from the file, so any word may come.
        #[specta(type = crate::phase::CcwPhase)]
        phase: String,
    },
    /// A worker ended: its output is kept, its tasks move.
    WorkerDone {
        /// Its output.
        output: WorkerOutput,
    },
    /// `init` ended: its output is kept, these tasks are pending.
    Planned {
        /// From the action `init`.
        output: WorkerOutput,
        /// At least one.
        tasks: Vec<PlannedTask>,
    },
    /// Parallel mode: the results of all workers side by side.
    Merge {
        /// From `develop`, `debug`, `validate`; at least one.
        outputs: Vec<WorkerOutput>,
    },
    /// The loop cannot continue: its status becomes `failed`. Only the driver ends a loop this way.
    #[specta(skip)]
    Fail {
        /// The reason, for `failure_reason`.
        reason: String,
    },
    /// The loop is done.
    Complete {
        /// In one or a few sentences.
        executive: String,
        /// What to do next.
        recommendations: Vec<String>,
        /// How long the loop worked, in milliseconds; if unknown, the time since it was created is used.
        #[serde(default)]
        worked_ms: Option<f64>,
    },
    /// A person leaves through the menu: `user_exit` (§8). Only the driver's menu offers it.
    #[specta(skip)]
    Leave,
}

impl LoopBOperation {
    /// Whether it says that the whole work is done: from the last phase no way leads back.
    #[must_use]
    pub fn completes(&self) -> bool {
        match self {
            Self::Complete { .. } => true,
            Self::Enter { phase } => {
                crate::phase::CcwPhase::from_word(phase) == Some(crate::phase::CcwPhase::Complete)
            }
            _ => false,
        }
    }
}
