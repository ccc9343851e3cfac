//! Notes and labels of a loop, as the window shows them.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What an import took in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct ImportedHistory {
    /// Loops whose notes are newer than those that were here.
    pub notes: u32,
    /// Loops whose history was not known here.
    pub loops: u32,
    /// Loops that have a history here, which stays as it is.
    pub known: u32,
}

/// Note and labels that people gave a loop, kept in Loopdeck's own data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LoopNotes {
    /// Plain text; empty when there is none.
    pub note: String,
    /// Labels, in the person's order.
    pub labels: Vec<String>,
}
