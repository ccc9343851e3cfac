//! Tells whether the folder of a workspace answers. A worker reports each thing it begins. A silent worker may only be busy, so
//! its folder is checked separately before the folder is called hung.

use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::clock;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

/// Silence of a worker after which its folder is checked.
const ASK_AFTER: TimeDelta = TimeDelta::seconds(2);
/// Silence after which a folder counts as not answering.
const SILENT_AFTER: TimeDelta = TimeDelta::seconds(5);
/// Silence of a worker after which it hangs although its folders answer: something else that it reads does not.
const BUSY_FOR: TimeDelta = TimeDelta::minutes(1);
/// Where state files are. A disk can be mounted at any of them.
const STATE_FOLDERS: [&str; 5] = ["", ".workflow", ".workflow/.loop", ".loop", ".claude"];
const IDLE: i64 = 0;
const ENDED: i64 = -1;

/// When a worker or its folder was heard of last, in milliseconds since 1970 UTC.
#[derive(Debug, Default)]
pub(crate) struct WorkerHeartbeat {
    heard: AtomicI64,
    /// When the worker itself was heard of last.
    begun: AtomicI64,
    /// The folder was asked and has not answered yet.
    asked: AtomicBool,
    questions: AtomicU32,
}

impl WorkerHeartbeat {
    /// Something begins, or continues.
    pub(crate) fn beat(&self) {
        let now = clock::now();
        self.begun.store(now.millis(), Ordering::Relaxed);
        self.heard.store(now.millis(), Ordering::Relaxed);
    }

    /// Nothing is in progress.
    pub(crate) fn rest(&self) {
        self.heard.store(IDLE, Ordering::Relaxed);
    }

    /// The worker has ended.
    pub(crate) fn end(&self) {
        self.heard.store(ENDED, Ordering::Relaxed);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.heard.load(Ordering::Relaxed) == ENDED
    }

    /// Whether something is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.heard.load(Ordering::Relaxed), IDLE | ENDED)
    }

    /// Whether the folder is to be asked now: once at a time.
    pub(crate) fn wants_question(&self, now: Timestamp) -> bool {
        self.was_silent_for(now, ASK_AFTER) && !self.asked.swap(true, Ordering::Relaxed)
    }

    /// Asks the folders of loops for a name that nothing has, and so nothing remembers. Returns when it answers, which may be never.
    pub(crate) fn ask(&self, folder: &Path) {
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let name = format!(".loopdeck-{}-{number}", std::process::id());
        for state_folder in STATE_FOLDERS {
            drop(folder.join(state_folder).join(&name).symlink_metadata()); // whatever it says, it answers
        }
        self.asked.store(false, Ordering::Relaxed);
        let (heard, now) = (self.heard.load(Ordering::Relaxed), clock::now());
        if !matches!(heard, IDLE | ENDED) && now - load_time(&self.begun) < BUSY_FOR {
            // Unless the worker was heard of meanwhile.
            let _ = self.heard.compare_exchange(heard, now.millis(), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Since when it is not heard of, when that is too long.
    pub(crate) fn silent_since(&self, now: Timestamp) -> Option<Timestamp> {
        self.was_silent_for(now, SILENT_AFTER).then(|| load_time(&self.heard))
    }

    pub(crate) fn was_silent_for(&self, now: Timestamp, long: TimeDelta) -> bool {
        self.is_busy() && now - load_time(&self.heard) >= long
    }
}

fn load_time(time: &AtomicI64) -> Timestamp {
    Timestamp::from_millis(time.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_is_only_busy_is_not_silent() {
        let folder = tempfile::tempdir().unwrap();
        let heartbeat = WorkerHeartbeat::default();
        assert!(!heartbeat.is_busy() && !heartbeat.wants_question(Timestamp::MAX));
        heartbeat.beat();
        let later = clock::now() + SILENT_AFTER;
        assert!(heartbeat.silent_since(later).is_some());
        heartbeat.heard.store(1, Ordering::Relaxed); // long ago
        assert!(heartbeat.wants_question(later));
        assert!(!heartbeat.wants_question(later), "one question at a time");
        heartbeat.ask(folder.path());
        assert_eq!(heartbeat.silent_since(clock::now()), None, "its folder answered");
        heartbeat.rest();
        assert_eq!(heartbeat.silent_since(later), None);
    }
}
