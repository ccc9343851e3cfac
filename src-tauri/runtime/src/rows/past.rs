//! The past of a loop: its versions, what they changed, and what happened to it through Loopdeck.

use super::words::from_word;
use loopdeck_core::compare::Changed;
use loopdeck_core::view::LoopDetail;
use serde::{Deserialize, Serialize};
use specta::Type;

/// One kept version of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct VersionView {
    /// Names it in [`version`](crate), `restore`.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Who wrote it.
    pub who: VersionWriter,
    /// For ours: what it was for.
    pub cause: Option<WriteCause>,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// The file has these bytes now.
    pub current: bool,
    /// Whether it can be read as a loop.
    pub readable: bool,
    /// Whether the timeline shows it even when it changed nothing that is shown; never of a file beside a loop.
    pub notable: bool,
}

/// Who wrote a version. Words: catalogue `version_writer.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum VersionWriter {
    /// Loopdeck.
    Ours,
    /// An agent, a hook, a person with an editor.
    Foreign,
}

/// A loop as it was then. Nothing can be done on the strength of it but restoring it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct VersionPage {
    /// Names it.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Everything the file said; its companions are not kept.
    pub detail: LoopDetail,
    /// What changed from then to now.
    pub since: Vec<Changed>,
}

/// What one kept version changed against the one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct PastChange {
    /// Names the version.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Who wrote it.
    pub who: VersionWriter,
    /// For ours: what it was for.
    pub cause: Option<WriteCause>,
    /// What it changed.
    pub changes: Vec<Changed>,
}

/// What a write of ours was for. Words: catalogue `write_cause.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WriteCause {
    /// A control verb.
    Start,
    /// A control verb.
    Pause,
    /// A control verb.
    Resume,
    /// A control verb.
    Stop,
    /// A control verb.
    Reopen,
    /// A control verb.
    Finalise,
    /// Title, limits, labels.
    EditMetadata,
    /// Our last write was undone.
    Undo,
    /// A person chose an older version.
    Restore,
    /// What another writer wrote into a version that we had replaced.
    Late,
    /// A repair.
    Repair,
    /// A damaged file was replaced by a proposal.
    Recover,
    /// The task list was changed.
    EditTasks,
    /// A step of the work was recorded.
    Operate,
    /// The direction was changed.
    Redirect,
}

impl WriteCause {
    /// What the journal's word means; nothing for a later version's word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        from_word(word)
    }
}

/// Something that happened to a loop through Loopdeck, for its timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct JournalEvent {
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// What.
    pub kind: JournalEventKind,
    /// What it was for: the verb that was asked, the cause of the write. None where `state` says all.
    pub cause: Option<WriteCause>,
    /// How it stands.
    pub state: Option<JournalState>,
    /// The state file, or a file beside it, below the workspace.
    pub file: String,
    /// Of a write: files that were written with it in one step, below the workspace.
    pub beside: Vec<String>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum JournalEventKind {
    /// A person asked for something; `state` is its outcome.
    Requested,
    /// A request ended; `state` says how.
    Settled,
    /// A file was written; `state` says whether it landed.
    Write,
    /// The loop went to the trash.
    Deleted,
}

/// How a request or a write stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum JournalState {
    /// The request is guarded.
    Open,
    /// The request is in effect, or was answered by the loop.
    Settled,
    /// A newer request took its place.
    Superseded,
    /// Not legal, or the disk refused.
    Refused,
    /// A person put an older version back.
    Undone,
    /// The end of the write was not seen yet.
    Planned,
    /// The write is in the file.
    Landed,
    /// The write did not happen.
    Lost,
    /// The write was part of something that could not be done whole, and was taken back.
    TakenBack,
}
