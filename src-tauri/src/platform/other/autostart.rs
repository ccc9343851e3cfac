//! Start at sign-in. Not arranged here: the window doesn't offer it.

use std::io;
use std::path::{Path, PathBuf};

/// What would be started.
#[expect(dead_code, reason = "nothing is started here")]
pub(crate) struct Start {
    /// The program, absolute.
    pub(crate) program: PathBuf,
    /// Folder for our own data, unless it is the usual one.
    pub(crate) data_dir: Option<PathBuf>,
}

/// This program.
pub(crate) fn program(_env: &tauri::Env) -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Whether Loopdeck starts at sign-in.
pub(crate) fn is_on(_config: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Not possible.
pub(crate) fn turn_on(_config: &Path, _start: &Start) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// It is off.
pub(crate) fn turn_off(_config: &Path) -> io::Result<()> {
    Ok(())
}
