//! What our driver writes in place of the skill: INIT, DEVELOP, DEBUG, VALIDATE, COMPLETE (the CCW contract
//! §7).
//!
//! The transitions are those of the seeds, with a correct `current_action`, complete `completed_actions` and
//! correct UTC times (§3). Existing tasks, hypotheses and runs are edited in place, so that foreign fields
//! stay.

pub(crate) mod errors;
pub(crate) mod files;

use super::forms::InitMode;
use super::operation::{Beginning, Debugged, Developed, LoopV2Operation};
use crate::control::Situation;
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::{Edits, gate, gate_at_end, gate_paused, not_editable, took};
use crate::formats::ccw::progress_docs::debug::is_verdict;
use crate::formats::ccw::progress_docs::records::{
    CcwRecord, CoverageFigures, Hypothesis, PlannedTask, ValidationRun,
};
use crate::formats::ccw::progress_docs::summary::SummaryDoc;
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw::read::values::{has_status, saturated};
use crate::formats::ccw_v2::drive::listed;
use crate::outcome::FileChanges;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::times;
use crate::view::Companion;
use loopdeck_agents::answers::is_id;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use stage::OperationInputs;
use std::collections::BTreeSet;

/// Edits of the master and texts for the progress files.
///
/// # Errors
/// A refusal when the loop is not running, belongs to someone else, or is not at the operation's starting
/// point.
pub fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &LoopV2Operation,
    situation: &Situation,
) -> Result<FileChanges, Refusal> {
    operate_with_companions(bytes, facts, operation, situation, &[])
}

/// [`operate`], with the files next to the master: the summary needs the change log to name the files of
/// DEBUG.
///
/// # Errors
/// Like [`operate`].
pub fn operate_with_companions(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &LoopV2Operation,
    situation: &Situation,
    companions: &[Companion],
) -> Result<FileChanges, Refusal> {
    let summary = match operation {
        LoopV2Operation::Begin { .. }
        | LoopV2Operation::TakeUp { .. }
        | LoopV2Operation::Complete { .. }
        | LoopV2Operation::Leave => gate(bytes, Format::LoopV2, facts, situation)?,
        LoopV2Operation::PauseExit => gate_paused(bytes, Format::LoopV2, facts, situation)?,
        _ => gate_at_end(bytes, Format::LoopV2, facts, situation)?,
    };
    let root = Node::parse(bytes).map_err(|_| Refusal::new(RefusalCode::DamagedFile))?;
    let state = CcwState::new(&root, Home::SkillState);
    let is_init = matches!(operation, LoopV2Operation::Init { .. });
    match (is_init, state.skill.is_object()) {
        (true, true) => return Err(Refusal::new(RefusalCode::AlreadyInitialised)),
        (false, false) => return Err(Refusal::new(RefusalCode::NotInitialised)),
        _ => {}
    }
    let is_round = !matches!(
        operation,
        LoopV2Operation::Complete { .. }
            | LoopV2Operation::Failed { .. }
            | LoopV2Operation::Leave
            | LoopV2Operation::PauseExit
    );
    if summary.at_limit() && !is_init && is_round {
        return Err(Refusal::because(RefusalCode::LimitReached, &summary));
    }
    let stage = OperationInputs {
        bytes,
        state: &state,
        summary: &summary,
        stem: facts.stem,
        now: times::to_iso_millis(situation.now),
        now_ms: situation.now,
        round: summary.iteration.map_or(1.0, |bar| bar.current + 1.0),
        companions,
    };
    match operation {
        LoopV2Operation::Init { mode, tasks } => init(&stage, *mode, tasks),
        LoopV2Operation::TakeUp { tasks } => listed::take_up(&stage, tasks),
        LoopV2Operation::Begin { beginning } => begin(&stage, beginning),
        LoopV2Operation::Develop(developed) => develop(&stage, developed),
        LoopV2Operation::Debug(debugged) => debug(&stage, debugged),
        LoopV2Operation::Tested(counted) => validate(&stage, &counted.run()?, &[]),
        LoopV2Operation::Validate { run, files } => validate(&stage, run, files),
        LoopV2Operation::Complete { executive, recommendations, worked_ms } => {
            complete(&stage, executive, recommendations, *worked_ms)
        }
        LoopV2Operation::Failed { errors } => errors::failed(&stage, errors),
        LoopV2Operation::Leave => leave(bytes, &stage.now),
        LoopV2Operation::PauseExit => pause_exit(&stage),
    }
}

/// The menu's exit writes only these two fields, in Loop v2 and Loop-B.
pub(crate) fn leave(bytes: &[u8], now: &str) -> Result<FileChanges, Refusal> {
    let mut edits = Edits::new(bytes);
    edits.set(&[], vec![("status", Json::text("user_exit")), ("updated_at", Json::text(now))])?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

fn pause_exit(stage: &OperationInputs<'_>) -> Result<FileChanges, Refusal> {
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    edits.set(SKILL, vec![("current_action", Json::text("paused"))])?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

fn init(stage: &OperationInputs<'_>, mode: InitMode, tasks: &[PlannedTask]) -> Result<FileChanges, Refusal> {
    let mut ids = BTreeSet::new();
    let good = |task: &PlannedTask| is_id(&task.id) && !task.description.trim().is_empty();
    if tasks.is_empty() || !tasks.iter().all(|task| good(task) && ids.insert(task.id.as_str())) {
        return Err(bad_value("tasks"));
    }
    let mut edits = Edits::new(stage.bytes);
    let skill = crate::formats::ccw_v2::create::initial::skill_state(mode.word(), tasks, &stage.now);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now)), ("skill_state", skill)])?;
    Ok(FileChanges { edits: edits.finish()?, files: vec![files::develop_head(stage, tasks)] })
}

fn begin(stage: &OperationInputs<'_>, beginning: &Beginning) -> Result<FileChanges, Refusal> {
    let mut edits = Edits::new(stage.bytes);
    edits.set(&[], vec![("updated_at", Json::text(&stage.now))])?;
    let action = match beginning {
        Beginning::Develop { task_id } => {
            let index =
                open_task(stage, task_id).or_else(|refusal| failed_task(stage, task_id).ok_or(refusal))?;
            edits.set(DEVELOP, vec![("current_task", Json::text(task_id))])?;
            edits.set_items(TASKS, vec![(index, vec![("status", Json::text("in_progress"))])])?;
            "develop"
        }
        Beginning::Debug => "debug",
        Beginning::Validate => "validate",
    };
    edits.set(SKILL, vec![("current_action", Json::text(action))])?;
    Ok(FileChanges { edits: edits.finish()?, files: Vec::new() })
}

const SKILL: &[&str] = &["skill_state"];
const DEVELOP: &[&str] = &["skill_state", "develop"];
const TASKS: &[&str] = &["skill_state", "develop", "tasks"];
const HYPOTHESES: &[&str] = &["skill_state", "debug", "hypotheses"];

/// The index of an open task.
fn open_task(stage: &OperationInputs<'_>, id: &str) -> Result<usize, Refusal> {
    let is_open = |task: &Node<'_>| {
        task.get("id").text() == Some(id) && (has_status(task, "pending") || has_status(task, "in_progress"))
    };
    let place = stage.state.tasks.iter().position(is_open);
    place.ok_or_else(|| Refusal::new(RefusalCode::NoSuchTask).with("field", id))
}

/// The index of a failed task.
fn failed_task(stage: &OperationInputs<'_>, id: &str) -> Option<usize> {
    let is_it = |task: &Node<'_>| task.get("id").text() == Some(id) && has_status(task, "failed");
    stage.state.tasks.iter().position(is_it)
}

/// What every finished action writes; `section` is its part of the skill state, if missing there.
fn round<'b>(
    stage: &OperationInputs<'b>,
    action: &str,
    section: Option<(&str, Json)>,
) -> Result<Edits<'b>, Refusal> {
    let mut edits = Edits::new(stage.bytes);
    let mut root = vec![("updated_at", Json::text(&stage.now))];
    if action == "COMPLETE" {
        root.push(("status", Json::text("completed")));
        root.push(("completed_at", Json::text(&stage.now)));
    } else {
        root.push(("current_iteration", Json::number(stage.round)));
    }
    edits.set(&[], root)?;
    let mut skill =
        vec![("current_action", Json::text(action.to_lowercase())), ("last_action", Json::text(action))];
    if let Some((key, value)) = section {
        let path = ["skill_state", key];
        if key != "summary" && edits.holds_something(&path) {
            return Err(not_editable(&path));
        }
        skill.push((key, value));
    }
    let actions = stage.state.skill.get("completed_actions");
    if actions.is_null() {
        skill.push(("completed_actions", Json::texts(&[action])));
    } else {
        edits.push(&["skill_state", "completed_actions"], &[Json::text(action)])?;
    }
    edits.set(SKILL, skill)?;
    Ok(edits)
}

fn develop(stage: &OperationInputs<'_>, developed: &Developed) -> Result<FileChanges, Refusal> {
    let index = open_task(stage, &developed.task_id)?;
    let mut edits = round(stage, "DEVELOP", None)?;
    let done = developed.failure.is_none();
    let before = stage.state.tasks.iter().filter(|task| has_status(task, "completed")).count();
    let completed = saturated(before + usize::from(done));
    edits.set(
        DEVELOP,
        vec![
            ("completed", Json::count(completed)),
            ("current_task", Json::text(&developed.task_id)),
            ("last_progress_at", Json::text(&stage.now)),
        ],
    )?;
    let task = vec![
        ("status", Json::text(if done { "completed" } else { "failed" })),
        ("completed_at", if done { Json::text(&stage.now) } else { Json::Null }),
        ("files_changed", Json::texts(&developed.files_changed)),
    ];
    edits.set_items(TASKS, vec![(index, task)])?;
    if let Some(message) = &developed.failure {
        errors::failed_now(stage, &mut edits, "DEVELOP", message)?;
    }
    Ok(FileChanges { edits: edits.finish()?, files: files::developed(stage, index, developed) })
}

fn debug(stage: &OperationInputs<'_>, debugged: &Debugged) -> Result<FileChanges, Refusal> {
    let merged = merge(stage, debugged)?;
    // A cause that was judged again and no longer holds is not a root cause either.
    let overturned =
        |id: &&str| merged.all.iter().any(|known| known.id == *id && known.status != "confirmed");
    let earlier = stage.state.confirmed().filter(|id| !overturned(id));
    let confirmed = debugged.confirmed.as_deref().or(earlier);
    let iteration = stage.state.debug.get("iteration").number().unwrap_or_default() + 1.0;
    let failed = stage.state.validate.get("failed_tests").items().first().and_then(Node::text);
    let bug =
        debugged.active_bug.as_deref().or(failed).or_else(|| stage.state.debug.get("active_bug").text());
    let values = vec![
        ("active_bug", Json::optional(bug)),
        ("hypotheses_count", Json::count(saturated(merged.all.len()))),
        ("confirmed_hypothesis", Json::optional(confirmed)),
        ("iteration", Json::number(iteration)),
        ("last_analysis_at", Json::text(&stage.now)),
    ];
    let edits = if stage.state.debug.is_object() {
        let mut edits = round(stage, "DEBUG", None)?;
        edits.set(&["skill_state", "debug"], values)?;
        edits.set_items(HYPOTHESES, merged.changes)?;
        edits.push(HYPOTHESES, &merged.new)?;
        edits
    } else {
        let mut section = crate::formats::ccw_v2::create::initial::debug();
        for (key, value) in values {
            section.set(key, value);
        }
        section.set("hypotheses", Json::List(merged.new));
        round(stage, "DEBUG", Some(("debug", section)))?
    };
    let files = files::debugged(stage, debugged, &merged.all, (bug, iteration));
    Ok(FileChanges { edits: edits.finish()?, files })
}

/// Hypotheses after a round: edits of existing ones, the new ones, and all of them.
struct Merged {
    changes: Vec<(usize, Vec<(&'static str, Json)>)>,
    new: Vec<Json>,
    all: Vec<Hypothesis>,
}

fn merge(stage: &OperationInputs<'_>, debugged: &Debugged) -> Result<Merged, Refusal> {
    let mut all: Vec<Hypothesis> = stage.state.hypotheses.iter().map(Hypothesis::from_node).collect();
    let places: std::collections::BTreeMap<String, usize> =
        all.iter().enumerate().map(|(index, hypothesis)| (hypothesis.id.clone(), index)).collect();
    let mut merged = Merged { changes: Vec::new(), new: Vec::new(), all: Vec::new() };
    let mut ids = BTreeSet::new();
    for hypothesis in &debugged.hypotheses {
        // A foreign word stays while other fields of the hypothesis change.
        let kept = places.get(&hypothesis.id).is_some_and(|&index| all[index].status == hypothesis.status);
        let known = hypothesis.status == "pending" || is_verdict(&hypothesis.status) || kept;
        if !is_id(&hypothesis.id) || !ids.insert(&hypothesis.id) || !known {
            return Err(bad_value("hypotheses"));
        }
        match places.get(&hypothesis.id) {
            Some(&index) => {
                // Evidence accumulates: if none is given, nothing new was found.
                let kept = if hypothesis.evidence == Json::Null { &all[index] } else { hypothesis };
                let hypothesis = Hypothesis { evidence: kept.evidence.clone(), ..hypothesis.clone() };
                merged.changes.extend(changed(index, &all[index], &hypothesis));
                all[index] = hypothesis;
            }
            None => {
                merged.new.push(hypothesis.json());
                all.push(hypothesis.clone());
            }
        }
    }
    let confirmed = |id: &String| all.iter().any(|known| known.id == *id && known.status == "confirmed");
    if !debugged.confirmed.as_ref().is_none_or(confirmed) {
        return Err(bad_value("confirmed_hypothesis"));
    }
    merged.all = all;
    Ok(merged)
}

type ItemChange = (usize, Vec<(&'static str, Json)>);

fn changed(index: usize, old: &Hypothesis, new: &Hypothesis) -> Option<ItemChange> {
    const KEYS: [&str; 9] = [
        "id",
        "description",
        "testable_condition",
        "logging_point",
        "evidence_criteria",
        "likelihood",
        "status",
        "evidence",
        "verdict_reason",
    ];
    let (old, new) = (old.json(), new.json());
    let differs = KEYS.into_iter().filter(|key| old.get(key) != new.get(key));
    let values: Vec<_> = differs.filter_map(|key| Some((key, new.get(key)?.clone()))).collect();
    (!values.is_empty()).then_some((index, values))
}

fn validate(
    stage: &OperationInputs<'_>,
    run: &ValidationRun,
    coverage: &[(String, CoverageFigures)],
) -> Result<FileChanges, Refusal> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let iteration = stage.round as u32;
    let run = ValidationRun { iteration, timestamp: stage.now.clone(), ..run.clone() };
    let rate = (run.pass_rate().unwrap_or_default() * 10.0).round() / 10.0;
    let covered = run.coverage.and_then(|figures| figures.overall()).unwrap_or_default();
    let values = vec![
        ("pass_rate", Json::number(rate)),
        ("coverage", Json::number(covered)),
        ("passed", Json::Bool(run.is_pass())),
        ("failed_tests", Json::texts(&run.failed_tests())),
        ("last_run_at", Json::text(&stage.now)),
    ];
    let edits = if stage.state.validate.is_object() {
        let mut edits = round(stage, "VALIDATE", None)?;
        edits.set(&["skill_state", "validate"], values)?;
        edits.push(&["skill_state", "validate", "test_results"], &[run.json()])?;
        edits
    } else {
        let mut section = crate::formats::ccw_v2::create::initial::validate();
        for (key, value) in values {
            section.set(key, value);
        }
        section.set("test_results", Json::List(vec![run.json()]));
        round(stage, "VALIDATE", Some(("validate", section)))?
    };
    Ok(FileChanges { edits: edits.finish()?, files: files::validated(stage, &run, coverage) })
}

fn complete(
    stage: &OperationInputs<'_>,
    executive: &str,
    recommendations: &[String],
    worked_ms: Option<f64>,
) -> Result<FileChanges, Refusal> {
    let (took_ms, since_created) = took(worked_ms, stage.summary, stage.now_ms);
    let doc = SummaryDoc { since_created, ..files::summary(stage, executive, recommendations, took_ms) };
    let summary = crate::formats::ccw_v2::create::initial::summary(stage, &doc, took_ms.unwrap_or_default());
    let edits = round(stage, "COMPLETE", Some(("summary", summary)))?;
    Ok(FileChanges { edits: edits.finish()?, files: vec![files::completed(stage, &doc)] })
}

#[cfg(test)]
#[path = "operate_debug_tests.rs"]
mod debug_tests;
pub(crate) mod stage;
#[cfg(test)]
#[path = "operate_tests.rs"]
mod tests;
