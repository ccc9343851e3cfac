//! Opening and closing workspaces, files and the sample.

use super::{Runtime, Traces};
use crate::owner::Event;
use crate::rows::{Failure, FailureKind};
use crate::{dirs, sample};
use std::path::{Path, PathBuf};

impl Runtime {
    /// Opens the workspace at `path` (or the one it lies in, when it is a folder of loops) and answers its id.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder.
    pub fn open_workspace(&self, path: &Path) -> Result<String, Failure> {
        let path = workspace_above(path);
        let sample = path == self.sample_path();
        let id = self.ask(|reply| Event::Open(path.clone(), sample, reply))?;
        if let Ok(path) = path.canonicalize() {
            self.remember(|remembered| remembered.opened(&path))?;
        }
        Ok(id)
    }

    /// Opens the workspace that the state file at `file` lies in and answers the loop's key.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder; `UnknownLoop` when the file is no loop.
    pub fn open_file(&self, file: &Path) -> Result<String, Failure> {
        let missing = || Failure::new(FailureKind::UnknownLoop).with("path", dirs::shown(file));
        let file = file.canonicalize().map_err(|_| missing())?;
        let folder = file.parent().ok_or_else(missing)?;
        let id = match self.workspace_around(&file) {
            Some(id) => id,
            // A session folder lies one deeper than a state file.
            None => self.open_workspace(&workspace_above(folder))?,
        };
        let root = self.workspace_path(&id)?;
        let below = file.strip_prefix(&root).map_err(|_| missing())?.to_string_lossy().replace('\\', "/");
        let key = crate::catalog::key(&id, &below);
        self.find(&key)?;
        Ok(key.to_string())
    }

    /// The open workspace that a file lies in.
    fn workspace_around(&self, file: &Path) -> Option<String> {
        self.read(|catalog| {
            let mut around = catalog.workspaces.iter().filter(|workspace| file.starts_with(&workspace.path));
            around.next().map(|workspace| workspace.id.to_string())
        })
    }

    /// Closes a workspace; its files stay.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn close_workspace(&self, id: &str) -> Result<(), Failure> {
        let path = self.read(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
        self.ask(|reply| Event::Close(id.to_owned(), reply))?;
        match path {
            Some(path) => self.remember(|remembered| remembered.closed(&path)),
            None => Ok(()),
        }
    }

    /// Lays out the sample workspace (once; it is trusted then, because all that lies in it is ours) and opens it.
    ///
    /// # Errors
    /// `OwnData` when our data folder cannot be written.
    pub fn open_sample(&self) -> Result<String, Failure> {
        let path = self.dirs.sample();
        let is_new = sample::lay_out(&path).map_err(Failure::own_data)?;
        if is_new && self.traces == Traces::All {
            // Its two scripts are ours. Who takes the trust away again is not overruled: it is laid out once.
            self.choices.change(|choices| choices.trust(&path, true)).map_err(Failure::own_data)?;
        }
        self.open_workspace(&path)
    }

    /// Whether a loop lies in the sample.
    pub(crate) fn is_sample(&self, key: &str) -> bool {
        let id = key.split_once(':').map_or(key, |(id, _)| id);
        self.read(|catalog| catalog.workspace(id).is_some_and(|workspace| workspace.sample))
    }

    pub(super) fn sample_path(&self) -> PathBuf {
        let path = self.dirs.sample();
        path.canonicalize().unwrap_or(path)
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
fn workspace_above(path: &Path) -> PathBuf {
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
