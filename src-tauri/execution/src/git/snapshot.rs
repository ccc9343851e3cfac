//! The files of a folder at one moment, to find out later which ones changed: from git where there is one, otherwise from the files.

use super::{Repository, git, lines, names, status};
use crate::brief::Answer;
use loopdeck_core::layout::AOT_FILE;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_system::files;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::SystemTime;

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

/// A snapshot of the files of a folder, to find out later which ones changed.
#[derive(Clone, Debug, Default)]
pub struct FolderSnapshot {
    /// Those that git calls changed, or every one.
    pub(super) by_git: bool,
    /// There were more files than are compared.
    cut: bool,
    pub(super) commit: Option<String>,
    pub(super) files: BTreeMap<String, FileFingerprint>,
    /// What those held that git called changed, to count lines later.
    pub(super) contents: BTreeMap<String, Vec<u8>>,
    /// Who is asked later: what it was then, whatever became of it.
    pub(super) repository: Option<Repository>,
}

/// One file, to tell later whether it changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileFingerprint {
    size: u64,
    pub(super) modified: Option<SystemTime>,
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
        let files = names.into_iter().map(|name| with_fingerprint(folder, name, &mut room)).collect();
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
    pub(super) fn ask(&self, args: &[&str]) -> Option<Answer> {
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

fn with_fingerprint(folder: &Path, name: String, room: &mut ReadBudget) -> (String, FileFingerprint) {
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
                let (name, stamp) = with_fingerprint(folder, name, room);
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
    use super::super::lines_since;
    use super::super::tests::{commit, look, repository, run};
    use super::*;

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
}
