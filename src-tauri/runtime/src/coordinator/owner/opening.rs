//! Workspaces come and go: opening one reads all of it and finds the runs that were left in it.

use super::Owner;
use crate::observe::catalog::LoopId;
use crate::observe::roots::{self, Candidate};
use crate::observe::scan;
use crate::views::Failure;
use loopdeck_core::layout;
use loopdeck_core::loop_id::{file_of, workspace_of};
use loopdeck_system::{clock, files};
use std::path::Path;
use std::sync::Arc;

impl Owner {
    /// Reads the workspace for the first time, and finds what earlier starts left in it.
    pub(crate) fn open(&mut self) {
        if self
            .store
            .read_catalog(|catalog| catalog.workspace(&self.context.id).is_none_or(|found| found.scanned))
        {
            return;
        }
        let path = self.context.path.clone();
        self.context.changed.notify_one();
        self.remove_left_overs(&path);
        self.watch_folders();
        self.store.reload_runners(&path);
        if self.store.journal.is_blank() {
            return self.scan(&path); // nothing was left anywhere
        }
        self.store.reload_writes(&path);
        self.scan(&path);
        self.store.finish_steps(&path);
        if self.store.housekeeping {
            // Before requests are guarded: leases tell what was left.
            self.store.driver_context().find_runs_again(&path);
            self.store.driver_context().find_left_again(&path);
            self.store.driver_context().clean_up_runs();
        }
        self.take_up_requests(&path);
    }

    /// Temporary files that a killed Loopdeck left. A window does not wait for it.
    fn remove_left_overs(&self, root: &Path) {
        if !self.store.leaves_traces {
            return;
        }
        let root = root.to_owned();
        let clean = move || {
            for folder in roots::state_folders(&root).iter().chain(&roots::companion_roots(&root)) {
                files::remove_left_overs(folder);
            }
        };
        if self.store.housekeeping {
            // Without the thread they stay until the next start.
            drop(std::thread::Builder::new().name("left-overs".into()).spawn(clean));
        } else {
            clean();
        }
    }

    /// Gives up everything that is looked after here, before the workspace is closed.
    ///
    /// # Errors
    /// `AtWork` when an agent works on one of its loops.
    pub(crate) fn close(&mut self) -> Result<(), Failure> {
        let keys = self.store.keys_of(&self.context.id);
        self.store.driver_context().refuse_at_work(keys.iter().cloned())?;
        self.store.driver_context().forget_works(|key| keys.contains(key));
        for key in &keys {
            self.store.unguard(key);
        }
        Ok(())
    }

    /// Requests in the journal that this owner does not guard, from an earlier start or from a script meanwhile; and what else of loops
    /// only the journal has.
    pub(super) fn take_up_requests(&mut self, root: &Path) {
        if self.store.housekeeping {
            self.store.reload_requests(root);
        } else {
            self.store.show_requests(root);
        }
        self.store.reload_redirects(root);
        self.store.reload_claims(root);
        self.store.reload_pull_requests(root);
    }

    /// What is read when one loop is `named`: that one, with its relatives.
    pub(super) fn named_candidates(&self, path: &Path, name: &str) -> Vec<Candidate> {
        let mut found = roots::candidates_named(path, name);
        let keys: Vec<LoopId> =
            found.iter().map(|candidate| LoopId::new(&self.context.id, &candidate.file)).collect();
        let relatives = self.store.read_catalog(|catalog| catalog.relatives(&keys));
        let relatives = relatives.iter().filter(|key| workspace_of(key) == &*self.context.id);
        found.extend(relatives.filter_map(|key| roots::candidate_of(path, &path.join(file_of(key)))));
        found
    }

    /// Reads a whole workspace for the first time.
    fn scan(&mut self, path: &Path) {
        let id = Arc::clone(&self.context.id);
        let (candidates, folders) = match &self.named {
            Some(name) => (self.named_candidates(path, name), None),
            None => {
                let listing = roots::listing(path);
                (listing.candidates, Some(listing.folders))
            }
        };
        // Their first version is kept too: it may be the only one that is ever seen.
        let ending: Vec<Candidate> =
            candidates.iter().filter(|found| layout::ends_without_file(found.place)).cloned().collect();
        self.store.write_catalog(|catalog| catalog.make_room(candidates.len()));
        scan::look_at_workspace(path, candidates, clock::now(), |looks| {
            self.store.take_in_first(&id, looks, folders.as_ref());
        });
        for candidate in ending {
            self.store.look_at(&id, path, candidate, true);
        }
        self.store.show_all_ended(&id, path, self.named.as_deref());
        self.store.write_catalog(|catalog| {
            if let Some(workspace) = catalog.workspaces.iter_mut().find(|workspace| workspace.id == id) {
                workspace.scanned = true;
            }
            catalog.touch();
        });
    }
}
