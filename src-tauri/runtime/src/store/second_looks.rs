//! Files that do not parse are read again before they are called damaged: a writer may be in the middle of a write.

use crate::observe::catalog::LoopId;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How often such a file is read again.
const SECOND_LOOKS: u32 = 3;
/// The time between two looks.
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(330);

struct SecondLook {
    at: Instant,
    tries: u32,
}

/// Which files are read again, and when.
#[derive(Default)]
pub(crate) struct SecondLooks(HashMap<LoopId, SecondLook>);

impl SecondLooks {
    /// Plans another read of a file that does not parse. False after enough of them.
    pub(crate) fn plan(&mut self, key: &LoopId) -> bool {
        let tries = self.0.get(key).map_or(0, |look| look.tries);
        if tries >= SECOND_LOOKS {
            self.forget(key);
            return false;
        }
        let at = Instant::now() + SECOND_LOOK_AFTER;
        self.0.insert(key.clone(), SecondLook { at, tries: tries + 1 });
        true
    }

    /// The file is settled, or gone.
    pub(crate) fn forget(&mut self, key: &LoopId) {
        self.0.remove(key);
    }

    /// Files whose time has come.
    pub(crate) fn due(&self, now: Instant) -> Vec<LoopId> {
        self.0.iter().filter(|(_, look)| look.at <= now).map(|(key, _)| key.clone()).collect()
    }

    /// When the next look is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.0.values().map(|look| look.at).min()
    }
}
