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
    /// Quality: what is scored.
    pub rubric: Vec<RubricRow>,
    /// What is known of it without running it: a note in the file is evidence, not a result.
    pub result: CheckResult,
    /// What the file says about it, the last of it last.
    pub evidence: Vec<CheckEvidence>,
}

/// Something in the file that speaks of a check. All texts are untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct CheckEvidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// The field beside the check, or the id of the atom.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// Where evidence for a check was found. Words: catalogue `evidence.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A field that stands beside the check.
    Noted,
    /// A resolved atom says that it made the file.
    Artifact,
    /// The summary of a resolved atom speaks of the command or path.
    Summary,
}

/// The completion check as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct ChecklistTotal {
    /// What is known of it without running anything.
    pub verdict: Verdict,
    /// The file says that the loop is completed, which it may be only when all passed.
    pub completed: bool,
    /// How many checks there are, and what is known of them.
    pub counts: CheckCounts,
    /// The older form: one check that stands alone and has no name.
    pub single: bool,
}

/// How many checks came to what; lists are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct CheckCounts {
    /// All checks.
    pub all: u32,
    /// Those that pass.
    pub pass: u32,
    /// Those that fail or can never pass.
    pub fail: u32,
    /// Those that the file speaks of, but nobody judged.
    pub unknown: u32,
    /// Those that nothing speaks of.
    pub none: u32,
}
