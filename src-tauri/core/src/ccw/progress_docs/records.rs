//! The records that state files, side files and progress texts share: task, hypothesis, validation run (the CCW contract §2).

use crate::json_span::json::Json;
use crate::json_span::tree::Node;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A develop task as INIT plans it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PlannedTask {
    /// `task-001`, `T1`.
    pub id: String,
    /// What to do.
    pub description: String,
    /// `gemini`, `qwen`, `codex`, `claude`, `bash`, or the id of a person's own agent.
    pub tool: String,
    /// `analysis`, `write`.
    pub mode: String,
    /// 1 = first.
    pub priority: u32,
    /// Files planned.
    pub files: Vec<String>,
}

/// How sure an agent is of a hypothesis, as Loop-B's `debug.md` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// `high`.
    High,
    /// `medium`.
    Medium,
    /// `low`.
    Low,
}

impl Confidence {
    /// All of them, the surest first.
    const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// Its word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Where it stands among the others: 1 for the surest.
    #[must_use]
    pub fn place(self) -> u8 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// What a word of the file says, in any case; nothing for another word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| word.trim().eq_ignore_ascii_case(known.word()))
    }
}

/// One hypothesis (§2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Hypothesis {
    /// `H1`, `H2`, …
    pub id: String,
    /// The claim.
    pub description: String,
    /// What would show it.
    pub testable_condition: String,
    /// `file:function:line`.
    pub logging_point: String,
    /// Confirm if.
    pub confirm: String,
    /// Reject if.
    pub reject: String,
    /// 1 = most likely.
    pub likelihood: Option<f64>,
    /// `pending`, `confirmed`, `rejected`, `inconclusive`.
    pub status: String,
    /// Null, an object, or entries of the debug log; from outside as JSON text, none when it stays.
    #[serde(default, with = "crate::json_span::json::as_text")]
    #[specta(type = String)]
    pub evidence: Json,
    /// Why it was judged so.
    pub verdict_reason: Option<String>,
}

impl Hypothesis {
    /// Reads a hypothesis; whatever is missing stays empty.
    #[must_use]
    pub fn of(node: &Node<'_>) -> Self {
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
            evidence: Json::of(node.get("evidence")),
            verdict_reason: node.get("verdict_reason").text().map(str::to_owned),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn json(&self) -> Json {
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

/// One test of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct TestResult {
    /// Test name.
    pub name: String,
    /// Suite.
    pub suite: String,
    /// `passed`, `failed`, `skipped`.
    pub status: String,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Message.
    pub error_message: Option<String>,
    /// Stack.
    pub stack_trace: Option<String>,
}

impl TestResult {
    fn of(node: &Node<'_>) -> Self {
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

/// Shares of covered code, 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct CoverageFigures {
    /// Statements.
    pub statements: Option<f64>,
    /// Branches.
    pub branches: Option<f64>,
    /// Functions.
    pub functions: Option<f64>,
    /// Lines.
    pub lines: Option<f64>,
}

impl CoverageFigures {
    /// Reads `{statements, branches, functions, lines}`.
    #[must_use]
    pub fn of(node: &Node<'_>) -> Self {
        let figure = |key| node.get(key).lenient_number();
        Self {
            statements: figure("statements"),
            branches: figure("branches"),
            functions: figure("functions"),
            lines: figure("lines"),
        }
    }

    /// The one figure where only one is shown: statements, or lines where statements were not counted (lcov).
    #[must_use]
    pub fn overall(&self) -> Option<f64> {
        self.statements.or(self.lines)
    }

    /// Its members as they are written.
    #[must_use]
    pub fn members(&self) -> Vec<(&'static str, Json)> {
        let figure = |number: Option<f64>| number.map_or(Json::Null, Json::number);
        vec![
            ("statements", figure(self.statements)),
            ("branches", figure(self.branches)),
            ("functions", figure(self.functions)),
            ("lines", figure(self.lines)),
        ]
    }
}

/// One validation: a run record (§2), also `test-results.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ValidationRun {
    /// Round it belongs to.
    pub iteration: u32,
    /// As written.
    pub timestamp: String,
    /// Passed tests.
    pub passed: u32,
    /// Failed tests.
    pub failed: u32,
    /// Skipped tests.
    pub skipped: u32,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Single tests, when they are known.
    pub tests: Vec<TestResult>,
    /// Overall coverage.
    pub coverage: Option<CoverageFigures>,
}

impl ValidationRun {
    /// Reads a run record.
    #[must_use]
    pub fn of(node: &Node<'_>) -> Self {
        let run = crate::ccw_v2::state::run(node);
        Self {
            iteration: crate::ccw_v2::state::count(node, "iteration"),
            timestamp: text(node, "timestamp"),
            passed: run.passed,
            failed: run.failed,
            skipped: run.skipped,
            duration_ms: node.get("summary").get("duration_ms").lenient_number(),
            tests: run.rows.iter().map(|row| TestResult::of(row)).collect(),
            coverage: Some(node.get("coverage")).filter(|node| node.is_object()).map(CoverageFigures::of),
        }
    }

    /// All tests.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// Passed tests of all, 0 to 100; none without tests.
    #[must_use]
    pub fn pass_rate(&self) -> Option<f64> {
        (self.total() > 0).then(|| f64::from(self.passed) / f64::from(self.total()) * 100.0)
    }

    /// As the skill decides it: nothing failed and something passed (§7).
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Names of the failed tests.
    #[must_use]
    pub fn failed_tests(&self) -> Vec<&str> {
        self.tests.iter().filter(|test| test.status == "failed").map(|test| test.name.as_str()).collect()
    }

    /// As it is written.
    #[must_use]
    pub fn json(&self) -> Json {
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
            ("coverage", self.coverage.map_or(Json::Null, |figures| Json::object(figures.members()))),
        ])
    }
}

/// A field as text; empty when it is something else.
pub(crate) fn text(node: &Node<'_>, key: &str) -> String {
    node.get(key).text().unwrap_or_default().to_owned()
}
