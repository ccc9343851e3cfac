//! Which loop follows from which.

use super::Catalog;
use crate::store::journal::RecordedFollowUp;
use crate::views::FollowUpLink;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::view::FollowUpKind;
use loopdeck_system::dirs;
use std::path::Path;

/// A loop and the one that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUpPair {
    /// The new loop.
    pub key: LoopId,
    /// The loop that it follows from.
    pub parent: LoopId,
    /// In which direction.
    pub kind: FollowUpKind,
}

impl FollowUpPair {
    /// As the journal keeps it.
    #[must_use]
    pub fn from_recorded(recorded: &RecordedFollowUp) -> Self {
        let of = |(workspace, file): &(String, String)| LoopId::new(&dirs::id_of(Path::new(workspace)), file);
        Self { key: of(&recorded.of), parent: of(&recorded.parent), kind: recorded.kind }
    }
}

impl Catalog {
    /// The loop that `key` follows from.
    #[must_use]
    pub fn parent_of(&self, key: &str) -> Option<FollowUpLink> {
        let pair = self.follow_ups.iter().find(|pair| &*pair.key == key)?;
        Some(self.follow_up_link(&pair.parent, pair.kind))
    }

    /// Loops that follow from `key`, oldest first.
    #[must_use]
    pub fn follow_ups_of(&self, key: &str) -> Vec<FollowUpLink> {
        let of = self.follow_ups.iter().filter(|pair| &*pair.parent == key);
        of.map(|pair| self.follow_up_link(&pair.key, pair.kind)).collect()
    }

    /// The loops that one of `keys` follows from, and those that follow from one.
    #[must_use]
    pub fn relatives(&self, keys: &[LoopId]) -> Vec<LoopId> {
        let other = |pair: &FollowUpPair| match (keys.contains(&pair.key), keys.contains(&pair.parent)) {
            (true, false) => Some(pair.parent.clone()),
            (false, true) => Some(pair.key.clone()),
            _ => None,
        };
        self.follow_ups.iter().filter_map(other).collect()
    }

    fn follow_up_link(&self, key: &LoopId, kind: FollowUpKind) -> FollowUpLink {
        let entry = self.get(key);
        let file = key.rsplit('/').next().unwrap_or(key);
        let stem = file.strip_suffix(".json").unwrap_or(file).to_owned();
        let title = entry.map(|entry| entry.summary.title.clone()).filter(|title| !title.is_empty());
        FollowUpLink { kind, key: entry.map(|entry| entry.key().to_string()), title: title.unwrap_or(stem) }
    }
}
