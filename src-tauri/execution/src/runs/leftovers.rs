//! Runs whose guardian is gone: what is left of them, and ending it.
//!
//! Three nets: the processes written down when they were last seen, those whose environment carries the run's id, and
//! whatever descends from these now.

use super::record::{RunDir, RunRecord};
use super::report::{Ended, LeftProcess, Leftovers, StopReport};
use loopdeck_system::processes::{CannotTell, Process, ProcessId, SignalKind, Snapshot, boot_id, signal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How often processes are checked that were told to end.
const LOOK: Duration = Duration::from_millis(50);
const TREE: &str = "tree.json";

/// What is left of the run in `run_dir`, whose guardian is gone.
#[must_use]
pub fn leftovers(run_dir: &Path, record: &RunRecord) -> Leftovers {
    match find(run_dir, record) {
        Ok(found) => Leftovers::Processes(found.iter().map(left_process).collect()),
        Err(cannot) => Leftovers::Unknown { why: cannot.0 },
    }
}

/// Ends what is left of a run whose guardian is gone: SIGTERM, after the plan's patience SIGKILL, in three rounds.
/// Takes as long as that takes. The result is in the record afterwards. A guardian that lives is not interfered with.
#[must_use]
pub fn end_leftovers(run_dir: &Path) -> StopReport {
    let unknown = |why: &dyn std::fmt::Display| StopReport::Unknown { why: why.to_string() };
    let _lock = match RunDir(run_dir.to_owned()).lock_as_owner() {
        Ok(Some(lock)) => lock,
        Ok(None) => return unknown(&"its guardian lives, or another Loopdeck is ending it"),
        Err(error) => return unknown(&error),
    };
    let mut record = match RunRecord::read(run_dir) {
        Ok(record) => record,
        Err(error) => return unknown(&error),
    };
    let report = end(run_dir, &record).unwrap_or_else(|cannot| unknown(&cannot));
    record.ended =
        Some(Ended { at: loopdeck_system::clock::now(), report: report.clone(), by_guardian: false });
    match record.write(run_dir) {
        Ok(()) => report,
        Err(error) => unknown(&error),
    }
}

fn end(run_dir: &Path, record: &RunRecord) -> Result<StopReport, CannotTell> {
    let pace = &record.plan.pace;
    let mut ending = LeftOverEnding::default();
    let mut there = ending.check_processes(run_dir, record)?;
    for (kind, patience) in [
        (SignalKind::Terminate, pace.terminate_ms),
        (SignalKind::Kill, pace.kill_ms),
        (SignalKind::Kill, pace.kill_ms),
        (SignalKind::Kill, pace.kill_ms),
    ] {
        let until = Instant::now() + Duration::from_millis(patience);
        let mut told = BTreeSet::new();
        while !there.is_empty() && Instant::now() < until {
            for process in &there {
                if told.insert(process.id) {
                    signal(process.id, kind)?; // one that is not ours to signal is left, and reported
                }
            }
            thread::sleep(LOOK);
            there = ending.check_processes(run_dir, record)?;
        }
    }
    if there.is_empty() {
        let ended = u32::try_from(ending.seen.len()).unwrap_or(u32::MAX);
        return Ok(StopReport::AllGone { ended });
    }
    let ended = u32::try_from(ending.seen.len().saturating_sub(there.len())).unwrap_or(u32::MAX);
    Ok(StopReport::Left { ended, processes: there.iter().map(left_process).collect() })
}

#[derive(Default)]
struct LeftOverEnding {
    /// Everything seen since the ending began: what it forks is followed even when it loses its parent.
    seen: BTreeMap<ProcessId, String>,
}

impl LeftOverEnding {
    fn check_processes(&mut self, run_dir: &Path, record: &RunRecord) -> Result<Vec<Process>, CannotTell> {
        let mut known = recorded_processes(run_dir, record);
        known.extend(self.seen.keys().copied());
        let there = family(&known, record)?;
        self.seen.extend(there.iter().map(|process| (process.id, process.name.clone())));
        Ok(there)
    }
}

fn find(run_dir: &Path, record: &RunRecord) -> Result<Vec<Process>, CannotTell> {
    family(&recorded_processes(run_dir, record), record)
}

/// The living among `known`, those with the marker, and all that descend from either.
fn family(known: &[ProcessId], record: &RunRecord) -> Result<Vec<Process>, CannotTell> {
    if boot_id()? != record.boot_id {
        return Ok(Vec::new()); // the machine was started again: nothing can be left
    }
    let snapshot = Snapshot::take()?;
    let me = std::process::id();
    let mut roots: Vec<&Process> = known.iter().filter_map(|id| snapshot.get(*id)).collect();
    roots.extend(snapshot.marked(&record.plan.id));
    let pids: Vec<u32> = roots.iter().map(|process| process.id.pid).collect();
    let mut found: BTreeMap<ProcessId, &Process> = BTreeMap::new();
    for process in roots.into_iter().chain(snapshot.below(&pids)) {
        // A Loopdeck that was started from inside the run does not end itself.
        if !process.zombie && process.id.pid != me {
            found.insert(process.id, process);
        }
    }
    Ok(found.into_values().cloned().collect())
}

fn recorded_processes(run_dir: &Path, record: &RunRecord) -> Vec<ProcessId> {
    let tree = std::fs::read(run_dir.join(TREE)).and_then(|tree| Ok(serde_json::from_slice(&tree)?));
    let mut known: Vec<ProcessId> = tree.unwrap_or_else(|error| {
        // A run that was killed at once has none. Without it, those with the mark of the run are found, and what is below them.
        if error.kind() != std::io::ErrorKind::NotFound {
            tracing::warn!(run = %record.plan.id, %error, "which processes a run had is not known");
        }
        Vec::new()
    });
    known.extend(record.child);
    known
}

/// Writes down which processes a run has, for the case that its guardian dies.
pub(crate) fn write_tree(run_dir: &Path, processes: &BTreeSet<ProcessId>) -> std::io::Result<()> {
    super::record::replace(run_dir, TREE, &serde_json::to_vec(processes)?)
}

fn left_process(process: &Process) -> LeftProcess {
    LeftProcess { pid: process.id.pid, name: process.name.clone() }
}
