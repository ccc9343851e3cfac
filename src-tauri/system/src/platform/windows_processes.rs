//! Windows: a process is known by its number and the moment it began. Nobody sees the environment of another process; guardians have their
//! jobs instead.

use crate::processes::seen::{CannotTell, Process, ProcessId, Sent, SignalKind};
use loopdeck_windows::machine;
use loopdeck_windows::processes::{self as windows, Order};
use std::io;
use std::time::Duration;

pub(crate) fn all() -> Result<Vec<Process>, CannotTell> {
    let found = windows::all().map_err(|error| cannot(&error))?;
    Ok(found.into_iter().map(process).collect())
}

pub(crate) fn one(pid: u32) -> Result<Option<Process>, CannotTell> {
    Ok(windows::one(pid).map_err(|error| cannot(&error))?.map(process))
}

/// How long a process has existed, time asleep included.
#[expect(clippy::unnecessary_wraps, reason = "the other platforms' can fail")]
pub(crate) fn age(id: ProcessId) -> Result<Duration, CannotTell> {
    Ok(Duration::from_nanos(windows::now().saturating_sub(id.start).saturating_mul(100)))
}

pub(crate) fn has_variable(_pid: u32, _variable: &[u8]) -> bool {
    false
}

/// No single process can be asked to end: whoever is to end ends at once, and an interrupt is not sent.
pub(crate) fn signal(id: ProcessId, kind: SignalKind) -> Result<Sent, CannotTell> {
    if kind == SignalKind::Interrupt {
        return Ok(Sent::NotAllowed);
    }
    match windows::end(id.pid, id.start).map_err(|error| cannot(&error))? {
        Order::Ends => Ok(Sent::Sent),
        Order::Gone => Ok(Sent::Gone),
        Order::NotAllowed => Ok(Sent::NotAllowed),
    }
}

/// The session of the person: none of its processes outlives it, and a machine that is started again begins another.
pub(crate) fn boot_id() -> Result<String, CannotTell> {
    Ok(machine::session().map_err(|error| cannot(&error))?.to_string())
}

fn process(seen: windows::Process) -> Process {
    Process {
        id: ProcessId { pid: seen.pid, start: seen.start },
        parent: seen.parent,
        group: 0,
        session: 0,
        name: seen.name,
        zombie: false,
    }
}

fn cannot(error: &io::Error) -> CannotTell {
    CannotTell(format!("processes cannot be looked at: {error}"))
}
