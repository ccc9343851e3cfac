//! CCW Loop v2, Claude and Codex flavours (the CCW contract §2 to §7).
//!
//! [`rules`] and [`edit`] also serve Loop-B, whose verbs are the same.

pub mod controls;
pub mod edit;
pub mod rules;

pub use controls::controls;
pub use edit::edit;
pub use rules::{refuse, standing};

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
