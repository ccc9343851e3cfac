//! What each verb writes: the keys of Loop v2 (the CCW contract §5.1); Loop-B files have no labels.

use crate::control::{Intent, Situation};
use crate::format::{FileFacts, Format};
use crate::formats::ccw_v2::edit::edit_as;
use crate::refusal::Refusal;
use loopdeck_text::text_edit::TextEdit;

/// Metadata that Loop-B files have.
pub(crate) const METADATA: &[&str] = &["title", "description", "max_iterations"];

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
    edit_as(Format::LoopB, METADATA, bytes, facts, intent, situation)
}
