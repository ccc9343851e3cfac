//! What git says of a folder: branch, uncommitted files, a worktree of its own for a loop, files that a run changed.
//!
//! A repository can name programs (hooks, monitors, filters) in its own settings: only the branch is read without git,
//! everything else is asked of the [`Repository`] of a folder that the person trusts, which none of them reaches.

pub mod apart;
pub mod bundle;
mod changes;
mod errors;
#[cfg(test)]
#[cfg(unix)]
mod filter_tests;
#[cfg(test)]
#[cfg(unix)]
mod hostile_tests;
mod lines;
mod place;
mod repository;
mod settings;
pub mod untrusted;

pub use changes::changes_since;
use errors::git_error;
pub use errors::{failure, passes};
pub use lines::lines_since;
pub use repository::{Pin, Repository, changed_in};

use crate::agents::environment::environment;
use crate::agents::places;
use crate::brief::Answer;
use loopdeck_core::layout::AOT_FILE;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_system::files;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

const LIMIT: Duration = Duration::from_secs(20);
/// How long a large repository may take to check out, with what its filters fetch.
const CHECKOUT_LIMIT: Duration = Duration::from_secs(20 * 60);
/// Files that are compared where there is no git.
const MOST_FILES: usize = 50_000;
/// Folders that hold no work of an agent.
const SKIPPED: [&str; 9] =
    [".git", "node_modules", "target", ".workflow", ".loop", ".claude", ".venv", "__pycache__", "dist"];
/// So many files are read to compare them, the rest is compared by size and time.
const MOST_READ: u32 = 5_000;
/// Their bytes together.
const MOST_READ_BYTES: u64 = 48 << 20;
/// The longest of them.
const LONGEST_READ: u64 = 1 << 20;

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

/// A snapshot of the files of a folder, to find out later which ones changed.
#[derive(Clone, Debug, Default)]
pub struct FolderSnapshot {
    /// Those that git calls changed, or every one.
    by_git: bool,
    /// There were more files than are compared.
    cut: bool,
    commit: Option<String>,
    files: BTreeMap<String, FileFingerprint>,
    /// What those held that git called changed, to count lines later.
    contents: BTreeMap<String, Vec<u8>>,
    /// Who is asked later: what it was then, whatever became of it.
    repository: Option<Repository>,
}

/// One file, to tell later whether it changed.
#[derive(Clone, Copy, Debug, Default)]
struct FileFingerprint {
    size: u64,
    modified: Option<SystemTime>,
    /// Hash of its bytes, as long as there was room for it: a file that was changed and changed back is the same.
    content: Option<u64>,
}

impl FileFingerprint {
    fn is_same(&self, other: &FileFingerprint) -> bool {
        let same = match (self.content, other.content) {
            (Some(content), Some(other)) => content == other,
            _ => self.modified == other.modified,
        };
        same && self.size == other.size
    }
}

/// How much is read to compare files.
struct ReadBudget {
    files: u32,
    bytes: u64,
}

impl ReadBudget {
    fn new() -> Self {
        Self { files: MOST_READ, bytes: MOST_READ_BYTES }
    }

    fn hash(&mut self, path: &Path, size: u64) -> Option<u64> {
        if size > LONGEST_READ || size > self.bytes || self.files == 0 {
            return None;
        }
        (self.files, self.bytes) = (self.files - 1, self.bytes - size);
        Some(stable_hash(&files::read_plain(path, size).ok()?))
    }
}

/// Takes a snapshot of `folder`, of which `repository` is the repository if it has one.
#[must_use]
pub fn snapshot(folder: &Path, repository: Option<Repository>) -> FolderSnapshot {
    let mut room = ReadBudget::new();
    let listed = repository.as_ref().and_then(|repository| Some((repository, status(repository)?)));
    if let Some((asked, names)) = listed {
        let commit = git(asked, &["rev-parse", "HEAD"].map(OsStr::new)).ok().and_then(|it| it.good_text());
        let contents = lines::contents(folder, names.iter().filter(|name| !is_ours(name)));
        let files = names.into_iter().map(|name| stamped(folder, name, &mut room)).collect();
        return FolderSnapshot { by_git: true, cut: false, commit, files, contents, repository };
    }
    let files = walk(folder, &mut room);
    FolderSnapshot {
        by_git: false,
        cut: files.len() >= MOST_FILES,
        files,
        repository,
        ..FolderSnapshot::default()
    }
}

/// Files that differ from what `before` saw, by name, relative to the folder; at most 500. `None` when the two looks cannot
/// be compared, because git came or failed in between, or there are too many files.
#[must_use]
pub fn changed_since(folder: &Path, before: &FolderSnapshot) -> Option<Vec<String>> {
    let now = snapshot(folder, before.repository.clone());
    if now.by_git != before.by_git || now.cut || before.cut {
        return None;
    }
    let mut changed: Vec<String> = Vec::new();
    if let (Some(then), Some(commit)) = (&before.commit, &now.commit)
        && then != commit
    {
        let range =
            ["diff", "--name-only", "--no-ext-diff", "--no-textconv", "-z", "--relative", then, commit];
        let listed = before.ask(&range);
        changed.extend(listed.iter().flat_map(|answer| names(&answer.stdout)));
    }
    let differs = |(name, stamp): &(&String, &FileFingerprint)| {
        before.files.get(*name).is_none_or(|before| !before.is_same(stamp))
    };
    changed.extend(now.files.iter().filter(differs).map(|(name, _)| name.clone()));
    // Without git every file was listed: one that is gone was deleted. With it, one that is clean again was put back.
    changed.extend(before.files.keys().filter(|name| !now.files.contains_key(*name)).cloned());
    changed.retain(|name| !is_ours(name));
    changed.sort();
    changed.dedup();
    changed.truncate(500);
    Some(changed)
}

impl FolderSnapshot {
    /// What git answers where it was asked before; `None` when it does not.
    fn ask(&self, args: &[&str]) -> Option<Answer> {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        git(self.repository.as_ref()?, &args).ok().filter(|answer| answer.code == Some(0))
    }

    /// Those of these files that are not compared: git ignores them, or they are in an excluded folder.
    pub fn left_out(&self, files: &[String]) -> Vec<String> {
        if !self.by_git {
            return files.iter().filter(|file| !self.files.contains_key(*file)).cloned().collect();
        }
        if files.is_empty() {
            return Vec::new();
        }
        // Names with signs that git would quote are not found, and count as compared.
        let ask = ["-c", "core.quotePath=false", "check-ignore", "--"];
        let args: Vec<&str> = ask.into_iter().chain(files.iter().map(String::as_str)).collect();
        let said = self.ask(&args).map(|answer| answer.stdout).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        files.iter().filter(|file| said.lines().any(|line| line == *file)).cloned().collect()
    }
}

/// State files and progress files are written by loops, not by their work.
fn is_ours(name: &str) -> bool {
    let beside_aot =
        || name.strip_prefix(AOT_FILE).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    [".workflow/", ".loop/"].iter().any(|folder| name.starts_with(folder)) || beside_aot()
}

fn status(repository: &Repository) -> Option<Vec<String>> {
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
    let answer = git(repository, &args.map(OsStr::new)).ok().filter(|answer| answer.code == Some(0))?;
    Some(listed(&answer.stdout, &repository.inner().to_string_lossy()))
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

fn stamped(folder: &Path, name: String, room: &mut ReadBudget) -> (String, FileFingerprint) {
    let path = folder.join(&name);
    let stamp = path.symlink_metadata().map_or(FileFingerprint::default(), |seen| FileFingerprint {
        size: seen.len(),
        modified: seen.modified().ok(),
        content: if seen.is_file() { room.hash(&path, seen.len()) } else { None },
    });
    (name, stamp)
}

/// Every file below `folder`, without folders that hold no work; links are not followed.
fn walk(folder: &Path, room: &mut ReadBudget) -> BTreeMap<String, FileFingerprint> {
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
                let (name, stamp) = stamped(folder, name, room);
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
    fn changed_files_are_found_committed_or_not() {
        let dir = repository();
        std::fs::write(dir.path().join("before.txt"), "1").unwrap();
        let before = look(dir.path());
        std::fs::write(dir.path().join("a b.txt"), "22").unwrap();
        commit(dir.path());
        std::fs::write(dir.path().join("later.txt"), "1").unwrap();
        std::fs::create_dir_all(dir.path().join(".workflow/.loop")).unwrap();
        std::fs::write(dir.path().join(".workflow/.loop/x.json"), "1").unwrap();
        assert_eq!(changed_since(dir.path(), &before).unwrap(), ["a b.txt", "later.txt"]);
    }

    #[test]
    fn lines_are_counted_in_clean_changed_new_and_committed_files() {
        let dir = repository();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("clean.txt", "a\nb\nc\n");
        write("gone.txt", "a\n");
        run(dir.path(), &["add", "."]);
        commit(dir.path());
        write("a b.txt", "1\n2\n");
        write("new before.txt", "x\ny\n");
        let before = look(dir.path());
        write("clean.txt", "a\nB\nc\nd\n"); // 2 added, 1 removed
        commit(dir.path());
        write("a b.txt", "1\n2\n3\n"); // 1 added, of what was changed already
        write("new before.txt", "x\n"); // 1 removed
        write("é new.txt", "1\n2\n3"); // 3 added
        std::fs::remove_file(dir.path().join("gone.txt")).unwrap(); // 1 removed
        std::fs::write(dir.path().join("blob"), b"\0\n").unwrap();
        let changed = changed_since(dir.path(), &before).unwrap();
        assert_eq!(changed, ["a b.txt", "blob", "clean.txt", "gone.txt", "new before.txt", "é new.txt"]);
        let lines = lines_since(dir.path(), &before, &changed).unwrap();
        assert_eq!((lines.added, lines.removed), (6, 3));
        assert_eq!(lines_since(dir.path(), &FolderSnapshot::default(), &changed), None, "without git");
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
        assert_eq!(changed_since(dir.path(), &before).unwrap(), ["gone", "src/a"]);
        run(dir.path(), &["init", "-q"]);
        assert_eq!(
            changed_since(dir.path(), &before).unwrap(),
            ["gone", "src/a"],
            "one that came later is not asked"
        );
        let other = FolderSnapshot { by_git: true, ..before };
        assert_eq!(changed_since(dir.path(), &other), None, "two looks of different kinds");
    }

    #[test]
    fn a_file_that_was_changed_and_changed_back_did_not_change() {
        let plain = tempfile::tempdir().unwrap();
        let repository = repository();
        for folder in [plain.path(), repository.path()] {
            for name in ["dirty.txt", "again.txt"] {
                std::fs::write(folder.join(name), "1").unwrap();
            }
            let before = look(folder);
            for text in ["2", "1"] {
                std::fs::write(folder.join("dirty.txt"), text).unwrap();
                std::fs::File::open(folder.join("dirty.txt"))
                    .unwrap()
                    .set_modified(SystemTime::now())
                    .unwrap();
            }
            std::fs::write(folder.join("again.txt"), "2").unwrap();
            assert_eq!(changed_since(folder, &before).unwrap(), ["again.txt"]);
        }
    }

    #[test]
    fn files_of_loops_are_no_work_and_files_with_such_names_are() {
        for name in [".claude/aot-loop-state.md", ".claude/aot-loop-state.md.damaged-1", ".loop/a.json"] {
            assert!(is_ours(name), "{name}");
        }
        for name in
            [".claude/aot-loop-state-notes.md", ".claude/aot-loop-state/a.py", ".loopback/a", ".workflows/b"]
        {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn ignored_files_are_known_to_be_left_out() {
        let dir = repository();
        std::fs::write(dir.path().join(".gitignore"), "*.env\n").unwrap();
        let named = ["a b.txt", "é x.env", "new"].map(str::to_owned);
        assert_eq!(look(dir.path()).left_out(&named), ["é x.env"]);
        assert_eq!(look(dir.path()).left_out(&[]), Vec::<String>::new());
    }

    #[test]
    fn of_too_many_files_nothing_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let before = look(dir.path());
        assert!(changed_since(dir.path(), &FolderSnapshot { cut: true, ..before }).is_none());
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
