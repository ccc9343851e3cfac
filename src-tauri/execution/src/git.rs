//! What git says of a folder: branch, uncommitted files, a worktree of its own for a loop, files that a run changed.
//!
//! A repository can name programs (hooks, monitors, filters) in its own settings: only the branch is read without git,
//! everything else is asked of the [`Repository`] of a folder that the person trusts, which none of them reaches.

pub mod apart;
pub mod bundle;
mod changes;
mod content;
mod errors;
#[cfg(test)]
#[cfg(unix)]
mod filter_tests;
pub mod finish;
#[cfg(test)]
#[cfg(unix)]
mod hostile_tests;
mod lines;
mod place;
mod repository;
mod settings;
pub mod since;
mod snapshot;
pub mod texts;
pub mod untrusted;

pub use changes::changes_since;
pub use content::content_hash;
use errors::git_error;
pub use errors::{failure, passes};
pub use lines::{line_after, lines_since};
pub use repository::person::Remote;
pub use repository::{Pin, Repository, changed_in};
pub use snapshot::{FolderSnapshot, changed_since, snapshot};

use crate::agents::environment::environment;
use crate::agents::places;
use crate::brief::Answer;
use loopdeck_system::files;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);
/// How long a large repository may take to check out, with what its filters fetch.
const CHECKOUT_LIMIT: Duration = Duration::from_secs(20 * 60);

/// The branch that is checked out at or above `folder`, or the first characters of a commit. Read from files, nothing
/// is run.
#[must_use]
pub fn branch(folder: &Path) -> Option<String> {
    place::place_of(&files::canonical_folder(folder).ok()?).ok()??.branch()
}

/// How many files below its folder differ from the last commit; `None` when git does not say.
#[must_use]
pub fn uncommitted(repository: &Repository) -> Option<u32> {
    let names = status(repository)?;
    Some(u32::try_from(names.len()).unwrap_or(u32::MAX))
}

/// Whether git is installed.
#[must_use]
pub fn is_there() -> bool {
    !places::search("git", environment()).found.is_empty()
}

/// Makes a worktree with a new branch at `at`. When it cannot be made nothing is left of it.
///
/// # Errors
/// The first line that git says; `TimedOut` when it takes longer than any checkout.
pub fn add_worktree(repository: &Repository, branch: &str, at: &Path) -> io::Result<Repository> {
    add_worktree_within(repository, branch, at, CHECKOUT_LIMIT)
}

fn add_worktree_within(
    repository: &Repository,
    branch: &str,
    at: &Path,
    limit: Duration,
) -> io::Result<Repository> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let reference = format!("refs/heads/{branch}");
    let known = git(repository, &["rev-parse", "--verify", "--quiet", &reference].map(OsStr::new))?;
    let is_new = known.code != Some(0) && at.symlink_metadata().is_err();
    let made = repository.make_worktree(at, &["-b", branch], None, limit);
    if made.is_err() && is_new {
        remove_worktree(repository, branch, at);
    }
    made
}

/// Takes back what [`add_worktree`] made just now: the folder, and the branch, on which nothing was done.
pub fn remove_worktree(repository: &Repository, branch: &str, at: &Path) {
    remove_folder(repository, at);
    let _ = git(repository, &["branch", "-D", "--", branch].map(OsStr::new));
}

fn remove_folder(repository: &Repository, at: &Path) {
    // Twice: one that git was ended over is locked.
    let remove = ["worktree", "remove", "--force", "--force", "--"].map(OsStr::new);
    // What git refuses stays, and can be seen there; a folder that it does not know is not its own.
    let _ = repository.has_worktrees();
    let _ = git(repository, &[&remove[..], &[at.as_os_str()]].concat());
    let _ = std::fs::remove_dir_all(at);
}

fn status(repository: &Repository) -> Option<Vec<String>> {
    let listed_now = status_bytes(repository).ok()?;
    Some(listed(&listed_now, &repository.inner().to_string_lossy()))
}

/// What `git status --porcelain=v1 -z` says of the folder.
fn status_bytes(repository: &Repository) -> io::Result<Vec<u8>> {
    // For more of a submodule than its commit, git would be asked in it, by the submodule's own settings.
    let args = [
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--ignore-submodules=dirty",
        "--untracked-files=all",
        "--",
        ".",
    ];
    let answer = git(repository, &args.map(OsStr::new))?;
    if answer.code == Some(0) { Ok(answer.stdout) } else { Err(git_error(&answer)) }
}

/// The files that `git status --porcelain=v1 -z` names below the folder `inner` of its repository, relative to that.
fn listed(status: &[u8], inner: &str) -> Vec<String> {
    // Names are relative to the top of the repository.
    let mut prefix = inner.replace(std::path::MAIN_SEPARATOR, "/");
    if !prefix.is_empty() {
        prefix.push('/');
    }
    let below = |line: String| line.get(3..)?.strip_prefix(&prefix).map(str::to_owned);
    records(status).filter_map(below).filter(|name| is_inside(name)).collect()
}

/// Names of files, ended by NUL.
fn names(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    records(bytes).filter(|name| is_inside(name))
}

fn records(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    bytes
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
        .map(|record| String::from_utf8_lossy(record).into_owned())
}

/// Whether a name is one of a file below the folder it is relative to. Git names what the index and the trees have, and whoever
/// writes those without git can put any name there.
fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Whether `text` is the full name of a commit, and nothing else that git would read.
#[must_use]
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn git(repository: &Repository, args: &[&OsStr]) -> io::Result<Answer> {
    repository.ask(args, &[], LIMIT)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::brief::{Question, ask};

    /// Git as a person or an agent runs it: it obeys the repository. Answers what it prints.
    pub(super) fn run(folder: &Path, args: &[&str]) -> String {
        let name = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let answer = ask(&Question {
            program: Path::new("git"),
            args: name.iter().chain(args).map(OsStr::new).collect(),
            folder: Some(folder),
            environment: None,
            also: &[("LC_ALL", "C")],
            limit: LIMIT,
        });
        let answer = answer.unwrap();
        assert_eq!(answer.code, Some(0), "{args:?}: {}", String::from_utf8_lossy(&answer.stderr));
        answer.good_text().unwrap()
    }

    /// The repository of a folder that a person trusts now.
    pub(super) fn opened(folder: &Path) -> Repository {
        Repository::open(folder, None).unwrap()
    }

    pub(super) fn look(folder: &Path) -> FolderSnapshot {
        snapshot(folder, Repository::open(folder, None).ok())
    }

    pub(super) fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &["init", "-q", "-b", "main"]);
        std::fs::write(dir.path().join("a b.txt"), "1").unwrap();
        run(dir.path(), &["add", "."]);
        commit(dir.path());
        dir
    }

    pub(super) fn commit(folder: &Path) {
        run(folder, &["commit", "-qam", "x"]);
    }

    #[test]
    fn branch_and_uncommitted_files_are_told() {
        let dir = repository();
        assert_eq!(branch(dir.path()).as_deref(), Some("main"));
        assert_eq!(uncommitted(&opened(dir.path())), Some(0));
        std::fs::create_dir(dir.path().join("new")).unwrap();
        std::fs::write(dir.path().join("new/é.txt"), "1").unwrap();
        std::fs::write(dir.path().join("a b.txt"), "2").unwrap();
        assert_eq!(uncommitted(&opened(dir.path())), Some(2));
        assert_eq!(uncommitted(&opened(&dir.path().join("new"))), Some(1), "of this folder only");
        let plain = tempfile::tempdir().unwrap();
        assert_eq!((branch(plain.path()), Repository::open(plain.path(), None).is_err()), (None, true));
    }

    #[test]
    fn a_worktree_gets_its_own_branch_and_a_refusal_says_why() {
        let (dir, place) = (repository(), tempfile::tempdir().unwrap());
        let of = opened(dir.path());
        let made = add_worktree(&of, "loopdeck/repair", &place.path().join("deep/repair")).unwrap();
        let at = made.top().to_owned();
        assert_eq!(branch(&at).as_deref(), Some("loopdeck/repair"));
        assert_eq!(run(&at, &["status", "--porcelain"]), "", "it is a worktree for everybody");
        let listed = run(dir.path(), &["worktree", "list"]);
        assert!(listed.lines().count() == 2 && listed.contains(&*at.to_string_lossy()), "{listed}");
        let error = add_worktree(&of, "loopdeck/repair", &place.path().join("other")).unwrap_err();
        assert!(error.to_string().contains("already exists"), "{error}");
        remove_worktree(&of, "loopdeck/repair", &at);
        assert!(!at.exists());
        assert_eq!(run(dir.path(), &["worktree", "list"]).lines().count(), 1);
        add_worktree(&of, "loopdeck/repair", &at).unwrap();
    }

    #[test]
    fn nothing_is_left_of_a_worktree_that_could_not_be_made_and_what_stood_there_stays() {
        let dir = repository();
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("repair");
        let left = || {
            let listed = run(dir.path(), &["worktree", "list"]);
            (listed.lines().count(), run(dir.path(), &["branch"]), at.exists())
        };
        let nothing = (1, "* main".to_owned(), false);
        let of = opened(dir.path());
        let name = run(dir.path(), &["rev-parse", "HEAD:a b.txt"]);
        let object = dir.path().join(".git/objects").join(&name[..2]).join(&name[2..]);
        let away = place.path().join("object");
        std::fs::rename(&object, &away).unwrap();
        add_worktree(&of, "repair", &at).unwrap_err();
        assert_eq!(left(), nothing, "a checkout that fails");
        // git waits at a pipe that nobody writes to, so it cannot be done before it is ended.
        rustix::fs::mknodat(rustix::fs::CWD, &object, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        add_worktree_within(&of, "repair", &at, Duration::ZERO).unwrap_err();
        assert_eq!(left(), nothing, "one that is ended");
        std::fs::rename(&away, &object).unwrap();
        run(dir.path(), &["branch", "repair"]);
        add_worktree(&of, "repair", &at).unwrap_err();
        assert!(left().1.contains("repair"), "a branch of the person's");
        std::fs::create_dir(&at).unwrap();
        std::fs::write(at.join("theirs"), "").unwrap();
        add_worktree(&of, "other", &at).unwrap_err();
        assert!(at.join("theirs").exists(), "a folder of the person's");
    }

    #[test]
    fn a_folder_in_a_repository_knows_its_place() {
        let dir = repository();
        for place in ["packages/api é/", " api /"] {
            let inner = dir.path().join(place);
            std::fs::create_dir_all(&inner).unwrap();
            std::fs::write(inner.join("new"), "").unwrap();
            assert_eq!(opened(&inner).inner(), Path::new(place));
            assert_eq!(uncommitted(&opened(&inner)), Some(1), "{place}");
        }
        assert_eq!(opened(dir.path()).inner(), Path::new(""));
    }
}
