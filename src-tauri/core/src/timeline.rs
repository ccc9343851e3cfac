//! The timeline: events of several sources in one order, limited to what a window can draw; and `entries`,
//! which combines them with the journal's records for display.

mod draft;
mod entries;
#[cfg(test)]
mod entries_tests;
mod entry;
mod from_files;
mod from_journal;
mod iterations;

pub use entries::entries;
pub use entry::{EntryContent, EntryKind, EntryPart, TestOutcome, TimelineEntry};

use crate::view::EventView;

/// Most events shown, the newest.
pub(crate) const MOST_EVENTS: usize = 5_000;
/// Longest text of one event.
pub(crate) const EVENT_TEXT: usize = 1_000;
/// Most files of one event.
pub(crate) const EVENT_FILES: usize = 50;

/// Collects events source by source, each in its own order.
#[derive(Debug, Default)]
pub(crate) struct Timeline(Vec<(f64, EventView)>);

impl Timeline {
    /// Adds one source. An event without a time stays after the preceding one.
    pub(crate) fn add(&mut self, source: impl IntoIterator<Item = EventView>) {
        let mut last = f64::MIN;
        for event in source {
            last = event.time.as_ref().and_then(|time| time.ms).unwrap_or(last);
            self.0.push((last, event));
        }
    }

    /// The newest [`MOST_EVENTS`], oldest first, and their total number.
    pub(crate) fn finish(mut self) -> (Vec<EventView>, u32) {
        self.0.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        let total = self.0.len();
        let newest = self.0.into_iter().skip(total.saturating_sub(MOST_EVENTS));
        (newest.map(|(_, event)| event).collect(), u32::try_from(total).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::TimeView;

    fn event(text: &str, time: Option<&str>) -> EventView {
        let time = time.map(|time| TimeView::read(time, false));
        EventView { text: text.to_owned(), time, ..EventView::default() }
    }

    #[test]
    fn sources_are_merged_by_time_and_what_has_none_keeps_its_place() {
        let mut timeline = Timeline::default();
        timeline.add([event("a", None), event("c", Some("2026-01-02")), event("d", Some("soon"))]);
        timeline.add([event("b", Some("2026-01-01")), event("e", Some("2026-01-03"))]);
        let (events, total) = timeline.finish();
        let texts: Vec<_> = events.iter().map(|event| event.text.as_str()).collect();
        assert_eq!((texts, total), (vec!["a", "b", "c", "d", "e"], 5));
    }

    #[test]
    fn the_newest_are_kept() {
        let mut timeline = Timeline::default();
        timeline.add((0..MOST_EVENTS + 3).map(|n| event(&n.to_string(), Some("2026-01-01"))));
        let (events, total) = timeline.finish();
        assert_eq!((events.len(), total as usize), (MOST_EVENTS, MOST_EVENTS + 3));
        assert_eq!(events[0].text, "3");
    }
}
