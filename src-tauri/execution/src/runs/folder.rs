//! Where a run keeps what belongs to it.

use std::io;
use std::path::{Path, PathBuf};

/// The folder of a run below `runs`. Ids come from the page: one that is none leads nowhere.
///
/// # Errors
/// `NotFound` when it is no id of a run.
pub fn folder_of(runs: &Path, id: &str) -> io::Result<PathBuf> {
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id { Ok(runs.join(id)) } else { Err(io::ErrorKind::NotFound.into()) }
}
