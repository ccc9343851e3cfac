//! The completion check of an AoT loop, and what the file says about it.

use crate::checklist::{CheckResult, CheckType, ItemKind, Verdict};
use loopdeck_agents::prompts::RubricRow;
use serde::Serialize;
use specta::Type;

/// One line of the completion checklist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ChecklistRow {
    /// 0 for the top level.
    pub depth: u32,
    /// Its name.
    pub item: String,
    /// What it is.
    pub kind: ItemKind,
    /// For checks: how it is judged.
    pub check_type: Option<CheckType>,
    /// The word of a type that the format does not define, as written, cut to 40 characters.
    pub type_word: Option<String>,
    /// Command, path, sentence or criteria.
    pub value: Option<String>,
    /// Quality: score needed.
    pub pass_threshold: Option<f64>,
    /// Quality: files looked at.
    pub scope: Option<String>,
    /// Quality: the criteria.
    pub rubric: Vec<RubricRow>,
    /// What the last verification of this file found, where one is known; otherwise what is known without running it: a note in
    /// the file is evidence, not a result.
    pub result: CheckResult,
    /// What the file says about it, latest last.
    pub evidence: Vec<CheckEvidence>,
}

/// A mention of a check in the file. All texts are untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct CheckEvidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// The field next to the check, or the id of the atom.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Where evidence for a check was found. Words: catalogue `evidence.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A field next to the check.
    Noted,
    /// A resolved atom reports that it made the file.
    Artifact,
    /// The summary of a resolved atom mentions the command or path.
    Summary,
}

/// The completion check as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct ChecklistTotal {
    /// What is known of all of them.
    pub verdict: Verdict,
    /// The file says that the loop is completed, which is valid only if all checks passed.
    pub completed: bool,
    /// The number of checks, by what is known about them.
    pub counts: CheckCounts,
    /// The older form: a single check without a name.
    pub single: bool,
}

/// Numbers of checks by result; lists are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct CheckCounts {
    /// All checks.
    pub all: u32,
    /// Those that pass.
    pub pass: u32,
    /// Those that fail or can never pass.
    pub fail: u32,
    /// Those mentioned in the file but not judged.
    pub unknown: u32,
    /// Those not mentioned anywhere.
    pub none: u32,
}
