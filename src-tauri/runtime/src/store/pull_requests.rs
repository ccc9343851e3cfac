//! Pull requests of loops as they were last seen: kept in the journal, and shown in the rows.

use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, PullRequestFacts};
use loopdeck_core::loop_id::LoopId;
use loopdeck_execution::forge::PullRequest;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs};
use std::collections::HashMap;
use std::path::Path;

/// The fact that has the pull request of a loop.
pub(crate) const PULL_REQUEST: &str = "pull_request";
/// The fact that says when it was seen so, ms since 1970 UTC.
const SEEN: &str = "pull_request_seen";

impl WorkspaceStore {
    /// The rows of the workspace say what was last seen of pull requests, also by other Loopdecks.
    pub(crate) fn reload_pull_requests(&mut self, root: &Path) {
        let workspace = root.to_string_lossy();
        let pulls = self.journal.facts::<PullRequest>(&workspace, PULL_REQUEST);
        let seen = self.journal.facts::<f64>(&workspace, SEEN);
        let (pulls, seen) = match (pulls, seen) {
            (Ok(pulls), Ok(seen)) => (pulls, seen.into_iter().collect::<HashMap<_, _>>()),
            (Err(error), _) | (_, Err(error)) => {
                return tracing::warn!(%error, "pull requests of loops are not read");
            }
        };
        for (file, pull) in pulls {
            let facts = PullRequestFacts::of(&pull, seen.get(&file).copied());
            self.show_pull_request(&LoopId::new(&dirs::id_of(root), &file), Some(facts));
        }
    }

    /// Keeps what was seen of a pull request now; the row says so.
    pub(crate) fn keep_pull_request(&mut self, key: &str, pull: &PullRequest) -> Result<(), Failure> {
        let now = clock::now().number();
        self.in_journal(key, |journal, of| {
            journal.keep_fact(of, PULL_REQUEST, pull)?;
            journal.keep_fact(of, SEEN, &now)
        })?;
        self.show_pull_request(&key.into(), Some(PullRequestFacts::of(pull, Some(now))));
        Ok(())
    }

    /// Forgets all that is kept of the way of a loop's work: another loop has its name.
    pub(crate) fn forget_way(&mut self, key: &str) -> Result<(), Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let of = LoopRef { workspace: &root.to_string_lossy(), file: &candidate.file };
        self.journal.forget_way(of).logged("what was kept of an earlier loop of this name stays");
        self.show_pull_request(&key.into(), None);
        Ok(())
    }

    fn show_pull_request(&mut self, key: &LoopId, facts: Option<PullRequestFacts>) {
        match facts {
            Some(facts) => drop(self.pull_requests.insert(key.clone(), facts)),
            None => drop(self.pull_requests.remove(key)),
        }
        let known = self.read_catalog(|catalog| catalog.get(key).cloned());
        if let Some(mut entry) = known.filter(|entry| entry.pull_request != facts) {
            entry.pull_request = facts;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }
}
