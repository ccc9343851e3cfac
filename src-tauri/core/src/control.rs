//! Control verbs: what a person may ask of a loop now, what will happen, and the reason when it is refused.
//!
//! The shared words; which verb is legal and what it writes is decided in each format's `rules` and `edit`.

use crate::format::Summary;
use crate::status::{FileStatus, StatusWord};
use crate::step::{Operation, RepairCode};
use crate::times::Millis;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// What a person can ask for.
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
    /// Start again what had ended.
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

/// Why a verb is refused; the codes of the CCW contract §5.2 and the AoT contract §6. Words: catalogue `refusal.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// The loop is not running.
    NotRunning,
    /// The loop is not paused, stopped or interrupted.
    NotPaused,
    /// It is paused already.
    AlreadyPaused,
    /// It runs already.
    AlreadyRunning,
    /// It ended: reopen it first.
    Finished,
    /// It has not ended.
    NotFinished,
    /// Not while it runs.
    Running,
    /// Somebody else runs it.
    ForeignOwner,
    /// Iterations are used up; the limit must be raised in the same step.
    LimitReached,
    /// The file has errors; nothing is written to it.
    DamagedFile,
    /// The id in the file is not the file's name.
    IdMismatch,
    /// This format is shown, not controlled.
    ReadOnlyFormat,
    /// The status is a word the format does not have.
    UnknownStatus,
    /// This format has no such thing.
    NotInFormat,
    /// Loop-B in parallel mode looks at no pause.
    ParallelCannotPause,
    /// Something the start needs is missing (`field`).
    GateNotMet,
    /// A value is outside what the form accepts (`field`).
    BadValue,
    /// The text is longer than its field takes (`field`, `limit`, `length`): nothing is cut.
    TooLong,
    /// The file says already what was to be written.
    NothingChanges,
    /// The field stands in the file in a shape that cannot be edited safely (`field`).
    NotEditable,
    /// No atom has this id (`id`).
    UnknownAtom,
    /// The atom is resolved; its work is never taken away (`id`).
    AtomResolved,
    /// The atom cannot start yet (`id`, `by`).
    AtomNotReady,
    /// Nobody is working on the atom (`id`).
    AtomNotInProgress,
    /// Its children do the work of this atom (`id`).
    AtomIsContainer,
    /// The atom is an alternative: another one takes its place when it fails (`id`, `group`).
    AtomInGroup,
    /// An atom with this id exists (`id`).
    IdTaken,
    /// Another atom or an OR group needs the atom (`id`, `by`).
    AtomInUse,
    /// No OR group has this name (`group`).
    UnknownGroup,
    /// The atom is no usable choice of the OR group (`id`, `group`).
    NotAChoice,
    /// Work would wait in a circle (`cycle`).
    WouldCycle,
    /// The loop has its skill state already.
    AlreadyInitialised,
    /// The loop has no skill state yet.
    NotInitialised,
    /// There is no open task of this id (`field`).
    NoSuchTask,
    /// What was to be repaired is not wrong any more.
    NothingToRepair,
    /// The step does not follow from where the loop stands (`field`).
    WrongStep,
}

/// A verb refused, with named values for the sentence (`status` = the present word as written).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// Named values. Untrusted text.
    pub args: BTreeMap<String, String>,
    /// What the file says about the loop, as the word that stands for it on screen; interrupted, where nobody works on
    /// what the file still calls running. Nothing when the refusal is not about that, or the format does not have the
    /// word.
    pub status: Option<StatusWord>,
}

impl Refusal {
    /// A refusal without values.
    #[must_use]
    pub fn new(code: RefusalCode) -> Self {
        Self { code, args: BTreeMap::new(), status: None }
    }

    /// A refusal because of what the file says of the loop.
    #[must_use]
    pub fn because(code: RefusalCode, summary: &Summary) -> Self {
        Self::while_at(code, summary.status, &summary.status_word)
    }

    /// The same from a status and how it is `written` in the file.
    pub(crate) fn while_at(code: RefusalCode, status: FileStatus, written: &str) -> Self {
        Self { status: status.word(), ..Self::new(code).with("status", written) }
    }

    /// The same for a row that is `shown` as interrupted, on which “it is running” would contradict what is read there.
    /// What is refused because the file says running already goes on saying so.
    pub(crate) fn in_words_of(mut self, shown: StatusWord) -> Self {
        let running = self.status == Some(StatusWord::Running) && self.code != RefusalCode::AlreadyRunning;
        if shown == StatusWord::Interrupted && running {
            self.status = Some(shown);
        }
        self
    }

    /// Adds a named value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.args.insert(name.to_owned(), crate::problem::shorten(&value.to_string(), 200));
        self
    }
}

/// What will happen, as a sentence shown before the click. Words: catalogue `effect.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EffectCode {
    /// CCW pause: takes effect before the next action.
    PauseBeforeNextAction,
    /// CCW pause of a loop nobody works on: takes effect at once.
    PauseNow,
    /// AoT pause: the iteration ends first, work is kept.
    PauseAfterIteration,
    /// CCW stop with an agent elsewhere: the file says stopped, their agent sees it before the next action.
    StopElsewhere,
    /// CCW stop of a loop nobody works on.
    StopNow,
    /// AoT stop: after this iteration.
    StopAfterIteration,
    /// Writes running; the agent must be started by hand with `command` (args: `iteration`, `limit`).
    ResumeByHand,
    /// As above, and sets `count` interrupted atoms back to pending.
    ResumeByHandResetsAtoms,
    /// As resume, first start.
    StartByHand,
    /// As resume, of an ended loop.
    ReopenByHand,
    /// A reopened loop with nothing left to do completes again at once.
    ReopenNothingToDo,
    /// AoT: writes stopped over the interrupted running.
    Finalise,
    /// Title and limits.
    EditMetadata,
    /// To the trash, with companions.
    Delete,
}

/// One verb as offered to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Control {
    /// Which verb.
    pub verb: Verb,
    /// The reason when it is not legal now.
    pub refusal: Option<Refusal>,
    /// What will happen.
    pub effect: EffectCode,
    /// Named values for the effect's sentence (`iteration`, `limit`, `count`, `command`).
    pub args: BTreeMap<String, String>,
    /// Ask before doing it.
    pub confirm: bool,
    /// The file keeps a reason for it, which the person may give.
    pub takes_reason: bool,
    /// What the layout of the file adds to it.
    pub notice: Option<Notice>,
}

/// What the layout of a file adds to a verb. Words: catalogue `notice.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// The format's own tools could not read what the verb writes, so the layout is repaired in the same write (`rules`,
    /// and how many `comments` are dropped).
    RepairsLayout,
    /// Only the lines of the flag are written; the rest of the file stays as it is, errors included.
    WritesLinesOnly,
    /// The format's own tools do not see what the verb writes.
    HiddenFromTools,
}

/// One of them with its values.
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

/// A change a person or driver wants. Applied to the newest bytes, as often as other writers make it necessary.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// See [`Verb::Start`].
    Start,
    /// See [`Verb::Pause`].
    Pause,
    /// See [`Verb::Resume`]; `raise_limit_to` lifts the iteration limit in the same write.
    Resume {
        /// New `max_iterations`.
        raise_limit_to: Option<u32>,
    },
    /// See [`Verb::Stop`]; AoT keeps the reason, CCW writes its fixed one.
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
    /// One of the repairs that are offered.
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
    /// Whether it sets a loop to running: signs of life from before say nothing about the time after.
    #[must_use]
    pub fn starts_work(&self) -> bool {
        matches!(self, Intent::Start | Intent::Resume { .. } | Intent::Reopen { .. })
    }

    /// Whether somebody has to answer it, so that it is guarded until they did.
    #[must_use]
    pub fn is_request(&self) -> bool {
        use Intent as I;
        !matches!(self, I::EditMetadata(_) | I::Repair(_) | I::Operate(_) | I::LaunchFailed { .. })
    }

    /// The verb a person pressed for it; repairs and steps of the work have none.
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

/// Which metadata a format has and what stands there now, for the form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Metadata {
    /// Present title.
    pub title: Option<String>,
    /// Present description.
    pub description: Option<String>,
    /// Present limit.
    pub max_iterations: Option<f64>,
    /// Present tags.
    pub tags: Vec<String>,
    /// Present priority.
    pub priority: Option<String>,
    /// Present notes.
    pub notes: Option<String>,
    /// Fields this format lets ours change: names of [`MetadataPatch`].
    pub editable: Vec<String>,
}

/// What a verb's legality depends on besides the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The shown word: it already joins file, lease, process and age.
    pub shown: StatusWord,
    /// Now, for the times that an edit writes.
    pub now: Millis,
}

/// Whether an intent still stands in a file that somebody has written since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The file says what we asked for.
    Holds,
    /// Another writer undid it: apply again.
    Undone,
    /// The loop went on to a state that answers the intent (e.g. completed): stop guarding.
    Answered,
}
