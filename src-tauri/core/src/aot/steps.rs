//! Which steps of the work are possible now (AoT contract §7, §9.5), and who may take them.

use super::operation::Operation;
use super::rules::{Owner, because, owner};
use super::state::State;
use crate::control::{Refusal, RefusalCode, Situation};
use crate::step::{StepCode, StepOffer};

/// Steps of the driver: they follow a running loop and are not taken beside somebody else's agent.
const DRIVER: [StepCode; 8] = [
    StepCode::AotStartAtoms,
    StepCode::AotResolve,
    StepCode::AotFail,
    StepCode::AotDecompose,
    StepCode::AotResolveContainers,
    StepCode::AotBacktrack,
    StepCode::AotSelect,
    StepCode::AotComplete,
];

/// All steps, each with the reason why not now.
pub(super) fn steps(state: &State<'_>, damaged: Option<&Refusal>, situation: &Situation) -> Vec<StepOffer> {
    let offer = |step| {
        let refusal = damaged.cloned().or_else(|| refuse(step, state, situation));
        StepOffer { step, refusal }
    };
    let persons =
        [StepCode::AotRedirect, StepCode::AotHold, StepCode::AotReleaseHold, StepCode::AotResetInProgress];
    persons.into_iter().chain(DRIVER).map(offer).collect()
}

/// Why `operation` must not be carried out now, whatever it is about.
pub(super) fn refuse_operation(
    operation: &Operation,
    state: &State<'_>,
    situation: &Situation,
) -> Option<Refusal> {
    let step = match operation {
        Operation::Redirect { .. } => StepCode::AotRedirect,
        Operation::HoldForRedirect => StepCode::AotHold,
        Operation::ReleaseHold => StepCode::AotReleaseHold,
        Operation::ResetInProgress => StepCode::AotResetInProgress,
        _ => StepCode::AotResolve,
    };
    refuse(step, state, situation)
}

fn refuse(step: StepCode, state: &State<'_>, situation: &Situation) -> Option<Refusal> {
    let control = &state.control;
    let runs = control.status == "running";
    let owner = if runs { owner(situation.shown) } else { Owner::Nobody };
    let code = match (step, owner) {
        // What an agent does beside a change of direction would be lost: it holds first.
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
