//! What a coordinator of ours writes beside the master: worker outputs and progress texts (the CCW contract §8, §17).

use super::operate::{Stage, WorkerOutput};
use super::state::{self, Output};
use crate::ccw::drive::{FileWrite, bad_value};
use crate::ccw::progress_docs::develop::{self, DevelopEntry};
use crate::ccw::progress_docs::records::text;
use crate::ccw::progress_docs::summary::{self, SummaryDoc};
use crate::ccw::progress_docs::{Flavour, Head};
use crate::ccw_v2::state::{count, saturated};
use crate::ccw_v2::view::coverage;
use crate::control::Refusal;
use std::collections::BTreeSet;

fn progress(stage: &Stage<'_>, name: &str) -> String {
    format!("{}.progress/{name}", stage.stem)
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
pub(super) fn output_file(
    stage: &Stage<'_>,
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
pub(super) fn develop_head(stage: &Stage<'_>, tasks: &[&str]) -> FileWrite {
    FileWrite::append(progress(stage, "develop.md"), develop::begin(&head(stage), tasks), String::new())
}

/// Entries of `develop.md` for finished tasks.
pub(super) fn entries(
    stage: &Stage<'_>,
    output: &WorkerOutput,
    places: &BTreeSet<usize>,
) -> Option<FileWrite> {
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
    let file = progress(stage, "develop.md");
    (!entries.is_empty()).then(|| FileWrite::append(file, develop::begin(&head(stage), &listed), entries))
}

/// `complete`: `summary.md`, with what each worker left.
pub(super) fn summary(stage: &Stage<'_>, executive: &str, recommendations: &[String]) -> FileWrite {
    let state = stage.state;
    let (outputs, _) = state::outputs(state, stage.companions);
    let validate = outputs.iter().find(|output| output.action == "validate");
    let seconds = stage.summary.created.map(|created| (stage.now_ms - created) / 1_000);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let iterations = (stage.round - 1.0) as u32;
    let doc = SummaryDoc {
        head: Head { time: state.root.get("created_at").text().map(str::to_owned), ..head(stage) },
        mode: state.root.get("mode").text().map(str::to_owned),
        completed_at: Some(stage.now.clone()),
        duration_s: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        executive: executive.to_owned(),
        iterations: Some(iterations),
        total_tasks: Some(saturated(state.pending.len() + state.completed.len())),
        completed_tasks: Some(saturated(state.completed.len())),
        tests: validate.and_then(tests),
        coverage: validate.and_then(|output| coverage(output.node.get("coverage"))),
        files_changed: files_changed(&outputs),
        workers: outputs.iter().map(worker).collect(),
        recommendations: recommendations.to_vec(),
        generated_at: Some(stage.now.clone()),
        ..SummaryDoc::default()
    };
    FileWrite::replace(progress(stage, "summary.md"), summary::write(&doc, Flavour::LoopB))
}

/// Passed of all, when the worker counted.
fn tests(output: &Output<'_>) -> Option<(u32, u32)> {
    let counts = output.test_counts();
    counts.get("total").lenient_number().map(|_| (count(counts, "passed"), count(counts, "total")))
}

/// Each file once, as the first worker spells it.
fn files_changed(outputs: &[Output<'_>]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let named = outputs.iter().flat_map(Output::files);
    named.filter(|file| seen.insert(crate::place::same_path(file))).collect()
}

/// Action, status, summary. The oldest version keeps only the worker's raw text: its first line is its summary.
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
