//! What an item of a completion check asks, and how a check is judged (AoT contract §11).

use serde::Serialize;
use specta::Type;

/// What an item of a checklist is. Words: catalogue `check.<kind>` for the lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// One check.
    Check,
    /// All of the items below it.
    Group,
    /// Any of the items below it.
    AnyOf,
    /// Neither a check nor a list: it can never pass.
    #[default]
    Nothing,
}

/// How a check is judged: its `type`. Words: catalogue `check.<type>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CheckType {
    /// A command that has to succeed.
    Command,
    /// A command that has to fail.
    NotCommand,
    /// A file that has to exist.
    File,
    /// A file that must not exist.
    NotFile,
    /// A sentence that a person confirms.
    Assertion,
    /// A score that a model gives.
    Quality,
    /// No test may be weakened since the loop began. No file has it, only plans of ours.
    TestsKept,
    /// A report that has to say that enough code is covered; of a plan only.
    Coverage,
    /// A word that the format does not define: such a check can never pass.
    Other,
}

impl CheckType {
    /// The meaning of a word in an AoT file; the format knows only one spelling, and none of those that only plans have.
    #[must_use]
    pub(crate) fn in_file(word: &str) -> Self {
        match Self::from_word(word) {
            Self::TestsKept | Self::Coverage => Self::Other,
            known => known,
        }
    }

    /// The meaning of a word in a plan or in evidence.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "command" => Self::Command,
            "not_command" => Self::NotCommand,
            "file" => Self::File,
            "not_file" => Self::NotFile,
            "assertion" => Self::Assertion,
            "quality" => Self::Quality,
            "tests_kept" => Self::TestsKept,
            "coverage" => Self::Coverage,
            _ => Self::Other,
        }
    }
}
