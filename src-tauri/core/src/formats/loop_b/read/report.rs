//! What a worker reports next to its summary (seed 003, "Worker Output Structure" and "Parallel Results Schema"): one type
//! for the operation that writes it, for the files that hold it, and for the page that shows it.

use super::state::Output;
use crate::formats::ccw::progress_docs::records::CoverageFigures;
use crate::formats::ccw::read::facts::{LONG, SHORT, texts};
use crate::formats::ccw_v2::read::state::count;
use crate::formats::ccw_v2::view::coverage as overall;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Of a hostile file so many entries of each list are shown.
const MOST: usize = 500;
/// Members of a worker's output that have a place of their own in [`crate::view::WorkerView`].
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
/// What an agent adds in its own words.
const NOTES: &str = "notes";

/// Everything that a worker reports in fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct WorkerReport {
    /// `detailed_output.tasks_completed`.
    pub tasks_completed: Vec<FinishedTask>,
    /// `detailed_output.metrics.lines_added`; nothing when nobody counted them.
    pub lines_added: Option<u32>,
    /// `detailed_output.metrics.lines_removed`.
    pub lines_removed: Option<u32>,
    /// `suggestions`: what else could be done.
    pub suggestions: Vec<String>,
    /// `issues_found`: what is wrong and was not fixed.
    pub issues_found: Vec<String>,
    /// `test_results` of a validate worker.
    pub tests: Option<TestTally>,
    /// Names of the failed tests.
    pub failed_tests: Vec<String>,
    /// Overall coverage, 0 to 100; nothing when it was not measured.
    pub coverage: Option<f64>,
}

/// A task that a worker finished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FinishedTask {
    /// Its id; empty when only the text is written.
    pub id: String,
    /// What was to be done; may be empty.
    pub description: String,
}

/// Tests by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[allow(missing_docs)] // each is named by its outcome
pub struct TestTally {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
}

impl TestTally {
    fn json(self) -> Json {
        let counts = [
            ("total", self.total),
            ("passed", self.passed),
            ("failed", self.failed),
            ("skipped", self.skipped),
        ];
        Json::object(counts.map(|(name, count)| (name, Json::count(count))).to_vec())
    }
}

impl FinishedTask {
    fn of(node: &Node<'_>) -> Self {
        let text = |key: &str| shorten(node.get(key).text().unwrap_or_default(), LONG);
        if node.is_object() {
            return Self { id: text("id"), description: text("description") };
        }
        Self { id: String::new(), description: node.shown(LONG).unwrap_or_default() }
    }

    fn json(&self) -> Json {
        Json::object(vec![("id", Json::text(&self.id)), ("description", Json::text(&self.description))])
    }
}

impl WorkerReport {
    /// What a worker's output says in fields. Files of earlier versions have more of it in `detailed_output`.
    pub(crate) fn of(output: &Output<'_>) -> Self {
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
        Self {
            tasks_completed: detail
                .get("tasks_completed")
                .items()
                .iter()
                .take(MOST)
                .map(FinishedTask::of)
                .collect(),
            lines_added: lines("lines_added"),
            lines_removed: lines("lines_removed"),
            suggestions: remarks("suggestions"),
            issues_found: remarks("issues_found"),
            tests,
            failed_tests: output.failed_tests(),
            coverage: output.coverage(),
        }
    }

    /// The members that stand next to the summary, by the action of the worker. `figures`: the measures of the coverage.
    pub(crate) fn members(
        &self,
        action: &str,
        figures: Option<CoverageFigures>,
    ) -> Vec<(&'static str, Json)> {
        let (suggestions, issues) = (Json::texts(&self.suggestions), Json::texts(&self.issues_found));
        match action {
            "validate" => vec![
                ("test_results", self.tests.map_or_else(|| Json::object(vec![]), TestTally::json)),
                ("failed_tests", Json::texts(&self.failed_tests)),
                ("coverage", coverage(self.coverage, figures)),
            ],
            "debug" => vec![("issues_found", issues), ("suggestions", suggestions)],
            "develop" | "complete" => vec![("suggestions", suggestions)],
            _ => Vec::new(),
        }
    }

    /// `detailed_output`: an object with what is reported and what the agent said in its own words. A text to which nothing
    /// is to be added stays a text, as coordinators write it.
    pub(crate) fn detail(&self, said: &Json) -> Json {
        let reports = !self.tasks_completed.is_empty() || self.lines_added.or(self.lines_removed).is_some();
        if !reports && !matches!(said, Json::Object(_)) {
            return said.clone();
        }
        let tasks = self.tasks_completed.iter().map(FinishedTask::json).collect();
        let mut detail = Json::object(vec![("tasks_completed", Json::List(tasks))]);
        let lines = [("lines_added", self.lines_added), ("lines_removed", self.lines_removed)];
        let known: Vec<_> =
            lines.into_iter().filter_map(|(key, lines)| Some((key, Json::count(lines?)))).collect();
        if !known.is_empty() {
            detail.set("metrics", Json::object(known));
        }
        let own = noted(said.clone());
        let reported = |key: &str| matches!(key, "tasks_completed" | "metrics");
        let own = own.members().iter().filter(|(key, _)| !reported(key));
        own.for_each(|(key, value)| detail.set(key, value.clone()));
        detail
    }
}

/// What an agent said in its own words, as an object.
pub(crate) fn noted(said: Json) -> Json {
    match said {
        Json::Null => Json::object(Vec::new()),
        Json::Object(_) => said,
        said => Json::object(vec![(NOTES, said)]),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn saturating(number: f64) -> u32 {
    number as u32
}

/// Measures that are known; `overall` where statements were not counted. Empty when nothing was measured, as in the seed.
fn coverage(overall: Option<f64>, figures: Option<CoverageFigures>) -> Json {
    let measured = figures.map(|figures| figures.members()).unwrap_or_default();
    let mut members: Vec<_> = measured.into_iter().filter(|(_, value)| *value != Json::Null).collect();
    if let Some(overall) = overall.filter(|_| !members.iter().any(|(key, _)| *key == "statements")) {
        members.push(("overall", Json::number(overall)));
    }
    Json::object(members)
}

fn listed(node: &Node<'_>) -> Vec<String> {
    let mut remarks = texts(node);
    remarks.truncate(MOST);
    remarks
}

/// Whether [`WorkerReport::of`] reads this member whole. One of another shape is shown as it is written.
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

/// What of a worker's output is in no field: text, or JSON text.
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
                let members = own.iter().map(|(key, value)| (&**key, Json::of(value))).collect();
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

/// Names of tests: a list of names, or of objects that have one.
pub(crate) fn test_names(node: &Node<'_>) -> Vec<String> {
    let name = |item: &Node<'_>| {
        let named = ["test_name", "name"].into_iter().find_map(|key| item.get(key).text());
        named.map_or_else(|| item.shown(SHORT), |name| Some(shorten(name, SHORT)))
    };
    node.items().iter().take(MOST).filter_map(name).collect()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
