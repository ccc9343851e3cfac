//! What git says of a folder: branch, uncommitted files, a worktree of its own for a loop, files that a run changed.
//!
//! A repository can name programs (hooks, monitors, filters) in its own settings: only the branch is read without git,
//! everything else is asked after the person trusted the folder, with hooks and monitors switched off.

pub mod apart;
pub mod bundle;
mod changes;
mod lines;

pub use changes::changes_since;
pub use lines::lines_since;

use crate::agents::environment::environment;
use crate::agents::places;
use crate::brief::{Answer, Question, ask};
use loopdeck_core::layout::AOT_FILE;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_system::files;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const LIMIT: Duration = Duration::from_secs(20);
/// How long a large repository may take to check out, with what its filters fetch.
const CHECKOUT_LIMIT: Duration = Duration::from_secs(20 * 60);
/// Variables that name another repository than that of the folder, as hooks of git have them.
const OF_ANOTHER: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];
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
/// A longer `.git` or `HEAD` names nothing.
const LONGEST_POINTER: u64 = 4_096;

/// The branch that is checked out at or above `folder`, or the first characters of a commit. Read from files, nothing
/// is run.
#[must_use]
pub fn branch(folder: &Path) -> Option<String> {
    let dot_git = folder.ancestors().map(|above| above.join(".git")).find(|path| path.exists())?;
    let git_dir = if dot_git.is_dir() {
        dot_git
    } else {
        let named = PathBuf::from(pointer(&dot_git)?.strip_prefix("gitdir:")?.trim());
        if named.is_absolute() { named } else { dot_git.parent()?.join(named) }
    };
    let head = pointer(&git_dir.join("HEAD"))?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.chars().take(200).collect(),
        None => head.chars().take(10).collect(),
    })
}

/// The text of a file in which git keeps one name.
fn pointer(path: &Path) -> Option<String> {
    String::from_utf8(files::read_plain(path, LONGEST_POINTER).ok()?).ok()
}

/// How many files below `folder` differ from the last commit; `None` without git or a repository.
#[must_use]
pub fn uncommitted(folder: &Path) -> Option<u32> {
    let names = status(folder)?;
    Some(u32::try_from(names.len()).unwrap_or(u32::MAX))
}

/// Whether git is installed.
#[must_use]
pub fn is_there() -> bool {
    !places::search("git", environment()).found.is_empty()
}

/// The path of `folder` in its repository: empty for the top.
///
/// # Errors
/// The first line that git says.
pub fn place_in_repository(folder: &Path) -> io::Result<PathBuf> {
    prefix(folder).map(PathBuf::from)
}

/// The same as names of git begin with it: empty, or with a slash at its end.
fn prefix(folder: &Path) -> io::Result<String> {
    let answer = git(folder, &["rev-parse", "--show-prefix"].map(OsStr::new))?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    // Only the end of the line goes: a folder's name may begin with a blank.
    Ok(String::from_utf8_lossy(&answer.stdout).trim_end_matches(['\r', '\n']).to_owned())
}

/// Makes a worktree with a new branch at `at`, and answers its canonical path. When it cannot be made nothing is left of it.
///
/// # Errors
/// The first line that git says; `TimedOut` when it takes longer than any checkout.
pub fn add_worktree(folder: &Path, branch: &str, at: &Path) -> io::Result<PathBuf> {
    add_worktree_within(folder, branch, at, CHECKOUT_LIMIT)
}

fn add_worktree_within(folder: &Path, branch: &str, at: &Path, limit: Duration) -> io::Result<PathBuf> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let reference = format!("refs/heads/{branch}");
    let known = git(folder, &["rev-parse", "--verify", "--quiet", &reference].map(OsStr::new))?;
    let is_new = known.code != Some(0) && at.symlink_metadata().is_err();
    let args = ["worktree", "add", "-b", branch, "--"].map(OsStr::new);
    let answer = git_within(folder, &[&args[..], &[at.as_os_str()]].concat(), limit);
    let made = answer.and_then(|answer| match answer.code {
        Some(0) => at.canonicalize(),
        _ => Err(git_error(&answer)),
    });
    if made.is_err() && is_new {
        remove_worktree(folder, branch, at);
    }
    made
}

/// Why git did not.
fn git_error(answer: &Answer) -> io::Error {
    let said = String::from_utf8_lossy(&answer.stderr);
    let first = said.lines().find(|line| line.starts_with("fatal")).or_else(|| said.lines().last());
    io::Error::other(first.unwrap_or("git did not say why").to_owned())
}

/// Takes back what [`add_worktree`] made just now: the folder, and the branch, on which nothing was done.
pub fn remove_worktree(folder: &Path, branch: &str, at: &Path) {
    // Twice: one that git was ended over is locked.
    let remove = ["worktree", "remove", "--force", "--force", "--"].map(OsStr::new);
    // What git refuses stays, and can be seen there; a folder that it does not know is not its own.
    let _ = git(folder, &[&remove[..], &[at.as_os_str()]].concat());
    let _ = std::fs::remove_dir_all(at);
    let _ = git(folder, &["branch", "-D", "--", branch].map(OsStr::new));
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

/// Takes a snapshot of `folder`.
#[must_use]
pub fn snapshot(folder: &Path) -> FolderSnapshot {
    let mut room = ReadBudget::new();
    match status(folder) {
        Some(names) => {
            let commit =
                git(folder, &["rev-parse", "HEAD"].map(OsStr::new)).ok().and_then(|it| it.good_text());
            let contents = lines::contents(folder, names.iter().filter(|name| !is_ours(name)));
            let files = names.into_iter().map(|name| stamped(folder, name, &mut room)).collect();
            FolderSnapshot { by_git: true, cut: false, commit, files, contents }
        }
        None => {
            let files = walk(folder, &mut room);
            FolderSnapshot {
                by_git: false,
                cut: files.len() >= MOST_FILES,
                files,
                ..FolderSnapshot::default()
            }
        }
    }
}

/// Files that differ from what `before` saw, by name, relative to the folder; at most 500. `None` when the two looks cannot
/// be compared, because git came or failed in between, or there are too many files.
#[must_use]
pub fn changed_since(folder: &Path, before: &FolderSnapshot) -> Option<Vec<String>> {
    let now = snapshot(folder);
    if now.by_git != before.by_git || now.cut || before.cut {
        return None;
    }
    let mut changed: Vec<String> = Vec::new();
    if let (Some(then), Some(commit)) = (&before.commit, &now.commit)
        && then != commit
    {
        let range = ["diff", "--name-only", "-z", "--relative", then, commit].map(OsStr::new);
        let listed = git(folder, &range).ok().filter(|answer| answer.code == Some(0));
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
    /// Those of these files that are not compared: git ignores them, or they are in an excluded folder.
    pub fn left_out(&self, folder: &Path, files: &[String]) -> Vec<String> {
        if !self.by_git {
            return files.iter().filter(|file| !self.files.contains_key(*file)).cloned().collect();
        }
        if files.is_empty() {
            return Vec::new();
        }
        // Names with signs that git would quote are not found, and count as compared.
        let ask = ["-c", "core.quotePath=false", "check-ignore", "--"].map(OsStr::new);
        let args: Vec<&OsStr> = ask.into_iter().chain(files.iter().map(OsStr::new)).collect();
        let said = git(folder, &args).map(|answer| answer.stdout).unwrap_or_default();
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

fn status(folder: &Path) -> Option<Vec<String>> {
    let args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", "."];
    let prefix = prefix(folder).ok()?;
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

fn git(folder: &Path, args: &[&OsStr]) -> io::Result<Answer> {
    git_within(folder, args, LIMIT)
}

fn git_within(folder: &Path, args: &[&OsStr], limit: Duration) -> io::Result<Answer> {
    git_also(folder, args, &[], limit)
}

/// `variables`: added to the environment.
fn git_also(
    folder: &Path,
    args: &[&OsStr],
    variables: &[(&str, &str)],
    limit: Duration,
) -> io::Result<Answer> {
    let quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
    let also = [&[("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")], variables].concat();
    let args = quiet.iter().map(OsStr::new).chain(args.iter().copied()).collect();
    // A relative entry of PATH would name a program of the workspace.
    let found = places::search("git", environment()).found;
    let program = found.first().ok_or(io::ErrorKind::NotFound)?;
    let environment = of_this_folder(environment());
    ask(&Question {
        program,
        args,
        folder: Some(folder),
        environment: Some(&environment),
        also: &also,
        limit,
    })
}

fn of_this_folder(environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_of_another = |name: &OsStr| OF_ANOTHER.iter().any(|other| name == *other);
    environment.iter().filter(|(name, _)| !is_of_another(name)).cloned().collect()
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

    fn git_ok(folder: &Path, args: &[&str]) {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let answer = git(folder, &args).unwrap();
        assert_eq!(answer.code, Some(0), "{}", String::from_utf8_lossy(&answer.stderr));
    }

    pub(super) fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git_ok(dir.path(), &["init", "-q", "-b", "main"]);
        std::fs::write(dir.path().join("a b.txt"), "1").unwrap();
        git_ok(dir.path(), &["add", "."]);
        commit(dir.path());
        dir
    }

    pub(super) fn commit(folder: &Path) {
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
        let before = snapshot(dir.path());
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
        git_ok(dir.path(), &["add", "."]);
        commit(dir.path());
        write("a b.txt", "1\n2\n");
        write("new before.txt", "x\ny\n");
        let before = snapshot(dir.path());
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
        let before = snapshot(dir.path());
        std::fs::remove_file(dir.path().join("gone")).unwrap();
        std::fs::write(dir.path().join("src/a"), "22").unwrap();
        std::fs::write(dir.path().join("src/node_modules/x"), "22").unwrap();
        assert_eq!(changed_since(dir.path(), &before).unwrap(), ["gone", "src/a"]);
        git_ok(dir.path(), &["init", "-q"]);
        assert_eq!(changed_since(dir.path(), &before), None, "two looks of different kinds");
    }

    #[test]
    fn a_file_that_was_changed_and_changed_back_did_not_change() {
        let plain = tempfile::tempdir().unwrap();
        let repository = repository();
        for folder in [plain.path(), repository.path()] {
            for name in ["dirty.txt", "again.txt"] {
                std::fs::write(folder.join(name), "1").unwrap();
            }
            let before = snapshot(folder);
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
        assert_eq!(snapshot(dir.path()).left_out(dir.path(), &named), ["é x.env"]);
        assert_eq!(snapshot(dir.path()).left_out(dir.path(), &[]), Vec::<String>::new());
    }

    #[test]
    fn of_too_many_files_nothing_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let before = snapshot(dir.path());
        assert!(changed_since(dir.path(), &FolderSnapshot { cut: true, ..before }).is_none());
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
    fn nothing_is_left_of_a_worktree_that_could_not_be_made_and_what_stood_there_stays() {
        let dir = repository();
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("mend");
        std::fs::write(dir.path().join(".gitattributes"), "* filter=x\n").unwrap();
        git_ok(dir.path(), &["add", "."]);
        commit(dir.path());
        let filter = |smudge: &str| {
            git_ok(dir.path(), &["config", "filter.x.required", "true"]);
            git_ok(dir.path(), &["config", "filter.x.smudge", smudge]);
        };
        let left = || {
            let listed = git(dir.path(), &["worktree", "list"].map(OsStr::new)).unwrap().good_text().unwrap();
            let branches = git(dir.path(), &["branch"].map(OsStr::new)).unwrap().good_text().unwrap();
            (listed.lines().count(), branches, at.exists())
        };
        let nothing = (1, "* main".to_owned(), false);
        filter("false");
        add_worktree(dir.path(), "mend", &at).unwrap_err();
        assert_eq!(left(), nothing, "a checkout that fails");
        let held = place.path().join("held");
        filter(&format!("touch {}; sleep 600", held.display()));
        let error = add_worktree_within(dir.path(), "mend", &at, Duration::from_secs(3)).unwrap_err();
        assert_eq!((error.kind(), left()), (io::ErrorKind::TimedOut, nothing), "one that is ended");
        filter("cat");
        git_ok(dir.path(), &["branch", "mend"]);
        add_worktree(dir.path(), "mend", &at).unwrap_err();
        assert!(left().1.contains("mend"), "a branch of the person's");
        std::fs::create_dir(&at).unwrap();
        std::fs::write(at.join("theirs"), "").unwrap();
        add_worktree(dir.path(), "other", &at).unwrap_err();
        assert!(at.join("theirs").exists(), "a folder of the person's");
    }

    #[test]
    fn a_folder_in_a_repository_knows_its_place() {
        let dir = repository();
        for place in ["packages/api é/", " api /"] {
            let inner = dir.path().join(place);
            std::fs::create_dir_all(&inner).unwrap();
            std::fs::write(inner.join("new"), "").unwrap();
            assert_eq!(place_in_repository(&inner).unwrap(), Path::new(place));
            assert_eq!(uncommitted(&inner), Some(1), "{place}");
        }
        assert_eq!(place_in_repository(dir.path()).unwrap(), Path::new(""));
        assert!(place_in_repository(tempfile::tempdir().unwrap().path()).is_err());
    }

    #[test]
    fn variables_that_name_another_repository_are_not_passed_on() {
        let pairs = |names: &[&str]| -> Vec<(OsString, OsString)> {
            names.iter().map(|name| (name.into(), "x".into())).collect()
        };
        let all = pairs(&["GIT_DIR", "GIT_INDEX_FILE", "GIT_SSH_COMMAND", "GIT_WORK_TREE", "HOME"]);
        assert_eq!(of_this_folder(&all), pairs(&["GIT_SSH_COMMAND", "HOME"]));
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
