//! What changed in the folder of a loop since the loop began there, file by file.

use super::Runtime;
use crate::store::journal::{self, Journal, LoopRef};
use crate::views::{Failure, FailureKind, LoopChanges, LoopFileRow, LoopFileTexts};
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::changes::{ChangeTotals, paths_in};
use loopdeck_execution::git::since::{FileSince, begin, bytes_in, files_since};
use loopdeck_execution::git::{self, Repository};
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::RunView;
use loopdeck_execution::runs::folder_of;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, files};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The fact that says where a loop began.
const BEGAN: &str = "began";
/// A longer file is not shown, and not put back in parts.
const LONGEST: u64 = 1 << 20;
/// A longer file is not put back.
const LONGEST_REVERTED: u64 = 32 << 20;
/// So many of the newest runs are asked which files they changed.
const MOST_RUNS: u32 = 200;

/// Where a loop began.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Began {
    /// The working state then.
    commit: String,
    /// ms since 1970 UTC.
    at: f64,
}

/// A loop with the repository of its folder.
pub(super) struct LoopInGit {
    pub(super) root: PathBuf,
    pub(super) file: String,
    pub(super) repository: Repository,
}

impl Runtime {
    /// Everything that changed since a loop began, by path. What git ignores and the state of loops is left out.
    ///
    /// # Errors
    /// `UnknownLoop`; `Untrusted`; `RepositoryChanged`; `GitRefused`, also without a repository.
    pub fn loop_changes(&self, key: &str) -> Result<LoopChanges, Failure> {
        let of = self.loop_in_git(key)?;
        let began = self.began(key)?;
        let found = files_since(&of.repository, began.as_ref().map(|began| &*began.commit));
        let found = found.map_err(|error| git::failure(&of.root, &error))?;
        let viewed = self.in_journal(key, Journal::viewed)?;
        let comments = self.comment_counts(key)?;
        let mut runs = self.last_runs(key, found.iter().map(|file| &*file.path))?;
        let mask = self.choices.read(Mask::of_all);
        let row = |file: FileSince| {
            let run = runs.remove(&file.path);
            let seen = viewed.get(&file.path);
            LoopFileRow {
                viewed: seen.is_some_and(|seen| *seen == fingerprint(&of.root, &file.path)),
                comments: comments.get(&file.path).copied().unwrap_or(0),
                iteration: run.as_ref().map(|run| run.iteration),
                run: run.map(|run| run.id),
                path: mask.hide(file.path),
                from: file.from.map(|from| mask.hide(from)),
                kind: file.kind,
                lines: file.lines,
                is_submodule: file.is_submodule,
            }
        };
        let files: Vec<LoopFileRow> = found.into_iter().map(row).collect();
        let lines = files.iter().filter_map(|file| file.lines);
        let lines = lines.fold(loopdeck_core::driver::ChangedLines::default(), std::ops::Add::add);
        let totals = ChangeTotals { files: u32::try_from(files.len()).unwrap_or(u32::MAX), lines };
        Ok(LoopChanges { since: began.map(|began| began.at), files, totals })
    }

    /// The two versions of one of these files.
    ///
    /// # Errors
    /// As [`Runtime::loop_changes`]; `NoChanges` for a file that is none of them.
    pub fn loop_change(&self, key: &str, path: &str) -> Result<LoopFileTexts, Failure> {
        let of = self.loop_in_git(key)?;
        let (file, before) = self.before(key, &of, path)?;
        let after = current(&of.root, path).map_err(|error| unreadable(path, &error))?;
        let fingerprint = fingerprint_of(after.as_deref());
        let both = [before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default()];
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

    /// Notes the working state of the folder as the beginning of a loop, once. Without a repository there is none.
    pub(crate) fn note_beginning(&self, key: &str) {
        let Ok(of) = self.loop_in_git(key) else { return };
        if !matches!(self.began(key), Ok(None)) {
            return;
        }
        let name = format!("{:016x}", stable_hash(key.as_bytes()));
        let began = begin(&of.repository, &name).map(|commit| Began { commit, at: clock::now().number() });
        let kept = began
            .map_err(|error| git::failure(&of.root, &error))
            .and_then(|began| self.in_journal(key, move |journal, of| journal.keep_fact(of, BEGAN, &began)));
        kept.logged("where a loop began is not kept: its changes are compared with the last commit");
    }

    /// Another loop has this name from now on.
    pub(crate) fn forget_way(&self, key: &str) {
        self.in_journal(key, Journal::forget_way)
            .logged("what was kept of an earlier loop of this name stays");
    }

    /// The file of [`Runtime::loop_changes`] at `path`, with what it held when the loop began; `None` when it was not there.
    pub(super) fn before(
        &self,
        key: &str,
        of: &LoopInGit,
        path: &str,
    ) -> Result<(FileSince, Option<Vec<u8>>), Failure> {
        let refused = |error: io::Error| git::failure(&of.root, &error);
        let began = self.began(key)?.map(|began| began.commit);
        let found = files_since(&of.repository, began.as_deref()).map_err(refused)?;
        let no_change = || Failure::new(FailureKind::NoChanges).with("reason", path);
        let file = found.into_iter().find(|file| file.path == path).ok_or_else(no_change)?;
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

    /// The loop named `key`, which is on this computer, with the repository of its folder.
    pub(super) fn loop_in_git(&self, key: &str) -> Result<LoopInGit, Failure> {
        self.refuse_elsewhere(key)?;
        let found = self.find(key)?;
        let repository = self.repository(&found.root)?;
        Ok(LoopInGit { root: found.root, file: found.entry.candidate.file, repository })
    }

    /// Asks the journal about a loop.
    pub(super) fn in_journal<T: Send + 'static>(
        &self,
        key: &str,
        ask: impl FnOnce(&mut Journal, LoopRef<'_>) -> Result<T, journal::Error> + Send + 'static,
    ) -> Result<T, Failure> {
        self.ask(key, move |owner, key| owner.store.in_journal(key, ask))
    }

    fn began(&self, key: &str) -> Result<Option<Began>, Failure> {
        self.in_journal(key, |journal, of| journal.fact(of, BEGAN))
    }

    /// For each of these files the newest run that changed it, as far as that is kept.
    fn last_runs<'p>(
        &self,
        key: &str,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<BTreeMap<String, RunView>, Failure> {
        let mut open: std::collections::BTreeSet<&str> = paths.collect();
        let mut last = BTreeMap::new();
        for run in self.newest_runs(key, MOST_RUNS)? {
            if open.is_empty() {
                break;
            }
            for path in self.paths_of(&run) {
                if open.remove(&*path) {
                    last.insert(path, run.clone());
                }
            }
        }
        Ok(last)
    }

    /// The files that a run changed, as far as that is kept.
    pub(super) fn paths_of(&self, run: &RunView) -> Vec<String> {
        if run.changes.is_none() {
            return Vec::new();
        }
        folder_of(&self.dirs().runs(), &run.id).and_then(|folder| paths_in(&folder)).unwrap_or_default()
    }
}

/// What a file holds now; `None` when it is not there.
///
/// # Errors
/// It is no regular file, or too long; what the disk says.
pub(super) fn current(root: &Path, path: &str) -> io::Result<Option<Vec<u8>>> {
    let whole = root.join(path);
    let above = whole.parent().unwrap_or(root);
    if above.exists() && !files::lies_within(root, above) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    match files::read_plain(&whole, LONGEST_REVERTED) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Names a version of a file.
pub(super) fn fingerprint_of(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| "gone".to_owned(), |bytes| format!("{:016x}", stable_hash(bytes)))
}

/// The same of the version that is there now; of what cannot be read, one that no version has.
fn fingerprint(root: &Path, path: &str) -> String {
    current(root, path).map_or_else(|_| String::new(), |bytes| fingerprint_of(bytes.as_deref()))
}

pub(super) fn unreadable(path: &str, error: &io::Error) -> Failure {
    Failure::new(FailureKind::Unreadable).with("path", path).with("reason", error)
}
