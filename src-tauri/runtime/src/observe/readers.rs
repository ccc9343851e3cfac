//! Rows that are read from more than their own file: the plan that a boulder names, the plan that a loop of ours works off, the folders of
//! a project. When something changes in one of these folders, the row is read again.

use loopdeck_core::loop_id::LoopId;
use std::collections::{BTreeSet, HashMap};

/// The folders that rows are read from, below the workspace; "" is the workspace itself.
#[derive(Debug, Default)]
pub(crate) struct Readers(HashMap<LoopId, BTreeSet<String>>);

impl Readers {
    /// Remembers the folders of a row that was just read; most rows have none.
    pub(crate) fn note(&mut self, key: &LoopId, folders: BTreeSet<String>) {
        if folders.is_empty() {
            self.0.remove(key);
        } else {
            self.0.insert(key.clone(), folders);
        }
    }

    /// The loops whose rows are read from this folder.
    pub(crate) fn of(&self, folder: &str) -> Vec<LoopId> {
        let reads = self.0.iter().filter(|(_, folders)| folders.contains(folder));
        reads.map(|(key, _)| key.clone()).collect()
    }

    /// All of these folders.
    pub(crate) fn folders(&self) -> BTreeSet<&str> {
        self.0.values().flatten().map(String::as_str).collect()
    }
}
