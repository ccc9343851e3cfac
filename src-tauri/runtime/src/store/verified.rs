//! The results of checks: those of AoT loops, compared with the file as it is now, and what a plan's checks said.

use crate::observe::catalog::Entry;
use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};
use loopdeck_core::checklist::Verdict;
use loopdeck_core::driver::Memory;
use loopdeck_core::formats::aot::drive::{self, Verification};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::referee::rows_of;
use loopdeck_core::status::FileStatus;
use loopdeck_core::view::{ChecklistRow, ClaimCounts};
use loopdeck_system::{dirs, files};
use std::path::Path;

/// What our own data has of the proof of a loop.
pub(crate) struct KnownProof {
    /// The checks of its plan.
    pub(crate) checks: Vec<ChecklistRow>,
    /// What its driver remembers.
    pub(crate) memory: Memory,
    /// The newest run of the checks.
    pub(crate) newest: Option<Verification>,
}

impl WorkspaceStore {
    /// What is known of the proof of a loop whose plan has checks; `None` for any other.
    pub(crate) fn known_proof(&mut self, key: &str) -> Result<Option<KnownProof>, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let root = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &root, file: &candidate.file };
        let plan = self.journal.plan_of(of).map_err(Failure::own_data)?;
        let Some(plan) = plan.filter(|plan| !plan.checks.is_empty()) else { return Ok(None) };
        let memory = self.journal.memory(of).map_err(Failure::own_data)?;
        let memory = memory.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let newest = self.journal.verifications(of, 1).map_err(Failure::own_data)?.pop();
        Ok(Some(KnownProof { checks: rows_of(&plan.checks), memory, newest }))
    }

    /// What loops of the workspace claimed and proved when their drivers saw them last, also those of other Loopdecks.
    pub(crate) fn reload_claims(&mut self, root: &Path) {
        let memories = match self.journal.memories_with_checks(&root.to_string_lossy()) {
            Ok(memories) => memories,
            Err(error) => return tracing::warn!(%error, "what is proven of loops is not read"),
        };
        for (file, memory) in memories {
            let memory: Memory = serde_json::from_str(&memory).unwrap_or_default();
            self.keep_claims(&LoopId::new(&dirs::id_of(root), &file), memory.claim_counts());
        }
    }

    /// The row of a loop says from now on what it claims and proves.
    pub(crate) fn keep_claims(&mut self, key: &LoopId, claims: Option<ClaimCounts>) {
        match claims {
            Some(claims) => drop(self.claims.insert(key.clone(), claims)),
            None => drop(self.claims.remove(key)),
        }
        let known = self.read_catalog(|catalog| catalog.get(key).cloned());
        if let Some(mut entry) = known.filter(|entry| entry.claims != claims) {
            entry.claims = claims;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

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
            let is_read = files::read(&root, &root.join(candidate.on_disk()), &mut bytes).is_ok();
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
