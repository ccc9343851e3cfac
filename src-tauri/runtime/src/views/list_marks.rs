//! How a person keeps loops in the list, as windows show and change it.

use serde::{Deserialize, Serialize};
use specta::Type;

/// How a person keeps a loop in the list. It is in Loopdeck's own data and never in the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ListMarks {
    /// It comes first.
    pub pinned: bool,
    /// It is only listed among the archived ones, until it is started or needs a person.
    pub archived: bool,
    /// It is only listed among the snoozed ones until then, ms since 1970 UTC, or until something new is asked. One that is archived is
    /// not snoozed.
    pub snoozed_until: Option<f64>,
}

impl ListMarks {
    /// Whether the loop is not in the list for now.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.archived || self.snoozed_until.is_some()
    }
}

/// The marks that a loop has, had, or is to have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct MarkedLoop {
    /// The loop.
    pub key: String,
    /// Its marks.
    pub marks: ListMarks,
}
