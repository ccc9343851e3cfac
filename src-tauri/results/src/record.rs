//! The results of a test run: its tests, counts and coverage.

use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

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
    /// The figure to show where there is room for one: statements, or lines where statements were not counted
    /// (lcov).
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

/// One run of the tests, as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ValidationRun {
    /// Its round.
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
    /// Single tests, if known.
    pub tests: Vec<TestResult>,
    /// Overall coverage.
    pub coverage: Option<CoverageFigures>,
}

impl ValidationRun {
    /// All tests.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// Share of passed tests, 0 to 100; none without tests.
    #[must_use]
    pub fn pass_rate(&self) -> Option<f64> {
        (self.total() > 0).then(|| f64::from(self.passed) / f64::from(self.total()) * 100.0)
    }

    /// Nothing failed and something passed.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Names of the failed tests.
    #[must_use]
    pub fn failed_tests(&self) -> Vec<&str> {
        self.tests.iter().filter(|test| test.status == "failed").map(|test| test.name.as_str()).collect()
    }
}
