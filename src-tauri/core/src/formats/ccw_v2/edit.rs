//! What each verb writes (the CCW contract §5.1): exactly those keys, nothing else. For Loop v2 and Loop-B.

pub mod repair;
pub mod task_list;
use super::forms::{ITERATIONS, STEPS, takes_title};
use crate::control::{Intent, MetadataPatch, Situation};
use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::check::rules;
use crate::formats::ccw::read::master::Master;
use crate::formats::ccw::read::words::{LAUNCH_FAILED, STOPPED_BY_USER};
use crate::refusal::{Refusal, RefusalCode};
use crate::times;
use loopdeck_text::json_span::change::{Change, NewValue};
use loopdeck_text::json_span::splice::{Outline, SpliceError};
use loopdeck_text::text_edit::TextEdit;

/// Metadata that Loop v2 files have.
pub(crate) const METADATA: &[&str] = &["title", "description", "max_iterations", "tags", "priority", "notes"];

/// The documented order of the keys (§2), up to the last one that an edit may insert.
const ORDER: &[&str] = &[
    "loop_id",
    "title",
    "description",
    "max_iterations",
    "status",
    "current_iteration",
    "created_at",
    "updated_at",
    "completed_at",
    "failure_reason",
    "tags",
    "priority",
    "notes",
];

/// The text edits that carry out `intent` on `bytes`. One pass over the file.
///
/// # Errors
/// A refusal when the intent is illegal for this state or the field cannot be edited safely.
pub fn edit(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    edit_as(Format::LoopV2, METADATA, bytes, facts, intent, situation)
}

/// [`edit`] for a format that shares the verbs; `editable` names its metadata.
pub(crate) fn edit_as(
    format: Format,
    editable: &[&str],
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let damaged = || Refusal::new(RefusalCode::DamagedFile);
    let outline = Outline::read(bytes, &[]).map_err(|_| damaged())?;
    let master = Master::of_outline(&outline).map_err(|_| damaged())?;
    if ccw::kind(&master, facts.stem) != Some(format) {
        return Err(Refusal::new(RefusalCode::ReadOnlyFormat));
    }
    let summary = ccw::summarise(&master, format, facts, bytes);
    if let Some(refusal) = rules::refuse_intent(&summary, intent, situation) {
        return Err(refusal);
    }
    let changes = changes(intent, editable, &times::to_iso_millis(situation.now))?;
    outline.edit(&changes).map_err(|error| match error {
        SpliceError::DuplicateKey(key) => Refusal::new(RefusalCode::NotEditable).with("field", key),
        _ => Refusal::new(RefusalCode::NotEditable),
    })
}

fn changes(intent: &Intent, editable: &[&str], now: &str) -> Result<Vec<Change<'static>>, Refusal> {
    match intent {
        Intent::Start => Ok(run(None, now)),
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            Ok(run(*raise_limit_to, now))
        }
        Intent::Pause => Ok(vec![set("status", "paused"), set("updated_at", now)]),
        // The reason is fixed: the skill and the table of §4 know only this one.
        Intent::Stop { .. } => Ok(vec![
            set("status", "failed"),
            set("updated_at", now),
            set("failure_reason", STOPPED_BY_USER),
            set("completed_at", now),
        ]),
        Intent::LaunchFailed { why } => {
            let why: String = why.lines().next().unwrap_or_default().trim().chars().take(500).collect();
            Ok(vec![
                set("status", "failed"),
                set("updated_at", now),
                placed("failure_reason", NewValue::Text(format!("{LAUNCH_FAILED}: {why}"))),
                set("completed_at", now),
            ])
        }
        Intent::EditMetadata(patch) => metadata(patch, editable, now),
        Intent::Finalise | Intent::Repair(_) | Intent::Operate(_) => {
            Err(Refusal::new(RefusalCode::NotInFormat))
        }
    }
}

/// Start, resume and reopen write the same (§5.1); they remove a stale end.
fn run(raise_limit_to: Option<u32>, now: &str) -> Vec<Change<'static>> {
    let mut changes = vec![set("status", "running"), set("updated_at", now)];
    if let Some(limit) = raise_limit_to {
        changes.push(placed("max_iterations", NewValue::Integer(limit)));
    }
    changes.push(Change::Remove { key: "completed_at" });
    changes.push(Change::Remove { key: "failure_reason" });
    changes
}

/// The changes of a details form.
///
/// # Errors
/// `BadValue`, `NotInFormat`, with the field.
pub(crate) fn metadata(
    patch: &MetadataPatch,
    editable: &[&str],
    now: &str,
) -> Result<Vec<Change<'static>>, Refusal> {
    let mut changes = Vec::new();
    if let Some(title) = &patch.title {
        let title = title.trim();
        valid("title", takes_title(title))?;
        changes.push(placed("title", NewValue::Text(title.to_owned())));
    }
    if let Some(description) = &patch.description {
        changes.push(placed("description", NewValue::Text(description.clone())));
    }
    if let Some(limit) = patch.max_iterations {
        valid("max_iterations", ITERATIONS.accepts(limit))?;
        changes.push(placed("max_iterations", NewValue::Integer(limit)));
    }
    if let Some(tags) = &patch.tags {
        valid("tags", tags.iter().all(|tag| !tag.trim().is_empty()))?;
        let tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
        changes.push(label("tags", (!tags.is_empty()).then_some(NewValue::Texts(tags))));
    }
    if let Some(priority) = &patch.priority {
        valid("priority", priority.is_empty() || STEPS.priorities.contains(&priority.as_str()))?;
        changes.push(label("priority", text(priority)));
    }
    if let Some(notes) = &patch.notes {
        changes.push(label("notes", text(notes)));
    }
    if let Some(change) = changes.iter().find(|change| !editable.contains(&change.key())) {
        return Err(Refusal::new(RefusalCode::NotInFormat).with("field", change.key()));
    }
    if !changes.is_empty() {
        changes.push(set("updated_at", now));
    }
    Ok(changes)
}

pub(crate) fn valid(field: &str, is_valid: bool) -> Result<(), Refusal> {
    if is_valid { Ok(()) } else { Err(Refusal::new(RefusalCode::BadValue).with("field", field)) }
}

fn text(text: &str) -> Option<NewValue> {
    (!text.is_empty()).then(|| NewValue::Text(text.to_owned()))
}

fn set(key: &'static str, text: &str) -> Change<'static> {
    Change::Set { key, value: NewValue::Text(text.to_owned()), after: None }
}

/// Sets the value, and inserts it at its documented position when absent.
pub(crate) fn placed(key: &'static str, value: NewValue) -> Change<'static> {
    let place = ORDER.iter().position(|&name| name == key).unwrap_or(ORDER.len());
    Change::Set { key, value, after: Some(&ORDER[..place]) }
}

/// A label is removed when emptied.
fn label(key: &'static str, value: Option<NewValue>) -> Change<'static> {
    match value {
        Some(value) => placed(key, value),
        None => Change::Remove { key },
    }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
