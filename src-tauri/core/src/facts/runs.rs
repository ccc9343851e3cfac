//! What the runs of a loop add up to. Only the journal of Loopdeck knows; the state says nothing of it.

use crate::driver::ChangedLines;
use serde::Serialize;
use specta::Type;

/// What the runs of a loop add up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RunFacts {
    /// How many.
    pub runs: u32,
    /// Actions that agents were not allowed.
    pub denied: u32,
    /// How often a person raised its limit.
    pub limits_raised: u32,
    /// Tokens; `None` when no run says.
    pub tokens: Option<f64>,
    /// USD; `None` when no run says.
    pub cost_usd: Option<f64>,
    /// Milliseconds at work, of all runs together.
    #[specta(type = u32)] // a finite number in TypeScript
    pub worked_ms: f64,
    /// Start of the first, ms since 1970 UTC.
    pub started: Option<f64>,
    /// End of the last, ms since 1970 UTC; `None` while it runs.
    pub ended: Option<f64>,
    /// Names of the agents, in the order of their first run.
    pub agents: Vec<String>,
    /// By action, in the order of their first run.
    pub actions: Vec<ActionCost>,
    /// Runs that changed files in a repository, oldest first: the newest 200.
    pub changes: Vec<RunChange>,
}

/// What one run changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RunChange {
    /// Names the run in every command.
    pub run: String,
    /// `develop`, `debug`, `atom`, …
    pub action: String,
    /// The task or the atom that it worked on.
    pub task: Option<String>,
    /// Iteration of the loop that it belongs to, from 1.
    pub iteration: u32,
    /// How many files.
    pub files: u32,
    /// Lines of those that were counted.
    pub lines: ChangedLines,
}

/// What the runs of one action add up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ActionCost {
    /// `develop`, `debug`, `atom`, …
    pub action: String,
    /// How many runs.
    pub runs: u32,
    /// Milliseconds at work.
    #[specta(type = u32)] // a finite number in TypeScript
    pub worked_ms: f64,
    /// Tokens; `None` when no run says.
    pub tokens: Option<f64>,
    /// USD; `None` when no run says.
    pub cost_usd: Option<f64>,
    /// Lines that these runs changed; `None` when that of none is known.
    pub lines: Option<ChangedLines>,
}
