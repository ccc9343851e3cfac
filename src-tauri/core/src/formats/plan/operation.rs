//! Changes of a plan in its place.

use crate::task_state::TaskState;
use serde::{Deserialize, Serialize};
use specta::Type;

/// One change, applied to the current file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "PlanStep")]
pub enum PlanOperation {
    /// An item gets another state. It is named by its place and its text: ids repeat, and lines move.
    Mark {
        /// Its index among the tasks, from 0.
        at: u32,
        /// Its text, as shown.
        text: String,
        /// The state.
        to: TaskState,
    },
}
