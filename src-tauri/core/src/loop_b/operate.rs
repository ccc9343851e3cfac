//! What a coordinator of ours writes in place of the skill: phases, worker outputs, the parallel merge, the end
//! (the CCW contract §8), with true UTC times.

use super::merge::{self, PARALLEL_ACTIONS};
use super::state::{ACTIONS, State};
use crate::ccw::drive::{Edits, FileWrite, Outcome, bad_value, gate, is_id};
use crate::ccw::progress_docs::develop::{self, DevelopEntry};
use crate::ccw::progress_docs::records::{PlannedTask, text};
use crate::ccw::progress_docs::summary::{self, SummaryDoc};
use crate::ccw::progress_docs::{Flavour, Head};
use crate::ccw_v2::state::saturated;
use crate::control::{Refusal, RefusalCode, Situation};
use crate::format::{FileFacts, Format, Summary};
use crate::json_span::json::Json;
use crate::json_span::tree::Node;
use crate::times::{self, Millis};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeSet;

/// A step of the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "LoopBStep")]
pub enum Operation {
    /// The next phase begins; it must follow from the present one.
    Enter {
        /// `develop`, `debug`, `validate`, `complete`.
        phase: String,
    },
    /// A worker ended: its output is kept, its tasks move.
    WorkerDone {
        /// What it gave back.
        output: WorkerOutput,
    },
    /// `init` ended: its output is kept, these tasks are pending.
    Planned {
        /// Of the action `init`.
        output: WorkerOutput,
        /// At least one.
        tasks: Vec<PlannedTask>,
    },
    /// Parallel mode: the results of all workers side by side.
    Merge {
        /// Of `develop`, `debug`, `validate`; at least one.
        outputs: Vec<WorkerOutput>,
    },
    /// The loop is done.
    Complete {
        /// In one or a few sentences.
        executive: String,
        /// What to do next.
        recommendations: Vec<String>,
    },
}

/// What a worker gives back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct WorkerOutput {
    /// `init`, `develop`, `debug`, `validate`, `complete`.
    pub action: String,
    /// `success`, `failed`, `needs_input`, …
    pub status: String,
    /// In a sentence.
    pub summary: String,
    /// Files changed.
    pub files_changed: Vec<String>,
    /// An action.
    pub next_suggestion: Option<String>,
    /// An action.
    pub loop_back_to: Option<String>,
    /// Raw text, or an object; from outside as text or JSON text.
    #[serde(with = "crate::json_span::json::as_text")]
    #[specta(type = String)]
    pub detailed_output: Json,
    /// Ids of tasks it finished; not part of the output file.
    pub completed_tasks: Vec<String>,
}

impl WorkerOutput {
    /// As it is written.
    #[must_use]
    pub fn json(&self, now: &str) -> Json {
        Json::object(vec![
            ("action", Json::text(&self.action)),
            ("status", Json::text(&self.status)),
            ("summary", Json::text(&self.summary)),
            ("files_changed", Json::texts(&self.files_changed)),
            ("next_suggestion", Json::optional(self.next_suggestion.as_deref())),
            ("loop_back_to", Json::optional(self.loop_back_to.as_deref())),
            ("detailed_output", self.detailed_output.clone()),
            ("timestamp", Json::text(now)),
        ])
    }
}

struct Stage<'s> {
    bytes: &'s [u8],
    state: &'s State<'s>,
    summary: &'s Summary,
    stem: &'s str,
    now: String,
    now_ms: Millis,
    round: f64,
}

/// Edits of the master and texts for the files beside it.
///
/// # Errors
/// A refusal when the loop does not run, is somebody else's, or does not stand where the step begins.
pub fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &Operation,
    situation: &Situation,
) -> Result<Outcome, Refusal> {
    let summary = gate(bytes, Format::LoopB, facts, situation)?;
    let root = Node::parse(bytes).map_err(|_| Refusal::new(RefusalCode::DamagedFile))?;
    let state = State::new(&root);
    let stage = Stage {
        bytes,
        state: &state,
        summary: &summary,
        stem: facts.stem,
        now: times::to_iso_millis(situation.now),
        now_ms: situation.now,
        round: summary.iteration.map_or(1.0, |bar| bar.current + 1.0),
    };
    let planned = matches!(operation, Operation::Planned { .. });
    if !planned && !state.skill.is_object() {
        return Err(Refusal::new(RefusalCode::NotInitialised));
    }
    let ends = matches!(operation, Operation::Complete { .. });
    if summary.at_limit() && !ends && !matches!(operation, Operation::Enter { phase } if phase == "complete")
    {
        return Err(Refusal::new(RefusalCode::LimitReached).with("status", &summary.status_word));
    }
    match operation {
        Operation::Enter { phase } => enter(&stage, phase),
        Operation::Planned { output, tasks } => plan(&stage, output, tasks),
        Operation::WorkerDone { output } => worker_done(&stage, output),
        Operation::Merge { outputs } => merge_outputs(&stage, outputs),
        Operation::Complete { executive, recommendations } => complete(&stage, executive, recommendations),
    }
}

const SKILL: &[&str] = &["skill_state"];
const PENDING: &[&str] = &["skill_state", "pending_tasks"];
const COMPLETED: &[&str] = &["skill_state", "completed_tasks"];

/// The arrows of the seed's diagram, and the sequence of auto mode.
fn follows(from: &str, to: &str) -> bool {
    matches!(
        (from, to),
        ("init" | "develop" | "debug" | "validate", "develop")
            | ("develop" | "debug" | "validate", "debug" | "validate")
            | ("debug" | "validate" | "complete", "complete")
    )
}

fn enter(stage: &Stage<'_>, phase: &str) -> Result<Outcome, Refusal> {
    let from = stage.state.skill.get("phase").text().unwrap_or("init").to_lowercase();
    let mode = stage.state.root.get("mode").text().unwrap_or_default();
    // In parallel mode the workers leave the phase at init until all are done.
    let parallel = mode.eq_ignore_ascii_case("parallel") && from == "init" && phase != "init";
    let place = ACTIONS.iter().position(|action| *action == phase).ok_or_else(|| bad_value("phase"))?;
    if !parallel && !follows(&from, phase) {
        return Err(Refusal::new(RefusalCode::WrongStep).with("field", "phase").with("status", from));
    }
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    let skill = vec![("phase", Json::text(phase)), ("action_index", Json::count(saturated(place)))];
    edits.set(SKILL, skill)?;
    Ok(Outcome { edits: edits.finish()?, files: Vec::new() })
}

fn task(task: &PlannedTask) -> Json {
    Json::object(vec![
        ("id", Json::text(&task.id)),
        ("description", Json::text(&task.description)),
        ("priority", Json::count(task.priority)),
        ("status", Json::text("pending")),
        ("files", Json::texts(&task.files)),
    ])
}

fn plan(stage: &Stage<'_>, output: &WorkerOutput, tasks: &[PlannedTask]) -> Result<Outcome, Refusal> {
    let state = stage.state;
    if !state.pending.is_empty() || !state.completed.is_empty() {
        return Err(Refusal::new(RefusalCode::AlreadyInitialised));
    }
    let mut ids = BTreeSet::new();
    let good = |task: &PlannedTask| is_id(&task.id) && !task.description.trim().is_empty();
    if tasks.is_empty() || !tasks.iter().all(|task| good(task) && ids.insert(task.id.as_str())) {
        return Err(bad_value("tasks"));
    }
    let pending = Json::List(tasks.iter().map(task).collect());
    let file = output_file(stage, output, "init")?;
    let mut edits = Edits::new(stage.bytes);
    let mut root = vec![("updated_at", Json::text(&stage.now))];
    if state.skill.is_object() {
        edits.set(SKILL, vec![("pending_tasks", pending)])?;
        done(stage, &mut edits, "init")?;
    } else {
        root.push(("skill_state", initial(pending)));
    }
    edits.set(&[], root)?;
    let listed: Vec<&str> = tasks.iter().map(|task| task.description.as_str()).collect();
    let begin = develop::begin(&head(stage), &listed);
    let progress = FileWrite::append(format!("{}.progress/develop.md", stage.stem), begin, String::new());
    Ok(Outcome { edits: edits.finish()?, files: vec![file, progress] })
}

fn initial(pending: Json) -> Json {
    Json::object(vec![
        ("phase", Json::text("init")),
        ("action_index", Json::count(0)),
        ("workers_completed", Json::texts(&["init"])),
        ("parallel_results", Json::Null),
        ("pending_tasks", pending),
        ("completed_tasks", Json::List(Vec::new())),
        ("findings", Json::List(Vec::new())),
    ])
}

fn head(stage: &Stage<'_>) -> Head {
    let root = stage.state.root;
    let task = root.get("description").text().filter(|text| !text.is_empty()).or(root.get("title").text());
    Head {
        loop_id: Some(stage.stem.to_owned()),
        task: task.map(str::to_owned),
        time: Some(stage.now.clone()),
    }
}

/// The output file of a worker; its name is made of an action of the format, never of text from outside.
fn output_file(stage: &Stage<'_>, output: &WorkerOutput, expected: &str) -> Result<FileWrite, Refusal> {
    if output.action != expected {
        return Err(bad_value("action"));
    }
    let file = format!("{}.workers/{expected}.output.json", stage.stem);
    Ok(FileWrite::replace(file, output.json(&stage.now).pretty()))
}

/// `workers_completed`, each once.
fn done(stage: &Stage<'_>, edits: &mut Edits<'_>, action: &str) -> Result<(), Refusal> {
    let listed = stage.state.skill.get("workers_completed").items();
    if listed.iter().any(|worker| worker.text() == Some(action)) {
        return Ok(());
    }
    edits.push(&["skill_state", "workers_completed"], &[Json::text(action)])
}

fn worker_done(stage: &Stage<'_>, output: &WorkerOutput) -> Result<Outcome, Refusal> {
    let action =
        ACTIONS.iter().find(|action| **action == output.action).ok_or_else(|| bad_value("action"))?;
    let mut files = vec![output_file(stage, output, action)?];
    let mut edits = Edits::new(stage.bytes);
    let root = vec![("current_iteration", Json::number(stage.round)), ("updated_at", Json::text(&stage.now))];
    edits.set(&[], root)?;
    if output.status == "success" {
        done(stage, &mut edits, action)?;
    }
    let places = finished(stage, output)?;
    let mut moved = Vec::new();
    for &place in &places {
        let mut task = Json::of(&stage.state.pending[place]);
        task.set("status", Json::text("completed"));
        moved.push(task);
    }
    if !places.is_empty() {
        edits.remove(PENDING, |index| places.contains(&index))?;
        edits.push(COMPLETED, &moved)?;
    }
    files.extend(entries(stage, output, &places));
    Ok(Outcome { edits: edits.finish()?, files })
}

/// The places of the tasks that a worker finished.
fn finished(stage: &Stage<'_>, output: &WorkerOutput) -> Result<BTreeSet<usize>, Refusal> {
    let mut places = BTreeSet::new();
    for id in &output.completed_tasks {
        let place = stage.state.pending.iter().position(|task| task.get("id").text() == Some(id));
        places.insert(place.ok_or_else(|| Refusal::new(RefusalCode::NoSuchTask).with("field", id))?);
    }
    Ok(places)
}

/// Entries of `develop.md` for finished tasks.
fn entries(stage: &Stage<'_>, output: &WorkerOutput, places: &BTreeSet<usize>) -> Option<FileWrite> {
    let tasks = places.iter().map(|&place| &stage.state.pending[place]);
    let entries: String = tasks
        .map(|task| {
            let entry = DevelopEntry {
                task_id: Some(text(task, "id")),
                description: text(task, "description"),
                time: Some(stage.now.clone()),
                summary: output.summary.clone(),
                files: output.files_changed.clone(),
                ..DevelopEntry::default()
            };
            develop::append(&entry, Flavour::LoopB)
        })
        .collect();
    let listed: Vec<String> = stage.state.pending.iter().map(|task| text(task, "description")).collect();
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    let file = format!("{}.progress/develop.md", stage.stem);
    (!entries.is_empty()).then(|| FileWrite::append(file, develop::begin(&head(stage), &listed), entries))
}

fn merge_outputs(stage: &Stage<'_>, outputs: &[WorkerOutput]) -> Result<Outcome, Refusal> {
    let mode = stage.state.root.get("mode").text().unwrap_or_default();
    if !mode.eq_ignore_ascii_case("parallel") {
        return Err(Refusal::new(RefusalCode::WrongStep).with("field", "mode").with("status", mode));
    }
    let mut actions = BTreeSet::new();
    let good = |output: &WorkerOutput| PARALLEL_ACTIONS.contains(&output.action.as_str());
    if outputs.is_empty() || !outputs.iter().all(|output| good(output) && actions.insert(&output.action)) {
        return Err(bad_value("action"));
    }
    let mut edits = Edits::new(stage.bytes);
    let root = vec![("current_iteration", Json::number(stage.round)), ("updated_at", Json::text(&stage.now))];
    edits.set(&[], root)?;
    edits.set(SKILL, vec![("parallel_results", merge::merged(outputs, &stage.now))])?;
    let files = outputs.iter().map(|output| output_file(stage, output, &output.action));
    Ok(Outcome { edits: edits.finish()?, files: files.collect::<Result<_, _>>()? })
}

fn complete(stage: &Stage<'_>, executive: &str, recommendations: &[String]) -> Result<Outcome, Refusal> {
    let state = stage.state;
    let mut edits = Edits::new(stage.bytes);
    let root = vec![
        ("status", Json::text("completed")),
        ("updated_at", Json::text(&stage.now)),
        ("completed_at", Json::text(&stage.now)),
    ];
    edits.set(&[], root)?;
    edits.set(SKILL, vec![("phase", Json::text("complete"))])?;
    done(stage, &mut edits, "complete")?;
    let started = state.root.get("created_at").text().map(str::to_owned);
    let seconds = stage.summary.created.map(|created| (stage.now_ms - created) / 1_000);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let iterations = (stage.round - 1.0) as u32;
    let doc = SummaryDoc {
        head: Head { time: started, ..head(stage) },
        mode: state.root.get("mode").text().map(str::to_owned),
        completed_at: Some(stage.now.clone()),
        duration_s: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        executive: executive.to_owned(),
        iterations: Some(iterations),
        total_tasks: Some(saturated(state.pending.len() + state.completed.len())),
        completed_tasks: Some(saturated(state.completed.len())),
        recommendations: recommendations.to_vec(),
        generated_at: Some(stage.now.clone()),
        ..SummaryDoc::default()
    };
    let file = format!("{}.progress/summary.md", stage.stem);
    let summary = FileWrite::replace(file, summary::write(&doc, Flavour::LoopB));
    Ok(Outcome { edits: edits.finish()?, files: vec![summary] })
}

#[cfg(test)]
#[path = "operate_tests.rs"]
mod tests;
