//! Workspaces come and go: opening one reads all of it and finds the runs that were left in it.

use super::Owner;
use crate::observe::catalog::Key;
use crate::observe::roots::{self, Candidate};
use crate::observe::scan;
use crate::views::Failure;
use loopdeck_system::dirs::id_of;
use loopdeck_system::{clock, files};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Owner {
    /// Reads the workspace for the first time, and finds what earlier starts left in it.
    pub(crate) fn open(&mut self) {
        if self.read_catalog(|catalog| catalog.workspace(&self.home.id).is_none_or(|found| found.scanned)) {
            return;
        }
        let path = self.home.path.clone();
        self.home.changed.notify_one();
        self.remove_left_overs(&path);
        self.watch_folders();
        self.reload_writes(&path);
        self.scan(&path);
        self.finish_steps(&path);
        if self.housekeeping {
            // Before requests are guarded: leases tell what was left.
            self.turn().find_runs_again(&path);
            self.turn().find_left_again(&path);
            self.turn().clean_up_runs();
        }
        self.take_up_requests(&path);
    }

    /// Temporary files that a killed Loopdeck left. A window does not wait for it.
    fn remove_left_overs(&self, root: &Path) {
        if !self.leaves_traces {
            return;
        }
        let root = root.to_owned();
        let clean = move || {
            for folder in roots::state_folders(&root).iter().chain(&roots::folders_beside(&root)) {
                files::remove_left_overs(folder);
            }
        };
        if self.housekeeping {
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
        let keys = self.keys_of(&self.home.id);
        self.turn().refuse_at_work(keys.iter().cloned())?;
        self.turn().forget_works(|key| keys.contains(key));
        for key in &keys {
            self.unguard(key);
        }
        Ok(())
    }

    /// Requests in the journal that nobody here guards: of an earlier start, or of a script meanwhile.
    pub(super) fn take_up_requests(&mut self, root: &Path) {
        if self.housekeeping {
            self.reload_requests(root);
        } else {
            self.show_requests(root);
        }
        self.reload_redirects(root);
    }

    /// Reads a whole workspace for the first time.
    fn scan(&mut self, path: &Path) {
        let looks = scan::look_at_workspace(path, clock::now());
        let id = id_of(path);
        for look in looks {
            self.take_in(&id, look, true);
        }
        self.write_catalog(|catalog| {
            if let Some(workspace) = catalog.workspaces.iter_mut().find(|workspace| *workspace.id == *id) {
                workspace.scanned = true;
            }
            catalog.touch();
        });
    }

    pub(crate) fn keys_of(&self, workspace: &str) -> HashSet<Key> {
        self.read_catalog(|catalog| {
            let mine = catalog.entries().filter(|(_, entry)| &*entry.workspace == workspace);
            mine.map(|(key, _)| Arc::clone(key)).collect()
        })
    }

    /// Workspace id, workspace path and state file that `key` names.
    pub(crate) fn locate(&self, key: &str) -> Option<(Arc<str>, PathBuf, Candidate)> {
        let (id, file) = key.split_once(':')?;
        self.read_catalog(|catalog| {
            let workspace = catalog.workspace(id)?;
            let known = catalog.get(key).map(|entry| entry.candidate.clone());
            let candidate =
                known.or_else(|| roots::candidate_of(&workspace.path, &workspace.path.join(file)))?;
            Some((Arc::clone(&workspace.id), workspace.path.clone(), candidate))
        })
    }
}
