//! Changes to the task list next to a Loop v2.

use crate::door;
use loopdeck_core::formats::ccw_v2::edit::task_list::{TaskEdit, TaskFields, edit, split_glued};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;

/// A value of the list.
struct Task {
    id: String,
    raw: String,
    fields: Option<TaskFields>,
}

/// Unaffected values keep their bytes, and so do unreadable lines; an undone change is gone.
pub fn check(bytes: &[u8]) {
    let split = text_edit::apply(bytes, &split_glued(bytes)).expect("edits do not overlap");
    assert_eq!(split_glued(&split), [], "split once is split");
    let before = tasks(bytes);
    // A value behind something else on its line may be one of its own afterwards.
    let after = raws(&tasks(&split));
    assert!(raws(&before).iter().all(|value| after.contains(value)), "splitting changes no value");
    assert_eq!(dense(&split), dense(bytes), "splitting adds line ends only");
    add(bytes, &split);
    for (place, task) in before.iter().enumerate().take(3) {
        delete(bytes, &before, place);
        change(bytes, &before, place);
        let _ = carry_out(bytes, &TaskEdit::Edit { id: task.id.clone(), task: TaskFields::default() });
    }
    reorder(bytes, &before);
}

fn carry_out(bytes: &[u8], change: &TaskEdit) -> Option<Vec<u8>> {
    let edits = edit(bytes, change, door::NOW).ok()?;
    Some(text_edit::apply(bytes, &edits).expect("edits do not overlap"))
}

fn add(bytes: &[u8], split: &[u8]) {
    let [quoted, markdown, tail, word] = door::texts(bytes);
    let task = TaskFields {
        description: quoted,
        tool: "bash".to_owned(),
        mode: "write".to_owned(),
        prompt_template: markdown,
        command: Some(tail),
        on_error: Some("pause".to_owned()),
    };
    let id = format!("{word}-new");
    let Some(added) = carry_out(bytes, &TaskEdit::Add { id: id.clone(), task: task.clone() }) else {
        assert!(tasks(bytes).iter().any(|task| task.id == id), "refused for nothing");
        return;
    };
    assert!(added.starts_with(split), "everything else stays");
    let all = tasks(&added);
    let new = all.last().expect("the new one");
    assert_eq!(new.fields.as_ref(), Some(&task));
    assert_eq!(carry_out(&added, &TaskEdit::Delete { id }).as_deref(), Some(split), "taken back");
}

fn delete(bytes: &[u8], before: &[Task], place: usize) {
    let Some(after) = carry_out(bytes, &TaskEdit::Delete { id: before[place].id.clone() }) else { return };
    let mut left = raws(before);
    left.remove(place);
    assert_eq!(left, raws(&tasks(&after)), "the others stay");
    assert_eq!(dense(bytes).len() - dense(before[place].raw.as_bytes()).len(), dense(&after).len());
}

/// Changes a description and changes it back.
fn change(bytes: &[u8], before: &[Task], place: usize) {
    let Some(fields) = before[place].fields.clone() else { return };
    let id = before[place].id.clone();
    let other = TaskFields { description: "other \"words\"".to_owned(), ..fields.clone() };
    let Some(after) = carry_out(bytes, &TaskEdit::Edit { id: id.clone(), task: other.clone() }) else {
        return;
    };
    let edited = tasks(&after);
    assert_eq!(edited[place].fields.as_ref(), Some(&other));
    let others = |tasks: &[Task]| {
        let mut others = raws(tasks);
        others.remove(place);
        others
    };
    assert_eq!(others(&edited), others(before), "the others stay");
    assert_eq!(foreign(&edited[place].raw), foreign(&before[place].raw), "and what no form shows");
    if fields.description.trim() == fields.description {
        let back = carry_out(&after, &TaskEdit::Edit { id, task: fields.clone() });
        // A refusal means the value was never one the form accepts.
        let Some(back) = back else { return };
        let again = tasks(&back);
        assert_eq!(again[place].fields.as_ref(), Some(&fields));
        assert_eq!(others(&again), others(before));
    }
}

fn reorder(bytes: &[u8], before: &[Task]) {
    // Objects without an id may be parts of one that takes several lines.
    if before.iter().any(|task| task.id.is_empty()) {
        return;
    }
    let ids: Vec<String> = before.iter().rev().map(|task| task.id.clone()).collect();
    let Some(after) = carry_out(bytes, &TaskEdit::Reorder { ids: ids.clone() }) else { return };
    let reordered = tasks(&after);
    for (old, new) in before.iter().zip(&reordered) {
        assert_eq!(new.id, old.id, "no value moves");
        assert_eq!(new.fields, old.fields);
        assert_eq!(foreign(&new.raw), foreign(&old.raw));
        let place = ids.iter().position(|id| *id == new.id);
        assert_eq!(order(&new.raw).map(|order| order as usize), place);
    }
    assert_eq!(before.len(), reordered.len());
    assert_eq!(carry_out(&after, &TaskEdit::Reorder { ids }).as_deref(), Some(&*after), "in order already");
}

fn order(raw: &str) -> Option<f64> {
    Node::parse(raw.as_bytes()).expect("a value").get("order").number()
}

fn raws(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|task| task.raw.clone()).collect()
}

/// Everything but white space.
fn dense(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// Members that no form shows: names, and values as written.
fn foreign(raw: &str) -> Vec<(String, String)> {
    const OURS: [&str; 8] =
        ["description", "tool", "mode", "prompt_template", "command", "on_error", "order", "updated_at"];
    let mut members = Vec::new();
    let read = Reader::at(raw, 0).object(|value, key| {
        let span = value.skip()?;
        members.push((key.name.into_owned(), raw[span].to_owned()));
        Ok(())
    });
    assert_eq!(read, Ok(()));
    members.retain(|(key, _)| !OURS.contains(&key.as_str()));
    members
}

/// The values of the list, line by line, read in the simplest way.
fn tasks(bytes: &[u8]) -> Vec<Task> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut tasks = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(text) = std::str::from_utf8(line) else { continue };
        let mut reader = Reader::at(text, 0);
        while reader.end().is_err() {
            let Some(node) = Node::read(&mut reader).ok().filter(Node::is_object) else { break };
            let id = node.get("task_id").text().unwrap_or_default().to_owned();
            tasks.push(Task { id, raw: text[node.at..reader.offset()].to_owned(), fields: fields(&node) });
        }
    }
    tasks
}

/// What a form shows; `None` when a field is not text.
fn fields(node: &Node<'_>) -> Option<TaskFields> {
    let text = |key: &str| node.get(key).text().map(str::to_owned);
    let optional = |key: &str| match node.find(key) {
        None => Some(None),
        Some(value) => value.text().map(|text| Some(text.to_owned())),
    };
    Some(TaskFields {
        description: text("description")?,
        tool: text("tool")?,
        mode: text("mode")?,
        prompt_template: text("prompt_template")?,
        command: optional("command")?,
        on_error: optional("on_error")?,
    })
}
