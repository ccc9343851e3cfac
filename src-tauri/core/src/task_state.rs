//! How far a task is, in the words of the field.

use serde::{Deserialize, Serialize};
use specta::Type;

/// The state of a task, from its word in any case (seed 001: `pending | in_progress | completed | failed`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Not started.
    Pending,
    /// Started.
    InProgress,
    /// Done; agents also write `success` and `resolved`.
    Completed,
    /// Tried and failed.
    Failed,
    /// It waits for a person or for something outside of the plan.
    Blocked,
    /// It isn't going to be done.
    Dropped,
    /// An unknown word, or none: shown as written.
    #[default]
    Other,
}

impl TaskState {
    /// The meaning of a status word.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" | "success" | "resolved" => Self::Completed,
            "failed" => Self::Failed,
            _ => Self::Other,
        }
    }
}
