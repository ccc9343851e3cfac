//! Deleting a loop: its state file and everything that belongs to it go to the system trash together.
//!
//! Implements the CCW contract §5.1 (delete) and §1.3 (layout).

use crate::observe::roots::Candidate;
use crate::platform;
use crate::store::journal::{BEGAN, LoopRef};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::Verb;
use loopdeck_core::layout;
use loopdeck_core::loops;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// What belongs to a loop and exists, relative to the workspace. Built from the file name only, never from content.
#[must_use]
pub fn belongings(workspace: &Path, candidate: &Candidate) -> Vec<String> {
    let names = layout::belongings(candidate.place, &candidate.file);
    names.into_iter().filter(|name| workspace.join(name).symlink_metadata().is_ok()).collect()
}

impl WorkspaceStore {
    /// Moves the loop named `key` to the trash.
    ///
    /// # Errors
    /// A refusal while it runs; `NoTrash` when the system has none, or refuses one of the files: that one stays, and those after it.
    pub(crate) fn delete(&mut self, key: &str) -> Result<Vec<String>, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        let entry = entry.ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        self.driver_context().refuse_at_work([entry.key()])?;
        self.refuse_beside(key)?;
        let situation = entry.situation(loopdeck_system::clock::now());
        if let Some(refusal) = loops::refuse(&entry.summary, Verb::Delete, &situation) {
            return Err(refusal.into());
        }
        let names = belongings(&root, &candidate);
        let paths: Vec<_> = names.iter().map(|name| root.join(name)).collect();
        trash::delete_all(&paths)
            .map_err(|error| Failure::new(FailureKind::NoTrash).with("reason", error))?;
        self.deleted.insert(entry.key(), names.clone());
        self.note_deleted(key, &root, &candidate);
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        self.journal.forget_fact(of, BEGAN).logged("where a loop began is still recorded");
        self.driver_context().forget_works(|known| **known == *key);
        if layout::ends_without_file(candidate.place) {
            self.note_ended_deleted(key, &root);
        }
        self.look_at(&entry.workspace, &root, candidate, true);
        Ok(names)
    }
}

impl WorkspaceStore {
    /// Restores what this process deleted last under the name `key`, from the trash: all files, or none.
    ///
    /// # Errors
    /// `NotInTrash`; `Exists` when something has taken the place of a file; `UnknownLoop` when this process deleted no such loop.
    pub(crate) fn restore_deleted(&mut self, key: &str) -> Result<(), Failure> {
        let unknown = || Failure::new(FailureKind::UnknownLoop);
        let (id, root, candidate) = self.locate(key).ok_or_else(unknown)?;
        let names = self.deleted.get(key).ok_or_else(unknown)?;
        let paths: Vec<_> = names.iter().map(|name| root.join(name)).collect();
        if let Some(taken) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
            return Err(Failure::new(FailureKind::Exists).with("path", taken.display()));
        }
        platform::restore(&paths).map_err(|(path, reason)| {
            Failure::new(FailureKind::NotInTrash).with("path", path.display()).with("reason", reason)
        })?;
        self.deleted.remove(key);
        let workspace = root.to_string_lossy();
        self.forget_ended_deleted(LoopRef { workspace: &workspace, file: &candidate.file });
        self.look_at(&id, &root, candidate, true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::loops::Place;

    #[test]
    fn everything_with_the_loops_name_belongs_to_it_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(".loop");
        for folder in ["a.progress", "a.workers", "a", "ab.progress"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["a.json", "a.json.backup", "a.tasks.jsonl", "ab.json", "b.json"] {
            std::fs::write(root.join(file), "{}").unwrap();
        }
        let candidate = Candidate { file: ".loop/a.json".into(), place: Place::CcwFile };
        let mut found = belongings(dir.path(), &candidate);
        found.sort();
        assert_eq!(
            found,
            [
                ".loop/a",
                ".loop/a.json",
                ".loop/a.json.backup",
                ".loop/a.progress",
                ".loop/a.tasks.jsonl",
                ".loop/a.workers"
            ]
        );
    }
}
