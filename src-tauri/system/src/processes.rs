//! Processes as they are now. A process is its pid *and* its start time: pids are used again.
//!
//! Where the platform does not tell, the answer is [`CannotTell`], never an empty list.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as platform;
#[cfg(target_os = "linux")]
use linux as platform;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The variable that marks every process of a run with the run's id.
pub const RUN_ID_VARIABLE: &str = "LOOPDECK_RUN_ID";

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

/// All processes that can be seen.
#[derive(Clone, Debug, Default)]
pub struct Snapshot(BTreeMap<u32, Process>);

impl Snapshot {
    /// Looks at all processes.
    ///
    /// # Errors
    /// The platform does not tell.
    pub fn take() -> Result<Self, CannotTell> {
        Ok(platform::all()?.into_iter().collect())
    }

    /// The process with exactly this start time, zombies included.
    #[must_use]
    pub fn get(&self, id: ProcessId) -> Option<&Process> {
        self.0.get(&id.pid).filter(|process| process.id == id)
    }

    /// All descendants of these pids by the parent walk, themselves not included.
    #[must_use]
    pub fn below(&self, pids: &[u32]) -> Vec<&Process> {
        let mut children: BTreeMap<u32, Vec<&Process>> = BTreeMap::new();
        for process in self.0.values() {
            children.entry(process.parent).or_default().push(process);
        }
        let mut seen: BTreeSet<u32> = pids.iter().copied().collect();
        let mut open: Vec<u32> = pids.to_vec();
        let mut found = Vec::new();
        while let Some(pid) = open.pop() {
            for &child in children.get(&pid).into_iter().flatten() {
                if seen.insert(child.id.pid) {
                    found.push(child);
                    open.push(child.id.pid);
                }
            }
        }
        found
    }

    /// The processes whose environment marks them as part of this run. A process may have cleared its environment, and
    /// those of other users cannot be read: this is one net of several.
    #[must_use]
    pub fn marked(&self, run_id: &str) -> Vec<&Process> {
        let marker = format!("{}={run_id}", RUN_ID_VARIABLE);
        self.0.values().filter(|process| platform::has_variable(process.id.pid, marker.as_bytes())).collect()
    }
}

impl FromIterator<Process> for Snapshot {
    fn from_iter<T: IntoIterator<Item = Process>>(processes: T) -> Self {
        Self(processes.into_iter().map(|process| (process.id.pid, process)).collect())
    }
}

/// Looks at one process.
///
/// # Errors
/// The platform does not tell.
pub fn look(pid: u32) -> Result<Option<Process>, CannotTell> {
    platform::one(pid)
}

/// Whether this very process runs; a zombie does not.
///
/// # Errors
/// The platform does not tell.
pub fn is_alive(id: ProcessId) -> Result<bool, CannotTell> {
    Ok(look(id.pid)?.is_some_and(|process| process.id == id && !process.zombie))
}

/// Signals this very process and no other that has its pid.
///
/// # Errors
/// It cannot be told whether the pid still means that process; nothing was sent.
pub fn signal(id: ProcessId, kind: Kind) -> Result<Sent, CannotTell> {
    platform::signal(id, kind)
}

/// Which start of the machine this is.
///
/// # Errors
/// The platform does not tell.
pub fn boot_id() -> Result<String, CannotTell> {
    platform::boot_id()
}
