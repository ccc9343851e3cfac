//! What a person sees of the workers of a Loop-B: what each handed in, the way between the phases, and where two of them
//! met (seed 003; the CCW contract §8).

use crate::formats::loop_b::create::WorkMode;
use crate::formats::loop_b::read::report::WorkerReport;
use crate::phase::CcwPhase;
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

/// How a worker ended: the words of the seed and those that coordinators write. Words: catalogue `word.<outcome>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WorkerOutcome {
    /// It did its work.
    Success,
    /// The same, as tasks say it.
    Completed,
    /// It could not do its work.
    Failed,
    /// It did some of its work.
    Partial,
    /// A person has to say something first.
    NeedsInput,
    /// It has to know more.
    NeedsMoreInfo,
    /// It found what has to be mended.
    NeedsFix,
    /// It found out nothing for certain.
    Inconclusive,
    /// Something is in its way.
    Blocked,
    /// A word of nobody, or none: shown as written.
    #[default]
    Other,
}

impl WorkerOutcome {
    /// What a status word means, in any letter case.
    #[must_use]
    pub fn of(word: &str) -> Self {
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
    /// What its status word means.
    pub outcome: WorkerOutcome,
    /// What it says it did.
    pub summary: String,
    /// Files it says it changed.
    pub files_changed: Vec<String>,
    /// What it suggests next, as written.
    pub next_suggestion: Option<String>,
    /// The phase that it suggests next.
    pub next: Option<CcwPhase>,
    /// Where it wants to go back to, as written.
    pub loop_back_to: Option<String>,
    /// The phase that it wants to go back to.
    pub back: Option<CcwPhase>,
    /// When.
    pub time: Option<TimeView>,
    /// What it reports in fields.
    pub report: WorkerReport,
    /// What else it says, as text or JSON text, cut to 20,000 characters.
    pub detail: Option<String>,
    /// Where it stands: a file below the root, or `parallel_results`.
    pub source: String,
}

/// The way a Loop-B took through its phases, as far as its files tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct WayView {
    /// How workers follow each other; nothing for a word of nobody, or none.
    pub mode: Option<WorkMode>,
    /// The mode as written; empty when the file names none.
    pub mode_word: String,
    /// All five, in the order of the diagram.
    pub phases: Vec<PhaseView>,
    /// Stays in phases as they followed each other; empty in parallel mode, where workers are at once.
    pub visits: Vec<VisitView>,
    /// Where the loop stands, as its file says.
    pub here: Option<CcwPhase>,
    /// Lines of the diagram that were gone, each once; in parallel mode those of results that are there.
    pub taken: Vec<Transition>,
    /// Whether the loop has passed the fork of the diagram; in parallel mode, whether results were merged there.
    pub fork_passed: bool,
    /// What the last worker asks for, as long as the loop has not moved on.
    pub wish: Option<Wish>,
}

/// How far a phase has come. Only what has been reached owes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PhaseResult {
    /// The loop has not been there.
    NotReached,
    /// The loop has been there, and no worker handed in a result.
    Missing,
    /// A worker handed in a result.
    HandedIn,
}

/// One phase of the diagram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct PhaseView {
    /// Which one.
    pub phase: CcwPhase,
    /// How far it has come.
    pub result: PhaseResult,
    /// How many stays the loop had there; 0 in parallel mode.
    pub times: u32,
    /// Place of its worker in `workers`, from 0; of several the last one.
    pub worker: Option<u32>,
}

/// Which way a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// On.
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
    /// Which way the loop came there.
    pub heading: Heading,
}

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Wish {
    /// Its phase.
    pub from: CcwPhase,
    /// The phase it asks for.
    pub to: CcwPhase,
    /// Whether it asks to go back, or suggests what is next.
    pub heading: Heading,
    /// The lines of the diagram that lead there; none where the diagram knows no way.
    pub lines: Vec<Transition>,
}

/// A line of the diagram of seed 003 and the way that coordinators go besides (`DebugValidate`); `Check` is its fork "needs
/// fix?". In parallel mode the lines lead from init to workers at once, and from each to the merge of their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // each is named by its two ends
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
    /// The file, as it is named first.
    pub file: String,
    /// How it is to be settled, each once; empty when that is not written.
    pub resolutions: Vec<Resolution>,
    /// Everybody who changed it.
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

/// What a finding looks like.
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
    /// What it looks like.
    pub shape: FindingShape,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_phases_and_outcomes_are_known_in_any_letter_case() {
        for phase in CcwPhase::ALL {
            let word = format!("{phase:?}");
            assert_eq!(CcwPhase::of(&word), Some(phase));
            assert_eq!(CcwPhase::of(&word.to_lowercase()), Some(phase));
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
            assert_eq!(WorkerOutcome::of(word), outcome, "{word}");
        }
        for word in ["", "constructor", "debugging"] {
            assert_eq!(CcwPhase::of(word), None, "{word}");
        }
    }
}
