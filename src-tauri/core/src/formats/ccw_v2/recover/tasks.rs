//! The tasks of a damaged Loop v2: those still in its own list, then those in progress files and the last
//! good copy (the CCW contract §16).

use super::parts::Put;
use crate::formats::ccw::progress_docs::develop::{DevelopDoc, DevelopEntry};
use crate::formats::ccw::progress_docs::ndjson::{self, ChangeLine};
use crate::formats::ccw::recover::CcwSources;
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw::recover::fill::{ItemPositions, fill};
use crate::view::CompanionKind;
use loopdeck_text::json_span::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// The writing order of a task's fields.
const ORDER: [&str; 10] = [
    "id",
    "description",
    "tool",
    "mode",
    "status",
    "priority",
    "files",
    "created_at",
    "completed_at",
    "files_changed",
];

/// A task as found in texts, without the fields they do not have.
struct TaskFromText {
    json: Json,
    source: &'static str,
}

impl TaskFromText {
    fn text(&self) -> &str {
        self.json.get("description").and_then(Json::as_text).unwrap_or_default().trim()
    }
}

/// All tasks. Complete ones of the damaged file stay unchanged; the others are completed from the last good
/// copy.
pub(crate) fn tasks(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Put {
    let path = ["skill_state", "develop", "tasks"];
    let (begun, older) = (sources.complete_items(&path), sources.older(&path));
    let there = ItemPositions::from_items(begun.iter());
    let places = ItemPositions::from_items(older.iter());
    let mut used: BTreeSet<usize> =
        (0..older.len()).filter(|place| there.find(&older[*place]).is_some()).collect();
    let mut passed = BTreeSet::new();
    let mut put = Put::default();
    for task in begun {
        put.add(task.clone(), sources.own);
    }
    let is_damaged = |place: &usize| sources.prefix.is_damaged_item(&path, *place);
    for task in older {
        if let Some(place) = there.find(task).filter(is_damaged)
            && fill(&mut put.items[place], task)
        {
            put.add_source("last_good");
        }
    }
    let mut new = Vec::new();
    for (index, TaskFromText { mut json, source }) in tasks_from_texts(sources, docs).into_iter().enumerate()
    {
        // A task that lost its words is the one in its place.
        let in_place =
            || Some(index).filter(|place| *place < begun.len() && begun[*place].get("description").is_none());
        if let Some(place) = there.find(&json).or_else(in_place).filter(|place| passed.insert(*place)) {
            if is_damaged(&place) && fill(&mut put.items[place], &json) {
                put.add_source(source);
            }
            continue; // already in the damaged file
        }
        if let Some(place) = places.find(&json).filter(|place| used.insert(*place)) {
            if let Some(id) = older[place].get("id") {
                json.set("id", id.clone());
            }
            if fill(&mut json, &older[place]) {
                put.add_source("last_good");
            }
        }
        new.push((json, source));
    }
    let with_ids = begun.iter().chain(older).chain(new.iter().map(|(json, _)| json));
    let taken: BTreeSet<String> =
        with_ids.filter_map(|task| Some(task.get("id")?.as_text()?.to_owned())).collect();
    let mut numbers = (1..).map(|number| format!("task-{number:03}")).filter(|id| !taken.contains(id));
    for (json, source) in new {
        put.add(finished(&json, &mut numbers), source);
    }
    for (place, task) in older.iter().enumerate() {
        if !used.contains(&place) {
            put.add(task.clone(), "last_good");
        }
    }
    put
}

/// Fields in order, with an id and a status.
fn finished(json: &Json, numbers: &mut impl Iterator<Item = String>) -> Json {
    let mut task = Json::Object(Vec::new());
    for key in ORDER {
        match (json.get(key), key) {
            (Some(value), _) => task.set(key, value.clone()),
            (None, "id") => task.set(key, Json::optional(numbers.next().as_deref())),
            (None, "status") => task.set(key, Json::text("pending")),
            (None, "completed_at") => task.set(key, Json::Null),
            (None, "files_changed") => task.set(key, Json::List(Vec::new())),
            _ => {}
        }
    }
    for (key, value) in json.members().iter().filter(|(key, _)| !ORDER.contains(&key.as_str())) {
        task.set(key, value.clone());
    }
    task
}

/// Tasks of `develop.md`, completed by its timeline and by `changes.log`. Without its list, also those of
/// `summary.md`, and the task list if there is nothing else.
fn tasks_from_texts(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Vec<TaskFromText> {
    let mut told = written(&docs.develop, &changes(sources));
    if docs.develop.tasks.is_empty() {
        let known: BTreeSet<String> = told.iter().map(|told| told.text().to_owned()).collect();
        told.extend(summed(docs).into_iter().filter(|task| !known.contains(task.text())));
    }
    if told.is_empty() {
        let listed = crate::formats::ccw_v2::read::task_list::read(sources.companions, &mut Vec::new());
        told.extend(listed.iter().map(listed_task));
    }
    told
}

fn summed(docs: &RecoveryTexts) -> Vec<TaskFromText> {
    let Some(summary) = &docs.summary else { return Vec::new() };
    let task =
        |members: Vec<(&str, Json)>| TaskFromText { json: Json::object(members), source: "summary.md" };
    let done = summary.completed.iter().map(|done| {
        let mut members =
            vec![("description", Json::text(&done.description)), ("status", Json::text("completed"))];
        members.extend(done.completed.as_deref().map(|time| ("completed_at", Json::text(time))));
        members.push(("files_changed", Json::texts(&done.files)));
        task(members)
    });
    let open = summary.pending.iter().map(|text| task(vec![("description", Json::text(text))]));
    done.chain(open).collect()
}

/// Changes by tasks. The fix of a DEBUG round also has a line, under its hypothesis or `debug`, but is not a
/// task; a failed attempt completed nothing.
fn changes(sources: &CcwSources<'_>) -> Vec<ChangeLine> {
    let log = sources.bytes(CompanionKind::ChangesLog).map(ndjson::changes);
    let mut entries = log.map(|log| log.entries).unwrap_or_default();
    entries.retain(|change| !is_debug(&change.task_id) && change.result != "failed");
    entries
}

/// `debug`, `H1`.
fn is_debug(id: &str) -> bool {
    let number = id.strip_prefix('H').unwrap_or_default();
    id == "debug" || (!number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// When a task was last worked on, and the source.
pub(crate) fn last_progress(
    docs: &RecoveryTexts,
    sources: &CcwSources<'_>,
) -> Option<(String, &'static str)> {
    let entry = docs.develop.entries.last().and_then(|entry| entry.time.clone());
    entry.map(|time| (time, "develop.md")).or_else(|| {
        let change = changes(sources).pop()?;
        Some((change.timestamp, "changes.log"))
    })
}

fn listed_task(task: &crate::view::ListedTask) -> TaskFromText {
    let time = task.created.as_ref().map(|time| time.text.as_str());
    let mut members = vec![("id", Json::text(&task.id)), ("description", Json::text(&task.description))];
    members.extend([("tool", Json::text(&task.tool)), ("mode", Json::text(&task.mode))]);
    members.extend(time.map(|time| ("created_at", Json::text(time))));
    TaskFromText { json: Json::object(members), source: "tasks.jsonl" }
}

fn written(doc: &DevelopDoc, changes: &[ChangeLine]) -> Vec<TaskFromText> {
    let worked: BTreeMap<&str, &DevelopEntry> =
        doc.entries.iter().map(|entry| (entry.description.as_str(), entry)).collect();
    let by_text: BTreeMap<&str, &ChangeLine> =
        changes.iter().map(|change| (change.description.as_str(), change)).collect();
    let listed: BTreeSet<&str> = doc.tasks.iter().map(|(_, text)| text.as_str()).collect();
    let texts = doc.tasks.iter().map(|(_, text)| text.as_str());
    let texts = texts.chain(doc.entries.iter().map(|entry| entry.description.as_str()));
    let texts = texts.chain(changes.iter().map(|change| change.description.as_str()));
    let (mut seen, mut tasks) = (BTreeSet::new(), Vec::new());
    for text in texts {
        // Two listed tasks may have the same text; a finished one stands for the listed one.
        let again = !seen.insert(text);
        if again && (!listed.contains(text) || tasks.len() >= doc.tasks.len()) {
            continue;
        }
        let entry = worked.get(text).copied().filter(|_| !again);
        let change = by_text.get(text).copied().filter(|_| !again);
        tasks.push(task(text, entry, change));
    }
    tasks
}

fn task(text: &str, entry: Option<&DevelopEntry>, change: Option<&ChangeLine>) -> TaskFromText {
    let id =
        entry.and_then(|entry| entry.task_id.as_deref()).or(change.map(|change| change.task_id.as_str()));
    let mut members = Vec::new();
    members.extend(id.filter(|id| !id.is_empty()).map(|id| ("id", Json::text(id))));
    members.push(("description", Json::text(text)));
    if let Some(entry) = entry {
        members.extend(entry.tool.as_deref().map(|tool| ("tool", Json::text(tool))));
        members.extend(entry.mode.as_deref().map(|mode| ("mode", Json::text(mode))));
    }
    // Without an entry its state is unknown here, but another source may have it.
    if entry.is_some() || change.is_some() {
        let failed = entry.and_then(|entry| entry.status.as_deref()).filter(|word| *word == "failed");
        let status = failed.unwrap_or("completed");
        members.push(("status", Json::text(status)));
        let time = entry.and_then(|entry| entry.time.as_deref());
        let time = time.or(change.map(|change| change.timestamp.as_str())).filter(|_| status == "completed");
        members.extend(time.map(|time| ("completed_at", Json::text(time))));
    }
    let files = entry.map(|entry| &entry.files).or(change.map(|change| &change.files_changed));
    members.extend(files.map(|files| ("files_changed", Json::texts(files))));
    let source = if entry.is_none() && change.is_some() { "changes.log" } else { "develop.md" };
    TaskFromText { json: Json::object(members), source }
}
