//! The formats and how a file is recognised (the CCW contract §1.1).

use crate::problem::Problem;
use crate::status::FileStatus;
use crate::times::Millis;
use crate::view::{IterationBar, LimitKind, Phase};
use serde::Serialize;
use specta::Type;

/// Which system's loop a file is. Words: catalogue `format.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CCW Loop v2, Claude and Codex flavours.
    LoopV2,
    /// CCW Loop-B: coordinator and workers.
    LoopB,
    /// AoT loop.
    Aot,
    /// CCW v1 engine file, read-only.
    V1,
    /// Legacy CCW session folder, read-only.
    Legacy,
    /// In the place of a loop, but unreadable: cannot be told apart.
    Unknown,
}

/// What Loopdeck does with loops of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// It is controlled, and Loopdeck can run its agents.
    Driven,
    /// It is controlled by its file; who runs its agents is somebody else.
    Controlled,
    /// It is only shown.
    ReadOnly,
}

impl Format {
    /// What Loopdeck does with its loops.
    #[must_use]
    pub fn handling(self) -> Handling {
        match self {
            Format::LoopV2 | Format::LoopB | Format::Aot => Handling::Driven,
            Format::V1 | Format::Legacy | Format::Unknown => Handling::ReadOnly,
        }
    }
}

/// What is known about a file before its bytes are looked at.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'a> {
    /// File name without `.json`, or the folder name of a legacy session: the identity (E5).
    pub stem: &'a str,
    /// Modification time.
    pub modified: Millis,
    /// Now.
    pub now: Millis,
}

/// What a list shows of a loop; cheap to make, small to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Which system.
    pub format: Format,
    /// Title, or the id when there is none; cut to 200 characters. Untrusted text.
    pub title: String,
    /// What the file says, normalised.
    pub status: FileStatus,
    /// The status word as written, cut to 40 characters; empty when there is none.
    pub status_word: String,
    /// Why it ended or stopped, cut to 200 characters.
    pub reason: Option<String>,
    /// Where the work stands.
    pub phase: Option<Phase>,
    /// Iterations used and allowed.
    pub iteration: Option<IterationBar>,
    /// Which limit ended it.
    pub limit: Option<LimitKind>,
    /// `auto`, `interactive`, `parallel`, as written, cut to 40 characters.
    pub mode: Option<String>,
    /// `low`, `medium`, `high`, as written, cut to 40 characters.
    pub priority: Option<String>,
    /// At most 20, each cut to 40 characters.
    pub tags: Vec<String>,
    /// `created_at`, corrected.
    pub created: Option<Millis>,
    /// AoT: a stop is requested and the status still running; the flag's reason decides pause or stop.
    pub stop_requested: Option<StopFlag>,
    /// Unresolved work that nobody works on when no agent is known (atoms or tasks `in_progress`).
    pub in_progress: u32,
    /// CCW: completed, validated and without pending tasks: reopened, it would complete again at once (§5.2).
    pub nothing_left: bool,
    /// Problems found on the way. All errors are found here; warnings only by the full read.
    pub problems: Vec<Problem>,
}

impl Summary {
    /// A summary of a file that could not be read.
    #[must_use]
    pub fn unreadable(format: Format, stem: &str, problem: Problem) -> Self {
        Self { problems: vec![problem], ..Self::empty(format, stem, FileStatus::Unreadable) }
    }

    /// A summary that knows only its name.
    #[must_use]
    pub fn empty(format: Format, stem: &str, status: FileStatus) -> Self {
        Self {
            format,
            title: crate::problem::shorten(stem, 200),
            status,
            status_word: String::new(),
            reason: None,
            phase: None,
            iteration: None,
            limit: None,
            mode: None,
            priority: None,
            tags: Vec::new(),
            created: None,
            stop_requested: None,
            in_progress: 0,
            nothing_left: false,
            problems: Vec::new(),
        }
    }

    /// Whether `current_iteration >= max_iterations`.
    #[must_use]
    pub fn at_limit(&self) -> bool {
        self.iteration.is_some_and(|bar| bar.current >= bar.limit)
    }
}

/// What a raised AoT stop flag asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopFlag {
    /// `stop_reason: "Paused by user"`.
    Pause,
    /// Any other reason.
    Stop,
}
