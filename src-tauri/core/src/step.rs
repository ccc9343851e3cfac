//! What a person may change beyond the control verbs: repairs, steps of the work, the task list. The shared words; what
//! each does is decided in its format.

use crate::control::Refusal;
use crate::problem::ProblemCode;
use crate::{aot, ccw_v2, loop_b};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// A repair with one click. Words: catalogue `repair.<code>` (the button) and `repair_effect.<code>` (what it does).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RepairCode {
    /// CCW: counters say what the lists hold.
    Recount,
    /// CCW: one task per line of the task list.
    SplitGluedLines,
    /// CCW: takes what cannot be read out of the task list; a backup gives back what it knows (`lost`, `restored`).
    CleanTaskList,
    /// CCW: takes away what stands behind the complete object.
    StripTrailingGarbage,
    /// CCW: tasks in progress that nobody works on are pending again.
    ResetOrphans,
    /// CCW: takes away what an earlier end left.
    ClearStaleEnd,
    /// AoT: words outside their list become `stopped` and `pending` (`count`).
    UnknownStatus,
    /// AoT: atoms in progress that nobody works on are pending again (`count`).
    OrphanedAtoms,
    /// AoT: the plugin reads the file as we do (`rules`, `comments` that are dropped).
    Layout,
}

/// A repair that is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RepairOffer {
    /// Which one.
    pub code: RepairCode,
    /// Problems that it ends.
    pub ends: Vec<ProblemCode>,
    /// Named values for its sentence.
    pub args: BTreeMap<String, String>,
    /// Why not now.
    pub refusal: Option<Refusal>,
}

/// A step of the work, in the words of its format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "format", rename_all = "snake_case")]
pub enum Operation {
    /// AoT contract §7, §9.5.
    Aot {
        /// What.
        step: aot::Operation,
    },
    /// CCW contract §7.
    LoopV2 {
        /// What.
        step: ccw_v2::operate::Operation,
    },
    /// CCW contract §8.
    LoopB {
        /// What.
        step: loop_b::operate::Operation,
    },
}

impl Operation {
    /// A person's change of direction.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        let Operation::Aot { step } = self else { return false };
        use aot::Operation as O;
        matches!(step, O::Redirect { .. } | O::HoldForRedirect | O::ReleaseHold)
    }
}

/// A kind of step. Words: catalogue `step.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepCode {
    /// AoT: change the direction.
    AotRedirect,
    /// AoT: a running loop waits for the new direction.
    AotHold,
    /// AoT: it goes on in the old direction.
    AotReleaseHold,
    /// AoT: ready atoms begin.
    AotStartAtoms,
    /// AoT: an atom is done.
    AotResolve,
    /// AoT: an atom failed.
    AotFail,
    /// AoT: an atom becomes smaller ones.
    AotDecompose,
    /// AoT: containers whose children are done are done.
    AotResolveContainers,
    /// AoT: an alternative failed.
    AotBacktrack,
    /// AoT: a branch is selected.
    AotSelect,
    /// AoT: atoms in progress wait again.
    AotResetInProgress,
    /// AoT: the loop is done.
    AotComplete,
    /// Loop v2: INIT.
    V2Init,
    /// Loop v2: an action begins.
    V2Begin,
    /// Loop v2: DEVELOP.
    V2Develop,
    /// Loop v2: DEBUG.
    V2Debug,
    /// Loop v2: VALIDATE.
    V2Validate,
    /// Loop v2: COMPLETE.
    V2Complete,
    /// Loop-B: `init` ended.
    BPlanned,
    /// Loop-B: the next phase begins.
    BEnter,
    /// Loop-B: a worker ended.
    BWorkerDone,
    /// Loop-B: parallel results side by side.
    BMerge,
    /// Loop-B: the loop is done.
    BComplete,
    /// The task list beside the loop.
    EditTasks,
}

/// A step that a format has, and why it is not possible now.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct StepOffer {
    /// Which one.
    pub step: StepCode,
    /// Why not now.
    pub refusal: Option<Refusal>,
}
