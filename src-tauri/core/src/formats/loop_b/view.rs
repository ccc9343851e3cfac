//! What a person sees of a Loop-B (the CCW contract §8).

pub(crate) mod conflicts;
pub(crate) mod phases;

use super::create::WorkMode;
use crate::control::Situation;
use crate::follow_up;
use crate::format::FileFacts;
use crate::formats::ccw;
use crate::formats::ccw::check::controls::controls;
use crate::formats::ccw::check::rules;
use crate::formats::ccw::read::clock::{Clock, Stamps};
use crate::formats::ccw::read::events;
use crate::formats::ccw::read::facts::{FactList, Findings, LONG, extras, optional, text, texts};
use crate::formats::ccw::read::related::relate;
use crate::formats::ccw::read::runs::ValidationRun;
use crate::formats::ccw::read::shares::figured;
use crate::formats::ccw::read::values::{count, gather_times, saturated};
use crate::formats::ccw_v2::check::warnings;
use crate::formats::ccw_v2::read::companions::{self, Side};
use crate::formats::ccw_v2::read::task_list;
use crate::formats::ccw_v2::view::validation::{reported, run_view};
use crate::formats::ccw_v2::view::{completed_at, debug as debug_view, document, metadata, task, test_row};
use crate::formats::loop_b::read::reported::{leftover, report};
use crate::formats::loop_b::read::state::{self, ACTIONS, LoopBState, Output};
use crate::formats::loop_b::view::phases as way;
use crate::formats::loop_b::view::phases::Traces;
use crate::phase::CcwPhase;
use crate::problem::ProblemCode as Code;
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::timeline::Timeline;
use crate::view::{
    Companion, ExtraField, Fact, FactValue, FindingShape, FindingView, LoopDetail, ProgressView, RunView,
    TestRow, ValidationView, WorkerOutcome, WorkerView,
};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::BTreeSet;

const TOP: &[&str] = &[
    "loop_id",
    "title",
    "description",
    "mode",
    "status",
    "current_iteration",
    "max_iterations",
    "created_at",
    "updated_at",
    "completed_at",
    "failure_reason",
    "skill_state",
];
const SKILL: &[&str] = &[
    "phase",
    "action_index",
    "workers_completed",
    "parallel_results",
    "pending_tasks",
    "completed_tasks",
    "findings",
];
const PARALLEL: &[&str] = &["init", "develop", "debug", "validate", "complete", "conflicts", "merged_at"];
const TASK_WORDS: &[&str] = &["pending", "in_progress", "completed", "failed"];

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    beside: &[Companion],
) -> LoopDetail {
    let Some(summary) = ccw::summary(bytes, facts) else { return LoopDetail::default() };
    let controls = controls(&summary, facts, situation);
    let Some(root) = document(bytes) else {
        return LoopDetail { controls, problems: summary.problems, ..LoopDetail::default() };
    };
    let state = LoopBState::new(&root);
    let (outputs, unreadable) = state::outputs(&state, beside);
    let side = companions::read(beside);
    let clock = clock(&state, &summary, facts, &outputs, &side);
    let mut found = Findings::new(bytes, summary.problems.clone());
    let at_work = rules::is_at_work(situation);
    check(&state, &summary, facts, &clock, at_work, &mut found);
    found.problems.extend(side.problems(at_work).iter().cloned());
    found.problems.extend(unreadable);
    let task_list = task_list::read(beside, &mut found.problems);
    let unread = state::empty_outputs(&outputs, beside);
    let mut workers: Vec<WorkerView> =
        outputs.iter().chain(&unread).map(|output| worker(output, &clock)).collect();
    let place = |view: &WorkerView| ACTIONS.iter().position(|action| *action == view.action);
    workers.sort_by_key(|view| place(view).unwrap_or(ACTIONS.len()));
    let is_parallel = summary.mode.as_deref().and_then(WorkMode::from_word) == Some(WorkMode::Parallel);
    let (pending, completed) = (state.pending.iter(), state.completed.iter());
    let detail = LoopDetail {
        facts: overview(&state, &summary, &clock),
        metadata: metadata(&root, super::edit::METADATA),
        controls,
        progress: progress(&state),
        tasks: pending.chain(completed).map(|node| task(node, &clock)).collect(),
        task_list,
        debug: debug_view::of_docs(&side.docs, &clock),
        validation: validation(&outputs, &side, &clock),
        conflicts: conflicts::conflicts(&state, &outputs, is_parallel, &workers),
        merged_at: state.parallel.get("merged_at").text().map(|text| clock.skill(text)),
        findings: state.skill.get("findings").items().iter().filter_map(finding).collect(),
        workers,
        extra: unknown_fields(&state),
        problems: found.finish(),
        times_shifted: clock.shifted,
        cut_files: side.docs.cut_files(),
        ..LoopDetail::default()
    };
    let detail = with_way(with_events(detail, &side, &clock), &state, &summary);
    LoopDetail { follow_ups: follow_up::offers(&summary, &detail), ..detail }
}

fn with_way(mut detail: LoopDetail, state: &LoopBState<'_>, summary: &Summary) -> LoopDetail {
    let completed = texts(state.skill.get("workers_completed"));
    detail.way = Some(way::way(&Traces {
        mode: summary.mode.as_deref(),
        phase: state.skill.get("phase").text(),
        completed: &completed,
        events: &detail.events,
        workers: &detail.workers,
        merged: detail.merged_at.is_some(),
    }));
    detail
}

/// Text that is an object or a list is data, wherever it came from.
fn finding(node: &Node<'_>) -> Option<FindingView> {
    let text = node.shown(LONG)?;
    let shape =
        if text.trim_start().starts_with(['[', '{']) { FindingShape::Data } else { FindingShape::Prose };
    Some(FindingView { text, shape })
}

/// The timeline of the workers and of the files next to them.
fn with_events(mut detail: LoopDetail, side: &Side<'_>, clock: &Clock) -> LoopDetail {
    let mut timeline = Timeline::default();
    events::of_docs(&side.docs, clock, &mut timeline);
    events::of_workers(&detail.workers, &mut timeline);
    // Runs of the validate worker are already among its events.
    if let (Some(doc), false) = (&side.docs.validate, detail.workers.iter().any(|w| w.action == "validate")) {
        let runs = detail.validation.as_ref().map_or(&[][..], |validation| &validation.runs);
        events::of_runs(runs, doc.file, &mut timeline);
    }
    (detail.events, detail.events_total) = timeline.finish();
    relate(&mut detail);
    detail
}

/// Single test rows of the one run: those inside `parallel_results.validate`, else those of `test-results.json`.
#[must_use]
pub fn test_rows(bytes: &[u8], run: usize, beside: &[Companion]) -> Vec<TestRow> {
    let Some(root) = document(bytes).filter(|_| run == 0) else { return Vec::new() };
    let state = LoopBState::new(&root);
    let listed = rows(state.parallel.get("validate"));
    if !listed.is_empty() {
        return listed.iter().map(test_row).collect();
    }
    let (outputs, _) = state::outputs(&state, beside);
    let side = companions::read(beside);
    let found = side.run().filter(|run| is_shown_with_worker(run, &outputs, &side));
    found.map(|run| run.rows.iter().map(|row| test_row(row)).collect()).unwrap_or_default()
}

/// Whether `test-results.json` is from the run that the worker or the report counts; another run's tests are
/// not shown as its own.
fn is_shown_with_worker(run: &ValidationRun<'_>, outputs: &[Output<'_>], side: &Side<'_>) -> bool {
    let worker = outputs.iter().find(|output| output.action == "validate").map(Output::test_counts);
    let counted = worker.filter(|counts| counts.is_object()).map(|counts| count(counts, "total"));
    let reported = side.docs.validate.as_ref().and_then(|doc| doc.says.total);
    counted.or(reported).is_none_or(|total| total == run.total)
}

fn rows<'t>(validate: &'t Node<'t>) -> &'t [Node<'t>] {
    let results = validate.get("test_results");
    if results.is_object() { results.get("tests").items() } else { results.items() }
}

fn clock(
    state: &LoopBState<'_>,
    summary: &Summary,
    facts: &FileFacts<'_>,
    outputs: &[Output<'_>],
    side: &Side<'_>,
) -> Clock {
    let mut times = state.skill_times();
    times.extend(side.times());
    for output in outputs {
        gather_times("", &output.node, &mut times);
    }
    if summary.status == FileStatus::Completed {
        times.extend(state.root.get("completed_at").text());
    }
    let stamps =
        Stamps { created: state.root.get("created_at").text(), updated: state.root.get("updated_at").text() };
    Clock::new(facts, times.into_iter(), stamps)
}

fn check(
    state: &LoopBState<'_>,
    summary: &Summary,
    facts: &FileFacts<'_>,
    clock: &Clock,
    at_work: bool,
    found: &mut Findings<'_>,
) {
    warnings::ends(state.root, summary, found);
    warnings::limits(state.root, found);
    warnings::word(state.skill.get("phase"), "skill_state.phase", &ACTIONS, found);
    for (name, tasks) in [("pending_tasks", state.pending), ("completed_tasks", state.completed)] {
        let path = format!("skill_state.{name}");
        warnings::duplicates(tasks, &path, found);
        for (index, task) in tasks.iter().enumerate() {
            warnings::word(task.get("status"), &format!("{path}[{index}].status"), TASK_WORDS, found);
        }
        if !at_work {
            warnings::orphans(tasks, &path, found);
        }
    }
    twice(state, found);
    warnings::all_times(state.root, facts, clock, found);
}

/// W5: a task in both lists, because a copy from before its move was written back.
fn twice(state: &LoopBState<'_>, found: &mut Findings<'_>) {
    let pending: BTreeSet<&str> = state.pending.iter().filter_map(|task| task.get("id").text()).collect();
    for (index, task) in state.completed.iter().enumerate() {
        let id = task.get("id");
        if let Some(name) = id.text().filter(|name| pending.contains(name)) {
            let path = format!("skill_state.completed_tasks[{index}].id");
            found.add(Code::W5_duplicate_id, path, id, &[("found", name.to_owned())]);
        }
    }
}

fn overview(state: &LoopBState<'_>, summary: &Summary, clock: &Clock) -> Vec<Fact> {
    let (root, skill) = (state.root, state.skill);
    let mut facts = FactList::default();
    facts.text("description", root.get("description"));
    facts.code("loop_id", root.get("loop_id"));
    facts.code("status", root.get("status"));
    facts.text("failure_reason", root.get("failure_reason"));
    facts.code("mode", root.get("mode"));
    facts.code("phase", skill.get("phase"));
    facts.add("action_index", state.action_index().map(FactValue::Number));
    facts.list("workers_completed", skill.get("workers_completed"));
    facts.time("created_at", root.get("created_at").text().map(|text| clock.created(text)));
    facts.time("updated_at", root.get("updated_at").text().map(|text| clock.either(text)));
    facts.time("completed_at", completed_at(root, summary, clock));
    facts.0
}

/// Loop-B counts only tasks, so its overall progress is theirs (§13).
#[allow(clippy::cast_precision_loss)] // lists are shorter than 2^52
fn progress(state: &LoopBState<'_>) -> Option<ProgressView> {
    let (done, open) = (state.completed.len() as f64, state.pending.len() as f64);
    let share = if done + open > 0.0 { done / (done + open) * 100.0 } else { 0.0 };
    state.skill.is_object().then_some(ProgressView {
        develop: share,
        debug_completed: false,
        validation_passed: false,
        overall: share,
        has_pending_develop: !state.pending.is_empty(),
    })
}

fn worker(output: &Output<'_>, clock: &Clock) -> WorkerView {
    let node: &Node<'_> = &output.node;
    let phase = CcwPhase::from_word(&output.action);
    // The oldest version keeps only the worker's raw text.
    if let Some(raw) = node.text() {
        return WorkerView {
            action: output.action.clone(),
            phase,
            detail: Some(shorten(raw, LONG)),
            source: output.source.clone(),
            ..WorkerView::default()
        };
    }
    let (status, next, back) =
        (text(node, "status"), target(node, "next_suggestion"), target(node, "loop_back_to"));
    WorkerView {
        action: output.action.clone(),
        phase,
        outcome: WorkerOutcome::from_word(&status),
        status,
        summary: text(node, "summary"),
        files_changed: output.files(),
        next: next.as_deref().and_then(CcwPhase::from_word),
        next_suggestion: next,
        back: back.as_deref().and_then(CcwPhase::from_word),
        loop_back_to: back,
        time: node.get("timestamp").text().map(|text| clock.skill(text)),
        report: report(output),
        detail: leftover(node),
        source: output.source.clone(),
    }
}

/// The text `"null"` means none; of a phrase such as `develop (if tests fail)`, the first word counts.
fn target(node: &Node<'_>, key: &str) -> Option<String> {
    let text = optional(node, key)?;
    let word = text.split_whitespace().next()?;
    (word != "null").then(|| shorten(word, 60))
}

/// The validate worker's result. If its output lacks counts (§8: the coordinator overwrites it), the report
/// has a copy.
fn validation(outputs: &[Output<'_>], side: &Side<'_>, clock: &Clock) -> Option<ValidationView> {
    let results = side.run().filter(|run| is_shown_with_worker(run, outputs, side));
    let found = of_worker(outputs, clock).or_else(|| of_report(side, clock));
    let mut view = found.or_else(|| results.as_ref().map(|run| of_results(run, clock)))?;
    if let ([run], Some(results)) = (&mut view.runs[..], &results)
        && run.rows == 0
    {
        run.rows = saturated(results.rows.len());
    }
    view.coverage = view.coverage.or_else(|| side.coverage());
    view.coverage_files = side.coverage_files();
    Some(figured(view))
}

/// The run in `test-results.json`, if there is no other source.
fn of_results(run: &ValidationRun<'_>, clock: &Clock) -> ValidationView {
    let run = run_view(run, clock);
    ValidationView {
        pass_rate: run.pass_rate,
        coverage: run.coverage,
        last_run: run.time.clone(),
        runs: vec![run],
        ..ValidationView::default()
    }
}

/// The run in `validate.md`.
fn of_report(side: &Side<'_>, clock: &Clock) -> Option<ValidationView> {
    let says = &side.docs.validate.as_ref()?.says;
    let run = reported(says, clock)?;
    Some(ValidationView {
        pass_rate: run.pass_rate,
        coverage: run.coverage,
        failed_tests: says.failed_tests.iter().map(|test| shorten(&test.name, 1_000)).collect(),
        last_run: run.time.clone(),
        runs: vec![run],
        ..ValidationView::default()
    })
}

/// The counts of the validate worker, in its own shape or inside `parallel_results`.
fn of_worker(outputs: &[Output<'_>], clock: &Clock) -> Option<ValidationView> {
    let output = outputs.iter().find(|output| output.action == "validate")?;
    let node: &Node<'_> = &output.node;
    let counts = output.test_counts();
    let listed = if output.source == "parallel_results" { rows(node).len() } else { 0 };
    if !counts.is_object() && listed == 0 {
        return None;
    }
    let (total, passed, failed) = (count(counts, "total"), count(counts, "passed"), count(counts, "failed"));
    let time = node.get("timestamp").text().map(|text| clock.skill(text));
    let pass_rate = (total > 0).then(|| f64::from(passed) / f64::from(total) * 100.0);
    let coverage = output.coverage();
    let run = RunView {
        time: time.clone(),
        total,
        passed,
        failed,
        skipped: count(counts, "skipped"),
        pass_rate,
        coverage,
        rows: saturated(listed),
        ..RunView::default()
    };
    let failed_tests = output.failed_tests();
    Some(ValidationView {
        pass_rate,
        coverage,
        failed_tests,
        last_run: time,
        runs: vec![run],
        ..ValidationView::default()
    })
}

fn unknown_fields(state: &LoopBState<'_>) -> Vec<ExtraField> {
    let mut extra = Vec::new();
    extras(state.root, "", TOP, &mut extra);
    extras(state.skill, "skill_state.", SKILL, &mut extra);
    extras(state.parallel, "skill_state.parallel_results.", PARALLEL, &mut extra);
    extra
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
