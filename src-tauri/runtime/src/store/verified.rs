//! The results of completion checks of AoT loops, compared with the file as it is now.

use crate::observe::catalog::Entry;
use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};
use loopdeck_core::checklist::Verdict;
use loopdeck_core::formats::aot::drive::{self, Verification};
use loopdeck_core::status::FileStatus;
use loopdeck_system::files;

impl WorkspaceStore {
    /// The newest verification of a completed AoT loop.
    pub(crate) fn verification_of(&mut self, entry: &Entry) -> Option<Verification> {
        let summary = &entry.summary;
        if !summary.format.traits().has_completion_check || summary.status != FileStatus::Completed {
            return None;
        }
        self.verifications(&entry.key(), 1).unwrap_or_default().pop()
    }

    /// Whether the newest verification passed, and nothing has changed since.
    pub(crate) fn is_verified_now(&mut self, key: &str) -> bool {
        let newest = self.shown_verifications(key, 1).unwrap_or_default();
        newest.first().is_some_and(|newest| newest.current && newest.verdict == Verdict::Pass)
    }

    /// Verifications of a loop as they are shown: each with whether it is about the file as it is now.
    pub(crate) fn shown_verifications(
        &mut self,
        key: &str,
        limit: u32,
    ) -> Result<Vec<Verification>, Failure> {
        let mut found = self.verifications(key, limit)?;
        if let Some((_, root, candidate)) = self.locate(key) {
            let mut bytes = Vec::new();
            let is_read = files::read(&root, &root.join(&candidate.file), &mut bytes).is_ok();
            for verification in &mut found {
                verification.current = is_read && drive::is_current(&bytes, verification);
            }
        }
        Ok(found)
    }

    /// Verifications of a loop, newest first.
    pub(crate) fn verifications(&mut self, key: &str, limit: u32) -> Result<Vec<Verification>, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let root = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &root, file: &candidate.file };
        self.journal.verifications(of, limit).map_err(Failure::own_data)
    }
}
