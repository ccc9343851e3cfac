//! What may go wrong with a loop, or did, as far as its state shows it.

use super::{LoopFacts, count};
use crate::checklist::{CheckResult, CheckType};
use crate::problem::{ProblemCode, Severity};
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::view::{AtomState, FactValue, LoopDetail, TaskState};
use serde::{Deserialize, Serialize};
use specta::Type;

/// A person who corrects a loop this often may have asked for the wrong thing.
const MANY_REDIRECTS: u32 = 3;
/// The share of the iterations from which on a running loop is close to its limit.
const NEAR_LIMIT: f64 = 0.8;

/// One risk. `count` says how many, of what the kind counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Risk {
    /// What.
    pub kind: RiskKind,
    /// How many; 1 where there is nothing to count.
    pub count: u32,
}

/// What may go wrong. Words: catalogue `risk.<kind>`, with `count`. In the order of their weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RiskKind {
    /// Errors in the file: nothing is written to it.
    FileErrors,
    /// The state says that tests passed, and its own counts say otherwise.
    TestsContradict,
    /// Completed without a passing validation.
    NotValidated,
    /// Tests that failed in the last run.
    FailingTests,
    /// Tests that were skipped in the last run.
    SkippedTests,
    /// Tasks or atoms that failed.
    FailedWork,
    /// Quality checks that a judge scored too low.
    LowScores,
    /// Rounds in a row without progress.
    Stalled,
    /// Iterations left, close to the limit.
    NearLimit,
    /// Corrections by a person.
    ManyRedirects,
    /// Actions that an agent was not allowed. Only the journal knows.
    DeniedPermissions,
    /// Limits that a person raised. Only the journal knows.
    LimitsRaised,
}

/// The risks of a loop, by weight.
pub(super) fn risks(facts: &LoopFacts, summary: &Summary, detail: &LoopDetail) -> Vec<Risk> {
    let is_code = |codes: &'static [ProblemCode]| {
        count(detail.problems.iter().filter(|problem| codes.contains(&problem.code)).count())
    };
    let errors = detail.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let last = facts.tests.map(|tests| tests.last).unwrap_or_default();
    let found = [
        (RiskKind::FileErrors, count(errors)),
        (
            RiskKind::TestsContradict,
            is_code(&[ProblemCode::W6_validation_disagrees, ProblemCode::W6_totals_disagree]),
        ),
        (RiskKind::NotValidated, is_code(&[ProblemCode::W2_completed_unvalidated])),
        (RiskKind::FailingTests, last.failed),
        (RiskKind::SkippedTests, last.skipped),
        (RiskKind::FailedWork, failed_work(detail)),
        (RiskKind::LowScores, low_scores(detail)),
        (RiskKind::Stalled, stalls(detail)),
        (RiskKind::NearLimit, iterations_left(facts, summary)),
        (RiskKind::ManyRedirects, if facts.redirects >= MANY_REDIRECTS { facts.redirects } else { 0 }),
    ];
    found.into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| Risk { kind, count }).collect()
}

fn failed_work(detail: &LoopDetail) -> u32 {
    let tasks = detail.tasks.iter().filter(|task| task.state == TaskState::Failed).count();
    let atoms = detail.atoms.iter().filter(|atom| atom.state == AtomState::Failed).count();
    count(tasks + atoms)
}

fn low_scores(detail: &LoopDetail) -> u32 {
    let low = |row: &&crate::view::ChecklistRow| {
        row.check_type == Some(CheckType::Quality) && row.result == CheckResult::Fail
    };
    count(detail.checklist.iter().filter(low).count())
}

/// Rounds without progress, as an AoT loop counts them.
fn stalls(detail: &LoopDetail) -> u32 {
    let counted = detail.facts.iter().find(|fact| fact.name == "stall_count").map(|fact| &fact.value);
    match counted {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within bounds
        Some(FactValue::Number(stalls)) if *stalls >= 1.0 => stalls.min(f64::from(u32::MAX)) as u32,
        _ => 0,
    }
}

/// Iterations that a running loop has left when it is close to its limit; at its limit one is left to decide on.
fn iterations_left(facts: &LoopFacts, summary: &Summary) -> u32 {
    let Some(bar) = facts.iterations.filter(|bar| bar.limit > 0.0 && bar.current >= bar.limit * NEAR_LIMIT)
    else {
        return 0;
    };
    if !matches!(summary.status, FileStatus::Running | FileStatus::Paused) {
        return 0;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within bounds
    let left = (bar.limit - bar.current).clamp(1.0, f64::from(u32::MAX)) as u32;
    left
}
