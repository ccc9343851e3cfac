//! Damaged versions that are set aside before they are replaced.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names of all damaged versions next to the state file at `path`. A name contains the second in which the
/// version was set aside, so it has to be looked up.
pub(super) fn set_aside(path: &Path) -> BTreeSet<String> {
    let start = path.file_name().map(|name| format!("{}.damaged-", name.to_string_lossy()));
    let entries = path.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| start.as_ref().is_some_and(|start| name.starts_with(start))).collect()
}

/// The newest of them that is not in `before`, as a path below the workspace; `file` is the state file.
pub(super) fn newest(before: &BTreeSet<String>, after: &BTreeSet<String>, file: &str) -> Option<String> {
    let name = after.difference(before).last().or_else(|| after.last())?;
    Some(file.rsplit_once('/').map_or_else(|| name.clone(), |(folder, _)| format!("{folder}/{name}")))
}
