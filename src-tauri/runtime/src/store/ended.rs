//! Loops whose tool removes their file when they end: they stay in the list, as the newest version in the journal has them, until the
//! person deletes them or the file is back.
//!
//! How they ended is in no file. They are never counted as completed.

use crate::observe::catalog::{Entry, LoopId};
use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use loopdeck_core::format::FileFacts;
use loopdeck_core::layout::{self, ends_without_file};
use loopdeck_core::loop_id::file_of;
use loopdeck_core::loops;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::sync::Arc;

/// The fact about such a loop that the person deleted.
const DELETED: &str = "ended_deleted";

impl WorkspaceStore {
    /// Shows the loop `key`, whose file is gone, as ended. False when it isn't shown: it is of another kind, nobody saw it while its file was
    /// there, or the person deleted it.
    pub(crate) fn show_ended(&mut self, key: &LoopId) -> bool {
        let Some((id, root, candidate)) =
            self.locate(key).filter(|(.., found)| ends_without_file(found.place))
        else {
            return false;
        };
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        if matches!(self.journal.fact::<bool>(of, DELETED), Ok(Some(_))) {
            return false;
        }
        self.keep_last_seen(key, of);
        let Ok(Some((version, bytes))) = self.journal.newest_readable(of) else { return false };
        let facts = FileFacts { stem: candidate.stem(), modified: version.at, now: clock::now() };
        let Some(summary) = loops::ended(candidate.place, &bytes, &facts) else { return false };
        let old = self.read_catalog(|catalog| catalog.get(key).cloned());
        if old.is_some_and(|old| old.stamp.is_none() && old.summary == summary) {
            return true;
        }
        self.unguard(key);
        let mut entry = Entry::new(id, candidate, None, summary, version.at);
        entry.shown = entry.shown_at(clock::now(), self.fresh_within);
        self.write_catalog(|catalog| {
            catalog.last_good.keep(key, Arc::from(bytes), version.at);
            catalog.put(entry);
        });
        true
    }

    /// Shows those that ended while no Loopdeck was open. `named`: only this one.
    pub(crate) fn show_all_ended(&mut self, id: &str, root: &Path, named: Option<&str>) {
        let files = layout::single_files().filter(|(_, place)| ends_without_file(*place));
        let wanted = files.map(|(file, _)| file).filter(|file| named.is_none_or(|named| named == *file));
        for file in wanted.filter(|file| root.join(file).symlink_metadata().is_err()) {
            self.show_ended(&LoopId::new(id, file));
        }
    }

    /// The last version that was seen may have come too soon after the one before to be kept.
    fn keep_last_seen(&mut self, key: &LoopId, of: LoopRef<'_>) {
        let seen = self.read_catalog(|catalog| {
            let is_there = catalog.get(key).is_some_and(|entry| entry.stamp.is_some());
            catalog.last_good.get(key).filter(|_| is_there)
        });
        if let Some((bytes, at)) = seen.filter(|_| self.leaves_traces) {
            self.journal.keep_foreign(of, &bytes, at, true).logged("the end of a loop is not recorded");
        }
    }

    /// The person deleted the loop: it isn't shown as ended.
    pub(crate) fn note_ended_deleted(&mut self, key: &str, root: &Path) {
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: file_of(key) };
        self.journal.keep_fact(of, DELETED, &true).logged("a deleted loop is still shown as ended");
    }

    /// Its file is there, so that what was deleted was another loop; or the deletion is undone.
    pub(crate) fn forget_ended_deleted(&mut self, of: LoopRef<'_>) {
        if matches!(self.journal.fact::<bool>(of, DELETED), Ok(Some(_))) {
            self.journal.forget_fact(of, DELETED).logged("that a loop was deleted is still recorded");
        }
    }
}
