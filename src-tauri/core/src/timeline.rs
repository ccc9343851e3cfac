//! The timeline: events of several sources in one order, no more of them than a window can draw, and which writing of the
//! state file is an event at all.

use crate::view::EventView;

/// So many events are shown, the newest.
pub(crate) const MOST_EVENTS: usize = 5_000;
/// Longest text of one event.
pub(crate) const EVENT_TEXT: usize = 1_000;
/// Most files of one event.
pub(crate) const EVENT_FILES: usize = 50;

/// Collects events source by source, each in its own order.
#[derive(Debug, Default)]
pub(crate) struct Timeline(Vec<(f64, EventView)>);

impl Timeline {
    /// Adds one source. An event without a time stays behind the one written before it.
    pub(crate) fn add(&mut self, source: impl IntoIterator<Item = EventView>) {
        let mut last = f64::MIN;
        for event in source {
            last = event.time.as_ref().and_then(|time| time.ms).unwrap_or(last);
            self.0.push((last, event));
        }
    }

    /// The newest [`MOST_EVENTS`], oldest first, and how many there are in all.
    pub(crate) fn finish(mut self) -> (Vec<EventView>, u32) {
        self.0.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        let total = self.0.len();
        let newest = self.0.into_iter().skip(total.saturating_sub(MOST_EVENTS));
        (newest.map(|(_, event)| event).collect(), u32::try_from(total).unwrap_or(u32::MAX))
    }
}

/// How a version of the state file came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Somebody else wrote it.
    ByOthers,
    /// Loopdeck did, because a person asked for it or the file was in need of it.
    ForItself,
    /// Loopdeck did, as a step of the work.
    AsStep {
        /// Whether all of the step is in the files.
        landed: bool,
        /// How many files beside the state file were written with it.
        beside: usize,
    },
}

/// Whether a version is an event of the timeline even when it changed nothing that is shown: a driver writes many steps,
/// and one that landed and wrote nothing else says nothing by itself.
#[must_use]
pub fn is_notable(written: Written) -> bool {
    match written {
        Written::ByOthers => false,
        Written::ForItself => true,
        Written::AsStep { landed, beside } => !landed || beside > 0,
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

    #[test]
    fn a_step_that_only_landed_is_no_event_by_itself() {
        let step = |landed, beside| Written::AsStep { landed, beside };
        for (written, notable) in [
            (Written::ByOthers, false),
            (Written::ForItself, true),
            (step(true, 0), false),
            (step(true, 1), true),
            (step(false, 0), true),
            (step(false, 2), true),
        ] {
            assert_eq!(is_notable(written), notable, "{written:?}");
        }
    }
}
