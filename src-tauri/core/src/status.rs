//! The shown status: a pure function of the file's status and of what is known about the agent.
//!
//! Implements the table of the status contract §2; the first matching row wins. File and agent stay two
//! separate facts, so that a stored word never passes for the truth.

use crate::times::TimeDelta;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The file's status, in words shared by all formats. The raw word is kept next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// The file cannot be parsed or read.
    Unreadable,
    /// `created`, `pending`.
    NotStarted,
    /// `running`.
    Running,
    /// `paused`; AoT `stopped` with the reason "Paused by user".
    Paused,
    /// `failed` with the reason "Manually stopped by user"; AoT `stopped` for any reason that is not listed here.
    StoppedByUser,
    /// AoT `stopped` because a limit was reached (iterations, stalls, alternatives).
    LimitReached,
    /// `failed` with any other reason.
    Failed,
    /// `completed`.
    Completed,
    /// `user_exit`.
    UserExit,
    /// Any other word, or none.
    Unknown,
}

impl FileStatus {
    /// The word on screen for the file's status alone, before anything is known about an agent; none for an
    /// undefined word.
    #[must_use]
    pub fn word(self) -> Option<StatusWord> {
        match self {
            Self::Unreadable => Some(StatusWord::CannotRead),
            Self::NotStarted => Some(StatusWord::NotStarted),
            Self::Running => Some(StatusWord::Running),
            Self::Paused => Some(StatusWord::Paused),
            // The limit that stopped it is a separate fact.
            Self::StoppedByUser | Self::LimitReached => Some(StatusWord::Stopped),
            Self::Failed => Some(StatusWord::Failed),
            Self::Completed => Some(StatusWord::Completed),
            Self::UserExit => Some(StatusWord::LeftByUser),
            Self::Unknown => None,
        }
    }
}

/// Which of our programs runs a loop. Words: catalogue `runner.<program>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// The desktop.
    Window,
    /// `loopdeck run`.
    Terminal,
    /// A node, for another machine of the team.
    Node,
}

impl Program {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Terminal => "terminal",
            Self::Node => "node",
        }
    }

    /// The program with this stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Window, Self::Terminal, Self::Node].into_iter().find(|program| program.name() == name)
    }
}

/// Who holds the lease on a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lease {
    /// This process started the run.
    Ours,
    /// Another live Loopdeck runs it.
    Other,
    /// Nobody, as far as we know.
    #[default]
    None,
}

/// What is known about the agent process of a run of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Process {
    /// Alive.
    Alive {
        /// Time since its last output.
        quiet: TimeDelta,
        /// Whether a first agent event was seen.
        started: bool,
    },
    /// It ended.
    Gone,
    /// There was never one of ours.
    #[default]
    None,
    /// We cannot check.
    CannotTell,
}

/// The report at the end of our newest run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StopReport {
    /// No stop was reported, or everything ended.
    #[default]
    AllGone,
    /// Processes are left.
    Left,
    /// Could not check.
    Unknown,
}

/// Whoever a lock next to the file names, on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Holder {
    /// No lock names anybody, or it can't be checked.
    #[default]
    Unknown,
    /// It lives.
    Alive,
    /// It ended, or its number is another process's now.
    Gone,
}

/// A control request that the agent has not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pending {
    /// Nothing requested.
    #[default]
    None,
    /// Pause requested.
    Pause,
    /// Stop requested.
    Stop,
}

/// The inputs of the shown status.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The file's status.
    pub file: FileStatus,
    /// Who holds the lease.
    pub lease: Lease,
    /// What is known about the process of our newest run.
    pub process: Process,
    /// Time since somebody else last changed the state file or its progress files.
    pub age: TimeDelta,
    /// Up to this age a change counts as fresh; 15 minutes unless configured.
    pub fresh_within: TimeDelta,
    /// A request of ours that is under way.
    pub pending: Pending,
    /// An agent of ours is asking a question.
    pub question: bool,
    /// A provider limit with a known reset time holds the run.
    pub usage_limit: bool,
    /// The report of our last stop.
    pub stop_report: StopReport,
    /// Whether `current_iteration >= max_iterations`.
    pub at_limit: bool,
    /// Time since the final event of the run or the final word in the file.
    pub since_final: TimeDelta,
    /// Completed, but with skipped tests, denials or unjudged criteria.
    pub warnings: bool,
    /// The file has no status of its own: nobody said that it runs.
    pub derived: bool,
    /// The file asks a person for something.
    pub asks: bool,
    /// The process of the file's own lock.
    pub holder: Holder,
}

/// Fifteen minutes: how long a foreign change counts as a sign of life.
pub const FRESH_WITHIN: TimeDelta = TimeDelta::minutes(15);
const QUIET: TimeDelta = TimeDelta::minutes(5);
const LONG_QUIET: TimeDelta = TimeDelta::minutes(15);
const FINISHING: TimeDelta = TimeDelta::seconds(10);

impl Facts {
    /// Facts of a loop that none of our agents works on: the file, its age, and whether its limit is reached.
    #[must_use]
    pub fn of_file(file: FileStatus, age: TimeDelta, at_limit: bool) -> Self {
        Self {
            file,
            lease: Lease::None,
            process: Process::None,
            age,
            fresh_within: FRESH_WITHIN,
            pending: Pending::None,
            question: false,
            usage_limit: false,
            stop_report: StopReport::AllGone,
            at_limit,
            since_final: TimeDelta::zero(),
            warnings: false,
            derived: false,
            asks: false,
            holder: Holder::Unknown,
        }
    }
}

/// The status shown for a loop; the rows of the status contract §2 from top to bottom. Words: catalogue
/// `status.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    /// Row 1.
    CannotRead,
    /// Row 2.
    NeedsYou,
    /// Row 3.
    NotFullyStopped,
    /// Row 4.
    Stopping,
    /// Row 5.
    Pausing,
    /// Row 6.
    UsageLimit,
    /// Row 7: quiet for five minutes or more.
    Silent,
    /// Row 8, before the first agent event.
    Starting,
    /// Row 8, after it.
    Running,
    /// Row 9.
    Finishing,
    /// Row 10.
    EndedStillRunning,
    /// Row 11.
    RunningElsewhere,
    /// Row 12.
    LimitReached,
    /// Row 13.
    Interrupted,
    /// Row 14.
    AgentUnknown,
    /// Row 15.
    Failed,
    /// Row 16.
    Paused,
    /// Row 17.
    Stopped,
    /// Row 18.
    LeftByUser,
    /// Row 19, with something to check.
    CompletedWithWarnings,
    /// Row 19.
    Completed,
    /// Row 20.
    NotStarted,
    /// Row 21.
    Unknown,
}

impl StatusWord {
    /// Whether such a loop only has to be viewed once: when its page has been opened after the change, it
    /// moves to the idle group ("until opened" in the table of the status contract §2).
    #[must_use]
    pub fn is_until_opened(self) -> bool {
        matches!(self, Self::LimitReached | Self::Failed)
    }
}

/// The groups of the loop list, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A person should look.
    Attention,
    /// It is being worked on.
    Active,
    /// Waiting for a person, but not urgent.
    Idle,
    /// Done.
    Finished,
}

/// What is known about the agent: the second fact, next to the file's status. Words: catalogue
/// `agent.<fact>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AgentFact {
    /// An agent of ours is alive.
    Ours,
    /// Another Loopdeck runs the loop.
    OtherLoopdeck,
    /// A recent change by a program that is no Loopdeck.
    Elsewhere,
    /// Our agent ended.
    Gone,
    /// No agent known.
    None,
    /// We cannot check.
    CannotTell,
}

/// The shown status with its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Which word.
    pub word: StatusWord,
    /// Its group in the list. *Until opened* rows are Attention here; the window remembers what was opened.
    pub group: Group,
    /// The second fact.
    pub agent: AgentFact,
}

/// The status function of the status contract §2.
#[must_use]
pub fn show(facts: &Facts) -> Shown {
    let word = word(facts);
    Shown { word, group: group(word, facts), agent: agent(facts) }
}

fn word(f: &Facts) -> StatusWord {
    if f.file == FileStatus::Unreadable {
        return StatusWord::CannotRead;
    }
    match (f.lease, f.process) {
        (Lease::Ours, Process::Alive { quiet, started }) => with_our_agent(f, quiet, started),
        // What its agent does is not known here, but that Loopdeck looks after it.
        (Lease::Other, _) => with_our_agent(f, TimeDelta::zero(), true),
        (Lease::Ours, Process::Gone) if f.stop_report != StopReport::AllGone => StatusWord::NotFullyStopped,
        _ => without_our_agent(f),
    }
}

fn with_our_agent(f: &Facts, quiet: TimeDelta, started: bool) -> StatusWord {
    if f.question && f.pending != Pending::Stop {
        return StatusWord::NeedsYou;
    }
    let ended = matches!(
        f.file,
        FileStatus::Completed | FileStatus::Failed | FileStatus::UserExit | FileStatus::LimitReached
    );
    if f.pending == Pending::Stop || f.file == FileStatus::StoppedByUser {
        StatusWord::Stopping
    } else if f.pending == Pending::Pause || f.file == FileStatus::Paused {
        StatusWord::Pausing
    } else if ended {
        if f.since_final <= FINISHING { StatusWord::Finishing } else { StatusWord::EndedStillRunning }
    } else if f.file == FileStatus::Unknown {
        StatusWord::Unknown
    } else if f.usage_limit {
        StatusWord::UsageLimit
    } else if quiet >= QUIET {
        StatusWord::Silent
    } else if started {
        StatusWord::Running
    } else {
        StatusWord::Starting
    }
}

fn without_our_agent(f: &Facts) -> StatusWord {
    if f.asks && matches!(f.file, FileStatus::Running | FileStatus::Paused | FileStatus::NotStarted) {
        return StatusWord::NeedsYou;
    }
    match f.file {
        FileStatus::Running => running_without_our_agent(f),
        FileStatus::Unreadable => StatusWord::CannotRead,
        FileStatus::LimitReached => StatusWord::LimitReached,
        FileStatus::Failed => StatusWord::Failed,
        FileStatus::Paused => StatusWord::Paused,
        FileStatus::StoppedByUser => StatusWord::Stopped,
        FileStatus::UserExit => StatusWord::LeftByUser,
        FileStatus::Completed if f.warnings => StatusWord::CompletedWithWarnings,
        FileStatus::Completed => StatusWord::Completed,
        FileStatus::NotStarted if f.holder == Holder::Alive => StatusWord::RunningElsewhere,
        FileStatus::NotStarted => StatusWord::NotStarted,
        FileStatus::Unknown => StatusWord::Unknown,
    }
}

fn running_without_our_agent(f: &Facts) -> StatusWord {
    if f.usage_limit && f.lease == Lease::Ours {
        StatusWord::UsageLimit
    } else if elsewhere(f) {
        StatusWord::RunningElsewhere
    } else if f.at_limit {
        StatusWord::LimitReached
    } else if f.process == Process::CannotTell {
        StatusWord::AgentUnknown
    } else {
        StatusWord::Interrupted
    }
}

/// Running elsewhere: the process of its lock is alive, or a fresh change that our own ended run cannot explain where no lock tells.
fn elsewhere(f: &Facts) -> bool {
    match f.holder {
        Holder::Alive => true,
        Holder::Gone => false,
        Holder::Unknown => f.lease == Lease::None && f.age <= f.fresh_within,
    }
}

fn group(word: StatusWord, f: &Facts) -> Group {
    use StatusWord as W;
    match word {
        W::Silent if matches!(f.process, Process::Alive { quiet, .. } if quiet >= LONG_QUIET) => {
            Group::Attention
        }
        // A list that is half done and rests is nobody's accident.
        W::Interrupted if f.derived => Group::Idle,
        W::CannotRead
        | W::NeedsYou
        | W::NotFullyStopped
        | W::EndedStillRunning
        | W::LimitReached
        | W::Interrupted
        | W::AgentUnknown
        | W::Failed
        | W::Unknown => Group::Attention,
        W::Stopping
        | W::Pausing
        | W::UsageLimit
        | W::Silent
        | W::Starting
        | W::Running
        | W::Finishing
        | W::RunningElsewhere => Group::Active,
        W::Paused | W::Stopped | W::LeftByUser | W::NotStarted => Group::Idle,
        W::Completed | W::CompletedWithWarnings => Group::Finished,
    }
}

fn agent(f: &Facts) -> AgentFact {
    match (f.lease, f.process) {
        (Lease::Ours, Process::Alive { .. }) => AgentFact::Ours,
        (Lease::Other, _) => AgentFact::OtherLoopdeck,
        _ if f.holder == Holder::Alive && matches!(f.file, FileStatus::NotStarted | FileStatus::Running) => {
            AgentFact::Elsewhere
        }
        (_, Process::CannotTell) => AgentFact::CannotTell,
        (Lease::Ours, _) => AgentFact::Gone,
        _ if f.file == FileStatus::Running && elsewhere(f) => AgentFact::Elsewhere,
        _ => AgentFact::None,
    }
}

#[cfg(test)]
#[path = "status_table.rs"]
mod status_table;
