//! What git says of a folder: branch, uncommitted files, a worktree of its own for a loop, files that a run changed.
//!
//! A repository can name programs (hooks, monitors, filters) in its own settings: only the branch is read without git,
//! everything else is asked after the person trusted the folder, with hooks and monitors switched off.

use crate::brief::{Question, ask};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const LIMIT: Duration = Duration::from_secs(20);
/// Files that are compared where there is no git.
const MOST_FILES: usize = 50_000;
/// Folders that hold no work of an agent.
const SKIPPED: [&str; 8] =
    [".git", "node_modules", "target", ".workflow", ".loop", ".venv", "__pycache__", "dist"];

/// The branch that is checked out at or above `folder`, or the first characters of a commit. Read from files, nothing
/// is run.
#[must_use]
pub fn branch(folder: &Path) -> Option<String> {
    let dot_git = folder.ancestors().map(|above| above.join(".git")).find(|path| path.exists())?;
    let git_dir = if dot_git.is_dir() {
        dot_git
    } else {
        let text = std::fs::read_to_string(&dot_git).ok()?;
        let named = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
        if named.is_absolute() { named } else { dot_git.parent()?.join(named) }
    };
    let head = std::fs::read_to_string(git_dir.join("HEAD")).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.chars().take(200).collect(),
        None => head.chars().take(10).collect(),
    })
}

/// How many files below `folder` differ from the last commit; `None` without git or a repository.
#[must_use]
pub fn uncommitted(folder: &Path) -> Option<u32> {
    let names = status(folder)?;
    Some(u32::try_from(names.len()).unwrap_or(u32::MAX))
}

/// Makes a worktree with a new branch at `at`, and answers its canonical path.
///
/// # Errors
/// The first line that git says.
pub fn add_worktree(folder: &Path, branch: &str, at: &Path) -> io::Result<PathBuf> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let args = ["worktree", "add", "-b", branch, "--"].map(OsStr::new);
    let mut args = args.to_vec();
    args.push(at.as_os_str());
    let answer = git(folder, &args)?;
    if answer.code == Some(0) {
        return at.canonicalize();
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let first = said.lines().find(|line| line.starts_with("fatal")).or_else(|| said.lines().last());
    Err(io::Error::other(first.unwrap_or("git did not say why").to_owned()))
}

/// Takes back what [`add_worktree`] made just now: the folder, and the branch, on which nothing was done.
pub fn remove_worktree(folder: &Path, branch: &str, at: &Path) {
    let remove = ["worktree", "remove", "--force", "--"].map(OsStr::new);
    // What git refuses stays, and can be seen there.
    let _ = git(folder, &[&remove[..], &[at.as_os_str()]].concat());
    let _ = git(folder, &["branch", "-D", "--", branch].map(OsStr::new));
}

/// A look at the files of a folder, to tell later which ones changed.
#[derive(Clone, Debug, Default)]
pub struct Look {
    commit: Option<String>,
    files: BTreeMap<String, (u64, Option<SystemTime>)>,
}

/// Looks at `folder` now.
#[must_use]
pub fn look(folder: &Path) -> Look {
    match status(folder) {
        Some(names) => {
            let commit =
                git(folder, &["rev-parse", "HEAD"].map(OsStr::new)).ok().and_then(|it| it.good_text());
            Look { commit, files: names.into_iter().map(|name| stamped(folder, name)).collect() }
        }
        None => Look { commit: None, files: walk(folder) },
    }
}

/// Files that differ from what `before` saw, by name, relative to the folder; at most 500.
#[must_use]
pub fn changed_since(folder: &Path, before: &Look) -> Vec<String> {
    let now = look(folder);
    let mut changed: Vec<String> = Vec::new();
    if let (Some(then), Some(commit)) = (&before.commit, &now.commit)
        && then != commit
    {
        let range = ["diff", "--name-only", "-z", "--relative", then, commit].map(OsStr::new);
        let listed = git(folder, &range).ok().filter(|answer| answer.code == Some(0));
        changed.extend(listed.iter().flat_map(|answer| names(&answer.stdout)));
    }
    let differs =
        |(name, stamp): &(&String, &(u64, Option<SystemTime>))| before.files.get(*name) != Some(*stamp);
    changed.extend(now.files.iter().filter(differs).map(|(name, _)| name.clone()));
    // Without git every file was listed: one that is gone was deleted. With it, one that is clean again was put back.
    changed.extend(before.files.keys().filter(|name| !now.files.contains_key(*name)).cloned());
    changed.retain(|name| !is_ours(name));
    changed.sort();
    changed.dedup();
    changed.truncate(500);
    changed
}

/// State files and progress files are written by loops, not by their work.
fn is_ours(name: &str) -> bool {
    [".workflow/", ".loop/", ".claude/aot-loop-state"].iter().any(|prefix| name.starts_with(prefix))
}

fn status(folder: &Path) -> Option<Vec<String>> {
    let args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", "."];
    let prefix = git(folder, &["rev-parse", "--show-prefix"].map(OsStr::new)).ok()?.good_text()?;
    let answer = git(folder, &args.map(OsStr::new)).ok().filter(|answer| answer.code == Some(0))?;
    // Names are relative to the top of the repository.
    let below = |name: String| name.strip_prefix(&prefix).map(str::to_owned);
    Some(
        names(&answer.stdout).filter_map(|line| line.get(3..).map(str::to_owned)).filter_map(below).collect(),
    )
}

fn names(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    bytes
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
}

fn git(folder: &Path, args: &[&OsStr]) -> io::Result<crate::brief::Answer> {
    let quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
    let also = [("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")];
    let args = quiet.iter().map(OsStr::new).chain(args.iter().copied()).collect();
    let program = Path::new("git");
    ask(&Question { program, args, folder: Some(folder), environment: None, also: &also, limit: LIMIT })
}

fn stamped(folder: &Path, name: String) -> (String, (u64, Option<SystemTime>)) {
    let seen = folder.join(&name).symlink_metadata();
    let stamp = seen.map_or((0, None), |seen| (seen.len(), seen.modified().ok()));
    (name, stamp)
}

/// Every file below `folder`, without folders that hold no work; links are not followed.
fn walk(folder: &Path) -> BTreeMap<String, (u64, Option<SystemTime>)> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
            let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !skipped {
                open.push(path);
            } else if let (true, Ok(below)) = (kind.is_file(), path.strip_prefix(folder)) {
                let name = below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
                let (name, stamp) = stamped(folder, name);
                files.insert(name, stamp);
            }
            if files.len() >= MOST_FILES {
                return files;
            }
        }
    }
    files
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn git_ok(folder: &Path, args: &[&str]) {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let answer = git(folder, &args).unwrap();
        assert_eq!(answer.code, Some(0), "{}", String::from_utf8_lossy(&answer.stderr));
    }

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git_ok(dir.path(), &["init", "-q", "-b", "main"]);
        std::fs::write(dir.path().join("a b.txt"), "1").unwrap();
        git_ok(dir.path(), &["add", "."]);
        commit(dir.path());
        dir
    }

    fn commit(folder: &Path) {
        git_ok(folder, &["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "x"]);
    }

    #[test]
    fn branch_and_uncommitted_files_are_told() {
        let dir = repository();
        assert_eq!(branch(dir.path()).as_deref(), Some("main"));
        assert_eq!(uncommitted(dir.path()), Some(0));
        std::fs::create_dir(dir.path().join("new")).unwrap();
        std::fs::write(dir.path().join("new/é.txt"), "1").unwrap();
        std::fs::write(dir.path().join("a b.txt"), "2").unwrap();
        assert_eq!(uncommitted(dir.path()), Some(2));
        assert_eq!(uncommitted(&dir.path().join("new")), Some(1), "of this folder only");
        let plain = tempfile::tempdir().unwrap();
        assert_eq!((branch(plain.path()), uncommitted(plain.path())), (None, None));
    }

    #[test]
    fn changed_files_are_found_committed_or_not() {
        let dir = repository();
        std::fs::write(dir.path().join("before.txt"), "1").unwrap();
        let before = look(dir.path());
        std::fs::write(dir.path().join("a b.txt"), "22").unwrap();
        commit(dir.path());
        std::fs::write(dir.path().join("later.txt"), "1").unwrap();
        std::fs::create_dir_all(dir.path().join(".workflow/.loop")).unwrap();
        std::fs::write(dir.path().join(".workflow/.loop/x.json"), "1").unwrap();
        assert_eq!(changed_since(dir.path(), &before), ["a b.txt", "later.txt"]);
    }

    #[test]
    fn without_git_every_file_is_compared() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("src/node_modules")).unwrap();
        for name in ["src/a", "gone", "src/node_modules/x"] {
            std::fs::write(dir.path().join(name), "1").unwrap();
        }
        let before = look(dir.path());
        std::fs::remove_file(dir.path().join("gone")).unwrap();
        std::fs::write(dir.path().join("src/a"), "22").unwrap();
        std::fs::write(dir.path().join("src/node_modules/x"), "22").unwrap();
        assert_eq!(changed_since(dir.path(), &before), ["gone", "src/a"]);
    }

    #[test]
    fn a_worktree_gets_its_own_branch_and_a_refusal_says_why() {
        let dir = repository();
        let place = tempfile::tempdir().unwrap();
        let at = add_worktree(dir.path(), "loopdeck/mend", &place.path().join("deep/mend")).unwrap();
        assert_eq!(branch(&at).as_deref(), Some("loopdeck/mend"));
        let error = add_worktree(dir.path(), "loopdeck/mend", &place.path().join("other")).unwrap_err();
        assert!(error.to_string().contains("already exists"), "{error}");
        remove_worktree(dir.path(), "loopdeck/mend", &at);
        assert!(!at.exists());
        add_worktree(dir.path(), "loopdeck/mend", &at).unwrap();
    }

    #[test]
    fn a_repository_cannot_run_its_own_programs() {
        let dir = repository();
        let trap = dir.path().join("ran");
        let hook = format!("touch {}", trap.display());
        git_ok(dir.path(), &["config", "core.fsmonitor", &hook]);
        std::fs::write(dir.path().join(".git/hooks/post-checkout"), format!("#!/bin/sh\n{hook}\n")).unwrap();
        let _ = uncommitted(dir.path());
        assert!(!trap.exists());
    }
}
