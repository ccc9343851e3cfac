//! Unix: owners, modes, inodes, process groups, the POSIX shell.

use super::OpenFault;
use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, DirEntry, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shell that is always there.
pub const SHELL: &str = "/bin/sh";

/// Program and arguments that run `command` in [`SHELL`].
#[must_use]
pub fn shell_command(command: &str) -> Vec<String> {
    vec![SHELL.to_owned(), "-c".to_owned(), command.to_owned()]
}

/// Temporary files are private; files that other programs use are readable as usual.
pub(crate) fn share(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o644))
}

/// Whether a file can be run by its owner, which is what git keeps of it.
#[must_use]
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.mode() & 0o100 != 0
}

/// Lets those run a file who may read it, or nobody.
pub(crate) fn set_executable(file: &File, executable: bool) -> io::Result<()> {
    let mode = file.metadata()?.mode() & 0o7777;
    let readers = (mode & 0o444) >> 2;
    file.set_permissions(Permissions::from_mode(if executable { mode | readers } else { mode & !0o111 }))
}

/// Best effort: only root can give files away, and a file that we could write to must stay writable to us.
pub(crate) fn keep_owner(file: &File, old: &Metadata) {
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
}

/// Last change, in nanoseconds since 1970.
#[must_use]
pub fn modified_ns(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

/// What is known of an open file, and its number, which is unique among the files of one disk.
pub(crate) fn seen_open(file: &File) -> io::Result<(Metadata, u64)> {
    file.metadata().map(numbered)
}

/// The same of what is at a path, with links followed.
///
/// # Errors
/// The disk's error.
pub fn seen_at(path: &Path) -> io::Result<(Metadata, u64)> {
    std::fs::metadata(path).map(numbered)
}

/// The same of an entry of a folder; a link is not followed.
pub(crate) fn seen_in_folder(entry: &DirEntry) -> io::Result<(Metadata, u64)> {
    entry.metadata().map(numbered)
}

fn numbered(metadata: Metadata) -> (Metadata, u64) {
    let number = metadata.ino();
    (metadata, number)
}

/// Options that create a file for its owner only, for writing.
#[must_use]
pub fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true).write(true).mode(0o600);
    options
}

/// Creates a folder and its parents, accessible to its owner only.
///
/// # Errors
/// The disk's error.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the file at `path` readable to its owner only.
///
/// # Errors
/// The disk's error, for example a read-only one.
pub fn make_private(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Whether we are root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Puts the process in its own group, so that signals to ours do not end it.
pub fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// The name of a variable: case counts.
#[must_use]
pub fn variable_name(name: OsString) -> OsString {
    name
}

/// The variables that `env -0` prints.
#[must_use]
pub fn variables(printed: &[u8]) -> Vec<(OsString, OsString)> {
    let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let pair = |entry: &[u8]| {
        let equals = entry.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
        Some((text(&entry[..equals]), text(&entry[equals + 1..])))
    };
    printed.split(|byte| *byte == 0).filter_map(pair).collect()
}

/// The path without links and dots.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Opens without following a link at the end and without blocking on a FIFO.
pub(crate) fn open_no_follow(path: &Path) -> Result<File, OpenFault> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(|errno| match errno {
        Errno::LOOP => OpenFault::Link(errno.into()),
        Errno::NOENT | Errno::NOTDIR => OpenFault::Gone(errno.into()),
        Errno::NXIO => OpenFault::Socket(errno.into()),
        errno => OpenFault::Other(errno.into()),
    })
}

/// The same for reading, and for writing at its end.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(rustix::fs::open(path, flags, Mode::empty()).map(File::from)?)
}

/// Reads a file of `size` bytes with one call to the system where it has them. What grew meanwhile shows in its fingerprint.
pub(crate) fn read_whole(file: &File, size: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.reserve(size + 1);
    loop {
        match rustix::io::read(file, spare_capacity(buffer)) {
            Ok(0) => return Ok(()),
            Ok(_) if buffer.len() >= size => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Makes the names in a folder durable. A pipe that was put in its place is not waited for.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
    File::from(rustix::fs::open(folder, flags, Mode::empty())?).sync_all()
}

/// Gives `new` the name of the file at `path`, and returns that file, opened with `open`; it no longer has a name.
pub(crate) fn put_over(
    new: &Path,
    path: &Path,
    open: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<File> {
    let former = open(path)?;
    std::fs::rename(new, path)?;
    Ok(former)
}

/// Gives `new` the name `path`, whoever reads what had it.
///
/// # Errors
/// The disk's error; both names are as they were.
pub fn rename_over(new: &Path, path: &Path) -> io::Result<()> {
    std::fs::rename(new, path)
}

/// Holds a file as long as it is open, unless somebody else does. Whoever wants to may read it.
pub(crate) fn hold(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether somebody else holds a file.
pub(crate) fn is_held(file: &File) -> bool {
    // Shared, so that two that look at once see one that nobody holds alike.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
