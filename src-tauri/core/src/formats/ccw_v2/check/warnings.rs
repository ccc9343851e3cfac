//! The warnings W1 to W9 and W11 (the CCW contract §14) for Loop v2 and legacy sessions. Errors come from the fast read.

use crate::format::FileFacts;
use crate::formats::ccw::read::clock::Clock;
use crate::formats::ccw::read::facts::Findings;
use crate::formats::ccw::read::runs::ValidationRun;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::{either, gather_times, has_status};
use crate::formats::ccw::read::words;
use crate::problem::ProblemCode as Code;
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::times::{self, TimeDelta};
use loopdeck_text::json_span::tree::Node;

const FUTURE: TimeDelta = TimeDelta::minutes(5);

/// All contradictions within a Loop v2. `at_work`: an agent is known, so W11 does not apply.
pub(crate) fn check(
    state: &CcwState<'_>,
    summary: &Summary,
    facts: &FileFacts<'_>,
    clock: &Clock,
    at_work: bool,
    found: &mut Findings<'_>,
) {
    ends(state.root, summary, found);
    limits(state.root, found);
    if state.skill.is_object() {
        sections(state, found);
        counters(state, found);
        hypotheses(state, found);
        if let Some(run) = state.latest_run() {
            validation(state, run, found);
            totals(state, run, found);
        }
        words_of(state, found);
    }
    duplicates(state.tasks, &format!("{}develop.tasks", state.prefix), found);
    duplicates(state.hypotheses, &format!("{}debug.hypotheses", state.prefix), found);
    if summary.status == FileStatus::Completed && state.validate.get("passed").flag() != Some(true) {
        found.add(
            Code::W2_completed_unvalidated,
            format!("{}validate.passed", state.prefix),
            state.validate.get("passed"),
            &[],
        );
    }
    all_times(state.root, facts, clock, found);
    if !at_work {
        orphans(state.tasks, &format!("{}develop.tasks", state.prefix), found);
    }
}

/// W4: end fields that do not match the status.
pub(crate) fn ends(root: &Node<'_>, summary: &Summary, found: &mut Findings<'_>) {
    use FileStatus as F;
    let (reason, completed) = (root.get("failure_reason"), root.get("completed_at"));
    match summary.status {
        F::NotStarted | F::Running | F::Paused => {
            for (key, node) in [("failure_reason", reason), ("completed_at", completed)] {
                if !node.is_null() {
                    found.add(Code::W4_stale_end, key, node, &[]);
                }
            }
        }
        F::Completed | F::Failed | F::StoppedByUser => {
            if completed.is_null() {
                found.add(Code::W4_missing_end, "completed_at", completed, &[]);
            }
            if summary.status == F::Failed && reason.text().unwrap_or_default().is_empty() {
                found.add(Code::W4_missing_end, "failure_reason", reason, &[]);
            }
        }
        _ => {}
    }
}

/// W8, and the word of `priority`.
pub(crate) fn limits(root: &Node<'_>, found: &mut Findings<'_>) {
    let (current, limit, title) =
        (either(root, "current_iteration", "iteration_count"), root.get("max_iterations"), root.get("title"));
    if let (Some(used), Some(allowed)) = (current.number(), limit.number()) {
        if used > allowed {
            found.add(Code::W8_out_of_range, "current_iteration", current, &[("found", used.to_string())]);
        }
        if allowed.fract() != 0.0 || allowed > 100.0 {
            found.add(Code::W8_out_of_range, "max_iterations", limit, &[("found", allowed.to_string())]);
        }
    }
    let length = title.text().map_or(0, |title| title.chars().count());
    if length > 100 {
        found.add(Code::W8_out_of_range, "title", title, &[("found", length.to_string())]);
    }
    word(root.get("priority"), "priority", &["low", "medium", "high"], found);
}

/// W5: two entries with one id.
pub(crate) fn duplicates(items: &[Node<'_>], path: &str, found: &mut Findings<'_>) {
    let mut seen = std::collections::BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(id) = item.get("id").text()
            && !seen.insert(id)
        {
            let path = format!("{path}[{index}].id");
            found.add(Code::W5_duplicate_id, path, item.get("id"), &[("found", id.to_owned())]);
        }
    }
}

/// W11: in progress, but no agent is known.
pub(crate) fn orphans(tasks: &[Node<'_>], path: &str, found: &mut Findings<'_>) {
    for (index, task) in tasks.iter().enumerate().filter(|(_, task)| has_status(task, "in_progress")) {
        let name = task.get("id").shown(40).unwrap_or_default();
        found.add(
            Code::W11_orphaned_task,
            format!("{path}[{index}].status"),
            task.get("status"),
            &[("found", name)],
        );
    }
}

/// W7: a word outside its list. Null and absent are not words.
pub(crate) fn word(node: &Node<'_>, path: &str, known: &[&str], found: &mut Findings<'_>) {
    if node.is_null() {
        return;
    }
    let is_known = node.text().is_some_and(|text| known.iter().any(|word| word.eq_ignore_ascii_case(text)));
    if !is_known {
        found.add(Code::W7_unknown_word, path, node, &[("found", node.shown(60).unwrap_or_default())]);
    }
}

/// W9: times that are unreadable, in the future, or shifted.
pub(crate) fn all_times(root: &Node<'_>, facts: &FileFacts<'_>, clock: &Clock, found: &mut Findings<'_>) {
    if clock.shifted {
        found.add(Code::W9_shifted_time, "", &Node::null(), &[]);
    }
    for (key, node) in root.fields() {
        time(key, key, node, facts, clock, found);
    }
    let mut skill = Vec::new();
    gather_times("", root.get("skill_state"), &mut skill);
    let newest = skill.into_iter().filter_map(times::parse);
    let updated = root.get("updated_at");
    if let (Some(newest), Some(written)) = (newest.max(), updated.text().and_then(times::parse))
        && !clock.shifted
        && newest - written > FUTURE
    {
        let text = updated.shown(60).unwrap_or_default();
        found.add(Code::W9_bad_time, "updated_at", updated, &[("found", text)]);
    }
}

fn time(
    path: &str,
    key: &str,
    node: &Node<'_>,
    facts: &FileFacts<'_>,
    clock: &Clock,
    found: &mut Findings<'_>,
) {
    if matches!(key, "evidence" | "tests" | "failures") {
        return;
    }
    if let Some(text) = node.text()
        && (key == "timestamp" || key.ends_with("_at"))
    {
        #[allow(clippy::cast_precision_loss)] // exact until the year 287396
        let latest = (facts.now + FUTURE).number();
        if clock.skill(text).ms.is_none_or(|ms| ms > latest) {
            found.add(Code::W9_bad_time, path, node, &[("found", text.to_owned())]);
        }
    }
    for (index, item) in node.items().iter().enumerate() {
        time(&format!("{path}[{index}]"), key, item, facts, clock, found);
    }
    for (key, node) in node.fields() {
        time(&format!("{path}.{key}"), key, node, facts, clock, found);
    }
}

fn sections(state: &CcwState<'_>, found: &mut Findings<'_>) {
    for (name, node) in [("develop", state.develop), ("debug", state.debug), ("validate", state.validate)] {
        if !node.is_object() {
            found.add(
                Code::W7_missing_section,
                format!("{}{name}", state.prefix),
                node,
                &[("found", name.to_owned())],
            );
        }
    }
    if has_status(state.root, "pending") && state.root.get("initialized").flag() == Some(true) {
        found.add(Code::W3_initialized_pending, "initialized", state.root.get("initialized"), &[]);
    }
}

/// W1: counters against lists.
#[allow(clippy::cast_precision_loss)] // lists are shorter than 2^52
fn counters(state: &CcwState<'_>, found: &mut Findings<'_>) {
    let (prefix, tasks) = (state.prefix, state.tasks.len() as f64);
    let completed = state.tasks.iter().filter(|task| has_status(task, "completed")).count() as f64;
    let has_tasks =
        matches!(state.develop.get("tasks").value, loopdeck_text::json_span::tree::Value::List(_));
    let has_hypotheses =
        matches!(state.debug.get("hypotheses").value, loopdeck_text::json_span::tree::Value::List(_));
    let pairs = [
        (has_tasks, "develop.total", either(state.develop, "total", "total_count"), tasks),
        (has_tasks, "develop.completed", either(state.develop, "completed", "completed_count"), completed),
        (
            has_hypotheses,
            "debug.hypotheses_count",
            state.debug.get("hypotheses_count"),
            state.hypotheses.len() as f64,
        ),
    ];
    for (listed, path, counter, expected) in pairs {
        if let Some(number) = counter.number().filter(|number| listed && *number != expected) {
            let args = [("found", number.to_string()), ("expected", expected.to_string())];
            found.add(Code::W1_counters, format!("{prefix}{path}"), counter, &args);
        }
    }
}

/// W5: the confirmed hypothesis.
fn hypotheses(state: &CcwState<'_>, found: &mut Findings<'_>) {
    let Some(id) = state.confirmed() else { return };
    let hypothesis = state.hypotheses.iter().find(|hypothesis| hypothesis.get("id").text() == Some(id));
    if !hypothesis.is_some_and(|hypothesis| has_status(hypothesis, "confirmed")) {
        let path = format!("{}debug.confirmed_hypothesis", state.prefix);
        found.add(
            Code::W5_confirmed_hypothesis,
            path,
            state.debug.get("confirmed_hypothesis"),
            &[("found", id.to_owned())],
        );
    }
}

/// W6: the section against its latest run.
fn validation(state: &CcwState<'_>, run: &ValidationRun<'_>, found: &mut Findings<'_>) {
    let section = state.validate;
    let mut disagree = |key: &str, stored: String, expected: String| {
        let mut args = vec![("field", key.to_owned()), ("found", stored), ("expected", expected)];
        if key == "pass_rate" {
            args.push(("unit", "percent".to_owned()));
        }
        found.add(
            Code::W6_validation_disagrees,
            format!("{}validate.{key}", state.prefix),
            section.get(key),
            &args,
        );
    };
    if let (Some(stored), Some(rate)) = (section.get("pass_rate").lenient_number(), run.pass_rate)
        && (stored - rate).abs() > 0.1
    {
        disagree("pass_rate", stored.to_string(), rate.to_string());
    }
    let passed = passed(run);
    if let Some(stored) = section.get("passed").flag().filter(|stored| *stored != passed) {
        disagree("passed", stored.to_string(), passed.to_string());
    }
    let failed = crate::formats::ccw::read::values::saturated(section.get("failed_tests").items().len());
    if section.get("failed_tests").text().is_none() && failed != run.failed {
        disagree("failed_tests", failed.to_string(), run.failed.to_string());
    }
}

/// W6: the totals of a run against its single tests; a file may keep only some of them.
fn totals(state: &CcwState<'_>, run: &ValidationRun<'_>, found: &mut Findings<'_>) {
    let stored = run.node.get("summary").get("failed");
    let failed = crate::formats::ccw::read::values::saturated(
        run.rows.iter().filter(|row| has_status(row, "failed")).count(),
    );
    let is_complete = crate::formats::ccw::read::values::saturated(run.rows.len()) == run.total;
    if stored.lenient_number().is_some() && (failed > run.failed || (is_complete && failed != run.failed)) {
        let args = [("found", run.failed.to_string()), ("expected", failed.to_string())];
        found.add(Code::W6_totals_disagree, format!("{}validate.test_results", state.prefix), stored, &args);
    }
}

/// The skill's criterion: nothing failed and something passed (§7).
fn passed(run: &ValidationRun<'_>) -> bool {
    run.failed == 0 && run.passed > 0
}

fn words_of(state: &CcwState<'_>, found: &mut Findings<'_>) {
    let prefix = state.prefix;
    word(state.skill.get("mode"), &format!("{prefix}mode"), &["interactive", "auto"], found);
    for key in ["current_action", "last_action"] {
        let action = state.skill.get(key);
        let is_known = action.text().is_some_and(|text| {
            words::action(text).is_some() || matches!(text, "paused" | "menu" | "MENU" | "action-menu")
        });
        if !is_known && !action.is_null() {
            let args = [("found", action.shown(60).unwrap_or_default())];
            found.add(Code::W7_unknown_word, format!("{prefix}{key}"), action, &args);
        }
    }
    for (index, task) in state.tasks.iter().enumerate() {
        let path = format!("{prefix}develop.tasks[{index}].status");
        word(task.get("status"), &path, &["pending", "in_progress", "completed", "failed"], found);
    }
    for (index, hypothesis) in state.hypotheses.iter().enumerate() {
        let path = format!("{prefix}debug.hypotheses[{index}].status");
        word(hypothesis.get("status"), &path, &["pending", "confirmed", "rejected", "inconclusive"], found);
    }
    for row in state.runs.iter().flat_map(|run| &run.rows) {
        let known = ["passed", "failed", "skipped"];
        if !known.iter().any(|word| has_status(row, word)) {
            word(row.get("status"), &format!("{prefix}validate.test_results"), &known, found);
        }
    }
}
