//! Allowed values in the forms of an AoT loop (AoT contract §4, §11).

use crate::checklist::wanted::CheckKind;
use crate::forms::Bounds;
use serde::Serialize;

/// Words and bounds of the forms of an AoT loop.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AotForms {
    /// Checks that need no judge, the form's default first (§11).
    pub check_kinds: [CheckKind; 5],
    /// The minimum of every limit of the objective (§4).
    pub least_limit: u32,
    /// Default of `max_parallel_agents` and `max_stall_count`.
    pub usual_limit: u32,
    /// Most first atoms.
    pub most_atoms: usize,
}

/// `max_iterations` of a new loop (§4).
pub const ITERATIONS: Bounds = Bounds { least: 1, most: 10_000 };
/// Default of `max_iterations` (§4).
pub const USUAL_ITERATIONS: u32 = 20;

/// Default of `max_parallel_agents` and `max_stall_count` (§1.2).
pub const USUAL_LIMIT: u32 = 3;
/// Most first atoms.
pub const MAX_ATOMS: usize = 200;

/// Allowed values in the forms of an AoT loop.
pub const STEPS: AotForms = AotForms {
    check_kinds: CheckKind::IN_FILE,
    least_limit: 1,
    usual_limit: USUAL_LIMIT,
    most_atoms: MAX_ATOMS,
};
