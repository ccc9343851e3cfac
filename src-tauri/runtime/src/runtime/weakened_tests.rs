//! Changes since a loop began that weaken what its tests prove.

use super::Runtime;
use crate::views::{Failure, WeakenedTests};
use loopdeck_core::weakened::Weakening;
use loopdeck_execution::git;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::weakened::weakened_since;

impl Runtime {
    /// What weakens tests in the changes since a loop began; since the last commit when that is not known.
    ///
    /// # Errors
    /// `UnknownLoop`; `Untrusted`; `RepositoryChanged`; `GitRefused`, also without a repository.
    pub fn weakened_tests(&self, key: &str) -> Result<WeakenedTests, Failure> {
        let of = self.loop_in_git(key)?;
        let began = self.began(key)?.and_then(|began| began.commit);
        let found = weakened_since(&of.root, &of.repository, began.as_deref());
        let found = found.map_err(|error| git::failure(&of.root, &error))?;
        let mask = self.choices.read(Mask::of_all);
        let hide = |one: Weakening| Weakening { path: mask.hide(one.path), text: mask.hide(one.text), ..one };
        Ok(WeakenedTests { found: found.found.into_iter().map(hide).collect(), is_whole: found.is_whole })
    }
}
