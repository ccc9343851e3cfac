//! A worker's report in addition to its summary
//! (seed 003, "Worker Output Structure" and "Parallel Results Schema"): one type for the operation that
//! writes it, the files that contain it, and the page that shows it.

use crate::formats::ccw::progress_docs::records::CoverageFigures;
use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

/// An agent's additions in its own words.
pub(super) const NOTES: &str = "notes";

/// A worker's report as fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct WorkerReport {
    /// `detailed_output.tasks_completed`.
    pub tasks_completed: Vec<FinishedTask>,
    /// `detailed_output.metrics.lines_added`; none if not counted.
    pub lines_added: Option<u32>,
    /// `detailed_output.metrics.lines_removed`.
    pub lines_removed: Option<u32>,
    /// `suggestions`: what else could be done.
    pub suggestions: Vec<String>,
    /// `issues_found`: problems that were not fixed.
    pub issues_found: Vec<String>,
    /// `test_results` of a validate worker.
    pub tests: Option<TestTally>,
    /// Names of the failed tests.
    pub failed_tests: Vec<String>,
    /// Overall coverage, 0 to 100; none if not measured.
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

/// Tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[allow(missing_docs)] // each is named after its outcome
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
    fn json(&self) -> Json {
        Json::object(vec![("id", Json::text(&self.id)), ("description", Json::text(&self.description))])
    }
}

impl WorkerReport {
    /// The members next to the summary, depending on the worker's action. `figures`: the measures of the
    /// coverage.
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

    /// `detailed_output`: an object with the report and the agent's own words. A text without additions stays
    /// a text, as coordinators write it.
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

/// An agent's own words, as an object.
pub(crate) fn noted(said: Json) -> Json {
    match said {
        Json::Null => Json::object(Vec::new()),
        Json::Object(_) => said,
        said => Json::object(vec![(NOTES, said)]),
    }
}

/// Known measures; `overall` if statements were not counted. Empty if nothing was measured, as in the seed.
fn coverage(overall: Option<f64>, figures: Option<CoverageFigures>) -> Json {
    let measured = figures.map(|figures| figures.members()).unwrap_or_default();
    let mut members: Vec<_> = measured.into_iter().filter(|(_, value)| *value != Json::Null).collect();
    if let Some(overall) = overall.filter(|_| !members.iter().any(|(key, _)| *key == "statements")) {
        members.push(("overall", Json::number(overall)));
    }
    Json::object(members)
}
