//! A completion check as written by a person (AoT contract §4, §11).

use serde::{Deserialize, Serialize};
use specta::Type;

/// A completion check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "shape", content = "of", rename_all = "snake_case")]
pub enum BaseCase {
    /// One check without a list.
    Single(Check),
    /// One check that a model judges.
    Quality(Quality),
    /// All of these.
    Checklist(Vec<CheckItem>),
}

impl BaseCase {
    /// The items of a list with the same checks; a single one keeps no name.
    #[must_use]
    pub fn into_items(self) -> Vec<CheckItem> {
        let only = |part| vec![CheckItem { item: String::new(), part }];
        match self {
            BaseCase::Single(check) => only(CheckPart::Check(check)),
            BaseCase::Quality(quality) => only(CheckPart::Quality(quality)),
            BaseCase::Checklist(items) => items,
        }
    }

    /// Every shell line in it, in order.
    #[must_use]
    pub fn shell_lines(&self) -> Vec<&str> {
        let mut lines = Vec::new();
        match self {
            BaseCase::Single(check) => lines.extend(check.shell_line()),
            BaseCase::Quality(_) => {}
            BaseCase::Checklist(items) => items.iter().for_each(|item| item.add_shell_lines(&mut lines)),
        }
        lines
    }
}

impl Check {
    fn shell_line(&self) -> Option<&str> {
        self.kind.is_shell().then_some(&*self.value)
    }
}

/// One check that needs no judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Check {
    /// What kind.
    pub kind: CheckKind,
    /// The command, path, glob or sentence.
    pub value: String,
}

/// Checks that need no judge (§11). Words: catalogue `field.checkKinds.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// The command succeeds.
    Command,
    /// The command fails.
    NotCommand,
    /// The file exists.
    File,
    /// No such file exists.
    NotFile,
    /// A person or a model confirms the sentence.
    Assertion,
    /// No test is weakened since the loop began; it has no value. Only in plans of ours, in no file.
    TestsKept,
    /// A report says that enough code is covered: `80:coverage/lcov.info`. Of a plan only.
    Coverage,
}

impl CheckKind {
    /// Those that an AoT file can have.
    pub const IN_FILE: [Self; 5] =
        [Self::Command, Self::NotCommand, Self::File, Self::NotFile, Self::Assertion];

    /// All that a plan of ours can have.
    pub const IN_PLANS: [Self; 7] = [
        Self::Command,
        Self::NotCommand,
        Self::File,
        Self::NotFile,
        Self::TestsKept,
        Self::Coverage,
        Self::Assertion,
    ];

    /// As it is written in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::NotCommand => "not_command",
            Self::File => "file",
            Self::NotFile => "not_file",
            Self::Assertion => "assertion",
            Self::TestsKept => "tests_kept",
            Self::Coverage => "coverage",
        }
    }

    /// The kind for this word of an AoT file.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::IN_FILE.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a state file can have it.
    pub(crate) fn is_in_files(self) -> bool {
        Self::IN_FILE.contains(&self)
    }

    /// Whether it needs a value.
    pub(crate) fn has_value(self) -> bool {
        self != Self::TestsKept
    }

    /// Whether its value is a path or a glob.
    pub(crate) fn is_path(self) -> bool {
        matches!(self, Self::File | Self::NotFile)
    }

    /// Whether its value is a shell line.
    pub(crate) fn is_shell(self) -> bool {
        matches!(self, Self::Command | Self::NotCommand)
    }
}

/// One item of a checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct CheckItem {
    /// Its name.
    pub item: String,
    /// Its contents.
    pub part: CheckPart,
}

impl CheckItem {
    /// Every shell line in it, in order.
    #[must_use]
    pub fn shell_lines(&self) -> Vec<&str> {
        let mut lines = Vec::new();
        self.add_shell_lines(&mut lines);
        lines
    }

    fn add_shell_lines<'a>(&'a self, lines: &mut Vec<&'a str>) {
        match &self.part {
            CheckPart::Check(check) => lines.extend(check.shell_line()),
            CheckPart::Quality(_) => {}
            CheckPart::Group(items) | CheckPart::AnyOf(items) => {
                items.iter().for_each(|item| item.add_shell_lines(lines));
            }
        }
    }
}

/// The contents of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "part", content = "of", rename_all = "snake_case")]
pub enum CheckPart {
    /// One check.
    Check(Check),
    /// One check that a model judges.
    Quality(Quality),
    /// All of these.
    Group(Vec<CheckItem>),
    /// One of these.
    AnyOf(Vec<CheckItem>),
}

/// A check that a model judges with scores from 1 to 5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Quality {
    /// What is judged.
    pub criteria: Criteria,
    /// Required score, in hundredths: 350 is 3.5. Above 100, which any work reaches, and at most 500.
    pub pass_threshold: u32,
    /// Path or glob of the files to look at; all artifacts when absent.
    pub scope: Option<String>,
}

/// What is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "shape", content = "of", rename_all = "snake_case")]
pub enum Criteria {
    /// One score for this text.
    Text(String),
    /// One score for each of these.
    Rubric(Vec<Criterion>),
}

/// One line of a rubric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Criterion {
    /// Its name.
    pub criterion: String,
    /// What it means.
    pub description: Option<String>,
    /// Its weight in hundredths; the mean of the others when absent.
    pub weight: Option<u32>,
    /// The meaning of scores such as 1, 3 and 5; none when absent.
    #[serde(default)]
    pub levels: Vec<(u8, String)>,
}

/// The current completion check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct PresentChecks {
    /// The part that can be written back; an empty list when nothing can.
    pub base_case: BaseCase,
    /// Number of checks in the file that cannot be written back, because their kind is unknown.
    pub lost: u32,
}
