//! The content of the files next to a loop: log entries of hypotheses, coverage by file, and everything with
//! a time.

use super::CorrectionKind;
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

/// One entry of `debug.log`, written by the instrumented program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LogEntryView {
    /// When, correct UTC; `text` is the number as written in the log.
    pub time: Option<TimeView>,
    /// The function.
    pub location: String,
    /// Its message, if any; cut to 1,000 characters.
    pub message: String,
    /// The logged data, as JSON text on one line, cut to 2,000 characters; empty without data.
    pub values: String,
}

/// Coverage of one file, each figure 0 to 100.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct CoverageFileView {
    /// Its path as written.
    pub path: String,
    /// Statements.
    pub statements: Option<f64>,
    /// Branches.
    pub branches: Option<f64>,
    /// Functions.
    pub functions: Option<f64>,
    /// Lines.
    pub lines: Option<f64>,
}

/// What happened, and where it is recorded. Words: catalogue `event.<kind>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A line of `changes.log`: a task or a round of debugging changed files.
    #[default]
    ChangeLog,
    /// A line of `debug.log`: the instrumented program ran past a logging point.
    DebugLog,
    /// An entry in the timeline of `develop.md`.
    DevelopEntry,
    /// A round of `debug.md`: exploration, analysis, resolution.
    DebugEntry,
    /// A validation run.
    ValidateEntry,
    /// `summary.md` was written.
    SummaryEntry,
    /// An entry of `skill_state.errors`.
    Error,
    /// A Loop-B worker wrote its output.
    Worker,
    /// AoT: an alternative was selected.
    Trail,
    /// AoT: a person changed the direction.
    Correction,
    /// AoT: an atom was decomposed.
    Decomposition,
    /// An entry in the log of another tool.
    PlanLog,
}

/// The structured content of an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum EventSays {
    /// None beyond its line.
    #[default]
    Text,
    /// The result of a validation run (the CCW contract §2).
    TestRun {
        /// Tests that passed.
        passed: u32,
        /// All tests.
        total: u32,
        /// The duration, in milliseconds.
        duration_ms: Option<f64>,
    },
    /// A correction (AoT contract §1.2).
    Correction {
        /// What kind.
        kind: CorrectionKind,
        /// Its kind as written.
        word: String,
        /// Its text, cut to 1,000 characters.
        description: String,
    },
}

/// One event of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct EventView {
    /// When; none if not recorded or unreadable.
    pub time: Option<TimeView>,
    /// What kind of event.
    pub kind: EventKind,
    /// Its round, if given.
    pub iteration: Option<f64>,
    /// Id of the task, hypothesis, atom or worker action it is about.
    pub subject: Option<String>,
    /// Its text on one line, cut to 1,000 characters. Validation: `passed/total`; a correction: its word,
    /// then the reason.
    pub text: String,
    /// The structured content of that line, if any.
    pub says: EventSays,
    /// Files it names, at most 50.
    pub files: Vec<String>,
    /// Companion that contains it, relative to the loop's root; empty for the state file itself.
    pub file: String,
}
