//! What went wrong with a request, in a kind and values: the words are the catalogue's.

use loopdeck_core::refusal::Refusal;
use serde::Serialize;
use specta::Type;
use std::collections::BTreeMap;

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
    /// The disk or network of the folder does not answer (`path`). What had not begun is not done any more.
    FolderDoesNotAnswer,
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
    /// The journal is from a newer version of Loopdeck.
    NewerData,
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
    /// The shell of the plugin's hook would run a value of the file (`path`, `line`, `found`).
    ShellValue,
    /// Workers cannot get git worktrees (`reason`).
    NoWorktrees,
    /// The plugin's hook would not find the fields of the file (`path`).
    NotForPlugin,
    /// An agent was asked for a draft, and none came of it (`agent`, `reason`).
    NoDraft,
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

    /// What is ours cannot be used: our data folder, or the program itself.
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
