//! Telling the windows that there is something newer: the first change at once, then at most ten times a second.

use super::Shared;
use crate::coordinator::owner::Subscriber;
use crate::observe::catalog::Catalog;
use crate::views::Tick;
use std::time::Duration;
use tokio::time::Instant;

const BETWEEN: Duration = Duration::from_millis(100);

/// The windows that want to be told.
#[derive(Default)]
pub(super) struct Windows {
    subscribers: Vec<Subscriber>,
    told: Option<u32>,
    last: Option<Instant>,
    /// Something is newer, and it was too early to say so.
    waits: bool,
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
        if !self.waits || self.last.is_some_and(|last| last.elapsed() < BETWEEN) {
            return;
        }
        self.subscribers.retain(|subscriber| subscriber(Tick { revision }));
        (self.told, self.last, self.waits) = (Some(revision), Some(Instant::now()), false);
    }
}
