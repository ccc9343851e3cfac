//! Windows: the standard library shows no modes and no inodes. Never compiled.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;

/// The shell that is always there.
pub const SHELL: &str = "cmd";

/// Program and arguments that run `command` in [`SHELL`].
#[must_use]
pub fn shell_command(command: &str) -> Vec<String> {
    vec!["cmd.exe".to_owned(), "/d".into(), "/s".into(), "/c".into(), command.to_owned()]
}

/// Files get the permissions of their folder.
pub(crate) fn share(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Files belong to the user who creates them.
pub(crate) fn keep_owner(_file: &File, _old: &Metadata) {}

/// Last change, in nanoseconds since 1970.
#[must_use]
pub fn modified_ns(metadata: &Metadata) -> i128 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(0))
}

/// Not available.
#[must_use]
pub fn file_number(_metadata: &Metadata) -> u64 {
    0
}

/// Options that create a file for writing.
#[must_use]
pub fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true).write(true);
    options
}

/// Creates a folder and its parents.
///
/// # Errors
/// The disk's error.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Files get the permissions of their folder, which is the user's own.
///
/// # Errors
/// None.
pub fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether we are the administrator: not checked.
#[must_use]
pub fn is_root() -> bool {
    false
}

/// Does nothing: signals that end us do not end our children.
pub fn own_group(_command: &mut Command) {}

/// None: nothing prints them here.
#[must_use]
pub fn variables(_printed: &[u8]) -> Vec<(OsString, OsString)> {
    Vec::new()
}
