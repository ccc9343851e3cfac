//! The timeline of one loop for its page: what its files say now, what versions changed, what the journal noted.
//!
//! Comparing versions is work, and a change of the loop adds one of them: what was compared stays known.

use crate::loop_reader::LocatedLoop;
use crate::per_workspace::PerWorkspace;
use crate::store::history::RememberedLoop;
use crate::views::{Failure, TimelinePage, VersionView};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops;
use loopdeck_core::past::{Past, VersionChange, VersionSays};
use loopdeck_core::timeline::entries;
use loopdeck_core::times::Timestamp;
use std::collections::{HashMap, HashSet};

/// How many versions are read.
pub(crate) const VERSIONS: u32 = 200;
/// The first answer waits for the comparison of so many versions only.
const AT_FIRST: usize = 16;

/// What is known of the loop of each workspace whose timeline was asked for last.
#[derive(Debug, Default)]
pub(crate) struct LastTimeline(PerWorkspace<Known>);

#[derive(Debug, Default)]
struct Known {
    key: Option<LoopId>,
    remembered: RememberedLoop,
    /// What versions changed, by their ids; also of those that cannot be compared.
    changes: HashMap<u32, VersionChange>,
}

/// What a timeline asks of the owner.
pub(crate) trait TimelineJournal {
    /// What is remembered, with at most [`VERSIONS`] versions.
    fn remembered(&self) -> Result<RememberedLoop, Failure>;
    /// The newest `limit` versions with their bytes, newest first; those that can be read.
    fn with_bytes(&self, limit: usize) -> Result<Vec<(VersionView, Vec<u8>)>, Failure>;
}

impl LastTimeline {
    /// The timeline of `found`. What the journal does not tell is taken as it was known before, and said.
    pub(crate) fn page(&self, found: &LocatedLoop, journal: &impl TimelineJournal) -> TimelinePage {
        let memory = self.0.memory(&found.entry.workspace);
        let mut known = memory.lock();
        let key = found.entry.key();
        if known.key.as_ref() != Some(&key) {
            *known = Known { key: Some(key), ..Known::default() };
        }
        let failure = known.read(found, journal).err();
        let more = failure.is_none() && !known.new_versions().is_empty();
        let RememberedLoop { versions, kept, notes } = known.remembered.clone();
        let past = Past { versions: kept, notes, changes: known.changes.clone() };
        drop(known);
        TimelinePage { entries: entries(&found.detail().0, &past), versions, more, failure }
    }
}

impl Known {
    fn read(&mut self, found: &LocatedLoop, journal: &impl TimelineJournal) -> Result<(), Failure> {
        self.remembered = journal.remembered()?;
        let new = self.new_versions();
        let is_first = self.changes.is_empty();
        let wanted = if is_first { new.len().min(AT_FIRST) } else { new.len() };
        let Some(last) = wanted.checked_sub(1).map(|last| new[last]) else { return Ok(()) };
        // Each is compared with the readable one before it; a newer one may come in between.
        let versions = &self.remembered.versions;
        let before = versions.iter().skip(last + 1).position(|version| version.readable);
        let limit = before.map_or(versions.len(), |before| last + 1 + before + 1) + 1;
        let wanted: HashSet<u32> = new.iter().take(wanted).map(|at| versions[*at].id).collect();
        let compared = found.changes_of(&journal.with_bytes(limit)?, &wanted);
        let listed: HashSet<u32> = versions.iter().map(|version| version.id).collect();
        self.changes.retain(|id, _| listed.contains(id));
        // What cannot be compared changed nothing that can be said.
        self.changes.extend(wanted.into_iter().map(|id| (id, VersionChange::default())));
        self.changes.extend(compared);
        Ok(())
    }

    /// Places of the versions that were not compared yet.
    fn new_versions(&self) -> Vec<usize> {
        let versions = self.remembered.versions.iter().enumerate();
        let new = versions.filter(|(_, version)| !self.changes.contains_key(&version.id));
        new.map(|(at, _)| at).collect()
    }
}

impl LocatedLoop {
    /// What those of `versions` (newest first) changed whose ids are `wanted`.
    fn changes_of(
        &self,
        versions: &[(VersionView, Vec<u8>)],
        wanted: &HashSet<u32>,
    ) -> HashMap<u32, VersionChange> {
        let mut changes = HashMap::new();
        let mut after: Option<VersionSays> = None;
        for pair in versions.windows(2) {
            let [(version, bytes), (older, older_bytes)] = pair else { continue };
            if !wanted.contains(&version.id) {
                after = None;
                continue;
            }
            let says = after.take().unwrap_or_else(|| self.version_says(version, bytes));
            let before = self.version_says(older, older_bytes);
            changes.insert(version.id, VersionChange::between(&before, &says));
            after = Some(before);
        }
        changes
    }

    fn version_says(&self, version: &VersionView, bytes: &[u8]) -> VersionSays {
        let modified = Timestamp::from_number(version.at);
        let facts = FileFacts { stem: self.candidate().stem(), modified, now: modified };
        let summary = loops::summary(self.candidate().place, bytes, &facts);
        let format = summary.as_ref().map_or(self.entry.summary.format, |summary| summary.format);
        VersionSays::new(summary.as_ref(), self.without_companions(format, bytes, modified))
    }
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
