//! How a person keeps loops in the list: kept, shown, and ended when a loop comes back.

use crate::observe::catalog::LoopId;
use crate::store::journal::{KeptMarks, LoopRef};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, MarkedLoop};
use loopdeck_core::loop_id::file_of;
use loopdeck_core::times::Timestamp;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

impl WorkspaceStore {
    /// Keeps the marks of loops of this workspace, of all or of none. Answers with those before, for the way back.
    pub(crate) fn keep_list_marks(
        &mut self,
        root: &Path,
        wanted: &[MarkedLoop],
    ) -> Result<Vec<MarkedLoop>, Failure> {
        let now = clock::now();
        let (before, marks) = self.read_catalog(|catalog| {
            let before =
                |one: &MarkedLoop| MarkedLoop { key: one.key.clone(), marks: catalog.marked.of(&one.key) };
            let to_keep = |one: &MarkedLoop| {
                let marks = catalog.marks_to_keep(&one.key, &one.marks, now);
                marks.map(|marks| (LoopId::from(&*one.key), marks))
            };
            let marks: Option<Vec<_>> = wanted.iter().map(to_keep).collect();
            (wanted.iter().map(before).collect(), marks)
        });
        let marks = marks.ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        self.record_list_marks(root, &marks, now)?;
        self.write_catalog(|catalog| marks.into_iter().for_each(|(key, marks)| catalog.mark(&key, marks)));
        Ok(before)
    }

    /// Keeps that loops came back to the list, if any did.
    pub(crate) fn bring_back(&mut self, workspace: &str, root: &Path) {
        let now = clock::now();
        if !self.read_catalog(|catalog| catalog.may_bring_back(now)) {
            return;
        }
        let back = self.write_catalog(|catalog| catalog.take_back(workspace, now));
        if !back.is_empty() && self.leaves_traces {
            self.record_list_marks(root, &back, now)
                .logged("a loop that came back is still recorded as put aside");
        }
    }

    /// Takes over what another program wrote.
    pub(crate) fn reload_list_marks(&mut self, workspace: &str, root: &Path) {
        if self.journal.is_blank() {
            return;
        }
        let version = self.journal.data_version().ok();
        if version == self.list_marks_seen {
            return;
        }
        self.list_marks_seen = version;
        // A journal of an earlier version that is only read has none.
        let recorded = self.journal.list_marks_in(&root.to_string_lossy()).unwrap_or_default();
        self.write_catalog(|catalog| catalog.remark(workspace, &recorded));
    }

    fn record_list_marks(
        &mut self,
        root: &Path,
        marks: &[(LoopId, KeptMarks)],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let workspace = root.to_string_lossy();
        let named = marks.iter().map(|(key, marks)| {
            let of = LoopRef { workspace: &workspace, file: file_of(key) };
            (of, *marks)
        });
        self.journal.keep_list_marks(&named.collect::<Vec<_>>(), now).map_err(Failure::own_data)
    }
}
