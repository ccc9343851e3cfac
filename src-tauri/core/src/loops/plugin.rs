//! The door to what the plugin of a format reads: whether a file may be given to it, and what it continues from.

use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::aot;
use crate::refusal::Refusal;
use crate::step::Operation;

pub use crate::formats::aot::{is_held, is_read_by_plugin, shell_value};

/// What hands the loop over; `None` when the file says it already.
///
/// # Errors
/// A refusal when the loop cannot be handed over.
pub fn hand_over(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    raise_limit_to: Option<u32>,
    situation: &Situation,
) -> Result<Option<Operation>, Refusal> {
    Ok(aot::hand_over(bytes, facts, raise_limit_to, situation)?.map(|step| Operation::Aot { step }))
}
