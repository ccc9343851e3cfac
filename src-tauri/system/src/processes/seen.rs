//! The types for processes and signals, on every platform.

use serde::{Deserialize, Serialize};

/// One process, unique until the machine restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// When it began, on a clock of the system: ticks since the start of the machine on Linux, steps of 100 nanoseconds on Windows.
    pub start: u64,
}

/// A snapshot of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Which.
    pub id: ProcessId,
    /// Pid of its parent.
    pub parent: u32,
    /// Its process group; 0 where there are none.
    pub group: u32,
    /// Its session; 0 where there are none.
    pub session: u32,
    /// Its short name, as `ps` shows it.
    pub name: String,
    /// Whether it has ended and is only waiting to be reaped.
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
    /// The process is gone, though its pid may be in use.
    Gone,
    /// The process exists, but we may not signal it.
    NotAllowed,
}

/// Signals that can be sent. On Windows no single process can be asked: both of the last two end it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}
