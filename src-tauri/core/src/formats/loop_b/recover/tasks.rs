//! The tasks of a damaged Loop-B, pending and completed (the CCW contract §8, §16).

use crate::formats::ccw::progress_docs::develop::{DevelopDoc, DevelopEntry};
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw::recover::fill::{ItemPositions, fill};
use crate::formats::ccw::recover::{CcwSources, Proposal};
use crate::formats::ccw_v2::read::task_list;
use loopdeck_text::json_span::json::Json;
use std::collections::BTreeSet;

/// The two lists of a master.
const LISTS: [&str; 2] = ["pending_tasks", "completed_tasks"];

/// One task: the list it belongs to, and its source.
struct Task {
    json: Json,
    completed: bool,
    source: &'static str,
    /// A part of it is lost.
    damaged: bool,
}

/// Sets both lists. A list that is complete in the damaged file stays unchanged. Tasks in neither list come
/// from the progress text, completed from the last good copy, or else from that copy alone.
pub(crate) fn put_tasks(skill: &mut Proposal, sources: &CcwSources<'_>, docs: &RecoveryTexts) {
    let mut tasks = tasks_of_the_file(sources);
    let filled_from = add_told(&mut tasks, tasks_from_texts(sources, docs));
    let filled = add_older(&mut tasks, sources);
    for (key, completed) in LISTS.into_iter().zip([false, true]) {
        let own = sources.prefix.complete_value(&["skill_state", key]);
        if let Some(list) = own.filter(|json| matches!(json, Json::List(_))) {
            skill.put(key, (list.clone(), sources.own));
            continue;
        }
        let of_list: Vec<&Task> = tasks.iter().filter(|task| task.completed == completed).collect();
        let mut from: Vec<&'static str> = Vec::new();
        for task in &of_list {
            if !from.contains(&task.source) {
                from.push(task.source);
            }
        }
        from.extend(filled_from.filter(|source| !of_list.is_empty() && !from.contains(source)));
        if filled && !from.is_empty() && !from.contains(&"last_good") {
            from.push("last_good");
        }
        // Nothing is known to be lost from a list that was started, or that the texts cover.
        if from.is_empty() {
            from.push(if tasks.is_empty() { "missing" } else { tasks[0].source });
        }
        let items = of_list.into_iter().map(|task| task.json.clone()).collect();
        skill.put_together(key, Json::List(items), &from);
    }
}

/// What is left of both lists in the damaged file.
fn tasks_of_the_file(sources: &CcwSources<'_>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (key, completed) in LISTS.into_iter().zip([false, true]) {
        let path = ["skill_state", key];
        let own = sources.complete_items(&path).iter().enumerate();
        tasks.extend(own.map(|(index, json)| Task {
            json: json.clone(),
            completed,
            source: sources.own,
            damaged: sources.prefix.is_damaged_item(&path, index),
        }));
    }
    tasks
}

/// Adds what the texts tell, and fills damaged tasks from it; the source that filled one.
fn add_told(tasks: &mut Vec<Task>, told: Vec<Task>) -> Option<&'static str> {
    let there = ItemPositions::from_items(tasks.iter().map(|task| &task.json));
    let mut filled_from = None;
    for told in told {
        match there.find(&told.json) {
            None => tasks.push(told),
            Some(place) if tasks[place].damaged && fill(&mut tasks[place].json, &told.json) => {
                filled_from = Some(told.source);
            }
            Some(_) => {}
        }
    }
    filled_from
}

/// Adds the tasks of the last good copy, and fills others from it; whether it filled any.
fn add_older(tasks: &mut Vec<Task>, sources: &CcwSources<'_>) -> bool {
    let mut filled = false;
    let places = ItemPositions::from_items(tasks.iter().map(|task| &task.json));
    for (key, completed) in LISTS.into_iter().zip([false, true]) {
        for older in sources.older(&["skill_state", key]) {
            match places.find(older) {
                Some(place) if tasks[place].source == sources.own && !tasks[place].damaged => {}
                Some(place) => {
                    let task = &mut tasks[place];
                    // A task completed once stays completed.
                    if let Some(status) = older.get("status").filter(|_| completed && !task.completed) {
                        task.json.set("status", status.clone());
                        task.completed = true;
                    }
                    filled |= fill(&mut task.json, older);
                }
                None => {
                    tasks.push(Task { json: older.clone(), completed, source: "last_good", damaged: false });
                }
            }
        }
    }
    filled
}

/// Tasks of `develop.md`, or else of the task list.
fn tasks_from_texts(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Vec<Task> {
    let told = written(&docs.develop);
    if !told.is_empty() {
        return told;
    }
    let listed = task_list::read(sources.companions, &mut Vec::new());
    let listed = listed.iter().map(|listed| Task {
        json: task(&listed.id, &listed.description, "pending", &[]),
        completed: false,
        source: "tasks.jsonl",
        damaged: false,
    });
    listed.collect()
}

fn task(id: &str, description: &str, status: &str, files: &[String]) -> Json {
    Json::object(vec![
        ("id", Json::text(id)),
        ("description", Json::text(description)),
        ("status", Json::text(status)),
        ("files", Json::texts(files)),
    ])
}

/// Tasks of the list that have no entry of a success are pending, the others completed.
fn written(develop: &DevelopDoc) -> Vec<Task> {
    let is_done = |entry: &&DevelopEntry| entry.status.as_deref() != Some("failed");
    let done: Vec<&DevelopEntry> = develop.entries.iter().filter(is_done).collect();
    let worked: BTreeSet<&str> = done.iter().map(|entry| entry.description.as_str()).collect();
    let numbered = (1..).zip(&develop.tasks);
    let open = numbered.filter(|(_, (_, text))| !worked.contains(text.as_str()));
    let pending = open.map(|(number, (_, text))| Task {
        json: task(&format!("T{number}"), text, "pending", &[]),
        completed: false,
        source: "develop.md",
        damaged: false,
    });
    let completed = (1..).zip(&done).map(|(number, entry)| {
        let listed = develop.tasks.iter().position(|(_, text)| *text == entry.description);
        let place = listed.map_or(develop.tasks.len() + number, |place| place + 1);
        let id = entry.task_id.clone().unwrap_or_else(|| format!("T{place}"));
        Task {
            json: task(&id, &entry.description, "completed", &entry.files),
            completed: true,
            source: "develop.md",
            damaged: false,
        }
    });
    pending.chain(completed).collect()
}
