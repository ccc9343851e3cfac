//! What goes to a window: list rows, workspaces, changes since a revision, pages of a loop.
//!
//! Pushed messages say only *that* something changed ([`Tick`]); the window then pulls [`Changes`] in pages of at
//! most 64 kB, so that a slow window gets the newest state instead of a growing queue.

mod comments;
mod documents;
mod finishing;
mod list_marks;
mod messages;
mod notes;
mod overview;
mod past;
mod pull_requests;
mod recovery;
mod rules;
mod run_changes;
mod saved_views;
mod search;
mod settings;

pub use comments::{Comment, CommentSource, CommentView, NewComment, TakenAs, TakenUp};
pub use documents::{DocumentKind, DocumentView, SourcePage};
pub use finishing::{
    ChangingRun, CommitDraft, CommitView, Discarded, FinishState, Finished, FinishedHow, LineRange,
    LoopChanges, LoopFileRow, LoopFileTexts, MergeView, OpenFileRow, PullRequestWanted, RevertWanted,
    Reverted, SentView, TakenIn, WorktreeFacts,
};
pub use list_marks::{ListMarks, MarkedLoop};
pub use loopdeck_execution::weakened::WeakenedTests;
pub use loopdeck_system::failure::{Failure, FailureKind};
pub(crate) use loopdeck_system::words::{from_word, to_word};
pub use messages::MessageView;
pub use notes::{ImportedHistory, LoopNotes};
pub use overview::{
    LoopReport, LoopSummary, Overview, OverviewSection, OverviewTotals, ReportTexts, SectionKind,
};
pub use past::{Asker, PastChange, TimelinePage, VersionPage, VersionView, VersionWriter, WriteCause};
pub use pull_requests::PullRequestFacts;
pub use recovery::{FieldOrigin, RecoveryOption, RecoveryPage};
pub use rules::{RuleTrial, TrialHit};
pub use run_changes::{ChangedFileRow, ChangedTexts};
pub use saved_views::SavedView;
pub use search::{FoundLoop, FoundMark, SearchAnswer, SearchHit};
pub use settings::{Notify, RecentFolder, Settings, Startup};

use loopdeck_core::control::Verb;
use loopdeck_core::format::{Format, Handling};
use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::phase::{IterationBar, LimitKind, Phase};
use loopdeck_core::problem::Problem;
use loopdeck_core::recovery::{ProposalSource, Supplied};
use loopdeck_core::status::{AgentFact, Group, Program, StatusWord};
use loopdeck_core::step::{Operation, RepairCode};
use loopdeck_core::view::{AtomView, ClaimCounts, FollowUpKind, LoopDetail, WorkUnit};
use loopdeck_execution::rows::LoopRun;
use serde::{Deserialize, Serialize};
use specta::Type;

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
    /// What Loopdeck does with it.
    pub handling: Handling,
    /// State file relative to the workspace, with `/`.
    pub file: String,
    /// Title. Untrusted text.
    pub title: String,
    /// The shown word.
    pub word: StatusWord,
    /// Group of the list.
    pub group: Group,
    /// Its place in the list changes once a person has opened it after its last change: from Attention to Idle. Never
    /// while something of it waits for an answer.
    pub until_opened: bool,
    /// The second fact.
    pub agent: AgentFact,
    /// Status word as the file has it.
    pub file_word: String,
    /// Why it ended or stopped.
    pub reason: Option<String>,
    /// Which limit.
    pub limit: Option<LimitKind>,
    /// The current phase.
    pub phase: Option<Phase>,
    /// Iterations used and allowed.
    pub iteration: Option<IterationBar>,
    /// What it calls done and what of that is proven; none where nothing is claimed or there is no check.
    pub claims: Option<ClaimCounts>,
    /// The pull request of its work as it was last seen; `None` when there is none.
    pub pull_request: Option<PullRequestFacts>,
    /// Mode as written.
    pub mode: Option<String>,
    /// Priority as written.
    pub priority: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Labels that people gave it in Loopdeck.
    pub labels: Vec<String>,
    /// How the person keeps it in the list.
    pub marks: ListMarks,
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
    /// The other Loopdeck that runs it; `None` when none does, or this one.
    pub runner: Option<RunnerView>,
}

/// A living Loopdeck that runs a loop. Words: catalogue `runner.<program>`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct RunnerView {
    /// Which program it is.
    pub program: Program,
    /// Since when it runs the loop, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub since: f64,
}

/// A control request: *requested* and *in effect* are two facts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct RequestView {
    /// What was asked: a verb; of a loop on another machine also `redirect` and `answer`.
    pub verb: WriteCause,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// How far it is.
    pub state: RequestState,
    /// How often another writer undid it and it was sent again.
    pub sent_again: u32,
    /// When another tool decided otherwise, ms since 1970 UTC; with `overruled` only.
    pub overruled_at: Option<f64>,
    /// Who asked for it from another machine.
    #[serde(default)]
    pub asker: Option<Asker>,
}

/// How far a request is. Words: catalogue `request.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Recorded, and written or about to be; not confirmed yet.
    Requested,
    /// The file has it, and no known program could undo it.
    InEffect,
    /// Could not be written; the journal keeps it.
    Failed,
    /// Another tool decided otherwise after it, and that is in force.
    Overruled,
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
    /// Absolute path, to name it in the start form and where it is trusted.
    pub folder: String,
    /// How many loops.
    pub loops: u32,
    /// Whether it can be reached; loops stay visible when not.
    pub reachable: bool,
    /// Whether the first scan is done.
    pub scanned: bool,
    /// Whether it is the bundled sample.
    pub sample: bool,
    /// Whether its folder has not answered for a while: a disk or a network that hangs.
    pub silent: bool,
    /// Files and folders of loops whose state file is gone, relative to the workspace; the first 20 by name.
    pub orphans: Vec<String>,
    /// How many of them there are.
    pub orphans_total: u32,
    /// Whose it is, when it is a copy of a folder of another machine.
    pub elsewhere: Option<ElsewhereView>,
}

/// Whose copy a workspace is.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ElsewhereView {
    /// Who.
    pub member: String,
    /// On which machine.
    pub machine: String,
    /// Since when that machine is not reachable, ms since 1970 UTC; `None` when it is.
    pub unreachable_since: Option<f64>,
    /// Whether its owner lets this machine pause, resume and stop its loops.
    pub steerable: bool,
    /// Only what a row shows is shared: there is no text to read.
    pub rows_only: bool,
    /// Whether the output of its runs is shared.
    pub output: bool,
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Watching {
    /// Folders watched by the operating system.
    pub folders: u32,
    /// Set when watching failed and Loopdeck polls: seconds between two checks.
    pub polling: Option<u32>,
    /// Why (words: catalogue `watching.<reason>`): `limit`, `error`, `asked`.
    pub reason: Option<String>,
    /// Last check of the disk, ms since 1970 UTC.
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
    /// Something is dragged over the window, or no longer is.
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
    /// Something of the team differs: connection, machines, answers.
    Team,
    /// The window is to be closed, or all runs stopped, while loops run: the person is asked, then told how it goes.
    Closing {
        /// How far it is.
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
    /// Nothing is shown any longer.
    Over,
}

/// What the person answers. Unknown words are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ClosingAnswer {
    /// The window closes, the runs continue.
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
    /// Workspaces from last time are still to be opened.
    pub reopening: bool,
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
    /// The loop that it follows from.
    pub parent: Option<FollowUpLink>,
    /// Loops that follow from it, oldest first.
    pub followed_by: Vec<FollowUpLink>,
    /// Progress documents and logs next to it.
    pub documents: Vec<DocumentView>,
    /// The state shown is the last good version of this time, because the file cannot be read now.
    pub last_good: Option<f64>,
    /// Proposals exist: the file cannot be read, or it is another loop's.
    pub recoverable: bool,
    /// A large graph can be followed from here; nothing for any other.
    pub work_revision: Option<u32>,
    /// Its atoms, and the units of its graph, are not in this page: they are asked for once it is shown.
    pub work_later: Option<WorkLater>,
}

/// What is said of the atoms of a large loop before they are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct WorkLater {
    /// How many.
    pub atoms: u32,
    /// How many left a result behind.
    pub results: u32,
    /// Ids of those that are being worked on.
    pub in_progress: Vec<String>,
}

/// The graph that the page of a large loop leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkPart {
    /// Its atoms, long results as their beginnings.
    pub atoms: Vec<AtomView>,
    /// Its units.
    pub units: Vec<WorkUnit>,
}

/// Another loop, which this one follows from or leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FollowUpLink {
    /// In which direction.
    pub kind: FollowUpKind,
    /// Its key, while it is in the list.
    pub key: Option<String>,
    /// Its title, or the name of its file. Untrusted text.
    pub title: String,
}

/// What a deletion moves to the trash, by path below the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Deletion {
    /// Files and folders.
    pub files: Vec<String>,
    /// Whether Loopdeck can restore them from there.
    pub restorable: bool,
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
    /// The task list next to it.
    EditTasks {
        /// What.
        edit: TaskEdit,
    },
    /// A proposal takes the place of a file that cannot be read.
    Recover {
        /// Which one.
        way: ProposalSource,
        /// As the person saw it.
        fingerprint: String,
        /// What the person typed in over it.
        #[serde(default)]
        supplied: Supplied,
    },
}
