//! Platforms whose processes are not supported yet: nothing is claimed about them.

use crate::processes::seen::{CannotTell, Process, ProcessId, Sent, SignalKind};

fn unknown() -> CannotTell {
    CannotTell("processes cannot be looked at on this platform".to_owned())
}

pub(crate) fn all() -> Result<Vec<Process>, CannotTell> {
    Err(unknown())
}

pub(crate) fn one(_pid: u32) -> Result<Option<Process>, CannotTell> {
    Err(unknown())
}

pub(crate) fn age(_id: ProcessId) -> Result<std::time::Duration, CannotTell> {
    Err(unknown())
}

pub(crate) fn has_variable(_pid: u32, _variable: &[u8]) -> bool {
    false
}

pub(crate) fn signal(_id: ProcessId, _kind: SignalKind) -> Result<Sent, CannotTell> {
    Err(unknown())
}

pub(crate) fn boot_id() -> Result<String, CannotTell> {
    Err(unknown())
}
