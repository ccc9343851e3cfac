//! Why a request failed, as a kind and values; the words are in the catalogue.

use loopdeck_core::refusal::Refusal;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// Why a command failed. Words: catalogue `failure.<kind>` (message) and `failure_hint.<kind>` (what to do next).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// Named values for the sentence, e.g. `path`, `reason`. Untrusted text.
    pub args: BTreeMap<String, String>,
    /// For `refused`: why the verb is not legal.
    pub refusal: Option<Refusal>,
}

/// Kinds that code branches on, or whose words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The verb is not legal now; nothing was written.
    Refused,
    /// The loop does not exist, or no longer does.
    UnknownLoop,
    /// The workspace does not exist, or no longer does.
    UnknownWorkspace,
    /// The folder does not exist or is not a folder (`path`).
    NotAFolder,
    /// The folder is in a Linux that runs in Windows (`path`), where nothing tells of a change and files cannot be exchanged.
    InWsl,
    /// The disk or network of the folder does not answer (`path`). What had not started is not done.
    FolderDoesNotAnswer,
    /// The program that runs the loop does not answer (`path`). Nothing was done.
    RunnerDoesNotAnswer,
    /// Another writer kept changing the file; five tries (`path`).
    Contended,
    /// The file is empty, and stayed so for five tries (`path`).
    EmptyFile,
    /// The disk refused (`path`, `reason`).
    Disk,
    /// The file cannot be read (`path`, `reason`).
    Unreadable,
    /// No trash on this system (`reason`).
    NoTrash,
    /// Our own data folder cannot be used (`reason`).
    OwnData,
    /// The journal is from a newer version of Loopdeck.
    NewerData,
    /// A file of our own cannot be read (`path`, `reason`). It stays as it is, and nothing is written to it.
    DamagedData,
    /// A file of our own could not be read (`path`, `reason`), and was given another name (`kept`). Loopdeck began without it.
    SetAside,
    /// A newer version was not found out about, or not installed (`reason`). This one stays.
    NotUpdated,
    /// The desktop could not open it (`path`, `reason`).
    CannotOpen,
    /// The old version could not be kept, so nothing was written (`reason`).
    NoUndo,
    /// Loopdeck has not written this loop, or no longer keeps that version (`path`).
    NothingToUndo,
    /// The file was changed by someone else since our last write (`path`).
    ChangedSince,
    /// That version is no longer kept.
    UnknownVersion,
    /// A field of the form has to be fixed first (`field`).
    BadForm,
    /// The person has not trusted this folder yet, so nothing in it runs (`path`).
    Untrusted,
    /// The agent was not found (`agent`).
    NoAgent,
    /// A program that a command begins with is not on this computer (`program`).
    ProgramMissing,
    /// The agent cannot be started (`agent`, `reason`).
    CannotStart,
    /// The shell of the plugin's hook would run a value of the file (`path`, `line`, `found`).
    ShellValue,
    /// Workers cannot get git worktrees (`reason`).
    NoWorktrees,
    /// The plugin's hook would not find the fields of the file (`path`).
    NotForPlugin,
    /// An agent was asked for a draft but produced none (`agent`, `reason`).
    NoDraft,
    /// The loop was never run here: the person has to choose how first.
    NoPlan,
    /// The run does not exist, or its output is no longer kept.
    UnknownRun,
    /// What the run changed is not kept, or no longer (`reason`).
    NoChanges,
    /// It is no longer waiting for an answer.
    UnknownNeed,
    /// The file already exists (`path`).
    Exists,
    /// A file that a loop names is not in its workspace (`path`).
    FileMissing,
    /// The file is outside of the workspace (`path`).
    FileOutside,
    /// It is a folder, a pipe or a device (`path`).
    NotARegularFile,
    /// No editor was found and none is set.
    NoEditor,
    /// The command in the settings cannot be used: no program, or `{file}` is missing or misplaced.
    EditorCommand,
    /// The editor in the settings is not on this computer (`program`).
    EditorMissing,
    /// The editor did not start (`program`, `reason`).
    EditorFailed,
    /// The person has not confirmed this command outside of the page (`command`).
    EditorNotConfirmed,
    /// No terminal was found, or the one in the settings is not on this computer.
    NoTerminal,
    /// The terminal did not start (`program`, `reason`).
    TerminalFailed,
    /// What was deleted is not in the trash, or no longer (`path`).
    NotInTrash,
    /// A line of a file is from no export of ours (`path`, `line`). Nothing was taken in.
    NotAnExport,
    /// Addresses of this kind are not opened (`address`).
    BadAddress,
    /// A link leads into no folder that the person has opened (`path`).
    UnknownLink,
    /// Only the machine of the loop can do this, or its owner lets nobody else (`member`, `machine`).
    OnAnotherMachine,
    /// The file is no invitation to a team (`path`, `reason`).
    BadInvitation,
    /// The folder has no team (`path`).
    NoTeam,
    /// This machine belongs to no team.
    NotInTeam,
    /// Nobody of this name was invited (`member`).
    UnknownMember,
    /// The server does not take this machine's credentials, or does not allow something (`reason`).
    TeamRefused,
    /// No server of the team answers (`address`, `reason`).
    TeamUnreachable,
    /// The server is too old (`version`).
    OldTeamServer,
    /// The server has no streams of Loopdeck yet (`reason`).
    TeamNotSetUp,
    /// The workspace was lent to this machine, and its time is over: another one may be at work on it (`path`).
    LeaseLost,
    /// Only a run with an agent that Loopdeck drives can be sent to another machine.
    RunNeedsAgent,
    /// More arguments for the agent are this computer's, and cannot be sent.
    RunHasArguments,
    /// The work, or the commits that it begins with, are too large to be sent.
    RunTooLarge,
    /// No machine of the team that is known offers this repository to this member.
    NoMachineForRun,
    /// Machines of the team offer this repository, and none of them this agent for it (`agent`).
    NoMachineHasAgent,
    /// No such run was sent from here.
    UnknownJob,
    /// The run is at work on another machine: it is stopped like any loop there.
    JobAtWork,
    /// The run is over.
    JobIsOver,
    /// Nothing has come back of it, or nothing yet.
    NoResult,
    /// Git refuses (`reason`).
    GitRefused,
    /// A file is not as it was shown, so it was not put back (`path`).
    ShownChanged,
    /// A file does not differ from the last commit, is ignored, or is not in the folder (`path`). Nothing was committed.
    NotCommittable,
    /// The loop is in no worktree that Loopdeck made (`path`).
    NotAWorktree,
    /// There is no such comment, or no longer.
    UnknownComment,
    /// The message is delivered, or there is none.
    UnknownMessage,
    /// No program for pull requests of this address is on this computer (`address`).
    NoForge,
    /// The program for pull requests refused (`program`, `reason`).
    ForgeRefused,
    /// The git repository is not what it was when the person trusted its folder, so git was not asked (`path`, `what`).
    RepositoryChanged,
}

impl Failure {
    /// A failure without values.
    #[must_use]
    pub fn new(kind: FailureKind) -> Self {
        Self { kind, args: BTreeMap::new(), refusal: None }
    }

    /// Something of our own cannot be used: our data folder, or the program itself.
    #[must_use]
    pub fn own_data(reason: impl std::fmt::Display) -> Self {
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
