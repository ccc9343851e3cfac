//! CCW Loop v2. STUB: replaced by the real format.

use crate::control::{Control, Intent, Refusal, RefusalCode, Situation, Standing, Verb};
use crate::format::{FileFacts, Summary};
use crate::text_edit::TextEdit;
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

/// Why `verb` is not legal now; `None` when it is.
#[must_use]
pub fn refuse(summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
    let _ = (summary, verb, situation);
    Some(Refusal::new(RefusalCode::ReadOnlyFormat))
}

/// Verbs with their sentences and reasons.
#[must_use]
pub fn controls(summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
    let _ = (summary, facts, situation);
    Vec::new()
}

/// The text edits that carry out `intent` on `bytes`.
///
/// # Errors
/// A refusal when the intent is illegal for this state or the field cannot be edited safely.
pub fn edit(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let _ = (bytes, facts, intent, situation);
    Err(Refusal::new(RefusalCode::ReadOnlyFormat))
}

/// Whether a guarded verb still stands in what the file says now.
#[must_use]
pub fn standing(summary: &Summary, verb: Verb) -> Standing {
    let _ = (summary, verb);
    Standing::Answered
}
