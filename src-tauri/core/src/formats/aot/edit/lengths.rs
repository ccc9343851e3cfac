//! Texts are written in full or not at all: one that is too long for its field is refused, with the limit.

use super::long_result::LONGEST_RESULT;
use super::operation::{AotOperation, Correction, ObjectivePatch};
use super::written::{MAX_REASON, MAX_TEXT};
use crate::refusal::{Refusal, RefusalCode};

/// Refuses a `text` for `field` that is longer than `limit` characters.
pub(crate) fn within(field: &str, text: &str, limit: usize) -> Result<(), Refusal> {
    let length = text.trim().chars().count();
    if length <= limit {
        return Ok(());
    }
    let refusal = Refusal::new(RefusalCode::TooLong).with("field", field);
    Err(refusal.with("limit", limit).with("length", length))
}

/// The reason of a stop.
pub(crate) fn stop_reason(reason: &str) -> Result<(), Refusal> {
    within("stop_reason", reason, MAX_REASON)
}

fn text(field: &str, text: &str) -> Result<(), Refusal> {
    within(field, text, MAX_TEXT)
}

/// All texts that an operation writes.
pub(crate) fn operation(operation: &AotOperation) -> Result<(), Refusal> {
    match operation {
        AotOperation::Resolve { summary, artifacts, .. } => {
            within("summary", summary, LONGEST_RESULT)?; // a long one gets a file of its own
            artifacts.iter().try_for_each(|artifact| text("artifacts", artifact))
        }
        AotOperation::Decompose { children, reason, .. } => {
            text("reason", reason)?;
            children.iter().try_for_each(|child| text("description", &child.description))
        }
        AotOperation::Backtrack { why, .. } => text("reason", why),
        AotOperation::Select { reason, .. } => text("reason", reason),
        AotOperation::Redirect { change, description } => {
            text("description", description)?;
            self::change(change)
        }
        AotOperation::AddAtoms { atoms } => {
            atoms.iter().try_for_each(|atom| text("description", &atom.description))
        }
        AotOperation::StartAtoms { .. }
        | AotOperation::ReleaseOrphans
        | AotOperation::EndRound
        | AotOperation::Fail { .. }
        | AotOperation::ResolveContainers
        | AotOperation::ResetInProgress
        | AotOperation::Complete
        | AotOperation::HoldForRedirect
        | AotOperation::HandOver { .. }
        | AotOperation::ReleaseHold => Ok(()),
    }
}

fn change(change: &Correction) -> Result<(), Refusal> {
    match change {
        Correction::Objective(patch) => objective(patch),
        Correction::AddAtom(atom) => text("description", &atom.description),
        Correction::EditAtom { description, .. } => {
            description.iter().try_for_each(|description| text("description", description))
        }
        Correction::Decompose { children, reason, .. } => {
            text("reason", reason)?;
            children.iter().try_for_each(|child| text("description", &child.description))
        }
        Correction::ForceSelection { reason, .. } => text("reason", reason),
        Correction::Constraints(_) | Correction::DeleteAtom { .. } | Correction::Redo { .. } => Ok(()),
    }
}

fn objective(patch: &ObjectivePatch) -> Result<(), Refusal> {
    let texts = [
        ("goal", &patch.goal),
        ("background_intent", &patch.background_intent),
        ("deliverables", &patch.deliverables),
        ("definition_of_done", &patch.definition_of_done),
    ];
    // Texts of the completion check are checked where it is written.
    texts
        .into_iter()
        .filter_map(|(field, new)| Some((field, new.as_ref()?)))
        .try_for_each(|(f, t)| text(f, t))
}
