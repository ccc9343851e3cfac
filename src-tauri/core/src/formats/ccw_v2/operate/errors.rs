//! `skill_state.errors`: one entry for each action that failed (the CCW contract §2; seeds 000 and 001, "errors").

use super::stage::OperationInputs;
use crate::formats::ccw::drive::Edits;
use crate::formats::ccw::progress_docs::records::ActionError;
use crate::outcome::FileChanges;
use crate::refusal::Refusal;
use crate::times;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::shorten;

/// Most entries that are kept, the newest.
const MOST: usize = 100;
/// Characters of a message.
const LONGEST: usize = 2_000;

const ERRORS: &[&str] = &["skill_state", "errors"];

/// Actions that failed without their own round.
pub(crate) fn failed(stage: &OperationInputs<'_>, errors: &[ActionError]) -> Result<FileChanges, Refusal> {
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    let entry = |error: &ActionError| entry(&error.action, &error.message, times::to_iso_millis(error.at));
    push(stage, &mut edits, &errors.iter().map(entry).collect::<Vec<_>>())?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

/// An action that failed in this round.
pub(crate) fn failed_now(
    stage: &OperationInputs<'_>,
    edits: &mut Edits<'_>,
    action: &str,
    message: &str,
) -> Result<(), Refusal> {
    push(stage, edits, &[entry(action, message, stage.now.clone())])
}

fn entry(action: &str, message: &str, time: String) -> Json {
    Json::object(vec![
        ("action", Json::text(action)),
        ("message", Json::text(shorten(message, LONGEST))),
        ("timestamp", Json::text(time)),
    ])
}

/// New entries after the existing ones; if there are too many, the oldest are dropped.
fn push(stage: &OperationInputs<'_>, edits: &mut Edits<'_>, new: &[Json]) -> Result<(), Refusal> {
    let there = stage.state.skill.get("errors").items().len();
    let old = (there + new.len()).saturating_sub(MOST).min(there.saturating_sub(1));
    if old > 0 {
        edits.remove(ERRORS, |index| index < old)?;
    }
    edits.push(ERRORS, new)
}
