//! What git answers, and what files of a repository hold. Anybody may have written the repository.

use loopdeck_execution::git::untrusted::read;
use loopdeck_execution::git::{self, passes};
use std::fs;
use std::path::{Component, Path};
use tempfile::TempDir;

/// What the configuration may say of filters and remotes: no program but one, and no address.
const NAMED: [&str; 6] = [
    "clean = \"git-lfs clean -- %f\"",
    "process = \"git-lfs filter-process\"",
    "smudge = \"git-lfs smudge -- %f\"",
    "promisor = \"true\"",
    "url = \"/dev/null\"",
    "required = ",
];

thread_local! {
    /// Two folders, each with a `.git`: a repository and a file.
    static FOLDER: TempDir = {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("repository/.git")).expect("a folder");
        fs::create_dir_all(folder.path().join("worktree")).expect("a folder");
        folder
    };
}

/// Names are relative and stay inside, what git is told names no program, and nothing grows.
pub fn check(bytes: &[u8]) {
    for inner in ["", "in", "a/b"] {
        let found = read(bytes, inner);
        for name in &found.names {
            let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            assert!(inside && !name.is_empty() && !name.contains('\0'), "{name:?}");
        }
        // Six readers answer names; bytes that are no text take three times the room.
        let names: usize = found.names.iter().map(String::len).sum();
        assert!(names <= 18 * bytes.len());
        let is_hex = |name: &String| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(found.objects.iter().all(|name| matches!(name.len(), 40 | 64) && is_hex(name)));
        if let Ok(copy) = &found.configuration {
            configuration(copy, bytes.len());
        }
        assert!(found.lasting.iter().map(String::len).sum::<usize>() <= 16 * bytes.len());
        assert_eq!(found.differs.is_some(), !found.lasting.is_empty());
        assert!(found.branch.chars().count() <= 200);
        let plain = |name: &Path| name.components().all(|part| matches!(part, Component::Normal(_)));
        assert!(found.worktree.is_none_or(|name| plain(Path::new(&name))));
        for error in &found.errors {
            assert!(error.to_string().chars().count() <= 1_000);
        }
        assert!(passes(&found.errors[2]), "whoever ended git may not do so again");
    }
    files(bytes);
}

/// Every line is one that we write: what a repository says is at most the text of a value.
fn configuration(copy: &str, bytes: usize) {
    assert!(copy.len() <= 200 + 16 * bytes);
    let mut section = "";
    for line in copy.split_terminator('\n') {
        if line.starts_with('[') {
            section = line.trim_start_matches('[').split([' ', ']']).next().unwrap_or_default();
            assert!(["core", "extensions", "filter", "remote"].contains(&section), "{line}");
            assert!(line.ends_with(']') && is_quoted(line.trim_matches(['[', ']'])), "{line}");
            continue;
        }
        let setting = line.strip_prefix('\t').expect("a setting");
        let (name, value) = setting.split_once(" = ").expect("a value");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
        assert!(is_quoted(value), "{line}");
        let is_ours = match section {
            "filter" | "remote" => NAMED.iter().any(|known| {
                if known.ends_with('"') { setting == *known } else { setting.starts_with(known) }
            }),
            _ => !["fsmonitor", "hookspath", "sshcommand", "worktree", "attributesfile", "pager", "editor"]
                .contains(&name),
        };
        assert!(is_ours, "[{section}] {line}");
    }
}

/// Whether no quote within ends the text early.
fn is_quoted(text: &str) -> bool {
    let Some((_, quoted)) = text.split_once('"') else { return true };
    let Some(inner) = quoted.strip_suffix('"') else { return false };
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter == '"' || (letter == '\\' && letters.next().is_none()) {
            return false;
        }
    }
    true
}

/// `.git` and HEAD are read without git: whoever wrote them says a branch, and never where else to look.
fn files(bytes: &[u8]) {
    if bytes.len() > 1 << 19 {
        return; // more than is read of such a file
    }
    let [repository, worktree] =
        ["repository", "worktree"].map(|name| FOLDER.with(|folder| folder.path().join(name)));
    write(&repository.join(".git/HEAD"), bytes);
    assert!(git::branch(&repository).is_some_and(|branch| branch.chars().count() <= 200));
    write(&worktree.join(".git"), bytes);
    assert_eq!(git::branch(&worktree), None, "the repository of other files");
    write(&worktree.join(".git"), &[b"gitdir: ", bytes].concat());
    assert_eq!(git::branch(&worktree), None, "the repository of other files");
}

/// A new file each time: some disks write what follows in an emptied one at once.
fn write(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path); // not there the first time
    fs::write(path, bytes).expect("a file");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_have_what_each_reader_takes() {
        let seed = |name: &str| {
            let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds/git");
            read(&fs::read(seeds.join(name)).expect("a seed"), "in")
        };
        let has = |name: &str, file: &str| seed(name).names.iter().any(|known| known == file);
        assert!(has("status.txt", "a b.txt") && has("numstat.txt", "a\tb.txt"));
        assert!(has("files-stage.txt", "vendor/lib") && has("merge.txt", "src/b.rs"));
        assert!(!seed("merge-outside.txt").objects.iter().any(|name| name.starts_with("0123")));
        let counts = ["tree-entry.txt", "roots.txt", "merge.txt"].map(|name| seed(name).objects.len());
        assert_eq!(counts, [1, 2, 1]);
        assert_eq!(
            (seed("head-branch.txt").branch, seed("gitdir.txt").worktree),
            ("feature/a".into(), Some("w".into()))
        );
        assert!(seed("config.txt").configuration.is_ok_and(|copy| copy.contains("git-lfs clean")));
        assert_eq!(seed("config-strange.txt").configuration, Err("extensions.strange".to_owned()));
        assert!(passes(&seed("refused.txt").errors[1]) && passes(&seed("refused-full.txt").errors[1]));
    }
}
