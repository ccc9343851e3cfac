//! The floor below the watcher, and what time alone changes.

use super::{Owner, POLL_EVERY};
use crate::observe::catalog::{Entry, Workspace};
use crate::observe::holders;
use crate::observe::reconcile::{self, Differences};
use loopdeck_core::status::FileStatus;
use loopdeck_system::clock;
use std::sync::Arc;
use std::time::Instant;

impl Owner {
    pub(super) fn sweep_if_due(&mut self) {
        let now = Instant::now();
        self.sweep.now |= std::mem::take(&mut self.store.wants_sweep);
        if !self.sweep.now && now < self.sweep.next {
            return;
        }
        self.sweep.now = false;
        self.sweep();
        let every = if self.watch.degraded().is_some() { POLL_EVERY } else { self.sweep.every };
        self.sweep.next = Instant::now() + every;
    }

    pub(crate) fn sweep(&mut self) {
        let Some(workspace) = self.store.read_catalog(|catalog| catalog.workspace(&self.context.id).cloned())
        else {
            return; // it was closed
        };
        self.note_reachable(&workspace);
        let found = self.differences(&workspace);
        for candidate in found.changed {
            self.store.look_at(&workspace.id, &workspace.path, candidate, false);
        }
        for key in found.gone {
            self.store.remove(&key);
        }
        self.store.sweep_companions(&workspace, &found.folders);
        if self.store.housekeeping {
            self.store.driver_context().find_runs_again(&workspace.path); // another Loopdeck may have ended since
            self.store.finish_steps(&workspace.path);
        }
        self.store.reload_runners(&workspace.path);
        self.store.reload_list_marks(&workspace.id, &workspace.path);
        self.take_up_requests(&workspace.path);
        self.store.driver_context().renew_leases();
        self.store.renew_marks(&workspace.path);
        self.refresh_words();
        self.watch_folders();
    }

    /// What differs between the folder and the catalog. Reads the disk without holding the catalog's lock.
    fn differences(&self, workspace: &Workspace) -> Differences {
        match reconcile::survey(workspace) {
            Some(mut survey) => {
                if let Some(name) = &self.named {
                    let named = self.named_candidates(&workspace.path, name);
                    survey.candidates.retain(|(candidate, _)| named.contains(candidate));
                }
                self.store.read_catalog(|catalog| reconcile::differences(catalog, workspace, survey))
            }
            None => Differences::default(),
        }
    }

    /// A folder that cannot be reached keeps its loops on screen, with that reason.
    fn note_reachable(&mut self, workspace: &Workspace) {
        let reachable = workspace.path.is_dir();
        if reachable != workspace.reachable {
            self.store.write_catalog(|catalog| {
                if let Some(known) = catalog.workspaces.iter_mut().find(|known| known.id == workspace.id) {
                    known.reachable = reachable;
                }
                catalog.touch();
            });
        }
    }

    /// A process ends without a change of a file.
    fn refresh_holders(&mut self) {
        let mut locked: Vec<Entry> = self.store.read_catalog(|catalog| {
            let mine = catalog.entries().map(|(_, entry)| entry);
            let mine =
                mine.filter(|entry| entry.workspace == self.context.id && entry.summary.lock.is_some());
            mine.cloned().collect()
        });
        locked.retain_mut(|entry| {
            let now = holders::holder(&self.context.path, &entry.summary);
            std::mem::replace(&mut entry.holder, now) != now
        });
        for mut entry in locked {
            entry.shown = entry.shown_at(clock::now(), self.store.fresh_within);
            self.store.write_catalog(|catalog| catalog.put(entry));
        }
    }

    /// Words that depend on the time (running elsewhere becomes interrupted).
    pub(super) fn refresh_words(&mut self) {
        self.refresh_holders();
        let now = clock::now();
        let (fresh_within, context) = (self.store.fresh_within, Arc::clone(&self.context.id));
        let is_timed = |entry: &Entry| entry.summary.status == FileStatus::Running || entry.work.alive;
        // Only looked at first: most often none is stale, and readers need not wait.
        let mut stale: Vec<Entry> = self.store.read_catalog(|catalog| {
            let mine = catalog.entries().map(|(_, entry)| entry).filter(|entry| entry.workspace == context);
            let timed = mine.filter(|entry| is_timed(entry));
            timed.filter(|entry| entry.shown_at(now, fresh_within) != entry.shown).cloned().collect()
        });
        for entry in &mut stale {
            entry.shown = entry.shown_at(now, fresh_within);
        }
        if !stale.is_empty() {
            self.store.write_catalog(|catalog| stale.into_iter().for_each(|entry| catalog.put(entry)));
        }
    }
}
