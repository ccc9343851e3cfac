//! After a control verb was written: does it last? Other programs read, change and write whole files without a lock.

use std::thread;
use std::time::{Duration, Instant};

use loopdeck_core::control::{Standing, Verb};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{Failure, FailureKind};

/// How long the file is watched before the answer.
const WATCHED: Duration = Duration::from_millis(500);
/// How long a repeated request must last, and how long to wait for that in all.
const QUIET: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The result of a request after watching it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WatchedResult {
    /// Another program's value is in the file.
    pub(super) overwritten: bool,
    /// How often the request was repeated.
    pub(super) again: u32,
}

/// Watches what `verb` wrote to the loop `key`, and repeats it as a window would.
pub(super) fn watch(runtime: &Runtime, key: &str, verb: Verb) -> Result<WatchedResult, Failure> {
    watch_with(|| {
        let (standing, times) = runtime.look_at_request(key, verb)?;
        Ok((times, standing == Standing::Undone))
    })
}

/// The same for a redirect or hold.
pub(super) fn watch_redirect(runtime: &Runtime, key: &str) -> Result<WatchedResult, Failure> {
    watch_with(|| runtime.look_at_redirect(key))
}

/// Checks until it has lasted; each check returns how often it was repeated, and whether it is undone. A file that another program
/// removes and writes again (`git checkout`) may be away for a moment.
fn watch_with(mut look: impl FnMut() -> Result<(u32, bool), Failure>) -> Result<WatchedResult, Failure> {
    let start = Instant::now();
    let (mut again, mut quiet_since) = (0, start);
    loop {
        let seen = look();
        let now = Instant::now();
        let (times, undone) = match seen {
            Err(failure) if failure.kind == FailureKind::UnknownLoop && now - start < LONGEST => {
                quiet_since = now;
                thread::sleep(BETWEEN_LOOKS);
                continue;
            }
            seen => seen?,
        };
        if times != again {
            (again, quiet_since) = (times, now);
        }
        let quiet = now - quiet_since >= QUIET;
        if now - start >= LONGEST || (now - start >= WATCHED && quiet) {
            return Ok(WatchedResult { overwritten: undone || !quiet, again });
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}
