//! What a person sees of a loop. Made by the formats, sent over IPC, drawn by the window without any further rule.
//!
//! All strings from files are untrusted text. Counts are `u32`, times are milliseconds since 1970 UTC as `f64`.

use crate::control::{Control, Metadata};
use crate::place::{CodePlace, TextPlace, places_in};
use crate::problem::Problem;
use crate::step::{RepairOffer, StepOffer};
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;

mod beside;
mod checklist;
pub use beside::{CoverageFileView, EventKind, EventView, LogEntryView};
pub use checklist::{CheckEvidence, ChecklistRow, ChecklistTotal, EvidenceKind, RubricRow};

/// Iterations used and allowed, as the file says (both may be fractional or absurd: W8).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct IterationBar {
    /// `current_iteration`; AoT `control.iteration`.
    #[specta(type = u32)] // a finite number in TypeScript
    pub current: f64,
    /// `max_iterations`.
    #[specta(type = u32)] // a finite number in TypeScript
    pub limit: f64,
}

/// Which limit ended a loop. Words: catalogue `limit.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Iterations used up.
    Iterations,
    /// Too many iterations without progress.
    Stalls,
    /// All alternatives of an OR group failed.
    Alternatives,
    /// No atoms.
    NoAtoms,
}

/// Where the work stands, for one cell of the list. Words: catalogue `phase.<kind>`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Phase {
    /// No `skill_state` yet.
    NotInitialised,
    /// Planning tasks.
    Init,
    /// Developing: tasks done of all.
    Develop {
        /// Completed tasks.
        done: u32,
        /// All tasks.
        total: u32,
    },
    /// Debugging: hypotheses judged of all.
    Debug {
        /// Hypotheses with a verdict.
        judged: u32,
        /// All hypotheses.
        total: u32,
        /// Id of the confirmed one.
        confirmed: Option<String>,
    },
    /// Validating: tests passed of all in the latest run.
    Validate {
        /// Passed tests.
        passed: u32,
        /// All tests.
        total: u32,
    },
    /// The closing action.
    Complete,
    /// Loop-B workers: those done, and the phase as written.
    Workers {
        /// Phase word.
        phase: String,
        /// Completed tasks.
        done: u32,
        /// All tasks.
        total: u32,
    },
    /// AoT atoms.
    Atoms {
        /// Resolved atoms.
        resolved: u32,
        /// All atoms, inactive alternatives left out.
        total: u32,
        /// Atoms that could start now.
        ready: u32,
    },
    /// v1 engine steps.
    Steps {
        /// 1-based current step.
        current: u32,
        /// All steps.
        total: u32,
    },
}

/// Everything the state file and its companions say, beyond the row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LoopDetail {
    /// Overview: description and plain facts, in reading order.
    pub facts: Vec<Fact>,
    /// Metadata and which of it can be edited.
    pub metadata: Metadata,
    /// Verbs with their sentences and reasons.
    pub controls: Vec<Control>,
    /// Progress figures (ccw-loops.md §13).
    pub progress: Option<ProgressView>,
    /// Develop tasks of `skill_state`, Loop-B tasks, v1 steps.
    pub tasks: Vec<TaskView>,
    /// The task list beside them (`tasks.jsonl`).
    pub task_list: Vec<ListedTask>,
    /// Debug section.
    pub debug: Option<DebugView>,
    /// Validate section.
    pub validation: Option<ValidationView>,
    /// AoT objective.
    pub objective: Option<ObjectiveView>,
    /// AoT completion checklist, flattened in reading order.
    pub checklist: Vec<ChecklistRow>,
    /// The completion checklist as a whole; nothing when there is none.
    pub checklist_total: Option<ChecklistTotal>,
    /// AoT atoms in file order.
    pub atoms: Vec<AtomView>,
    /// AoT: ids of the atoms that one round starts, the first of the ready ones (aot-loop.md §9.3).
    pub batch: Vec<String>,
    /// AoT: ids of the longest chain of work still to be done, first to do first.
    pub critical_path: Vec<String>,
    /// AoT OR groups.
    pub or_groups: Vec<OrGroupView>,
    /// AoT decompositions.
    pub decompositions: Vec<DecompositionView>,
    /// AoT trail.
    pub trail: Vec<TrailView>,
    /// AoT corrections.
    pub corrections: Vec<CorrectionView>,
    /// Loop-B workers.
    pub workers: Vec<WorkerView>,
    /// Loop-B parallel merge: files that two workers changed.
    pub conflicts: Vec<ConflictView>,
    /// When the parallel results were merged.
    pub merged_at: Option<TimeView>,
    /// Loop-B findings, each as text or JSON text.
    pub findings: Vec<String>,
    /// `skill_state.errors`.
    pub errors: Vec<ErrorView>,
    /// The summary COMPLETE wrote.
    pub summary: Vec<Fact>,
    /// v1 execution history.
    pub history: Vec<HistoryView>,
    /// AoT: the original prompt; Loop v2: nothing. Markdown source, shown as text.
    pub prompt: Option<String>,
    /// Fields no schema lists, kept as they are.
    pub extra: Vec<ExtraField>,
    /// Everything that is wrong, most severe first.
    pub problems: Vec<Problem>,
    /// Times of this file are eight hours ahead and were corrected.
    pub times_shifted: bool,
    /// Repairs that end some of the problems.
    pub repairs: Vec<RepairOffer>,
    /// Steps of the work, and which of them are possible now.
    pub steps: Vec<StepOffer>,
    /// What happened, from the state file and its companions: the newest 5,000, oldest first.
    pub events: Vec<EventView>,
    /// How many events there are.
    pub events_total: u32,
    /// Companions of which only the end was read, because they are long; relative to the loop's root.
    pub cut_files: Vec<String>,
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
    /// 0 to 100.
    Percent(#[specta(type = u32)] f64),
    /// Milliseconds.
    Duration(#[specta(type = u32)] f64),
    /// A point in time.
    Time(TimeView),
    /// Yes or no.
    Flag(bool),
    /// Several texts.
    List(Vec<String>),
}

/// Derived progress (seed 001, unified names).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct ProgressView {
    /// 0 to 100.
    #[specta(type = u32)] // a finite number in TypeScript
    pub develop: f64,
    /// A hypothesis is confirmed.
    pub debug_completed: bool,
    /// Validation passed with results.
    pub validation_passed: bool,
    /// 0 to 100.
    #[specta(type = u32)] // a finite number in TypeScript
    pub overall: f64,
}

/// A develop task, a Loop-B task, or a v1 step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TaskView {
    /// Id as written.
    pub id: String,
    /// What to do.
    pub description: String,
    /// Status word as written.
    pub status: String,
    /// Tool as written.
    pub tool: Option<String>,
    /// Mode as written.
    pub mode: Option<String>,
    /// Priority as written.
    pub priority: Option<String>,
    /// Files changed (completed tasks only).
    pub files_changed: Vec<String>,
    /// Files planned.
    pub files_planned: Vec<String>,
    /// Creation.
    pub created: Option<TimeView>,
    /// Completion.
    pub completed: Option<TimeView>,
    /// Prep tasks: ids it waits for.
    pub depends_on: Vec<String>,
    /// Prep tasks: when it counts as done.
    pub done_when: Vec<String>,
    /// Fields no schema lists, as JSON text.
    pub extra: Vec<ExtraField>,
}

/// A line of the task list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ListedTask {
    /// `task_id`.
    pub id: String,
    /// What to do.
    pub description: String,
    /// Tool.
    pub tool: String,
    /// Mode.
    pub mode: String,
    /// Prompt template.
    pub prompt_template: String,
    /// 0-based place.
    pub order: Option<f64>,
    /// Command, if any.
    pub command: Option<String>,
    /// What to do on error.
    pub on_error: Option<String>,
    /// Creation.
    pub created: Option<TimeView>,
    /// Last change.
    pub updated: Option<TimeView>,
    /// Which file it stands in, relative to the loop's root.
    pub file: String,
}

/// The debug section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct DebugView {
    /// What is being looked for.
    pub active_bug: Option<String>,
    /// Debug rounds.
    pub iteration: Option<f64>,
    /// Id of the root cause.
    pub confirmed: Option<String>,
    /// When it was last analysed.
    pub last_analysis: Option<TimeView>,
    /// By likelihood, then file order.
    pub hypotheses: Vec<HypothesisView>,
    /// The last consolidated understanding of `debug.md`, cut to 20,000 characters.
    pub understanding: Option<String>,
    /// Lines of `debug.log` that are no entries: output of the program.
    pub log_foreign: u32,
}

/// One hypothesis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct HypothesisView {
    /// H1, H2, …
    pub id: String,
    /// The claim.
    pub description: String,
    /// What would show it.
    pub testable_condition: String,
    /// `file:function:line`.
    pub logging_point: String,
    /// The same taken apart; nothing when it is empty.
    pub place: Option<CodePlace>,
    /// Confirm if.
    pub confirm: String,
    /// Reject if.
    pub reject: String,
    /// 1 = most likely.
    pub likelihood: Option<f64>,
    /// Status word as written.
    pub status: String,
    /// Entries of evidence: 1 for an object, the length of an array; without any those of the log.
    pub evidence_count: u32,
    /// Evidence as indented JSON text, cut to 20,000 characters.
    pub evidence: Option<String>,
    /// Why it was judged so.
    pub verdict_reason: Option<String>,
    /// What `debug.log` says about it: the newest 200 entries, oldest first.
    pub log: Vec<LogEntryView>,
    /// How many entries `debug.log` has about it.
    pub log_total: u32,
}

/// The validate section; single test rows are asked for by window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ValidationView {
    /// As the file says, 0 to 100.
    pub pass_rate: Option<f64>,
    /// As the file says, 0 to 100.
    pub coverage: Option<f64>,
    /// As the file says.
    pub passed: Option<bool>,
    /// As the file says.
    pub failed_tests: Vec<String>,
    /// When it ran last.
    pub last_run: Option<TimeView>,
    /// Run records, oldest first; flat rows count as one run.
    pub runs: Vec<RunView>,
    /// Coverage by file of the latest run, at most 2,000.
    pub coverage_files: Vec<CoverageFileView>,
}

/// One validation run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RunView {
    /// Iteration it belongs to.
    pub iteration: Option<f64>,
    /// When.
    pub time: Option<TimeView>,
    /// All tests.
    pub total: u32,
    /// Passed.
    pub passed: u32,
    /// Failed.
    pub failed: u32,
    /// Skipped.
    pub skipped: u32,
    /// As the run says, 0 to 100.
    pub pass_rate: Option<f64>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Statement coverage, 0 to 100.
    pub coverage: Option<f64>,
    /// How many single rows are stored.
    pub rows: u32,
}

/// One test of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TestRow {
    /// Test name.
    pub name: String,
    /// Suite.
    pub suite: String,
    /// Status word as written.
    pub status: String,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Message, cut to 4,000 characters.
    pub error_message: Option<String>,
    /// Stack, cut to 20,000 characters.
    pub stack_trace: Option<String>,
}

/// One test as it is opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TestView {
    /// The test.
    pub row: TestRow,
    /// Message and stack as one text: the message once where the stack begins with it.
    pub text: String,
    /// Places in code that the text names.
    pub places: Vec<TextPlace>,
}

impl TestView {
    /// What is shown of `row`.
    #[must_use]
    pub fn of(row: &TestRow) -> Self {
        let text = said(row.error_message.as_deref(), row.stack_trace.as_deref());
        Self { row: row.clone(), places: places_in(&text), text }
    }
}

fn said(message: Option<&str>, stack: Option<&str>) -> String {
    let message = message.filter(|message| !message.is_empty());
    match (message, stack) {
        (Some(message), Some(stack)) if !stack.trim_start().starts_with(message.trim()) => {
            format!("{message}\n{stack}")
        }
        (message, stack) => {
            stack.filter(|stack| !stack.is_empty()).or(message).unwrap_or_default().to_owned()
        }
    }
}

/// AoT objective.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ObjectiveView {
    /// The goal.
    pub goal: String,
    /// Why.
    pub background_intent: String,
    /// What comes out.
    pub deliverables: String,
    /// When it is done, in words.
    pub definition_of_done: String,
    /// Questions that were settled.
    pub clarifications: Vec<Clarification>,
    /// Inside the scope.
    pub in_scope: Vec<String>,
    /// Outside the scope.
    pub out_of_scope: Vec<String>,
    /// Iteration limit.
    pub max_iterations: Option<f64>,
    /// Workers at once.
    pub max_parallel_agents: Option<f64>,
    /// Stalls allowed.
    pub max_stall_count: Option<f64>,
}

/// A settled question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Clarification {
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub resolution: String,
}

/// What an atom is doing, beyond its status word. Words: catalogue `atom.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AtomState {
    /// Could start now.
    Ready,
    /// Somebody works on it, or it was left in progress.
    InProgress,
    /// Done.
    Resolved,
    /// Waits for others.
    Blocked,
    /// A parent whose children do the work.
    Container,
    /// An alternative that was not chosen.
    Inactive,
    /// An alternative that failed.
    Failed,
    /// The group has no choice yet.
    ChooseBranch,
}

/// A dependency with its status.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DependencyView {
    /// Atom id.
    pub id: String,
    /// Whether such an atom exists.
    pub known: bool,
    /// Whether it is satisfied (aot-loop.md §9.2).
    pub satisfied: bool,
    /// Its status word, empty when unknown.
    pub status: String,
}

/// Why an atom cannot start. Words: catalogue `blocker.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum BlockerKind {
    /// Waits for this atom.
    WaitsFor,
    /// Depends on an id that does not exist.
    Missing,
    /// One of the failed choices of this group.
    FailedIn,
    /// Another choice of this group is selected.
    NotSelected,
    /// This group has no choice yet.
    ChooseBranch,
}

/// One thing that holds an atom.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct BlockerView {
    /// Why.
    pub kind: BlockerKind,
    /// Atom id or group name.
    pub name: String,
}

/// One atom.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct AtomView {
    /// Id.
    pub id: String,
    /// What to do.
    pub description: String,
    /// Status word as written.
    pub status: String,
    /// What it is doing.
    pub state: AtomState,
    /// What it waits for.
    pub depends_on: Vec<DependencyView>,
    /// What holds it while it cannot start.
    pub blocked_by: Vec<BlockerView>,
    /// It lies on the longest chain of work still to be done.
    pub on_critical_path: bool,
    /// A container whose children have all done their work.
    pub ready_to_resolve: bool,
    /// OR group.
    pub or_group: Option<String>,
    /// The atom it was decomposed from.
    pub parent: Option<String>,
    /// Its children.
    pub children: Vec<String>,
    /// Result summary.
    pub summary: Option<String>,
    /// Result artifacts: display strings, never paths to open unchecked.
    pub artifacts: Vec<String>,
    /// 1-based line in the file.
    pub line: Option<u32>,
}

/// One OR group.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct OrGroupView {
    /// Its name.
    pub name: String,
    /// Choices in order.
    pub choices: Vec<ChoiceView>,
    /// The selected atom.
    pub selected: Option<String>,
    /// Whether branches run at once.
    pub speculative: bool,
    /// Whether the selected choice has done its work.
    pub satisfied: bool,
    /// The first choice that exists and has not failed.
    pub next: Option<String>,
    /// Every choice has failed or does not exist.
    pub exhausted: bool,
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ChoiceView {
    /// Atom id.
    pub id: String,
    /// Whether such an atom exists.
    pub known: bool,
    /// Tried and failed.
    pub failed: bool,
}

/// One decomposition.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DecompositionView {
    /// Parent atom.
    pub parent: String,
    /// Child atoms.
    pub children: Vec<String>,
    /// How many of the parent's children have done their work.
    pub done: u32,
    /// How many children the parent has.
    pub total: u32,
    /// Why.
    pub reason: String,
    /// When.
    pub time: Option<TimeView>,
}

/// One trail entry; entries of other shapes keep their text in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TrailView {
    /// OR group.
    pub or_group: String,
    /// The choice.
    pub selected: String,
    /// Why.
    pub reason: String,
    /// When.
    pub time: Option<TimeView>,
    /// Other shapes, e.g. `user_correction: …`.
    pub other: Option<String>,
}

/// One correction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct CorrectionView {
    /// When.
    pub time: Option<TimeView>,
    /// `objective_change`, `dag_adjustment`, `constraint_change`, `bindings_override`.
    pub kind: String,
    /// What.
    pub description: String,
    /// Whether the trail was cleared.
    pub trail_cleared: bool,
}

/// One Loop-B worker output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct WorkerView {
    /// `init`, `develop`, …
    pub action: String,
    /// Status word as written.
    pub status: String,
    /// What it says it did.
    pub summary: String,
    /// Files it says it changed.
    pub files_changed: Vec<String>,
    /// What it suggests next.
    pub next_suggestion: Option<String>,
    /// Where it wants to go back to.
    pub loop_back_to: Option<String>,
    /// When.
    pub time: Option<TimeView>,
    /// Details as text or JSON text, cut to 20,000 characters.
    pub detail: Option<String>,
    /// Where it stands: a file below the root, or `parallel_results`.
    pub source: String,
}

/// A file that two workers changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ConflictView {
    /// The file.
    pub file: String,
    /// The two workers.
    pub workers: Vec<String>,
    /// As written, e.g. `manual`.
    pub resolution: String,
}

/// One entry of `skill_state.errors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ErrorView {
    /// Which action.
    pub action: String,
    /// What it said.
    pub message: String,
    /// When.
    pub time: Option<TimeView>,
}

/// One entry of a v1 execution history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct HistoryView {
    /// Iteration.
    pub iteration: Option<f64>,
    /// Step.
    pub step: String,
    /// Tool.
    pub tool: String,
    /// Exit code.
    pub exit_code: Option<f64>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// When.
    pub time: Option<TimeView>,
}

/// A field no schema lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ExtraField {
    /// Field path.
    pub path: String,
    /// Its value as JSON or YAML text, cut to 2,000 characters.
    pub text: String,
}

/// A file beside the state file, handed to the full read.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// Which one.
    pub kind: CompanionKind,
    /// Path relative to the loop's root, for display.
    pub file: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Of a long log only the end, from the start of a line.
    pub cut: bool,
}

/// The companions a full read looks at (ccw-loops.md §1.3).
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_said_once_when_the_stack_repeats_it() {
        let said = |message: Option<&str>, stack: Option<&str>| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            let row = TestRow { error_message: own(message), stack_trace: own(stack), ..TestRow::default() };
            TestView::of(&row)
        };
        assert_eq!(said(Some("boom"), Some("boom\n at x.ts:1")).text, "boom\n at x.ts:1");
        assert_eq!(said(Some("boom"), None).text, "boom");
        assert_eq!(said(None, None).text, "");
        let both = said(Some("größer"), Some("at x.ts:1"));
        assert_eq!(both.text, "größer\nat x.ts:1");
        assert_eq!((both.places[0].start, both.places[0].end), (10, 16));
    }
}
