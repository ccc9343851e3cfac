//! What a person sees of a loop. Built by the formats, sent over IPC, drawn by the window without any further
//! rules.
//!
//! All strings from files are untrusted text. Counts are `u32`, times are milliseconds since 1970 UTC as `f64`.

use crate::control::{Control, Metadata};
use crate::problem::Problem;
use crate::step::{RepairOffer, StepOffer};
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

mod aot;
mod beside;
mod ccw;
mod checklist;
mod claims;
mod follow_up;
mod hypothesis;
mod task_words;
mod work;
mod workers;
pub use crate::task_state::TaskState;
pub use aot::{
    AtomState, AtomView, BlockerKind, BlockerView, ChoiceView, Clarification, CorrectionKind, CorrectionView,
    DecompositionView, DependencyView, ObjectiveView, OrGroupView, TrailView,
};
pub use beside::{CoverageFileView, EventKind, EventSays, EventView, LogEntryView};
pub use ccw::{
    DebugView, ErrorView, HistoryView, HypothesisView, ListedTask, ProgressView, RunView, TaskView, TestRow,
    TestView, ValidationView,
};
pub use checklist::{CheckCounts, CheckEvidence, ChecklistRow, ChecklistTotal, EvidenceKind};
pub use claims::{ClaimCounts, ClaimedItem, Claims};
pub use follow_up::{FollowUpKind, FollowUpOffer, FollowUpReason};
pub use hypothesis::{HypothesisVerdict, RankView, RankedBy, RelatedView};
pub use loopdeck_agents::prompts::{RubricLevel, RubricRow};
pub use task_words::{ErrorPolicy, TaskMode};
pub use work::{
    ChangedUnit, GraphProblem, MissingUnit, UnitKind, UnitProgress, UnitStanding, WorkChange, WorkTotals,
    WorkUnit, WorkView,
};
pub use workers::{
    ConflictSide, ConflictView, FindingShape, FindingView, Heading, PhaseResult, PhaseView, Resolution,
    Transition, VisitView, WayView, Wish, WorkerOutcome, WorkerView,
};

/// Everything in the state file and its companions, beyond the row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LoopDetail {
    /// Overview: description and plain facts, in reading order.
    pub facts: Vec<Fact>,
    /// Metadata, and which of it can be edited.
    pub metadata: Metadata,
    /// Verbs with their sentences and reasons.
    pub controls: Vec<Control>,
    /// Progress figures (the CCW contract §13).
    pub progress: Option<ProgressView>,
    /// Develop tasks of `skill_state`, Loop-B tasks, v1 steps.
    pub tasks: Vec<TaskView>,
    /// The task list next to them (`tasks.jsonl`).
    pub task_list: Vec<ListedTask>,
    /// Debug section.
    pub debug: Option<DebugView>,
    /// Validate section.
    pub validation: Option<ValidationView>,
    /// AoT objective.
    pub objective: Option<ObjectiveView>,
    /// AoT completion checklist, flattened in reading order.
    pub checklist: Vec<ChecklistRow>,
    /// The completion checklist as a whole; none without one.
    pub checklist_total: Option<ChecklistTotal>,
    /// What the work claims, and what of it the checks of the plan proved; none without such checks. Our own data fills it in.
    pub claims: Option<Claims>,
    /// AoT: the completion check for the redirect form.
    pub present_checks: Option<crate::checklist::wanted::PresentChecks>,
    /// AoT atoms in file order.
    pub atoms: Vec<AtomView>,
    /// AoT: ids of the atoms that one round starts, the first ready ones (AoT contract §9.3).
    pub batch: Vec<String>,
    /// AoT: ids of the longest chain of remaining work, in order.
    pub critical_path: Vec<String>,
    /// AoT OR groups.
    pub or_groups: Vec<OrGroupView>,
    /// AoT decompositions.
    pub decompositions: Vec<DecompositionView>,
    /// AoT trail.
    pub trail: Vec<TrailView>,
    /// AoT corrections.
    pub corrections: Vec<CorrectionView>,
    /// Atoms or tasks as one graph, if there is one.
    pub work: Option<WorkView>,
    /// Loop-B workers.
    pub workers: Vec<WorkerView>,
    /// Loop-B: its path through the phases.
    pub way: Option<WayView>,
    /// Loop-B parallel merge: files that several workers changed, each once.
    pub conflicts: Vec<ConflictView>,
    /// When the parallel results were merged.
    pub merged_at: Option<TimeView>,
    /// Loop-B findings.
    pub findings: Vec<FindingView>,
    /// `skill_state.errors`.
    pub errors: Vec<ErrorView>,
    /// The summary that COMPLETE wrote.
    pub summary: Vec<Fact>,
    /// Possible follow-up work, once it is completed.
    pub follow_ups: Vec<FollowUpOffer>,
    /// v1 execution history.
    pub history: Vec<HistoryView>,
    /// AoT: the original prompt; Ralph: what each agent gets. Markdown source, shown as text.
    pub prompt: Option<String>,
    /// What a person has to decide or do first, in the words of the file.
    pub asks: Vec<String>,
    /// The command with which its own tool continues it, word by word; empty where there is none.
    pub own_command: Vec<String>,
    /// Whether Loopdeck can run it: its program is no file of the folder.
    pub own_command_runs: bool,
    /// Fields that no schema lists, unchanged.
    pub extra: Vec<ExtraField>,
    /// All problems, most severe first.
    pub problems: Vec<Problem>,
    /// Times of this file are eight hours ahead and were corrected.
    pub times_shifted: bool,
    /// Repairs that solve some of the problems.
    pub repairs: Vec<RepairOffer>,
    /// Steps of the work, and which of them are possible now.
    pub steps: Vec<StepOffer>,
    /// What happened, from the state file and its companions: the newest 5,000, oldest first.
    pub events: Vec<EventView>,
    /// Total number of events.
    pub events_total: u32,
    /// Long companions of which only the end was read; relative to the loop's root.
    pub cut_files: Vec<String>,
}

impl LoopDetail {
    /// Name of the fact with the current action.
    pub(crate) const CURRENT_ACTION: &str = "current_action";
    /// Name of the fact with the current iteration, where the overview has it.
    pub(crate) const ITERATION: &str = "iteration";

    /// The action in progress, if the format names one. `paused`, written here by a loop that exits for a
    /// pause (seed 001), does not count.
    #[must_use]
    pub fn current_action(&self) -> Option<&str> {
        match self.fact(Self::CURRENT_ACTION)? {
            FactValue::Code(action) if action != "paused" => Some(action),
            _ => None,
        }
    }

    /// Iterations used, if the overview has them.
    #[must_use]
    pub fn iteration(&self) -> Option<f64> {
        match self.fact(Self::ITERATION)? {
            FactValue::Number(iteration) => Some(*iteration),
            _ => None,
        }
    }

    fn fact(&self, name: &str) -> Option<&FactValue> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
    }
}

/// A named value. `name` is a stable key; words: catalogue `fact.<name>`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Fact {
    /// Stable key such as `current_action`.
    pub name: String,
    /// The value.
    pub value: FactValue,
}

/// A value with its kind, so that the window can format it for the reader's language.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum FactValue {
    /// Text from the file.
    Text(String),
    /// A field word, id or path: shown in monospace, never translated.
    Code(String),
    /// A number.
    Number(#[specta(type = u32)] f64),
    /// A number that has not been counted yet.
    NotCounted,
    /// 0 to 100.
    Percent(#[specta(type = u32)] f64),
    /// A share that was not measured.
    NotMeasured,
    /// Milliseconds.
    Duration(#[specta(type = u32)] f64),
    /// A point in time.
    Time(TimeView),
    /// Yes or no.
    Flag(bool),
    /// Several texts.
    List(Vec<String>),
}

/// A field that no schema lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ExtraField {
    /// Field path.
    pub path: String,
    /// Its value as JSON or YAML text, cut to 2,000 characters.
    pub text: String,
}

/// A file next to the state file, passed to the full read.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// Which one.
    pub kind: CompanionKind,
    /// Path relative to the loop's root, for display.
    pub file: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Only the end of a long log is here, from the start of a line.
    pub cut: bool,
}

/// The companions that a full read uses (the CCW contract §1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanionKind {
    /// `<id>.tasks.jsonl` or `<id>/tasks.jsonl`.
    TaskList,
    /// `hypotheses.json`.
    Hypotheses,
    /// `test-results.json`.
    TestResults,
    /// `coverage.json`.
    Coverage,
    /// `<id>.workers/<action>.output.json`.
    WorkerOutput,
    /// `develop.md`.
    DevelopDoc,
    /// `debug.md`.
    DebugDoc,
    /// `validate.md`.
    ValidateDoc,
    /// `summary.md`.
    SummaryDoc,
    /// `changes.log`.
    ChangesLog,
    /// `debug.log`.
    DebugLog,
    /// `meta.json` of a legacy session.
    SessionMeta,
    /// `develop/tasks.json` of a legacy session.
    SessionTasks,
    /// `PROMPT.md` of a Ralph loop.
    Prompt,
    /// A file that a plan of another tool is read from too.
    Plan,
    /// A plan that a loop of ours works off, or what is next to it; its path is below the workspace and begins with `/`.
    Linked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_word_of_a_task_is_known_in_any_letter_case() {
        use TaskState::{Completed, Failed, InProgress, Other, Pending};
        let table = [
            ("pending", Pending),
            ("In_Progress", InProgress),
            (" COMPLETED\n", Completed),
            ("success", Completed),
            ("Resolved", Completed),
            ("failed", Failed),
            ("done", Other),
            ("in progress", Other),
            ("", Other),
        ];
        for (word, state) in table {
            assert_eq!(TaskState::from_word(word), state, "{word:?}");
        }
    }

    #[test]
    fn a_message_is_said_once_when_the_stack_repeats_it() {
        let said = |message: Option<&str>, stack: Option<&str>| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            let row = TestRow { error_message: own(message), stack_trace: own(stack), ..TestRow::default() };
            TestView::from_row(&row)
        };
        assert_eq!(said(Some("boom"), Some("boom\n at x.ts:1")).text, "boom\n at x.ts:1");
        assert_eq!(said(Some("boom"), None).text, "boom");
        assert_eq!(said(None, None).text, "");
        let both = said(Some("größer"), Some("at x.ts:1"));
        assert_eq!(both.text, "größer\nat x.ts:1");
        assert_eq!((both.places[0].start, both.places[0].end), (10, 16));
    }
}
