//! Runs of a loop: what the list shows of them, each of them, and what a stop left.

use crate::changes::ChangeTotals;
use crate::run::Run;
use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::Checked;
use loopdeck_core::times::Timestamp;
use loopdeck_results::unread::UnreadReport;
use serde::{Deserialize, Serialize};
use specta::Type;

/// What the list shows of the work of ours on a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopRun {
    /// Display name of the agent.
    pub agent: String,
    /// What it may do.
    pub level: Option<Level>,
    /// Whether a process of ours is alive, or about to be.
    pub alive: bool,
    /// The present action: `init`, `develop`, `debug`, `validate`, `complete`, `skill`.
    pub action: Option<String>,
    /// Last output, ms since 1970 UTC.
    pub last_output: Option<f64>,
    /// Money spent on this loop by our runs, in US dollars; `None` when no run reported any.
    pub cost_usd: Option<f64>,
    /// Tokens of all kinds of our runs on this loop; `None` when no run reported any.
    pub tokens: Option<f64>,
    /// What the last stop left behind.
    pub stop: Option<StopView>,
    /// Open questions of this loop.
    pub needs: u32,
    /// Processes that work on it now.
    pub workers: Vec<WorkerNow>,
}

/// A process that works on a loop now.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkerNow {
    /// Its run.
    pub run: String,
    /// `develop`, `atom`, `validate`, …
    pub action: String,
    /// Id of the task or atom that it works on.
    pub task: Option<String>,
    /// ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub started: f64,
    /// Its last output, ms since 1970 UTC.
    pub last_output: Option<f64>,
    /// The last line that it said, at most 160 characters. Untrusted text.
    pub line: String,
}

/// One process that Loopdeck started for a loop, as windows and scripts see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
#[serde(rename = "RunRow")]
pub struct RunView {
    /// Names it in every command.
    pub id: String,
    /// `init`, `develop`, `debug`, `validate` (the test command), `complete`, `skill`, or a worker's action.
    pub action: String,
    /// The task it works on.
    pub task: Option<String>,
    /// Iteration of the loop that it belongs to, from 1.
    pub iteration: u32,
    /// Display name of the agent; empty for a test command.
    pub agent: String,
    /// The agent as a plan names it; empty for a test command, and of runs that an earlier version kept.
    pub agent_id: String,
    /// What it may do; `None` for the shell, a test command, and runs that an earlier version kept.
    pub level: Option<Level>,
    /// The git worktree in which it worked apart from others; `None` when it worked in the folder.
    pub worktree: Option<String>,
    /// Model as the agent reported it.
    pub model: Option<String>,
    /// ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub started: f64,
    /// ms since 1970 UTC; `None` while it lasts.
    pub ended: Option<f64>,
    /// Its outcome, once known; of a run that another version of Loopdeck kept, a word of its own is `unknown`.
    pub outcome: Option<Outcome>,
    /// What the agent itself said of its end, or a command last on standard error. Untrusted text.
    pub message: Option<String>,
    /// Actions that were not allowed; `None` while it lasts, and for agents that do not report them.
    pub denied: Option<u32>,
    /// Tokens of all kinds, where reported.
    pub tokens: Option<f64>,
    /// US dollars, where reported.
    pub cost_usd: Option<f64>,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// The exact command line.
    pub argv: Vec<String>,
    /// Folder it ran in, for display.
    pub folder: String,
    /// Names of the variables that were added to its environment.
    pub environment: Vec<String>,
    /// Conversation of the agent.
    pub session: Option<String>,
    /// The conversation that it was to continue; `None` for a new one.
    pub resumed: Option<Resumed>,
    /// Process number.
    pub pid: Option<u32>,
    /// How it was ended, when it was.
    pub stop: Option<StopView>,
    /// It ended without being stopped, and its result is not in the loop's file yet: no Loopdeck was there, or its round continues.
    pub unconcluded: bool,
    /// How many rows of output.
    pub rows: u32,
    /// The raw output on disk, for display.
    pub log: String,
    /// What it changed in the files of its folder; `None` when that is not known, or others worked in the folder at the same time.
    pub changes: Option<ChangeTotals>,
    /// What the disk says, where that differs from what the agent says.
    pub checked: Option<Checked>,
    /// Of a test command: reports that were found and not read, or not to their end.
    pub unread: Vec<UnreadReport>,
}

impl RunView {
    /// Of a run whose raw output is at `log`.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
    pub fn new(run: Run, log: String) -> Self {
        Self {
            id: run.id,
            action: run.action.word().to_owned(),
            task: run.task,
            iteration: run.iteration,
            agent: run.agent,
            agent_id: run.agent_id,
            level: run.level,
            worktree: run.worktree,
            model: run.model,
            started: run.started.number(),
            ended: run.ended.map(Timestamp::number),
            outcome: run.outcome,
            message: run.message,
            denied: run.denied,
            tokens: run.tokens.map(|tokens| tokens as f64),
            cost_usd: run.cost_usd,
            exit_code: run.exit_code,
            argv: run.argv,
            folder: run.folder,
            environment: run.environment,
            session: run.session,
            resumed: run.resumed,
            pid: run.pid,
            stop: run.stop,
            unconcluded: run.unconcluded,
            rows: run.rows,
            log,
            changes: run.changes,
            checked: run.checked,
            unread: run.unread,
        }
    }
}

/// A conversation that was cut off, and what became of it. Words: catalogue `note.<how>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Resumed {
    /// The run continues it.
    GoesOn {
        /// Its id.
        session: String,
    },
    /// The agent no longer knew it, so the run started a new one.
    BeganAnew {
        /// Id of the old one.
        session: String,
    },
}

impl Resumed {
    /// The conversation that the run continues.
    #[must_use]
    pub fn goes_on(&self) -> Option<&str> {
        if let Resumed::GoesOn { session } = self { Some(session) } else { None }
    }

    /// The note that the run's output begins with: its name and what it tells.
    pub fn first_note(&self) -> (&'static str, &str) {
        match self {
            Resumed::GoesOn { session } => ("goes_on", session),
            Resumed::BeganAnew { session } => ("began_anew", session),
        }
    }
}

/// What a stop ended and what it left. Words: catalogue `stop.<result>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum StopView {
    /// Nothing is left.
    AllGone {
        /// How many processes ended.
        ended: u32,
    },
    /// Some are.
    Left {
        /// How many ended.
        ended: u32,
        /// Number and name of each that is left.
        processes: Vec<LeftProcessView>,
    },
    /// Unknown.
    Unknown {
        /// Why.
        why: String,
    },
}

/// A process that would not end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LeftProcessView {
    /// Number.
    pub pid: u32,
    /// Name.
    pub name: String,
}

impl From<&crate::runs::LeftProcess> for LeftProcessView {
    fn from(left: &crate::runs::LeftProcess) -> Self {
        Self { pid: left.pid, name: left.name.clone() }
    }
}
