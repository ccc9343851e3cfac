//! Loops of other machines: their copies are opened like folders, and what is asked of them is handed on.

use super::Runtime;
use crate::coordinator::owner::Owner;
use crate::elsewhere::{Elsewhere, Messenger, RemoteRequest};
use crate::observe::catalog::{LoopId, Workspace};
use crate::views::{Failure, FailureKind, RequestView, VerbOptions};
use loopdeck_core::control::Verb;
use loopdeck_core::loop_id::{file_of, workspace_of};
use loopdeck_execution::mask::Mask;
use loopdeck_system::dirs;
use parking_lot::RwLock;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who carries requests to other machines; nobody without a team.
#[derive(Default)]
pub(super) struct Post(RwLock<Option<Arc<dyn Messenger>>>);

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Post")
    }
}

impl Runtime {
    /// Opens a copy of a folder of another machine, or updates whose it is. Not remembered for the next start.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn open_copy(&self, path: &Path, elsewhere: Elsewhere) -> Result<String, Failure> {
        let id = dirs::id_of(path);
        if self.read(|catalog| catalog.workspace(&id).is_none()) {
            let mut workspace = Workspace::new(&id, path.to_owned(), false);
            workspace.elsewhere = Some(elsewhere);
            let opened = id.clone();
            return self.coordinator.open(workspace, move |owner| Ok((owner.open(), opened).1)).wait();
        }
        self.coordinator.change_catalog(|catalog| {
            catalog.set_elsewhere(&id, elsewhere);
        });
        Ok(id)
    }

    /// Closes a copy.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn close_copy(&self, id: &str) -> Result<(), Failure> {
        self.coordinator.ask(id, Owner::close).wait()?;
        self.coordinator.forget(id);
        Ok(())
    }

    /// Has requests for loops of other machines carried by `messenger` from now on.
    pub fn deliver_by(&self, messenger: Option<Arc<dyn Messenger>>) {
        *self.post.0.write() = messenger;
    }

    /// Shows how far a request to another machine is. A loop that is gone is left alone.
    pub fn show_remote_request(&self, workspace: &str, file: &str, request: Option<RequestView>) {
        let key = LoopId::new(workspace, file);
        self.coordinator.change_catalog(|catalog| {
            if let Some(mut entry) = catalog.get(&key).cloned().filter(|entry| entry.request != request) {
                entry.request = request;
                catalog.put(entry);
            }
        });
    }

    /// Requests under way or just landed in a folder of this computer, by state file.
    #[must_use]
    pub fn requests_in(&self, folder: &Path) -> Vec<(String, RequestView)> {
        let id = dirs::id_of(folder);
        self.read(|catalog| {
            let here = catalog.entries().map(|(_, entry)| entry).filter(|entry| *entry.workspace == *id);
            here.filter_map(|entry| Some((entry.candidate.file.clone(), entry.request.clone()?))).collect()
        })
    }

    /// Folders of this computer that are open, the samples left out.
    #[must_use]
    pub fn own_folders(&self) -> Vec<PathBuf> {
        self.read(|catalog| {
            let own = catalog.workspaces.iter().filter(|known| known.elsewhere.is_none() && !known.sample);
            own.map(|known| known.path.clone()).collect()
        })
    }

    /// Hides secrets that this computer knows, in text that leaves it.
    #[must_use]
    pub fn mask(&self) -> Mask {
        self.choices.read(Mask::of_all)
    }

    /// Whose loop it is; `None` for one of this computer.
    #[must_use]
    pub fn elsewhere(&self, key: &str) -> Option<Elsewhere> {
        self.read(|catalog| catalog.workspace(workspace_of(key))?.elsewhere.clone())
    }

    /// Refuses what only the machine of a loop can do.
    ///
    /// # Errors
    /// `OnAnotherMachine` (`member`, `machine`).
    pub(super) fn refuse_elsewhere(&self, key: &str) -> Result<(), Failure> {
        let Some(elsewhere) = self.elsewhere(key) else { return Ok(()) };
        Err(Failure::new(FailureKind::OnAnotherMachine)
            .with("member", elsewhere.member)
            .with("machine", elsewhere.machine))
    }

    /// Hands a verb on to the machine that owns the loop. False for a loop of this computer.
    ///
    /// # Errors
    /// `OnAnotherMachine` for what is not handed on, or when its owner does not let this machine steer.
    pub(super) fn hand_on(&self, key: &str, verb: Verb, options: &VerbOptions) -> Result<bool, Failure> {
        let Some(elsewhere) = self.elsewhere(key) else { return Ok(false) };
        let messenger = self.post.0.read().clone();
        let Some(messenger) = messenger.filter(|_| elsewhere.steerable && elsewhere.takes(verb)) else {
            return self.refuse_elsewhere(key).map(|()| true);
        };
        let workspace =
            self.read(|catalog| catalog.workspace(workspace_of(key)).map(|known| known.path.clone()));
        let workspace = workspace.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))?;
        let request =
            RemoteRequest { workspace, file: file_of(key).to_owned(), verb, options: options.clone() };
        messenger.request(request).map(|()| true)
    }
}
