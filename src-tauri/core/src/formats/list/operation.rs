//! Steps of a list: those of its driver (the Ralph contract §5), and what a person adds.

use serde::{Deserialize, Serialize};
use specta::Type;

/// One step of the work, applied to the current file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "ListStep")]
pub enum ListOperation {
    /// An iteration ended, whatever it did.
    Iterated {
        /// Its number.
        iteration: u32,
        /// The limit when it began: an agent that wrote the whole list again may have dropped it.
        max: u32,
    },
    /// Every item is done.
    Complete,
    /// A person wants one more thing: a new open item, at the end.
    Add {
        /// Its text; line breaks become blanks.
        text: String,
    },
}
