//! Programs can't take anything out of the trash here.

use std::path::PathBuf;

/// Whether what was moved to the trash can be restored from here.
pub(crate) const CAN_RESTORE: bool = false;

/// Restores nothing: the first of `paths` stays where it is.
///
/// # Errors
/// Always.
pub(crate) fn restore(paths: &[PathBuf]) -> Result<(), (PathBuf, String)> {
    Err((paths.first().cloned().unwrap_or_default(), String::new()))
}
