//! What a list shows of a loop.

use crate::format::Format;
use crate::phase::{IterationBar, LimitKind, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use crate::times::Timestamp;

/// The list's view of a loop; cheap to compute, small to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Its format.
    pub format: Format,
    /// Title, or the id when there is none; cut to 200 characters. Untrusted text.
    pub title: String,
    /// The file's status, normalised.
    pub status: FileStatus,
    /// The status word as written, cut to 40 characters; empty when there is none.
    pub status_word: String,
    /// Why it ended or stopped, cut to 200 characters.
    pub reason: Option<String>,
    /// The current phase.
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
    pub created: Option<Timestamp>,
    /// AoT: a stop is requested while the status is still running; the flag's reason decides between pause
    /// and stop.
    pub stop_requested: Option<StopFlag>,
    /// AoT: the direction is about to change; nothing starts until then.
    pub hold_requested: bool,
    /// AoT: how often the direction was changed.
    pub corrections: u32,
    /// Work in progress (atoms or tasks `in_progress`); orphaned when no agent is known.
    pub in_progress: u32,
    /// CCW: completed, validated and without pending tasks: reopened, it would complete again immediately
    /// (the CCW contract §5.2).
    pub nothing_left: bool,
    /// The file has no status: its items say how far it is.
    pub status_is_derived: bool,
    /// The file asks a person for something first.
    pub asks_person: bool,
    /// The process that a lock next to the file names as the one that works on it.
    pub lock: Option<LockHolder>,
    /// AoT, completed: a fingerprint of its atoms, checks and objective, which a verification of it has too.
    pub made_of: Option<String>,
    /// Problems found so far. All errors are found here; warnings only by the full read.
    pub problems: Vec<Problem>,
}

/// Who holds a lock, as the lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process.
    pub pid: u32,
    /// The lock, below the workspace.
    pub file: String,
}

impl Summary {
    /// A summary of an unreadable file.
    #[must_use]
    pub fn unreadable(format: Format, stem: &str, problem: Problem) -> Self {
        Self { problems: vec![problem], ..Self::empty(format, stem, FileStatus::Unreadable) }
    }

    /// A summary that knows only the name.
    #[must_use]
    pub fn empty(format: Format, stem: &str, status: FileStatus) -> Self {
        Self {
            format,
            title: loopdeck_text::shorten(stem, 200),
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
            hold_requested: false,
            corrections: 0,
            in_progress: 0,
            nothing_left: false,
            status_is_derived: false,
            asks_person: false,
            lock: None,
            made_of: None,
            problems: Vec::new(),
        }
    }

    /// Whether it is of a loop that has ended and whose file is gone.
    #[must_use]
    pub fn is_without_file(&self) -> bool {
        self.problems.iter().any(|problem| problem.code == ProblemCode::P20_ended)
    }

    /// Whether `current_iteration >= max_iterations`.
    #[must_use]
    pub fn at_limit(&self) -> bool {
        self.iteration.is_some_and(|bar| bar.current >= bar.limit)
    }
}

/// What a raised AoT stop flag requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopFlag {
    /// `stop_reason: "Paused by user"`.
    Pause,
    /// Any other reason.
    Stop,
}
