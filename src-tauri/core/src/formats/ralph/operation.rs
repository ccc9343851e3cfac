//! Steps of the driver of a Ralph loop (the Ralph contract §5).

use serde::{Deserialize, Serialize};
use specta::Type;

/// One step of the work, applied to the current file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "RalphStep")]
pub enum RalphOperation {
    /// An iteration ended, whatever it did.
    Iterated {
        /// Its number.
        iteration: u32,
        /// The limit when it began: an agent that wrote the whole list again may have dropped the status line.
        max: u32,
    },
    /// Every box is ticked.
    Complete,
}
