//! Rules of the person for what needs them: a number of their own beside what Loopdeck tells anyway.

use super::LoopFacts;
use crate::status::FileStatus;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A rule for the loops of one workspace, or of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct AttentionRule {
    /// Id of the workspace; `None` for all of them.
    #[serde(default)]
    pub workspace: Option<String>,
    /// What is compared.
    pub kind: RuleKind,
    /// With what: minutes, USD, or iterations.
    #[specta(type = u32)] // a finite number in TypeScript
    pub limit: f64,
}

/// What a rule compares. Words: catalogue `rules.kind.<kind>` and `rules.fired.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// It runs, and its state file has not changed for so many minutes.
    Stalled,
    /// It runs, and neither its state file nor a file next to it has changed for so many minutes.
    NoActivity,
    /// Its runs cost more than so many USD.
    Cost,
    /// It has used so many iterations, and tests of its last run fail.
    FailingTests,
}

/// What rules compare of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuleFacts {
    /// What its file says, whether or not an agent is known.
    pub status: FileStatus,
    /// Minutes since its state file changed.
    pub since_change: f64,
    /// Minutes since anything of it changed.
    pub since_activity: f64,
    /// USD; `None` when no run says.
    pub cost_usd: Option<f64>,
    /// Iterations used.
    pub iterations: f64,
    /// Failing tests of the last run.
    pub failing: u32,
}

impl RuleFacts {
    /// A loop of which only its status is known, and how many minutes ago its file changed.
    #[must_use]
    pub fn new(status: FileStatus, since_change: f64) -> Self {
        let (iterations, failing) = (0.0, 0);
        Self { status, since_change, since_activity: since_change, cost_usd: None, iterations, failing }
    }

    /// The same, with what the state says of iterations and tests.
    #[must_use]
    pub fn with_facts(self, facts: &LoopFacts) -> Self {
        let iterations = facts.iterations.map_or(0.0, |bar| bar.current);
        let failing = facts.tests.map_or(0, |tests| tests.last.failed);
        Self { iterations, failing, ..self }
    }
}

impl AttentionRule {
    /// Whether the number can be compared with.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.limit.is_finite() && self.limit > 0.0
    }

    /// Whether it is about the loops of a workspace.
    #[must_use]
    pub fn is_about(&self, workspace: &str) -> bool {
        self.workspace.as_deref().is_none_or(|id| id == workspace)
    }

    /// Whether a loop with this status can fire a rule.
    #[must_use]
    pub fn is_open(status: FileStatus) -> bool {
        matches!(status, FileStatus::Running | FileStatus::Paused)
    }

    /// Whether a loop needs the person by this rule. What ended needs nobody.
    #[must_use]
    pub fn fires(&self, facts: &RuleFacts) -> bool {
        let runs = facts.status == FileStatus::Running;
        let is_open = Self::is_open(facts.status);
        match self.kind {
            RuleKind::Stalled => runs && facts.since_change > self.limit,
            RuleKind::NoActivity => runs && facts.since_activity > self.limit,
            RuleKind::Cost => is_open && facts.cost_usd.is_some_and(|cost| cost > self.limit),
            RuleKind::FailingTests => is_open && facts.failing > 0 && facts.iterations >= self.limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_fires_above_its_number_and_only_while_there_is_something_to_do() {
        let facts = RuleFacts {
            status: FileStatus::Running,
            since_change: 31.0,
            since_activity: 5.0,
            cost_usd: Some(2.5),
            iterations: 4.0,
            failing: 1,
        };
        let ended = RuleFacts { status: FileStatus::Completed, ..facts };
        let paused = RuleFacts { status: FileStatus::Paused, ..facts };
        for (kind, limit, runs, pauses) in [
            (RuleKind::Stalled, 30.0, true, false),
            (RuleKind::Stalled, 31.0, false, false),
            (RuleKind::NoActivity, 4.0, true, false),
            (RuleKind::NoActivity, 30.0, false, false),
            (RuleKind::Cost, 2.0, true, true),
            (RuleKind::Cost, 2.5, false, false),
            (RuleKind::FailingTests, 4.0, true, true),
            (RuleKind::FailingTests, 5.0, false, false),
        ] {
            let rule = AttentionRule { workspace: None, kind, limit };
            let fired = [facts, paused, ended].map(|facts| rule.fires(&facts));
            assert_eq!(fired, [runs, pauses, false], "{kind:?} {limit}");
        }
        let unknown = RuleFacts { cost_usd: None, failing: 0, ..facts };
        for kind in [RuleKind::Cost, RuleKind::FailingTests] {
            assert!(!AttentionRule { workspace: None, kind, limit: 0.1 }.fires(&unknown), "{kind:?}");
        }
    }

    #[test]
    fn a_rule_is_about_one_workspace_or_all() {
        let rule = |workspace: Option<&str>, limit| AttentionRule {
            workspace: workspace.map(str::to_owned),
            kind: RuleKind::Cost,
            limit,
        };
        assert!(rule(None, 1.0).is_about("a") && rule(Some("a"), 1.0).is_about("a"));
        assert!(!rule(Some("a"), 1.0).is_about("b"));
        assert_eq!(
            [0.0, -1.0, f64::NAN, 0.5].map(|limit| rule(None, limit).is_valid()),
            [false, false, false, true]
        );
    }
}
