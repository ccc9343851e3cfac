//! Files in a root that belong to no loop (the CCW contract §1.3, §14 W10, §16): companions without a master,
//! and files left by failed writes of other programs. Listed, never touched automatically.

use serde::Serialize;
use specta::Type;
use std::collections::BTreeSet;

/// Why a file or folder of a root is left over. Words: catalogue `leftover.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LeftoverKind {
    /// Tasks, progress, worker outputs or a backup of a loop whose master is gone.
    NoMaster,
    /// `undefined.json`: another program wrote it without knowing the name.
    Undefined,
    /// A temporary file that was never renamed.
    Temporary,
}

/// One left-over file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Leftover {
    /// Its name in the root. Untrusted text.
    pub name: String,
    /// Why it is left over.
    pub kind: LeftoverKind,
}

/// The entries of `names`, all names directly in one root, that belong to no loop; in name order. Folders and
/// files are distinguished only by name.
#[must_use]
pub fn leftovers(names: &[&str]) -> Vec<Leftover> {
    let masters: BTreeSet<&str> = names.iter().filter_map(|name| name.strip_suffix(".json")).collect();
    let kind = |name: &str| {
        if name == "undefined" || name == "undefined.json" || name.starts_with("undefined.") {
            return Some(LeftoverKind::Undefined);
        }
        if name.ends_with(".tmp") || name.contains(".tmp.") || name.contains(".tmp-") {
            return Some(LeftoverKind::Temporary);
        }
        let owner = owner(name)?;
        (!masters.contains(owner)).then_some(LeftoverKind::NoMaster)
    };
    let found =
        names.iter().filter_map(|name| Some(Leftover { name: (*name).to_owned(), kind: kind(name)? }));
    let mut found: Vec<Leftover> = found.collect();
    found.sort_by(|left, right| left.name.cmp(&right.name));
    found
}

/// The stem of the loop that a companion belongs to; `None` for masters and other files.
fn owner(name: &str) -> Option<&str> {
    const SUFFIXES: [&str; 5] =
        [".json.backup", ".tasks.jsonl.backup", ".tasks.jsonl", ".progress", ".workers"];
    if let Some(owner) = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)) {
        return Some(owner);
    }
    // `<id>/` of the server. Legacy sessions are `LOOP-…` in capitals.
    (name.starts_with("loop-") && !name.contains('.')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_no_loop_is_left_over() {
        let names = [
            "loop-v2-1.json",
            "loop-v2-1.json.backup",
            "loop-v2-1.tasks.jsonl",
            "loop-v2-1.progress",
            "loop-v2-1.workers",
            "loop-v2-1",
            "LOOP-login-2026-01-22",
            "prep-package.json",
            "prep-tasks.jsonl",
            ".task",
            "notes.md",
        ];
        assert_eq!(leftovers(&names), []);
        // The same companions, without the master.
        let kinds = leftovers(&names[1..]);
        let left: Vec<_> = kinds.iter().map(|left| left.name.as_str()).collect();
        let mut expected = names[1..6].to_vec();
        expected.sort_unstable();
        assert_eq!(left, expected);
        assert!(kinds.iter().all(|left| left.kind == LeftoverKind::NoMaster));
    }

    #[test]
    fn broken_writes_are_named_for_what_they_are() {
        let kinds = |name: &str| leftovers(&[name]).first().map(|left| left.kind);
        assert_eq!(kinds("undefined.json"), Some(LeftoverKind::Undefined));
        assert_eq!(kinds("undefined.progress"), Some(LeftoverKind::Undefined));
        assert_eq!(kinds("loop-v2-1.json.tmp"), Some(LeftoverKind::Temporary));
        assert_eq!(kinds("loop-v2-1.json.tmp-4711"), Some(LeftoverKind::Temporary));
        assert_eq!(kinds("undefinedly.json"), None);
    }
}
