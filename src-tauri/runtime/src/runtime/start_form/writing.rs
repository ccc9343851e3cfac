//! Where a new loop is made, and its first file.

use super::StartForm;
use crate::Runtime;
use crate::files::Canonical as _;
use loopdeck_core::start::{FirstFile, FirstText};
use loopdeck_execution::git;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

/// Where a new loop is made.
pub(crate) struct NewLoopFolder {
    /// Its workspace.
    pub(crate) folder: PathBuf,
    /// The top of the worktree that was made for it.
    pub(crate) worktree: Option<PathBuf>,
}

impl Runtime {
    /// Nothing is left of a worktree in which no loop could be made: no folder, no branch, no trust.
    pub(crate) fn take_back_worktree(&self, form: &StartForm, made: &NewLoopFolder) {
        let Some(top) = &made.worktree else { return };
        if let Ok(folder) = made.folder.canonical() {
            let _ = self.close_workspace(&loopdeck_system::dirs::id_of(&folder)); // it may not have come to be open
        }
        self.trust(&made.folder.to_string_lossy(), false).logged("the trust in a worktree is not withdrawn");
        let repository = self.repository(Path::new(&form.folder));
        let remove = |repository| git::remove_worktree(&repository, form.worktree.trim(), top);
        repository.map(remove).logged("a worktree in which no loop was made stays");
    }

    /// The folder of the form, or the same folder in a worktree of its repository, trusted as it is.
    pub(crate) fn folder_for(&self, form: &StartForm) -> Result<NewLoopFolder, Failure> {
        let folder = PathBuf::from(&form.folder);
        let branch = form.worktree.trim();
        if branch.is_empty() {
            return Ok(NewLoopFolder { folder, worktree: None });
        }
        let refused = |failure: Failure| match (failure.kind, failure.args.get("reason")) {
            (FailureKind::GitRefused, Some(reason)) => {
                Failure::new(FailureKind::CannotStart).with("agent", "git").with("reason", reason)
            }
            _ => failure,
        };
        let repository = self.repository(&folder).map_err(refused)?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let at = self.dirs().worktrees().join(format!("{name}-{}", branch.replace('/', "-")));
        let added = git::add_worktree(&repository, branch, &at);
        let top = added.map_err(|error| refused(git::failure(&folder, &error)))?.top().to_owned();
        let made = NewLoopFolder { folder: top.join(repository.inner()), worktree: Some(top) };
        if let Some(file) = form.work.format().only_file() {
            remove_checked_out(&made.folder, file);
        }
        // One that is not committed yet is not in the worktree, and then it cannot be trusted.
        let trusted = self.trust_worktree(&made.folder, &folder);
        trusted.inspect_err(|_| self.take_back_worktree(form, &made))?;
        Ok(made)
    }

    /// A name that is taken is tried again with another number.
    pub(crate) fn write_first(
        &self,
        form: &StartForm,
        folder: &Path,
        workspace: &str,
    ) -> Result<String, Failure> {
        let disk = |file: &str, error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Disk).with("path", file).with("reason", error)
        };
        let folder = files::canonical_folder(folder).map_err(|error| disk(&form.folder, &error))?;
        for _ in 0..8 {
            let random = RandomState::new().hash_one(clock::now());
            #[allow(clippy::cast_possible_truncation)] // any bits do
            let file = form.work.first_file(clock::now(), random as u32)?;
            let path = folder.join(&file.file);
            let is_only = form.work.format().only_file().is_some();
            let is_taken = |beside: &FirstText| folder.join(&beside.file).exists();
            match path.exists() || file.beside.iter().any(is_taken) {
                true if is_only && form.replace => return self.replace_with(workspace, file),
                true if is_only => return Err(Failure::new(FailureKind::Exists).with("path", &file.file)),
                true => continue,
                false => {}
            }
            create_files(&folder, &file)?;
            return Ok(file.file);
        }
        Err(Failure::new(FailureKind::Exists).with("path", &form.folder))
    }
}

/// Makes the files of a new loop, none of which is there yet.
///
/// # Errors
/// `Disk` (`path`, `reason`).
pub(crate) fn create_files(folder: &Path, first: &FirstFile) -> Result<(), Failure> {
    // The state file comes last: then the loop is there, and whole.
    let beside = first.beside.iter().map(|beside| (&beside.file, &beside.text));
    for (file, text) in beside.chain([(&first.file, &first.text)]) {
        create(folder, file, text)
            .map_err(|reason| Failure::new(FailureKind::Disk).with("path", file).with("reason", reason))?;
    }
    Ok(())
}

/// Makes a file that is not there yet, with its folders; or says why not.
fn create(folder: &Path, file: &str, text: &str) -> Result<(), String> {
    let path = folder.join(file);
    files::make_folder_above(folder, &path).map_err(|error| error.to_string())?;
    files::create(folder, &path, text.as_bytes()).map(drop).map_err(|fault| format!("{fault:?}"))
}

/// A loop that is in the repository is not the one that starts in its new worktree; the commit keeps it. A link that leads out of the
/// worktree points to a foreign file, which stays.
pub(crate) fn remove_checked_out(worktree: &Path, file: &str) {
    let Ok(folder) = files::canonical_folder(worktree) else { return };
    let file = folder.join(file);
    if file.parent().is_some_and(|above| files::lies_within(&folder, above)) {
        let _ = std::fs::remove_file(file); // usually there is none
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_where_a_link_leads_out() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = inside.path().canonical().unwrap();
        let path = workspace.join(".workflow/.loop/x.json");
        std::os::unix::fs::symlink(outside.path(), workspace.join(".workflow")).unwrap();
        assert!(files::make_folder_above(&workspace, &path).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        std::fs::remove_file(workspace.join(".workflow")).unwrap();
        files::make_folder_above(&workspace, &path).unwrap();
        files::make_folder_above(&workspace, &workspace.join(".claude/x.md")).unwrap();
        assert!(workspace.join(".workflow").is_dir());
    }
}
