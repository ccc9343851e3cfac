//! The steps of the work, in the words of the CCW contract §7.

use super::forms::InitMode;
use crate::formats::ccw::progress_docs::records::{
    ActionError, CoverageFigures, Hypothesis, PlannedTask, TestResult, ValidationRun,
};
use crate::refusal::{Refusal, bad_value};
use serde::{Deserialize, Serialize};
use specta::Type;

/// A finished action, or the start of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "op", rename_all = "snake_case")]
#[serde(rename = "LoopV2Step")]
pub enum LoopV2Operation {
    /// Creates the skill state.
    Init {
        /// How the loop continues.
        mode: InitMode,
        /// At least one.
        tasks: Vec<PlannedTask>,
    },
    /// Adds tasks from the list next to the loop. Used only by Loopdeck: the list is read, not typed.
    #[specta(skip)]
    TakeUp {
        /// In the order of the list; those that the loop already has are left out.
        tasks: Vec<ListedWork>,
    },
    /// An action starts; the file shows it while it lasts.
    Begin {
        /// Which one.
        beginning: Beginning,
    },
    /// A task was worked on.
    Develop(Developed),
    /// A round of debugging ended.
    Debug(Debugged),
    /// A person counted the tests of a run.
    Tested(CountedTests),
    /// Tests ran; iteration and time of the record are filled in. Used only by Loopdeck: no form has all of
    /// it.
    #[specta(skip)]
    Validate {
        /// Counts and rows.
        run: ValidationRun,
        /// Coverage by file.
        files: Vec<(String, CoverageFigures)>,
    },
    /// The loop is done.
    Complete {
        /// In one or a few sentences.
        executive: String,
        /// What to do next.
        recommendations: Vec<String>,
        /// How long the loop worked, in milliseconds; if unknown, the time since it was created is used.
        #[serde(default)]
        worked_ms: Option<f64>,
    },
    /// Actions failed without their own round. Used only by Loopdeck.
    #[specta(skip)]
    Failed {
        /// At least one.
        errors: Vec<ActionError>,
    },
    /// A person leaves through the menu: `user_exit` (§7). Only the driver's menu offers it.
    #[specta(skip)]
    Leave,
    /// The driver exits because the loop is paused: `current_action` says so (seed 001, `pause_exit`).
    #[specta(skip)]
    PauseExit,
}

/// Which action starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Beginning {
    /// A task; it is `in_progress` until it is done.
    Develop {
        /// An open one, or a failed one to retry.
        task_id: String,
    },
    /// Debugging.
    Debug,
    /// Validation.
    Validate,
}

/// The result of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Developed {
    /// An open one.
    pub task_id: String,
    /// What was done.
    pub summary: String,
    /// Files changed.
    pub files_changed: Vec<String>,
    /// Why it failed; `None` when it is completed.
    pub failure: Option<String>,
}

/// The result of a round of debugging.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Debugged {
    /// The bug being investigated; the first failed test when `None`.
    pub active_bug: Option<String>,
    /// New and changed ones; others stay.
    pub hypotheses: Vec<Hypothesis>,
    /// Id of the root cause.
    pub confirmed: Option<String>,
    /// The current understanding.
    pub understanding: String,
    /// Files changed.
    #[serde(default)]
    pub files_changed: Vec<String>,
    /// Whether the cause is fixed; none if unknown.
    #[serde(default)]
    pub fixed: Option<bool>,
}

impl Debugged {
    /// The word for the change log: without a statement about a fix, a confirmed cause counts as fixed.
    pub(crate) fn result(&self) -> &'static str {
        if self.fixed.unwrap_or(self.confirmed.is_some()) { "success" } else { "inconclusive" }
    }
}

/// The tests of a run as counted by a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename = "CountedTests")]
pub struct CountedTests {
    /// Passed tests.
    pub passed: u32,
    /// Failed tests.
    pub failed: u32,
    /// Skipped tests.
    pub skipped: u32,
    /// Names of failed ones, as far as known.
    pub failed_names: Vec<String>,
    /// How long it took, in seconds.
    pub seconds: Option<f64>,
    /// Share of the statements that were covered, 0 to 100.
    pub coverage: Option<f64>,
}

impl CountedTests {
    /// Its record (§2); the writer fills in round and time.
    pub(crate) fn run(&self) -> Result<ValidationRun, Refusal> {
        if self.coverage.is_some_and(|share| !(0.0..=100.0).contains(&share)) {
            return Err(bad_value("coverage"));
        }
        if self.seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds >= 0.0)) {
            return Err(bad_value("duration_ms"));
        }
        let failed = |name: &String| TestResult {
            name: name.clone(),
            status: "failed".to_owned(),
            ..TestResult::default()
        };
        let covered = |share| CoverageFigures { statements: Some(share), ..CoverageFigures::default() };
        Ok(ValidationRun {
            passed: self.passed,
            failed: self.failed,
            skipped: self.skipped,
            duration_ms: self.seconds.map(|seconds| (seconds * 1_000.0).round()),
            tests: self.failed_names.iter().map(failed).collect(),
            coverage: self.coverage.map(covered),
            ..ValidationRun::default()
        })
    }
}

/// A task of the list as a task of the loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ListedWork {
    /// The task in the loop.
    pub task: PlannedTask,
    /// `prompt_template`; may be empty.
    pub prompt: String,
    /// `command`; may be empty. The agent gets it in its prompt; Loopdeck never runs it.
    pub command: String,
}
