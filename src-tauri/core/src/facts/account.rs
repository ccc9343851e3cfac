//! What happened in a loop, decision by decision, and what proves it: the summary that COMPLETE writes (seeds 000 to 004) and
//! more, for every format and at any moment.

use super::TestTotals;
use crate::checklist::{CheckResult, CheckType};
use crate::evidence::Acceptance;
use crate::times::TimeView;
use crate::view::{
    AtomState, ClaimedItem, CorrectionKind, HypothesisVerdict, LoopDetail, RunView, TaskState, WorkerOutcome,
};
use serde::Serialize;
use specta::Type;

/// Most characters of a text in an account.
const TEXT_CHARS: usize = 600;
/// Most entries of each list; a loop that has more says so in its facts.
const MOST: usize = 500;

/// What happened in a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LoopAccount {
    /// What it is for. Untrusted text.
    pub goal: String,
    /// What was decided, in the order of the state.
    pub decisions: Vec<KeyDecision>,
    /// Files that were changed, in alphabetical order.
    pub files: Vec<String>,
    /// The checks of its completion checklist, or of its plan.
    pub checks: Vec<CheckFact>,
    /// What its work calls done and what became of that, where its plan has checks.
    pub claimed: Vec<ClaimedItem>,
    /// Who accepts what is not proven, and why.
    pub accepted: Option<Acceptance>,
    /// Its test runs, oldest first.
    pub test_runs: Vec<TestTotals>,
    /// Tests that failed in the last run.
    pub failed_tests: Vec<String>,
    /// Work that is not done.
    pub open: Vec<OpenWork>,
}

/// What was decided. Words: catalogue `decision.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// A hypothesis is the cause.
    Confirmed,
    /// A hypothesis is not the cause.
    Rejected,
    /// The evidence for a hypothesis decides nothing.
    Inconclusive,
    /// An alternative was chosen.
    Chosen,
    /// An atom was split.
    Split,
    /// A person changed the objective.
    ObjectiveChanged,
    /// A person changed the work graph.
    WorkChanged,
    /// A person changed a limit or a constraint.
    LimitChanged,
    /// A person replaced a binding.
    BindingReplaced,
    /// A person corrected something else.
    Corrected,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct KeyDecision {
    /// What.
    pub kind: DecisionKind,
    /// Id of the hypothesis, atom or OR group; empty for a correction.
    pub id: String,
    /// What it is about. Untrusted text.
    pub text: String,
    /// Why. Untrusted text, often empty.
    pub reason: String,
    /// When.
    pub time: Option<TimeView>,
}

/// One check of the completion checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct CheckFact {
    /// What it checks. Untrusted text.
    pub item: String,
    /// How.
    pub kind: Option<CheckType>,
    /// Its command, path or criteria, as written. Untrusted text.
    pub value: String,
    /// Its result.
    pub result: CheckResult,
}

/// Whether open work is a task or an atom. Words: catalogue `openWork.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OpenWorkKind {
    /// A task that has not begun, or has not ended.
    Task,
    /// A task that failed.
    FailedTask,
    /// An atom that is not resolved.
    Atom,
    /// An atom that failed.
    FailedAtom,
    /// A worker that did not succeed.
    Worker,
}

/// Work that is not done.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct OpenWork {
    /// What it is.
    pub kind: OpenWorkKind,
    /// Its id.
    pub id: String,
    /// What it is about. Untrusted text.
    pub text: String,
}

impl LoopAccount {
    /// The account of a loop with this detail.
    #[must_use]
    pub fn from_detail(detail: &LoopDetail) -> Self {
        let mut decisions = hypotheses(detail);
        decisions.extend(choices(detail));
        decisions.extend(splits(detail));
        decisions.extend(corrections(detail));
        decisions.truncate(MOST);
        let validation = detail.validation.as_ref();
        let runs = validation.map(|validation| validation.runs.iter().map(totals).collect());
        let failed =
            validation.map(|validation| validation.failed_tests.iter().take(MOST).map(|name| cut(name)));
        Self {
            goal: goal(detail),
            decisions,
            files: super::changed_files(detail).into_iter().take(MOST).map(cut).collect(),
            checks: checks(detail),
            claimed: detail.tasks.iter().filter_map(|task| task.claim.clone()).take(MOST).collect(),
            accepted: detail.claims.as_ref().and_then(|claims| {
                let why = claims.accepted.as_deref().map(cut)?;
                Some(Acceptance { by: claims.accepted_by.clone(), why })
            }),
            test_runs: runs.unwrap_or_default(),
            failed_tests: failed.map(Iterator::collect).unwrap_or_default(),
            open: open_work(detail),
        }
    }
}

fn cut(text: &str) -> String {
    loopdeck_text::shorten(text.trim(), TEXT_CHARS)
}

fn goal(detail: &LoopDetail) -> String {
    let objective = detail.objective.as_ref().map(|objective| objective.goal.as_str());
    cut(objective.or(detail.metadata.description.as_deref()).unwrap_or_default())
}

fn hypotheses(detail: &LoopDetail) -> Vec<KeyDecision> {
    let all = detail.debug.iter().flat_map(|debug| &debug.hypotheses);
    let judged = all.filter_map(|hypothesis| {
        let kind = match hypothesis.verdict {
            HypothesisVerdict::Confirmed => DecisionKind::Confirmed,
            HypothesisVerdict::Rejected => DecisionKind::Rejected,
            HypothesisVerdict::Inconclusive => DecisionKind::Inconclusive,
            HypothesisVerdict::Pending | HypothesisVerdict::Other => return None,
        };
        let reason = cut(hypothesis.verdict_reason.as_deref().unwrap_or_default());
        let (id, text) = (hypothesis.id.clone(), cut(&hypothesis.description));
        Some(KeyDecision { kind, id, text, reason, time: None })
    });
    judged.collect()
}

fn choices(detail: &LoopDetail) -> impl Iterator<Item = KeyDecision> {
    detail.trail.iter().map(|turn| KeyDecision {
        kind: DecisionKind::Chosen,
        id: turn.or_group.clone(),
        text: cut(&turn.selected),
        reason: cut(&turn.reason),
        time: turn.time.clone(),
    })
}

fn splits(detail: &LoopDetail) -> impl Iterator<Item = KeyDecision> {
    detail.decompositions.iter().map(|split| KeyDecision {
        kind: DecisionKind::Split,
        id: split.parent.clone(),
        text: cut(&split.children.join(", ")),
        reason: cut(&split.reason),
        time: split.time.clone(),
    })
}

fn corrections(detail: &LoopDetail) -> impl Iterator<Item = KeyDecision> {
    detail.corrections.iter().map(|correction| KeyDecision {
        kind: match correction.kind {
            CorrectionKind::ObjectiveChange => DecisionKind::ObjectiveChanged,
            CorrectionKind::DagAdjustment => DecisionKind::WorkChanged,
            CorrectionKind::ConstraintChange => DecisionKind::LimitChanged,
            CorrectionKind::BindingsOverride => DecisionKind::BindingReplaced,
            CorrectionKind::Other => DecisionKind::Corrected,
        },
        id: correction.atom.clone().unwrap_or_default(),
        text: cut(&correction.description),
        reason: String::new(),
        time: correction.time.clone(),
    })
}

fn checks(detail: &LoopDetail) -> Vec<CheckFact> {
    // Headings of groups have no check of their own.
    let rows = detail.checklist.iter().filter(|row| row.check_type.is_some() || row.type_word.is_some());
    let fact = |row: &crate::view::ChecklistRow| CheckFact {
        item: cut(&row.item),
        kind: row.check_type,
        value: cut(row.value.as_deref().unwrap_or_default()),
        result: row.result,
    };
    rows.take(MOST).map(fact).collect()
}

fn totals(run: &RunView) -> TestTotals {
    super::counts(run)
}

fn open_work(detail: &LoopDetail) -> Vec<OpenWork> {
    let tasks = detail.tasks.iter().filter_map(|task| {
        let kind = match task.state {
            TaskState::Completed | TaskState::Dropped => return None,
            TaskState::Failed => OpenWorkKind::FailedTask,
            TaskState::Pending | TaskState::InProgress | TaskState::Blocked | TaskState::Other => {
                OpenWorkKind::Task
            }
        };
        Some(OpenWork { kind, id: task.id.clone(), text: cut(&task.description) })
    });
    let atoms = detail.atoms.iter().filter_map(|atom| {
        let kind = match atom.state {
            AtomState::Resolved | AtomState::Inactive => return None,
            AtomState::Failed => OpenWorkKind::FailedAtom,
            _ => OpenWorkKind::Atom,
        };
        Some(OpenWork { kind, id: atom.id.clone(), text: cut(&atom.description) })
    });
    let workers = detail.workers.iter().filter(|worker| worker.outcome == WorkerOutcome::Failed);
    let workers = workers.map(|worker| OpenWork {
        kind: OpenWorkKind::Worker,
        id: worker.action.clone(),
        text: cut(&worker.summary),
    });
    tasks.chain(atoms).chain(workers).take(MOST).collect()
}
