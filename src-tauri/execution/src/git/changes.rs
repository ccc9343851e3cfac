//! What a run changed, file by file, with the text before and after: from git for what was committed, from the folder for
//! what was changed already.

use super::{FolderSnapshot, git, lines};
use crate::changes::{ChangeKind, ChangedFile, RunChanges};
use loopdeck_core::stable_hash::stable_hash;
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
    let ignored = before.left_out(changed);
    let (mut texts, mut room) = (MOST_TEXTS, MOST_BYTES);
    let files = changed.iter().map(|path| {
        let known = !ignored.contains(path) && is_within(folder, path);
        let file = known.then(|| change(folder, before, path)).flatten();
        let file = file.unwrap_or_else(|| ChangedFile::without_text(path, ChangeKind::Changed));
        let size = file.before.as_ref().map_or(0, String::len) + file.after.as_ref().map_or(0, String::len);
        if texts == 0 || size > room {
            return ChangedFile { before: None, after: None, ..file };
        }
        (texts, room) = (texts - 1, room - size);
        file
    });
    Some(RunChanges { files: files.collect() })
}

/// A folder that became a link leads to files of somebody else.
fn is_within(folder: &Path, path: &str) -> bool {
    let above = folder.join(path).parent().map(Path::to_path_buf);
    above.is_some_and(|above| !above.exists() || files::lies_within(folder, &above))
}

/// One file with its texts; without them when it is not text, `None` when it is too long or no file.
fn change(folder: &Path, before: &FolderSnapshot, path: &str) -> Option<ChangedFile> {
    let (old, new) = (content_before(before, path)?, lines::content(folder, path)?);
    let kind = match (folder.join(path).symlink_metadata().is_ok(), old.existed) {
        (false, _) => ChangeKind::Removed,
        (true, true) => ChangeKind::Changed,
        (true, false) => ChangeKind::Added,
    };
    if old.bytes.contains(&0) || new.contains(&0) {
        return Some(ChangedFile::without_text(path, kind));
    }
    let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
    let lines = Some(lines::count_lines(&old.bytes, &new));
    let hashes = Some([stable_hash(&old.bytes), stable_hash(&new)]);
    let (before, after) = (text(&old.bytes), text(&new));
    Some(ChangedFile { path: path.to_owned(), kind, lines, before, after, hashes })
}

/// A file when the run began.
struct OldFile {
    existed: bool,
    bytes: Vec<u8>,
}

/// `None` when it is not known: too long, or no file.
fn content_before(before: &FolderSnapshot, path: &str) -> Option<OldFile> {
    if let Some(fingerprint) = before.files.get(path) {
        let existed = fingerprint.modified.is_some();
        return before.contents.get(path).map(|bytes| OldFile { existed, bytes: bytes.clone() });
    }
    let nothing = OldFile { existed: false, bytes: Vec::new() };
    let Some(commit) = &before.commit else { return Some(nothing) };
    // A name is no pattern here, whatever signs are in it.
    let object = format!("{commit}:./{path}");
    let repository = before.repository.as_ref()?;
    let answer = git(repository, &["cat-file", "blob", &object].map(OsStr::new)).ok()?;
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
    use super::super::changed_since;
    use super::super::tests::{commit, look, repository};
    use super::*;
    use loopdeck_system::files::Canonical as _;
    use std::fs;

    #[test]
    fn committed_changed_new_and_removed_files_have_both_texts() {
        let dir = repository();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("dirty.txt"), "a\nb\n").unwrap();
        fs::write(at("gone.txt"), "g\n").unwrap();
        let before = look(dir.path());
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
        let before = look(dir.path());
        fs::write(dir.path().join("ignored"), "1").unwrap();
        fs::write(dir.path().join("long.txt"), "x".repeat(2 << 20)).unwrap();
        let changed = ["ignored", "long.txt"].map(str::to_owned);
        let changes = changes_since(dir.path(), &before, &changed).unwrap();
        assert!(
            changes.files.iter().all(|file| file.before.is_none() && file.lines.is_none()),
            "{changes:?}"
        );
        let plain = tempfile::tempdir().unwrap();
        assert_eq!(changes_since(plain.path(), &look(plain.path()), &changed), None);
    }

    #[test]
    fn a_folder_that_became_a_link_shows_nothing_of_somebody_else() {
        let (dir, other) = (repository(), tempfile::tempdir().unwrap());
        let root = dir.path().canonical().unwrap();
        fs::write(other.path().join("secret.txt"), "swordfish").unwrap();
        let before = look(&root);
        std::os::unix::fs::symlink(other.path(), root.join("link")).unwrap();
        let changes = changes_since(&root, &before, &["link/secret.txt".to_owned()]).unwrap();
        assert_eq!(changes.files, [ChangedFile::without_text("link/secret.txt", ChangeKind::Changed)]);
    }
}
