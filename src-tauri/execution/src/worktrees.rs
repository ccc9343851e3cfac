//! Where the workers of a round work apart, and what became of it.

use loopdeck_core::driver::AgentTask;
use loopdeck_core::loops::drive::LeftApart;
use loopdeck_core::step::Operation;
use std::path::PathBuf;

/// Where a worker works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The top of the worktree.
    pub(crate) top: PathBuf,
    /// The workspace in it.
    pub(crate) folder: PathBuf,
}

/// A round that begins when its worktrees are there.
#[derive(Debug)]
pub struct Batch {
    pub(crate) begin: Operation,
    pub(crate) tasks: Vec<AgentTask>,
}

/// What became of what a worker did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is in the folder, or nothing was done.
    Merged,
    /// It is not.
    Left(LeftApart),
}
