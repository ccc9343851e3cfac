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
    /// In the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Test, Self::Enhance, Self::Refactor, Self::Doc];

    /// As it is written into a description.
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

/// The fact that speaks for a direction. Words: catalogue `followUpBecause.<reason>`, with the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpReason {
    /// No test run passed.
    NotValidated,
    /// So many tests were skipped in the last run.
    SkippedTests,
    /// So many percent of the statements were covered in the last run.
    Covered,
    /// So many tests passed in the last run.
    TestsPassed,
    /// So many tasks are not completed.
    TasksLeft,
    /// So many tasks are completed.
    TasksDone,
    /// So many files were changed.
    FilesChanged,
}

/// Follow-up work that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FollowUpOffer {
    /// In which direction.
    pub kind: FollowUpKind,
    /// Why.
    pub because: FollowUpReason,
    /// The count of that reason.
    pub count: u32,
    /// What it is about, a few: tasks, or files. Untrusted text.
    pub names: Vec<String>,
}
