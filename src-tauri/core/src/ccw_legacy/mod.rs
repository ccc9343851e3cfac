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

/// What a list shows of a legacy session's `state.json`.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> crate::format::Summary {
    let _ = bytes;
    crate::format::Summary::empty(
        crate::format::Format::Legacy,
        facts.stem,
        crate::status::FileStatus::Unknown,
    )
}
