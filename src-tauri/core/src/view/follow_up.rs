//! The follow-up work that a completed loop offers.

use serde::{Deserialize, Serialize};
use specta::Type;

/// A direction in which a completed loop can be expanded. Words: catalogue `followUp.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpKind {
    /// More or better tests.
    Test,
    /// More of what was built.
    Enhance,
    /// A better form of it.
    Refactor,
    /// Its documentation.
    Doc,
}

impl FollowUpKind {
    /// In display order.
    pub const ALL: [Self; 4] = [Self::Test, Self::Enhance, Self::Refactor, Self::Doc];

    /// As written in a description.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Enhance => "enhance",
            Self::Refactor => "refactor",
            Self::Doc => "doc",
        }
    }
}

/// The fact that supports a direction. Words: catalogue `followUpBecause.<reason>`, with the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpReason {
    /// No test run passed.
    NotValidated,
    /// The number of skipped tests in the last run.
    SkippedTests,
    /// The percentage of statements covered in the last run.
    Covered,
    /// The number of passed tests in the last run.
    TestsPassed,
    /// The number of tasks that are not completed.
    TasksLeft,
    /// The number of completed tasks.
    TasksDone,
    /// The number of changed files.
    FilesChanged,
}

/// Follow-up work on offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FollowUpOffer {
    /// In which direction.
    pub kind: FollowUpKind,
    /// Why.
    pub because: FollowUpReason,
    /// The count of that reason.
    pub count: u32,
    /// A few of its subjects: tasks, or files. Untrusted text.
    pub names: Vec<String>,
}
