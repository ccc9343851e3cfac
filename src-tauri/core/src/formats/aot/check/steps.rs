//! Which steps of the work are possible now (AoT contract §7, §9.5), and who may take them.

use super::rules::{Owner, because, owner};
use crate::control::Situation;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state::AotState;
use crate::refusal::{Refusal, RefusalCode};
use crate::step::{StepCode, StepOffer};

/// All of them in display order: those of a round, then the life of an atom. When a person chooses a branch
/// or decomposes an atom, that is a change of direction.
const STEPS: [StepCode; 10] = [
    StepCode::AotRedirect,
    StepCode::AotHold,
    StepCode::AotStartAtoms,
    StepCode::AotResolve,
    StepCode::AotFail,
    StepCode::AotBacktrack,
    StepCode::AotResolveContainers,
    StepCode::AotResetInProgress,
    StepCode::AotReleaseHold,
    StepCode::AotComplete,
];

/// All steps, each with the reason if it is not possible now; `damaged` returns what is wrong with the file
/// for a step.
pub(crate) fn steps<'r>(
    state: &AotState<'_>,
    damaged: impl Fn(StepCode) -> Option<&'r Refusal>,
    situation: &Situation,
) -> Vec<StepOffer> {
    let refusal = |step| damaged(step).cloned().or_else(|| refuse(step, state, situation));
    let can_hold = refusal(StepCode::AotHold).is_none();
    let offer = |step| StepOffer {
        after_hold: step == StepCode::AotRedirect && can_hold,
        ..StepOffer::new(step, refusal(step))
    };
    STEPS.into_iter().map(offer).collect()
}

/// Why `operation` must not be carried out now, whatever it is about.
pub(crate) fn refuse_operation(
    operation: &AotOperation,
    state: &AotState<'_>,
    situation: &Situation,
) -> Option<Refusal> {
    let ours = owner(situation.shown) == Owner::Ours;
    if operation.is_result() && ours {
        return None; // whoever ended the loop while its worker was working (§6)
    }
    if matches!(operation, AotOperation::HandOver { .. }) {
        let elsewhere = state.control.status == "running" && owner(situation.shown) == Owner::Elsewhere;
        return elsewhere.then(|| because(RefusalCode::ForeignOwner, state));
    }
    let step = match operation {
        AotOperation::Redirect { .. } => StepCode::AotRedirect,
        AotOperation::HoldForRedirect => StepCode::AotHold,
        AotOperation::ReleaseHold => StepCode::AotReleaseHold,
        AotOperation::ResetInProgress => StepCode::AotResetInProgress,
        _ => StepCode::AotResolve,
    };
    refuse(step, state, situation)
}

fn refuse(step: StepCode, state: &AotState<'_>, situation: &Situation) -> Option<Refusal> {
    let control = &state.control;
    let runs = control.status == "running";
    let owner = if runs { owner(situation.shown) } else { Owner::Nobody };
    let code = match (step, owner) {
        // An agent's work during a change of direction would be lost, so it holds first.
        (StepCode::AotRedirect, Owner::Nobody) => return None,
        (StepCode::AotRedirect, _) if control.redirect_requested => return None,
        (StepCode::AotHold, _) if !runs => RefusalCode::NotRunning,
        (StepCode::AotHold, _) if control.redirect_requested => RefusalCode::AlreadyPaused,
        (StepCode::AotHold, _) => return None,
        (StepCode::AotReleaseHold, _) if control.redirect_requested => return None,
        (StepCode::AotReleaseHold, _) => RefusalCode::NotPaused,
        (StepCode::AotResetInProgress, Owner::Nobody) => return None,
        (StepCode::AotRedirect | StepCode::AotResetInProgress, _) => RefusalCode::Running,
        (_, Owner::Elsewhere) => RefusalCode::ForeignOwner,
        _ if runs => return None,
        _ => RefusalCode::NotRunning,
    };
    Some(because(code, state))
}
