//! Undo groups: the writes of one change, which are undone together.

use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher as _, RandomState};

/// Names the writes of one change. No two changes share a group, whichever process made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UndoGroup(i64);

/// Above the groups of journals without this column: those were named by their time in milliseconds.
const FLOOR: u64 = 1 << 60;

impl UndoGroup {
    /// A group for a change that begins now.
    #[must_use]
    pub fn begin() -> Self {
        let random = RandomState::new().hash_one(std::process::id());
        Self((FLOOR | (random % FLOOR)).cast_signed())
    }

    pub(super) fn from_column(number: i64) -> Self {
        Self(number)
    }

    pub(super) fn column(self) -> i64 {
        self.0
    }
}

/// The column of it; writes from before are grouped by their time, as they were made.
pub(super) const SCHEMA: &str = "
    ALTER TABLE events ADD COLUMN undo_group INTEGER;
    UPDATE events SET undo_group = at WHERE kind = 'write';
    ALTER TABLE steps ADD COLUMN undo_group INTEGER;
    UPDATE steps SET undo_group = at;
";
