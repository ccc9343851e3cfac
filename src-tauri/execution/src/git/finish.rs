//! What a person does with the work of a loop: commit it, put it on a branch of its own, merge a worktree back, give one up, send it.
//!
//! All of it is the person's: their name and, for a commit, the hooks of the repository. Nothing here forces anything: what others
//! changed meanwhile is named, and then nothing is done.

mod branches;
mod commit;
mod sending;

pub use branches::{LeftWorktree, MergedBack, branch_here, leave_worktree, merge_back, own_commits};
pub use commit::{Committed, commit};
pub use sending::{Sent, push};

use super::Repository;
use super::apart::NOT_WORK;
use loopdeck_core::evidence;
use std::io;
use std::path::Path;

/// A file that is not as in the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFile {
    /// Relative to the folder. Untrusted text.
    pub path: String,
    /// Whether the person has staged something of it.
    pub staged: bool,
    /// It belongs to the state of a loop, not to its work. With evidence beside it, the state is work: only both prove something elsewhere.
    pub is_state: bool,
}

/// The files below the folder that are not as in the last commit, without what git ignores.
///
/// # Errors
/// What git says.
pub fn open_files(repository: &Repository) -> io::Result<Vec<OpenFile>> {
    let answer = super::status_bytes(repository)?;
    let prefix = repository.inner().to_string_lossy().into_owned();
    let file = |record: &[u8]| {
        let path = super::listed(record, &prefix).pop()?;
        let staged = !matches!(record.first(), Some(b' ' | b'?'));
        let is_state = is_state_file(&path) && !has_evidence(repository.folder(), &path);
        Some(OpenFile { path, staged, is_state })
    };
    Ok(answer.split(|byte| *byte == 0).filter_map(file).collect())
}

/// Whether the file belongs to the state of loops, as [`NOT_WORK`] names them.
fn is_state_file(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let folders = &parts[..parts.len().saturating_sub(1)];
    let is_aot = |pair: &[&str]| pair[0] == ".claude" && pair[1].starts_with("aot-loop-state");
    folders.contains(&".loop") || parts.windows(2).any(is_aot)
}

/// Whether evidence is kept of the loop that this file belongs to: `x.evidence.jsonl` beside `x.json` and `x.tasks.jsonl`.
fn has_evidence(folder: &Path, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let start = path.len() - name.len();
    name.match_indices('.')
        .map(|(at, _)| start + at)
        .any(|at| folder.join(format!("{}{}", &path[..at], evidence::ENDING)).is_file())
}

/// The same as patterns that leave them out.
pub(super) fn without_state_files() -> Vec<String> {
    NOT_WORK.iter().map(|pattern| pattern.replacen(":(top,glob)", ":(top,exclude,glob)", 1)).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
