//! The location and name of a loop.

use crate::format::FileFacts;
use crate::layout;
use crate::loops::{self, Place};
use crate::status::FileStatus;
use crate::times::Timestamp;

/// A file that may be a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The path of the loop below the workspace, with `/`: its state file, with a `#` and a name where that holds several loops.
    pub file: String,
    /// Which formats it can be.
    pub place: Place,
}

impl Candidate {
    /// The identity: file stem, or the name of the folder where each loop has one.
    #[must_use]
    pub fn stem(&self) -> &str {
        stem(self.place, &self.file)
    }

    /// Its state file, below the workspace.
    #[must_use]
    pub fn on_disk(&self) -> &str {
        layout::on_disk(&self.file)
    }

    /// Whether these bytes of it are readable.
    #[must_use]
    pub fn is_readable(&self, bytes: &[u8]) -> bool {
        let facts = FileFacts {
            stem: self.stem(),
            modified: Timestamp::from_millis(0),
            now: Timestamp::from_millis(0),
        };
        let summary = loops::summary(self.place, bytes, &facts);
        summary.is_some_and(|summary| summary.status != FileStatus::Unreadable)
    }
}

/// The identity of a state file, from its place.
#[must_use]
pub fn stem(place: Place, file: &str) -> &str {
    place.files().stem(file)
}
