//! What became of a loop, in the few words a lead sorts by.

use crate::status::StatusWord;
use serde::{Deserialize, Serialize};
use specta::Type;

/// What became of a loop, or where it is. Words: catalogue `loop_outcome.<outcome>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LoopOutcome {
    /// A person has to do something now.
    NeedsPerson,
    /// It failed, or its file cannot be read.
    Failed,
    /// A limit ended it, or its agent is gone.
    Interrupted,
    /// It is being worked on.
    Running,
    /// It waits.
    Paused,
    /// A person ended it.
    Stopped,
    /// It was created and never ran.
    NotStarted,
    /// Its goal holds.
    Succeeded,
    /// The file does not say.
    #[default]
    Unknown,
}

impl LoopOutcome {
    /// The outcome of a loop that shows `word`: status and outcome are decided in one place.
    #[must_use]
    pub fn from_word(word: StatusWord) -> Self {
        use StatusWord as W;
        match word {
            W::NeedsYou | W::NotFullyStopped | W::UsageLimit => Self::NeedsPerson,
            W::CannotRead | W::Failed => Self::Failed,
            W::LimitReached | W::Interrupted => Self::Interrupted,
            W::Silent
            | W::Starting
            | W::Running
            | W::Finishing
            | W::EndedStillRunning
            | W::RunningElsewhere => Self::Running,
            W::Pausing | W::Paused => Self::Paused,
            W::Stopping | W::Stopped | W::LeftByUser => Self::Stopped,
            W::NotStarted => Self::NotStarted,
            W::Completed | W::CompletedWithWarnings => Self::Succeeded,
            W::AgentUnknown | W::Unknown => Self::Unknown,
        }
    }
}
