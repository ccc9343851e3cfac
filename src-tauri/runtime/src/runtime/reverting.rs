//! Putting files of a loop back to how they were: only what did not change since the person saw it, all of it or nothing, and both
//! versions are kept first.

use super::Runtime;
use super::loop_changes::{LoopInGit, current, fingerprint_of, unreadable};
use crate::store::journal::{Journal, RevertedFile};
use crate::views::{Failure, FailureKind, LineRange, RevertWanted, Reverted};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_execution::changes::RunChanges;
use loopdeck_execution::runs::folder_of;
use loopdeck_system::clock;
use loopdeck_system::files::{self, ReplaceFault};
use loopdeck_system::logged::Logged as _;
use std::path::Path;

impl Runtime {
    /// Puts a file, some lines of it, or all files of a run back to how they were.
    ///
    /// # Errors
    /// `Refused` while the loop runs; `ShownChanged` when one of the files is not as it was shown, `NoChanges` when its version
    /// is not kept; `Disk`; `NoUndo` when both versions cannot be kept. Nothing is put back then.
    pub fn revert(&self, key: &str, wanted: &RevertWanted) -> Result<Reverted, Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let files = match wanted {
            RevertWanted::File { path, fingerprint } => self.file_back(key, &of, path, fingerprint)?,
            RevertWanted::Hunk { path, fingerprint, before, after } => {
                vec![self.lines_back(key, &of, (path, fingerprint), (*before, *after))?]
            }
            RevertWanted::Run { run } => self.run_back(key, &of, run)?,
        };
        if files.is_empty() {
            return Err(Failure::new(FailureKind::NoChanges).with("reason", "0"));
        }
        let kept = files.clone();
        let keep = self.in_journal(key, move |journal, of| journal.keep_revert(of, &kept, clock::now()));
        let id = keep.map_err(|failure| match failure.args.get("reason") {
            Some(reason) => Failure::new(FailureKind::NoUndo).with("reason", reason),
            None => failure,
        })?;
        let done = put_all(&of.root, &files);
        if done.is_err() {
            self.forget_revert(key, id);
        }
        done.map(|()| reverted(&files))
    }

    /// Takes the last revert of a loop back.
    ///
    /// # Errors
    /// `NothingToUndo`; `Refused` while the loop runs; `ChangedSince` when one of the files changed since; `Disk`. Nothing is undone then.
    pub fn undo_revert(&self, key: &str) -> Result<Reverted, Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let last = self.in_journal(key, Journal::last_revert)?;
        let last = last.ok_or_else(|| Failure::new(FailureKind::NothingToUndo).with("path", &of.file))?;
        let back = |file: RevertedFile| RevertedFile { before: file.after, after: file.before, ..file };
        let mut files: Vec<RevertedFile> = last.files.into_iter().map(back).collect();
        // Loopdeck may have been killed in between: what is back already stays.
        files.retain(|file| current(&of.root, &file.path).ok().as_ref() != Some(&file.after));
        put_all(&of.root, &files).map_err(|failure| match failure.kind {
            FailureKind::ShownChanged => Failure { kind: FailureKind::ChangedSince, ..failure },
            _ => failure,
        })?;
        self.forget_revert(key, last.id);
        Ok(reverted(&files))
    }

    /// Refuses what would change files under an agent.
    pub(super) fn refuse_at_work(&self, key: &str) -> Result<(), Failure> {
        let workspace = loopdeck_core::loop_id::workspace_of(key);
        if self.is_live(key) || self.count_running(workspace) > 0 {
            return Err(Refusal::new(RefusalCode::Running).into());
        }
        Ok(())
    }

    fn forget_revert(&self, key: &str, id: i64) {
        self.in_journal(key, move |journal, _| journal.forget_revert(id))
            .logged("a revert that is over is offered to be undone");
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
        if file.is_submodule || file.mode == 0o120_000 {
            return Err(Failure::new(FailureKind::NotARegularFile).with("path", path));
        }
        let now = as_shown(&of.root, path, fingerprint)?;
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
        let after = with_lines(old, new, back, gone).ok_or_else(no_lines)?;
        Ok(RevertedFile { path: path.to_owned(), before: now, after: Some(after) })
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
            if now.as_deref() != after {
                return Err(Failure::new(FailureKind::ShownChanged).with("path", &file.path));
            }
            Ok(RevertedFile { path: file.path.clone(), before: now, after: before.map(<[u8]>::to_vec) })
        };
        changes.files.iter().map(back).collect()
    }
}

fn reverted(files: &[RevertedFile]) -> Reverted {
    Reverted { files: files.iter().map(|file| file.path.clone()).collect() }
}

/// What the file holds, when that is what the person saw.
fn as_shown(root: &Path, path: &str, fingerprint: &str) -> Result<Option<Vec<u8>>, Failure> {
    let now = current(root, path).map_err(|error| unreadable(path, &error))?;
    if fingerprint_of(now.as_deref()) == fingerprint {
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
    Some([&new[..gone.start], back, &new[gone.end..]].concat().concat())
}

/// Puts each file to its new version, or none of them.
fn put_all(root: &Path, all: &[RevertedFile]) -> Result<(), Failure> {
    for (at, file) in all.iter().enumerate() {
        let Err(fault) = put(root, &file.path, (file.before.as_deref(), file.after.as_deref())) else {
            continue;
        };
        for file in all[..at].iter().rev() {
            // What somebody else has changed meanwhile is theirs, and stays.
            let _ = put(root, &file.path, (file.after.as_deref(), file.before.as_deref()));
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
fn put(root: &Path, path: &str, (from, to): (Option<&[u8]>, Option<&[u8]>)) -> Result<(), ReplaceFault> {
    let whole = root.join(path);
    match (from, to) {
        (Some(from), Some(to)) => files::replace(root, &whole, from, to).map(drop),
        (Some(from), None) => files::remove(root, &whole, from),
        (None, Some(to)) => {
            if let Some((folders, _)) = path.rsplit_once('/') {
                files::make_folders(root, folders)?;
            }
            files::create(root, &whole, to).map(drop)
        }
        (None, None) => Ok(()),
    }
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
            (range(3, 1), range(0, 0), None),
            (range(0, 1), range(2, 2), None),
            (range(0, u32::MAX), range(0, 0), None),
        ] {
            assert_eq!(with_lines(old, new, back, gone).as_deref(), expected, "{back:?} {gone:?}");
        }
    }

    #[test]
    fn files_are_put_back_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let root = files::canonical_folder(dir.path()).unwrap();
        let file = |path: &str, before: Option<&str>, after: Option<&str>| RevertedFile {
            path: path.into(),
            before: before.map(|text| text.as_bytes().to_vec()),
            after: after.map(|text| text.as_bytes().to_vec()),
        };
        std::fs::write(root.join("a"), "new").unwrap();
        std::fs::write(root.join("added"), "added").unwrap();
        let all = [
            file("a", Some("new"), Some("old")),
            file("added", Some("added"), None),
            file("deep/er/gone", None, Some("back")),
            file("b", Some("as shown"), Some("x")),
        ];
        let failure = put_all(&root, &all).unwrap_err();
        assert_eq!(failure.args.get("path").map(String::as_str), Some("b"));
        let read = |name: &str| std::fs::read_to_string(root.join(name)).ok();
        assert_eq!((read("a").as_deref(), read("added").as_deref()), (Some("new"), Some("added")));
        assert_eq!(read("deep/er/gone"), None);
        put_all(&root, &all[..3]).unwrap();
        assert_eq!((read("a").as_deref(), read("added")), (Some("old"), None));
        assert_eq!(read("deep/er/gone").as_deref(), Some("back"));
    }
}
