//! Status words that the formats define, for any kind of item.

use serde::Serialize;
use specta::Type;

/// A status of a loop, task, hypothesis, atom or worker that one of the formats defines. Words: catalogue
/// `word.<status>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum KnownStatus {
    /// Not started, or not judged.
    Pending,
    /// Started.
    InProgress,
    /// A task or loop is done.
    Completed,
    /// Tried and failed.
    Failed,
    /// An atom is done.
    Resolved,
    /// A hypothesis is the cause.
    Confirmed,
    /// A hypothesis is not the cause.
    Rejected,
    /// The evidence is not conclusive.
    Inconclusive,
    /// A worker did its work.
    Success,
    /// A worker did some of its work.
    Partial,
    /// A worker asks a person.
    NeedsInput,
    /// A worker needs more information.
    NeedsMoreInfo,
    /// A worker found something that has to be fixed.
    NeedsFix,
    /// Something blocks it.
    Blocked,
    /// A loop was created but not started.
    Created,
    /// A loop is running.
    Running,
    /// A loop waits for a person.
    Paused,
    /// A loop was stopped.
    Stopped,
    /// A person left the loop.
    UserExit,
}

impl KnownStatus {
    /// The meaning of a word in a file, in any case; none for words that no format defines.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let status = match word.trim().to_ascii_lowercase().as_str() {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "resolved" => Self::Resolved,
            "confirmed" => Self::Confirmed,
            "rejected" => Self::Rejected,
            "inconclusive" => Self::Inconclusive,
            "success" => Self::Success,
            "partial" => Self::Partial,
            "needs_input" => Self::NeedsInput,
            "needs_more_info" => Self::NeedsMoreInfo,
            "needs_fix" => Self::NeedsFix,
            "blocked" => Self::Blocked,
            "created" => Self::Created,
            "running" => Self::Running,
            "paused" => Self::Paused,
            "stopped" => Self::Stopped,
            "user_exit" => Self::UserExit,
            _ => return None,
        };
        Some(status)
    }
}
