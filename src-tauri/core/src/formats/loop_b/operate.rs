//! What our coordinator writes in place of the skill: phases, worker outputs, the parallel merge, the end
//! (the CCW contract §8), with correct UTC times.

pub(crate) mod files;
pub mod merge;

pub use crate::formats::loop_b::read::output::{DebugFindings, Tested, WorkerOutput};

use super::operation::LoopBOperation;
use crate::control::Situation;
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::{Edits, gate, gate_at_end};
use crate::formats::ccw::progress_docs::records::PlannedTask;
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw_v2::operate::leave;
use crate::formats::loop_b::operate::merge::PARALLEL_ACTIONS;
use crate::formats::loop_b::read::state::{ACTIONS, LoopBState};
use crate::outcome::{FileChanges, FileWrite};
use crate::phase::CcwPhase;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::summary::Summary;
use crate::times::{self, Timestamp};
use crate::view::Companion;
use loopdeck_agents::answers::is_id;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

/// The inputs of a step.
pub(crate) struct StepInputs<'s> {
    bytes: &'s [u8],
    pub(super) state: &'s LoopBState<'s>,
    pub(super) summary: &'s Summary,
    pub(super) stem: &'s str,
    pub(super) now: String,
    pub(super) now_ms: Timestamp,
    /// The number of this round.
    pub(super) round: f64,
    pub(super) companions: &'s [Companion],
}

/// Edits of the master and texts for the files next to it.
///
/// # Errors
/// A refusal when the loop is not running, belongs to someone else, or is not at the step's starting point.
pub fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &LoopBOperation,
    situation: &Situation,
) -> Result<FileChanges, Refusal> {
    operate_with_companions(bytes, facts, operation, situation, &[])
}

/// [`operate`], with the files next to the master: the summary of a completed loop needs the outputs to list
/// all workers; without them, it lists those in the master.
///
/// # Errors
/// Like [`operate`].
pub fn operate_with_companions(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &LoopBOperation,
    situation: &Situation,
    companions: &[Companion],
) -> Result<FileChanges, Refusal> {
    let summary = match operation {
        LoopBOperation::Enter { .. }
        | LoopBOperation::Fail { .. }
        | LoopBOperation::Complete { .. }
        | LoopBOperation::Leave => gate(bytes, Format::LoopB, facts, situation)?,
        _ => gate_at_end(bytes, Format::LoopB, facts, situation)?,
    };
    let root = Node::parse(bytes).map_err(|_| Refusal::new(RefusalCode::DamagedFile))?;
    let state = LoopBState::new(&root);
    let stage = StepInputs {
        bytes,
        state: &state,
        summary: &summary,
        stem: facts.stem,
        now: times::to_iso_millis(situation.now),
        now_ms: situation.now,
        round: summary.iteration.map_or(1.0, |bar| bar.current + 1.0),
        companions,
    };
    let early = matches!(operation, LoopBOperation::Planned { .. } | LoopBOperation::Leave);
    if !early && !state.skill.is_object() {
        return Err(Refusal::new(RefusalCode::NotInitialised));
    }
    let ends = matches!(
        operation,
        LoopBOperation::Complete { .. } | LoopBOperation::Fail { .. } | LoopBOperation::Leave
    );
    if summary.at_limit()
        && !ends
        && !matches!(operation, LoopBOperation::Enter { phase } if phase == "complete")
    {
        return Err(Refusal::because(RefusalCode::LimitReached, &summary));
    }
    match operation {
        LoopBOperation::Enter { phase } => enter(&stage, phase),
        LoopBOperation::Planned { output, tasks } => plan(&stage, output, tasks),
        LoopBOperation::WorkerDone { output } => worker_done(&stage, output),
        LoopBOperation::Merge { outputs } => merge_outputs(&stage, outputs),
        LoopBOperation::Fail { reason } => fail(&stage, reason),
        LoopBOperation::Complete { executive, recommendations, worked_ms } => {
            complete(&stage, executive, recommendations, *worked_ms)
        }
        LoopBOperation::Leave => leave(bytes, &stage.now),
    }
}

const SKILL: &[&str] = &["skill_state"];
const PENDING: &[&str] = &["skill_state", "pending_tasks"];
const FINDINGS: &[&str] = &["skill_state", "findings"];
const COMPLETED: &[&str] = &["skill_state", "completed_tasks"];

/// The arrows of the seed's diagram, and the sequence of auto mode.
pub(super) fn follows(from: CcwPhase, to: CcwPhase) -> bool {
    use CcwPhase as P;
    matches!(
        (from, to),
        (P::Init | P::Develop | P::Debug | P::Validate, P::Develop)
            | (P::Develop | P::Debug | P::Validate, P::Debug | P::Validate)
            | (P::Debug | P::Validate | P::Complete, P::Complete)
    )
}

fn enter(stage: &StepInputs<'_>, phase: &str) -> Result<FileChanges, Refusal> {
    let from = stage.state.skill.get("phase").text().unwrap_or("init").to_lowercase();
    let mode = stage.state.root.get("mode").text().unwrap_or_default();
    // In parallel mode, the workers leave the phase at init until all are done.
    let parallel = mode.eq_ignore_ascii_case("parallel") && from == "init" && phase != "init";
    let place = ACTIONS.iter().position(|action| *action == phase).ok_or_else(|| bad_value("phase"))?;
    let may_follow = CcwPhase::from_word(&from).is_some_and(|from| follows(from, CcwPhase::ALL[place]));
    if !parallel && !may_follow {
        return Err(Refusal::new(RefusalCode::WrongStep).with("field", "phase").with("status", from));
    }
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    let skill = vec![("phase", Json::text(phase)), ("action_index", Json::count(saturated(place)))];
    edits.set(SKILL, skill)?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
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

fn plan(
    stage: &StepInputs<'_>,
    output: &WorkerOutput,
    tasks: &[PlannedTask],
) -> Result<FileChanges, Refusal> {
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
    let file = files::output_file(stage, output, "init")?;
    let mut edits = Edits::new(stage.bytes);
    let mut root = vec![("updated_at", Json::text(&stage.now))];
    if state.skill.is_object() {
        edits.set(SKILL, vec![("pending_tasks", pending)])?;
        done(stage, &mut edits, &["init"])?;
    } else {
        root.push(("skill_state", initial(pending)));
    }
    edits.set(&[], root)?;
    let listed: Vec<&str> = tasks.iter().map(|task| task.description.as_str()).collect();
    Ok(FileChanges { edits: edits.finish()?, files: vec![file, files::develop_head(stage, &listed)] })
}

/// `findings`, each once.
fn remember(stage: &StepInputs<'_>, edits: &mut Edits<'_>, outputs: &[WorkerOutput]) -> Result<(), Refusal> {
    let known = stage.state.skill.get("findings").items();
    let mut new: Vec<&str> = Vec::new();
    for finding in outputs.iter().flat_map(|output| &output.findings) {
        let is_known = known.iter().any(|known| known.text() == Some(finding));
        if !is_known && !new.contains(&finding.as_str()) {
            new.push(finding);
        }
    }
    let new: Vec<Json> = new.into_iter().map(Json::text).collect();
    edits.push(FINDINGS, &new)
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

/// `workers_completed`, each once.
fn done(stage: &StepInputs<'_>, edits: &mut Edits<'_>, actions: &[&str]) -> Result<(), Refusal> {
    let listed = stage.state.skill.get("workers_completed").items();
    let is_new = |action: &&&str| !listed.iter().any(|worker| worker.text() == Some(**action));
    let new: Vec<Json> = actions.iter().filter(is_new).map(|action| Json::text(*action)).collect();
    edits.push(&["skill_state", "workers_completed"], &new)
}

fn worker_done(stage: &StepInputs<'_>, output: &WorkerOutput) -> Result<FileChanges, Refusal> {
    if !ACTIONS.contains(&output.action.as_str()) {
        return Err(bad_value("action"));
    }
    let mut edits = Edits::new(stage.bytes);
    let files = write_end(stage, std::slice::from_ref(output), &mut edits)?;
    Ok(FileChanges { edits: edits.finish()?, files })
}

/// What every end of workers writes: the round, who succeeded, the tasks they finished; and their files.
fn write_end(
    stage: &StepInputs<'_>,
    outputs: &[WorkerOutput],
    edits: &mut Edits<'_>,
) -> Result<Vec<FileWrite>, Refusal> {
    let root = vec![("current_iteration", Json::number(stage.round)), ("updated_at", Json::text(&stage.now))];
    edits.set(&[], root)?;
    let succeeded = outputs.iter().filter(|output| output.status == "success");
    done(stage, edits, &succeeded.map(|output| output.action.as_str()).collect::<Vec<_>>())?;
    let (mut files, mut entries, mut all) = (Vec::new(), Vec::new(), BTreeSet::new());
    for output in outputs {
        files.push(files::output_file(stage, output, &output.action)?);
        // A task that two workers finished counts for the first one.
        let places: BTreeSet<usize> = finished(stage, output)?.difference(&all).copied().collect();
        entries.extend(files::entries(stage, output, &places));
        entries.extend(files::debug_entry(stage, output));
        entries.extend(files::validation(stage, output));
        all.extend(places);
    }
    remember(stage, edits, outputs)?;
    if !all.is_empty() {
        let moved = all.iter().map(|&place| {
            let mut task = Json::from_node(&stage.state.pending[place]);
            task.set("status", Json::text("completed"));
            task
        });
        edits.remove(PENDING, |index| all.contains(&index))?;
        edits.push(COMPLETED, &moved.collect::<Vec<_>>())?;
    }
    files.extend(entries);
    Ok(files)
}

/// The indices of the tasks that a worker finished, without those already completed by an earlier end of the
/// same worker.
fn finished(stage: &StepInputs<'_>, output: &WorkerOutput) -> Result<BTreeSet<usize>, Refusal> {
    let mut places = BTreeSet::new();
    let at = |tasks: &[Node<'_>], id: &str| tasks.iter().position(|task| task.get("id").text() == Some(id));
    for id in &output.completed_tasks {
        let place = at(stage.state.pending, id);
        if place.is_none() && at(stage.state.completed, id).is_some() {
            continue;
        }
        places.insert(place.ok_or_else(|| Refusal::new(RefusalCode::NoSuchTask).with("field", id))?);
    }
    Ok(places)
}

fn merge_outputs(stage: &StepInputs<'_>, outputs: &[WorkerOutput]) -> Result<FileChanges, Refusal> {
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
    let files = write_end(stage, outputs, &mut edits)?;
    edits.set(SKILL, vec![("parallel_results", merge::merged(outputs, &stage.now))])?;
    Ok(FileChanges { edits: edits.finish()?, files })
}

fn complete(
    stage: &StepInputs<'_>,
    executive: &str,
    recommendations: &[String],
    worked_ms: Option<f64>,
) -> Result<FileChanges, Refusal> {
    let mut edits = Edits::new(stage.bytes);
    let root = vec![
        ("status", Json::text("completed")),
        ("updated_at", Json::text(&stage.now)),
        ("completed_at", Json::text(&stage.now)),
    ];
    edits.set(&[], root)?;
    edits.set(SKILL, vec![("phase", Json::text("complete"))])?;
    done(stage, &mut edits, &["complete"])?;
    let files = files::completed(stage, executive, recommendations, worked_ms)?;
    Ok(FileChanges { edits: edits.finish()?, files })
}

/// The seed's `failed` end; the phase shows where it happened.
fn fail(stage: &StepInputs<'_>, reason: &str) -> Result<FileChanges, Refusal> {
    if reason.trim().is_empty() {
        return Err(bad_value("reason"));
    }
    let mut edits = Edits::new(stage.bytes);
    let root = vec![
        ("status", Json::text("failed")),
        ("failure_reason", Json::text(reason)),
        ("updated_at", Json::text(&stage.now)),
        ("completed_at", Json::text(&stage.now)),
    ];
    edits.set(&[], root)?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

#[cfg(test)]
#[path = "operate_tests.rs"]
mod tests;
