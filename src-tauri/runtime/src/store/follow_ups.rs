//! Which loop follows from which: what the person starts after a completed one.

use crate::observe::catalog::FollowUpPair;
use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::Failure;
use loopdeck_core::follow_up::FollowUp;
use loopdeck_system::clock;

impl WorkspaceStore {
    /// Notes that a new loop follows from another one. A loop that has left every list is known only by its description.
    pub(crate) fn keep_follow_up(&mut self, key: &str, follow_up: &FollowUp) -> Result<(), Failure> {
        let (Some((_, root, child)), Some((_, from, parent))) =
            (self.locate(key), self.locate(&follow_up.key))
        else {
            return Ok(());
        };
        let (root, from) = (root.to_string_lossy().into_owned(), from.to_string_lossy().into_owned());
        let (of, parent) = (
            LoopRef { workspace: &root, file: &child.file },
            LoopRef { workspace: &from, file: &parent.file },
        );
        self.journal.keep_follow_up(of, parent, follow_up.kind, clock::now()).map_err(Failure::own_data)?;
        let pair =
            FollowUpPair { key: key.into(), parent: follow_up.key.as_str().into(), kind: follow_up.kind };
        self.write_catalog(|catalog| catalog.follow_ups.push(pair));
        Ok(())
    }
}
