//! What the files of a folder hold, as one hash: the same content is the same hash, whether it is committed, staged or only in the folder.
//!
//! It is the tree that git would write of it. The index is a copy and new objects go into a folder of ours, so nothing in the repository
//! changes. What git ignores is not part of it.

use super::apart::{Index, NOT_WORK};
use super::{Repository, is_inside};
use std::io;

/// Evidence is about the work, not a part of it.
const EVIDENCE: &str = ":(top,glob)**/*.evidence.jsonl";

/// The hash of what the folder of `repository` holds, without the state of loops and without the files `without` (relative to that
/// folder).
///
/// # Errors
/// What git says; what [`changed_in`](super::changed_in) tells.
pub fn content_hash(repository: &Repository, without: &[&str]) -> io::Result<String> {
    let top = repository.at_top();
    let index = Index::copied(&top)?.with_own_objects(&top)?;
    look_at_every_file(&index, &top)?;
    index.add_all(&top)?;
    let inner = repository.inner().to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let below = |name: &&str| if inner.is_empty() { (*name).to_owned() } else { format!("{inner}/{name}") };
    let named: Vec<String> = without.iter().map(|name| format!(":(top,literal){}", below(name))).collect();
    let named = named.iter().map(String::as_str);
    let remove = ["rm", "--cached", "-r", "-q", "-f", "--ignore-unmatch", "--", EVIDENCE];
    index.run(&top, &remove.into_iter().chain(NOT_WORK).chain(named).collect::<Vec<_>>())?;
    if inner.is_empty() {
        return index.run(&top, &["write-tree"]);
    }
    if index.run(&top, &["ls-files", "-z", "--", &format!(":(top,literal){inner}")])?.is_empty() {
        // Git has no tree for a folder without files.
        index.run(&top, &["read-tree", "--empty"])?;
        return index.run(&top, &["write-tree"]);
    }
    index.run(&top, &["write-tree", &format!("--prefix={inner}/")])
}

/// An index can say of a file that nobody shall look at it. Here it is looked at, if it is there.
fn look_at_every_file(index: &Index, top: &Repository) -> io::Result<()> {
    let listed = index.run(top, &["ls-files", "-v", "-z"])?;
    let is_marked = |line: &&str| line.starts_with(|mark: char| mark.is_ascii_lowercase() || mark == 'S');
    let names = listed.split('\0').filter(is_marked).filter_map(|line| line.get(2..));
    let here = |name: &&str| is_inside(name) && top.top().join(name).symlink_metadata().is_ok();
    let names: Vec<&str> = names.filter(here).collect();
    for some in names.chunks(MOST_NAMES) {
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            index.run(top, &[&["update-index", flag, "--"][..], some].concat())?;
        }
    }
    Ok(())
}

/// So many names fit into one command.
const MOST_NAMES: usize = 200;

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::tests::{commit, opened, repository, run};
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn hash(folder: &Path) -> String {
        content_hash(&opened(folder), &["plan.md"]).unwrap()
    }

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Every file below `.git`, with its bytes.
    fn git_folder(folder: &Path) -> BTreeSet<(String, Vec<u8>)> {
        let mut found = BTreeSet::new();
        let mut open = vec![folder.join(".git")];
        while let Some(next) = open.pop() {
            for entry in std::fs::read_dir(next).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    open.push(entry.path());
                } else {
                    found.insert((entry.path().display().to_string(), std::fs::read(entry.path()).unwrap()));
                }
            }
        }
        found
    }

    #[test]
    fn the_same_content_is_the_same_hash_wherever_git_has_it() {
        let dir = repository();
        write(dir.path(), "in/new é.txt", "new");
        write(dir.path(), "a b.txt", "2");
        let before = git_folder(dir.path());
        let only_here = hash(dir.path());
        assert_eq!(git_folder(dir.path()), before, "nothing in the repository changed");
        run(dir.path(), &["add", "."]);
        assert_eq!(hash(dir.path()), only_here, "staged");
        commit(dir.path());
        assert_eq!(hash(dir.path()), only_here, "committed");
        let elsewhere = tempfile::tempdir().unwrap();
        run(elsewhere.path(), &["init", "-q"]);
        write(elsewhere.path(), "in/new é.txt", "new");
        write(elsewhere.path(), "a b.txt", "2");
        assert_eq!(hash(elsewhere.path()), only_here, "another repository, without a commit");
        write(dir.path(), "a b.txt", "3");
        assert_ne!(hash(dir.path()), only_here, "another content");
    }

    #[test]
    fn state_of_loops_and_evidence_are_no_work() {
        let dir = repository();
        let before = hash(dir.path());
        for name in [
            ".workflow/.loop/a.json",
            ".loop/b.json",
            ".claude/aot-loop-state.md",
            "plan.md",
            "plan.evidence.jsonl",
            "in/x.evidence.jsonl",
        ] {
            write(dir.path(), name, "state");
            assert_eq!(hash(dir.path()), before, "{name}");
        }
        run(dir.path(), &["add", "-f", "."]);
        commit(dir.path());
        assert_eq!(hash(dir.path()), before, "committed");
        write(dir.path(), ".claude/settings.json", "{}");
        assert_ne!(hash(dir.path()), before);
    }

    #[test]
    fn a_folder_in_a_repository_has_its_own_hash() {
        let dir = repository();
        let inner = dir.path().join("in é");
        std::fs::create_dir(&inner).unwrap();
        let empty = hash(&inner);
        write(&inner, "a.txt", "1");
        write(&inner, "plan.md", "- [ ] a");
        let own = hash(&inner);
        assert_ne!(own, empty);
        write(dir.path(), "other.txt", "1");
        write(&inner, "plan.md", "- [x] a");
        assert_eq!(hash(&inner), own);
    }

    #[test]
    fn a_file_that_the_index_hides_is_looked_at() {
        for flag in ["--assume-unchanged", "--skip-worktree"] {
            let dir = repository();
            let before = hash(dir.path());
            run(dir.path(), &["update-index", flag, "a b.txt"]);
            assert_eq!(hash(dir.path()), before, "{flag}");
            write(dir.path(), "a b.txt", "something else");
            assert_ne!(hash(dir.path()), before, "{flag}");
        }
    }
}
