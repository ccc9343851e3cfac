//! Initial sections of `skill_state` (the CCW contract §2), and the final summary.

use crate::formats::ccw::progress_docs::records::PlannedTask;
use crate::formats::ccw::progress_docs::summary::SummaryDoc;
use crate::formats::ccw_v2::operate::stage::OperationInputs;
use loopdeck_text::json_span::json::Json;

/// Default priority of a task: the middle of three (§11).
pub(crate) const USUAL_PRIORITY: u32 = 2;

/// `skill_state` as INIT writes it.
pub(crate) fn skill_state(mode: &str, tasks: &[PlannedTask], now: &str) -> Json {
    let tasks: Vec<Json> = tasks.iter().map(|planned| task(planned, now)).collect();
    Json::object(vec![
        ("current_action", Json::text("init")),
        ("last_action", Json::Null),
        ("completed_actions", Json::List(Vec::new())),
        ("mode", Json::text(mode)),
        ("develop", develop(tasks)),
        ("debug", debug()),
        ("validate", validate()),
        ("errors", Json::List(Vec::new())),
    ])
}

/// A planned task (seeds 000 and 001, `DevelopTask`).
pub(crate) fn task(task: &PlannedTask, now: &str) -> Json {
    Json::object(vec![
        ("id", Json::text(&task.id)),
        ("description", Json::text(&task.description)),
        ("tool", Json::text(&task.tool)),
        ("mode", Json::text(&task.mode)),
        ("status", Json::text("pending")),
        ("priority", Json::count(task.priority)),
        ("files", Json::texts(&task.files)),
        ("files_changed", Json::List(Vec::new())),
        ("created_at", Json::text(now)),
        ("completed_at", Json::Null),
    ])
}

/// `develop` with these tasks and their counts.
pub(crate) fn develop(tasks: Vec<Json>) -> Json {
    let count = |tasks: usize| Json::count(crate::formats::ccw::read::values::saturated(tasks));
    let is_done = |task: &&Json| task.get("status").and_then(Json::as_text) == Some("completed");
    Json::object(vec![
        ("total", count(tasks.len())),
        ("completed", count(tasks.iter().filter(is_done).count())),
        ("current_task", Json::Null),
        ("tasks", Json::List(tasks)),
        ("last_progress_at", Json::Null),
    ])
}

/// `debug` before any hypothesis.
pub(crate) fn debug() -> Json {
    Json::object(vec![
        ("active_bug", Json::Null),
        ("hypotheses_count", Json::count(0)),
        ("hypotheses", Json::List(Vec::new())),
        ("confirmed_hypothesis", Json::Null),
        ("iteration", Json::count(0)),
        ("last_analysis_at", Json::Null),
    ])
}

/// `validate` before any run.
pub(crate) fn validate() -> Json {
    Json::object(vec![
        ("pass_rate", Json::count(0)),
        ("coverage", Json::count(0)),
        ("test_results", Json::List(Vec::new())),
        ("passed", Json::Bool(false)),
        ("failed_tests", Json::List(Vec::new())),
        ("last_run_at", Json::Null),
    ])
}

/// `skill_state.summary`, from the same figures as `summary.md`.
pub(crate) fn summary(stage: &OperationInputs<'_>, doc: &SummaryDoc, duration_ms: f64) -> Json {
    let count = |number: Option<u32>| Json::count(number.unwrap_or_default());
    let (total, done) = (doc.total_tasks.unwrap_or_default(), doc.completed_tasks.unwrap_or_default());
    let rate = match total {
        0 => Json::count(0),
        _ => Json::text(format!("{:.1}", f64::from(done) / f64::from(total) * 100.0)),
    };
    let develop = vec![
        ("total_tasks", Json::count(total)),
        ("completed_tasks", Json::count(done)),
        ("completion_rate", rate),
    ];
    let debug = vec![
        ("iterations", count(doc.iterations)),
        ("hypotheses_tested", count(doc.hypotheses_tested)),
        ("root_cause_found", Json::Bool(doc.root_cause_found == Some(true))),
    ];
    let validate = vec![
        ("runs", count(doc.test_runs)),
        ("passed", Json::Bool(doc.passed == Some(true))),
        ("coverage", doc.coverage.map_or(Json::count(0), Json::number)),
        ("failed_tests", count(doc.failed_tests)),
    ];
    Json::object(vec![
        ("duration", Json::number(duration_ms.round())),
        ("iterations", Json::number(stage.round - 1.0)),
        ("develop", Json::object(develop)),
        ("debug", Json::object(debug)),
        ("validate", Json::object(validate)),
    ])
}
