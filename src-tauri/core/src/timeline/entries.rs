//! One timeline of everything known about a loop: events in its files, changes in its kept versions, and
//! Loopdeck's own actions.

use super::draft::{Draft, Ids};
use super::entry::{EntryContent, TimelineEntry};
use super::{from_files, from_journal, iterations};
use crate::past::{KeptVersion, Past};
use crate::times::Timestamp;
use crate::view::LoopDetail;

/// Everything that happened, oldest first. An entry without a time stays after the preceding one.
#[must_use]
pub fn entries(detail: &LoopDetail, past: &Past) -> Vec<TimelineEntry> {
    let mut ids = Ids::default();
    let events = from_files::events(&detail.events, &mut ids);
    let steps = from_files::steps(&detail.history, &mut ids);
    let (versions, notes) = from_journal::drafts(past, &mut ids);
    let mut drafts = in_order([events, steps, versions, notes]);
    iterations::decide(&mut drafts);
    let versions = VersionsByTime::new(&past.versions);
    let shown = drafts.into_iter().filter(|draft| draft.shown);
    shown.map(|draft| versions.placed(draft.entry)).collect()
}

fn in_order(sources: [Vec<Draft>; 4]) -> Vec<Draft> {
    let mut placed: Vec<(f64, Draft)> = Vec::new();
    for source in sources {
        let mut last = f64::NEG_INFINITY;
        for draft in source {
            last = draft.entry.ms.unwrap_or(last);
            placed.push((last, draft));
        }
    }
    placed.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    placed.into_iter().map(|(_, draft)| draft).collect()
}

/// Finds the newest version at a given time.
struct VersionsByTime {
    /// Each with the earliest time of all versions that are as new or newer, so that times decrease.
    falling: Vec<(Timestamp, u32)>,
}

impl VersionsByTime {
    /// `versions` are newest first. Their own times need not decrease, because others may have set a file's
    /// time back.
    fn new(versions: &[KeptVersion]) -> Self {
        let mut earliest = Timestamp::MAX;
        let falling = versions.iter().map(|version| {
            earliest = earliest.min(version.at);
            (earliest, version.id)
        });
        Self { falling: falling.collect() }
    }

    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    fn placed(&self, entry: TimelineEntry) -> TimelineEntry {
        let version_at = match (&entry.content, entry.ms) {
            (EntryContent::Version { id, .. }, _) => Some(*id),
            (_, Some(ms)) => {
                let newest = self.falling.partition_point(|(at, _)| (*at).number() > ms);
                self.falling.get(newest).map(|(_, id)| *id)
            }
            (_, None) => None,
        };
        TimelineEntry { version_at, ..entry }
    }
}
