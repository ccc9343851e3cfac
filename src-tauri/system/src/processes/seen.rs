//! What is said of processes and signals, on every platform.

use serde::{Deserialize, Serialize};

/// Which process, for as long as the machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// Clock ticks between the start of the machine and its own.
    pub start: u64,
}

/// A process as it was when looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Which.
    pub id: ProcessId,
    /// Pid of its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// Its short name, as `ps` shows it.
    pub name: String,
    /// Whether it has ended and only waits to be reaped.
    pub zombie: bool,
}

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotTell(pub String);

/// What became of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It was sent.
    Sent,
    /// That process is gone, though its pid may be in use.
    Gone,
    /// The process is there and not ours to signal.
    NotAllowed,
}

/// Signals that are sent here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}
