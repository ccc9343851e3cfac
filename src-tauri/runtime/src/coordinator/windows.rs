//! Telling the windows that there is something newer: at once while changes are few, and at most ten times a second while they
//! are many.

use super::Shared;
use crate::coordinator::owner::Subscriber;
use crate::observe::catalog::Catalog;
use crate::views::Tick;
use std::time::Duration;
use tokio::time::Instant;

/// Between two ticks while changes are many.
const BETWEEN: Duration = Duration::from_millis(100);
/// So many changes a second are many.
const MANY: f64 = 20.0;
/// How long changes are counted before they are found to be few again.
const COUNTED: Duration = Duration::from_secs(1);

/// The windows that want to be told.
#[derive(Default)]
pub(super) struct Windows {
    subscribers: Vec<Subscriber>,
    told: Option<u32>,
    last: Option<Instant>,
    /// Something is newer, and it was too early to say so.
    waits: bool,
    pace: Pace,
}

/// How fast changes come.
#[derive(Default)]
struct Pace {
    /// From when on, and from which revision, changes are counted.
    counted: Option<(Instant, u32)>,
    /// They were many when they were counted last.
    were_many: bool,
}

impl Pace {
    /// Whether the changes up to `revision` come so fast that a window should not hear of each.
    fn is_fast(&mut self, revision: u32, now: Instant) -> bool {
        let (since, from) = *self.counted.get_or_insert((now, revision));
        let changes = f64::from(revision.saturating_sub(from));
        let time = now - since;
        if time >= COUNTED {
            self.were_many = changes >= MANY * time.as_secs_f64();
            self.counted = Some((now, revision));
            return self.were_many;
        }
        self.were_many || changes >= MANY
    }
}

impl Windows {
    /// A new window gets a tick at once.
    pub(super) fn add(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
        self.told = None;
    }

    /// When a change that came too early may be told.
    pub(super) fn due(&self) -> Option<Instant> {
        self.last.filter(|_| self.waits).map(|last| last + BETWEEN)
    }

    /// Tells of what is newer, unless it is too early.
    pub(super) fn tell_all(&mut self, shared: &Shared) {
        let revision = shared.read(Catalog::revision);
        self.waits = self.told != Some(revision);
        let now = Instant::now();
        let is_fast = self.pace.is_fast(revision, now);
        if !self.waits || is_fast && self.last.is_some_and(|last| now - last < BETWEEN) {
            return;
        }
        self.subscribers.retain(|subscriber| subscriber(Tick { revision }));
        (self.told, self.last, self.waits) = (Some(revision), Some(now), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_are_told_at_once_and_many_are_not_until_they_are_few_again() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let at = |millis: u64| start + Duration::from_millis(millis);
        assert!(!pace.is_fast(7, at(0)));
        assert!(!pace.is_fast(8, at(1)), "the second one comes right after the first");
        assert!(!pace.is_fast(26, at(900)), "nineteen in a second");
        assert!(pace.is_fast(27, at(901)), "twenty");
        assert!(pace.is_fast(27, at(1_000)), "twenty in the second that ends");
        assert!(pace.is_fast(28, at(1_500)), "a moment later they still are");
        assert!(!pace.is_fast(29, at(2_100)), "two in a second");
        assert!(!pace.is_fast(30, at(60_000)));
        assert!(!pace.is_fast(60, at(90_000)), "thirty in half a minute");
    }
}
