//! What changed in the folder of a loop since the loop began there, file by file.

use super::Runtime;
use crate::store::journal::{self, Journal, LoopRef};
use crate::views::{ChangingRun, Failure, FailureKind, LoopChanges, LoopFileRow, LoopFileTexts};
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::git::since::{FileSince, begin, bytes_in, files_since};
use loopdeck_execution::git::{self, Repository};
use loopdeck_execution::mask::Mask;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, files};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The fact that says where a loop began.
const BEGAN: &str = "began";
/// A longer file is not shown, and not put back in parts.
const LONGEST: u64 = 1 << 20;
/// A longer file is not put back.
const LONGEST_REVERTED: u64 = 32 << 20;

/// Where a loop began.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Began {
    /// The working state then.
    commit: String,
    /// ms since 1970 UTC.
    at: f64,
}

impl Began {
    #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
    fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.at as i64)
    }
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
        let since = began.map(|began| began.at);
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
