//! Waiting for what comes without a notification.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Checks repeatedly until `holds`; for events without a notification.
pub fn eventually<T>(what: &str, mut holds: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = holds() {
            return found;
        }
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
