//! The work of the CCW formats as a person sees it: tasks, hypotheses, test runs, workers.

use super::{
    CoverageFileView, ErrorPolicy, ExtraField, HypothesisVerdict, LogEntryView, RankView, RelatedView,
    TaskMode, TaskState,
};
use crate::place::{CodePlace, TextPlace, places_in};
use crate::times::TimeView;
use serde::Serialize;
use specta::Type;
use std::borrow::Cow;

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
    /// A task is waiting to be developed (seed 001, `hasPendingDevelop`).
    pub has_pending_develop: bool,
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
    /// Its state.
    pub state: TaskState,
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
    /// It was taken from the task list next to the loop.
    pub listed: bool,
    /// The phase, epic or heading that it stands below.
    pub group: Option<String>,
    /// Id of the task that it is a part of.
    pub parent: Option<String>,
    /// More about it, cut to 2,000 characters.
    pub details: String,
    /// It could be begun now.
    pub ready: bool,
    /// It may be done at the same time as its neighbours.
    pub parallel: bool,
    /// It is no part of the work that counts.
    pub optional: bool,
    /// 1-based line in its file.
    pub line: Option<u32>,
    /// The file next to the loop that has it; none for the state file itself.
    pub file: Option<String>,
    /// States that can be written in its place.
    pub settable: Vec<TaskState>,
    /// Its text and its place in its list can be changed, and an item can be added behind it.
    pub editable: bool,
    /// What the checks of the loop's plan said of it since it was called done. Our own data fills it in.
    pub claim: Option<super::ClaimedItem>,
    /// Fields that no schema lists, as JSON text.
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
    /// Mode as written.
    pub mode: String,
    /// That mode, if the format defines it.
    pub known_mode: Option<TaskMode>,
    /// Prompt template.
    pub prompt_template: String,
    /// 0-based position.
    pub order: Option<f64>,
    /// Command, if any.
    pub command: Option<String>,
    /// What to do on error, as written.
    pub on_error: Option<String>,
    /// That action, if the format defines it.
    pub known_on_error: Option<ErrorPolicy>,
    /// Creation.
    pub created: Option<TimeView>,
    /// Last change.
    pub updated: Option<TimeView>,
    /// The file that contains it, relative to the loop's root.
    pub file: String,
    /// It is already a task of the loop.
    pub taken: bool,
}

/// The debug section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct DebugView {
    /// The bug being investigated.
    pub active_bug: Option<String>,
    /// Debug rounds.
    pub iteration: Option<f64>,
    /// Id of the root cause.
    pub confirmed: Option<String>,
    /// When it was last analysed.
    pub last_analysis: Option<TimeView>,
    /// By likelihood, then file order.
    pub hypotheses: Vec<HypothesisView>,
    /// The newest understanding of `debug.md`, cut to 20,000 characters.
    pub understanding: Option<String>,
    /// Lines of `debug.log` that are not entries: output of the program.
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
    /// The same, parsed; none when it is empty.
    pub place: Option<CodePlace>,
    /// Confirm if.
    pub confirm: String,
    /// Reject if.
    pub reject: String,
    /// 1 = most likely, as written.
    pub likelihood: Option<f64>,
    /// Its rank among the others; none when the file does not give one.
    pub rank: Option<RankView>,
    /// Loop-B: its mechanism.
    pub mechanism: Option<String>,
    /// Status word as written.
    pub status: String,
    /// The meaning of that word.
    pub verdict: HypothesisVerdict,
    /// Number of evidence entries in the file: 1 for an object, the length of an array. Log entries are
    /// counted in `log_total`.
    pub evidence_count: u32,
    /// Evidence as indented JSON text, cut to 20,000 characters.
    pub evidence: Option<String>,
    /// Why it was judged so.
    pub verdict_reason: Option<String>,
    /// Its entries in `debug.log`: the newest 200, oldest first.
    pub log: Vec<LogEntryView>,
    /// Total number of its entries in `debug.log`.
    pub log_total: u32,
    /// Items related to the file of its logging point.
    pub related: RelatedView,
}

/// The validate section; single test rows are requested by window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ValidationView {
    /// As written, 0 to 100; none for anything else.
    pub pass_rate: Option<f64>,
    /// As written, 0 to 100; none for anything else.
    pub coverage: Option<f64>,
    /// As written.
    pub passed: Option<bool>,
    /// As written.
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
    /// As written, otherwise the share of passed tests, 0 to 100.
    pub pass_rate: Option<f64>,
    /// Change since the previous run, in percentage points to one decimal.
    pub pass_rate_change: Option<f64>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Statement coverage, 0 to 100.
    pub coverage: Option<f64>,
    /// Change since the previous run, in percentage points to one decimal.
    pub coverage_change: Option<f64>,
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

/// One test when opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TestView {
    /// The test.
    pub row: TestRow,
    /// Message and stack as one text, without repeating the message where the stack starts with it.
    pub text: String,
    /// Places in code that the text mentions.
    pub places: Vec<TextPlace>,
}

impl TestRow {
    /// Its name with its suite, as the table of tests and links call it.
    #[must_use]
    pub fn full_name(&self) -> Cow<'_, str> {
        if self.suite.is_empty() {
            return Cow::Borrowed(&self.name);
        }
        Cow::Owned(format!("{} › {}", self.suite, self.name))
    }
}

impl TestView {
    /// The opened view of `row`.
    #[must_use]
    pub fn from_row(row: &TestRow) -> Self {
        let text = message_and_stack(row.error_message.as_deref(), row.stack_trace.as_deref());
        Self { row: row.clone(), places: places_in(&text), text }
    }
}

fn message_and_stack(message: Option<&str>, stack: Option<&str>) -> String {
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

/// One entry of `skill_state.errors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ErrorView {
    /// Which action.
    pub action: String,
    /// Its message.
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
