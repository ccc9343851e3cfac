//! The only module that touches state files on disk: safe reads and guarded replacement.
//!
//! Files from a workspace are untrusted: a FIFO must not block, a link must not lead out, a huge file must not be
//! swallowed, a half-written file must not pass for damage.

mod append;

pub(crate) use append::{Appended, append};

use crate::stamp::Stamp;
use loopdeck_core::problem::ProblemCode;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Larger state files are listed, not read. The largest real loops seen are below 1 MB.
pub const SIZE_LIMIT: u64 = 32 << 20;

/// Why a file could not be read, as a problem code with its values.
#[derive(Debug)]
pub struct ReadFault {
    /// Which problem.
    pub code: ProblemCode,
    /// Named values of its sentence.
    pub args: Vec<(&'static str, String)>,
    /// What was seen of the file, so that a later look can tell whether it changed.
    pub stamp: Option<Stamp>,
}

impl ReadFault {
    fn new(code: ProblemCode, stamp: Option<Stamp>) -> Self {
        Self { code, args: Vec::new(), stamp }
    }

    fn with(mut self, name: &'static str, value: impl std::fmt::Display) -> Self {
        self.args.push((name, value.to_string()));
        self
    }

    fn io(error: &io::Error) -> Self {
        Self::new(ProblemCode::F4_not_readable, None).with("reason", error)
    }

    /// The file is not there (any more).
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.code == ProblemCode::F8_folder_gone
    }

    /// The file is there and says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.code == ProblemCode::F5_being_written && self.stamp.is_some_and(|stamp| stamp.size == 0)
    }
}

/// Reads `path` into `buffer` (cleared first) and says which version it was.
///
/// `workspace` is canonical; a link is followed only when its target lies below it.
///
/// # Errors
/// A [`ReadFault`]; `F8_folder_gone` when there is no such file, `F5_being_written` when it changed while reading.
pub fn read(workspace: &Path, path: &Path, buffer: &mut Vec<u8>) -> Result<Stamp, ReadFault> {
    buffer.clear();
    let mut file = open(workspace, path)?;
    let before = Stamp::of(&file).map_err(|error| ReadFault::io(&error))?;
    if !before.is_file() {
        return Err(ReadFault::new(ProblemCode::F2_not_a_file, Some(before)).with("kind", before.kind_word()));
    }
    if before.size > SIZE_LIMIT {
        let fault = ReadFault::new(ProblemCode::F1_too_large, Some(before));
        return Err(fault.with("size", before.size).with("limit", SIZE_LIMIT));
    }
    let size = usize::try_from(before.size).unwrap_or(0);
    buffer.reserve(size + 1);
    (&mut file).take(SIZE_LIMIT + 1).read_to_end(buffer).map_err(|error| ReadFault::io(&error))?;
    let after = Stamp::of(&file).map_err(|error| ReadFault::io(&error))?;
    if after != before || buffer.len() as u64 != after.size || buffer.is_empty() {
        return Err(ReadFault::new(ProblemCode::F5_being_written, Some(after)));
    }
    Ok(before)
}

/// Reads the end of a log, at most `limit` bytes from the start of a line; the flag says that there is more before it.
///
/// Logs only grow: what is appended meanwhile is seen next time.
///
/// # Errors
/// As [`read`].
pub fn read_end(workspace: &Path, path: &Path, limit: u64) -> Result<(Vec<u8>, bool), ReadFault> {
    let mut file = open(workspace, path)?;
    let stamp = Stamp::of(&file).map_err(|error| ReadFault::io(&error))?;
    if !stamp.is_file() {
        return Err(ReadFault::new(ProblemCode::F2_not_a_file, Some(stamp)).with("kind", stamp.kind_word()));
    }
    // One byte before tells whether the first line is whole.
    let cut = stamp.size > limit;
    let start = if cut { stamp.size - limit - 1 } else { 0 };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(|error| ReadFault::io(&error))?;
    (&mut file).take(stamp.size - start).read_to_end(&mut bytes).map_err(|error| ReadFault::io(&error))?;
    if bytes.is_empty() || bytes.len() as u64 != stamp.size - start {
        return Err(ReadFault::new(ProblemCode::F5_being_written, Some(stamp)));
    }
    if cut {
        let first = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.drain(..first);
    }
    Ok((bytes, cut))
}

/// As [`read`], for a file whose folder nobody has looked at yet: it must lie in `workspace` as well.
///
/// # Errors
/// As [`read`]; `F3_outside_workspace` when the folder is a link that leads out.
pub fn read_within(workspace: &Path, path: &Path, buffer: &mut Vec<u8>) -> Result<Stamp, ReadFault> {
    buffer.clear();
    let folder = path.parent().unwrap_or(workspace);
    match folder.canonicalize() {
        Ok(real) if !real.starts_with(workspace) => {
            let fault = ReadFault::new(ProblemCode::F3_outside_workspace, None);
            Err(fault.with("target", real.display()))
        }
        // A folder that is not there is said by the read itself.
        _ => read(workspace, path, buffer),
    }
}

/// Opens without following a link at the end and without blocking on a FIFO.
fn open(workspace: &Path, path: &Path) -> Result<File, ReadFault> {
    match open_no_follow(path) {
        Ok(file) => Ok(file),
        Err(rustix::io::Errno::LOOP) => open_link(workspace, path),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {
            Err(ReadFault::new(ProblemCode::F8_folder_gone, None))
        }
        // A socket cannot be opened at all.
        Err(rustix::io::Errno::NXIO) => {
            Err(ReadFault::new(ProblemCode::F2_not_a_file, None).with("kind", "socket"))
        }
        Err(errno) => Err(ReadFault::io(&errno.into())),
    }
}

fn open_no_follow(path: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from)
}

fn open_link(workspace: &Path, path: &Path) -> Result<File, ReadFault> {
    let target = path.canonicalize().map_err(|error| ReadFault::io(&error))?;
    if !target.starts_with(workspace) {
        let fault = ReadFault::new(ProblemCode::F3_outside_workspace, None);
        return Err(fault.with("target", target.display()));
    }
    open_no_follow(&target).map_err(|errno| ReadFault::io(&errno.into()))
}

/// Why a guarded replacement did not happen. The old bytes are still there.
#[derive(Debug)]
pub enum ReplaceFault {
    /// Somebody else wrote in between: read again and apply the intent again. When ours was in place for a moment, with
    /// what was: somebody may have opened it just then.
    Changed(Option<TakenBack>),
    /// The disk refused.
    Io(io::Error),
}

impl From<io::Error> for ReplaceFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rustix::io::Errno> for ReplaceFault {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// Prefix of our temporary files; scans ignore it and a start removes left-overs.
pub const TEMP_PREFIX: &str = ".loopdeck-";

/// Replaces the content of `path` by `new`, provided it still is `expected` (L3.1).
///
/// Temporary file beside it, fsync, exchange, look at what came out, swap back on a conflict, fsync the folder.
/// Mode and owner are kept; a link stays a link.
///
/// # Errors
/// [`ReplaceFault::Changed`] on a foreign change, [`ReplaceFault::Io`] when the disk refuses; nothing changed then.
pub fn replace(path: &Path, expected: &[u8], new: &[u8]) -> Result<Replaced, ReplaceFault> {
    Prepared::new(path, new)?.replace(expected, new)
}

/// The new version of a file, durable beside it under a temporary name; gone again when it is not used.
#[derive(Debug)]
pub struct Prepared {
    path: PathBuf,
    temp: tempfile::NamedTempFile,
    stamp: Stamp,
}

impl Prepared {
    fn new(path: &Path, new: &[u8]) -> Result<Self, ReplaceFault> {
        let path = path.canonicalize()?;
        let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
        let temp = write_temp(folder, &path, new)?;
        let stamp = Stamp::of(temp.as_file())?;
        Ok(Self { path, temp, stamp })
    }

    /// Prepares `new` while `record` writes it down elsewhere: both wait for the disk, together about as long as one.
    ///
    /// # Errors
    /// The first result is an error when the disk refuses.
    pub fn beside<T>(path: &Path, new: &[u8], record: impl FnOnce() -> T) -> (Result<Self, ReplaceFault>, T) {
        std::thread::scope(|scope| {
            let prepared = scope.spawn(|| Self::new(path, new));
            let recorded = record();
            let prepared = prepared.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended").into()));
            (prepared, recorded)
        })
    }

    /// Puts `new` (what was prepared) in place of `expected`, as [`replace`] does.
    ///
    /// # Errors
    /// As [`replace`].
    pub fn replace(self, expected: &[u8], new: &[u8]) -> Result<Replaced, ReplaceFault> {
        let Self { path, temp, stamp } = self;
        if std::fs::read(&path)? != expected {
            return Err(ReplaceFault::Changed(None));
        }
        let former = put_in_place(temp, &path, expected, new)?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(Replaced { stamp: stamp.renamed(&path), former })
    }
}

/// Makes a new file, and the folder it lies in when only that is missing. Never replaces anything.
///
/// # Errors
/// [`ReplaceFault::Changed`] when there is such a file by now, [`ReplaceFault::Io`] when the disk refuses or the folder
/// does not lie in `workspace` (which is canonical).
pub fn create(workspace: &Path, path: &Path, new: &[u8]) -> Result<Stamp, ReplaceFault> {
    use std::io::Write as _;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    if !lies_within(workspace, folder) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
    }
    let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(".tmp").tempfile_in(folder)?;
    temp.write_all(new)?;
    share(temp.as_file())?;
    temp.as_file().sync_all()?;
    let stamp = Stamp::of(temp.as_file())?;
    temp.persist_noclobber(path).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => ReplaceFault::Changed(None),
        _ => ReplaceFault::Io(error.error),
    })?;
    File::open(folder)?.sync_all()?;
    Ok(stamp.renamed(path))
}

/// Removes the file at `path`, provided it still is `expected`: taken aside, looked at, put back when it is not.
///
/// # Errors
/// [`ReplaceFault::Changed`] on a foreign change, [`ReplaceFault::Io`] when the disk refuses; the file stays then.
pub fn remove(path: &Path, expected: &[u8]) -> Result<(), ReplaceFault> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
    if std::fs::read(path)? != expected {
        return Err(ReplaceFault::Changed(None));
    }
    let aside = tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(".tmp").tempfile_in(folder)?;
    std::fs::rename(path, aside.path())?;
    if std::fs::read(aside.path())? != expected {
        // Never over a file that came meanwhile: that one is the newest.
        let _ = std::fs::hard_link(aside.path(), path);
        return Err(ReplaceFault::Changed(None));
    }
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Whether a file can be written at `path`: the folder takes one, or only the folder itself is missing.
///
/// # Errors
/// What the disk says; `PermissionDenied` when the folder does not lie in `workspace` (which is canonical).
pub fn takes_files(workspace: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    if folder.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(());
    }
    if !lies_within(workspace, folder) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(".tmp").tempfile_in(folder).map(drop)
}

/// Temporary files are private; what others work with is readable as usual.
#[cfg(unix)]
fn share(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_file: &File) -> io::Result<()> {
    Ok(())
}

/// A version of ours that was in place for a moment and is not any more.
#[derive(Debug)]
pub struct TakenBack {
    /// Ours, which has no name any more.
    pub file: File,
    /// The foreign version that is back in its place.
    pub there: Vec<u8>,
}

/// A replacement that happened.
#[derive(Debug)]
pub struct Replaced {
    /// The new version.
    pub stamp: Stamp,
    /// The old one, which has no name any more: who had it open may still write into it.
    pub former: File,
}

fn write_temp(folder: &Path, path: &Path, new: &[u8]) -> Result<tempfile::NamedTempFile, ReplaceFault> {
    use std::io::Write as _;
    let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(".tmp").tempfile_in(folder)?;
    temp.write_all(new)?;
    let old = std::fs::metadata(path)?;
    temp.as_file().set_permissions(old.permissions())?;
    keep_owner(temp.as_file(), &old);
    temp.as_file().sync_all()?;
    Ok(temp)
}

/// Best effort: only root may give files away, and a file that was writable to us stays writable to us.
#[cfg(unix)]
fn keep_owner(file: &File, old: &std::fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _old: &std::fs::Metadata) {}

/// On Linux the rename is a compare-and-swap: exchange both names, look at what came out, swap back on conflict.
#[cfg(target_os = "linux")]
fn put_in_place(
    temp: tempfile::NamedTempFile,
    path: &Path,
    expected: &[u8],
    new: &[u8],
) -> Result<File, ReplaceFault> {
    use rustix::io::Errno;
    match exchange(temp.path(), path) {
        Ok(()) => {}
        // File systems without exchange: the comparison just before is the guard.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return persist(temp, path),
        Err(errno) => return Err(errno.into()),
    }
    let mut former = File::open(temp.path())?;
    let mut came_out = Vec::with_capacity(expected.len());
    former.read_to_end(&mut came_out)?;
    if came_out == expected {
        return Ok(former); // dropping `temp` removes the old version's name
    }
    let there = put_back(temp.path(), path, came_out, new)?;
    let file = temp.as_file().try_clone()?;
    Err(ReplaceFault::Changed(there.map(|there| TakenBack { file, there })))
}

#[cfg(target_os = "linux")]
fn exchange(temp: &Path, path: &Path) -> rustix::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, temp, CWD, path, RenameFlags::EXCHANGE)
}

/// Puts the foreign version that came out back. Somebody may have replaced ours meanwhile: then theirs comes out, is the
/// newest and goes back in turn, until what comes out is what was put there. What stands there when ours came out.
#[cfg(target_os = "linux")]
fn put_back(
    temp: &Path,
    path: &Path,
    mut foreign: Vec<u8>,
    ours: &[u8],
) -> Result<Option<Vec<u8>>, ReplaceFault> {
    const MOST: u32 = 100; // a writer this fast overtakes itself
    let mut there = ours.to_vec();
    for round in 0..MOST {
        exchange(temp, path)?;
        let came_out = std::fs::read(temp)?;
        if came_out == there {
            return Ok((round == 0).then_some(foreign));
        }
        there = std::mem::replace(&mut foreign, came_out);
    }
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
fn put_in_place(
    temp: tempfile::NamedTempFile,
    path: &Path,
    _expected: &[u8],
    _new: &[u8],
) -> Result<File, ReplaceFault> {
    persist(temp, path)
}

fn persist(temp: tempfile::NamedTempFile, path: &Path) -> Result<File, ReplaceFault> {
    let former = File::open(path)?;
    let (_file, temp_path) = temp.keep().map_err(|error| error.error)?;
    std::fs::rename(&temp_path, path).map_err(|error| {
        let _ = std::fs::remove_file(&temp_path);
        ReplaceFault::Io(error)
    })?;
    Ok(former)
}

/// Removes temporary files of ours that a killed Loopdeck left in `folder`; those of a living one are younger.
pub fn remove_left_overs(folder: &Path) {
    const LEFT_OVER: std::time::Duration = std::time::Duration::from_secs(60);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(TEMP_PREFIX) && name.ends_with(".tmp"));
        let modified = entry.metadata().ok().filter(|_| ours).and_then(|metadata| metadata.modified().ok());
        if modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER) {
            let _ = std::fs::remove_file(entry.path()); // one that stays is ignored by every scan
        }
    }
}

/// Writes a file of our own atomically (settings).
///
/// # Errors
/// Whatever the disk says; the old content stays.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = tempfile::NamedTempFile::new_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    temp.persist(path).map(drop).map_err(|error| error.error)
}

/// Writes a file for others atomically, readable as usual; one that is there keeps its permissions.
///
/// # Errors
/// Whatever the disk says; the old content stays.
pub fn write_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    // A link that was chosen stays a link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(".tmp").tempfile_in(folder)?;
    temp.write_all(bytes)?;
    match std::fs::metadata(path) {
        Ok(old) if old.is_file() => temp.as_file().set_permissions(old.permissions())?,
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => share(temp.as_file())?,
    }
    temp.as_file().sync_all()?;
    temp.persist(path).map(drop).map_err(|error| error.error)
}

/// Whether `dir` (after links) lies in `workspace`, which is canonical.
#[must_use]
pub fn lies_within(workspace: &Path, dir: &Path) -> bool {
    dir.canonicalize().is_ok_and(|real| real.starts_with(workspace))
}

/// Canonical path of a folder a person named.
///
/// # Errors
/// When it does not exist, is no folder, or may not be looked at.
pub fn canonical_folder(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    if !real.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_files_of_ours_are_left_overs() {
        let dir = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(120);
        for (name, aged) in [
            (".loopdeck-a.tmp", true),
            (".loopdeck-b.tmp", false),
            ("x.json.tmp", true),
            (".loopdeck-c.json", true),
        ] {
            let file = File::create(dir.path().join(name)).unwrap();
            if aged {
                file.set_modified(old).unwrap();
            }
        }
        remove_left_overs(dir.path());
        let mut left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".loopdeck-b.tmp", ".loopdeck-c.json", "x.json.tmp"]);
    }

    #[test]
    fn a_foreign_change_between_read_and_rename_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(replace(&path, b"what we read", b"ours"), Err(ReplaceFault::Changed(None))));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        replace(&path, b"theirs", b"ours").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_replaces_ours_before_it_is_taken_back_is_not_undone() {
        let dir = tempfile::tempdir().unwrap();
        let (path, temp) = (dir.path().join("a.json"), dir.path().join("b.tmp"));
        // The exchange has happened, a conflict was seen, and a second writer came before the way back.
        std::fs::write(&temp, "first").unwrap();
        std::fs::write(&path, "second").unwrap();
        put_back(&temp, &path, b"first".to_vec(), b"ours").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_saved_is_readable_for_others_and_keeps_what_was_chosen() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("ä b.svg"), dir.path().join("link.svg"));
        write_shared(&path, b"one").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_shared(&link, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(write_shared(dir.path(), b"three").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_a_file_is_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
        replace(&path, b"old", b"new").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o664);
    }
}
