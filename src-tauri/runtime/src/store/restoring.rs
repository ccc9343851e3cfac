//! Putting files of a workspace back, in the thread of its owner: nothing of ours starts there meanwhile.

use crate::store::journal::{FileVersion, LoopRef, RevertedFile};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_system::files::{self, ReplaceFault};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, platform};
use std::io;
use std::path::Path;

/// A longer file is not put back.
pub(crate) const LONGEST_REVERTED: u64 = 32 << 20;

impl WorkspaceStore {
    /// Puts files of the loop named `key` back, all of them or none. Both versions are in the journal first.
    pub(crate) fn restore_files(&mut self, key: &str, files: &[RevertedFile]) -> Result<(), Failure> {
        self.refuse_beside_runs()?;
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let keep = self.journal.keep_revert(of, files, clock::now()).map_err(Failure::from);
        let id = keep.map_err(|failure| match failure.args.get("reason") {
            Some(reason) => Failure::new(FailureKind::NoUndo).with("reason", reason),
            None => failure,
        })?;
        let done = put_all(&root, files);
        if done.is_err() {
            self.forget_revert(id);
        }
        done
    }

    /// Takes the last revert of the loop named `key` back, all of it or nothing. Answers the files.
    pub(crate) fn undo_restored_files(&mut self, key: &str) -> Result<Vec<String>, Failure> {
        self.refuse_beside_runs()?;
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let last = self.journal.last_revert(of)?;
        let last =
            last.ok_or_else(|| Failure::new(FailureKind::NothingToUndo).with("path", &candidate.file))?;
        let back = |file: RevertedFile| RevertedFile { before: file.after, after: file.before, ..file };
        let mut files: Vec<RevertedFile> = last.files.into_iter().map(back).collect();
        // Loopdeck may have been killed in between: what is back already stays.
        files.retain(|file| current(&root, &file.path).ok().as_ref() != Some(&file.after));
        put_all(&root, &files).map_err(|failure| match failure.kind {
            FailureKind::ShownChanged => Failure { kind: FailureKind::ChangedSince, ..failure },
            _ => failure,
        })?;
        self.forget_revert(last.id);
        Ok(files.into_iter().map(|file| file.path).collect())
    }

    /// Refuses what would change files under an agent of ours.
    fn refuse_beside_runs(&self) -> Result<(), Failure> {
        if self.scheduler.is_any_on() {
            return Err(Refusal::new(RefusalCode::Running).into());
        }
        Ok(())
    }

    fn forget_revert(&mut self, id: i64) {
        self.journal.forget_revert(id).logged("a revert that is over is offered to be undone");
    }
}

/// What is at `path` now; `None` when nothing is.
///
/// # Errors
/// It is no regular file, or too long; what the disk says.
pub(crate) fn current(root: &Path, path: &str) -> io::Result<Option<FileVersion>> {
    let whole = root.join(path);
    let above = whole.parent().unwrap_or(root);
    if above.exists() && !files::lies_within(root, above) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    match files::read_version(&whole, LONGEST_REVERTED) {
        Ok((bytes, executable)) => Ok(Some(FileVersion { bytes, executable })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts each file to its new version, or none of them.
fn put_all(root: &Path, all: &[RevertedFile]) -> Result<(), Failure> {
    for (at, file) in all.iter().enumerate() {
        let Err(fault) = put(root, &file.path, (file.before.as_ref(), file.after.as_ref())) else { continue };
        for file in all[..at].iter().rev() {
            // What somebody else has changed meanwhile is theirs, and stays.
            let _ = put(root, &file.path, (file.after.as_ref(), file.before.as_ref()));
        }
        return Err(match fault {
            ReplaceFault::Changed(_) => Failure::new(FailureKind::ShownChanged).with("path", &file.path),
            ReplaceFault::Io(error) => {
                Failure::new(FailureKind::Disk).with("path", &file.path).with("reason", error)
            }
        });
    }
    Ok(())
}

/// Puts one version in the place of another one, guarded.
fn put(
    root: &Path,
    path: &str,
    (from, to): (Option<&FileVersion>, Option<&FileVersion>),
) -> Result<(), ReplaceFault> {
    let whole = root.join(path);
    let seen = whole.symlink_metadata().ok();
    let is_as_before = |from: &FileVersion| {
        seen.as_ref().is_some_and(|seen| platform::is_executable(seen) == from.executable)
    };
    if !from.is_none_or(is_as_before) {
        return Err(ReplaceFault::Changed(None));
    }
    match (from, to) {
        (Some(from), Some(to)) => {
            if from.bytes != to.bytes {
                files::replace(root, &whole, &from.bytes, &to.bytes)?;
            }
            let is_same = from.executable == to.executable;
            let set = if is_same { Ok(()) } else { files::set_executable(root, &whole, to.executable) };
            set.map_err(|error| {
                let _ = files::replace(root, &whole, &to.bytes, &from.bytes);
                error.into()
            })
        }
        (Some(from), None) => files::remove(root, &whole, &from.bytes),
        (None, Some(to)) => {
            if let Some((folders, _)) = path.rsplit_once('/') {
                files::make_folders(root, folders)?;
            }
            files::create(root, &whole, &to.bytes)?;
            if !to.executable {
                return Ok(());
            }
            files::set_executable(root, &whole, true).map_err(|error| {
                let _ = files::remove(root, &whole, &to.bytes);
                error.into()
            })
        }
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_back_together_with_their_modes_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let root = files::canonical_folder(dir.path()).unwrap();
        let version = |text: &str| FileVersion {
            bytes: text.trim_start_matches('!').as_bytes().to_vec(),
            executable: text.starts_with('!'),
        };
        let file = |path: &str, before: Option<&str>, after: Option<&str>| RevertedFile {
            path: path.into(),
            before: before.map(version),
            after: after.map(version),
        };
        for (name, text) in [("a", "new"), ("added", "added"), ("mode", "same")] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let all = [
            file("a", Some("new"), Some("!old")),
            file("added", Some("added"), None),
            file("deep/er/gone", None, Some("!back")),
            file("mode", Some("same"), Some("!same")),
            file("b", Some("as shown"), Some("x")),
        ];
        let held = |all: &[RevertedFile]| -> Vec<Option<FileVersion>> {
            all.iter().map(|file| current(&root, &file.path).unwrap()).collect()
        };
        let before: Vec<_> = all[..4].iter().map(|file| file.before.clone()).collect();
        let after: Vec<_> = all[..4].iter().map(|file| file.after.clone()).collect();
        let missing = put_all(&root, &all).unwrap_err();
        assert_eq!(missing.args.get("path").map(String::as_str), Some("b"));
        assert_eq!(held(&all[..4]), before);
        put_all(&root, &all[..4]).unwrap();
        assert_eq!(held(&all[..4]), after);
        let failure = put_all(&root, &[file("mode", Some("same"), None)]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::ShownChanged, "it can be run since");
        assert_eq!(held(&all[..4]), after);
    }
}
