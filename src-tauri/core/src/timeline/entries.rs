//! One timeline of everything that is known of a loop: what its files tell, what its kept versions changed, and what
//! Loopdeck did.

use super::entry::{EntryContent, EntryKind, TimelineEntry};
use super::{iterations, remembered, told};
use crate::past::{KeptVersion, Past};
use crate::times::{Millis, TimeView, to_iso_millis};
use crate::view::LoopDetail;
use std::collections::HashMap;

/// A calendar goes so far from 1970 (100 million days); files and journals can hold any number.
const CALENDAR_MS: f64 = 8.64e15;

/// Everything that happened, oldest first. What has no time stays behind the one written before it.
#[must_use]
pub fn entries(detail: &LoopDetail, past: &Past) -> Vec<TimelineEntry> {
    let mut ids = Ids::default();
    let events = told::events(&detail.events, &mut ids);
    let steps = told::steps(&detail.history, &mut ids);
    let (versions, notes) = remembered::drafts(past, &mut ids);
    let mut drafts = in_order([events, steps, versions, notes]);
    iterations::decide(&mut drafts);
    let versions = VersionsByTime::new(&past.versions);
    let shown = drafts.into_iter().filter(|draft| draft.shown);
    shown.map(|draft| versions.placed(draft.entry)).collect()
}

/// An entry in the making.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) entry: TimelineEntry,
    pub(super) counted: Counted,
    /// Whether a person sees it: a version may begin an iteration and change nothing that is shown.
    pub(super) shown: bool,
}

/// Which count the number that stands with an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Counted {
    /// There is none, or it counts something else than iterations.
    Nothing,
    /// A document's own.
    ByDocument(f64),
    /// The v1 engine's.
    ByEngine(f64),
    /// The state file's.
    ByFile(f64),
}

impl Draft {
    /// With nothing but what every entry has.
    pub(super) fn new(id: String, kind: EntryKind, time: Option<TimeView>, content: EntryContent) -> Self {
        let entry = TimelineEntry {
            id,
            kind,
            ms: time.as_ref().and_then(|time| sound(time.ms)),
            time,
            took_ms: None,
            iteration: None,
            said_iteration: None,
            subject: None,
            part: None,
            files: Vec::new(),
            sources: Vec::new(),
            version_at: None,
            content,
        };
        Self { entry, counted: Counted::Nothing, shown: true }
    }
}

/// Ids that tell equal things apart by how many came before.
#[derive(Debug, Default)]
pub(super) struct Ids(HashMap<String, u32>);

impl Ids {
    pub(super) fn of(&mut self, id: String) -> String {
        let before = self.0.entry(id.clone()).or_default();
        *before += 1;
        if *before == 1 { id } else { format!("{id}~{}", *before - 1) }
    }
}

/// A time that can be shown and compared.
pub(super) fn sound(ms: Option<f64>) -> Option<f64> {
    ms.filter(|ms| ms.abs() <= CALENDAR_MS)
}

/// A length of time that can be drawn.
pub(super) fn length(ms: Option<f64>) -> Option<f64> {
    sound(ms).filter(|ms| *ms >= 0.0)
}

/// A time of the journal.
#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
pub(super) fn moment(at: Millis) -> TimeView {
    let ms = sound(Some(at as f64));
    TimeView { text: ms.map_or_else(|| at.to_string(), |_| to_iso_millis(at)), ms, shifted: false }
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

/// Finds the newest version at any time.
struct VersionsByTime {
    /// Each with the earliest time of all that are as new or newer: this falls from one to the next.
    falling: Vec<(Millis, u32)>,
}

impl VersionsByTime {
    /// `versions` come newest first. Others may have set a file's time back, so that their times need not fall.
    fn new(versions: &[KeptVersion]) -> Self {
        let mut earliest = Millis::MAX;
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
                let newest = self.falling.partition_point(|(at, _)| *at as f64 > ms);
                self.falling.get(newest).map(|(_, id)| *id)
            }
            (_, None) => None,
        };
        TimelineEntry { version_at, ..entry }
    }
}
