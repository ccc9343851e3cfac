//! What a person sees of the timeline: one line for each thing that happened to a loop.

use crate::compare::Changed;
use crate::past::{RequestOutcome, VersionWriter, WriteCause, WriteState};
use crate::times::TimeView;
use crate::view::{CorrectionKind, EventKind};
use serde::Serialize;
use specta::Type;

/// What the timeline can be filtered by. Words: catalogue `timeline.kinds.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Work was done: tasks, steps, workers, the summary.
    Work,
    /// A round of debugging.
    Debug,
    /// A line of the debug log.
    Log,
    /// A validation run.
    Tests,
    /// A choice between alternatives, a decomposition.
    Choices,
    /// A person changed the direction.
    Corrections,
    /// Something went wrong.
    Errors,
    /// Somebody else changed the state file.
    Files,
    /// Loopdeck wrote, or was asked to.
    Loopdeck,
}

impl EntryKind {
    /// The kind of what a file tells.
    pub(super) fn of(event: EventKind) -> Self {
        match event {
            EventKind::ChangeLog | EventKind::DevelopEntry | EventKind::SummaryEntry | EventKind::Worker => {
                Self::Work
            }
            EventKind::DebugEntry => Self::Debug,
            EventKind::DebugLog => Self::Log,
            EventKind::ValidateEntry => Self::Tests,
            EventKind::Trail | EventKind::Decomposition => Self::Choices,
            EventKind::Correction => Self::Corrections,
            EventKind::Error => Self::Errors,
        }
    }
}

/// The part of a loop in which a person finds what an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EntryPart {
    /// Tasks, atoms, workers.
    Work,
    /// Hypotheses.
    Debug,
    /// Test runs.
    Tests,
}

/// How a validation run ended, by its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// All tests passed.
    Passed,
    /// Some did not.
    Failed,
    /// There was no test.
    NoTests,
}

impl TestOutcome {
    pub(super) fn of(passed: u32, total: u32) -> Self {
        match total {
            0 => Self::NoTests,
            _ if passed == total => Self::Passed,
            _ => Self::Failed,
        }
    }
}

/// What happened, with its own figures and words. Texts are untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum EntryContent {
    /// A file tells it in a line of its own.
    Event {
        /// What kind of event.
        event: EventKind,
        /// What it says, cut to 1,000 characters.
        text: String,
    },
    /// A validation run.
    TestRun {
        /// Tests that passed.
        passed: u32,
        /// All tests.
        total: u32,
        /// How it ended.
        outcome: TestOutcome,
    },
    /// A person changed the direction.
    Correction {
        /// What kind.
        kind: CorrectionKind,
        /// Its kind as the file has it.
        word: String,
        /// What it says, cut to 1,000 characters.
        text: String,
    },
    /// A step of the v1 engine.
    Step {
        /// Tool that ran.
        tool: String,
        /// Exit code.
        exit_code: Option<f64>,
    },
    /// A version of the state file was kept.
    Version {
        /// Names it.
        id: u32,
        /// Who wrote it.
        who: VersionWriter,
        /// For ours: what it was for.
        cause: Option<WriteCause>,
        /// What it changed against the one before it.
        changes: Vec<Changed>,
        /// For ours: how the write ended, where that was noted.
        write: Option<WriteState>,
        /// Id of the first thing in [`TimelineEntry::part`] that it changed.
        item: Option<String>,
    },
    /// Loopdeck wrote files beside the loop, or a state file of which no version is kept.
    Write {
        /// What for.
        cause: Option<WriteCause>,
        /// How it ended.
        state: Option<WriteState>,
    },
    /// A person asked for something; the entry lasts until that ended.
    Request {
        /// The verb.
        cause: Option<WriteCause>,
        /// What became of it; nothing when that is not known any more.
        outcome: Option<RequestOutcome>,
    },
    /// The loop went to the trash.
    Deleted,
}

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TimelineEntry {
    /// Names it, and stays the same while the loop goes on: links have it.
    pub id: String,
    /// What it can be filtered by.
    pub kind: EntryKind,
    /// When, as it was written.
    pub time: Option<TimeView>,
    /// When, ms since 1970 UTC; only what a calendar can show. The end of what took time, of a request its begin.
    pub ms: Option<f64>,
    /// As long as it took, in milliseconds, where begin and end are known.
    pub took_ms: Option<f64>,
    /// Iteration of the loop that it belongs to; nothing before the first one that is known.
    pub iteration: Option<f64>,
    /// The number that stands with it: an iteration, of a round of debugging that round.
    pub said_iteration: Option<f64>,
    /// Id of the task, hypothesis, atom, worker action or step it is about.
    pub subject: Option<String>,
    /// Where to find what it is about.
    pub part: Option<EntryPart>,
    /// Files it names, or that were written.
    pub files: Vec<String>,
    /// Files that say so.
    pub sources: Vec<String>,
    /// The kept version that shows the loop as it was then; nothing when none is kept of that time.
    pub version_at: Option<u32>,
    /// What happened.
    pub content: EntryContent,
}
