//! Reads many loops in parallel: the first scan of a workspace, and the sweep that finds what the watcher missed.

use crate::cores::CORES;
use crate::files::Canonical as _;
use crate::observe::companions;
use crate::observe::roots::Candidate;
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_system::files;
use loopdeck_system::files::ReadFault;
use loopdeck_system::fingerprint::Fingerprint;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

/// So many files are read before what they say is taken in.
const BATCH: usize = 64;

/// The result of reading one candidate.
#[derive(Debug)]
pub struct Look {
    /// Which file.
    pub candidate: Candidate,
    /// Which version was seen.
    pub stamp: Option<Fingerprint>,
    /// What it says; `None` when the file is no loop.
    pub summary: Option<Summary>,
    /// Folders that its row is read from too, below the workspace; none for most formats.
    pub read_from: BTreeSet<String>,
    /// The file changed while it was read, or does not parse: look again before calling it damaged.
    pub unsettled: bool,
}

/// Reads one candidate. `None` when the file is gone.
#[must_use]
pub fn read_candidate(
    workspace: &Path,
    candidate: Candidate,
    now: Timestamp,
    buffer: &mut Vec<u8>,
) -> Option<Look> {
    let path = workspace.join(candidate.on_disk());
    match files::read_in_known_folder(workspace, &path, buffer) {
        Ok(stamp) => Some(read_look(workspace, candidate, stamp, buffer, now)),
        Err(fault) if fault.is_gone() => None,
        Err(fault) => Some(faulty_look(candidate, &fault)),
    }
}

fn read_look(
    workspace: &Path,
    candidate: Candidate,
    stamp: Fingerprint,
    bytes: &[u8],
    now: Timestamp,
) -> Look {
    let facts = FileFacts { stem: candidate.stem(), modified: stamp.modified(), now };
    let (beside, read_from) = companions::of_row(workspace, &candidate, bytes);
    let summary = loops::summary_with(candidate.place, bytes, &facts, &beside);
    let unsettled = summary
        .as_ref()
        .is_some_and(|summary| summary.status == loopdeck_core::status::FileStatus::Unreadable);
    Look { candidate, stamp: Some(stamp), summary, read_from, unsettled }
}

fn faulty_look(candidate: Candidate, fault: &ReadFault) -> Look {
    let unsettled = fault.code == ProblemCode::F5_being_written;
    // It is reported only if it is still so at the second look.
    let code = if fault.is_empty() { ProblemCode::F5_empty } else { fault.code };
    let summary = loops::unreadable(candidate.place, candidate.stem(), code, &fault.args);
    // Only a file with the name of a loop is missed when it cannot be read.
    let listed = candidate.place != loops::Place::CcwFile || candidate.stem().starts_with("loop-");
    let read_from = BTreeSet::new();
    Look { stamp: fault.stamp, summary: listed.then_some(summary), read_from, unsettled, candidate }
}

/// Reads `candidates` of a workspace with one thread per core, and hands what was seen to `take` while the rest is still being
/// read. Those in folders that lead out of the workspace are replaced by their problem.
pub fn look_at_workspace(
    workspace: &Path,
    candidates: Vec<Candidate>,
    now: Timestamp,
    mut take: impl FnMut(Vec<Look>),
) {
    let (inside, outside): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(FolderCheck::new(workspace).into_predicate());
    take(outside.into_iter().map(|candidate| outside_look(workspace, candidate)).collect());
    let read = |batch: Vec<Candidate>, buffer: &mut Vec<u8>| -> Vec<Look> {
        batch.into_iter().filter_map(|candidate| read_candidate(workspace, candidate, now, buffer)).collect()
    };
    if inside.len() <= BATCH {
        return take(read(inside, &mut Vec::new()));
    }
    let threads = CORES.min(8);
    let waiting = &Mutex::new(inside.into_iter());
    let (tell, told) = sync_channel(threads * 4);
    let work = |tell: &SyncSender<Vec<Look>>| {
        let mut buffer = Vec::new();
        loop {
            let batch: Vec<Candidate> = waiting.lock().by_ref().take(BATCH).collect();
            if batch.is_empty() || tell.send(read(batch, &mut buffer)).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        let start = |tell: SyncSender<Vec<Look>>| scope.spawn(move || work(&tell));
        let workers: Vec<_> = std::iter::repeat_n(tell, threads).map(start).collect();
        told.into_iter().for_each(&mut take);
        workers.into_iter().for_each(|worker| drop(worker.join())); // what one could not read is found by the next sweep
    });
}

/// A file in a folder that leads out of the workspace: listed, never read.
#[must_use]
pub fn outside_look(workspace: &Path, candidate: Candidate) -> Look {
    let target = workspace.join(candidate.on_disk()).canonical().unwrap_or_default();
    let code = ProblemCode::F3_outside_workspace;
    let args = [("target", target.display().to_string())];
    let summary = loops::unreadable(candidate.place, candidate.stem(), code, &args);
    Look { stamp: None, summary: Some(summary), read_from: BTreeSet::new(), unsettled: false, candidate }
}

/// Remembers for each folder whether it is in the workspace, so that 10,000 files cost one check.
struct FolderCheck<'a> {
    workspace: &'a Path,
    known: std::collections::HashMap<String, bool>,
}

impl<'a> FolderCheck<'a> {
    fn new(workspace: &'a Path) -> Self {
        Self { workspace, known: std::collections::HashMap::new() }
    }

    fn into_predicate(mut self) -> impl FnMut(&Candidate) -> bool {
        move |candidate| {
            let folder = candidate.file.rsplit_once('/').map_or("", |(folder, _)| folder);
            if let Some(inside) = self.known.get(folder) {
                return *inside;
            }
            let inside = files::lies_within(self.workspace, &self.workspace.join(folder));
            self.known.insert(folder.to_owned(), inside);
            inside
        }
    }
}
