//! Allowed values in the forms of a Ralph loop (the Ralph contract §3).

use crate::forms::Bounds;

/// Allowed values of `max`.
pub const ITERATIONS: Bounds = Bounds { least: 1, most: 1_000 };
/// The limit of a loop that names none.
pub const USUAL_ITERATIONS: u32 = 20;
