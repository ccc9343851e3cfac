//! What the journal has of one loop, besides its state file.

use crate::store::journal::{self, Journal, LoopRef};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};

impl WorkspaceStore {
    /// Asks the journal about the loop named `key`.
    pub(crate) fn in_journal<T>(
        &mut self,
        key: &str,
        ask: impl FnOnce(&mut Journal, LoopRef<'_>) -> Result<T, journal::Error>,
    ) -> Result<T, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let workspace = root.to_string_lossy();
        ask(&mut self.journal, LoopRef { workspace: &workspace, file: &candidate.file })
            .map_err(Failure::from)
    }
}
