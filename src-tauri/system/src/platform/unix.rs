//! Unix: owners, modes, inodes, process groups, the POSIX shell.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
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

/// Best effort: only root can give files away, and a file that we could write to must stay writable to us.
pub(crate) fn keep_owner(file: &File, old: &Metadata) {
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
}

/// Last change, in nanoseconds since 1970.
#[must_use]
pub fn modified_ns(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

/// A number that is unique among the files of one disk.
#[must_use]
pub fn file_number(metadata: &Metadata) -> u64 {
    metadata.ino()
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
