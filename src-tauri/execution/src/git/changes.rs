//! What a run changed, file by file, with the text before and after: from git for what was committed, from the folder for
//! what was changed already.

use super::{FolderSnapshot, git, lines};
use crate::changes::{ChangeKind, ChangedFile, RunChanges};
use loopdeck_system::files;
use std::ffi::OsStr;
use std::path::Path;

/// So many files are kept with their texts.
const MOST_TEXTS: usize = 100;
/// Bytes of all texts together.
const MOST_BYTES: usize = 4 << 20;

/// The two versions of the files in `changed`; `None` where the folder is in no repository. A file that git ignores has no
/// texts, because it is not known what it held before.
#[must_use]
pub fn changes_since(folder: &Path, before: &FolderSnapshot, changed: &[String]) -> Option<RunChanges> {
    if !before.by_git {
        return None;
    }
    let ignored = before.left_out(folder, changed);
    // A folder that became a link leads to files of somebody else.
    let is_within = |path: &str| match folder.join(path).parent() {
        Some(parent) => !parent.exists() || files::lies_within(folder, parent),
        None => false,
    };
    let mut room = MOST_BYTES;
    let files = changed.iter().enumerate().map(|(place, path)| {
        let (old, new) = (content_before(folder, before, path), lines::content(folder, path));
        let is_kept = is_within(path) && !ignored.contains(path);
        let (true, Some(old), Some(new)) = (is_kept, old, new) else {
            return ChangedFile::without_text(path, ChangeKind::Changed);
        };
        let kind = match (folder.join(path).symlink_metadata().is_ok(), old.existed) {
            (false, _) => ChangeKind::Removed,
            (true, true) => ChangeKind::Changed,
            (true, false) => ChangeKind::Added,
        };
        let size = old.bytes.len() + new.len();
        if old.bytes.contains(&0) || new.contains(&0) {
            return ChangedFile::without_text(path, kind);
        }
        let lines = Some(lines::compared(&old.bytes, &new));
        if place >= MOST_TEXTS || size > room {
            return ChangedFile { lines, ..ChangedFile::without_text(path, kind) };
        }
        room -= size;
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        ChangedFile { path: path.clone(), kind, lines, before: text(&old.bytes), after: text(&new) }
    });
    Some(RunChanges { files: files.collect() })
}

/// A file when the run began.
struct OldFile {
    existed: bool,
    bytes: Vec<u8>,
}

/// `None` when it is not known: too long, or no file.
fn content_before(folder: &Path, before: &FolderSnapshot, path: &str) -> Option<OldFile> {
    if let Some(fingerprint) = before.files.get(path) {
        let existed = fingerprint.modified.is_some();
        return before.contents.get(path).map(|bytes| OldFile { existed, bytes: bytes.clone() });
    }
    let nothing = OldFile { existed: false, bytes: Vec::new() };
    let Some(commit) = &before.commit else { return Some(nothing) };
    // A name is no pattern here, whatever signs are in it.
    let object = format!("{commit}:./{path}");
    let answer = git(folder, &["cat-file", "blob", &object].map(OsStr::new)).ok()?;
    match answer.code {
        Some(0) => (answer.stdout.len() <= lines::LONGEST_BYTES)
            .then_some(OldFile { existed: true, bytes: answer.stdout }),
        Some(_) => Some(nothing),
        None => None,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::tests::{commit, repository};
    use super::super::{changed_since, snapshot};
    use super::*;
    use std::fs;

    #[test]
    fn committed_changed_new_and_removed_files_have_both_texts() {
        let dir = repository();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("dirty.txt"), "a\nb\n").unwrap();
        fs::write(at("gone.txt"), "g\n").unwrap();
        let before = snapshot(dir.path());
        fs::write(at("a b.txt"), "1\n2\n").unwrap();
        commit(dir.path());
        fs::write(at("dirty.txt"), "a\nc\n").unwrap();
        fs::write(at("new é.txt"), "n\n").unwrap();
        fs::write(at("image.bin"), [0, 1, 2]).unwrap();
        fs::remove_file(at("gone.txt")).unwrap();
        let changed = changed_since(dir.path(), &before).unwrap();
        let changes = changes_since(dir.path(), &before, &changed).unwrap();
        let row = |file: &ChangedFile| {
            let lines = file.lines.map(|lines| (lines.added, lines.removed));
            (file.path.clone(), file.kind, lines, file.before.clone(), file.after.clone())
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            changes.files.iter().map(row).collect::<Vec<_>>(),
            [
                ("a b.txt".into(), ChangeKind::Changed, Some((2, 1)), text("1"), text("1\n2\n")),
                ("dirty.txt".into(), ChangeKind::Changed, Some((1, 1)), text("a\nb\n"), text("a\nc\n")),
                ("gone.txt".into(), ChangeKind::Removed, Some((0, 1)), text("g\n"), text("")),
                ("image.bin".into(), ChangeKind::Added, None, None, None),
                ("new é.txt".into(), ChangeKind::Added, Some((1, 0)), text(""), text("n\n")),
            ]
        );
    }

    #[test]
    fn what_git_ignores_and_what_is_too_long_is_listed_without_text() {
        let dir = repository();
        fs::write(dir.path().join(".gitignore"), "ignored\n").unwrap();
        let before = snapshot(dir.path());
        fs::write(dir.path().join("ignored"), "1").unwrap();
        fs::write(dir.path().join("long.txt"), "x".repeat(2 << 20)).unwrap();
        let changed = ["ignored", "long.txt"].map(str::to_owned);
        let changes = changes_since(dir.path(), &before, &changed).unwrap();
        assert!(
            changes.files.iter().all(|file| file.before.is_none() && file.lines.is_none()),
            "{changes:?}"
        );
        let plain = tempfile::tempdir().unwrap();
        assert_eq!(changes_since(plain.path(), &snapshot(plain.path()), &changed), None);
    }
}
