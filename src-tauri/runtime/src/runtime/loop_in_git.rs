//! A loop with the repository of its folder, and what the journal has of it.

use super::Runtime;
use crate::store::journal::{self, Journal, LoopRef};
use crate::views::Failure;
use loopdeck_execution::git::Repository;
use std::path::PathBuf;

/// A loop with the repository of its folder.
pub(super) struct LoopInGit {
    pub(super) root: PathBuf,
    pub(super) file: String,
    pub(super) repository: Repository,
}

impl Runtime {
    /// The loop named `key`, which is on this computer, with the repository of its folder.
    pub(super) fn loop_in_git(&self, key: &str) -> Result<LoopInGit, Failure> {
        self.refuse_elsewhere(key)?;
        let found = self.find(key)?;
        let repository = self.repository(&found.root)?;
        Ok(LoopInGit { root: found.root, file: found.entry.candidate.file, repository })
    }

    /// Asks the journal about a loop.
    pub(super) fn in_journal<T: Send + 'static>(
        &self,
        key: &str,
        ask: impl FnOnce(&mut Journal, LoopRef<'_>) -> Result<T, journal::Error> + Send + 'static,
    ) -> Result<T, Failure> {
        self.ask(key, move |owner, key| owner.store.in_journal(key, ask))
    }
}
