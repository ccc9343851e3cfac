//! What runs and our threads report to the owner.

use super::run_event::RunEvent;
use super::worktrees::{Batch, Settled, Worktree};
use crate::runs::StopReport;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{FileCheck, FileFound};
use loopdeck_system::failure::Failure;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Something that happened to work of ours.
#[derive(Debug)]
pub enum ExecutionEvent {
    /// A run said something.
    Run(LoopId, String, RunEvent),
    /// What a stop had left was ended, as far as it would.
    LeftEnded(LoopId, Vec<PathBuf>, Vec<StopReport>),
    /// A loop that was left between two actions can continue: the environment for its agents is known.
    GoOn(LoopId),
    /// What the file checks of an AoT loop found.
    FilesFound(LoopId, Vec<(FileCheck, FileFound)>),
    /// What was found of a loop was added to its evidence, under this name; or why that is not whole.
    EvidenceAdded(LoopId, String, Option<Failure>),
    /// Worktrees of the workers of a round, or why there are none.
    WorktreesCreated(LoopId, u32, Box<Batch>, Result<BTreeMap<String, Worktree>, Failure>),
    /// What became of the work that was done apart, by run.
    WorktreesMerged(LoopId, Vec<(String, Settled)>),
    /// The worker's version was taken, or why not.
    UnmergedTaken(LoopId, Result<(), String>),
    /// References of work that was found in worktrees of a round that was cut off.
    LeftWorktreesKept(LoopId, Vec<String>),
}

/// Where our threads report. The owner may be gone; then the report is dropped.
#[derive(Clone)]
pub struct Inbox(Arc<dyn Fn(ExecutionEvent) + Send + Sync>);

impl Inbox {
    /// Tells by `tell`.
    pub fn new(tell: impl Fn(ExecutionEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn send(&self, event: ExecutionEvent) {
        (self.0)(event);
    }
}
