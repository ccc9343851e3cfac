//! What a person sees of an AoT loop: objective, atoms, choices, trail, corrections.

use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

/// AoT objective.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ObjectiveView {
    /// The goal.
    pub goal: String,
    /// Why.
    pub background_intent: String,
    /// The results.
    pub deliverables: String,
    /// When it is done, in words.
    pub definition_of_done: String,
    /// Settled questions.
    pub clarifications: Vec<Clarification>,
    /// In scope.
    pub in_scope: Vec<String>,
    /// Out of scope.
    pub out_of_scope: Vec<String>,
    /// Iteration limit.
    pub max_iterations: Option<f64>,
    /// Maximum number of parallel workers.
    pub max_parallel_agents: Option<f64>,
    /// Stalls allowed.
    pub max_stall_count: Option<f64>,
}

/// A settled question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Clarification {
    /// The question.
    pub question: String,
    /// The answer.
    pub resolution: String,
}

/// The state of an atom, beyond its status word. Words: catalogue `atom.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AtomState {
    /// Could start now.
    Ready,
    /// In progress, or left in progress.
    InProgress,
    /// Done.
    Resolved,
    /// Waits for others.
    Blocked,
    /// A parent whose children do the work.
    Container,
    /// An alternative that was not chosen.
    Inactive,
    /// An alternative that failed.
    Failed,
    /// The group has no choice yet.
    ChooseBranch,
}

/// A dependency with its status.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DependencyView {
    /// Atom id.
    pub id: String,
    /// Whether the atom exists.
    pub known: bool,
    /// Whether it is satisfied (AoT contract §9.2).
    pub satisfied: bool,
    /// Its status word, empty when unknown.
    pub status: String,
}

/// Why an atom cannot start. Words: catalogue `blocker.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum BlockerKind {
    /// Waits for this atom.
    WaitsFor,
    /// Depends on an id that does not exist.
    Missing,
    /// One of the failed choices of this group.
    FailedIn,
    /// Another choice of this group is selected.
    NotSelected,
    /// This group has no choice yet.
    ChooseBranch,
}

/// One reason that blocks an atom.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct BlockerView {
    /// Why.
    pub kind: BlockerKind,
    /// Atom id or group name.
    pub name: String,
}

/// One atom.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct AtomView {
    /// Id.
    pub id: String,
    /// What to do.
    pub description: String,
    /// Status word as written.
    pub status: String,
    /// Its state.
    pub state: AtomState,
    /// What it waits for.
    pub depends_on: Vec<DependencyView>,
    /// What blocks it from starting, at most 50 reasons.
    pub blocked_by: Vec<BlockerView>,
    /// It is on the longest chain of remaining work.
    pub on_critical_path: bool,
    /// A container whose children have all done their work.
    pub ready_to_resolve: bool,
    /// OR group.
    pub or_group: Option<String>,
    /// The atom it was decomposed from.
    pub parent: Option<String>,
    /// Its children.
    pub children: Vec<String>,
    /// Result summary.
    pub summary: Option<String>,
    /// Only its beginning: in the page of a window, when all of them together are long.
    pub summary_cut: bool,
    /// Result artifacts: display strings, never paths to open unchecked.
    pub artifacts: Vec<String>,
    /// It is resolved, and left something to read: a summary or artifacts.
    pub has_result: bool,
    /// 1-based line in the file.
    pub line: Option<u32>,
}

/// One OR group.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct OrGroupView {
    /// Its name.
    pub name: String,
    /// Choices in order.
    pub choices: Vec<ChoiceView>,
    /// The selected atom.
    pub selected: Option<String>,
    /// Whether branches run in parallel.
    pub speculative: bool,
    /// Whether the selected choice has done its work.
    pub satisfied: bool,
    /// The first choice that exists and has not failed.
    pub next: Option<String>,
    /// Every choice has failed or does not exist.
    pub exhausted: bool,
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ChoiceView {
    /// Atom id.
    pub id: String,
    /// Whether the atom exists.
    pub known: bool,
    /// Tried and failed.
    pub failed: bool,
}

/// One decomposition.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DecompositionView {
    /// Parent atom.
    pub parent: String,
    /// Child atoms.
    pub children: Vec<String>,
    /// How many of the parent's children have done their work.
    pub done: u32,
    /// How many children the parent has.
    pub total: u32,
    /// Why.
    pub reason: String,
    /// When.
    pub time: Option<TimeView>,
}

/// One trail entry; entries of other shapes keep their text in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TrailView {
    /// OR group.
    pub or_group: String,
    /// The choice.
    pub selected: String,
    /// Why.
    pub reason: String,
    /// When.
    pub time: Option<TimeView>,
    /// Other shapes, e.g. `user_correction: …`.
    pub other: Option<String>,
    /// Its number among the choices, from 1 in file order; none for other shapes.
    pub turn: Option<u32>,
    /// The atom it is about: the chosen one, or the first that other shapes mention. It exists.
    pub atom: Option<String>,
}

/// What a correction changed (AoT contract §1.2). Words: catalogue `activity.kinds.<kind>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CorrectionKind {
    /// The objective.
    ObjectiveChange,
    /// The work graph.
    DagAdjustment,
    /// A limit.
    ConstraintChange,
    /// The result of an atom.
    BindingsOverride,
    /// An unknown word, shown as written.
    #[default]
    Other,
}

impl CorrectionKind {
    /// The meaning of a correction's `type`.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "objective_change" => Self::ObjectiveChange,
            "dag_adjustment" => Self::DagAdjustment,
            "constraint_change" => Self::ConstraintChange,
            "bindings_override" => Self::BindingsOverride,
            _ => Self::Other,
        }
    }
}

/// One correction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct CorrectionView {
    /// When.
    pub time: Option<TimeView>,
    /// What it changed.
    pub kind: CorrectionKind,
    /// The same as written.
    pub word: String,
    /// Its description.
    pub description: String,
    /// Whether the trail was cleared.
    pub trail_cleared: bool,
    /// The first atom that the description mentions. It exists.
    pub atom: Option<String>,
}
