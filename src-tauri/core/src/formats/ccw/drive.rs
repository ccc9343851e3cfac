//! What both drivers share: the gate before an operation, edits of several objects of one master, texts for companions.

use crate::control::Situation;
use crate::driver::{EndReason, UsedUp};
use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::check::rules;
use crate::refusal::{Refusal, RefusalCode};
use crate::status::{FileStatus, StatusWord};
use crate::summary::Summary;
use crate::times::Timestamp;
use loopdeck_text::json_span::change::{Change, NewValue, Step};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::lists::Items;
use loopdeck_text::json_span::splice::{SpliceError, edit_object};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::{self, TextEdit};

/// Why a driver must not touch this loop now; the loop must run, and be ours.
pub(crate) fn gate(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let refuse = |code| Err(Refusal::because(code, &summary));
    if let Some(code) = rules::damage(&summary) {
        return refuse(code);
    }
    match summary.status {
        _ if summary.format != format => refuse(RefusalCode::ReadOnlyFormat),
        FileStatus::Running if situation.shown == StatusWord::RunningElsewhere => {
            refuse(RefusalCode::ForeignOwner)
        }
        FileStatus::Running => Ok(summary),
        FileStatus::NotStarted | FileStatus::Paused => refuse(RefusalCode::NotRunning),
        _ => refuse(RefusalCode::Finished),
    }
}

/// Like [`gate`], for the result of an action. A pause takes effect before the next action, and another tool may have ended the loop
/// meanwhile (the CCW contract §6): the work that was done is still written, and the status stays.
pub(crate) fn gate_at_end(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let takes = rules::takes_result(summary.status) && rules::is_ours_alive(situation);
    let is_sound = rules::damage(&summary).is_none() && summary.format == format;
    if takes && is_sound { Ok(summary) } else { gate(bytes, format, facts, situation) }
}

/// The gate for what a driver writes when it exits because its loop is paused (seed 001, `pause_exit`).
pub(crate) fn gate_paused(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let refuse = |code| Err(Refusal::because(code, &summary));
    if let Some(code) = rules::damage(&summary) {
        return refuse(code);
    }
    let is_seen = matches!(situation.shown, StatusWord::Paused | StatusWord::Pausing);
    match summary.status {
        _ if summary.format != format => refuse(RefusalCode::ReadOnlyFormat),
        FileStatus::Paused if is_seen => Ok(summary),
        _ => refuse(RefusalCode::NotPaused),
    }
}

/// The loop, when a driver may act on it: the control signals, read at the start of every action (the CCW contract §6).
pub(crate) fn check_drivable(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
) -> Result<Summary, EndReason> {
    let summary = ccw::summary(bytes, facts).ok_or(EndReason::NotOurs)?;
    if rules::damage(&summary).is_some() {
        return Err(EndReason::Damaged);
    }
    match summary.status {
        _ if summary.format != format => Err(EndReason::NotOurs),
        FileStatus::Running => Ok(summary),
        FileStatus::NotStarted => Err(EndReason::NotStarted),
        FileStatus::Paused => Err(EndReason::Paused),
        FileStatus::StoppedByUser => Err(EndReason::Stopped),
        FileStatus::Completed => Err(EndReason::Completed),
        FileStatus::UserExit => Err(EndReason::Left),
        FileStatus::LimitReached => Err(EndReason::Limit { limit: UsedUp::Iterations }),
        FileStatus::Failed => Err(EndReason::Failed),
        FileStatus::Unknown | FileStatus::Unreadable => Err(EndReason::Damaged),
    }
}

/// The loop at the end of an action: what was done before a pause or another tool's end took effect is kept.
pub(crate) fn stand_at_end(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
) -> Result<Summary, EndReason> {
    use EndReason as E;
    match check_drivable(bytes, format, facts) {
        Err(E::Paused | E::Completed | E::Failed | E::Left) => ccw::summary(bytes, facts).ok_or(E::NotOurs),
        other => other,
    }
}

/// The situation in which what an action came to is written.
pub(crate) fn situation_at_end(summary: &Summary, facts: &FileFacts<'_>) -> Situation {
    let shown = match summary.status {
        FileStatus::Running => StatusWord::Running,
        FileStatus::Paused => StatusWord::Pausing,
        _ => StatusWord::Finishing,
    };
    Situation { shown, now: facts.now }
}

/// Edits of one master, gathered object by object.
pub(crate) struct Edits<'b> {
    bytes: &'b [u8],
    edits: Vec<TextEdit>,
}

impl<'b> Edits<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, edits: Vec::new() }
    }

    /// Sets members of the object at `path`; new ones go at its end.
    pub(crate) fn set(&mut self, path: &[&str], values: Vec<(&str, Json)>) -> Result<(), Refusal> {
        let changes: Vec<_> = values
            .into_iter()
            .map(|(key, value)| Change::Set { key, value: NewValue::Json(value), after: None })
            .collect();
        let steps: Vec<_> = path.iter().map(|key| Step::Key(key)).collect();
        if !changes.is_empty() {
            self.edits.extend(edit_object(self.bytes, &steps, &changes).map_err(|error| refusal(&error))?);
        }
        Ok(())
    }

    /// Sets members of single items of the array at `path`.
    pub(crate) fn set_items(
        &mut self,
        path: &[&str],
        values: Vec<(usize, Vec<(&str, Json)>)>,
    ) -> Result<(), Refusal> {
        if values.is_empty() {
            return Ok(());
        }
        let items = self.items(path)?.ok_or_else(|| not_editable(path))?;
        for (index, values) in values {
            let changes: Vec<_> = values
                .into_iter()
                .map(|(key, value)| Change::Set { key, value: NewValue::Json(value), after: None })
                .collect();
            let outline = items.outline(index).map_err(|error| refusal(&error))?;
            self.edits.extend(outline.edit(&changes).map_err(|error| refusal(&error))?);
        }
        Ok(())
    }

    /// Removes items from the array at `path`.
    pub(crate) fn remove(&mut self, path: &[&str], removed: impl Fn(usize) -> bool) -> Result<(), Refusal> {
        if let Some(items) = self.items(path)? {
            self.edits.extend(items.remove(removed));
        }
        Ok(())
    }

    /// Appends to the array at `path`, or creates it.
    pub(crate) fn push(&mut self, path: &[&str], new: &[Json]) -> Result<(), Refusal> {
        let Some((key, parent)) = path.split_last().filter(|_| !new.is_empty()) else { return Ok(()) };
        match self.items(path)? {
            Some(items) => self.edits.push(items.append(new).map_err(|error| refusal(&error))?),
            None if self.holds_something(path) => return Err(not_editable(path)),
            None => self.set(parent, vec![(*key, Json::List(new.to_vec()))])?,
        }
        Ok(())
    }

    /// Whether there is a value other than null at `path`: nothing that others wrote is replaced by a new
    /// container.
    pub(crate) fn holds_something(&self, path: &[&str]) -> bool {
        let root = Node::parse(self.bytes).unwrap_or_else(|_| Node::null());
        !path.iter().fold(&root, |node, key| node.get(key)).is_null()
    }

    fn items(&self, path: &[&str]) -> Result<Option<Items<'b>>, Refusal> {
        let steps: Vec<_> = path.iter().map(|key| Step::Key(key)).collect();
        Items::read(self.bytes, &steps).map_err(|error| refusal(&error))
    }

    /// The edits, provided they fit together and the result is JSON.
    pub(crate) fn finish(self) -> Result<Vec<TextEdit>, Refusal> {
        let unsafe_edit = || Refusal::new(RefusalCode::NotEditable);
        let edited = text_edit::apply(self.bytes, &self.edits).map_err(|_| unsafe_edit())?;
        Node::parse(&edited).map_err(|_| unsafe_edit())?;
        Ok(self.edits)
    }
}

pub(crate) fn not_editable(path: &[&str]) -> Refusal {
    Refusal::new(RefusalCode::NotEditable).with("field", path.join("."))
}

/// The refusal for a failed splice.
pub(crate) fn refusal(error: &SpliceError) -> Refusal {
    match error {
        SpliceError::Damaged(_) => Refusal::new(RefusalCode::DamagedFile),
        SpliceError::DuplicateKey(key) => Refusal::new(RefusalCode::NotEditable).with("field", key),
        SpliceError::NoObject | SpliceError::Unsafe => Refusal::new(RefusalCode::NotEditable),
    }
}

/// The duration of a loop, in milliseconds: the time at work, or else the time since it was created; and
/// which of the two.
pub(crate) fn took(worked_ms: Option<f64>, summary: &Summary, now: Timestamp) -> (Option<f64>, bool) {
    let worked_ms = worked_ms.filter(|took| took.is_finite() && *took >= 0.0);
    #[allow(clippy::cast_precision_loss)] // milliseconds of years are exact in f64
    let age_ms = summary.created.map(|created| (now - created).num_milliseconds() as f64);
    (worked_ms.or(age_ms), worked_ms.is_none())
}
