//! Timeline entries being built.

use super::entry::{EntryContent, EntryKind, TimelineEntry};
use crate::times::{TimeView, Timestamp, to_iso_millis};
use std::collections::HashMap;

/// A calendar reaches this far from 1970 (100 million days); files and journals can contain any number.
const CALENDAR_MS: f64 = 8.64e15;

/// An entry being built.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) entry: TimelineEntry,
    pub(crate) counted: CountedBy,
    /// Whether it is shown: a version may start an iteration without any visible change.
    pub(crate) shown: bool,
}

/// The count that an entry's number belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CountedBy {
    /// There is none, or it does not count iterations.
    Nothing,
    /// A document's own.
    ByDocument(f64),
    /// The v1 engine's.
    ByEngine(f64),
    /// The state file's.
    ByFile(f64),
}

impl Draft {
    /// With only the fields that every entry has.
    pub(crate) fn new(id: String, kind: EntryKind, time: Option<TimeView>, content: EntryContent) -> Self {
        let entry = TimelineEntry {
            id,
            kind,
            ms: time.as_ref().and_then(|time| plausible_time(time.ms)),
            time,
            took_ms: None,
            iteration: None,
            said_iteration: None,
            subject: None,
            part: None,
            files: Vec::new(),
            sources: Vec::new(),
            version_at: None,
            asker: None,
            content,
        };
        Self { entry, counted: CountedBy::Nothing, shown: true }
    }
}

/// Ids that distinguish equal items by their number of predecessors.
#[derive(Debug, Default)]
pub(crate) struct Ids(HashMap<String, u32>);

impl Ids {
    pub(crate) fn unique(&mut self, id: String) -> String {
        let before = self.0.entry(id.clone()).or_default();
        *before += 1;
        if *before == 1 { id } else { format!("{id}~{}", *before - 1) }
    }
}

/// A time that can be shown and compared.
pub(crate) fn plausible_time(ms: Option<f64>) -> Option<f64> {
    ms.filter(|ms| ms.abs() <= CALENDAR_MS)
}

/// A duration that can be drawn.
pub(crate) fn length(ms: Option<f64>) -> Option<f64> {
    plausible_time(ms).filter(|ms| *ms >= 0.0)
}

/// A time of the journal.
pub(crate) fn moment(at: Timestamp) -> TimeView {
    let ms = plausible_time(Some(at.number()));
    TimeView { text: ms.map_or_else(|| at.millis().to_string(), |_| to_iso_millis(at)), ms, shifted: false }
}
