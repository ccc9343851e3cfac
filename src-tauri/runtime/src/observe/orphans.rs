//! Companions without a loop: progress folders, worker outputs, task lists, backups and session folders whose state file does not exist
//! (the CCW contract §14 W10, §16).

use std::collections::HashSet;
use std::path::Path;

/// How many a window is told of; a page of changes must stay small.
const MOST_NAMES: usize = 20;
/// Names are cut by leaving longer paths out of the list, never out of the count.
const LONGEST_NAME: usize = 200;

/// Companions without a state file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orphans {
    /// The first of them by name, relative to the workspace, with `/`.
    pub names: Vec<String>,
    /// How many there are.
    pub total: u32,
}

/// The orphans among `beside`, the possible companions of one survey of `workspace`. Costs a stat for each whose state file is not known.
#[must_use]
pub fn orphans(workspace: &Path, is_known: impl Fn(&str) -> bool, beside: &HashSet<String>) -> Orphans {
    let is_orphan = |path: &&String| {
        let Some(state) = state_file_of(path) else { return false };
        !is_known(&state) && workspace.join(&state).symlink_metadata().is_err()
    };
    let mut names: Vec<&String> = beside.iter().filter(is_orphan).collect();
    let total = u32::try_from(names.len()).unwrap_or(u32::MAX);
    names.sort();
    let short = names.into_iter().filter(|name| name.len() <= LONGEST_NAME);
    Orphans { names: short.take(MOST_NAMES).cloned().collect(), total }
}

/// Whether a file in a root belongs to the loop whose name it carries.
#[must_use]
pub fn is_companion(name: &str) -> bool {
    [".tasks.jsonl", ".json.backup"].iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// The state file that something in a root belongs to by its name; `None` for what belongs to no loop.
fn state_file_of(path: &str) -> Option<String> {
    const ENDINGS: [&str; 4] = [".progress", ".workers", ".tasks.jsonl", ".json.backup"];
    let (root, name) = path.rsplit_once('/')?;
    if let Some(stem) = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)) {
        return (!stem.is_empty()).then(|| format!("{root}/{stem}.json"));
    }
    if name.starts_with("LOOP-") {
        return Some(format!("{path}/state.json"));
    }
    (name.starts_with("loop-") && !name.ends_with(".json")).then(|| format!("{path}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Canonical as _;
    use crate::observe::roots;
    use std::fs;

    #[test]
    fn what_has_no_state_file_is_an_orphan() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonical().unwrap();
        let root = path.join(".workflow/.loop");
        for folder in [
            "loop-v2-a.progress",
            "loop-v2-a.workers",
            "loop-v2-a",
            "loop-v2-b.progress",
            "loop-v2-b.workers",
            "loop-v2-c",
            "LOOP-x-2026-01-22",
            "LOOP-y-2026-01-22",
            ".task",
            "archive",
            ".progress",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in [
            "loop-v2-a.json",
            "loop-v2-a.tasks.jsonl",
            "loop-v2-a.json.backup",
            "loop-v2-b.tasks.jsonl",
            "loop-d.json.backup",
            "LOOP-x-2026-01-22/state.json",
            "prep-tasks.jsonl",
            "prep-package.json",
        ] {
            fs::write(root.join(file), "{}").unwrap();
        }
        let found = orphans(&path, |_| false, &roots::survey(&path).folders);
        let names: Vec<_> =
            found.names.iter().map(|name| name.strip_prefix(".workflow/.loop/").unwrap()).collect();
        let expected = [
            "LOOP-y-2026-01-22",
            "loop-d.json.backup",
            "loop-v2-b.progress",
            "loop-v2-b.tasks.jsonl",
            "loop-v2-b.workers",
            "loop-v2-c",
        ];
        assert_eq!((names, found.total), (expected.to_vec(), 6));
    }

    #[test]
    fn names_are_bounded_and_counted() {
        let beside = (0..500).map(|n| format!(".loop/loop-{n:03}.progress")).collect();
        let dir = tempfile::tempdir().unwrap();
        let found = orphans(dir.path(), |_| false, &beside);
        assert_eq!((found.names.len(), found.total), (MOST_NAMES, 500));
        assert_eq!(found.names[0], ".loop/loop-000.progress");
    }
}
