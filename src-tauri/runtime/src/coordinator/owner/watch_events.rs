//! What the watcher saw: paths are collected for a moment, then read. Also decides which folders are watched.

use super::{Dirty, LONGEST, Owner, POLL_EVERY};
use crate::observe::catalog::{Entry, LoopId, Watched};
use crate::observe::reconcile;
use crate::observe::roots::{self, Candidate};
use crate::observe::watch::Degraded;
use loopdeck_core::layout;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, files};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most folders that are watched because rows are read from them too.
const MOST_READ_FROM: usize = 500;

impl Owner {
    /// A file of this copy was written or removed.
    pub(crate) fn note_copied(&mut self, path: PathBuf) {
        self.note_paths(vec![path], Duration::ZERO);
    }

    pub(super) fn note_paths(&mut self, paths: Vec<PathBuf>, quiet: Duration) {
        let now = Instant::now();
        for path in paths {
            let name = path.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
            if !name.starts_with(files::TEMP_PREFIX.as_bytes()) {
                let dirty = self.dirty.entry(path).or_insert(Dirty { latest: now + LONGEST, due: now });
                dirty.due = (now + quiet).min(dirty.latest);
            }
        }
    }

    pub(super) fn read_dirty(&mut self) {
        let now = Instant::now();
        let due: Vec<PathBuf> =
            self.dirty.iter().filter(|(_, dirty)| dirty.due <= now).map(|(path, _)| path.clone()).collect();
        for path in due {
            self.dirty.remove(&path);
            self.read_changed(&path);
        }
    }

    fn read_changed(&mut self, path: &Path) {
        let Some((id, root)) = self.workspace_of(path) else { return };
        match roots::candidate_of(&root, path) {
            Some(candidate) if root.join(candidate.on_disk()) == path => {
                for candidate in self.with_parts(&id, &root, candidate) {
                    let key = LoopId::new(&id, &candidate.file);
                    self.store.look_at(&id, &root, candidate, false);
                    self.hear_requests(&key, &root);
                }
            }
            Some(candidate) => self.companion_changed(&id, &root, &candidate, path),
            None if self.is_structural(&root, path) => self.sweep.now = true,
            None => {}
        }
        self.read_readers(&id, &root, path);
    }

    /// A changed file with all loops in it: those that it holds now, and those that were known.
    fn with_parts(&self, id: &str, root: &Path, candidate: Candidate) -> Vec<Candidate> {
        if !layout::has_parts(candidate.place) {
            return vec![candidate];
        }
        let mut found = roots::with_parts(root, candidate);
        let file = found[0].file.clone();
        self.store.read_catalog(|catalog| {
            let known = catalog.entries().map(|(_, entry)| entry).filter(|entry| &*entry.workspace == id);
            let known = known.map(|entry| &entry.candidate).filter(|known| known.on_disk() == file);
            for known in known {
                if !found.contains(known) {
                    found.push(known.clone());
                }
            }
        });
        found
    }

    /// Reads the rows again that are read from the folder of a changed file too.
    fn read_readers(&mut self, id: &str, root: &Path, path: &Path) {
        let Some(folder) = path.parent().and_then(|folder| folder.strip_prefix(root).ok()) else { return };
        let Some(folder) = folder.to_str() else { return };
        let readers = self.store.readers.of(&folder.replace(std::path::MAIN_SEPARATOR, "/"));
        let located = readers.iter().filter_map(|key| self.store.locate(key));
        let others: Vec<Candidate> = located
            .map(|(_, _, candidate)| candidate)
            .filter(|found| root.join(found.on_disk()) != path)
            .collect();
        let found = !others.is_empty();
        for candidate in others {
            self.store.look_at(id, root, candidate.clone(), false);
            // Of a loop of ours the plan that it works off is no sign of somebody else.
            if !layout::is_shared(candidate.place) {
                self.companion_changed(id, root, &candidate, path);
            }
        }
        if found {
            self.watch_folders(); // a folder may be new
        }
    }

    /// A change may be the request of a script: it is guarded from now on, not only from the next sweep.
    fn hear_requests(&mut self, key: &LoopId, root: &Path) {
        if self.context.is_copy {
            return; // what is asked of it goes to its machine
        }
        let stamp = self.store.read_catalog(|catalog| catalog.get(key).and_then(|entry| entry.stamp));
        let ours = self.store.own_writes.made_version(key, stamp);
        if stamp.is_some() && !ours {
            self.store.reload_runners(root);
            self.take_up_requests(root);
        }
    }

    /// This workspace, unless the path is in a workspace inside of it, which has a worker of its own.
    fn workspace_of(&self, path: &Path) -> Option<(Arc<str>, PathBuf)> {
        self.store.read_catalog(|catalog| {
            let inner = catalog.workspace_around(path)?;
            (inner.id == self.context.id).then(|| (Arc::clone(&inner.id), inner.path.clone()))
        })
    }

    /// A folder that may contain loops appeared or disappeared: the whole workspace is read again.
    fn is_structural(&self, root: &Path, path: &Path) -> bool {
        reconcile::may_hold_loops(root, path)
            && (path.is_dir() || (!path.exists() && self.was_folder(root, path)))
    }

    /// Whether what went away at `path` was a folder of ours; most of what goes away are other writers' temporary files.
    fn was_folder(&self, root: &Path, path: &Path) -> bool {
        let Some(below) = path.strip_prefix(root).ok().and_then(Path::to_str) else { return true };
        let holds = |entry: &Entry| {
            entry.candidate.file.strip_prefix(below).is_some_and(|rest| rest.starts_with('/'))
        };
        self.watch.contains(path)
            || self.store.read_catalog(|catalog| catalog.entries().any(|(_, entry)| holds(entry)))
    }

    /// A progress file or worker output changed: a sign of life, and the open detail is out of date.
    fn companion_changed(&mut self, id: &str, root: &Path, candidate: &Candidate, path: &Path) {
        let key = LoopId::new(id, &candidate.file);
        let Some(mut entry) = self.store.read_catalog(|catalog| catalog.get(&key).cloned()) else {
            // A folder named like a loop may have come before its file.
            self.store.look_at(id, root, candidate.clone(), false);
            return;
        };
        let now = clock::now();
        let file = path.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
        let file = file.replace(std::path::MAIN_SEPARATOR, "/");
        // A folder changes with whatever is made in it, also by us: the files in it tell.
        let changed = Fingerprint::at(path)
            .ok()
            .filter(|stamp| stamp.is_file() && !self.store.is_ours(id, &file, *stamp));
        if let Some(stamp) = changed {
            entry.note_companion(stamp.modified(), now);
        }
        entry.shown = entry.shown_at(now, self.store.fresh_within);
        self.store.write_catalog(|catalog| catalog.put(entry));
        if self.store.shown.as_ref() == Some(&key) {
            self.watch_folders(); // a companion folder may be new
        }
    }

    pub(crate) fn note_shown(&mut self, key: &str) {
        let first = self.store.shown.as_deref() != Some(key);
        self.store.shown = Some(key.into());
        if let Some((id, root, candidate)) = self.store.locate(key).filter(|_| first) {
            self.store.look_at(&id, &root, candidate, false);
            self.watch_folders();
        }
    }

    /// Watches what must be watched now; the content of newly watched folders is read.
    pub(super) fn watch_folders(&mut self) {
        let mut wanted: HashSet<PathBuf> = roots::watch_folders(&self.context.path).into_iter().collect();
        if let Some((_, root, candidate)) = self.store.shown.clone().and_then(|key| self.store.locate(&key)) {
            wanted.extend(reconcile::companion_folders(&root, &candidate));
        }
        let root = &self.context.path;
        let read_from =
            self.store.readers.folders().into_iter().take(MOST_READ_FROM).map(|folder| root.join(folder));
        wanted.extend(read_from.filter(|folder| folder.is_dir() && files::lies_within(root, folder)));
        let fresh = self.watch.set(&wanted);
        self.sweep.now |= !fresh.is_empty();
        self.note_watching();
    }

    pub(super) fn note_watching(&mut self) {
        let watched = Watched {
            folders: self.watch.count(),
            polling: self.watch.degraded().map(|_| u32::try_from(POLL_EVERY.as_secs()).unwrap_or(u32::MAX)),
            reason: self.watch.degraded().map(Degraded::word),
        };
        self.store.write_catalog(|catalog| catalog.watched(&self.context.id, watched, clock::now()));
    }

    /// Another loop is shown, in another workspace: the companions of this one's are no longer watched.
    pub(crate) fn note_hidden(&mut self) {
        if self.store.shown.take().is_some() {
            self.watch_folders();
        }
    }
}
