//! The only module that touches state files on disk: safe reads and guarded replacement.
//!
//! Files from a workspace are untrusted: a FIFO must not block, a link must not lead outside, a huge file
//! must not be loaded, a half-written file must not count as damaged.

mod append;
mod batch_replace;
mod guarded;
mod plain;
mod temporary;

pub use append::{Addition, append};
pub use batch_replace::{BatchReplace, NewVersion};
pub use guarded::{Prepared, ReplaceFault, Replaced, TakenBack, remove, replace};
pub use plain::{contents, open_plain, read_named, read_plain, read_version, set_executable};
pub use temporary::TEMP_PREFIX;
pub use temporary::remove_left_overs;

use crate::fingerprint::Fingerprint;
use crate::platform::{self, OpenFault, read_whole, share, sync_folder};
use loopdeck_core::problem::ProblemCode;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Larger state files are listed, but not read. The largest real loops are below 1 MB.
pub const SIZE_LIMIT: u64 = 32 << 20;

/// Why a file could not be read, as a problem code with its values.
#[derive(Debug, thiserror::Error)]
#[error("{}", reason(.code, .args))]
pub struct ReadFault {
    /// Which problem.
    pub code: ProblemCode,
    /// Named values of its sentence.
    pub args: Vec<(&'static str, String)>,
    /// The version that was seen, so that a later check can detect a change.
    pub stamp: Option<Fingerprint>,
    /// What the system said.
    #[source]
    pub source: Option<io::Error>,
}

impl ReadFault {
    fn new(code: ProblemCode, stamp: Option<Fingerprint>) -> Self {
        Self { code, args: Vec::new(), stamp, source: None }
    }

    fn with(mut self, name: &'static str, value: impl std::fmt::Display) -> Self {
        self.args.push((name, value.to_string()));
        self
    }

    fn io(error: io::Error) -> Self {
        let fault = Self::new(ProblemCode::F4_not_readable, None).with("reason", &error);
        Self { source: Some(error), ..fault }
    }

    /// The file does not exist.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.code == ProblemCode::F8_folder_gone
    }

    /// Which problem, by its stable name, with its values: for failures without a sentence of their own for
    /// it.
    #[must_use]
    pub fn reason(&self) -> String {
        reason(&self.code, &self.args)
    }

    /// The file exists and is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.code == ProblemCode::F5_being_written && self.stamp.is_some_and(|stamp| stamp.size == 0)
    }
}

fn reason(code: &ProblemCode, args: &[(&'static str, String)]) -> String {
    let values = args.iter().map(|(name, value)| format!("{name} {value}"));
    std::iter::once(code.name().to_owned()).chain(values).collect::<Vec<_>>().join(", ")
}

/// Reads `path` into `buffer` (cleared first) and says which version it was. Whatever is read before a write is read here.
///
/// `workspace` is canonical. A link must not lead outside, whether it is the file itself or a folder above
/// it.
///
/// # Errors
/// A [`ReadFault`]; `F8_folder_gone` when there is no such file, `F5_being_written` when it changed while
/// reading, `F3_outside_workspace` when it is not in the workspace.
pub fn read(workspace: &Path, path: &Path, buffer: &mut Vec<u8>) -> Result<Fingerprint, ReadFault> {
    read_up_to(workspace, path, SIZE_LIMIT, buffer)
}

/// Like [`read`], for files that are larger than state files: at most `limit` bytes.
///
/// # Errors
/// Like [`read`].
pub fn read_up_to(
    workspace: &Path,
    path: &Path,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> Result<Fingerprint, ReadFault> {
    buffer.clear();
    let folder = path.parent().unwrap_or(workspace);
    match folder.canonical() {
        Ok(real) if !real.starts_with(workspace) => {
            let fault = ReadFault::new(ProblemCode::F3_outside_workspace, None);
            Err(fault.with("target", real.display()))
        }
        // The read itself reports a missing folder.
        _ => read_limited(workspace, path, limit, buffer),
    }
}

/// Like [`read`], for many files of a folder that was just found to be in `workspace`; for display only.
///
/// # Errors
/// Like [`read`].
pub fn read_in_known_folder(
    workspace: &Path,
    path: &Path,
    buffer: &mut Vec<u8>,
) -> Result<Fingerprint, ReadFault> {
    read_limited(workspace, path, SIZE_LIMIT, buffer)
}

fn read_limited(
    workspace: &Path,
    path: &Path,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> Result<Fingerprint, ReadFault> {
    buffer.clear();
    let file = open(workspace, path)?;
    let before = Fingerprint::read(&file).map_err(ReadFault::io)?;
    if !before.is_file() {
        return Err(ReadFault::new(ProblemCode::F2_not_a_file, Some(before)).with("kind", before.kind_word()));
    }
    if before.size > limit {
        let fault = ReadFault::new(ProblemCode::F1_too_large, Some(before));
        return Err(fault.with("size", before.size).with("limit", limit));
    }
    read_whole(&file, usize::try_from(before.size).unwrap_or(0), buffer).map_err(ReadFault::io)?;
    let after = Fingerprint::read(&file).map_err(ReadFault::io)?;
    if after != before || buffer.len() as u64 != after.size || buffer.is_empty() {
        return Err(ReadFault::new(ProblemCode::F5_being_written, Some(after)));
    }
    Ok(before)
}

/// Reads the end of a log, at most `limit` bytes from the start of a line; the flag says whether there is
/// more before it.
///
/// Logs only grow, so lines appended meanwhile are read next time.
///
/// # Errors
/// Like [`read`].
pub fn read_end(workspace: &Path, path: &Path, limit: u64) -> Result<(Vec<u8>, bool), ReadFault> {
    let mut file = open(workspace, path)?;
    let stamp = Fingerprint::read(&file).map_err(ReadFault::io)?;
    if !stamp.is_file() {
        return Err(ReadFault::new(ProblemCode::F2_not_a_file, Some(stamp)).with("kind", stamp.kind_word()));
    }
    // One byte earlier shows whether the first line is complete.
    let cut = stamp.size > limit;
    let start = if cut { stamp.size - limit - 1 } else { 0 };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(ReadFault::io)?;
    (&mut file).take(stamp.size - start).read_to_end(&mut bytes).map_err(ReadFault::io)?;
    if bytes.is_empty() || bytes.len() as u64 != stamp.size - start {
        return Err(ReadFault::new(ProblemCode::F5_being_written, Some(stamp)));
    }
    if cut {
        let first = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.drain(..first);
    }
    Ok((bytes, cut))
}

/// Opens without following a link at the end and without blocking on a FIFO.
fn open(workspace: &Path, path: &Path) -> Result<File, ReadFault> {
    match platform::open_no_follow(path) {
        Ok(file) => Ok(file),
        Err(OpenFault::Link(_)) => open_link(workspace, path),
        Err(OpenFault::Gone(_)) => Err(ReadFault::new(ProblemCode::F8_folder_gone, None)),
        // A socket cannot be opened at all.
        Err(OpenFault::Socket(_)) => {
            Err(ReadFault::new(ProblemCode::F2_not_a_file, None).with("kind", "socket"))
        }
        Err(OpenFault::Other(error)) => Err(ReadFault::io(error)),
    }
}

fn open_link(workspace: &Path, path: &Path) -> Result<File, ReadFault> {
    let target = path.canonical().map_err(ReadFault::io)?;
    if !target.starts_with(workspace) {
        let fault = ReadFault::new(ProblemCode::F3_outside_workspace, None);
        return Err(fault.with("target", target.display()));
    }
    platform::open_no_follow(&target).map_err(|fault| ReadFault::io(fault.into()))
}

/// Exchanges two files of our own.
///
/// # Errors
/// `Unsupported` on file systems without it, otherwise the disk's error. Nothing has changed then.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    platform::exchange(one, other)
}

/// Asks for a separate place on the disk for each folder that is made in `folder` from now on. Before ext4 makes a file, it looks at
/// every file removed nearby in the last minutes: after a build was cleaned, thousands of new files take seconds.
///
/// # Errors
/// The disk's error. File systems without such places report none.
pub fn spread_folders(folder: &Path) -> io::Result<()> {
    platform::spread_folders(folder)
}

/// Creates a new file, and its folder if only that is missing. Never replaces anything.
///
/// # Errors
/// [`ReplaceFault::Changed`] when the file exists by now, [`ReplaceFault::Io`] when the disk refuses or the
/// folder is not in `workspace` (which is canonical).
pub fn create(workspace: &Path, path: &Path, new: &[u8]) -> Result<Fingerprint, ReplaceFault> {
    use std::io::Write as _;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    if !lies_within(workspace, folder) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
    }
    let mut temp = temporary::file_in(folder)?;
    temp.write_all(new)?;
    share(temp.as_file())?;
    temp.as_file().sync_all()?;
    let stamp = Fingerprint::read(temp.as_file())?;
    temp.persist_noclobber(path).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => ReplaceFault::Changed(None),
        _ => ReplaceFault::Io(error.error),
    })?;
    sync_folder(folder)?;
    Ok(stamp.renamed(path))
}

/// Whether a file can be written at `path`: the folder is writable, or only the folder itself is missing.
///
/// # Errors
/// The disk's error; `PermissionDenied` when the folder is not in `workspace` (which is canonical).
pub fn takes_files(workspace: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    if folder.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(());
    }
    if !lies_within(workspace, folder) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    temporary::file_in(folder).map(drop)
}

/// Makes an empty file of our own that outlasts a power failure. False when there is one.
///
/// # Errors
/// The disk's error.
pub fn create_own(path: &Path) -> io::Result<bool> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    match File::create_new(path) {
        Ok(file) => file.sync_all().and_then(|()| sync_folder(folder)).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file of our own atomically (settings).
///
/// # Errors
/// The disk's error; the old content stays.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = temporary::file_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    temporary::placed(temp.into_temp_path(), |temp| platform::rename_over(temp, path))
}

/// Writes a file for others atomically, readable as usual; an existing file keeps its permissions.
///
/// # Errors
/// The disk's error; the old content stays.
pub fn write_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    // If the person chose a link, it stays a link.
    let path = &path.canonical().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut temp = temporary::file_in(folder)?;
    temp.write_all(bytes)?;
    match std::fs::metadata(path) {
        Ok(old) if old.is_file() => temp.as_file().set_permissions(old.permissions())?,
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => share(temp.as_file())?,
    }
    temp.as_file().sync_all()?;
    temporary::placed(temp.into_temp_path(), |temp| platform::rename_over(temp, path))
}

/// The real path of `path`, for writing.
fn real_within(workspace: &Path, path: &Path) -> io::Result<PathBuf> {
    let real = path.canonical()?;
    if real.starts_with(workspace) { Ok(real) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Creates the folder above a state file's own folder, which is created with the file. A link must not lead
/// outside.
///
/// # Errors
/// The operating system's error; `PermissionDenied` when a link leads out of the workspace.
pub fn make_folder_above(workspace: &Path, path: &Path) -> io::Result<()> {
    let Some(above) = path.parent().and_then(Path::parent) else { return Ok(()) };
    match std::fs::create_dir(above) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let inside = lies_within(workspace, above);
    if inside { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Makes the folder `relative` of a workspace, which is canonical, one step after the other: behind a link that leads outside
/// nothing is made.
///
/// # Errors
/// The operating system's error; `PermissionDenied` for a path or a link that leads out of the workspace.
pub fn make_folders(workspace: &Path, relative: &str) -> io::Result<()> {
    let mut at = workspace.to_owned();
    for part in Path::new(relative).components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::PermissionDenied.into()) };
        at.push(name);
        match std::fs::create_dir(&at) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !lies_within(workspace, &at) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
    }
    Ok(())
}

/// Whether `dir` (with links followed) is in `workspace`, which is canonical.
#[must_use]
pub fn lies_within(workspace: &Path, dir: &Path) -> bool {
    dir.canonical().is_ok_and(|real| real.starts_with(workspace))
}

/// The canonical path of a file, which two paths to one file share.
pub trait Canonical {
    /// The path without links and dots. On Windows it is the usual one where there is such: `C:\shop`, not `\\?\C:\shop`, which not every
    /// program takes and nobody wrote.
    ///
    /// # Errors
    /// When there is no such file, or it is not accessible.
    fn canonical(&self) -> io::Result<PathBuf>;
}

impl Canonical for Path {
    fn canonical(&self) -> io::Result<PathBuf> {
        platform::canonical(self)
    }
}

/// Canonical path of a folder a person named.
///
/// # Errors
/// When it does not exist, is not a folder, or is not accessible.
pub fn canonical_folder(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonical()?;
    if !real.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(real)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn nothing_behind_a_link_out_of_the_workspace_is_read_or_written() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonical().unwrap();
        let (root, outside) = (top.join("workspace"), top.join("outside"));
        for folder in [&root, &outside] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(outside.join("a.md"), "theirs").unwrap();
        std::os::unix::fs::symlink(&outside, root.join(".claude")).unwrap();
        let path = root.join(".claude/a.md");
        let fault = read(&root, &path, &mut Vec::new()).unwrap_err();
        assert_eq!(fault.code, ProblemCode::F3_outside_workspace);
        assert!(matches!(replace(&root, &path, b"theirs", b"ours"), Err(ReplaceFault::Io(_))));
        assert!(matches!(remove(&root, &path, b"theirs"), Err(ReplaceFault::Io(_))));
        assert!(append(&root, &path, |_| Some(b"ours".to_vec())).is_err());
        assert_eq!(std::fs::read(outside.join("a.md")).unwrap(), b"theirs");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    }

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
}
