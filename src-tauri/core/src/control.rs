//! Control verbs: what a person may request for a loop now, the effect, and the reason when it is refused.
//!
//! Only the shared vocabulary; each format's `rules` and `edit` decide which verb is legal and what it
//! writes.

use crate::refusal::Refusal;
use crate::status::StatusWord;
use crate::step::{Operation, RepairCode};
use crate::times::Timestamp;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// What a person can request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// First start.
    Start,
    /// Pause; AoT: pause after this iteration.
    Pause,
    /// Continue.
    Resume,
    /// Stop.
    Stop,
    /// Restart a loop that has ended.
    Reopen,
    /// AoT: write `stopped` over an interrupted `running`.
    Finalise,
    /// Change title, limits, labels.
    EditMetadata,
    /// Move the loop with its companions to the trash.
    Delete,
}

impl Verb {
    /// All verbs in the order of menus.
    pub const ALL: [Verb; 8] = [
        Verb::Start,
        Verb::Pause,
        Verb::Resume,
        Verb::Stop,
        Verb::Reopen,
        Verb::Finalise,
        Verb::EditMetadata,
        Verb::Delete,
    ];
}

/// What will happen, as a sentence shown before the click. Words: catalogue `effect.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EffectCode {
    /// CCW pause: takes effect before the next action.
    PauseBeforeNextAction,
    /// CCW pause of an idle loop: takes effect immediately.
    PauseNow,
    /// AoT pause: the iteration finishes first, work is kept.
    PauseAfterIteration,
    /// CCW stop with an agent elsewhere: the file says stopped, and the agent sees it before its next action.
    StopElsewhere,
    /// CCW stop of an idle loop.
    StopNow,
    /// AoT stop: after this iteration.
    StopAfterIteration,
    /// The own tool of a plan is ended, which Loopdeck runs; nothing is written.
    StopOwnTool,
    /// Writes running; the agent must be started by hand with `command` (args: `iteration`, `limit`).
    ResumeByHand,
    /// As above, and sets `count` interrupted atoms back to pending.
    ResumeByHandResetsAtoms,
    /// Like resume, for the first start.
    StartByHand,
    /// Like resume, for an ended loop.
    ReopenByHand,
    /// A reopened loop with nothing left to do completes again immediately.
    ReopenNothingToDo,
    /// AoT: writes stopped over an interrupted running.
    Finalise,
    /// Title and limits.
    EditMetadata,
    /// To the trash, with its companions.
    Delete,
}

/// One verb as offered to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Control {
    /// Which verb.
    pub verb: Verb,
    /// The reason when it is not legal now.
    pub refusal: Option<Refusal>,
    /// The effect.
    pub effect: EffectCode,
    /// Named values for the effect's sentence (`iteration`, `limit`, `count`, `command`).
    pub args: BTreeMap<String, String>,
    /// Ask for confirmation first.
    pub confirm: bool,
    /// The file has a field for a reason, which the person may give.
    pub takes_reason: bool,
    /// What the layout of the file adds.
    pub notice: Option<Notice>,
}

/// What the layout of a file adds to a verb. Words: catalogue `notice.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// The format's own tools could not read what the verb writes, so the layout is repaired in the same write (`rules`,
    /// and how many `comments` are dropped).
    RepairsLayout,
    /// Only the lines of the flag are written; the rest of the file stays unchanged, errors included.
    WritesLinesOnly,
    /// The format's own tools do not see what the verb writes.
    HiddenFromTools,
}

/// A notice with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Notice {
    /// Which.
    pub code: NoticeCode,
    /// Named values for the sentence.
    pub args: BTreeMap<String, String>,
}

impl Notice {
    /// A notice with these values.
    #[must_use]
    pub fn new(code: NoticeCode, args: &[(&str, String)]) -> Self {
        Self { code, args: args.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect() }
    }
}

/// A change wanted by a person or driver. Applied to the newest bytes, as often as other writers make it
/// necessary.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// See [`Verb::Start`].
    Start,
    /// See [`Verb::Pause`].
    Pause,
    /// See [`Verb::Resume`]; `raise_limit_to` raises the iteration limit in the same write.
    Resume {
        /// New `max_iterations`.
        raise_limit_to: Option<u32>,
    },
    /// See [`Verb::Stop`]; AoT keeps the reason, CCW writes a fixed one.
    Stop {
        /// One line for `stop_reason`.
        reason: Option<String>,
    },
    /// See [`Verb::Reopen`].
    Reopen {
        /// New `max_iterations`.
        raise_limit_to: Option<u32>,
    },
    /// See [`Verb::Finalise`].
    Finalise,
    /// See [`Verb::EditMetadata`].
    EditMetadata(MetadataPatch),
    /// One of the available repairs.
    Repair(RepairCode),
    /// A step of the work.
    Operate(Box<Operation>),
    /// The agent of a running loop could not be started. CCW only; AoT has no word for it.
    LaunchFailed {
        /// In the system's words; its first line is kept.
        why: String,
    },
}

impl Intent {
    /// Whether it sets a loop to running: earlier signs of life then say nothing about what follows.
    #[must_use]
    pub fn starts_work(&self) -> bool {
        matches!(self, Intent::Start | Intent::Resume { .. } | Intent::Reopen { .. })
    }

    /// Whether another program has to respond to it, so that it is guarded until then.
    #[must_use]
    pub fn is_request(&self) -> bool {
        use Intent as I;
        !matches!(self, I::EditMetadata(_) | I::Repair(_) | I::Operate(_) | I::LaunchFailed { .. })
    }

    /// The verb of a person's request; repairs and steps of the work have none.
    #[must_use]
    pub fn verb(&self) -> Option<Verb> {
        Some(match self {
            Intent::Start => Verb::Start,
            Intent::Pause => Verb::Pause,
            Intent::Resume { .. } => Verb::Resume,
            Intent::Stop { .. } => Verb::Stop,
            Intent::Reopen { .. } => Verb::Reopen,
            Intent::Finalise => Verb::Finalise,
            Intent::EditMetadata(_) => Verb::EditMetadata,
            Intent::Repair(_) | Intent::Operate(_) | Intent::LaunchFailed { .. } => return None,
        })
    }
}

/// Which metadata to change; absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, Type)]
pub struct MetadataPatch {
    /// 1 to 100 characters.
    pub title: Option<String>,
    /// Any length; the form advises 500 characters.
    pub description: Option<String>,
    /// 1 to 100.
    pub max_iterations: Option<u32>,
    /// Replaces all tags; empty removes the key.
    pub tags: Option<Vec<String>>,
    /// `low`, `medium`, `high`; empty removes the key.
    pub priority: Option<String>,
    /// Empty removes the key.
    pub notes: Option<String>,
}

/// The metadata of a format and its current values, for the form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Metadata {
    /// Current title.
    pub title: Option<String>,
    /// Current description.
    pub description: Option<String>,
    /// Current limit.
    pub max_iterations: Option<f64>,
    /// Current tags.
    pub tags: Vec<String>,
    /// Current priority.
    pub priority: Option<String>,
    /// Current notes.
    pub notes: Option<String>,
    /// Fields of this format that Loopdeck may change: names of [`MetadataPatch`].
    pub editable: Vec<String>,
}

/// What a verb's legality depends on besides the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The shown status, which already combines file, lease, process and age.
    pub shown: StatusWord,
    /// The current time, for times written by an edit.
    pub now: Timestamp,
}

/// Whether an intent still holds in a file that was written since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The file has the requested value.
    Holds,
    /// Another writer undid it: apply again.
    Undone,
    /// The loop reached a state that answers the intent (e.g. completed): stop guarding.
    Answered,
}
