//! Why something is not possible now.

use crate::status::{FileStatus, Program, StatusWord};
use crate::summary::Summary;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// Why a verb is refused; the codes of the CCW contract §5.2 and the AoT contract §6. Words: catalogue `refusal.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// The loop is not running.
    NotRunning,
    /// The loop is not paused, stopped or interrupted.
    NotPaused,
    /// It is already paused.
    AlreadyPaused,
    /// It is already running.
    AlreadyRunning,
    /// It ended: reopen it first.
    Finished,
    /// It has not ended.
    NotFinished,
    /// Not while it runs.
    Running,
    /// It is running elsewhere.
    ForeignOwner,
    /// The window runs it, seen from another program.
    RunsInWindow,
    /// A terminal runs it, seen from another program.
    RunsInTerminal,
    /// A node runs it, seen from another program.
    RunsOnNode,
    /// Iterations are used up; the limit must be raised in the same step.
    LimitReached,
    /// The file has errors; nothing is written to it.
    DamagedFile,
    /// The id in the file is not the file's name.
    IdMismatch,
    /// This format is shown, not controlled.
    ReadOnlyFormat,
    /// The status is a word that the format does not define.
    UnknownStatus,
    /// This format does not support it.
    NotInFormat,
    /// Loop-B in parallel mode does not check for a pause.
    ParallelCannotPause,
    /// Something the start needs is missing (`field`).
    GateNotMet,
    /// Something that has to be done before the loop can be completed isn't (`field`).
    NotDone,
    /// Nothing in the plan can be begun: what is open waits for a person, or for what is never done (`field`: the plan).
    NothingReady,
    /// Another loop works off the same plan now (`field`: the plan, `by`: the loop's file).
    PlanTaken,
    /// The plan's own tool is at work on it now (`field`: the plan).
    PlanToolRuns,
    /// The command is no longer the one that the person confirmed.
    CommandChanged,
    /// A value is outside what the form accepts (`field`).
    BadValue,
    /// The text is too long for its field (`field`, `limit`, `length`): nothing is cut.
    TooLong,
    /// The file already has this content.
    NothingChanges,
    /// The field is written in a form that cannot be edited safely (`field`).
    NotEditable,
    /// The plugin can't read the layout of the file, so nothing is set to running in it; a repair makes it readable (`rules`).
    UnreadLayout,
    /// No atom has this id (`id`).
    UnknownAtom,
    /// The atom is resolved; its work is never removed (`id`).
    AtomResolved,
    /// The atom cannot start yet (`id`, `by`).
    AtomNotReady,
    /// Nobody is working on the atom (`id`).
    AtomNotInProgress,
    /// Its children do the work of this atom (`id`).
    AtomIsContainer,
    /// The atom is an alternative: another one replaces it when it fails (`id`, `group`).
    AtomInGroup,
    /// An atom with this id exists (`id`).
    IdTaken,
    /// Another atom or an OR group needs the atom (`id`, `by`).
    AtomInUse,
    /// No OR group has this name (`group`).
    UnknownGroup,
    /// The atom is not a usable choice of the OR group (`id`, `group`).
    NotAChoice,
    /// Work would wait in a cycle (`cycle`).
    WouldCycle,
    /// The loop already has its skill state.
    AlreadyInitialised,
    /// The loop has no skill state yet.
    NotInitialised,
    /// There is no open task with this id (`field`).
    NoSuchTask,
    /// The problem to repair no longer exists.
    NothingToRepair,
    /// The step does not follow from the current phase (`field`).
    WrongStep,
    /// Only the machine of the loop can do this, or its owner lets nobody else.
    OtherMachine,
}

/// A refused verb, with named values for the sentence (`status` = the current word as written).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// Named values. Untrusted text.
    pub args: BTreeMap<String, String>,
    /// The loop's status in the file, as its word on screen; interrupted, if the file still says running but
    /// no agent is known. None when the refusal is not about that, or the format does not have the word.
    pub status: Option<StatusWord>,
}

impl Refusal {
    /// A refusal without values.
    #[must_use]
    pub fn new(code: RefusalCode) -> Self {
        Self { code, args: BTreeMap::new(), status: None }
    }

    /// A refusal because another Loopdeck runs the loop.
    #[must_use]
    pub fn run_by(program: Program) -> Self {
        Self::new(match program {
            Program::Window => RefusalCode::RunsInWindow,
            Program::Terminal => RefusalCode::RunsInTerminal,
            Program::Node => RefusalCode::RunsOnNode,
        })
    }

    /// The same refusal as a program sees it that is not the one that runs the loop: what is refused because it runs says who
    /// runs it.
    #[must_use]
    pub fn beside(self, program: Program) -> Self {
        match self.code {
            RefusalCode::Running | RefusalCode::AlreadyRunning | RefusalCode::ForeignOwner => {
                Self::run_by(program)
            }
            _ => self,
        }
    }

    /// A refusal because of the loop's status in the file.
    #[must_use]
    pub fn because(code: RefusalCode, summary: &Summary) -> Self {
        Self::while_at(code, summary.status, &summary.status_word)
    }

    /// The same from a status and how it is `written` in the file.
    pub(crate) fn while_at(code: RefusalCode, status: FileStatus, written: &str) -> Self {
        Self { status: status.word(), ..Self::new(code).with("status", written) }
    }

    /// The same for a row that is `shown` as interrupted, where “it is running” would contradict the screen.
    /// A refusal because the file already says running keeps saying so.
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
        self.args.insert(name.to_owned(), loopdeck_text::shorten(&value.to_string(), 200));
        self
    }
}

/// A value outside what the format allows.
pub(crate) fn bad_value(field: &str) -> Refusal {
    Refusal::new(RefusalCode::BadValue).with("field", field)
}

pub(crate) fn not_editable(field: &str) -> Refusal {
    Refusal::new(RefusalCode::NotEditable).with("field", field)
}
