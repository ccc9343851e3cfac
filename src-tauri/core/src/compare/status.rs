//! Status words that the formats define, whatever they are the status of.

use serde::Serialize;
use specta::Type;

/// A status of a loop, task, hypothesis, atom or worker that one of the formats defines. Words: catalogue
/// `word.<status>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum KnownStatus {
    /// Not begun, or not judged.
    Pending,
    /// Begun.
    InProgress,
    /// A task or loop is done.
    Completed,
    /// Tried in vain.
    Failed,
    /// An atom is done.
    Resolved,
    /// A hypothesis is the cause.
    Confirmed,
    /// A hypothesis is not the cause.
    Rejected,
    /// The evidence decides nothing.
    Inconclusive,
    /// A worker did its work.
    Success,
    /// A worker did some of its work.
    Partial,
    /// A worker asks a person.
    NeedsInput,
    /// A worker has to know more.
    NeedsMoreInfo,
    /// A worker found what has to be mended.
    NeedsFix,
    /// Something is in its way.
    Blocked,
    /// A loop was made and not begun.
    Created,
    /// A loop goes on.
    Running,
    /// A loop waits for a person.
    Paused,
    /// A loop was stopped.
    Stopped,
    /// A person left the loop.
    UserExit,
}

impl KnownStatus {
    /// What a word of a file means, in any case; nothing for words that no format defines.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
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
