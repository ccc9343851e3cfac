//! The graph of the large loop that is open: which of its units changed, and when. The page of 5,000 atoms takes too long to
//! be read with every change; a few changed units do not.

use crate::loop_reader::LocatedLoop;
use crate::per_workspace::PerWorkspace;
use crate::views::{LoopPage, WorkLater, WorkPart};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::phase::Phase;
use loopdeck_core::view::{AtomState, AtomView, WorkChange};
use loopdeck_core::work_change::WorkVersion;
use loopdeck_system::fingerprint::Fingerprint;
use std::thread;

/// Graphs with so many units are followed; smaller ones are read as a whole.
const LARGE: u32 = 1_000;
/// With more changed units than this, the whole is read.
const MOST: usize = 500;

/// The large graph that was last read in each workspace.
#[derive(Debug, Default)]
pub(crate) struct LastWork(PerWorkspace<Revisions>);

#[derive(Debug, Default)]
struct Revisions {
    /// Rises with every version that tells something else, never falls.
    now: u32,
    kept: Option<KeptWork>,
}

#[derive(Debug)]
struct KeptWork {
    key: LoopId,
    stamp: Fingerprint,
    version: WorkVersion,
    /// A window with an earlier revision has another graph.
    whole: u32,
    /// Of each unit, the revision that changed it last.
    changed: Vec<u32>,
}

impl LastWork {
    /// The revision of the graph as it is now; nothing for a loop that is not followed.
    pub(crate) fn revision(&self, found: &LocatedLoop) -> Option<u32> {
        is_large(found).then(|| self.with_known(found, |now, _| now)).flatten()
    }

    /// What changed after `since`; nothing when the whole is to be read.
    pub(crate) fn changes(&self, found: &LocatedLoop, since: u32) -> Option<WorkChange> {
        self.with_known(found, |now, kept| kept.changes(since, now)).flatten()
    }

    /// The page of a large loop without its graph, which is kept for [`LastWork::part`]; every other page as it is. `stamp` is of
    /// the file that the page was read from.
    pub(crate) fn outline(
        &self,
        found: &LocatedLoop,
        mut page: LoopPage,
        stamp: Option<Fingerprint>,
    ) -> LoopPage {
        let Some(stamp) = stamp.filter(|_| is_large(found)) else { return page };
        let later = work_later(&page.detail.atoms);
        let Some(version) = WorkVersion::take(&mut page.detail) else { return page };
        let memory = self.0.memory(&found.entry.workspace);
        let mut revisions = memory.lock();
        let unused = revisions.take_in(found.entry.key(), stamp, version);
        let page = LoopPage { work_revision: Some(revisions.now), work_later: Some(later), ..page };
        drop(revisions);
        if unused.is_some() {
            // Freeing thousands of atoms takes half a frame, and the page waits for this answer.
            drop(thread::Builder::new().name("freeing".into()).spawn(move || drop(unused)));
        }
        page
    }

    /// The graph as of `revision`; nothing when another was read since.
    pub(crate) fn part(&self, found: &LocatedLoop, revision: u32) -> Option<WorkPart> {
        let memory = self.0.memory(&found.entry.workspace);
        let revisions = memory.lock();
        let kept = revisions.kept.as_ref().filter(|kept| kept.key == found.entry.key())?;
        let there = revisions.now == revision;
        there.then(|| WorkPart { atoms: kept.version.atoms().to_vec(), units: kept.version.units().to_vec() })
    }

    fn with_known<T>(&self, found: &LocatedLoop, tell: impl FnOnce(u32, &KeptWork) -> T) -> Option<T> {
        let memory = self.0.memory(&found.entry.workspace);
        let mut revisions = memory.lock();
        let key = found.entry.key();
        let there = Fingerprint::at(&found.path()).ok()?;
        if !revisions.knows(&key, there) {
            let (bytes, stamp) = found.read().ok()?;
            let version = WorkVersion::read(found.entry.summary.format, &bytes)?;
            revisions.take_in(key, stamp, version);
        }
        revisions.kept.as_ref().map(|kept| tell(revisions.now, kept))
    }
}

impl Revisions {
    fn knows(&self, key: &LoopId, stamp: Fingerprint) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.key == *key && kept.stamp == stamp)
    }

    /// Keeps `version` unless it is kept already. Returns the one that nobody needs now: this one, or the last one.
    fn take_in(&mut self, key: LoopId, stamp: Fingerprint, version: WorkVersion) -> Option<WorkVersion> {
        if self.knows(&key, stamp) {
            return Some(version);
        }
        self.now += 1;
        let mut last = self.kept.take();
        let before = last.as_mut().filter(|kept| kept.key == key);
        let differs = before.as_ref().and_then(|kept| version.changed_since(&kept.version));
        let (whole, mut changed) = match (before, &differs) {
            (Some(kept), Some(_)) => (kept.whole, std::mem::take(&mut kept.changed)),
            _ => (self.now, vec![self.now; version.len()]),
        };
        for place in differs.into_iter().flatten() {
            changed[place] = self.now;
        }
        self.kept = Some(KeptWork { key, stamp, version, whole, changed });
        last.map(|kept| kept.version)
    }
}

impl KeptWork {
    fn changes(&self, since: u32, now: u32) -> Option<WorkChange> {
        let newer = self.changed.iter().enumerate().filter(|(_, at)| **at > since);
        let places: Vec<usize> = newer.map(|(place, _)| place).collect();
        if since < self.whole || since > now || places.len() > MOST {
            return None;
        }
        Some(WorkChange {
            revision: now,
            units: places.into_iter().filter_map(|place| self.version.unit(place)).collect(),
            totals: self.version.totals(),
            batch: self.version.batch().to_vec(),
        })
    }
}

fn work_later(atoms: &[AtomView]) -> WorkLater {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let in_progress = atoms.iter().filter(|atom| atom.state == AtomState::InProgress);
    WorkLater {
        atoms: count(atoms.len()),
        results: count(atoms.iter().filter(|atom| atom.has_result).count()),
        in_progress: in_progress.map(|atom| atom.id.clone()).collect(),
    }
}

fn is_large(found: &LocatedLoop) -> bool {
    matches!(found.entry.summary.phase, Some(Phase::Atoms { total, .. }) if total >= LARGE)
}
