//! Whether a worker is heard of: it says when it begins something, and with each file that it has done with.

use loopdeck_core::times::Millis;
use loopdeck_system::clock;
use std::sync::atomic::{AtomicI64, Ordering};

/// A folder that is not heard of for so long, in milliseconds, does not answer.
const SILENT_AFTER: i64 = 5_000;
const IDLE: i64 = 0;
const ENDED: i64 = -1;

/// When the work in progress was heard of last.
#[derive(Debug, Default)]
pub(crate) struct Pulse(AtomicI64);

impl Pulse {
    /// Something begins, or goes on.
    pub(crate) fn beat(&self) {
        self.0.store(clock::now(), Ordering::Relaxed);
    }

    /// Nothing is in progress.
    pub(crate) fn rest(&self) {
        self.0.store(IDLE, Ordering::Relaxed);
    }

    /// The worker has ended.
    pub(crate) fn end(&self) {
        self.0.store(ENDED, Ordering::Relaxed);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.load(Ordering::Relaxed) == ENDED
    }

    /// Since when it is not heard of, when that is too long.
    pub(crate) fn silent_since(&self, now: Millis) -> Option<Millis> {
        self.was_silent_for(now, SILENT_AFTER).then(|| self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn was_silent_for(&self, now: Millis, long: i64) -> bool {
        let heard = self.0.load(Ordering::Relaxed);
        heard != IDLE && heard != ENDED && now - heard >= long
    }
}
