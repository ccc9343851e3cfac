//! What goes to a window: list rows, workspaces, changes since a revision, pages of a loop.
//!
//! Pushed messages say only *that* something changed ([`Tick`]); the window then pulls [`Changes`] in pages of at
//! most 64 kB, so that a slow window gets the newest state instead of a growing queue (field-lessons.md L4.2).

use crate::drivers::rows::LoopRun;
use crate::editor::EditorChoice;
use loopdeck_core::ccw_v2::task_edit::TaskEdit;
use loopdeck_core::compare::Changed;
use loopdeck_core::control::{Refusal, Verb};
use loopdeck_core::format::Format;
use loopdeck_core::problem::Problem;
use loopdeck_core::recovery::Way;
use loopdeck_core::status::{AgentFact, Group, StatusWord};
use loopdeck_core::step::{Operation, RepairCode};
use loopdeck_core::view::{IterationBar, LimitKind, LoopDetail, Phase};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// One loop in the list. Carries summaries only: no prompts, no logs.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopRow {
    /// Names this loop in every command: `<workspace>:<state file below it>`. Never used as a path.
    pub key: String,
    /// Id of its workspace.
    pub workspace: String,
    /// File stem, legacy folder name, or `aot-loop-state`.
    pub id: String,
    /// Which system.
    pub format: Format,
    /// State file relative to the workspace, with `/`.
    pub file: String,
    /// Title. Untrusted text.
    pub title: String,
    /// The shown word.
    pub word: StatusWord,
    /// Group of the list.
    pub group: Group,
    /// The second fact.
    pub agent: AgentFact,
    /// Status word as the file has it.
    pub file_word: String,
    /// Why it ended or stopped.
    pub reason: Option<String>,
    /// Which limit.
    pub limit: Option<LimitKind>,
    /// Where the work stands.
    pub phase: Option<Phase>,
    /// Iterations used and allowed.
    pub iteration: Option<IterationBar>,
    /// Mode as written.
    pub mode: Option<String>,
    /// Priority as written.
    pub priority: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Modification time of the state file, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub changed: f64,
    /// Creation, ms since 1970 UTC.
    pub created: Option<f64>,
    /// Errors found by the quick read.
    pub errors: u32,
    /// The first of them.
    pub problem: Option<Problem>,
    /// The single legal primary action.
    pub primary: Option<Verb>,
    /// All legal verbs.
    pub verbs: Vec<Verb>,
    /// A control request that is under way or just landed.
    pub request: Option<RequestView>,
    /// What Loopdeck itself runs or ran for it since it started; `None` when nothing.
    pub run: Option<LoopRun>,
}

/// A control request: *requested* and *in effect* are two facts.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RequestView {
    /// What was asked.
    pub verb: Verb,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// How far it is.
    pub state: RequestState,
    /// How often another writer undid it and it was sent again.
    pub sent_again: u32,
}

/// How far a request is. Words: catalogue `request.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Recorded, and written or about to be; nobody has confirmed it.
    Requested,
    /// The file says so and nobody is known who could undo it.
    InEffect,
    /// Could not be written; the journal keeps it.
    Failed,
}

/// A folder with loops.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkspaceView {
    /// Short stable id.
    pub id: String,
    /// Folder name.
    pub name: String,
    /// Absolute path for display, home folder as `~`.
    pub path: String,
    /// How many loops.
    pub loops: u32,
    /// Whether it can be reached; loops stay visible when not.
    pub reachable: bool,
    /// Whether the first scan is done.
    pub scanned: bool,
    /// Whether it is the bundled sample.
    pub sample: bool,
    /// Files and folders of loops whose state file is gone, relative to the workspace; the first 20 by name.
    pub orphans: Vec<String>,
    /// How many of them there are.
    pub orphans_total: u32,
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Watching {
    /// Folders watched by the operating system.
    pub folders: u32,
    /// Set when watching failed and Loopdeck looks by itself: seconds between looks.
    pub polling: Option<u32>,
    /// Why (words: catalogue `watching.<reason>`): `limit`, `error`, `asked`.
    pub reason: Option<String>,
    /// Last look at the disk, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub checked: f64,
}

/// Pushed to every window: there is something newer. At most ten per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Tick {
    /// Newest revision.
    pub revision: u32,
}

/// What the backend tells a page unasked.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Push {
    /// There is something newer.
    Tick(Tick),
    /// A folder was opened from outside the page (argument, second start, drop).
    Opened {
        /// Its id.
        workspace: String,
    },
    /// A link to a place in a loop was opened from outside the page.
    Linked {
        /// The loop.
        key: String,
        /// Part of it, as the link has it. Untrusted.
        tab: Option<String>,
        /// What in that part, as the link has it. Untrusted.
        item: Option<String>,
    },
    /// Something is dragged over the window, or not any more.
    Dragging {
        /// Whether it is over the window now.
        over: bool,
    },
    /// Opening a folder from outside the page failed.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// A notification or the tray asks for the list of what waits.
    Waiting,
    /// The window is to be closed, or all runs stopped, while loops run: the person is asked, then told how it goes.
    Closing {
        /// Where this stands.
        step: ClosingStep,
        /// Loops with work of ours.
        running: u32,
        /// Whether the window can be brought back from the tray; otherwise only by another start.
        tray: bool,
    },
}

/// What the page shows while the app is being closed. Words: catalogue `closing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ClosingStep {
    /// Asks: keep running, stop and quit, or stay.
    Close,
    /// Asks whether all runs are to be stopped; the app stays.
    StopRuns,
    /// Runs are being stopped.
    Stopping,
    /// They were stopped as far as that went: some are still there, so the app stays.
    Left,
    /// Nothing is shown any more.
    Over,
}

/// What the person answers. Unknown words are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ClosingAnswer {
    /// The window goes, the runs go on.
    KeepRunning,
    /// All runs are stopped, then the app ends.
    StopAll,
    /// All runs are stopped, the app stays.
    StopRuns,
    /// Neither.
    Cancel,
}

/// What changed since the revision a window has.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Changes {
    /// The window is at this revision after applying the page.
    pub revision: u32,
    /// There is more: pull again with `revision`.
    pub more: bool,
    /// Forget all rows first: this is the start of a snapshot.
    pub reset: bool,
    /// New or changed rows.
    pub rows: Vec<LoopRow>,
    /// Keys of rows that are gone.
    pub removed: Vec<String>,
    /// All workspaces.
    pub workspaces: Vec<WorkspaceView>,
    /// How changes are noticed.
    pub watching: Watching,
    /// Rises whenever something begins or ends to wait for the person.
    pub needs: u32,
    /// The backend's clock, ms since 1970 UTC, so that relative times agree.
    #[specta(type = u32)] // a finite number in TypeScript
    pub now: f64,
}

/// A loop opened in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopPage {
    /// Its row.
    pub row: LoopRow,
    /// Everything the file says.
    pub detail: LoopDetail,
    /// Progress documents and logs beside it.
    pub documents: Vec<DocumentView>,
    /// The state shown is the last good version of this time, because the file cannot be read now.
    pub last_good: Option<f64>,
}

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

/// What a word of the journal means; nothing for a later version's word.
pub(crate) fn from_word<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    use serde::de::value::{Error, StrDeserializer};
    T::deserialize(StrDeserializer::<Error>::new(word)).ok()
}

/// The word of a code, as windows and the journal have it.
pub(crate) fn to_word(code: impl Serialize) -> String {
    let value = serde_json::to_value(code).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
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

/// A state file that cannot be read, beside what can take its place.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecoveryPage {
    /// State file below the workspace.
    pub file: String,
    /// What stands there, cut to 1 MiB.
    pub there: String,
    /// Invalid UTF-8 was replaced for display.
    pub lossy: bool,
    /// Name below the workspace under which the damaged file is kept.
    pub aside: String,
    /// Proposals in the order in which they are offered.
    pub options: Vec<RecoveryOption>,
}

/// One proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecoveryOption {
    /// Where it comes from.
    pub way: Way,
    /// The whole new file.
    pub text: String,
    /// Where each field comes from, in the order of the text.
    pub fields: Vec<FieldOrigin>,
    /// Fields that nothing is left of.
    pub lost: Vec<String>,
    /// Names this proposal for this damage.
    pub fingerprint: String,
}

/// Where a field comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct FieldOrigin {
    /// Such as `skill_state.develop.tasks`.
    pub path: String,
    /// `stem`, `prefix`, `last_good`, `backup`, `proposed`, `missing` (words: catalogue `recovery_source.<word>`), or the
    /// name of a file beside the loop.
    pub source: String,
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

/// A text file beside a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DocumentView {
    /// File name such as `develop.md`; names it in [`document`](crate) requests.
    pub name: String,
    /// Path below the workspace.
    pub file: String,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// Last change, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub changed: f64,
}

/// A window of a text file's lines.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct SourcePage {
    /// Path below the workspace.
    pub file: String,
    /// 1-based number of the first line here.
    pub first: u32,
    /// The lines, each cut to 2,000 characters.
    pub lines: Vec<String>,
    /// Lines in the file.
    pub total: u32,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// Invalid UTF-8 was replaced for display.
    pub lossy: bool,
}

/// What a deletion moves to the trash, by path below the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Deletion {
    /// Files and folders.
    pub files: Vec<String>,
}

/// What a person remembers between starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Settings {
    /// `system`, `light`, `dark`.
    pub theme: String,
    /// `system`, `en`, `zh-CN`, `ja`.
    pub language: String,
    /// `compact`, `comfortable`.
    pub density: String,
    /// Columns of the loop list that are hidden: `format`, `phase`, `iteration`, `seen`.
    pub hidden_columns: Vec<String>,
    /// Single-letter shortcuts (WCAG 2.1.4 wants a switch).
    pub letter_keys: bool,
    /// Filter history, newest first, at most 20.
    pub filters: Vec<String>,
    /// Minutes a foreign change counts as a sign of life.
    pub fresh_minutes: u32,
    /// Keys of loops whose end was looked at: they leave Attention. Pairs of key and change time.
    pub opened: BTreeMap<String, f64>,
    /// The editor in which files are opened.
    pub editor: EditorChoice,
    /// How the work of a loop is shown: `graph`, `outline`, or `auto` while its size decides.
    pub work_view: String,
    /// Which way a work graph is drawn: `down`, `right`.
    pub work_direction: String,
    /// How hypotheses are shown: `board`, `table`.
    pub hypotheses_view: String,
    /// Commands of the palette used last, newest first, at most 7.
    pub recent_commands: Vec<String>,
    /// What the desktop is asked to notify of.
    pub notify: Notify,
    /// An icon in the tray, where the desktop has one.
    pub tray: bool,
}

/// Kinds of notifications, each with its switch. Nothing else is ever notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Notify {
    /// A permission, a question, a menu, a missing sign-in.
    pub needs_you: bool,
    /// A run failed, was interrupted, or left processes behind.
    pub failed: bool,
    /// A limit of the loop or of the provider is reached.
    pub limit: bool,
    /// A loop completed while the window was not in front.
    pub finished: bool,
}

impl Default for Notify {
    fn default() -> Self {
        Self { needs_you: true, failed: true, limit: true, finished: true }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: "system".into(),
            language: "system".into(),
            density: "comfortable".into(),
            hidden_columns: Vec::new(),
            letter_keys: true,
            filters: Vec::new(),
            fresh_minutes: 15,
            opened: BTreeMap::new(),
            editor: EditorChoice::default(),
            work_view: "auto".into(),
            work_direction: "right".into(),
            hypotheses_view: "board".into(),
            recent_commands: Vec::new(),
            notify: Notify::default(),
            tray: true,
        }
    }
}

/// What the window needs before its first paint.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Startup {
    /// Version of Loopdeck.
    pub version: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
    /// Remembered settings.
    pub settings: Settings,
    /// Recently opened folders that are not open now, newest first.
    pub recent: Vec<RecentFolder>,
    /// A loop to open at once (key), from the command line.
    pub open: Option<String>,
}

/// A folder opened before.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecentFolder {
    /// Absolute path.
    pub path: String,
    /// For display, home folder as `~`.
    pub shown: String,
}

/// Options of a control verb.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, Type)]
#[serde(default)]
pub struct VerbOptions {
    /// Resume and reopen: new iteration limit in the same write.
    pub raise_limit_to: Option<u32>,
    /// Stop: reason, where the format keeps one.
    pub reason: Option<String>,
}

/// A change of a loop beyond its control verbs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LoopChange {
    /// One of the repairs that its detail offers.
    Repair {
        /// Which one.
        repair: RepairCode,
    },
    /// A step of the work.
    Operate {
        /// What.
        operation: Operation,
    },
    /// The task list beside it.
    EditTasks {
        /// What.
        edit: TaskEdit,
    },
    /// A proposal takes the place of a file that cannot be read.
    Recover {
        /// Which one.
        way: Way,
        /// As the person saw it.
        fingerprint: String,
    },
}

/// Why a command failed. Words: catalogue `failure.<kind>` (message) and `failure_hint.<kind>` (what to do next).
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// Named values for the sentence, e.g. `path`, `reason`. Untrusted text.
    pub args: BTreeMap<String, String>,
    /// For `refused`: why the verb is not legal.
    pub refusal: Option<Refusal>,
}

/// Kinds somebody branches on or words differ for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The verb is not legal now; nothing was written.
    Refused,
    /// No such loop any more.
    UnknownLoop,
    /// No such workspace any more.
    UnknownWorkspace,
    /// The folder does not exist or is no folder (`path`).
    NotAFolder,
    /// Another writer kept changing the file; five tries (`path`).
    Contended,
    /// The disk refused (`path`, `reason`).
    Disk,
    /// The file cannot be read (`path`, `reason`).
    Unreadable,
    /// No trash on this system (`reason`).
    NoTrash,
    /// Our own data folder cannot be used (`reason`).
    OwnData,
    /// The desktop could not open it (`path`, `reason`).
    CannotOpen,
    /// The old version could not be kept, so nothing was written (`reason`).
    NoUndo,
    /// Loopdeck has not written this loop, or does not keep that version any more (`path`).
    NothingToUndo,
    /// Somebody else changed the file since our last write (`path`).
    ChangedSince,
    /// That version is not kept any more.
    UnknownVersion,
    /// Something in the form has to be mended first (`field`).
    BadForm,
    /// The person has not trusted this folder yet: nothing in it is run (`path`).
    Untrusted,
    /// The agent was not found (`agent`).
    NoAgent,
    /// The agent cannot be started (`agent`, `reason`).
    CannotStart,
    /// The loop was never run here: the person chooses how first.
    NoPlan,
    /// There is no such run, or its output is not kept any more.
    UnknownRun,
    /// It does not wait for an answer any more.
    UnknownNeed,
    /// A file is there already (`path`).
    Exists,
    /// A file that a loop names is not in its workspace (`path`).
    FileMissing,
    /// It lies outside of the workspace (`path`).
    FileOutside,
    /// It is a folder, a pipe or a device (`path`).
    NotARegularFile,
    /// No editor was found and none is set.
    NoEditor,
    /// The command in the settings cannot be used: no program, `{file}` missing or in a wrong place.
    EditorCommand,
    /// The editor in the settings is not on this computer (`program`).
    EditorMissing,
    /// The editor did not start (`program`, `reason`).
    EditorFailed,
    /// The address is none that is opened (`address`).
    BadAddress,
}

impl Failure {
    /// A failure without values.
    #[must_use]
    pub fn new(kind: FailureKind) -> Self {
        Self { kind, args: BTreeMap::new(), refusal: None }
    }

    /// Our own data folder cannot be used.
    pub(crate) fn own_data(reason: impl std::fmt::Display) -> Self {
        Self::new(FailureKind::OwnData).with("reason", reason)
    }

    /// Adds a named value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.args.insert(name.to_owned(), value.to_string());
        self
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self { refusal: Some(refusal), ..Self::new(FailureKind::Refused) }
    }
}
