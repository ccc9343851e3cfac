//! What changed in the folder of a loop since the loop began there, file by file.

use super::Runtime;
use super::loop_in_git::LoopInGit;
use crate::store::journal::{Began, FileVersion, Journal};
use crate::store::restoring::current;
use crate::views::{ChangingRun, Failure, FailureKind, LoopChanges, LoopFileRow, LoopFileTexts};
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::changes::ChangeKind;
use loopdeck_execution::git;
use loopdeck_execution::git::since::{FileSince, bytes_in, file_since, files_since};
use loopdeck_execution::mask::Mask;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A longer file is not shown, and not put back in parts.
const LONGEST: u64 = 1 << 20;

/// The files of the last list that were moved: where they were, by where they are.
pub(super) type Moved = Mutex<Option<(String, BTreeMap<String, String>)>>;

impl Runtime {
    /// Everything that changed since a loop began, by path. What git ignores and the state of loops is left out.
    ///
    /// # Errors
    /// `UnknownLoop`; `Untrusted`; `RepositoryChanged`; `GitRefused`, also without a repository.
    pub fn loop_changes(&self, key: &str) -> Result<LoopChanges, Failure> {
        let of = self.loop_in_git(key)?;
        let began = self.began(key)?;
        let base = began.as_ref().and_then(|began| began.commit.as_deref());
        let found = files_since(&of.repository, base).map_err(|error| git::failure(&of.root, &error))?;
        let moved = found.iter().filter_map(|file| Some((file.path.clone(), file.from.clone()?)));
        *self.moved.lock() = Some((key.to_owned(), moved.collect()));
        let viewed = self.in_journal(key, Journal::viewed)?;
        let comments = self.comment_counts(key)?;
        let since = began.as_ref().map(Began::timestamp);
        let runs = self.changing_runs(key, found.iter().map(|file| &*file.path), since)?;
        let mut changed_by = vec![Vec::new(); found.len()];
        for (run, at) in runs.iter().zip(0..) {
            for file in run.files.iter().flatten().filter_map(|file| usize::try_from(*file).ok()) {
                changed_by.get_mut(file).into_iter().for_each(|runs: &mut Vec<u32>| runs.push(at));
            }
        }
        let mask = self.choices.read(Mask::of_all);
        let row = |(file, changed_by): (FileSince, Vec<u32>)| {
            let last = changed_by.last().and_then(|last| runs.get(usize::try_from(*last).ok()?));
            let seen = viewed.get(&file.path);
            LoopFileRow {
                viewed: seen.is_some_and(|seen| *seen == fingerprint(&of.root, &file.path)),
                comments: comments.get(&file.path).copied().unwrap_or(0),
                iteration: last.map(|run| run.iteration),
                run: last.map(|run| run.id.clone()),
                changed_by,
                path: mask.hide(file.path),
                from: file.from.map(|from| mask.hide(from)),
                kind: file.kind,
                lines: file.lines,
                is_submodule: file.is_submodule,
            }
        };
        let files: Vec<LoopFileRow> = found.into_iter().zip(changed_by).map(row).collect();
        let runs = runs.into_iter().map(|run| ChangingRun { id: run.id, iteration: run.iteration }).collect();
        let since = began.filter(|began| began.commit.is_some()).map(|began| began.at);
        let mut changes = LoopChanges { since, files, runs, ..LoopChanges::default() };
        changes.keep_only(|_, _| true);
        Ok(changes)
    }

    /// The two versions of one of these files.
    ///
    /// # Errors
    /// As [`Runtime::loop_changes`]; `NoChanges` for a file that is none of them.
    pub fn loop_change(&self, key: &str, path: &str) -> Result<LoopFileTexts, Failure> {
        let of = self.loop_in_git(key)?;
        let (file, before) = self.before(key, &of, path)?;
        let after = current(&of.root, path).map_err(|error| unreadable(path, &error))?;
        let fingerprint = fingerprint_of(after.as_ref());
        let after = after.map(|version| version.bytes).unwrap_or_default();
        let before = before.unwrap_or_default();
        let both = [&*before, &*after];
        let is_text = |bytes: &[u8]| bytes.len() as u64 <= LONGEST && std::str::from_utf8(bytes).is_ok();
        if file.is_submodule || !both.into_iter().all(|bytes| is_text(bytes) && !bytes.contains(&0)) {
            return Ok(LoopFileTexts { fingerprint, ..LoopFileTexts::default() });
        }
        let mask = self.choices.read(Mask::of_all);
        let texts = both.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let hidden = texts.clone().map(|text| mask.hide(text));
        let has_hunks = hidden == texts;
        let [before, after] = hidden.map(|text| text.lines().map(str::to_owned).collect());
        Ok(LoopFileTexts { before, after, fingerprint, has_text: true, has_hunks })
    }

    /// Marks a file as viewed in the version with this fingerprint, or no longer.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when it cannot be kept.
    pub fn mark_viewed(&self, key: &str, path: &str, fingerprint: Option<String>) -> Result<(), Failure> {
        let path = path.to_owned();
        self.in_journal(key, move |journal, of| journal.mark_viewed(of, &path, fingerprint.as_deref()))
    }

    /// The file of [`Runtime::loop_changes`] at `path`, with what it held when the loop began; `None` when it was not there.
    pub(super) fn before(
        &self,
        key: &str,
        of: &LoopInGit,
        path: &str,
    ) -> Result<(FileSince, Option<Vec<u8>>), Failure> {
        let refused = |error: io::Error| git::failure(&of.root, &error);
        let began = self.began(key)?.and_then(|began| began.commit);
        let look = |from: Option<&str>| file_since(&of.repository, began.as_deref(), path, from);
        let mut file = look(None).map_err(refused)?;
        // Only a new one may have been moved here.
        if file.as_ref().is_some_and(|file| file.kind == ChangeKind::Added)
            && let Some(from) = self.moved_from(key, path)?
        {
            file = look(Some(&from)).map_err(refused)?;
        }
        let file = file.ok_or_else(|| Failure::new(FailureKind::NoChanges).with("reason", path))?;
        let base = match began {
            Some(commit) => Some(commit),
            None => git::bundle::head(&of.repository).ok(),
        };
        let name = file.from.as_deref().unwrap_or(path);
        let before = match base.filter(|_| !file.is_submodule) {
            Some(base) => bytes_in(&of.repository, &base, name).map_err(refused)?,
            None => None,
        };
        Ok((file, before))
    }

    /// Where a file was when its loop began, as the last list of changes has it; one is made when there is none.
    fn moved_from(&self, key: &str, path: &str) -> Result<Option<String>, Failure> {
        let is_known = self.moved.lock().as_ref().is_some_and(|(of, _)| of == key);
        if !is_known {
            self.loop_changes(key)?;
        }
        let moved = self.moved.lock();
        Ok(moved.as_ref().and_then(|(_, moved)| moved.get(path).cloned()))
    }
}

/// Names a version of a file.
pub(super) fn fingerprint_of(version: Option<&FileVersion>) -> String {
    version.map_or_else(
        || "gone".to_owned(),
        |version| {
            let hash = format!("{:016x}", stable_hash(&version.bytes));
            if version.executable { hash + "x" } else { hash }
        },
    )
}

/// The same of the version that is there now; of what cannot be read, one that no version has.
fn fingerprint(root: &Path, path: &str) -> String {
    current(root, path).map_or_else(|_| String::new(), |version| fingerprint_of(version.as_ref()))
}

pub(super) fn unreadable(path: &str, error: &io::Error) -> Failure {
    Failure::new(FailureKind::Unreadable).with("path", path).with("reason", error)
}
