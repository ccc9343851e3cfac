//! Opening and closing workspaces, files and the sample.

use super::{Runtime, Traces};
use crate::coordinator::owner::Owner;
use crate::coordinator::{Asked, does_not_answer};
use crate::files::Canonical as _;
use crate::observe::catalog::Workspace;
use crate::sample;
use crate::views::{Failure, FailureKind};
use loopdeck_system::{dirs, files};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// How long a folder that is opened may take to say that it is there.
const THERE_WITHIN: Duration = Duration::from_secs(5);

/// A folder that a person named, while its real path is looked up. A hung one must not delay the caller.
pub(super) struct CanonicalFolder {
    path: PathBuf,
    found: Receiver<io::Result<PathBuf>>,
}

impl CanonicalFolder {
    /// Begins to ask.
    pub(super) fn look_up(path: &Path) -> Self {
        let (tell, found) = sync_channel(1);
        let asked = path.to_owned();
        let look = move || drop(tell.send(files::canonical_folder(&asked)));
        // Without a thread no answer comes, which is an answer too.
        drop(std::thread::Builder::new().name("folder".into()).spawn(look));
        Self { path: path.to_owned(), found }
    }

    /// Its real path.
    ///
    /// # Errors
    /// `NotAFolder`; `InWsl`; `FolderDoesNotAnswer`.
    pub(super) fn wait(&self) -> Result<PathBuf, Failure> {
        let in_wsl = || Failure::new(FailureKind::InWsl).with("path", self.path.display());
        if dirs::is_in_wsl(&self.path) {
            return Err(in_wsl()); // a Linux that has to start first keeps the look-up waiting
        }
        let found = self.found.recv_timeout(THERE_WITHIN).map_err(|_| does_not_answer(&self.path))?;
        let real = found.map_err(|error| {
            Failure::new(FailureKind::NotAFolder).with("path", self.path.display()).with("reason", error)
        })?;
        if dirs::is_in_wsl(&real) { Err(in_wsl()) } else { Ok(real) } // by a letter for it
    }
}

impl Runtime {
    /// Opens the workspace at `path` (or the one around it, when it is a folder of loops) and returns its id.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder; `InWsl`.
    pub fn open_workspace(&self, path: &Path) -> Result<String, Failure> {
        let path = CanonicalFolder::look_up(&workspace_above(path)).wait()?;
        let id = self.ask_open(&path).wait()?;
        self.remember(|remembered| remembered.note_opened(&path))?;
        Ok(id)
    }

    /// Has a workspace opened; answers its id once all of it was read.
    pub(super) fn ask_open(&self, path: &Path) -> Asked<'_, String> {
        let id = dirs::id_of(path);
        let workspace = Workspace::new(&id, path.to_owned(), self.is_sample_path(path));
        self.coordinator.open(workspace, move |owner| {
            owner.open();
            Ok(id)
        })
    }

    /// Closes a workspace; its files stay.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn close_workspace(&self, id: &str) -> Result<(), Failure> {
        let path = self.read(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
        let path = path.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))?;
        if self.coordinator.silence(id).is_none() || self.count_running(id) > 0 {
            self.coordinator.ask(id, Owner::close).wait()?;
        }
        // One that does not answer is closed all the same: its worker no longer shows or writes anything.
        self.coordinator.forget(id);
        self.remember(|remembered| remembered.note_closed(&path))
    }

    /// Lays out the sample workspaces and opens them; the id of the one with loops of every format. They are trusted
    /// when they are laid out, because everything in them is ours.
    ///
    /// # Errors
    /// `OwnData` when our data folder cannot be written.
    pub fn open_sample(&self) -> Result<String, Failure> {
        let (every_format, receipt, plans) =
            (self.dirs.sample(), self.dirs.sample_receipt(), self.dirs.sample_plans());
        let is_new = [
            (sample::lay_out(&every_format).map_err(Failure::own_data)?, &every_format),
            (sample::lay_out_receipt(&receipt).map_err(Failure::own_data)?, &receipt),
            (sample::lay_out_plans(&plans).map_err(Failure::own_data)?, &plans),
        ];
        if self.traces == Traces::All {
            // Trust that the person withdraws is not given again: each folder is laid out once.
            for (_, path) in is_new.into_iter().filter(|(is_new, _)| *is_new) {
                self.choices.change(|choices| choices.trust(path, true))?;
            }
        }
        let id = self.open_workspace(&every_format)?;
        self.open_workspace(&receipt)?;
        self.open_workspace(&plans)?;
        Ok(id)
    }

    /// Whether a loop is in a sample workspace.
    pub(crate) fn is_sample(&self, key: &str) -> bool {
        let id = loopdeck_core::loop_id::workspace_of(key);
        self.read(|catalog| catalog.workspace(id).is_some_and(|workspace| workspace.sample))
    }

    pub(super) fn is_sample_path(&self, path: &Path) -> bool {
        let samples = [self.dirs.sample(), self.dirs.sample_receipt(), self.dirs.sample_plans()];
        samples.into_iter().any(|sample| path == sample.canonical().unwrap_or(sample))
    }

    /// Path of a workspace, for the desktop's file manager.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn workspace_path(&self, id: &str) -> Result<PathBuf, Failure> {
        let path = self.read(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
        path.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))
    }
}

/// A person may pick `.workflow` or `.loop` itself: the workspace is the folder above.
pub(super) fn workspace_above(path: &Path) -> PathBuf {
    let mut folder = path;
    while folder
        .file_name()
        .is_some_and(|name| [".workflow", ".loop", ".claude"].iter().any(|known| name == *known))
    {
        match folder.parent() {
            Some(parent) => folder = parent,
            None => break,
        }
    }
    folder.to_path_buf()
}
