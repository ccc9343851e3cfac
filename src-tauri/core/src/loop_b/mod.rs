//! CCW Loop-B: a coordinator with workers (the CCW contract §8).

pub mod edit;

pub use crate::ccw_v2::controls::controls;
pub use crate::ccw_v2::rules::{refuse, standing};
pub use edit::edit;

use crate::control::Situation;
use crate::format::FileFacts;
use crate::view::{Companion, LoopDetail, TestRow};

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let _ = (bytes, facts, situation, companions);
    LoopDetail::default()
}

/// Single test rows of run `run` (0-based, oldest first).
#[must_use]
pub fn test_rows(bytes: &[u8], run: usize) -> Vec<TestRow> {
    let _ = (bytes, run);
    Vec::new()
}
