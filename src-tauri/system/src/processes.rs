//! The current processes. A process is its pid *and* its start time, because pids are reused.
//!
//! Where the platform does not provide this, the answer is [`CannotTell`], never an empty list.

pub(crate) mod seen;

pub use seen::{CannotTell, Process, ProcessId, Sent, SignalKind};

use crate::clock;
use crate::platform::processes as platform;
use loopdeck_core::times::{TimeDelta, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// The variable that marks every process of a run with the run's id.
pub const RUN_ID_VARIABLE: &str = "LOOPDECK_RUN_ID";

/// The time of a file and that of a process come from different clocks.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::seconds(2);

/// All visible processes.
#[derive(Clone, Debug, Default)]
pub struct Snapshot(BTreeMap<u32, Process>);

impl Snapshot {
    /// Reads all processes.
    ///
    /// # Errors
    /// When the platform does not provide this.
    pub fn take() -> Result<Self, CannotTell> {
        Ok(platform::all()?.into_iter().collect())
    }

    /// The process with exactly this start time, zombies included.
    #[must_use]
    pub fn get(&self, id: ProcessId) -> Option<&Process> {
        self.0.get(&id.pid).filter(|process| process.id == id)
    }

    /// Those of these pids that run.
    #[must_use]
    pub fn among(&self, pids: &[u32]) -> Vec<&Process> {
        pids.iter().filter_map(|pid| self.0.get(pid)).collect()
    }

    /// All descendants of these pids by their parent links, excluding the pids themselves.
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

    /// Processes whose environment marks them as part of this run. A process may have cleared its
    /// environment, and those of other users are unreadable, so this is one of several nets.
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

/// Reads one process.
///
/// # Errors
/// When the platform does not provide this.
pub fn find_process(pid: u32) -> Result<Option<Process>, CannotTell> {
    platform::one(pid)
}

/// Whether exactly this process is running; a zombie is not.
///
/// # Errors
/// When the platform does not provide this.
pub fn is_alive(id: ProcessId) -> Result<bool, CannotTell> {
    Ok(find_process(id.pid)?.is_some_and(|process| process.id == id && !process.zombie))
}

/// Whether the process with this number is running and had begun by `at`: one that began later only has the number of another.
///
/// # Errors
/// When the platform does not provide this.
pub fn was_there(pid: u32, at: Timestamp) -> Result<bool, CannotTell> {
    let Some(process) = find_process(pid)?.filter(|process| !process.zombie) else { return Ok(false) };
    let age = platform::age(process.id)?;
    let began = clock::now() - TimeDelta::from_std(age).unwrap_or(TimeDelta::zero());
    Ok(began <= at + CLOCKS_DIFFER)
}

/// Signals exactly this process, never another one with its pid.
///
/// # Errors
/// When it is unknown whether the pid still means that process; nothing was sent.
pub fn signal(id: ProcessId, kind: SignalKind) -> Result<Sent, CannotTell> {
    platform::signal(id, kind)
}

/// Identifies this boot of the machine.
///
/// # Errors
/// When the platform does not provide this.
pub fn boot_id() -> Result<String, CannotTell> {
    platform::boot_id()
}
