//! Putting files of a loop back to how they were: only what did not change since the person saw it, all of it or nothing, and both
//! versions are kept first.

use super::Runtime;
use super::loop_changes::{fingerprint_of, unreadable};
use super::loop_in_git::LoopInGit;
use crate::store::journal::{FileVersion, RevertedFile};
use crate::store::restoring::current;
use crate::views::{Failure, FailureKind, LineRange, RevertWanted, Reverted};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_execution::changes::RunChanges;
use loopdeck_execution::git::since::is_executable_in;
use loopdeck_execution::git::{self, bundle};
use loopdeck_execution::runs::folder_of;
use std::path::Path;

/// How git keeps a link, and a file that can be run.
const LINK: u32 = 0o120_000;
const EXECUTABLE: u32 = 0o100_755;

impl Runtime {
    /// Puts a file, some lines of it, or all files of a run back to how they were.
    ///
    /// # Errors
    /// `Refused` while the loop runs; `ShownChanged` when one of the files is not as it was shown, `NoChanges` when its version
    /// is not kept; `Disk`; `NoUndo` when both versions cannot be kept. Nothing is put back then.
    pub fn revert(&self, key: &str, wanted: &RevertWanted) -> Result<Reverted, Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let mut files = match wanted {
            RevertWanted::File { path, fingerprint } => self.file_back(key, &of, path, fingerprint)?,
            RevertWanted::Hunk { path, fingerprint, before, after } => {
                vec![self.lines_back(key, &of, (path, fingerprint), (*before, *after))?]
            }
            RevertWanted::Run { run } => self.run_back(key, &of, run)?,
        };
        files.retain(|file| file.before != file.after);
        if files.is_empty() {
            return Err(Failure::new(FailureKind::NoChanges).with("reason", "0"));
        }
        let names = files.iter().map(|file| file.path.clone()).collect();
        self.ask_change(key, move |owner, key| owner.store.restore_files(key, &files))?;
        Ok(Reverted { files: names })
    }

    /// Takes the last revert of a loop back.
    ///
    /// # Errors
    /// `NothingToUndo`; `Refused` while the loop runs; `ChangedSince` when one of the files changed since; `Disk`. Nothing is undone then.
    pub fn undo_revert(&self, key: &str) -> Result<Reverted, Failure> {
        self.refuse_at_work(key)?;
        let files = self.ask_change(key, |owner, key| owner.store.undo_restored_files(key))?;
        Ok(Reverted { files })
    }

    /// Refuses what would change files under an agent.
    pub(super) fn refuse_at_work(&self, key: &str) -> Result<(), Failure> {
        let workspace = loopdeck_core::loop_id::workspace_of(key);
        if self.is_live(key) || self.count_running(workspace) > 0 {
            return Err(Refusal::new(RefusalCode::Running).into());
        }
        Ok(())
    }

    /// A whole file; one that was moved goes back to its place.
    fn file_back(
        &self,
        key: &str,
        of: &LoopInGit,
        path: &str,
        fingerprint: &str,
    ) -> Result<Vec<RevertedFile>, Failure> {
        let (file, before) = self.before(key, of, path)?;
        // Only regular files are written.
        if file.is_submodule || file.mode == LINK {
            return Err(Failure::new(FailureKind::NotARegularFile).with("path", path));
        }
        let now = as_shown(&of.root, path, fingerprint)?;
        let before = before.map(|bytes| FileVersion { bytes, executable: file.mode == EXECUTABLE });
        let Some(from) = file.from else {
            return Ok(vec![RevertedFile { path: path.to_owned(), before: now, after: before }]);
        };
        let gone = RevertedFile { path: path.to_owned(), before: now, after: None };
        Ok(vec![gone, RevertedFile { path: from, before: None, after: before }])
    }

    /// Some lines of a file.
    fn lines_back(
        &self,
        key: &str,
        of: &LoopInGit,
        (path, fingerprint): (&str, &str),
        (back, gone): (LineRange, LineRange),
    ) -> Result<RevertedFile, Failure> {
        let (_, before) = self.before(key, of, path)?;
        let now = as_shown(&of.root, path, fingerprint)?;
        let no_lines = || Failure::new(FailureKind::ShownChanged).with("path", path);
        let (Some(old), Some(new)) = (&before, &now) else { return Err(no_lines()) };
        let bytes = with_lines(old, &new.bytes, back, gone).ok_or_else(no_lines)?;
        let after = Some(FileVersion { bytes, executable: new.executable });
        Ok(RevertedFile { path: path.to_owned(), before: now, after })
    }

    /// Every file that a run changed, as long as it is as the run left it.
    fn run_back(&self, key: &str, of: &LoopInGit, run: &str) -> Result<Vec<RevertedFile>, Failure> {
        let is_of_loop =
            self.newest_runs(key, 500)?.iter().any(|known| known.id == run && known.worktree.is_none());
        if !is_of_loop {
            return Err(Failure::new(FailureKind::UnknownRun));
        }
        let not_kept =
            |reason: &dyn std::fmt::Display| Failure::new(FailureKind::NoChanges).with("reason", reason);
        let folder = folder_of(&self.dirs().runs(), run).map_err(|error| not_kept(&error))?;
        let changes = RunChanges::read(&folder).map_err(|error| not_kept(&error))?;
        let back = |file: &loopdeck_execution::changes::ChangedFile| {
            let [before, after] = file.versions().ok_or_else(|| not_kept(&file.path))?;
            let now = current(&of.root, &file.path).map_err(|error| unreadable(&file.path, &error))?;
            if now.as_ref().map(|now| &*now.bytes) != after {
                return Err(Failure::new(FailureKind::ShownChanged).with("path", &file.path));
            }
            let executable = match (&now, before) {
                (Some(now), _) => now.executable,
                (None, Some(_)) => self.could_be_run(key, of, &file.path)?,
                (None, None) => false,
            };
            let after = before.map(|bytes| FileVersion { bytes: bytes.to_vec(), executable });
            Ok(RevertedFile { path: file.path.clone(), before: now, after })
        };
        changes.files.iter().map(back).collect()
    }

    /// Whether a file that is gone could be run when its loop began, or in the last commit.
    fn could_be_run(&self, key: &str, of: &LoopInGit, path: &str) -> Result<bool, Failure> {
        let began = self.began(key)?.and_then(|began| began.commit);
        for base in began.into_iter().chain(bundle::head(&of.repository).ok()) {
            let found = is_executable_in(&of.repository, &base, path);
            if found.map_err(|error| git::failure(&of.root, &error))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What the file holds, when that is what the person saw.
fn as_shown(root: &Path, path: &str, fingerprint: &str) -> Result<Option<FileVersion>, Failure> {
    let now = current(root, path).map_err(|error| unreadable(path, &error))?;
    if fingerprint_of(now.as_ref()) == fingerprint {
        return Ok(now);
    }
    Err(Failure::new(FailureKind::ShownChanged).with("path", path))
}

/// `new` with these lines of `old` in the place of its own; `None` when it has no such lines.
fn with_lines(old: &[u8], new: &[u8], back: LineRange, gone: LineRange) -> Option<Vec<u8>> {
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let range = |range: LineRange| {
        let first = usize::try_from(range.first).ok()?;
        Some(first..first.checked_add(usize::try_from(range.count).ok()?)?)
    };
    let (back, gone) = (old.get(range(back)?)?, range(gone)?);
    new.get(gone.clone())?;
    let mut bytes = Vec::with_capacity(old.iter().chain(&new).map(|line| line.len()).sum());
    for line in [&new[..gone.start], back, &new[gone.end..]].into_iter().flatten() {
        // The last line of a version may have no end: it is not the last one here.
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_with_their_line_ends() {
        let range = |first, count| LineRange { first, count };
        let (old, new) = (&b"a\r\nb\r\nc"[..], &b"a\nx\ny\n"[..]);
        for (back, gone, expected) in [
            (range(1, 1), range(1, 2), Some(&b"a\nb\r\n"[..])),
            (range(0, 0), range(1, 2), Some(&b"a\n"[..])),
            (range(2, 1), range(3, 0), Some(&b"a\nx\ny\nc"[..])),
            (range(2, 1), range(1, 1), Some(&b"a\nc\ny\n"[..])),
            (range(3, 1), range(0, 0), None),
            (range(0, 1), range(2, 2), None),
            (range(0, u32::MAX), range(0, 0), None),
        ] {
            assert_eq!(with_lines(old, new, back, gone).as_deref(), expected, "{back:?} {gone:?}");
        }
    }
}
