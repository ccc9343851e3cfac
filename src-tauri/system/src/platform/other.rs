//! Systems other than Linux: no exchange, no reservation. Never compiled.

use std::fs::File;
use std::io;
use std::path::Path;

/// `Unsupported`: the comparison right before the rename is the only guard.
pub(crate) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The write itself reports a full disk.
pub(crate) fn reserve(_file: &File, _there: usize, _more: usize) -> io::Result<()> {
    Ok(())
}
