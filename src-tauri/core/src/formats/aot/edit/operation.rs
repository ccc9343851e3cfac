//! Operations on the work graph: by the driver of the rounds (AoT contract §9.5), and by a person (§7).

use serde::{Deserialize, Serialize};
use specta::Type;

/// One step of the work, applied to the current file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "AotStep")]
pub enum AotOperation {
    /// Ready atoms start: `in_progress`.
    StartAtoms {
        /// Their ids, at most `max_parallel_agents`.
        ids: Vec<String>,
    },
    /// An atom in progress is done.
    Resolve {
        /// Its id.
        id: String,
        /// Its result.
        summary: String,
        /// Files, globs and links to show.
        artifacts: Vec<String>,
    },
    /// An atom in progress that is not an alternative failed: it waits again.
    Fail {
        /// Its id.
        id: String,
    },
    /// An atom becomes a container of smaller ones.
    Decompose {
        /// Its id.
        parent: String,
        /// The smaller ones.
        children: Vec<NewAtom>,
        /// Why.
        reason: String,
    },
    /// Every container whose children have all done their work is resolved.
    ResolveContainers,
    /// An alternative failed, or a part of one failed for good: the next one is selected. When none is left,
    /// the alternative around the group fails too; without one the loop stops.
    Backtrack {
        /// The alternative, or its part.
        id: String,
        /// Why it failed.
        why: String,
    },
    /// A branch is selected.
    Select {
        /// The OR group.
        group: String,
        /// The choice; if absent, the first that has not failed.
        id: Option<String>,
        /// Why.
        reason: String,
    },
    /// Atoms in progress that nobody works on wait again.
    ResetInProgress,
    /// The driver found atoms in progress whose worker is gone: they wait again (§9.5).
    ReleaseOrphans,
    /// A round ended: exactly what the decision writes (§5).
    EndRound,
    /// The driver adds work for a failed check; not a change of direction, so no correction.
    AddAtoms {
        /// The new atoms.
        atoms: Vec<NewAtom>,
    },
    /// The completion check passed and nothing is left to do.
    Complete,
    /// A person is about to redirect a running loop: the driver holds.
    HoldForRedirect,
    /// The direction stays: the driver continues.
    ReleaseHold,
    /// The plugin takes over next: `stopped` with cleared flags, from where its command continues (§6.1). A
    /// loop that was never started, or is completed, becomes `pending`, from where the command starts with
    /// round 1.
    HandOver {
        /// New iteration limit; recorded as a correction.
        raise_limit_to: Option<u32>,
    },
    /// A person changes the direction; recorded as a correction in the same write.
    Redirect {
        /// What changes.
        change: Correction,
        /// The text of the correction.
        description: String,
    },
}

impl AotOperation {
    /// Whether it writes what a worker came to. That is kept also when the loop was ended while the worker was working (§6).
    pub(crate) fn is_result(&self) -> bool {
        matches!(
            self,
            Self::Resolve { .. } | Self::Fail { .. } | Self::Decompose { .. } | Self::Backtrack { .. }
        )
    }
}

/// An atom to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NewAtom {
    /// `A<n>` when absent.
    pub id: Option<String>,
    /// What to do.
    pub description: String,
    /// What it waits for; children of a container also wait for what the container waits for.
    pub depends_on: Vec<String>,
    /// The OR group it is a choice of; a new group if none has this name.
    pub or_group: Option<String>,
}

/// What a person changes (§7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "what", rename_all = "snake_case")]
#[serde(rename = "AotChange")]
pub enum Correction {
    /// `objective_change`: clears the trail.
    Objective(ObjectivePatch),
    /// `constraint_change`.
    Constraints(ConstraintPatch),
    /// `dag_adjustment`: a new atom.
    AddAtom(NewAtom),
    /// `dag_adjustment`: an unresolved atom is removed.
    DeleteAtom {
        /// Its id.
        id: String,
    },
    /// `dag_adjustment`: selects this branch, whatever was selected; a failed one gets another chance.
    ForceSelection {
        /// The OR group.
        group: String,
        /// The choice.
        id: String,
        /// Why, for the trail.
        reason: String,
    },
    /// `bindings_override`: redoes these atoms and everything built on them.
    Redo {
        /// Their ids.
        ids: Vec<String>,
    },
    /// `dag_adjustment`: an unresolved atom gets another description or other dependencies; absent fields
    /// stay.
    EditAtom {
        /// Its id.
        id: String,
        /// What to do.
        description: Option<String>,
        /// Everything it waits for; unresolved children of a container get the same additions and removals.
        depends_on: Option<Vec<String>>,
    },
    /// `dag_adjustment`: an unresolved atom becomes a container of smaller ones.
    Decompose {
        /// Its id.
        parent: String,
        /// The smaller ones.
        children: Vec<NewAtom>,
        /// Why, for the decomposition.
        reason: String,
    },
}

/// New texts of the objective; absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ObjectivePatch {
    /// `goal`.
    pub goal: Option<String>,
    /// `background_intent`.
    pub background_intent: Option<String>,
    /// `deliverables`.
    pub deliverables: Option<String>,
    /// `definition_of_done`.
    pub definition_of_done: Option<String>,
    /// `base_case`.
    pub base_case: Option<crate::checklist::wanted::BaseCase>,
}

/// New limits; absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ConstraintPatch {
    /// `max_iterations`, at least 1.
    pub max_iterations: Option<u32>,
    /// `max_parallel_agents`, at least 1.
    pub max_parallel_agents: Option<u32>,
    /// `max_stall_count`, at least 1.
    pub max_stall_count: Option<u32>,
}
