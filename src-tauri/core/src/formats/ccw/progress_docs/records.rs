//! The records that state files, side files and progress texts share: hypothesis, test result, validation run (the CCW contract §2).

use crate::times::Timestamp;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use serde::{Deserialize, Serialize};

pub use loopdeck_agents::answers::records::{Confidence, Hypothesis, PlannedTask};
pub use loopdeck_results::record::{CoverageFigures, TestResult, ValidationRun};

/// A record in its CCW form.
pub trait CcwRecord: Sized {
    /// Reads one; missing fields stay empty.
    #[must_use]
    fn from_node(node: &Node<'_>) -> Self;

    /// As it is written.
    #[must_use]
    fn json(&self) -> Json;
}

impl CcwRecord for Hypothesis {
    fn from_node(node: &Node<'_>) -> Self {
        let criteria = node.get("evidence_criteria");
        Self {
            id: text(node, "id"),
            description: text(node, "description"),
            testable_condition: text(node, "testable_condition"),
            logging_point: text(node, "logging_point"),
            confirm: text(criteria, "confirm"),
            reject: text(criteria, "reject"),
            likelihood: node.get("likelihood").lenient_number(),
            status: node.get("status").text().unwrap_or("pending").to_lowercase(),
            evidence: Json::from_node(node.get("evidence")),
            verdict_reason: node.get("verdict_reason").text().map(str::to_owned),
        }
    }

    fn json(&self) -> Json {
        let criteria = vec![("confirm", Json::text(&self.confirm)), ("reject", Json::text(&self.reject))];
        Json::object(vec![
            ("id", Json::text(&self.id)),
            ("description", Json::text(&self.description)),
            ("testable_condition", Json::text(&self.testable_condition)),
            ("logging_point", Json::text(&self.logging_point)),
            ("evidence_criteria", Json::object(criteria)),
            ("likelihood", self.likelihood.map_or(Json::Null, Json::number)),
            ("status", Json::text(&self.status)),
            ("evidence", self.evidence.clone()),
            ("verdict_reason", Json::optional(self.verdict_reason.as_deref())),
        ])
    }
}

impl CcwRecord for TestResult {
    fn from_node(node: &Node<'_>) -> Self {
        Self {
            name: text(node, "test_name"),
            suite: text(node, "suite"),
            status: text(node, "status").to_lowercase(),
            duration_ms: node.get("duration_ms").lenient_number(),
            error_message: node.get("error_message").text().map(str::to_owned),
            stack_trace: node.get("stack_trace").text().map(str::to_owned),
        }
    }

    fn json(&self) -> Json {
        Json::object(vec![
            ("test_name", Json::text(&self.name)),
            ("suite", Json::text(&self.suite)),
            ("status", Json::text(&self.status)),
            ("duration_ms", self.duration_ms.map_or(Json::Null, Json::number)),
            ("error_message", Json::optional(self.error_message.as_deref())),
            ("stack_trace", Json::optional(self.stack_trace.as_deref())),
        ])
    }
}

impl CcwRecord for CoverageFigures {
    fn from_node(node: &Node<'_>) -> Self {
        let figure = |key| node.get(key).lenient_number();
        Self {
            statements: figure("statements"),
            branches: figure("branches"),
            functions: figure("functions"),
            lines: figure("lines"),
        }
    }

    fn json(&self) -> Json {
        Json::object(self.members())
    }
}

impl CcwRecord for ValidationRun {
    fn from_node(node: &Node<'_>) -> Self {
        let run = crate::formats::ccw::read::runs::run(node);
        Self {
            iteration: crate::formats::ccw::read::values::count(node, "iteration"),
            timestamp: text(node, "timestamp"),
            passed: run.passed,
            failed: run.failed,
            skipped: run.skipped,
            duration_ms: node.get("summary").get("duration_ms").lenient_number(),
            tests: run.rows.iter().map(|row| TestResult::from_node(row)).collect(),
            coverage: Some(node.get("coverage"))
                .filter(|node| node.is_object())
                .map(CoverageFigures::from_node),
        }
    }

    fn json(&self) -> Json {
        let rate = self.pass_rate().map_or("NaN".to_owned(), |rate| format!("{rate:.1}"));
        let summary = vec![
            ("total", Json::count(self.total())),
            ("passed", Json::count(self.passed)),
            ("failed", Json::count(self.failed)),
            ("skipped", Json::count(self.skipped)),
            ("pass_rate", Json::text(rate)),
            ("duration_ms", self.duration_ms.map_or(Json::Null, Json::number)),
        ];
        let failures = self.tests.iter().filter(|test| test.status == "failed").map(|test| {
            Json::object(vec![
                ("test_name", Json::text(&test.name)),
                ("suite", Json::text(&test.suite)),
                ("error_message", Json::optional(test.error_message.as_deref())),
            ])
        });
        Json::object(vec![
            ("iteration", Json::count(self.iteration)),
            ("timestamp", Json::text(&self.timestamp)),
            ("summary", Json::object(summary)),
            ("tests", Json::List(self.tests.iter().map(TestResult::json).collect())),
            ("failures", Json::List(failures.collect())),
            ("coverage", self.coverage.map_or(Json::Null, |figures| figures.json())),
        ])
    }
}

/// A field as text; empty when it is something else.
pub(crate) fn text(node: &Node<'_>, key: &str) -> String {
    node.get(key).text().unwrap_or_default().to_owned()
}

/// A failed action, for `errors[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionError {
    /// `INIT`, `DEVELOP`, `DEBUG`, `VALIDATE`.
    pub action: String,
    /// Why. Untrusted text.
    pub message: String,
    /// When: milliseconds since 1970 UTC.
    pub at: Timestamp,
}

/// A number, `"85%"`, an object of measures, or one with `overall` (the CCW contract §18).
pub(crate) fn coverage(node: &Node<'_>) -> Option<f64> {
    let overall = node.get("overall");
    let measures = if overall.is_object() { overall } else { node };
    let figures = CoverageFigures::from_node(measures);
    node.lenient_number().or_else(|| overall.lenient_number()).or(figures.overall())
}
