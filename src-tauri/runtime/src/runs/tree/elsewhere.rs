//! Platforms whose processes are not looked at yet: nothing is claimed about them.

use super::{CannotTell, Kind, Process, ProcessId, Sent};

fn unknown() -> CannotTell {
    CannotTell("processes cannot be looked at on this platform".to_owned())
}

pub(super) fn all() -> Result<Vec<Process>, CannotTell> {
    Err(unknown())
}

pub(super) fn one(_pid: u32) -> Result<Option<Process>, CannotTell> {
    Err(unknown())
}

pub(super) fn has_variable(_pid: u32, _variable: &[u8]) -> bool {
    false
}

pub(super) fn signal(_id: ProcessId, _kind: Kind) -> Result<Sent, CannotTell> {
    Err(unknown())
}

pub(super) fn boot_id() -> Result<String, CannotTell> {
    Err(unknown())
}
