//! Read-only CCW format. STUB: replaced by the real reader.

use crate::control::Situation;
use crate::format::FileFacts;
use crate::view::{Companion, LoopDetail};

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
