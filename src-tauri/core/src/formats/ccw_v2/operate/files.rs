//! What operations write next to the master: progress texts, logs, side files (the CCW contract §7, §17).

use super::stage::OperationInputs;
use crate::formats::ccw::progress_docs::debug::{self, is_verdict};
use crate::formats::ccw::progress_docs::develop::{self, DevelopEntry};
use crate::formats::ccw::progress_docs::records::{
    CoverageFigures, Hypothesis, PlannedTask, ValidationRun, text,
};
use crate::formats::ccw::progress_docs::side::{self, Coverage};
use crate::formats::ccw::progress_docs::summary::{CompletedTask, SummaryDoc};
use crate::formats::ccw::progress_docs::{Flavour, Head, ndjson, summary as summary_doc, validate};
use crate::formats::ccw::read::docs::Docs;
use crate::formats::ccw::read::facts::texts;
use crate::formats::ccw::read::values::{count, has_status, saturated};
use crate::formats::ccw_v2::operation::{Debugged, Developed};
use crate::outcome::FileWrite;
use crate::view::CompanionKind;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

fn file(stage: &OperationInputs<'_>, name: &str) -> String {
    format!("{}.progress/{name}", stage.stem)
}

fn head(stage: &OperationInputs<'_>) -> Head {
    let root = stage.state.root;
    let task = root.get("description").text().filter(|text| !text.is_empty()).or(root.get("title").text());
    Head {
        loop_id: Some(stage.stem.to_owned()),
        task: task.map(str::to_owned),
        time: Some(stage.now.clone()),
    }
}

/// A round number as used in the texts.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn whole(number: f64) -> u32 {
    number as u32
}

/// INIT: the head of `develop.md`.
pub(crate) fn develop_head(stage: &OperationInputs<'_>, tasks: &[PlannedTask]) -> FileWrite {
    let tasks: Vec<&str> = tasks.iter().map(|task| task.description.as_str()).collect();
    FileWrite::append(file(stage, "develop.md"), develop::begin(&head(stage), &tasks), String::new())
}

/// DEVELOP: an entry, and a line of the change log.
pub(crate) fn developed(stage: &OperationInputs<'_>, index: usize, developed: &Developed) -> Vec<FileWrite> {
    let null = Node::null();
    let task = stage.state.tasks.get(index).unwrap_or(&null);
    let optional = |key: &str| task.get(key).text().map(str::to_owned);
    let done = developed.failure.is_none();
    let summary = match &developed.failure {
        Some(why) if developed.summary.is_empty() => why.clone(),
        Some(why) => format!("{}\n\n{why}", developed.summary),
        None => developed.summary.clone(),
    };
    let entry = DevelopEntry {
        iteration: Some(whole(stage.round)),
        task_id: Some(developed.task_id.clone()),
        description: text(task, "description"),
        time: Some(stage.now.clone()),
        tool: optional("tool"),
        mode: optional("mode"),
        summary,
        files: developed.files_changed.clone(),
        status: Some(if done { "completed" } else { "failed" }.to_owned()),
    };
    let listed: Vec<String> = stage.state.tasks.iter().map(|task| text(task, "description")).collect();
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    let begin = develop::begin(&head(stage), &listed);
    let entry_text = develop::append(&entry, Flavour::LoopV2);
    let mut files = vec![FileWrite::append(file(stage, "develop.md"), begin, entry_text)];
    // A failed task may also have changed files.
    if done || !developed.files_changed.is_empty() {
        let result = if done { "success" } else { "failed" };
        files.push(changed(
            stage,
            (&developed.task_id, &entry.description, result),
            &developed.files_changed,
        ));
    }
    files
}

/// DEBUG: an analysis when there are verdicts, otherwise an exploration; and all hypotheses as a side file.
pub(crate) fn debugged(
    stage: &OperationInputs<'_>,
    debugged: &Debugged,
    all: &[Hypothesis],
    (bug, iteration): (Option<&str>, f64),
) -> Vec<FileWrite> {
    let begin = debug::begin(&Head { task: bug.map(str::to_owned), ..head(stage) });
    let number = whole(iteration);
    let confirmed = debugged.confirmed.as_ref().and_then(|id| all.iter().find(|known| known.id == *id));
    let (judged, open): (Vec<_>, Vec<_>) =
        debugged.hypotheses.iter().cloned().partition(|hypothesis| is_verdict(&hypothesis.status));
    let mut text = String::new();
    if !open.is_empty() || judged.is_empty() {
        text += &debug::append_exploration(number, &stage.now, &open, &debugged.understanding);
    }
    if !judged.is_empty() {
        // A verdict on a hypothesis that is not written yet comes with its definition.
        let known: BTreeSet<&str> =
            stage.state.hypotheses.iter().filter_map(|old| old.get("id").text()).collect();
        let is_new = |new: &&Hypothesis| !known.contains(new.id.as_str());
        let new: Vec<Hypothesis> = judged.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            text += &debug::append_exploration(number, &stage.now, &new, &debugged.understanding);
        }
        text += &debug::append_analysis(number, &stage.now, &judged, &debugged.understanding, confirmed);
    }
    let files = &debugged.files_changed;
    if !files.is_empty() {
        text += &debug::append_files(&stage.now, files, confirmed.is_some());
    }
    let hypotheses = side::write_hypotheses(all, number);
    let mut writes = vec![
        FileWrite::append(file(stage, "debug.md"), begin, text),
        FileWrite::replace(file(stage, "hypotheses.json"), hypotheses),
    ];
    if !files.is_empty() {
        let why = confirmed.map(|cause| cause.description.as_str()).or(bug).unwrap_or("Debugging");
        let id = debugged.confirmed.as_deref().unwrap_or("debug");
        writes.push(changed(stage, (id, why, debugged.result()), files));
    }
    writes
}

/// A line of the change log: one for each change set.
fn changed(
    stage: &OperationInputs<'_>,
    (id, description, result): (&str, &str, &str),
    files: &[String],
) -> FileWrite {
    let line = ndjson::change_line(&ndjson::ChangeLine {
        timestamp: stage.now.clone(),
        task_id: id.to_owned(),
        description: description.to_owned(),
        files_changed: files.to_vec(),
        result: result.to_owned(),
    });
    FileWrite::append(file(stage, "changes.log"), String::new(), line)
}

/// VALIDATE: the report of this run and its side files.
pub(crate) fn validated(
    stage: &OperationInputs<'_>,
    run: &ValidationRun,
    coverage: &[(String, CoverageFigures)],
) -> Vec<FileWrite> {
    let next: &[&str] = match run.is_pass() {
        true => &["Consider code review", "Complete loop"],
        false => {
            &["Review failed tests", "Debug failures using DEBUG action", "Fix issues and re-run validation"]
        }
    };
    let report = validate::write(&head(stage), run, coverage, next);
    let mut files = vec![
        FileWrite::replace(file(stage, "validate.md"), report),
        FileWrite::replace(file(stage, "test-results.json"), side::write_test_results(run)),
    ];
    // An earlier run's figures do not apply to this one.
    let is_there = stage.companions.iter().any(|companion| companion.kind == CompanionKind::Coverage);
    if run.coverage.is_some() || is_there {
        let overall = run.coverage.unwrap_or_default();
        let text = side::write_coverage(&Coverage { files: coverage.to_vec(), overall });
        files.push(FileWrite::replace(file(stage, "coverage.json"), text));
    }
    files
}

/// COMPLETE: the results of the loop. `took_ms`: its time at work, or its age.
pub(crate) fn summary(
    stage: &OperationInputs<'_>,
    executive: &str,
    recommendations: &[String],
    took_ms: Option<f64>,
) -> SummaryDoc {
    let state = stage.state;
    let done = |task: &&Node<'_>| has_status(task, "completed");
    let completed = state.tasks.iter().filter(done).map(|task| CompletedTask {
        description: text(task, "description"),
        files: texts(task.get("files_changed")),
        completed: task.get("completed_at").text().map(str::to_owned),
    });
    let left = state.tasks.iter().filter(|task| !has_status(task, "completed"));
    let cause = state.hypotheses.iter().find(|known| known.get("id").text() == state.confirmed());
    let cause = cause.filter(|_| state.confirmed().is_some());
    let started = state.root.get("created_at").text();
    let completed: Vec<CompletedTask> = completed.collect();
    SummaryDoc {
        head: Head { time: started.map(str::to_owned), ..head(stage) },
        completed_at: Some(stage.now.clone()),
        duration_s: summary_doc::whole_seconds(took_ms),
        executive: executive.to_owned(),
        total_tasks: Some(saturated(state.tasks.len())),
        completed_tasks: Some(saturated(completed.len())),
        completed,
        pending: left.map(|task| text(task, "description")).collect(),
        iterations: Some(count(state.debug, "iteration")),
        hypotheses_tested: Some(saturated(state.hypotheses.len())),
        root_cause_found: Some(state.confirmed().is_some()),
        root_cause: cause.map(|node| format!("{}: {}", text(node, "id"), text(node, "description"))),
        test_runs: Some(saturated(state.runs.len())),
        passed: state.validate.get("passed").flag(),
        coverage: state.coverage(),
        failed_tests: Some(saturated(state.validate.get("failed_tests").items().len())),
        files_changed: debugging(stage),
        recommendations: recommendations.to_vec(),
        generated_at: Some(stage.now.clone()),
        ..SummaryDoc::default()
    }
}

/// Files changed by rounds of debugging, each once: in the change log, their id is not a task's.
fn debugging(stage: &OperationInputs<'_>) -> Vec<String> {
    let docs = Docs::read(stage.companions);
    let is_task = |id: &str| stage.state.tasks.iter().any(|task| task.get("id").text() == Some(id));
    let lines = docs.changes.iter().flat_map(|log| &log.says.entries);
    let files = lines.filter(|line| !is_task(&line.task_id)).flat_map(|line| &line.files_changed);
    let mut seen = BTreeSet::new();
    files.filter(|file| seen.insert(crate::place::same_path(file))).cloned().collect()
}

/// COMPLETE: `summary.md`.
pub(crate) fn completed(stage: &OperationInputs<'_>, doc: &SummaryDoc) -> FileWrite {
    FileWrite::replace(file(stage, "summary.md"), summary_doc::write(doc, Flavour::LoopV2))
}
