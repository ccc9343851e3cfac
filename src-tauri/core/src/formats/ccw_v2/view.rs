//! What a person sees of a Loop v2 (the CCW contract §2, §13, §15).

pub(crate) mod debug;
pub(crate) mod summary_doc;
pub(crate) mod validation;

pub(crate) use crate::formats::ccw_v2::view::validation::test_row;

use crate::control::{Metadata, Situation};
use crate::follow_up;
use crate::format::FileFacts;
use crate::formats::ccw;
use crate::formats::ccw::check::controls::controls;
use crate::formats::ccw::check::rules;
use crate::formats::ccw::read::clock::{Clock, Stamps};
use crate::formats::ccw::read::events;
use crate::formats::ccw::read::facts::{FactList, Findings, LONG, SHORT, extras, optional, text, texts};
use crate::formats::ccw::read::related::relate;
use crate::formats::ccw::read::runs::ValidationRun;
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw::read::values::{either, has_status};
use crate::formats::ccw_v2::check::{disagree, hints, warnings};
use crate::formats::ccw_v2::drive::listed;
use crate::formats::ccw_v2::read::{companions, task_list};
use crate::formats::ccw_v2::view::debug::debug;
use crate::formats::ccw_v2::view::validation::validation;
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::timeline::Timeline;
use crate::times::TimeView;
use crate::view::{
    Companion, ErrorView, Fact, FactValue, LoopDetail, ProgressView, TaskState, TaskView, TestRow,
};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

const TOP: &[&str] = &[
    "loop_id",
    "title",
    "description",
    "max_iterations",
    "status",
    "current_iteration",
    "created_at",
    "updated_at",
    "completed_at",
    "failure_reason",
    "tags",
    "priority",
    "notes",
    "skill_state",
    "prep_source",
];
/// Older names of top-level fields, shown instead when the newer ones are absent (§18).
const OLDER: &[(&str, &str)] = &[
    ("session_id", "loop_id"),
    ("task_description", "description"),
    ("iteration_count", "current_iteration"),
];
const SKILL: &[&str] = &[
    "current_action",
    "last_action",
    "completed_actions",
    "mode",
    "develop",
    "debug",
    "validate",
    "errors",
    "summary",
];
const DEVELOP: &[&str] = &[
    "total",
    "completed",
    "current_task",
    "tasks",
    "last_progress_at",
    "total_count",
    "completed_count",
    "current_task_id",
];
const DEBUG: &[&str] = &[
    "active_bug",
    "hypotheses_count",
    "hypotheses",
    "confirmed_hypothesis",
    "iteration",
    "last_analysis_at",
    "current_bug",
    "understanding_updated",
];
const VALIDATE: &[&str] = &["pass_rate", "coverage", "test_results", "passed", "failed_tests", "last_run_at"];
const TASK: &[&str] = &[
    "id",
    "description",
    "tool",
    "mode",
    "status",
    "files_changed",
    "created_at",
    "completed_at",
    "priority",
    "files",
    "_depends_on",
    "_convergence",
];
const HYPOTHESIS: &[&str] = &[
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

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let Some(summary) = ccw::summary(bytes, facts) else { return LoopDetail::default() };
    let controls = controls(&summary, facts, situation);
    let Some(root) = document(bytes) else {
        return LoopDetail { controls, problems: summary.problems, ..LoopDetail::default() };
    };
    let state = CcwState::new(&root, Home::SkillState);
    let side = companions::read(companions);
    let clock = clock(&state, &summary, facts, &side.times());
    let mut found = Findings::new(bytes, summary.problems.clone());
    let at_work = rules::is_at_work(situation);
    warnings::check(&state, &summary, facts, &clock, at_work, &mut found);
    disagree::check(&state, &side, at_work, &mut found);
    hints::check(&state, &summary, at_work, &mut found);
    let mut task_list = task_list::read(companions, &mut found.problems);
    listed::mark(&mut task_list, &state);
    let mut detail = sections(&state, &clock, &side);
    detail.facts = overview(&state, &summary, &clock);
    detail.metadata = metadata(&root, super::edit::METADATA);
    detail.controls = controls;
    detail.task_list = task_list;
    detail.extra = unknown_fields(&state, TOP);
    let stands_in =
        |path: &str| OLDER.iter().any(|(older, newer)| path == *older && root.get(newer).is_null());
    detail.extra.retain(|field| !stands_in(&field.path));
    detail.problems = found.finish();
    detail.follow_ups = follow_up::offers(&summary, &detail);
    detail
}

/// The single tests of the runs in the window `part` picks, oldest run first; if the master has no runs,
/// those of the latest run from a file next to it.
#[must_use]
pub fn test_runs(
    bytes: &[u8],
    beside: &[Companion],
    part: impl Fn(usize) -> std::ops::Range<usize>,
) -> Vec<Vec<TestRow>> {
    let Some(root) = document(bytes) else { return Vec::new() };
    let home = if root.get("skill_state").is_object() { Home::SkillState } else { Home::TopLevel };
    let mut runs = CcwState::new(&root, home).runs;
    let side = if runs.is_empty() { companions::read(beside) } else { companions::Side::default() };
    runs.extend(side.run());
    let rows = |run: &ValidationRun<'_>| run.rows.iter().map(|row| test_row(row)).collect();
    runs.get(part(runs.len())).unwrap_or_default().iter().map(rows).collect()
}

/// The document; for a damaged file its complete first value, shown read-only (§16).
pub(crate) fn document(bytes: &[u8]) -> Option<Node<'_>> {
    Node::read(&mut Reader::new(bytes).ok()?).ok()
}

/// How to read this loop's times: section times, side files, and top-level times written by the skill.
pub(crate) fn clock(state: &CcwState<'_>, summary: &Summary, facts: &FileFacts<'_>, side: &[&str]) -> Clock {
    let mut times = state.skill_times();
    times.extend(side);
    if summary.status == FileStatus::Completed {
        times.extend(state.root.get("completed_at").text());
    }
    let stamps =
        Stamps { created: state.root.get("created_at").text(), updated: state.root.get("updated_at").text() };
    Clock::new(facts, times.into_iter(), stamps)
}

/// All contents of the sections; shared with legacy sessions.
pub(crate) fn sections(state: &CcwState<'_>, clock: &Clock, side: &companions::Side<'_>) -> LoopDetail {
    let (validation, runs_file) = validation(state, clock, side);
    let tasks = if state.tasks.is_empty() { side.tasks() } else { state.tasks };
    let mut detail = LoopDetail {
        progress: Some(progress(state)),
        tasks: tasks.iter().map(|node| task(node, clock)).collect(),
        debug: debug(state, clock, side),
        validation,
        errors: errors(state.skill.get("errors"), clock),
        summary: summary_facts(state, clock),
        times_shifted: clock.shifted,
        cut_files: side.docs.cut_files(),
        ..LoopDetail::default()
    };
    if detail.summary.is_empty() {
        detail.summary = summary_doc::facts(&side.docs);
    }
    let mut timeline = Timeline::default();
    events::of_docs(&side.docs, clock, &mut timeline);
    let runs = detail.validation.as_ref().map_or(&[][..], |validation| &validation.runs);
    events::of_runs(runs, runs_file, &mut timeline);
    events::of_errors(&detail.errors, &mut timeline);
    (detail.events, detail.events_total) = timeline.finish();
    relate(&mut detail);
    detail
}

/// The derived fields of §13.
fn progress(state: &CcwState<'_>) -> ProgressView {
    let total = state.total();
    let develop = if total > 0.0 { (state.completed() / total * 100.0).clamp(0.0, 100.0) } else { 0.0 };
    let debug_completed = state.confirmed().is_some();
    let passed = state.validate.get("passed").flag() == Some(true);
    let validation_passed = passed && !state.validate.get("test_results").items().is_empty();
    let quarter = |done: bool| if done { 25.0 } else { 0.0 };
    let overall = develop * 0.5 + quarter(debug_completed) + quarter(validation_passed);
    let has_pending_develop = state.tasks.iter().any(|task| has_status(task, "pending"));
    ProgressView { develop, debug_completed, validation_passed, overall, has_pending_develop }
}

fn overview(state: &CcwState<'_>, summary: &Summary, clock: &Clock) -> Vec<Fact> {
    let (root, skill) = (state.root, state.skill);
    let mut facts = FactList::default();
    facts.text("description", either(root, "description", "task_description"));
    facts.code("loop_id", either(root, "loop_id", "session_id"));
    facts.code("status", root.get("status"));
    facts.text("failure_reason", root.get("failure_reason"));
    facts.code("mode", skill.get("mode"));
    facts.code(LoopDetail::CURRENT_ACTION, skill.get("current_action"));
    facts.code("last_action", skill.get("last_action"));
    facts.list("completed_actions", skill.get("completed_actions"));
    facts.text("current_task", either(state.develop, "current_task", "current_task_id"));
    facts.number("tasks_total", either(state.develop, "total", "total_count"));
    facts.number("tasks_completed", either(state.develop, "completed", "completed_count"));
    facts.number("hypotheses_count", state.debug.get("hypotheses_count"));
    facts.time("created_at", root.get("created_at").text().map(|text| clock.created(text)));
    facts.time("updated_at", root.get("updated_at").text().map(|text| clock.either(text)));
    facts.time("completed_at", completed_at(root, summary, clock));
    let progress = state.develop.get("last_progress_at").text();
    facts.time("last_progress_at", progress.map(|text| clock.skill(text)));
    for (key, node) in root.get("prep_source").fields().iter().take(50) {
        facts.code(&format!("prep_source.{}", shorten(key, 60)), node);
    }
    facts.0
}

/// Written by the skill when completed, by Loopdeck when stopped (§15).
pub(crate) fn completed_at(root: &Node<'_>, summary: &Summary, clock: &Clock) -> Option<TimeView> {
    let text = root.get("completed_at").text()?;
    Some(if summary.status == FileStatus::Completed { clock.skill(text) } else { Clock::server(text) })
}

/// The values for the form.
pub(crate) fn metadata(root: &Node<'_>, editable: &[&str]) -> Metadata {
    Metadata {
        title: root.get("title").text().map(|text| shorten(text, LONG)),
        description: root.get("description").text().map(str::to_owned),
        max_iterations: root.get("max_iterations").number(),
        tags: texts(root.get("tags")),
        priority: root.get("priority").text().map(|text| shorten(text, SHORT)),
        notes: root.get("notes").text().map(str::to_owned),
        editable: editable.iter().map(|&name| name.to_owned()).collect(),
    }
}

/// A develop task, a prep task, or a Loop-B task.
pub(crate) fn task(node: &Node<'_>, clock: &Clock) -> TaskView {
    let done = has_status(node, "completed");
    let changed = texts(node.get("files_changed"));
    // Prep tasks fill `files_changed` with planned files in advance: they count as changed only once
    // completed.
    let (files_changed, mut files_planned) = if done { (changed, Vec::new()) } else { (Vec::new(), changed) };
    files_planned.splice(0..0, texts(node.get("files")));
    files_planned.dedup();
    let mut extra = Vec::new();
    extras(node, "", TASK, &mut extra);
    let listed = listed::is_listed(node);
    extra.retain(|field| !listed || field.path != "_source");
    let status = text(node, "status");
    TaskView {
        // A task may be a plain text.
        id: node.text().map_or_else(|| text(node, "id"), |text| shorten(text, SHORT)),
        description: text(node, "description"),
        state: TaskState::from_word(&status),
        status,
        tool: optional(node, "tool"),
        mode: optional(node, "mode"),
        priority: optional(node, "priority"),
        files_changed,
        files_planned,
        created: node.get("created_at").text().map(|text| clock.skill(text)),
        completed: node.get("completed_at").text().map(|text| clock.skill(text)),
        depends_on: texts(node.get("_depends_on")),
        done_when: done_when(node.get("_convergence")),
        listed,
        extra,
        ..TaskView::default()
    }
}

fn done_when(convergence: &Node<'_>) -> Vec<String> {
    let mut lines = texts(convergence.get("criteria"));
    lines.extend(optional(convergence, "verification"));
    lines.extend(optional(convergence, "definition_of_done"));
    lines
}

fn errors(list: &Node<'_>, clock: &Clock) -> Vec<ErrorView> {
    let view = |node: &Node<'_>| match node.text() {
        Some(message) => ErrorView { message: shorten(message, LONG), ..ErrorView::default() },
        None => ErrorView {
            action: text(node, "action"),
            message: text(node, "message"),
            time: node.get("timestamp").text().map(|text| clock.skill(text)),
        },
    };
    list.items().iter().map(view).collect()
}

/// Tolerance between two figures for the same period, each rounded to a second.
const ROUNDED_MS: f64 = 2_000.0;

/// The summary that COMPLETE wrote, flattened: `develop.total_tasks`, …; a negative duration is left out. A
/// duration equal to the loop's age says so, and a coverage of 0 that was not measured is none.
fn summary_facts(state: &CcwState<'_>, clock: &Clock) -> Vec<Fact> {
    let mut facts = FactList::default();
    for (key, node) in state.skill.get("summary").fields().iter().take(100) {
        if key == "duration" {
            let duration = node.lenient_number().map(|ms| clock.duration(ms)).filter(|ms| *ms >= 0.0);
            let age = lasted(state, clock).zip(duration).map(|(lasted, took)| (lasted - took).abs());
            let name = match age.is_some_and(|apart| apart <= ROUNDED_MS) {
                true => "summary.duration_since_created",
                false => "summary.duration",
            };
            facts.add(name, duration.map(FactValue::Duration));
        } else if node.is_object() {
            for (inner, node) in node.fields().iter().take(100) {
                let is_none = (&**key, &**inner) == ("validate", "coverage")
                    && node.lenient_number() == Some(0.0)
                    && state.coverage().is_none();
                match is_none {
                    true => facts.add("summary.validate.coverage", Some(FactValue::NotMeasured)),
                    false => measure(&mut facts, &format!("summary.{key}.{inner}"), node),
                }
            }
        } else {
            measure(&mut facts, &format!("summary.{key}"), node);
        }
    }
    facts.0
}

/// From the loop's creation to its completion.
fn lasted(state: &CcwState<'_>, clock: &Clock) -> Option<f64> {
    let created = clock.created(state.root.get("created_at").text()?).ms?;
    Some(clock.skill(state.root.get("completed_at").text()?).ms? - created)
}

fn measure(facts: &mut FactList, name: &str, node: &Node<'_>) {
    let name = shorten(name, 120);
    let is_share = name.ends_with("rate") || name.ends_with("coverage");
    match node.lenient_number().filter(|_| is_share) {
        Some(share) => facts.add(&name, Some(FactValue::Percent(share))),
        None if node.flag().is_some() => facts.flag(&name, node),
        None => facts.number(&name, node),
    }
}

/// Fields that no schema lists, everywhere except in tasks, which carry their own.
pub(crate) fn unknown_fields(state: &CcwState<'_>, top: &[&str]) -> Vec<crate::view::ExtraField> {
    let (mut extra, prefix) = (Vec::new(), state.prefix);
    extras(state.root, "", top, &mut extra);
    if !prefix.is_empty() {
        extras(state.skill, prefix, SKILL, &mut extra);
    }
    extras(state.develop, &format!("{prefix}develop."), DEVELOP, &mut extra);
    extras(state.debug, &format!("{prefix}debug."), DEBUG, &mut extra);
    extras(state.validate, &format!("{prefix}validate."), VALIDATE, &mut extra);
    for (index, node) in state.hypotheses.iter().enumerate() {
        extras(node, &format!("{prefix}debug.hypotheses[{index}]."), HYPOTHESIS, &mut extra);
    }
    extra
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "beside_tests.rs"]
mod beside_tests;
