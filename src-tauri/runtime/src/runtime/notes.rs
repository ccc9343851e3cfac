//! The door of notes and labels.

use super::Runtime;
use crate::views::{Failure, LoopNotes};

impl Runtime {
    /// Note and labels of a loop.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn notes(&self, key: &str) -> Result<LoopNotes, Failure> {
        self.find(key).map(|found| found.notes)
    }

    /// Keeps them in the place of those before. The row with the labels arrives as a change.
    ///
    /// # Errors
    /// `UnknownLoop`; `BadForm` when something is too long; `OwnData` when they cannot be kept.
    pub fn keep_notes(&self, key: &str, notes: LoopNotes) -> Result<(), Failure> {
        self.ask(key, move |owner, key| owner.store.keep_notes(key, &notes))
    }
}
