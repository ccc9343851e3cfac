//! Guarded replacement and removal of files that other programs write too. A version that is not ours is never lost: what came out
//! of an exchange or was moved aside is checked, and goes back when it is not what was expected.

use super::plain::{contents, open_plain, read_plain, says, still_says};
use super::{SIZE_LIMIT, exchange, real_within, sync_folder, temporary};
use crate::fingerprint::Fingerprint;
use crate::platform::{keep_owner, put_over};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Why a guarded replacement is not known to have happened.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceFault {
    /// Another program wrote in between: read again and apply the intent again. When ours was in place for a moment, with that content:
    /// another program may have opened it just then.
    #[error("another program changed the file")]
    Changed(Option<TakenBack>),
    /// The disk refused: the old bytes are still there, unless it was only the fsync of the folder that failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the content of `path` with `new`, provided it is still `expected` and in `workspace` (canonical).
///
/// Temporary file next to it, fsync, exchange, check what came out, swap back on a conflict, fsync the
/// folder. Mode and owner are kept; a link stays a link.
///
/// # Errors
/// [`ReplaceFault::Changed`] on a foreign change, and nothing has changed; [`ReplaceFault::Io`] when the disk refuses. Then ours is in
/// place only if it was the fsync of the folder that failed.
pub fn replace(workspace: &Path, path: &Path, expected: &[u8], new: &[u8]) -> Result<Replaced, ReplaceFault> {
    Prepared::new(workspace, path, new)?.replace(expected, new)
}

/// The new version of a file, durable next to it under a temporary name; removed when it is not used.
#[derive(Debug)]
pub struct Prepared {
    pub(super) path: PathBuf,
    temp: tempfile::NamedTempFile,
    stamp: Fingerprint,
}

impl Prepared {
    pub(super) fn new(workspace: &Path, path: &Path, new: &[u8]) -> Result<Self, ReplaceFault> {
        let path = real_within(workspace, path)?;
        let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
        let temp = write_temp(folder, &path, new)?;
        let stamp = Fingerprint::read(temp.as_file())?;
        Ok(Self { path, temp, stamp })
    }

    /// Prepares `new` while `record` records it elsewhere: both wait for the disk, so together they take
    /// about as long as one.
    ///
    /// # Errors
    /// The first result is an error when the disk refuses.
    pub fn while_recording<T>(
        workspace: &Path,
        path: &Path,
        new: &[u8],
        record: impl FnOnce() -> T,
    ) -> (Result<Self, ReplaceFault>, T) {
        std::thread::scope(|scope| {
            let prepared = scope.spawn(|| Self::new(workspace, path, new));
            let recorded = record();
            let prepared = prepared.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended").into()));
            (prepared, recorded)
        })
    }

    /// Puts `new` (the prepared version) in place of `expected`, like [`replace`].
    ///
    /// # Errors
    /// Like [`replace`].
    pub fn replace(self, expected: &[u8], new: &[u8]) -> Result<Replaced, ReplaceFault> {
        let folder = self.path.parent().map(Path::to_owned);
        let replaced = self.exchange(expected, new)?;
        folder.map_or(Ok(()), |folder| sync_folder(&folder))?;
        Ok(replaced)
    }

    /// The same without the fsync of the folder, which must follow.
    pub(super) fn exchange(self, expected: &[u8], new: &[u8]) -> Result<Replaced, ReplaceFault> {
        let Self { path, temp, stamp } = self;
        if !still_says(&path, expected)? {
            return Err(ReplaceFault::Changed(None));
        }
        let former = put_in_place(temp, &path, expected, new)?;
        Ok(Replaced { stamp: stamp.renamed(&path), former })
    }
}

/// Removes the file at `path`, provided it is still `expected` and its folder is in `workspace` (canonical).
/// The file is moved aside, checked, and restored if it differs.
///
/// # Errors
/// [`ReplaceFault::Changed`] on a foreign change, [`ReplaceFault::Io`] when the disk refuses; the file stays then.
pub fn remove(workspace: &Path, path: &Path, expected: &[u8]) -> Result<(), ReplaceFault> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
    real_within(workspace, folder)?;
    if !still_says(path, expected)? {
        return Err(ReplaceFault::Changed(None));
    }
    let aside = temporary::file_in(folder)?.into_temp_path();
    std::fs::rename(path, &aside)?;
    drop_aside(aside, path, expected)
}

/// Removes the file that was moved aside from `path`, or puts it back.
fn drop_aside(aside: tempfile::TempPath, path: &Path, expected: &[u8]) -> Result<(), ReplaceFault> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let fault = match says(&aside, expected) {
        Ok(true) => match sync_folder(folder) {
            Ok(()) => return Ok(()), // dropping `aside` removes it
            Err(error) => error.into(),
        },
        Ok(false) => ReplaceFault::Changed(None),
        Err(error) => error.into(),
    };
    keep_foreign(aside, path)?;
    Err(fault)
}

/// Gives a version that is not ours its name back. Where that is taken by now, it stays next to it under a name of its own, which no
/// scan reads and no clean-up removes.
///
/// # Errors
/// The disk's error. The version then keeps its temporary name.
fn keep_foreign(mut foreign: tempfile::TempPath, path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default();
    let numbered = (1..=99).map(|number| {
        let mut name = name.to_owned();
        name.push(format!(".kept-{number}"));
        path.with_file_name(name)
    });
    let mut refused = io::Error::from(io::ErrorKind::AlreadyExists);
    for name in std::iter::once(path.to_owned()).chain(numbered) {
        match foreign.persist_noclobber(&name) {
            Ok(()) if name == path => return Ok(()),
            Ok(()) => {
                tracing::warn!(file = %name.display(), "a version of another program is kept next to a newer one");
                return Ok(());
            }
            Err(error) => (refused, foreign) = (error.error, error.path),
        }
    }
    foreign.keep().map_err(|error| error.error)?;
    Err(refused)
}

/// Our version, which was in place for a moment and no longer is.
#[derive(Debug)]
pub struct TakenBack {
    /// Our version, which no longer has a name.
    pub file: File,
    /// The foreign version, which is back in place.
    pub there: Vec<u8>,
}

/// A replacement that happened.
#[derive(Debug)]
pub struct Replaced {
    /// The new version.
    pub stamp: Fingerprint,
    /// The old one, which no longer has a name: a program that has it open may still write to it.
    pub former: File,
}

fn write_temp(folder: &Path, path: &Path, new: &[u8]) -> Result<tempfile::NamedTempFile, ReplaceFault> {
    use std::io::Write as _;
    let mut temp = temporary::file_in(folder)?;
    temp.write_all(new)?;
    let old = std::fs::metadata(path)?;
    temp.as_file().set_permissions(old.permissions())?;
    keep_owner(temp.as_file(), &old);
    temp.as_file().sync_all()?;
    Ok(temp)
}

/// A compare-and-swap if the file system supports it: exchange both names, check what came out, swap back on
/// a conflict.
fn put_in_place(
    temp: tempfile::NamedTempFile,
    path: &Path,
    expected: &[u8],
    new: &[u8],
) -> Result<File, ReplaceFault> {
    let temp = temp.into_temp_path(); // Windows exchanges no file that is open
    match exchange(&temp, path) {
        Ok(()) => {}
        // Without exchange, the comparison right before is the only guard.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return persist(temp, path),
        Err(error) => return Err(error.into()),
    }
    match came_out(&temp) {
        Ok((former, there)) if there == expected => Ok(former), // dropping `temp` removes the old version's name
        Ok((_, there)) => match put_back(&temp, path, there, new) {
            Ok(there) => {
                let file = open_plain(&temp)?;
                Err(ReplaceFault::Changed(there.map(|there| TakenBack { file, there })))
            }
            Err(error) => undo_exchange(temp, path, new, error),
        },
        // What cannot be read may be anybody's.
        Err(error) => undo_exchange(temp, path, new, error),
    }
}

/// The version that came out of an exchange. One that is no state file, or too large for one, is as good as unreadable.
fn came_out(temp: &Path) -> io::Result<(File, Vec<u8>)> {
    let former = open_plain(temp)?;
    let there = contents(&former, SIZE_LIMIT)?;
    Ok((former, there))
}

/// After an error between two exchanges: takes back ours, `new`. A version that is not ours is not removed with `temp`.
fn undo_exchange(
    temp: tempfile::TempPath,
    path: &Path,
    new: &[u8],
    error: io::Error,
) -> Result<File, ReplaceFault> {
    let is_ours = || says(&temp, new).unwrap_or(false);
    if !is_ours() && (exchange(&temp, path).is_err() || !is_ours()) {
        keep_foreign(temp, path)?;
    }
    Err(error.into())
}

/// Restores the foreign version that came out. If another writer replaced ours meanwhile, theirs comes out,
/// is the newest and goes back in turn, until the version that comes out is the one just put there. Returns
/// the version now in place, if it was ours that came out.
///
/// # Errors
/// The disk's. A version that is not ours may have either name then.
fn put_back(temp: &Path, path: &Path, mut foreign: Vec<u8>, ours: &[u8]) -> io::Result<Option<Vec<u8>>> {
    const MOST: u32 = 100; // a writer this fast only overtakes itself
    let mut there = ours.to_vec();
    for round in 0..MOST {
        exchange(temp, path)?;
        let came_out = read_plain(temp, SIZE_LIMIT)?;
        if came_out == there {
            return Ok((round == 0).then_some(foreign));
        }
        there = std::mem::replace(&mut foreign, came_out);
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn persist(temp: tempfile::TempPath, path: &Path) -> Result<File, ReplaceFault> {
    Ok(temporary::placed(temp, |temp| put_over(temp, path, open_plain))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Canonical as _;

    #[test]
    fn a_foreign_change_between_read_and_rename_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let path = root.join("a.json");
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(replace(&root, &path, b"what we read", b"ours"), Err(ReplaceFault::Changed(None))));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        replace(&root, &path, b"theirs", b"ours").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    // macOS has no exchange yet.
    #[cfg(any(target_os = "linux", windows))]
    #[test]
    fn who_replaces_ours_before_it_is_taken_back_is_not_undone() {
        let dir = tempfile::tempdir().unwrap();
        let (path, temp) = (dir.path().join("a.json"), dir.path().join("b.tmp"));
        // The exchange happened, a conflict was detected, and a second writer wrote before the swap back.
        std::fs::write(&temp, "first").unwrap();
        std::fs::write(&path, "second").unwrap();
        put_back(&temp, &path, b"first".to_vec(), b"ours").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_a_file_is_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let path = root.join("a.json");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
        replace(&root, &path, b"old", b"new").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o664);
    }

    fn unreadable(path: &Path) {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join("theirs"), "theirs").unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_came_out_and_cannot_be_read_goes_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        // A folder can be exchanged with a file, and not be read as one.
        unreadable(&path);
        let mut temp = temporary::file_in(dir.path()).unwrap();
        io::Write::write_all(&mut temp, b"ours").unwrap();
        assert!(matches!(put_in_place(temp, &path, b"expected", b"ours"), Err(ReplaceFault::Io(_))));
        assert!(path.join("theirs").is_file());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_two_foreign_versions_none_is_dropped_when_the_second_cannot_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        let temp = temporary::file_in(dir.path()).unwrap().into_temp_path();
        std::fs::write(&temp, "first").unwrap();
        unreadable(&path);
        let error = put_back(&temp, &path, b"first".to_vec(), b"ours").unwrap_err();
        undo_exchange(temp, &path, b"ours", error).unwrap_err();
        assert!(path.join("theirs").is_file(), "the newest is in place");
        assert_eq!(std::fs::read(dir.path().join("a.json.kept-1")).unwrap(), b"first");
        // The name is gone when ours is to be taken back.
        let temp = temporary::file_in(dir.path()).unwrap().into_temp_path();
        std::fs::write(&temp, "third").unwrap();
        let path = dir.path().join("gone.json");
        let error = put_back(&temp, &path, b"third".to_vec(), b"ours").unwrap_err();
        undo_exchange(temp, &path, b"ours", error).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"third");
    }

    #[test]
    fn a_file_that_is_not_removed_keeps_or_gets_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        let aside = |text: &str| {
            let aside = temporary::file_in(dir.path()).unwrap().into_temp_path();
            std::fs::write(&aside, text).unwrap();
            aside
        };
        let drop_it = |aside| drop_aside(aside, &path, b"expected");
        assert!(matches!(drop_it(aside("theirs")), Err(ReplaceFault::Changed(None))));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        // A third program created the file again.
        assert!(matches!(drop_it(aside("older")), Err(ReplaceFault::Changed(None))));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        assert_eq!(std::fs::read(dir.path().join("a.json.kept-1")).unwrap(), b"older");
        std::fs::remove_file(&path).unwrap();
        let lost = aside("");
        std::fs::remove_file(&lost).unwrap();
        unreadable(&lost);
        assert!(matches!(drop_it(lost), Err(ReplaceFault::Io(_))));
        assert!(path.join("theirs").is_file());
        std::fs::remove_dir_all(&path).unwrap();
        drop_it(aside("expected")).unwrap();
        assert!(!path.exists());
    }

    #[cfg(target_os = "linux")]
    fn pipe(path: &Path) {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }

    /// Somebody puts a pipe in the place of the file in the middle of a write: nobody writes into it, and nobody may wait for that.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_the_place_of_the_file_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let path = root.join("a.json");
        std::fs::write(&path, "old").unwrap();
        let prepared = Prepared::new(&root, &path, b"new").unwrap();
        let mut unprepared = temporary::file_in(&root).unwrap();
        io::Write::write_all(&mut unprepared, b"new").unwrap();
        std::fs::remove_file(&path).unwrap();
        pipe(&path);
        let (tell, told) = std::sync::mpsc::channel();
        let at = path.clone();
        std::thread::spawn(move || {
            let appended = super::super::append(&root, &at, |_| Some(b"more".to_vec())).map(|_| ());
            let all = [
                prepared.replace(b"old", b"new").map(|_| ()),
                remove(&root, &at, b"old"),
                appended,
                put_in_place(unprepared, &at, b"old", b"new").map(|_| ()),
            ];
            tell.send(all).unwrap_or_default();
        });
        let all = told.recv_timeout(std::time::Duration::from_secs(60)).expect("a write waits for the pipe");
        assert!(all[..3].iter().all(|one| matches!(one, Err(ReplaceFault::Changed(None)))), "{all:?}");
        assert!(matches!(all[3], Err(ReplaceFault::Io(_))), "{all:?}");
        assert!(!path.metadata().unwrap().is_file(), "theirs is back in place");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    /// What another program makes of the file is compared with what was read, and no more of it is read than that.
    #[test]
    fn a_file_that_became_huge_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let path = root.join("a.json");
        std::fs::write(&path, "old").unwrap();
        let prepared = Prepared::new(&root, &path, b"new").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(matches!(prepared.replace(b"old", b"new"), Err(ReplaceFault::Changed(None))));
        assert!(matches!(remove(&root, &path, b"old"), Err(ReplaceFault::Changed(None))));
        assert!(super::super::append(&root, &path, |_| Some(b"more".to_vec())).is_err());
        assert_eq!(path.metadata().unwrap().len(), 10 << 30);
    }
}
