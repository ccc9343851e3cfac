//! What the forms of an AoT loop may say (AoT contract §4, §11).

use super::base_case::CheckKind;
use crate::forms::Bounds;
use serde::Serialize;

/// Words and bounds of the forms of an AoT loop.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepForms {
    /// Checks that need no judge, the one that a form begins with first (§11).
    pub check_kinds: [CheckKind; 5],
    /// Every limit of the objective is at least this (§4).
    pub least_limit: u32,
}

/// `max_iterations` of a new loop (§4).
pub const ITERATIONS: Bounds = Bounds { least: 1, most: 10_000 };
/// `max_iterations` of a loop for which nobody said one (§4).
pub const USUAL_ITERATIONS: u32 = 20;

/// What the forms of an AoT loop may say.
pub const STEPS: StepForms = StepForms { check_kinds: CheckKind::ALL, least_limit: 1 };
