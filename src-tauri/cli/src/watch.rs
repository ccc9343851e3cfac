//! After a control verb was written: does it last? Other programs read, change and write whole files without a lock.

use std::thread;
use std::time::{Duration, Instant};

use loopdeck_core::control::{Standing, Verb};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::rows::Failure;

/// So long the file is looked at before the answer.
const WATCHED: Duration = Duration::from_millis(500);
/// What was sent again must last for so long; at most so long in all it is waited for.
const QUIET: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// What became of a request meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lasted {
    /// Another program has the last word.
    pub(super) overwritten: bool,
    /// How often it was written again.
    pub(super) again: u32,
}

/// Watches what `verb` wrote to the loop `key`, and writes it again as a window would.
pub(super) fn watch(runtime: &Runtime, key: &str, verb: Verb) -> Result<Lasted, Failure> {
    watch_with(|| {
        let (standing, times) = runtime.look_at_request(key, verb)?;
        Ok((times, standing == Standing::Undone))
    })
}

/// The same for a redirect or hold.
pub(super) fn watch_redirect(runtime: &Runtime, key: &str) -> Result<Lasted, Failure> {
    watch_with(|| runtime.look_at_redirect(key))
}

/// Looks until it has lasted; each look answers how often it was written again, and whether it is undone.
fn watch_with(mut look: impl FnMut() -> Result<(u32, bool), Failure>) -> Result<Lasted, Failure> {
    let start = Instant::now();
    let (mut again, mut quiet_since) = (0, start);
    loop {
        let (times, undone) = look()?;
        let now = Instant::now();
        if times != again {
            (again, quiet_since) = (times, now);
        }
        let quiet = now - quiet_since >= QUIET;
        if now - start >= LONGEST || (now - start >= WATCHED && quiet) {
            return Ok(Lasted { overwritten: undone || !quiet, again });
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}
