//! How often versions that other programs write are kept.

use crate::observe::catalog::LoopId;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Foreign versions of one loop are kept this far apart; the last of a burst always is.
const BETWEEN_KEPT: Duration = Duration::from_secs(1);

/// Which foreign versions were kept when, and which are to be read again.
#[derive(Debug, Default)]
pub(crate) struct Keeping {
    kept: HashMap<LoopId, (Instant, Fingerprint)>,
    later: HashMap<LoopId, Instant>,
}

impl Keeping {
    /// When something is to be kept that came too soon after the one before.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.later.values().min().copied()
    }

    /// Whether `stamp` is to be kept now; one that comes too soon is remembered for later.
    pub(crate) fn is_due(&mut self, key: &LoopId, stamp: Fingerprint, now: Instant) -> bool {
        match self.kept.get(key) {
            Some((_, known)) if *known == stamp => false,
            Some((at, _)) if now < *at + BETWEEN_KEPT => {
                self.later.insert(key.clone(), *at + BETWEEN_KEPT);
                false
            }
            _ => {
                self.later.remove(key);
                self.kept.insert(key.clone(), (now, stamp));
                true
            }
        }
    }

    /// Loops with a version that came too soon and whose time has come by now.
    pub(crate) fn take_due(&mut self, now: Instant) -> Vec<LoopId> {
        self.later.extract_if(|_, at| *at <= now).map(|(key, _)| key).collect()
    }
}
