//! A person's changes beyond the control verbs: repairs, steps of the work, the task list. Only the shared
//! vocabulary; each format decides what they do.

use crate::formats::aot::edit::operation as aot;
use crate::formats::ccw_v2::operation;
use crate::problem::ProblemCode;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// A one-click repair. Words: catalogue `repair.<code>` (the button) and `repair_effect.<code>` (what it
/// does).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RepairCode {
    /// CCW: corrects counters to match the lists.
    Recount,
    /// CCW: one task per line of the task list.
    SplitGluedLines,
    /// CCW: removes unreadable parts of the task list; a backup restores what it has (`lost`, `restored`).
    CleanTaskList,
    /// CCW: removes anything after the complete object.
    StripTrailingGarbage,
    /// CCW: sets tasks in progress without an agent back to pending.
    ResetOrphans,
    /// CCW: removes fields left by an earlier end.
    ClearStaleEnd,
    /// AoT: words outside their list become `stopped` and `pending` (`count`).
    UnknownStatus,
    /// AoT: sets atoms in progress without an agent back to pending (`count`).
    OrphanedAtoms,
    /// AoT: quotes within quoted texts are escaped (`count` lines, the first is `line`).
    UnescapedQuotes,
    /// AoT: makes the plugin read the file the way we do (`rules`, dropped `comments`).
    Layout,
    /// Plan: writes the counter so that its tool can raise it.
    PlanCounter,
    /// Plan: gives it a limit of iterations.
    PlanLimit,
    /// Plan: the prompt asks for the phrase that ends it.
    PlanPromise,
    /// Plan: what is done and has open parts is open again.
    PlanReopen,
    /// Plan: corrects what isn't JSON.
    PlanJson,
}

/// An available repair.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RepairOffer {
    /// Which one.
    pub code: RepairCode,
    /// Problems that it solves.
    pub ends: Vec<ProblemCode>,
    /// Named values for its sentence.
    pub args: BTreeMap<String, String>,
    /// Why it is not possible now.
    pub refusal: Option<Refusal>,
}

/// A step of the work, in the words of its format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "format", rename_all = "snake_case")]
pub enum Operation {
    /// AoT contract §7, §9.5.
    Aot {
        /// The step.
        step: aot::AotOperation,
    },
    /// CCW contract §7.
    LoopV2 {
        /// The step.
        step: operation::LoopV2Operation,
    },
    /// CCW contract §8.
    LoopB {
        /// The step.
        step: crate::formats::loop_b::operation::LoopBOperation,
    },
    /// Ralph contract §5.
    #[serde(alias = "ralph")]
    List {
        /// The step.
        step: crate::formats::list::operation::ListOperation,
    },
    /// Of a plan that another tool keeps.
    Plan {
        /// The step.
        step: crate::formats::plan::operation::PlanOperation,
    },
}

impl Operation {
    /// Whether it says that the whole work is done.
    #[must_use]
    pub fn completes(&self) -> bool {
        match self {
            Self::LoopV2 { step } => matches!(step, operation::LoopV2Operation::Complete { .. }),
            Self::LoopB { step } => step.completes(),
            Self::List { step } => *step == crate::formats::list::operation::ListOperation::Complete,
            Self::Aot { .. } | Self::Plan { .. } => false,
        }
    }

    /// A person's change of direction.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        self.direction().is_some()
    }

    /// What it means for the direction of the work.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        use aot::{AotOperation as O, Correction};
        let Operation::Aot { step } = self else { return None };
        match step {
            O::HoldForRedirect => Some(Direction::Held),
            O::ReleaseHold => Some(Direction::Released),
            O::Redirect { change, .. } => {
                let checks = matches!(change, Correction::Objective(patch) if patch.base_case.is_some());
                Some(Direction::Changed { checks })
            }
            _ => None,
        }
    }
}

/// What a step means for the direction of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The loop waits for a new one.
    Held,
    /// It has a new one.
    Changed {
        /// Its completion check changed too.
        checks: bool,
    },
    /// It continues in the old one.
    Released,
}

/// A kind of step. Words: catalogue `step.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepCode {
    /// AoT: change the direction.
    AotRedirect,
    /// AoT: a running loop waits for the new direction.
    AotHold,
    /// AoT: it continues in the old direction.
    AotReleaseHold,
    /// AoT: ready atoms start.
    AotStartAtoms,
    /// AoT: an atom is done.
    AotResolve,
    /// AoT: an atom failed.
    AotFail,
    /// AoT: containers whose children are done become done.
    AotResolveContainers,
    /// AoT: an alternative failed.
    AotBacktrack,
    /// AoT: atoms in progress wait again.
    AotResetInProgress,
    /// AoT: the loop is done.
    AotComplete,
    /// Loop v2: INIT.
    V2Init,
    /// Loop v2: an action starts.
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
    /// Loop-B: the next phase starts.
    BEnter,
    /// Loop-B: a worker ended.
    BWorkerDone,
    /// Loop-B: merge of parallel results.
    BMerge,
    /// Loop-B: the loop is done.
    BComplete,
    /// The task list next to the loop.
    EditTasks,
}

/// What a step acts on, and so where it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepSubject {
    /// The direction of the work (AoT contract §7).
    Direction,
    /// The whole of an AoT loop.
    Whole,
    /// An atom that is not an alternative: when it fails it only waits again (AoT contract §9.5).
    Atom,
    /// An atom that is a choice of an OR group: it gives way to another one (AoT contract §9.4).
    Branch,
    /// What the driver of a CCW loop would record: a person records it only in the driver's place
    /// (CCW contract §7, §8).
    Record,
    /// The task list next to the loop (CCW contract §12).
    TaskList,
}

impl StepCode {
    /// What it acts on.
    #[must_use]
    pub fn subjects(self) -> &'static [StepSubject] {
        use StepCode as S;
        use StepSubject as On;
        match self {
            S::AotRedirect | S::AotHold => &[On::Direction],
            S::AotStartAtoms
            | S::AotResolveContainers
            | S::AotResetInProgress
            | S::AotReleaseHold
            | S::AotComplete => &[On::Whole],
            S::AotResolve => &[On::Atom, On::Branch],
            S::AotFail => &[On::Atom],
            S::AotBacktrack => &[On::Branch],
            S::V2Init | S::V2Begin | S::V2Develop | S::V2Debug | S::V2Validate | S::V2Complete => {
                &[On::Record]
            }
            S::BPlanned | S::BEnter | S::BWorkerDone | S::BMerge | S::BComplete => &[On::Record],
            S::EditTasks => &[On::TaskList],
        }
    }
}

/// A step of a format, and why it is not possible now.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct StepOffer {
    /// Which one.
    pub step: StepCode,
    /// What it acts on; the offers are in the order in which each place shows its steps.
    pub on: Vec<StepSubject>,
    /// Why it is not possible now.
    pub refusal: Option<Refusal>,
    /// A redirect: the driver can hold for it now, and then it is possible regardless of `refusal`
    /// (AoT contract §7).
    pub after_hold: bool,
}

impl StepCode {
    /// A person's change of direction.
    #[must_use]
    pub fn is_redirect(self) -> bool {
        matches!(self, Self::AotRedirect | Self::AotHold | Self::AotReleaseHold)
    }
}

impl StepOffer {
    /// An offer, or a refusal.
    #[must_use]
    pub fn new(step: StepCode, refusal: Option<Refusal>) -> Self {
        Self { step, on: step.subjects().to_vec(), refusal, after_hold: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_records_and_what_a_person_owns_are_told_apart() {
        use StepCode as S;
        for step in [S::V2Init, S::V2Complete, S::BPlanned, S::BMerge] {
            assert_eq!(step.subjects(), [StepSubject::Record], "{step:?}");
        }
        assert_eq!(S::EditTasks.subjects(), [StepSubject::TaskList]);
    }
}
