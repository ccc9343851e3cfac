//! The workers of a Loop-B as a person sees them: the output of each, the path between the phases, and their
//! conflicts (seed 003; the CCW contract §8).

use crate::formats::loop_b::create::WorkMode;
use crate::formats::loop_b::read::report::WorkerReport;
use crate::phase::CcwPhase;
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

/// The result of a worker: the words of the seed and those that coordinators write. Words: catalogue
/// `word.<outcome>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WorkerOutcome {
    /// It did its work.
    Success,
    /// The same, in the word for tasks.
    Completed,
    /// It could not do its work.
    Failed,
    /// It did some of its work.
    Partial,
    /// A person has to answer first.
    NeedsInput,
    /// It needs more information.
    NeedsMoreInfo,
    /// It found something that has to be fixed.
    NeedsFix,
    /// Its findings are not conclusive.
    Inconclusive,
    /// Something blocks it.
    Blocked,
    /// An unknown word, or none: shown as written.
    #[default]
    Other,
}

impl WorkerOutcome {
    /// The meaning of a status word, in any case.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "success" => Self::Success,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "partial" => Self::Partial,
            "needs_input" => Self::NeedsInput,
            "needs_more_info" => Self::NeedsMoreInfo,
            "needs_fix" => Self::NeedsFix,
            "inconclusive" => Self::Inconclusive,
            "blocked" => Self::Blocked,
            _ => Self::Other,
        }
    }
}

/// One Loop-B worker output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct WorkerView {
    /// Its action as written: `init`, `develop`, …
    pub action: String,
    /// The phase that its action is of; nothing for a word of nobody.
    pub phase: Option<CcwPhase>,
    /// Status word as written.
    pub status: String,
    /// The meaning of its status word.
    pub outcome: WorkerOutcome,
    /// Its own account of its work.
    pub summary: String,
    /// Files that it reports as changed.
    pub files_changed: Vec<String>,
    /// Its suggestion for the next action, as written.
    pub next_suggestion: Option<String>,
    /// The phase that it suggests next.
    pub next: Option<CcwPhase>,
    /// Where it wants to go back to, as written.
    pub loop_back_to: Option<String>,
    /// The phase that it wants to go back to.
    pub back: Option<CcwPhase>,
    /// When.
    pub time: Option<TimeView>,
    /// Its report as fields.
    pub report: WorkerReport,
    /// The rest of its output, as text or JSON text, cut to 20,000 characters.
    pub detail: Option<String>,
    /// Its source: a file below the root, or `parallel_results`.
    pub source: String,
}

/// The path of a Loop-B through its phases, as far as its files show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct WayView {
    /// How workers follow each other; none for an unknown or missing word.
    pub mode: Option<WorkMode>,
    /// The mode as written; empty when the file names none.
    pub mode_word: String,
    /// All five, in the order of the diagram.
    pub phases: Vec<PhaseView>,
    /// Stays in phases, in order; empty in parallel mode, where workers run in parallel.
    pub visits: Vec<VisitView>,
    /// Where the loop stands, as its file says.
    pub here: Option<CcwPhase>,
    /// Lines of the diagram that were gone, each once; in parallel mode those of results that are there.
    pub taken: Vec<Transition>,
    /// Whether the loop has passed the fork of the diagram; in parallel mode, whether results were merged there.
    pub fork_passed: bool,
    /// The last worker's suggestion, as long as the loop has not moved on.
    pub wish: Option<Wish>,
}

/// How far a phase has come. Only a phase that was reached is expected to have a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PhaseResult {
    /// The loop has not reached it.
    NotReached,
    /// The loop reached it, but no worker wrote a result.
    Missing,
    /// A worker wrote a result.
    HandedIn,
}

/// One phase of the diagram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct PhaseView {
    /// Which one.
    pub phase: CcwPhase,
    /// How far it has come.
    pub result: PhaseResult,
    /// Number of stays there; 0 in parallel mode.
    pub times: u32,
    /// Index of its worker in `workers`, from 0; the last one if there are several.
    pub worker: Option<u32>,
}

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// Forward.
    On,
    /// Back, because a fix is needed.
    Back,
}

/// One stay in a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct VisitView {
    /// Where.
    pub phase: CcwPhase,
    /// When it left its first trace; nothing when it left none.
    pub time: Option<TimeView>,
    /// The direction from which the loop came.
    pub heading: Heading,
}

/// A worker's suggestion.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Wish {
    /// Its phase.
    pub from: CcwPhase,
    /// The phase it asks for.
    pub to: CcwPhase,
    /// Whether it asks to go back, or suggests what is next.
    pub heading: Heading,
    /// The lines of the diagram that lead there; none where the diagram has no path.
    pub lines: Vec<Transition>,
}

/// A line of the diagram of seed 003, plus the extra path that coordinators take (`DebugValidate`); `Check`
/// is its fork "needs fix?". In parallel mode the lines lead from init to the parallel workers, and from each
/// to the merge of their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // each is named after its two ends
pub enum Transition {
    InitDevelop,
    DevelopDebug,
    DevelopValidate,
    ValidateDebug,
    DebugValidate,
    DebugCheck,
    ValidateCheck,
    CheckDevelop,
    CheckComplete,
    InitDebug,
    InitValidate,
    DevelopMerge,
    DebugMerge,
    ValidateMerge,
    MergeComplete,
}

/// How a conflict is to be settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", content = "word", rename_all = "snake_case")]
pub enum Resolution {
    /// By a person.
    Manual,
    /// As written.
    Other(String),
}

/// A file that several workers changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ConflictView {
    /// The file, in the spelling of its first mention.
    pub file: String,
    /// How it should be settled, each once; empty when not written.
    pub resolutions: Vec<Resolution>,
    /// All workers that changed it.
    pub sides: Vec<ConflictSide>,
}

/// One worker's side of a conflict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ConflictSide {
    /// Action of the worker as written.
    pub action: String,
    /// The phase that its action is of.
    pub phase: Option<CcwPhase>,
    /// Its place in `workers`, from 0; nothing when it handed in no result.
    pub worker: Option<u32>,
    /// Lines of its details that name the file, at most 4, each cut to 1,000 characters.
    pub lines: Vec<String>,
}

/// The form of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FindingShape {
    /// Sentences.
    #[default]
    Prose,
    /// An object or a list, as JSON text.
    Data,
}

/// One entry of `skill_state.findings`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct FindingView {
    /// As text or JSON text.
    pub text: String,
    /// Its form.
    pub shape: FindingShape,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_phases_and_outcomes_are_known_in_any_letter_case() {
        for phase in CcwPhase::ALL {
            let word = format!("{phase:?}");
            assert_eq!(CcwPhase::from_word(&word), Some(phase));
            assert_eq!(CcwPhase::from_word(&word.to_lowercase()), Some(phase));
        }
        let table = [
            ("Success", WorkerOutcome::Success),
            ("completed", WorkerOutcome::Completed),
            ("FAILED", WorkerOutcome::Failed),
            ("partial", WorkerOutcome::Partial),
            ("needs_input", WorkerOutcome::NeedsInput),
            ("needs_more_info", WorkerOutcome::NeedsMoreInfo),
            ("needs_fix", WorkerOutcome::NeedsFix),
            ("inconclusive", WorkerOutcome::Inconclusive),
            ("blocked", WorkerOutcome::Blocked),
            ("unknown", WorkerOutcome::Other),
            ("", WorkerOutcome::Other),
        ];
        for (word, outcome) in table {
            assert_eq!(WorkerOutcome::from_word(word), outcome, "{word}");
        }
        for word in ["", "constructor", "debugging"] {
            assert_eq!(CcwPhase::from_word(word), None, "{word}");
        }
    }
}
