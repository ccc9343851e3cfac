//! What our coordinator writes next to the master: worker outputs and progress texts (the CCW contract §8,
//! §17).

use crate::formats::ccw::drive::took;
use crate::formats::ccw::progress_docs::develop::{self, DevelopEntry};
use crate::formats::ccw::progress_docs::loop_b::{self, DebugEntry};
use crate::formats::ccw::progress_docs::records::{ValidationRun, text};
use crate::formats::ccw::progress_docs::side::{self, Coverage};
use crate::formats::ccw::progress_docs::summary::{self, SummaryDoc};
use crate::formats::ccw::progress_docs::{Flavour, Head};
use crate::formats::ccw::read::values::{count, saturated};
use crate::formats::loop_b::operate::{StepInputs, Tested, WorkerOutput};
use crate::formats::loop_b::read::report::{self, FinishedTask, WorkerReport};
use crate::formats::loop_b::read::state::{self, Output};
use crate::outcome::FileWrite;
use crate::refusal::{Refusal, bad_value};
use crate::view::CompanionKind;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

fn progress(stage: &StepInputs<'_>, name: &str) -> String {
    format!("{}.progress/{name}", stage.stem)
}

fn head(stage: &StepInputs<'_>) -> Head {
    let root = stage.state.root;
    let task = root.get("description").text().filter(|text| !text.is_empty()).or(root.get("title").text());
    Head {
        loop_id: Some(stage.stem.to_owned()),
        task: task.map(str::to_owned),
        time: Some(stage.now.clone()),
    }
}

/// The output file of a worker; its name is derived from an action of the format, never from external text.
pub(crate) fn output_file(
    stage: &StepInputs<'_>,
    output: &WorkerOutput,
    expected: &str,
) -> Result<FileWrite, Refusal> {
    if output.action != expected {
        return Err(bad_value("action"));
    }
    let file = format!("{}.workers/{expected}.output.json", stage.stem);
    Ok(FileWrite::replace(file, output.json(&stage.now).pretty()))
}

/// `init`: the head of `develop.md`.
pub(crate) fn develop_head(stage: &StepInputs<'_>, tasks: &[&str]) -> FileWrite {
    let begin = develop::begin_loop_b(&head(stage), tasks);
    FileWrite::append(progress(stage, "develop.md"), begin, String::new())
}

/// The number of this round, as used in the texts.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn iteration(stage: &StepInputs<'_>) -> u32 {
    stage.round as u32
}

/// An entry of `debug.md`.
pub(crate) fn debug_entry(stage: &StepInputs<'_>, output: &WorkerOutput) -> Option<FileWrite> {
    let debugged = output.debugged.as_ref()?;
    let cause = debugged.hypotheses.iter().find(|known| debugged.confirmed.as_ref() == Some(&known.id));
    let issues = output.report.as_ref().map_or(&[][..], |report| &report.issues_found);
    let entry = DebugEntry {
        iteration: iteration(stage),
        time: &stage.now,
        summary: &output.summary,
        hypotheses: &debugged.hypotheses,
        root_cause: cause.map(|cause| (cause.id.as_str(), cause.description.as_str())),
        issues,
        files: &output.files_changed,
        status: &output.status,
    };
    let head = head(stage);
    let head = Head { task: debugged.bug.clone().or(head.task), ..head };
    let (begin, text) = (loop_b::begin_debug(&head), loop_b::append_debug(&entry));
    Some(FileWrite::append(progress(stage, "debug.md"), begin, text))
}

/// The report of a test run, with its rows and its coverage by file next to it.
pub(crate) fn validation(stage: &StepInputs<'_>, output: &WorkerOutput) -> Vec<FileWrite> {
    let Some(Tested { run, files }) = output.tested.as_deref() else { return Vec::new() };
    let run = ValidationRun { iteration: iteration(stage), timestamp: stage.now.clone(), ..run.clone() };
    let replace = |name: &str, text: String| FileWrite::replace(progress(stage, name), text);
    let mut written = vec![
        replace("validate.md", loop_b::write_validation(&head(stage), &run)),
        replace("test-results.json", side::write_test_results(&run)),
    ];
    // An earlier run's figures do not apply to this one.
    let is_there = stage.companions.iter().any(|companion| companion.kind == CompanionKind::Coverage);
    if run.coverage.is_some() || is_there {
        let coverage = Coverage { files: files.clone(), overall: run.coverage.unwrap_or_default() };
        written.push(replace("coverage.json", side::write_coverage(&coverage)));
    }
    written
}

/// Entries of `develop.md` for finished tasks, and for the one at which the develop worker failed.
pub(crate) fn entries(
    stage: &StepInputs<'_>,
    output: &WorkerOutput,
    places: &BTreeSet<usize>,
) -> Option<FileWrite> {
    let null = Node::null();
    let finished = places.iter().map(|&place| (&stage.state.pending[place], None));
    let failed = (output.action == "develop" && output.status == "failed").then(|| {
        let open = stage.state.pending.iter().enumerate().find(|(place, _)| !places.contains(place));
        (open.map_or(&null, |(_, task)| task), Some(output.status.clone()))
    });
    let entries: String = finished
        .chain(failed)
        .map(|(task, status)| {
            let entry = DevelopEntry {
                iteration: Some(iteration(stage)),
                task_id: Some(text(task, "id")),
                description: text(task, "description"),
                time: Some(stage.now.clone()),
                summary: output.summary.clone(),
                files: output.files_changed.clone(),
                status,
                ..DevelopEntry::default()
            };
            develop::append(&entry, Flavour::LoopB)
        })
        .collect();
    let listed: Vec<String> = stage.state.pending.iter().map(|task| text(task, "description")).collect();
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    let file = progress(stage, "develop.md");
    (!entries.is_empty())
        .then(|| FileWrite::append(file, develop::begin_loop_b(&head(stage), &listed), entries))
}

/// `complete`: its output, and `summary.md` with the results of each worker before it.
pub(crate) fn completed(
    stage: &StepInputs<'_>,
    executive: &str,
    recommendations: &[String],
    worked_ms: Option<f64>,
) -> Result<Vec<FileWrite>, Refusal> {
    let state = stage.state;
    let (mut outputs, _) = state::outputs(state, stage.companions);
    // From an earlier completion of the loop.
    outputs.retain(|output| output.action != "complete");
    let files_changed = files_changed(&outputs);
    let report = WorkerReport {
        tasks_completed: state.completed.iter().map(finished).collect(),
        suggestions: recommendations.to_vec(),
        ..WorkerReport::default()
    };
    let output = WorkerOutput {
        action: "complete".to_owned(),
        status: "success".to_owned(),
        summary: executive.to_owned(),
        files_changed: files_changed.clone(),
        detailed_output: report::noted(Json::Null),
        report: Some(Box::new(report)),
        ..WorkerOutput::default()
    };
    let validate = outputs.iter().find(|output| output.action == "validate");
    let (took_ms, since_created) = took(worked_ms, stage.summary, stage.now_ms);
    let doc = SummaryDoc {
        head: Head { time: state.root.get("created_at").text().map(str::to_owned), ..head(stage) },
        mode: state.root.get("mode").text().map(str::to_owned),
        completed_at: Some(stage.now.clone()),
        duration_s: summary::whole_seconds(took_ms),
        since_created,
        executive: executive.to_owned(),
        iterations: Some(iteration(stage).saturating_sub(1)),
        total_tasks: Some(saturated(state.pending.len() + state.completed.len())),
        completed_tasks: Some(saturated(state.completed.len())),
        tests: validate.and_then(tests),
        coverage: validate.and_then(Output::coverage),
        files_changed,
        workers: outputs.iter().map(worker).collect(),
        recommendations: recommendations.to_vec(),
        generated_at: Some(stage.now.clone()),
        ..SummaryDoc::default()
    };
    let summary = FileWrite::replace(progress(stage, "summary.md"), summary::write(&doc, Flavour::LoopB));
    Ok(vec![summary, output_file(stage, &output, "complete")?])
}

/// A task of the master in the form of a worker's output.
pub(crate) fn finished(task: &Node<'_>) -> FinishedTask {
    FinishedTask { id: text(task, "id"), description: text(task, "description") }
}

/// Passed and total tests, if the worker counted them.
fn tests(output: &Output<'_>) -> Option<(u32, u32)> {
    let counts = output.test_counts();
    counts.get("total").lenient_number().map(|_| (count(counts, "passed"), count(counts, "total")))
}

/// Each file once, in the first worker's spelling.
fn files_changed(outputs: &[Output<'_>]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let named = outputs.iter().flat_map(Output::files);
    named.filter(|file| seen.insert(crate::place::same_path(file))).collect()
}

/// Action, status, summary. The oldest version keeps only the worker's raw text: its first line is the
/// summary.
fn worker(output: &Output<'_>) -> (String, String, String) {
    let raw = output.node.text().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    let own = output.node.get("summary");
    let summary = match (raw, tests(output)) {
        (Some(line), _) => line.trim().to_owned(),
        (None, Some((passed, total))) if own.is_object() => format!("{passed}/{total} tests passed"),
        _ => own.text().unwrap_or_default().to_owned(),
    };
    let status = output.node.get("status").text().unwrap_or("unknown");
    (output.action.clone(), status.to_owned(), summary)
}
