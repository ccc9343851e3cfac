//! Versions that are set aside before something else takes their place.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names of all damaged versions that lie beside the state file at `path`. The name carries the second in which it was
/// set aside, so that only a look tells it.
pub(super) fn set_aside(path: &Path) -> BTreeSet<String> {
    let start = path.file_name().map(|name| format!("{}.damaged-", name.to_string_lossy()));
    let entries = path.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| start.as_ref().is_some_and(|start| name.starts_with(start))).collect()
}

/// The newest of them that was not there `before`, as a path below the workspace; `file` is the state file.
pub(super) fn newest(before: &BTreeSet<String>, after: &BTreeSet<String>, file: &str) -> Option<String> {
    let name = after.difference(before).last().or_else(|| after.last())?;
    Some(file.rsplit_once('/').map_or_else(|| name.clone(), |(folder, _)| format!("{folder}/{name}")))
}
