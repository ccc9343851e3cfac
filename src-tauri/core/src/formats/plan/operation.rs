//! Changes of a plan in its place.

use crate::task_state::TaskState;
use serde::{Deserialize, Serialize};
use specta::Type;

/// One change of an item, applied to the current file. An item is named by its index among the tasks, from 0, and its text as shown: ids
/// repeat, and lines move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "PlanStep")]
pub enum PlanOperation {
    /// It gets another state.
    Mark {
        /// Its index.
        at: u32,
        /// Its text.
        text: String,
        /// The state.
        to: TaskState,
    },
    /// Its text becomes another one.
    Reword {
        /// Its index.
        at: u32,
        /// Its text.
        text: String,
        /// The new one; line breaks become blanks.
        to: String,
    },
    /// It stands before another item of its list, or at the end of the list.
    Move {
        /// Its index.
        at: u32,
        /// Its text.
        text: String,
        /// The index of the other item; `None` for the end.
        before: Option<u32>,
    },
    /// A new open item stands behind it.
    Add {
        /// Its index.
        at: u32,
        /// Its text.
        text: String,
        /// The text of the new one; line breaks become blanks.
        new: String,
    },
}

impl PlanOperation {
    /// The index and the text of the item.
    pub(super) fn item(&self) -> (usize, &str) {
        match self {
            Self::Mark { at, text, .. }
            | Self::Reword { at, text, .. }
            | Self::Move { at, text, .. }
            | Self::Add { at, text, .. } => (usize::try_from(*at).unwrap_or(usize::MAX), text),
        }
    }
}
