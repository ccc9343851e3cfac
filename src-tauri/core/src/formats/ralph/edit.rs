//! What verbs and the driver write: values of the status line, nothing else (the Ralph contract §4, §5).

use super::check::{RalphState, summary_of};
use super::forms::ITERATIONS;
use super::operation::RalphOperation;
use super::read::Todo;
use crate::control::{Intent, MetadataPatch, Situation};
use crate::format::FileFacts;
use crate::formats::ccw::check::rules;
use crate::lineage::{ControlFields, Version, hash};
use crate::refusal::{Refusal, RefusalCode, bad_value, not_editable};
use crate::status::{FileStatus, StatusWord};
use crate::summary::Summary;
use loopdeck_text::text_edit::{self, TextEdit};

/// New values of the status line; absent ones stay.
#[derive(Clone, Copy, Debug, Default)]
struct LineChange {
    status: Option<&'static str>,
    iteration: Option<u32>,
    max: Option<u32>,
}

impl LineChange {
    fn status(word: &'static str) -> Self {
        Self { status: Some(word), ..Self::default() }
    }
}

/// The text edits that carry out `intent` on `bytes`.
///
/// # Errors
/// A refusal when the intent is illegal for this state or the line cannot be edited safely.
pub fn edit(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let todo = read(bytes)?;
    if let Some(refusal) = rules::refuse_intent(&summary_of(&todo, facts), intent, situation) {
        return Err(refusal);
    }
    let change = match intent {
        Intent::Start => LineChange::status("running"),
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            LineChange { max: *raise_limit_to, ..LineChange::status("running") }
        }
        Intent::Pause => LineChange::status("paused"),
        Intent::Stop { .. } => LineChange::status("stopped"),
        Intent::LaunchFailed { .. } => LineChange::status("failed"),
        Intent::EditMetadata(patch) => limit_of(patch)?,
        Intent::Finalise | Intent::Repair(_) | Intent::Operate(_) => {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        }
    };
    written(bytes, &todo, change)
}

/// The text edits that carry out a step of the driver.
///
/// # Errors
/// A refusal when the step is illegal for this state or the line cannot be edited safely.
pub fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &RalphOperation,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let todo = read(bytes)?;
    gate(&summary_of(&todo, facts), &todo, operation, situation)?;
    let change = match *operation {
        RalphOperation::Complete if !todo.is_done() => return Err(Refusal::new(RefusalCode::WrongStep)),
        RalphOperation::Complete => LineChange::status("completed"),
        RalphOperation::Iterated { iteration, max } => {
            let dropped = todo.status_lines.is_empty();
            LineChange {
                iteration: Some(iteration),
                status: dropped.then_some("running"),
                max: dropped.then_some(max),
            }
        }
    };
    written(bytes, &todo, change)
}

/// Why the driver must not write now. An iteration that ended is still counted in a loop that was paused or ended meanwhile, and in a list
/// whose status line its agent dropped.
fn gate(
    summary: &Summary,
    todo: &Todo<'_>,
    operation: &RalphOperation,
    situation: &Situation,
) -> Result<(), Refusal> {
    if let Some(code) = rules::damage(summary) {
        return Err(Refusal::because(code, summary));
    }
    let counts = matches!(operation, RalphOperation::Iterated { .. });
    let takes = counts && rules::takes_result(summary.status) && rules::is_ours_alive(situation);
    let code = match summary.status {
        FileStatus::Running if situation.shown == StatusWord::RunningElsewhere => RefusalCode::ForeignOwner,
        FileStatus::Running => return Ok(()),
        _ if takes => return Ok(()),
        FileStatus::NotStarted if counts && todo.status_lines.is_empty() => return Ok(()),
        FileStatus::NotStarted | FileStatus::Paused => RefusalCode::NotRunning,
        _ => RefusalCode::Finished,
    };
    Err(Refusal::because(code, summary))
}

fn read(bytes: &[u8]) -> Result<Todo<'_>, Refusal> {
    Todo::read(bytes).map_err(|_| Refusal::new(RefusalCode::DamagedFile))
}

/// The limit is all that is kept apart from the text.
fn limit_of(patch: &MetadataPatch) -> Result<LineChange, Refusal> {
    let MetadataPatch { title, description, max_iterations, tags, priority, notes } = patch;
    let others =
        [title.is_some(), description.is_some(), tags.is_some(), priority.is_some(), notes.is_some()];
    if others.contains(&true) {
        return Err(Refusal::new(RefusalCode::NotInFormat));
    }
    Ok(LineChange { max: *max_iterations, ..LineChange::default() })
}

/// The edits, once the file was read back and says what was meant.
fn written(bytes: &[u8], todo: &Todo<'_>, change: LineChange) -> Result<Vec<TextEdit>, Refusal> {
    if change.max.is_some_and(|max| !ITERATIONS.accepts(max)) {
        return Err(bad_value("max_iterations"));
    }
    let edits = edits(todo, change);
    let refused = || not_editable("loop");
    let after = text_edit::apply(bytes, &edits).map_err(|_| refused())?;
    let (was, is) = (RalphState::of(todo), read(&after)?);
    let said = RalphState::of(&is);
    let meant = (
        change.status.unwrap_or(was.word),
        change.iteration.unwrap_or(was.iteration),
        change.max.unwrap_or(was.max),
    );
    let boxes = |list: &Todo<'_>| (list.items.len(), list.done(), list.lookalikes.len());
    let is_meant = (said.word, said.iteration, said.max) == meant && boxes(&is) == boxes(todo);
    if is_meant { Ok(edits) } else { Err(refused()) }
}

fn edits(todo: &Todo<'_>, change: LineChange) -> Vec<TextEdit> {
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let values = [
        ("status", change.status.map(str::to_owned)),
        ("iteration", number(change.iteration)),
        ("max", number(change.max)),
    ];
    let Some(there) = todo.status_lines.first() else {
        let was = RalphState::of(todo);
        let new = line(
            change.status.unwrap_or("pending"),
            change.iteration.unwrap_or(was.iteration),
            change.max.unwrap_or(was.max),
        );
        let end = if todo.text.contains("\r\n") { "\r\n" } else { "\n" };
        return vec![TextEdit::insert(todo.top, format!("{new}{end}"))];
    };
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    given
        .filter_map(|(key, value)| match todo.field(key) {
            Some(field) if field.value == value => None,
            Some(field) => Some(TextEdit::replace(field.range.clone(), value)),
            None => Some(TextEdit::insert(there.end, format!(" {key}={value}"))),
        })
        .collect()
}

/// A status line.
pub(crate) fn line(status: &str, iteration: u32, max: u32) -> String {
    format!("<!-- loop: status={status} iteration={iteration} max={max} -->")
}

/// What shows where a version comes from: the status belongs to the verbs, everything else to the work.
pub(crate) fn version(bytes: &[u8]) -> Option<Version> {
    let todo = Todo::read(bytes).ok()?;
    let state = RalphState::of(&todo);
    let at = todo.field("status").map_or(0..0, |field| field.range.clone());
    Some(Version {
        bytes: hash(bytes),
        identity: None,
        control: ControlFields { status: state.word.to_lowercase(), ..ControlFields::default() },
        ended: None,
        written: None,
        work: hash(&(&bytes[..at.start], &bytes[at.end..])),
        counts: vec![state.iteration.into()],
    })
}
