//! Where a link leads. A link may come from a chat or a web page, so it leads only into folders that the person has opened, and
//! starts nothing.

use crate::files::Canonical as _;
use std::path::{Component, Path, PathBuf};

use loopdeck_system::dirs;

use super::Runtime;
use super::workspaces::workspace_above;
use crate::observe::roots;
use crate::views::{Failure, FailureKind};

/// What a link has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The loop with this key.
    Loop(String),
    /// The workspace with this id.
    Workspace(String),
}

impl Runtime {
    /// Opens the state file or the folder at `path`, an absolute path from a link, if it is in a folder that is open or was
    /// opened before. Nothing else is even looked at.
    ///
    /// # Errors
    /// `UnknownLink` when it is in no such folder; `UnknownLoop` when the file is no loop; `NotAFolder`.
    pub fn follow_link(&self, path: &Path) -> Result<LinkTarget, Failure> {
        let unknown = || Failure::new(FailureKind::UnknownLink).with("path", dirs::shown(path));
        let climbs = path.components().any(|part| part == Component::ParentDir);
        if climbs || self.folder_opened_around(path).is_none() {
            return Err(unknown());
        }
        if let Some(key) = self.without_file(path) {
            return Ok(LinkTarget::Loop(key));
        }
        // A file system link in the folder can lead out of it.
        let real = path.canonical().map_err(|_| no_loop(path))?;
        let folder = self.folder_opened_around(&real).ok_or_else(unknown)?;
        if real.is_dir() {
            return self.open_workspace(&folder).map(LinkTarget::Workspace);
        }
        self.open_file(&real).map(LinkTarget::Loop)
    }

    /// The loop of an open workspace with this path, which has no file of its own: it is a part of one, or its tool removed it.
    fn without_file(&self, path: &Path) -> Option<String> {
        let is_there = path.symlink_metadata().is_ok();
        let known = self.read(|catalog| catalog.workspace_around(path)?.key(path)).filter(|_| !is_there)?;
        self.find(&known).is_ok().then(|| known.to_string())
    }

    /// The innermost folder around `path` that is open or was opened before.
    fn folder_opened_around(&self, path: &Path) -> Option<PathBuf> {
        let mut opened: Vec<PathBuf> =
            self.read(|catalog| catalog.workspaces.iter().map(|workspace| workspace.path.clone()).collect());
        opened.extend(self.remembered(|remembered| remembered.recent.clone()));
        opened
            .into_iter()
            .filter(|folder| path.starts_with(folder))
            .max_by_key(|folder| folder.as_os_str().len())
    }

    /// Opens the workspace that contains the state file at `file` (a real path) and returns the loop's key.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder; `UnknownLoop` when the file is no loop.
    fn open_file(&self, file: &Path) -> Result<String, Failure> {
        let missing = || no_loop(file);
        if let Some(key) =
            self.read(|catalog| catalog.workspace_around(file).and_then(|found| found.key(file)))
            && self.find(&key).is_ok()
        {
            return Ok(key.to_string());
        }
        // It may be in a folder of its own within an open workspace; a file that is not a loop opens nothing.
        let is_loop_of = |root: &&Path| {
            roots::candidate_of(root, file).is_some_and(|found| root.join(found.on_disk()) == file)
        };
        let root = file.ancestors().skip(1).find(is_loop_of).ok_or_else(missing)?;
        let id = self.open_workspace(&workspace_above(root))?;
        let key = self.read(|catalog| catalog.workspace(&id)?.key(file)).ok_or_else(missing)?;
        self.find(&key)?;
        Ok(key.to_string())
    }
}

fn no_loop(file: &Path) -> Failure {
    Failure::new(FailureKind::UnknownLoop).with("path", dirs::shown(file))
}
