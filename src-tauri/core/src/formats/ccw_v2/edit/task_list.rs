//! Changes to the task list (the CCW contract §12): lossless on its bytes. Every change also splits glued
//! lines and restores the last newline; unreadable parts stay where they are.

use crate::formats::ccw::drive::refusal;
use crate::formats::ccw_v2::forms::{TASKS, takes_tool};
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::times::{Timestamp, to_iso_millis};
use loopdeck_text::almost_json;
use loopdeck_text::json_span::change::{Change, NewValue};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::splice::Outline;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::TextEdit;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;
use std::ops::Range;

/// A person's change to the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum TaskEdit {
    /// After all others.
    Add {
        /// `task-<epoch ms>-<8 hex>`, not yet in the list; if empty, the writer creates one.
        id: String,
        /// Its content.
        task: TaskFields,
    },
    /// A task gets new values.
    Edit {
        /// Which one.
        id: String,
        /// All of its fields; unchanged ones are not written.
        task: TaskFields,
    },
    /// A new order; tasks that are not named follow in their current order.
    Reorder {
        /// Ids from first to last.
        ids: Vec<String>,
    },
    /// Removes a task.
    Delete {
        /// Which one.
        id: String,
    },
}

/// The fields of a task that a person can set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TaskFields {
    /// What to do; not blank.
    pub description: String,
    /// `gemini`, `qwen`, `codex`, `claude`, `bash`, or `custom:<id>` for a custom agent; empty means the
    /// loop's agent, and the file has no such key.
    pub tool: String,
    /// `analysis`, `write`, `review`.
    pub mode: String,
    /// Prompt.
    pub prompt_template: String,
    /// Command, if any.
    pub command: Option<String>,
    /// `continue`, `pause`, `fail_fast`, if any.
    pub on_error: Option<String>,
}

/// Possible locations of a task list: the one that the seeds name, and the one that upstream's server reads. A list stays where it is.
/// A new one goes to the first, unless the folder of the second exists.
#[must_use]
pub fn places(stem: &str) -> [String; 2] {
    [format!("{stem}.tasks.jsonl"), format!("{stem}/tasks.jsonl")]
}

/// The edits of one task list file; an absent file is empty.
///
/// # Errors
/// A refusal when the task is missing or repeated, or a value is outside what the form allows.
pub fn edit(bytes: &[u8], edit: &TaskEdit, now: Timestamp) -> Result<Vec<TextEdit>, Refusal> {
    let list = List::read(bytes);
    let now = to_iso_millis(now);
    let mut deleted = None;
    let mut edits = Vec::new();
    match edit {
        TaskEdit::Add { id, task } => {
            check(task, None)?;
            if !loopdeck_agents::answers::is_id(id) || list.values.iter().any(|value| value.id == *id) {
                return Err(bad_value("task_id"));
            }
            let text = list.new_line(id, task, &now);
            edits.push(TextEdit::insert(bytes.len(), text));
        }
        TaskEdit::Edit { id, task } => {
            let value = list.only(id)?;
            check(task, Node::parse(&bytes[value.span.clone()]).ok().as_ref())?;
            edits = value_edits(bytes, value, &field_changes(bytes, value, task, &now))?;
        }
        TaskEdit::Reorder { ids } => edits = reorder(bytes, &list, ids, &now)?,
        TaskEdit::Delete { id } => deleted = Some(list.only(id)?),
    }
    let mut all = list.with_line_end(bytes);
    all.extend(list.split(bytes, deleted.map(|value| value.span.start)));
    all.extend(edits);
    Ok(all)
}

/// Splits glued lines and restores the last newline (W10); nothing else.
#[must_use]
pub fn split_glued(bytes: &[u8]) -> Vec<TextEdit> {
    let list = List::read(bytes);
    let mut edits = list.with_line_end(bytes);
    edits.extend(list.split(bytes, None));
    edits
}

/// A readable task, and its position.
pub(crate) struct Listed {
    pub(crate) id: String,
    order: Option<f64>,
    pub(crate) span: Range<usize>,
    /// The line (0-based) on which it begins, and on which it ends.
    pub(crate) line: usize,
    end_line: usize,
    /// It as one line of strict JSON, when it isn't that in the file.
    pub(crate) corrected: Option<String>,
}

/// The bytes of a task list as values and unreadable parts.
pub(crate) struct List {
    pub(crate) values: Vec<Listed>,
    /// The range of each line, including its newline.
    lines: Vec<Range<usize>>,
    /// Unreadable parts, each with its line (0-based).
    pub(crate) rest: Vec<(usize, Range<usize>)>,
    pub(crate) newline: &'static str,
}

impl List {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let crlf = memchr::memchr(b'\n', bytes).is_some_and(|at| at > 0 && bytes[at - 1] == b'\r');
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut list = Self { values: Vec::new(), lines: Vec::new(), rest: Vec::new(), newline };
        let mut start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at + 1);
            list.lines.push(start..end);
            start = end;
        }
        let text = almost_json::same_places(bytes);
        for record in almost_json::records(&text) {
            let line = usize::try_from(record.line - 1).unwrap_or(usize::MAX);
            let Some(object) = record.object else {
                list.rest.push((line, record.span));
                continue;
            };
            let node = object.node();
            let breaks = memchr::memchr_iter(b'\n', &bytes[record.span.clone()]).count();
            let as_line = object.is_strict() && breaks == 0;
            list.values.push(Listed {
                id: node.get("task_id").text().unwrap_or_default().to_owned(),
                order: node.get("order").lenient_number(),
                corrected: (!as_line).then(|| Json::from_node(&node).compact()),
                span: record.span,
                line,
                end_line: line + breaks,
            });
        }
        list
    }

    /// The task with this id, if there is exactly one.
    fn only(&self, id: &str) -> Result<&Listed, Refusal> {
        let mut found = self.values.iter().filter(|value| value.id == id && !id.is_empty());
        let first = found.next().ok_or_else(|| Refusal::new(RefusalCode::NoSuchTask).with("field", id))?;
        match found.next() {
            Some(_) => Err(Refusal::new(RefusalCode::NotEditable).with("field", "task_id")),
            None => Ok(first),
        }
    }

    fn with_line_end(&self, bytes: &[u8]) -> Vec<TextEdit> {
        let open = self.lines.last().is_some_and(|line| bytes.get(line.end - 1) != Some(&b'\n'));
        if open { vec![TextEdit::insert(bytes.len(), self.newline)] } else { Vec::new() }
    }

    /// One value per line; the value that starts at `deleted` is left out, with its line if nothing else is
    /// on it.
    fn split(&self, bytes: &[u8], deleted: Option<usize>) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut kept_on = None;
        for (index, value) in self.values.iter().enumerate() {
            if deleted == Some(value.span.start) {
                edits.push(TextEdit::replace(self.removed_range(bytes, index), ""));
                continue;
            }
            if kept_on == Some(value.line) {
                edits.push(TextEdit::insert(value.span.start, self.newline));
            }
            kept_on = Some(value.end_line);
        }
        edits
    }

    /// The range removed with a deleted value.
    fn removed_range(&self, bytes: &[u8], index: usize) -> Range<usize> {
        let Listed { span, line, end_line, .. } = &self.values[index];
        let whole = self.lines[*line].start..self.lines[*end_line].end;
        let blank = |range: Range<usize>| bytes[range].iter().all(u8::is_ascii_whitespace);
        if blank(whole.start..span.start) && blank(span.end..whole.end) && bytes[whole.end - 1] == b'\n' {
            return whole;
        }
        match self.values.get(index + 1).filter(|next| next.line == *end_line) {
            Some(next) => span.start..next.span.start,
            None => span.clone(),
        }
    }

    fn new_line(&self, id: &str, task: &TaskFields, now: &str) -> String {
        let last = self.values.iter().filter_map(|value| value.order).fold(-1.0, f64::max);
        let mut members = vec![
            ("task_id", Json::text(id)),
            ("description", Json::text(task.description.trim())),
            ("mode", Json::text(&task.mode)),
            ("prompt_template", Json::text(&task.prompt_template)),
            ("order", Json::number(last.floor() + 1.0)),
            ("created_at", Json::text(now)),
            ("updated_at", Json::text(now)),
        ];
        if !task.tool.is_empty() {
            members.insert(2, ("tool", Json::text(&task.tool)));
        }
        members.extend(task.command.as_deref().map(|command| ("command", Json::text(command))));
        members.extend(task.on_error.as_deref().map(|word| ("on_error", Json::text(word))));
        Json::object(members).compact() + self.newline
    }
}

/// `now`: the current task. A foreign word stays while other fields of the task change.
fn check(task: &TaskFields, now: Option<&Node<'_>>) -> Result<(), Refusal> {
    let word = |key: &'static str, word: &str, known: &[&str]| {
        let kept = now.is_some_and(|now| now.get(key).text() == Some(word));
        (key, kept || known.contains(&word))
    };
    let tool = |word: &str| {
        let kept = now.is_some_and(|now| now.get("tool").text() == Some(word));
        ("tool", kept || word.is_empty() || takes_tool(word))
    };
    let fields = [
        ("description", !task.description.trim().is_empty()),
        tool(&task.tool),
        word("mode", &task.mode, &TASKS.modes),
        task.on_error.as_deref().map_or(("on_error", true), |on| word("on_error", on, &TASKS.on_error)),
    ];
    match fields.into_iter().find(|(_, good)| !good) {
        Some((field, _)) => Err(bad_value(field)),
        None => Ok(()),
    }
}

fn field_changes(bytes: &[u8], value: &Listed, task: &TaskFields, now: &str) -> Vec<Change<'static>> {
    let Ok(node) = Node::parse(&bytes[value.span.clone()]) else { return Vec::new() };
    let description = task.description.trim();
    let tool =
        Some(task.tool.as_str()).filter(|tool| !tool.is_empty() || node.get("tool").text() == Some(""));
    let texts = [
        ("description", Some(description)),
        ("tool", tool),
        ("mode", Some(task.mode.as_str())),
        ("prompt_template", Some(task.prompt_template.as_str())),
        ("command", task.command.as_deref()),
        ("on_error", task.on_error.as_deref()),
    ];
    let mut changes: Vec<Change<'static>> = texts
        .into_iter()
        .filter(|(key, text)| node.get(key).text() != *text && !(text.is_none() && node.find(key).is_none()))
        .map(|(key, text)| match text {
            Some(text) => set(key, Json::text(text)),
            None => Change::Remove { key },
        })
        .collect();
    if !changes.is_empty() {
        changes.push(set("updated_at", Json::text(now)));
    }
    changes
}

fn set(key: &'static str, value: Json) -> Change<'static> {
    Change::Set { key, value: NewValue::Json(value), after: None }
}

/// Edits of one value, at its position in the file.
fn value_edits(bytes: &[u8], value: &Listed, changes: &[Change<'_>]) -> Result<Vec<TextEdit>, Refusal> {
    let start = value.span.start;
    let outline = Outline::read(&bytes[value.span.clone()], &[]).map_err(|error| refusal(&error))?;
    let mut edits = outline.edit(changes).map_err(|error| refusal(&error))?;
    for edit in &mut edits {
        edit.range = edit.range.start + start..edit.range.end + start;
    }
    Ok(edits)
}

fn reorder(bytes: &[u8], list: &List, ids: &[String], now: &str) -> Result<Vec<TextEdit>, Refusal> {
    let mut places = BTreeMap::new();
    for (index, value) in list.values.iter().enumerate() {
        if places.insert(value.id.as_str(), index).is_some() {
            return Err(Refusal::new(RefusalCode::NotEditable).with("field", "task_id"));
        }
    }
    let mut order = Vec::new();
    for id in ids {
        let index = places.remove(id.as_str());
        order.push(index.ok_or_else(|| Refusal::new(RefusalCode::NoSuchTask).with("field", id))?);
    }
    let mut rest: Vec<usize> = places.into_values().collect();
    rest.sort_by(|&left, &right| {
        let place = |index: usize| list.values[index].order.unwrap_or(f64::MAX);
        place(left).total_cmp(&place(right)).then(left.cmp(&right))
    });
    order.extend(rest);
    let mut edits = Vec::new();
    for (place, index) in (0_u32..).zip(order) {
        let value = &list.values[index];
        if value.order != Some(f64::from(place)) {
            let changes = [set("order", Json::count(place)), set("updated_at", Json::text(now))];
            edits.extend(value_edits(bytes, value, &changes)?);
        }
    }
    Ok(edits)
}

#[cfg(test)]
#[path = "task_edit_tests.rs"]
mod tests;
