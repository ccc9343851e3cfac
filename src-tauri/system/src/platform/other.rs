//! Systems other than Linux: no reservation; except on Windows, no exchange.

#[cfg(windows)]
pub use loopdeck_windows::machine::memory;
#[cfg(windows)]
pub(crate) use loopdeck_windows::machine::since_boot;

use std::fs::File;
use std::io;
use std::path::Path;
#[cfg(not(windows))]
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Memory of this machine in bytes; `None` when it is not known.
#[cfg(not(windows))]
#[must_use]
pub fn memory() -> Option<u64> {
    None
}

/// The wall clock, which includes time asleep.
#[cfg(not(windows))]
pub(crate) fn since_boot() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// `Unsupported`: the comparison right before the rename is the only guard.
#[cfg(not(windows))]
pub(crate) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// No file system is known that needs it.
pub(crate) fn spread_folders(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// The write itself reports a full disk.
pub(crate) fn reserve(_file: &File, _there: usize, _more: usize) -> io::Result<()> {
    Ok(())
}
