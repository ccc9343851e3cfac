//! Folders of our own data that have a file for each thing.

use loopdeck_system::failure::Failure;
use loopdeck_system::{files, kept};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything in a folder.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The files of JSON in a folder, by name.
pub(crate) fn json_files(folder: &Path) -> Vec<PathBuf> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let mut paths: Vec<PathBuf> = entries(folder).filter(is_json).collect();
    paths.sort();
    paths
}

/// What a file says; `None` when there is none.
///
/// # Errors
/// `DamagedData` (`path`).
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Failure> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(kept::damaged(path, &error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| kept::damaged(path, &error))
}

/// Writes a file.
///
/// # Errors
/// `OwnData` when the disk refuses.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_vec(value).map_err(Failure::own_data)?;
    files::write_own(path, &text).map_err(Failure::own_data)
}

/// Whether nobody has written to a file for so long.
pub(crate) fn is_older(path: &Path, age: Duration) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed > age))
}

/// Removes files to which nobody has written for so long.
pub(crate) fn remove_older(folder: &Path, age: Duration) {
    for path in entries(folder).filter(|path| is_older(path, age)) {
        let _ = std::fs::remove_file(path); // tried again at the next start
    }
}
