//! What the files beside a loop say: log entries of hypotheses, coverage by file, and everything that has a time.

use super::CorrectionKind;
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

/// One entry of `debug.log`, written by the instrumented program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LogEntryView {
    /// When, true UTC; `text` is the number as the log has it.
    pub time: Option<TimeView>,
    /// The function.
    pub location: String,
    /// Its message, when it wrote one; cut to 1,000 characters.
    pub message: String,
    /// What it saw, as JSON text on one line, cut to 2,000 characters; empty without data.
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

/// What happened, and where it was written down. Words: catalogue `event.<kind>`.
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
    /// A Loop-B worker handed in its output.
    Worker,
    /// AoT: an alternative was selected.
    Trail,
    /// AoT: a person changed the direction.
    Correction,
    /// AoT: an atom was decomposed.
    Decomposition,
}

/// What an event says beyond a line of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum EventSays {
    /// Nothing: its line is all.
    #[default]
    Text,
    /// How a validation run went (the CCW contract §2).
    TestRun {
        /// Tests that passed.
        passed: u32,
        /// All tests.
        total: u32,
        /// As long as it took, in milliseconds.
        duration_ms: Option<f64>,
    },
    /// A correction (AoT contract §1.2).
    Correction {
        /// What kind.
        kind: CorrectionKind,
        /// Its kind as the file has it.
        word: String,
        /// What it says, cut to 1,000 characters.
        description: String,
    },
}

/// One event of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct EventView {
    /// When; nothing when it was not written down or cannot be read.
    pub time: Option<TimeView>,
    /// What kind of event.
    pub kind: EventKind,
    /// Round it belongs to, when it says so.
    pub iteration: Option<f64>,
    /// Id of the task, hypothesis, atom or worker action it is about.
    pub subject: Option<String>,
    /// What it says in one line, cut to 1,000 characters. Validation: `passed/total`; a correction: its word, then why.
    pub text: String,
    /// The parts of that line, where it has any.
    pub says: EventSays,
    /// Files it names, at most 50.
    pub files: Vec<String>,
    /// Companion it stands in, relative to the loop's root; empty for the state file itself.
    pub file: String,
}
