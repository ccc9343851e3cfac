//! The pull request of a loop's work, as its row shows it.

use loopdeck_execution::forge::{PullCheckState, PullRequest, PullRequestState, ReviewState};
use serde::Serialize;
use specta::Type;

/// What became of the pull request of a loop, as it was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct PullRequestFacts {
    /// Its number.
    pub number: u32,
    /// What became of it.
    pub state: PullRequestState,
    /// What reviewers decided.
    pub review: ReviewState,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that failed.
    pub failed: u32,
    /// Checks that have not ended.
    pub pending: u32,
    /// When it was seen so, ms since 1970 UTC; `None` when an earlier Loopdeck did not note that.
    pub seen: Option<f64>,
}

impl PullRequestFacts {
    /// Those of a pull request that was seen at that time.
    #[must_use]
    pub fn of(pull: &PullRequest, seen: Option<f64>) -> Self {
        let count = |state| {
            let checks = pull.checks.iter().filter(|check| check.state == state).count();
            u32::try_from(checks).unwrap_or(u32::MAX)
        };
        Self {
            number: pull.number,
            state: pull.state,
            review: pull.review,
            passed: count(PullCheckState::Passed),
            failed: count(PullCheckState::Failed),
            pending: count(PullCheckState::Pending),
            seen,
        }
    }
}
