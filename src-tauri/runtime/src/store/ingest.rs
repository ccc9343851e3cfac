//! Looking at one state file and taking in what it says: second looks, companions, signs of life, last good names.

use crate::observe::catalog::{Catalog, Entry, LoopId, Workspace};
use crate::observe::holders;
use crate::observe::orphans;
use crate::observe::reconcile;
use crate::observe::roots::Candidate;
use crate::observe::scan::{self, Look};
use crate::store::guard::Guard;
use crate::store::workspace_store::{NEVER, WorkspaceStore};
use loopdeck_core::format::Format;
use loopdeck_core::formats::ccw::check::lost_update::lost_updates;
use loopdeck_core::loops;
use loopdeck_core::problem::{Problem, ProblemCode};
use loopdeck_core::status::{FileStatus, Holder};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, files};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Versions above this size are not compared at every change.
const COMPARED: usize = 1 << 20;

/// A loop as it was just read.
struct SeenLoop {
    workspace: Arc<str>,
    candidate: Candidate,
    stamp: Option<Fingerprint>,
    summary: Summary,
    /// False when a listing shows that nothing there is its companion.
    may_have_companions: bool,
}

impl WorkspaceStore {
    /// Reads one state file and shows what it says.
    pub(crate) fn look_at(&mut self, id: &str, root: &Path, candidate: Candidate, settled: bool) {
        let key = LoopId::new(id, &candidate.file);
        let folder = root.join(candidate.file.rsplit_once('/').map_or("", |(folder, _)| folder));
        if folder.exists() && !files::lies_within(root, &folder) {
            self.take_in(id, scan::outside_look(root, candidate), true);
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let look = scan::read_candidate(root, candidate, clock::now(), &mut buffer);
        self.buffer = buffer;
        match look {
            Some(look) => {
                self.keep_good(&key, root, &look);
                self.take_in(id, look, settled);
            }
            // With the whole workspace out of reach its loops stay on screen.
            None if root.is_dir() => self.remove(&key),
            None => {}
        }
        // One huge file must not pin its size for ever.
        self.buffer.clear();
        self.buffer.shrink_to(1 << 20);
    }

    /// Keeps the bytes just read, so that a later damage still shows what was there.
    pub(crate) fn keep_good(&mut self, key: &LoopId, root: &Path, look: &Look) {
        let good = look.summary.as_ref().is_some_and(|summary| summary.status != FileStatus::Unreadable);
        if let (true, Some(stamp)) = (good, look.stamp) {
            self.note_lost_update(key, look, stamp);
            let bytes: Arc<[u8]> = self.buffer.as_slice().into();
            self.write_catalog(|catalog| catalog.last_good.keep(key, bytes, stamp.modified()));
            self.keep_version(key, root, &look.candidate, stamp);
        }
    }

    /// Remembers an earlier version that the one just read falls behind, until a later one catches up with it. What we
    /// wrote ourselves (an undo, a chosen version) falls behind on purpose.
    fn note_lost_update(&mut self, key: &LoopId, look: &Look, stamp: Fingerprint) {
        let format = look.summary.as_ref().map_or(Format::Unknown, |summary| summary.format);
        let ours = self.own_writes.made_version(key, Some(stamp));
        let known = self.read_catalog(|catalog| {
            let ahead = catalog.get(key).and_then(|entry| entry.ahead.clone());
            ahead.or_else(|| catalog.last_good.get(key).map(|(bytes, _)| bytes))
        });
        let behind = |earlier: &Arc<[u8]>| !ours && !lost_updates(format, earlier, &self.buffer).is_empty();
        match known.filter(|known| known.len() <= COMPARED && behind(known)) {
            Some(ahead) => self.ahead.insert(key.clone(), ahead),
            None => self.ahead.remove(key),
        };
    }

    /// Takes a loop out whose file is gone. One whose agent is at work stays, so that it can be seen and stopped.
    pub(crate) fn remove(&mut self, key: &LoopId) {
        self.second_looks.forget(key);
        if self.scheduler.is_on(key) {
            return self.show_gone(key);
        }
        if !self.show_ended(key) {
            self.write_catalog(|catalog| catalog.remove(key));
        }
    }

    fn show_gone(&mut self, key: &LoopId) {
        let is_gone = |problem: &Problem| problem.code == ProblemCode::F9_file_gone;
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        let Some(mut entry) = entry.filter(|entry| !entry.summary.problems.iter().any(is_gone)) else {
            return;
        };
        entry.summary.problems.insert(0, Problem::new(ProblemCode::F9_file_gone, ""));
        // The same file that comes back is news.
        let seen = entry.stamp.take().map_or(NEVER, Fingerprint::modified);
        entry.foreign_change = entry.foreign_change.max(seen);
        self.write_catalog(|catalog| catalog.put(entry));
    }

    /// Puts what was seen into the catalog. Unless `settled`, a file that does not parse gets second looks first.
    pub(crate) fn take_in(&mut self, id: &str, look: Look, settled: bool) {
        let key = LoopId::new(id, &look.candidate.file);
        if look.unsettled && self.wants_second_look(&key, settled) {
            return;
        }
        if !look.unsettled {
            self.second_looks.forget(&key);
        }
        self.readers.note(&key, look.read_from);
        // One whose agent is at work stays in the list, so that it can be seen and stopped.
        let no_loop = |candidate: &Candidate| {
            loops::unreadable(candidate.place, candidate.stem(), ProblemCode::E2_no_id, &[])
        };
        let is_on = self.scheduler.is_on(&key);
        let Some(summary) = look.summary.or_else(|| is_on.then(|| no_loop(&look.candidate))) else {
            self.write_catalog(|catalog| catalog.note_no_loop(key, look.stamp));
            return;
        };
        let old = self.read_catalog(|catalog| catalog.get(&key).cloned());
        let Look { candidate, stamp, .. } = look;
        let seen = SeenLoop { workspace: id.into(), candidate, stamp, summary, may_have_companions: true };
        let entry = self.entry_of(&key, seen, old.as_ref(), clock::now());
        if old.as_ref().is_none_or(|old| differs(old, &entry)) {
            self.write_catalog(|catalog| catalog.put(entry));
        }
        self.check_guard(&key);
        self.check_redirect(&key);
        self.driver_context().check_work(&key);
    }

    /// Puts what the first scan of `workspace` saw into the catalog: none of these loops is known yet, and nothing of them is
    /// guarded or at work. `folders` is what was listed, see [`crate::observe::roots::Listing`].
    pub(crate) fn take_in_first(
        &mut self,
        workspace: &Arc<str>,
        looks: Vec<Look>,
        folders: Option<&HashSet<String>>,
    ) {
        let now = clock::now();
        let (mut loops, mut others) = (Vec::with_capacity(looks.len()), Vec::new());
        for Look { candidate, stamp, summary, read_from, .. } in looks {
            let key = LoopId::new(workspace, &candidate.file);
            self.readers.note(&key, read_from);
            let Some(summary) = summary else {
                others.push((key, stamp));
                continue;
            };
            let may_have_companions =
                folders.is_none_or(|folders| reconcile::may_have_companions(&candidate, folders));
            let workspace = Arc::clone(workspace);
            let seen = SeenLoop { workspace, candidate, stamp, summary, may_have_companions };
            let entry = self.entry_of(&key, seen, None, now);
            loops.push((key, entry));
        }
        self.write_catalog(|catalog| {
            catalog.put_all(loops);
            others.into_iter().for_each(|(key, stamp)| catalog.note_no_loop(key, stamp));
        });
    }

    /// What the catalog has of a loop that was just read; `old` is what it had.
    fn entry_of(&mut self, key: &LoopId, seen: SeenLoop, old: Option<&Entry>, now: Timestamp) -> Entry {
        let SeenLoop { workspace, candidate, stamp, summary, may_have_companions } = seen;
        let foreign_change = self.foreign_change(key, stamp, old, now);
        let mut entry = Entry::new(workspace, candidate, stamp, summary, foreign_change);
        let guarded = || self.guards.get(key).and_then(Guard::view); // of a file that was away for a moment
        entry.request = old.map_or_else(guarded, |old| old.request.clone());
        entry.run = old.and_then(|old| old.run.clone());
        entry.work = old.map(|old| old.work).unwrap_or_default();
        entry.ahead = self.ahead.get(key).cloned();
        entry.unfinished = self.unfinished.get(key).cloned();
        entry.undone = old.and_then(|old| old.undone.clone());
        entry.claims = self.claims.get(key).copied();
        entry.pull_request = self.pull_requests.get(key).copied();
        entry.verified = self.verification_of(&entry).map(Arc::new);
        self.note_runner(&mut entry);
        if entry.summary.lock.is_some() {
            let path =
                |catalog: &Catalog| catalog.workspace(&entry.workspace).map(|known| known.path.clone());
            let root = self.read_catalog(path);
            entry.holder = root.map_or(Holder::Unknown, |root| holders::holder(&root, &entry.summary));
        }
        if may_have_companions {
            self.look_at_companions(&mut entry, old, now);
        }
        self.keep_last_good_name(&mut entry, old);
        entry.shown = entry.shown_at(now, self.fresh_within);
        entry
    }

    /// Only a running loop's liveness depends on its companions; those of other loops are not read.
    pub(crate) fn look_at_companions(&self, entry: &mut Entry, old: Option<&Entry>, now: Timestamp) {
        let mut latest = old.map_or(NEVER, |old| old.companion_change);
        let is_asked = latest == NEVER && entry.summary.status == FileStatus::Running;
        let path = |catalog: &Catalog| catalog.workspace(&entry.workspace).map(|known| known.path.clone());
        if let Some(root) = is_asked.then(|| self.read_catalog(path)).flatten() {
            let ours = |file: &str, stamp| self.is_ours(&entry.workspace, file, stamp);
            latest = reconcile::latest_companion_change(&root, &entry.candidate, ours).min(now);
        }
        entry.companion_change = latest;
        if entry.foreign_change != NEVER {
            entry.foreign_change = entry.foreign_change.max(latest);
        }
    }

    /// Companions of running loops and of the one on screen: what the watcher was not told of, or came too late for.
    pub(crate) fn sweep_companions(&mut self, workspace: &Workspace, folders: &HashSet<String>) {
        let orphans = self.read_catalog(|catalog| {
            let is_known = |file: &str| catalog.get(&LoopId::new(&workspace.id, file)).is_some();
            orphans::orphans(&workspace.path, is_known, folders)
        });
        self.write_catalog(|catalog| catalog.note_orphans(&workspace.id, orphans));
        let now = clock::now();
        let changed: Vec<Entry> = self.read_catalog(|catalog| {
            let looked_at = catalog.entries().filter(|(key, entry)| {
                entry.workspace == workspace.id
                    && (entry.summary.status == FileStatus::Running || self.shown.as_ref() == Some(key))
                    && reconcile::may_have_companions(&entry.candidate, folders)
            });
            let noted = looked_at.filter_map(|(_, entry)| {
                let ours = |file: &str, stamp| self.is_ours(&workspace.id, file, stamp);
                let latest = reconcile::latest_companion_change(&workspace.path, &entry.candidate, ours);
                let mut entry = entry.clone();
                entry.note_companion(latest, now).then_some(entry)
            });
            noted.collect()
        });
        for mut entry in changed {
            entry.shown = entry.shown_at(now, self.fresh_within);
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

    /// An unreadable file keeps the name people know it by.
    pub(crate) fn keep_last_good_name(&mut self, entry: &mut Entry, old: Option<&Entry>) {
        if entry.summary.status != FileStatus::Unreadable {
            return;
        }
        match old {
            Some(old) => name_after(&mut entry.summary, &old.summary),
            // Damaged since before the start: the journal may know it.
            None => {
                if let Some(known) = self.good_of(entry) {
                    name_after(&mut entry.summary, &known);
                }
            }
        }
    }

    /// When another program last gave a sign of life: our own writes do not count, nor does anything before a start of ours.
    pub(crate) fn foreign_change(
        &self,
        key: &LoopId,
        stamp: Option<Fingerprint>,
        old: Option<&Entry>,
        now: Timestamp,
    ) -> Timestamp {
        let life = self.own_writes.life_before(key, stamp);
        match (old, life, stamp) {
            (Some(old), ..) if old.stamp == stamp => old.foreign_change,
            (_, Some(life), _) => life,
            (.., Some(stamp)) => stamp.modified().min(now),
            (.., None) => now,
        }
    }

    pub(crate) fn wants_second_look(&mut self, key: &LoopId, settled: bool) -> bool {
        if settled {
            self.second_looks.forget(key);
            return false;
        }
        self.second_looks.plan(key)
    }

    pub(crate) fn look_again(&mut self) {
        for key in self.second_looks.due(Instant::now()) {
            match self.locate(&key) {
                Some((id, root, candidate)) => self.look_at(&id, &root, candidate, false),
                None => self.second_looks.forget(&key),
            }
        }
    }
}

fn name_after(summary: &mut Summary, known: &Summary) {
    summary.title.clone_from(&known.title);
    summary.format = known.format;
    summary.phase.clone_from(&known.phase);
    summary.iteration = known.iteration;
}

fn differs(old: &Entry, new: &Entry) -> bool {
    old.summary != new.summary || old.stamp != new.stamp || old.shown != new.shown
}
