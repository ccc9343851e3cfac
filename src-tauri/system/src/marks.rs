//! Marks in a workspace: who runs a loop there tells it to those that have another data folder, and so another journal.
//!
//! A mark is a file below `.loopdeck/` that its maker keeps locked. The system takes the lock away with the process, so one
//! that is locked is true, and any other is left over. Git leaves the folder alone, and it goes with its last mark. What a
//! mark says is untrusted, and looking at marks changes nothing.

use crate::files;
use crate::platform::{hold, is_held, share};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The folder, below the workspace.
pub const FOLDER: &str = ".loopdeck";
const ENDING: &str = ".running";
/// Before the name of one that is being made.
const NEW: &str = ".new-";
const IGNORE: &str = ".gitignore";
/// Longer marks are none of ours.
const LONGEST: u64 = 4_096;
/// So many names are looked at.
const MOST: usize = 1_000;
/// Whoever takes the last mark away may remove the folder under a new one.
const TRIES: usize = 5;

/// A mark of ours. It goes with this value, or with the process.
#[derive(Debug)]
pub struct Mark {
    folder: PathBuf,
    name: OsString,
    _locked: File,
}

impl Mark {
    /// Marks something as true in `workspace`, which is canonical, as long as the value lives.
    ///
    /// # Errors
    /// What the disk says; a file system without locks, or a link in the place of the folder. Nothing is marked then.
    pub fn make(workspace: &Path, text: &[u8]) -> io::Result<Self> {
        let folder = workspace.join(FOLDER);
        for _ in 1..TRIES {
            match Self::make_in(workspace, &folder, text) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => return made,
            }
        }
        Self::make_in(workspace, &folder, text)
    }

    fn make_in(workspace: &Path, folder: &Path, text: &[u8]) -> io::Result<Self> {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !fs::symlink_metadata(folder)?.is_dir() || !files::lies_within(workspace, folder) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        match File::create_new(folder.join(IGNORE)) {
            Ok(mut ignore) => ignore.write_all(b"*\n")?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        remove_left_overs(folder);
        // Under its own name only once it is locked, so that nobody takes it for left over.
        let mut file = tempfile::Builder::new().prefix(NEW).suffix(ENDING).tempfile_in(folder)?;
        if !hold(file.as_file())? {
            return Err(io::ErrorKind::NotFound.into()); // somebody takes it for left over, and removes it
        }
        share(file.as_file())?; // with other people who work in the folder
        file.write_all(text)?;
        let name = file.path().file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix(NEW));
        let name: OsString = name.ok_or(io::ErrorKind::InvalidFilename)?.into();
        let locked = file.persist_noclobber(folder.join(&name)).map_err(|error| error.error)?;
        Ok(Self { folder: folder.to_owned(), name, _locked: locked })
    }

    /// Its file name.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Whether its file is still there: somebody may have cleaned the folder.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.folder.join(&self.name).exists()
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.join(&self.name)); // without its lock it says nothing
        let is_last = fs::read_dir(&self.folder)
            .is_ok_and(|names| names.flatten().all(|entry| entry.file_name() == IGNORE));
        if is_last {
            let _ = fs::remove_file(self.folder.join(IGNORE));
            let _ = fs::remove_dir(&self.folder); // one that was made meanwhile stays
        }
    }
}

/// The texts of all marks in `workspace` whose makers live, apart from those named `ours`.
#[must_use]
pub fn living(workspace: &Path, ours: &[&OsStr]) -> Vec<Vec<u8>> {
    let folder = workspace.join(FOLDER);
    // Nothing is read through a link.
    if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
        return Vec::new();
    }
    let names = marks(&folder).into_iter().filter(|name| !ours.contains(&name.as_os_str()));
    names.filter_map(|name| text_if_locked(&folder.join(name))).collect()
}

fn marks(folder: &Path) -> Vec<OsString> {
    let mut names = files_in(folder);
    names.retain(|name| !name.as_encoded_bytes().starts_with(NEW.as_bytes()));
    names
}

fn files_in(folder: &Path) -> Vec<OsString> {
    let names =
        fs::read_dir(folder).into_iter().flatten().flatten().take(MOST).map(|entry| entry.file_name());
    names.filter(|name| name.as_encoded_bytes().ends_with(ENDING.as_bytes())).collect()
}

fn text_if_locked(path: &Path) -> Option<Vec<u8>> {
    let file = files::open_plain(path).ok()?;
    let lives = is_held(&file);
    let mut text = Vec::new();
    (&file).take(LONGEST).read_to_end(&mut text).ok().filter(|_| lives)?;
    Some(text)
}

fn remove_left_overs(folder: &Path) {
    for name in files_in(folder) {
        let path = folder.join(name);
        if files::open_plain(&path).is_ok_and(|file| hold(&file).unwrap_or(false)) {
            let _ = fs::remove_file(path); // it says nothing
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "processes of a test, which end")]
mod tests {
    use super::*;
    use crate::files::Canonical as _;
    use std::process::{Command, Stdio};

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonical().unwrap();
        (folder, path)
    }

    #[test]
    fn a_mark_is_seen_as_long_as_it_lives_and_leaves_nothing() {
        let (_folder, workspace) = workspace();
        assert!(living(&workspace, &[]).is_empty());
        assert!(!workspace.join(FOLDER).exists(), "a look leaves nothing");
        let first = Mark::make(&workspace, b"one").unwrap();
        let second = Mark::make(&workspace, b"two").unwrap();
        assert_eq!(living(&workspace, &[first.name()]), [b"two"]);
        assert_eq!(fs::read_to_string(workspace.join(FOLDER).join(IGNORE)).unwrap(), "*\n");
        assert!(first.is_there());
        drop(first);
        assert_eq!(living(&workspace, &[]), [b"two"]);
        drop(second);
        assert!(!workspace.join(FOLDER).exists());
    }

    #[test]
    fn one_whose_maker_is_gone_says_nothing_and_is_removed_by_the_next() {
        let (_folder, workspace) = workspace();
        let left = workspace.join(FOLDER).join("old.running");
        fs::create_dir(workspace.join(FOLDER)).unwrap();
        fs::write(&left, "old").unwrap();
        fs::write(workspace.join(FOLDER).join(".new-half.running"), "").unwrap();
        assert!(living(&workspace, &[]).is_empty() && left.exists());
        let mark = Mark::make(&workspace, b"new").unwrap();
        assert_eq!(living(&workspace, &[]), [b"new"]);
        let others = files_in(&workspace.join(FOLDER)).into_iter().filter(|name| name != mark.name());
        assert_eq!(others.count(), 0);
        fs::remove_dir_all(workspace.join(FOLDER)).unwrap();
        assert!(!mark.is_there());
    }

    #[test]
    fn hostile_marks_are_not_read() {
        let (_folder, workspace) = workspace();
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(other.path(), workspace.join(FOLDER)).unwrap();
        assert!(Mark::make(&workspace, b"x").is_err());
        assert!(living(&workspace, &[]).is_empty());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
        fs::remove_file(workspace.join(FOLDER)).unwrap();
        let mark = Mark::make(&workspace, &[b'x'; 100_000]).unwrap();
        let folder = workspace.join(FOLDER);
        assert!(Command::new("mkfifo").arg(folder.join("pipe.running")).status().unwrap().success());
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link.running")).unwrap();
        fs::create_dir(folder.join("folder.running")).unwrap();
        let seen = living(&workspace, &[]);
        assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [4_096]);
        drop(mark);
        assert!(folder.exists(), "it has things that are not ours");
    }

    #[test]
    fn a_mark_goes_with_its_process() {
        let (_folder, workspace) = workspace();
        let path = workspace.join("held.running");
        fs::write(&path, "").unwrap();
        let script = format!("exec 9<'{}'; flock 9; echo held; exec sleep 600", path.display());
        let mut child = Command::new("sh").arg("-c").arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = [0; 5];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert!(text_if_locked(&path).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(text_if_locked(&path).is_none());
    }
}
