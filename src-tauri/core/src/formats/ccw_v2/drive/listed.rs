//! Tasks of the list next to the loop (the CCW contract §12) become tasks of the loop: in order, after the
//! existing ones, each once. Only the file shows which ones were added, so a crash in between adds none
//! twice.

use crate::formats::ccw::drive::{Edits, not_editable};
use crate::formats::ccw::progress_docs::records::{PlannedTask, text};
use crate::formats::ccw::read::facts::LONG;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw_v2::create::initial;
use crate::formats::ccw_v2::forms::TASKS;
use crate::formats::ccw_v2::operate::stage::OperationInputs;
use crate::formats::ccw_v2::operation::ListedWork;
use crate::formats::ccw_v2::read::task_list;
use crate::outcome::FileChanges;
use crate::refusal::{Refusal, bad_value};
use crate::view::{Companion, ListedTask};
use loopdeck_agents::answers::is_id;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};

/// `_source` of a task taken from the list; prepared tasks name their source under the same key.
pub(crate) const SOURCE: &str = "tasks.jsonl";

/// Most tasks added in one step; the others follow in the next one.
const MOST: usize = 200;

/// The tasks of the list, in order. Empty ones are left out; unreadable lines are reported with the loop and
/// stay where they are.
#[must_use]
pub fn listed(companions: &[Companion]) -> Vec<ListedWork> {
    let mut reported = Vec::new();
    let (mut ids, mut read) = (HashSet::new(), HashSet::new());
    let unique = |mut work: ListedWork| {
        // A repeated line is one task; two that share an id by mistake are two.
        let own = work.task.id.clone();
        if !read.insert((own.clone(), work.task.description.clone())) {
            return None;
        }
        let mut names = std::iter::once(own.clone()).chain((2..).map(|number| format!("{own}-{number}")));
        work.task.id = names.find(|id| ids.insert(id.clone())).unwrap_or(own);
        Some(work)
    };
    task_list::read(companions, &mut reported).iter().filter_map(work).filter_map(unique).collect()
}

fn work(task: &ListedTask) -> Option<ListedWork> {
    let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let prompt = said(&task.prompt_template).unwrap_or_default();
    let command = task.command.as_deref().and_then(said).unwrap_or_default();
    let description = said(&task.description).or_else(|| said(&prompt)).or_else(|| said(&command))?;
    let planned = PlannedTask {
        id: id_of(&task.id, &description),
        description,
        tool: task.tool.trim().to_owned(),
        mode: said(&task.mode).unwrap_or_else(|| TASKS.first_mode.to_owned()),
        priority: initial::USUAL_PRIORITY,
        files: Vec::new(),
    };
    Some(ListedWork { task: planned, prompt, command })
}

/// The id of a listed task in the loop: its own. If it is missing or not a plain word, the id is derived from
/// the content of the line, so that the same line always gets the same one.
fn id_of(id: &str, description: &str) -> String {
    if is_id(id) {
        return id.to_owned();
    }
    let bytes = id.bytes().chain([0]).chain(description.bytes());
    let mixed = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("task-list-{mixed:08x}")
}

/// Tasks of a loop by their ids.
struct KnownTasks<'s>(HashMap<&'s str, &'s Node<'s>>);

impl<'s> KnownTasks<'s> {
    fn from_state(state: &CcwState<'s>) -> Self {
        Self(state.tasks.iter().filter_map(|task| Some((task.get("id").text()?, task))).collect())
    }

    /// The id under which a listed task is added; none when the loop has it. Another task may have its id by
    /// chance.
    fn free_id(&self, task: &PlannedTask) -> Option<String> {
        let Some(known) = self.0.get(task.id.as_str()) else { return Some(task.id.clone()) };
        if is_listed(known) || text(known, "description").trim() == task.description {
            return None;
        }
        let other = format!("{}-listed", task.id);
        (!self.0.contains_key(other.as_str())).then_some(other)
    }
}

/// Those of `listed` that the loop does not have yet, with ids that are free in it.
pub(crate) fn untaken(state: &CcwState<'_>, listed: &[ListedWork]) -> Vec<ListedWork> {
    let known = KnownTasks::from_state(state);
    let mut taken = HashSet::new();
    let fresh = |work: &ListedWork| {
        let id = known.free_id(&work.task).filter(|id| taken.insert(id.clone()))?;
        let task = PlannedTask { id, ..work.task.clone() };
        Some(ListedWork { task, ..work.clone() })
    };
    listed.iter().filter_map(fresh).take(MOST).collect()
}

/// Marks for each task of the list whether the loop has it.
pub(crate) fn mark(list: &mut [ListedTask], state: &CcwState<'_>) {
    let known = KnownTasks::from_state(state);
    for task in list {
        task.taken = work(task).is_some_and(|work| known.free_id(&work.task).is_none());
    }
}

/// Whether a task of the loop was taken from the list.
pub(crate) fn is_listed(task: &Node<'_>) -> bool {
    task.get("_source").text() == Some(SOURCE)
}

/// The list's contents of a task beyond its description.
pub(crate) fn contents(task: &Node<'_>) -> String {
    let said = |key: &str| task.get(key).shown(LONG).filter(|text| !text.is_empty());
    let command = said("_command").map(|command| format!("Command: {command}"));
    said("_prompt_template").into_iter().chain(command).collect::<Vec<_>>().join("\n")
}

/// Appends tasks of the list that the loop does not have yet.
pub(crate) fn take_up(stage: &OperationInputs<'_>, tasks: &[ListedWork]) -> Result<FileChanges, Refusal> {
    let good = |work: &ListedWork| is_id(&work.task.id) && !work.task.description.trim().is_empty();
    if tasks.is_empty() || !tasks.iter().all(good) {
        return Err(bad_value("tasks"));
    }
    let new: Vec<Json> = untaken(stage.state, tasks).iter().map(|work| json(work, &stage.now)).collect();
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    if stage.state.develop.is_object() {
        let total = saturated(stage.state.tasks.len() + new.len());
        edits.set(&["skill_state", "develop"], vec![("total", Json::count(total))])?;
        edits.push(&["skill_state", "develop", "tasks"], &new)?;
    } else {
        let path = ["skill_state", "develop"];
        if edits.holds_something(&path) {
            return Err(not_editable(&path));
        }
        edits.set(&["skill_state"], vec![("develop", initial::develop(new))])?;
    }
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

fn json(work: &ListedWork, now: &str) -> Json {
    let mut task = initial::task(&work.task, now);
    task.set("_source", Json::text(SOURCE));
    for (key, said) in [("_prompt_template", &work.prompt), ("_command", &work.command)] {
        if !said.is_empty() {
            task.set(key, Json::text(shorten(said, LONG)));
        }
    }
    task
}

#[cfg(test)]
#[path = "listed_tests.rs"]
mod tests;
