//! What the completion check has to run or look up (AoT contract §11), and what was found.

use crate::checklist::CommandEnd;
use crate::checklist::coverage::CoverageFloor;
use loopdeck_results::Reading;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A command of the completion check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandCheck {
    /// Its row in the checklist.
    pub row: usize,
    /// Its name; its value when it has none. Untrusted text.
    pub item: String,
    /// For `sh -c`, in the root of the workspace.
    pub command: String,
    /// It passes when the command fails.
    pub not: bool,
}

/// A file of the completion check, or the tests of a loop: both are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCheck {
    /// Its row in the checklist.
    pub row: usize,
    /// Its name; its value when it has none. Untrusted text.
    pub item: String,
    /// Path or glob, relative to the root of the workspace.
    pub pattern: String,
    /// It passes when nothing is found.
    pub not: bool,
    /// Not a file: it passes when no test is weakened since the loop began.
    pub tests: bool,
    /// It is a report, and passes when that says so much.
    pub floor: Option<CoverageFloor>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum FileFound {
    /// These, relative to the root of the workspace.
    Found(Vec<String>),
    /// Nothing.
    Nothing,
    /// The pattern leads out of the workspace: unknown (§11).
    Outside,
    /// Nothing was found, and the folder has more entries than are looked through.
    TooMany,
    /// These changes weaken tests, each in a line.
    Weakened(Vec<String>),
    /// No test is weakened.
    TestsKept,
    /// It is not known which changes there are; why not. Untrusted text.
    NotCompared(String),
    /// The report says that so many percent are covered.
    Covered(f64),
    /// The report is older than the work, or than this file that it names.
    Stale(Option<String>),
    /// What is there is no report, or one of no file of the workspace.
    NoReport,
}

/// How a command came to its end.
#[derive(Clone, Copy, Debug)]
pub struct CommandResult<'a> {
    /// How it ended.
    pub end: CommandEnd,
    /// Its output, or the beginning of it. Untrusted text.
    pub stdout: &'a str,
    /// What it complained about, or the beginning of that. Untrusted text.
    pub stderr: &'a str,
    /// Milliseconds it took.
    pub took_ms: f64,
    /// The tests that it ran, where its output or its reports say so.
    pub tests: Option<TestsRan>,
}

/// How many tests a command ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TestsRan {
    /// Passed.
    pub passed: u32,
    /// Failed.
    pub failed: u32,
    /// Skipped.
    pub skipped: u32,
}

impl TestsRan {
    /// The tests that a reading has, also where they prove nothing; `None` when it has none.
    #[must_use]
    pub fn of(reading: &Reading) -> Option<Self> {
        let run = reading.run.as_ref().or(reading.partial.as_ref()).filter(|run| run.total() > 0)?;
        Some(Self { passed: run.passed, failed: run.failed, skipped: run.skipped })
    }

    /// How many said something: a skipped one does not.
    #[must_use]
    pub fn ran(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }
}
