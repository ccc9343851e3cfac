//! The trash where programs can look into it: freedesktop.org and Windows.

use std::path::PathBuf;
use trash::{TrashItem, os_limited};

/// Whether what was moved to the trash can be restored from here.
pub(crate) const CAN_RESTORE: bool = true;

/// Moves what was last deleted at each of `paths` back there: all of them, or none when one is missing or its place is taken.
///
/// # Errors
/// Which path is not in the trash or cannot be restored, and what the system says.
pub(crate) fn restore(paths: &[PathBuf]) -> Result<(), (PathBuf, String)> {
    let first = || paths.first().cloned().unwrap_or_default();
    let mut there = os_limited::list().map_err(|error| (first(), error.to_string()))?;
    there.sort_by_key(|item| std::cmp::Reverse(item.time_deleted));
    let newest = |path: &PathBuf| {
        let found = there.iter().find(|item| item.original_path() == *path);
        found.cloned().ok_or_else(|| (path.clone(), String::new()))
    };
    let items: Vec<TrashItem> = paths.iter().map(newest).collect::<Result<_, _>>()?;
    os_limited::restore_all(items).map_err(|error| match error {
        trash::Error::RestoreCollision { path, .. } => (path, String::new()),
        error => (first(), error.to_string()),
    })
}
