//! The sections of `skill_state` as progress and side files tell them: field, value, source (the CCW contract §16).

use super::initial;
use super::state::saturated;
use crate::ccw::progress_docs::develop::{DevelopDoc, DevelopEntry};
use crate::ccw::progress_docs::ndjson::{self, Change};
use crate::ccw::progress_docs::records::{CoverageFigures, Hypothesis, ValidationRun};
use crate::ccw::progress_docs::{debug as debug_doc, side, validate as validate_doc};
use crate::ccw::recover::Sources;
use crate::json_span::json::Json;
use crate::view::CompanionKind;
use std::collections::{BTreeMap, BTreeSet};

type Fields = Vec<(&'static str, Json, &'static str)>;

/// Tasks of `develop.md`, completed by its timeline and by `changes.log`; the task list when there is neither.
pub(super) fn develop(sources: &Sources<'_>, doc: &DevelopDoc) -> Fields {
    let log = sources.bytes(CompanionKind::ChangesLog).map(ndjson::changes);
    let changes = log.map(|log| log.entries).unwrap_or_default();
    let tasks = rebuilt_tasks(doc, &changes);
    if tasks.is_empty() {
        let listed = super::task_list::read(sources.companions, &mut Vec::new());
        let tasks: Vec<Json> = listed.iter().map(listed_task).collect();
        return if tasks.is_empty() { Vec::new() } else { counted(tasks, "tasks.jsonl") };
    }
    let source = if doc.tasks.is_empty() && doc.entries.is_empty() { "changes.log" } else { "develop.md" };
    let mut fields = counted(tasks, source);
    let last = doc.entries.last().and_then(|entry| entry.time.as_deref());
    let last = last.or(changes.last().map(|change| change.timestamp.as_str()));
    fields.extend(last.map(|time| ("last_progress_at", Json::text(time), source)));
    fields
}

fn counted(tasks: Vec<Json>, source: &'static str) -> Fields {
    let section = initial::develop(tasks);
    let keys = ["total", "completed", "tasks"];
    keys.into_iter().filter_map(|key| Some((key, section.get(key)?.clone(), source))).collect()
}

fn listed_task(task: &crate::view::ListedTask) -> Json {
    let time = task.created.as_ref().map(|time| time.text.as_str());
    Json::object(vec![
        ("id", Json::text(&task.id)),
        ("description", Json::text(&task.description)),
        ("tool", Json::text(&task.tool)),
        ("mode", Json::text(&task.mode)),
        ("status", Json::text("pending")),
        ("created_at", Json::optional(time)),
        ("completed_at", Json::Null),
    ])
}

fn rebuilt_tasks(doc: &DevelopDoc, changes: &[Change]) -> Vec<Json> {
    let mut worked: BTreeMap<&str, &DevelopEntry> = BTreeMap::new();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for entry in &doc.entries {
        worked.insert(&entry.description, entry);
        ids.extend(entry.task_id.as_deref());
    }
    let by_text: BTreeMap<&str, &Change> =
        changes.iter().map(|change| (change.description.as_str(), change)).collect();
    let listed: BTreeSet<&str> = doc.tasks.iter().map(|(_, text)| text.as_str()).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let texts = doc.tasks.iter().map(|(_, text)| text.as_str());
    let texts = texts.chain(doc.entries.iter().map(|entry| entry.description.as_str()));
    let texts = texts.chain(changes.iter().map(|change| change.description.as_str()));
    let mut tasks = Vec::new();
    let mut number = 0;
    for text in texts {
        // Two listed tasks may say the same; a worked one stands for the listed one.
        let again = !seen.insert(text);
        if again && (!listed.contains(text) || tasks.len() >= doc.tasks.len()) {
            continue;
        }
        let entry = worked.get(text).copied().filter(|_| !again);
        let change = by_text.get(text).copied().filter(|_| !again);
        let id =
            entry.and_then(|entry| entry.task_id.clone()).or(change.map(|change| change.task_id.clone()));
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| {
            loop {
                number += 1;
                let id = format!("task-{number:03}");
                if !ids.contains(id.as_str()) {
                    break id;
                }
            }
        });
        tasks.push(rebuilt_task(&id, text, entry, change));
    }
    tasks
}

fn rebuilt_task(id: &str, text: &str, entry: Option<&DevelopEntry>, change: Option<&Change>) -> Json {
    let status = entry.and_then(|entry| entry.status.as_deref()).filter(|word| *word == "failed");
    let done = entry.is_some() || change.is_some();
    let status = status.unwrap_or(if done { "completed" } else { "pending" });
    let time =
        entry.and_then(|entry| entry.time.as_deref()).or(change.map(|change| change.timestamp.as_str()));
    let mut members = vec![("id", Json::text(id)), ("description", Json::text(text))];
    if let Some(entry) = entry {
        members.extend(entry.tool.as_deref().map(|tool| ("tool", Json::text(tool))));
        members.extend(entry.mode.as_deref().map(|mode| ("mode", Json::text(mode))));
    }
    members.push(("status", Json::text(status)));
    members.push(("completed_at", Json::optional(time.filter(|_| status == "completed"))));
    let files = entry.map(|entry| &entry.files).or(change.map(|change| &change.files_changed));
    members.extend(files.map(|files| ("files_changed", Json::texts(files))));
    Json::object(members)
}

/// Hypotheses of their side file, else of `debug.md`; evidence also from `debug.log`.
pub(super) fn debug(sources: &Sources<'_>) -> Fields {
    let doc = sources.bytes(CompanionKind::DebugDoc).map(debug_doc::read);
    let file = sources.bytes(CompanionKind::Hypotheses).and_then(|bytes| side::hypotheses(bytes).content);
    let from_file = file.as_ref().is_some_and(|file| !file.hypotheses.is_empty());
    let source = if from_file { "hypotheses.json" } else { "debug.md" };
    let doc_hypotheses = doc.as_ref().map(|doc| doc.hypotheses.clone()).unwrap_or_default();
    let hypotheses = file.as_ref().map(|file| file.hypotheses.clone()).filter(|_| from_file);
    let mut hypotheses = hypotheses.unwrap_or(doc_hypotheses);
    if doc.is_none() && file.is_none() {
        return Vec::new();
    }
    add_evidence(sources, &mut hypotheses);
    let confirmed = |id: &str| hypotheses.iter().any(|known| known.id == id && known.status == "confirmed");
    let cause = doc.as_ref().and_then(|doc| doc.confirmed.clone()).filter(|id| confirmed(id));
    let cause = cause.or_else(|| {
        let known = hypotheses.iter().find(|known| known.status == "confirmed");
        known.map(|known| known.id.clone())
    });
    let iteration =
        file.as_ref().and_then(|file| file.iteration).map(|number| (Json::number(number), "hypotheses.json"));
    let iteration = iteration.or_else(|| {
        let number = doc.as_ref().and_then(|doc| doc.iteration);
        number.map(|number| (Json::count(number), "debug.md"))
    });
    let mut fields = vec![
        ("hypotheses_count", Json::count(saturated(hypotheses.len())), source),
        ("hypotheses", Json::List(hypotheses.iter().map(Hypothesis::json).collect()), source),
        ("confirmed_hypothesis", Json::optional(cause.as_deref()), source),
    ];
    fields.extend(iteration.map(|(number, source)| ("iteration", number, source)));
    if let Some(doc) = doc {
        fields.extend(doc.head.task.map(|bug| ("active_bug", Json::text(bug), "debug.md")));
        fields.extend(doc.last_analysis.map(|time| ("last_analysis_at", Json::text(time), "debug.md")));
    }
    fields
}

fn add_evidence(sources: &Sources<'_>, hypotheses: &mut [Hypothesis]) {
    let Some(bytes) = sources.bytes(CompanionKind::DebugLog) else { return };
    let mut by_id: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for entry in ndjson::debug_entries(bytes).entries {
        by_id.entry(entry.hid).or_default().push(entry.entry);
    }
    for hypothesis in hypotheses.iter_mut().filter(|known| known.evidence == Json::Null) {
        if let Some(entries) = by_id.remove(&hypothesis.id) {
            hypothesis.evidence = Json::List(entries);
        }
    }
}

/// The latest run: of its side file, else of the report, which has no passing rows.
pub(super) fn validate(sources: &Sources<'_>) -> Fields {
    let results =
        sources.bytes(CompanionKind::TestResults).and_then(|bytes| side::test_results(bytes).content);
    let source = if results.is_some() { "test-results.json" } else { "validate.md" };
    let coverage = sources.bytes(CompanionKind::Coverage).and_then(|bytes| side::coverage(bytes).content);
    let report = sources.bytes(CompanionKind::ValidateDoc).map(validate_doc::read);
    let Some(mut run) = results.or_else(|| report.map(reported)) else { return Vec::new() };
    if run.coverage.is_none() {
        run.coverage = coverage.map(|coverage| coverage.overall);
    }
    let rate = (run.pass_rate().unwrap_or_default() * 10.0).round() / 10.0;
    let statements = run.coverage.and_then(|figures| figures.statements).unwrap_or_default();
    vec![
        ("pass_rate", Json::number(rate), source),
        ("coverage", Json::number(statements), source),
        ("test_results", Json::List(vec![run.json()]), source),
        ("passed", Json::Bool(run.is_pass()), source),
        ("failed_tests", Json::texts(&run.failed_tests()), source),
        ("last_run_at", Json::optional(Some(run.timestamp.as_str()).filter(|time| !time.is_empty())), source),
    ]
}

fn reported(doc: validate_doc::ValidateDoc) -> ValidationRun {
    let overall = |statements| CoverageFigures { statements: Some(statements), ..CoverageFigures::default() };
    ValidationRun {
        iteration: doc.iteration.unwrap_or_default(),
        timestamp: doc.head.time.unwrap_or_default(),
        passed: doc.passed.unwrap_or_default(),
        failed: doc.failed.unwrap_or_default(),
        skipped: doc.skipped.unwrap_or_default(),
        duration_ms: doc.duration_ms,
        tests: doc.failed_tests,
        coverage: doc.overall_coverage.map(overall),
    }
}
