//! What a team lead wants to know of a loop in a minute: facts counted from its state, without words.
//!
//! Everything here is counted, nothing is judged by a model. What only the journal knows (cost, denied permissions) is
//! added by the runtime.

mod account;
mod outcome;
mod risks;
mod rules;
mod runs;
mod trends;

pub use account::{CheckFact, DecisionKind, KeyDecision, LoopAccount, OpenWork, OpenWorkKind};
pub use outcome::LoopOutcome;
pub use risks::{Risk, RiskKind};
pub use rules::{AttentionRule, RuleFacts, RuleKind};
pub use runs::{ActionCost, RunChange, RunFacts};
pub use trends::{ActionTime, EndedLoop, PastRun, TrendDay, TrendGroup, TrendQuery, TrendSum, Trends};

use crate::phase::IterationBar;
use crate::summary::Summary;
use crate::view::{
    AtomState, ChecklistTotal, HypothesisVerdict, HypothesisView, LoopDetail, RunView, TaskState, UnitKind,
};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeSet;

/// Longest text of a root cause, in characters.
const CAUSE_CHARS: usize = 400;

/// Facts of one loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct LoopFacts {
    /// Iterations used and allowed.
    pub iterations: Option<IterationBar>,
    /// The first and the last test run that the state has.
    pub tests: Option<TestProgress>,
    /// The confirmed hypothesis.
    pub root_cause: Option<RootCause>,
    /// Develop tasks, or tasks of a Loop-B.
    pub tasks: Option<Portion>,
    /// Atoms; alternatives that are not pursued do not count.
    pub atoms: Option<Portion>,
    /// Checks of the completion checklist that pass.
    pub checks: Option<Portion>,
    /// Files that the state says were changed, each once.
    pub files_changed: u32,
    /// Corrections by a person.
    pub redirects: u32,
    /// Alternatives that were given up.
    pub alternatives_failed: u32,
    /// What may go wrong, or did; the worst first.
    pub risks: Vec<Risk>,
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Portion {
    /// Done, resolved or passed.
    pub done: u32,
    /// All of them.
    pub total: u32,
}

/// Tests before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct TestProgress {
    /// The first run.
    pub first: TestTotals,
    /// The last run; the first one when there is only one.
    pub last: TestTotals,
    /// How many runs there are.
    pub runs: u32,
}

/// The counts of one test run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct TestTotals {
    /// Passed.
    pub passed: u32,
    /// Failed.
    pub failed: u32,
    /// Skipped.
    pub skipped: u32,
    /// All.
    pub total: u32,
    /// When, ms since 1970 UTC.
    pub at: Option<f64>,
}

/// A confirmed hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct RootCause {
    /// Its id.
    pub id: String,
    /// Its claim, cut to 400 characters. Untrusted text.
    pub text: String,
}

impl LoopFacts {
    /// The facts of a loop with this summary and this detail.
    #[must_use]
    pub fn from_detail(summary: &Summary, detail: &LoopDetail) -> Self {
        let mut facts = Self {
            iterations: summary.iteration,
            tests: test_progress(detail),
            root_cause: root_cause(detail),
            tasks: task_share(detail),
            atoms: atom_share(detail),
            checks: detail.checklist_total.map(check_share),
            files_changed: count(changed_files(detail).len()),
            redirects: count(detail.corrections.len()),
            alternatives_failed: count(
                detail
                    .or_groups
                    .iter()
                    .flat_map(|group| &group.choices)
                    .filter(|choice| choice.failed)
                    .count(),
            ),
            risks: Vec::new(),
        };
        facts.risks = risks::risks(&facts, summary, detail);
        facts
    }
}

/// Files that tasks, workers and atoms say they changed.
#[must_use]
pub fn changed_files(detail: &LoopDetail) -> BTreeSet<&str> {
    let tasks = detail.tasks.iter().flat_map(|task| &task.files_changed);
    let workers = detail.workers.iter().flat_map(|worker| &worker.files_changed);
    let atoms = detail.atoms.iter().flat_map(|atom| &atom.artifacts);
    tasks.chain(workers).chain(atoms).map(|file| file.trim()).filter(|file| !file.is_empty()).collect()
}

fn test_progress(detail: &LoopDetail) -> Option<TestProgress> {
    let runs = &detail.validation.as_ref()?.runs;
    let (first, last) = (runs.first()?, runs.last()?);
    Some(TestProgress { first: counts(first), last: counts(last), runs: count(runs.len()) })
}

fn counts(run: &RunView) -> TestTotals {
    TestTotals {
        passed: run.passed,
        failed: run.failed,
        skipped: run.skipped,
        total: run.total,
        at: run.time.as_ref().and_then(|time| time.ms),
    }
}

fn root_cause(detail: &LoopDetail) -> Option<RootCause> {
    let debug = detail.debug.as_ref()?;
    let by_id = |id: &String| debug.hypotheses.iter().find(|hypothesis| hypothesis.id == *id);
    let confirmed = |hypothesis: &&HypothesisView| hypothesis.verdict == HypothesisVerdict::Confirmed;
    let found =
        debug.confirmed.as_ref().and_then(by_id).or_else(|| debug.hypotheses.iter().find(confirmed))?;
    let text = loopdeck_text::shorten(&found.description, CAUSE_CHARS);
    Some(RootCause { id: found.id.clone(), text })
}

fn task_share(detail: &LoopDetail) -> Option<Portion> {
    let done = detail.tasks.iter().filter(|task| task.state == TaskState::Completed).count();
    (!detail.tasks.is_empty()).then(|| Portion { done: count(done), total: count(detail.tasks.len()) })
}

fn atom_share(detail: &LoopDetail) -> Option<Portion> {
    if let Some(work) = detail.work.as_ref().filter(|work| work.of == UnitKind::Atom) {
        return Some(Portion { done: work.totals.done, total: work.totals.active });
    }
    let done = detail.atoms.iter().filter(|atom| atom.state == AtomState::Resolved).count();
    (!detail.atoms.is_empty()).then(|| Portion { done: count(done), total: count(detail.atoms.len()) })
}

fn check_share(total: ChecklistTotal) -> Portion {
    Portion { done: total.counts.pass, total: total.counts.all }
}

/// More than four billion of anything is as many as can be counted.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
