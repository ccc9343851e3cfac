//! The content of a worker's output, as fields and otherwise.

use super::report::{FinishedTask, NOTES, TestTally, WorkerReport};
use super::state::{MOST, Output};
use crate::formats::ccw::progress_docs::records::coverage as overall;
use crate::formats::ccw::read::facts::{LONG, texts};
use crate::formats::ccw::read::values::count;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;

/// Members of a worker's output that have their own field in [`crate::view::WorkerView`].
const OWN: [&str; 8] = [
    "action",
    "status",
    "summary",
    "files_changed",
    "next_suggestion",
    "loop_back_to",
    "timestamp",
    "detailed_output",
];

/// A worker's output as fields. Files of earlier versions have more of it in `detailed_output`.
pub(crate) fn report(output: &Output<'_>) -> WorkerReport {
    let node: &Node<'_> = &output.node;
    let detail = node.get("detailed_output");
    let metrics = detail.get("metrics");
    let lines = |key: &str| metrics.get(key).lenient_number().map(|_| count(metrics, key));
    let remarks = |key: &str| {
        let own = node.get(key);
        listed(if own.is_null() { detail.get(key) } else { own })
    };
    let counts = output.test_counts();
    let tests = counts.get("total").lenient_number().map(|total| TestTally {
        total: saturating(total),
        passed: count(counts, "passed"),
        failed: count(counts, "failed"),
        skipped: count(counts, "skipped"),
    });
    WorkerReport {
        tasks_completed: detail.get("tasks_completed").items().iter().take(MOST).map(finished_task).collect(),
        lines_added: lines("lines_added"),
        lines_removed: lines("lines_removed"),
        suggestions: remarks("suggestions"),
        issues_found: remarks("issues_found"),
        tests,
        failed_tests: output.failed_tests(),
        coverage: output.coverage(),
    }
}

fn finished_task(node: &Node<'_>) -> FinishedTask {
    let text = |key: &str| shorten(node.get(key).text().unwrap_or_default(), LONG);
    if node.is_object() {
        return FinishedTask { id: text("id"), description: text("description") };
    }
    FinishedTask { id: String::new(), description: node.shown(LONG).unwrap_or_default() }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn saturating(number: f64) -> u32 {
    number as u32
}

fn listed(node: &Node<'_>) -> Vec<String> {
    let mut remarks = texts(node);
    remarks.truncate(MOST);
    remarks
}

/// Whether [`report`] reads this member completely. One of another type is shown as written.
fn is_typed(key: &str, value: &Node<'_>) -> bool {
    let is_list = matches!(value.value, Value::List(_) | Value::Null);
    let is_count = |(key, lines): &(std::borrow::Cow<'_, str>, Node<'_>)| {
        matches!(&**key, "lines_added" | "lines_removed") && lines.lenient_number().is_some()
    };
    match key {
        "tasks_completed" | "suggestions" | "issues_found" | "failed_tests" => is_list,
        "metrics" => value.is_object() && value.fields().iter().all(is_count),
        "test_results" => value.is_object() || is_list,
        "coverage" => {
            let is_empty = value.is_object() && value.fields().is_empty();
            overall(value).is_some() || value.is_null() || is_empty
        }
        _ => false,
    }
}

/// The part of a worker's output that is not in any field: text, or JSON text.
pub(crate) fn leftover(node: &Node<'_>) -> Option<String> {
    let output = node.get("detailed_output");
    let mut parts: Vec<String> = Vec::new();
    if let Some(text) = output.text() {
        parts.push(shorten(text, LONG));
    } else if output.is_object() {
        let own: Vec<_> = output.fields().iter().filter(|(key, value)| !is_typed(key, value)).collect();
        match own.as_slice() {
            [] => {}
            [(key, value)] if &**key == NOTES => parts.extend(value.shown(LONG)),
            own => {
                let members = own.iter().map(|(key, value)| (&**key, Json::from_node(value))).collect();
                parts.push(shorten(&Json::object(members).pretty(), LONG));
            }
        }
    } else if !output.is_null() {
        parts.push(output.json(Some(2), LONG));
    }
    let is_own = |key: &str, value: &Node<'_>| OWN.contains(&key) || is_typed(key, value);
    for (key, value) in node.fields().iter().filter(|(key, value)| !is_own(key, value)) {
        parts.push(format!("{}: {}", shorten(key, 60), value.json(Some(2), LONG)));
    }
    (!parts.is_empty()).then(|| shorten(&parts.join("\n"), LONG))
}

#[cfg(test)]
#[path = "reported_tests.rs"]
mod tests;
