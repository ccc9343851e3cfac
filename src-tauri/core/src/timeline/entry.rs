//! The timeline as a person sees it: one line for each thing that happened to a loop.

use crate::compare::Changed;
use crate::past::{Asker, RequestOutcome, VersionWriter, WriteCause, WriteState};
use crate::times::TimeView;
use crate::view::{CorrectionKind, EventKind};
use serde::Serialize;
use specta::Type;

/// The filters of the timeline. Words: catalogue `timeline.kinds.<kind>`.
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
    /// The state file was changed by someone else.
    Files,
    /// Loopdeck wrote, or got a request.
    Loopdeck,
}

impl EntryKind {
    /// The kind of an event from a file.
    pub(super) fn from_event(event: EventKind) -> Self {
        match event {
            EventKind::ChangeLog
            | EventKind::DevelopEntry
            | EventKind::SummaryEntry
            | EventKind::Worker
            | EventKind::PlanLog => Self::Work,
            EventKind::DebugEntry => Self::Debug,
            EventKind::DebugLog => Self::Log,
            EventKind::ValidateEntry => Self::Tests,
            EventKind::Trail | EventKind::Decomposition => Self::Choices,
            EventKind::Correction => Self::Corrections,
            EventKind::Error => Self::Errors,
        }
    }
}

/// The part of a loop that shows the subject of an entry.
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

/// The result of a validation run, by its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// All tests passed.
    Passed,
    /// At least one test failed.
    Failed,
    /// There were no tests.
    NoTests,
}

impl TestOutcome {
    pub(super) fn from_counts(passed: u32, total: u32) -> Self {
        match total {
            0 => Self::NoTests,
            _ if passed == total => Self::Passed,
            _ => Self::Failed,
        }
    }
}

/// What happened, with figures and words. Texts are untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum EntryContent {
    /// A file records it as an event.
    Event {
        /// What kind of event.
        event: EventKind,
        /// Its text, cut to 1,000 characters.
        text: String,
    },
    /// A validation run.
    TestRun {
        /// Tests that passed.
        passed: u32,
        /// All tests.
        total: u32,
        /// Its result.
        outcome: TestOutcome,
    },
    /// A person changed the direction.
    Correction {
        /// What kind.
        kind: CorrectionKind,
        /// Its kind as written.
        word: String,
        /// Its text, cut to 1,000 characters.
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
        /// Its id.
        id: u32,
        /// Who wrote it.
        who: VersionWriter,
        /// For ours: its purpose.
        cause: Option<WriteCause>,
        /// What it changed from the one before it.
        changes: Vec<Changed>,
        /// For ours: how the write ended, if known.
        write: Option<WriteState>,
        /// Id of the first changed item in [`TimelineEntry::part`].
        item: Option<String>,
    },
    /// Loopdeck wrote files next to the loop, or a state file without a kept version.
    Write {
        /// The purpose.
        cause: Option<WriteCause>,
        /// How it ended.
        state: Option<WriteState>,
    },
    /// A person requested something; the entry lasts until that ended.
    Request {
        /// The verb.
        cause: Option<WriteCause>,
        /// The result; none when it is no longer known.
        outcome: Option<RequestOutcome>,
    },
    /// A person said something to the agents of the loop; the entry lasts until it is delivered.
    Message {
        /// What, cut to 1,000 characters.
        text: String,
        /// Who.
        by: String,
        /// Whether a run has it in its prompt.
        delivered: bool,
    },
    /// The loop went to the trash.
    Deleted,
    /// A person asked for something across machines; [`TimelineEntry::asker`] is who.
    AskedAcross {
        /// For what.
        cause: Option<WriteCause>,
    },
    /// The machine that owns the loop has answered.
    AnsweredAcross {
        /// What was asked for.
        cause: Option<WriteCause>,
        /// Why it was not carried out, as the catalogue `team.declinedBy` has it; none when it was. Untrusted text.
        refused: Option<String>,
    },
}

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TimelineEntry {
    /// Its id, which stays the same while the loop continues, because links contain it.
    pub id: String,
    /// Its filter.
    pub kind: EntryKind,
    /// When, as written.
    pub time: Option<TimeView>,
    /// When, ms since 1970 UTC, within the range of a calendar. For something with a duration its end, for a
    /// request its start.
    pub ms: Option<f64>,
    /// The duration in milliseconds, if start and end are known.
    pub took_ms: Option<f64>,
    /// Iteration of the loop it belongs to; none before the first known one.
    pub iteration: Option<f64>,
    /// The number written with it: an iteration, or for a round of debugging that round.
    pub said_iteration: Option<f64>,
    /// Id of the task, hypothesis, atom, worker action or step it is about.
    pub subject: Option<String>,
    /// Where its subject is shown.
    pub part: Option<EntryPart>,
    /// Files that it names, or that were written.
    pub files: Vec<String>,
    /// Files that record it.
    pub sources: Vec<String>,
    /// The kept version that shows the loop at that time; none when none was kept.
    pub version_at: Option<u32>,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
    /// What happened.
    pub content: EntryContent,
}
