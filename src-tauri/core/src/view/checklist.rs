//! The completion check of an AoT loop, and what the file says about it.

use crate::checklist::Verdict;
use serde::Serialize;
use specta::Type;

/// One line of the completion checklist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ChecklistRow {
    /// 0 for the top level.
    pub depth: u32,
    /// Its name.
    pub item: String,
    /// `check`, `group` (all of), `any_of`.
    pub kind: String,
    /// For checks: `command`, `not_command`, `file`, `not_file`, `assertion`, `quality`, or the word as written.
    pub check_type: Option<String>,
    /// Command, path, sentence or criteria.
    pub value: Option<String>,
    /// Quality: score needed.
    pub pass_threshold: Option<f64>,
    /// Quality: files looked at.
    pub scope: Option<String>,
    /// Quality: what is scored.
    pub rubric: Vec<RubricRow>,
    /// What is known of it without running it: a note in the file is evidence, not a result.
    pub verdict: Verdict,
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
}

/// One criterion of a rubric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RubricRow {
    /// Its name.
    pub criterion: String,
    /// What it means.
    pub description: String,
    /// Share of the score after normalising, 0 to 1.
    #[specta(type = u32)] // a finite number in TypeScript
    pub weight: f64,
    /// From 1 to 5, when the file notes one.
    pub score: Option<f64>,
    /// Anchors such as `1: Hard to read`.
    pub levels: Vec<String>,
}
