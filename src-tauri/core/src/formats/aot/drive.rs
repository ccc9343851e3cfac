//! "Loopdeck runs" an AoT loop: one coordinator round after the other (AoT contract §5, §9, §11).
//!
//! - A round: atoms in progress without a worker wait again, branches are selected, containers resolved, then
//!   the first `max_parallel_agents` ready atoms are worked on in parallel. When all have ended,
//!   [`Operation::EndRound`] closes the round and writes exactly what the decision says.
//! - With nothing left to do, the completion check runs: before the decision, and also when a stop was
//!   requested. If it passes, the loop is completed. If it fails, each failed check becomes an atom.
//! - [`Memory::aot`] is what the driver remembers. Losing it costs a repeated step, never harm: processed
//!   results are in the file, and a result for an atom that is not in progress is ignored.

mod asked;
mod batch;
mod blocked;
mod children;
pub(crate) mod decide;
mod known;
mod look;
mod matter;
mod probe;
mod round;
mod unmerged;
pub(crate) mod verification;
mod verify;

pub use crate::formats::aot::drive::verification::{
    CheckOutcome, CheckedBy, LeftApart, RoundMemory, UnknownWhy, Unmerged, Verification,
};
pub use batch::{conclude_batch, resolves};
pub use probe::conclude_probe;
pub use unmerged::conclude_taken;
pub use verify::{
    commands_print, conclude_command, conclude_files, conclude_judge, is_current, verification,
};

use super::checklist_of;
use crate::checklist::CommandEnd;
use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::aot::check::validator as checks;
use crate::formats::aot::edit::operation::Operation;
use crate::formats::aot::read::state::{self, Document};
use crate::formats::ccw::driver::{AgentTask, DriverQuestion, EndReason, Ended, Memory, UsedUp};
use crate::phase::LimitKind;
use crate::problem::{Problem, ProblemCode, Severity};
use crate::status::{FileStatus, StatusWord};
use crate::summary::Summary;
use look::Look;

/// What to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run these agents in parallel, then [`conclude_batch`].
    Batch {
        /// Written before they start: one write sets all of them in progress.
        begin: Operation,
        /// One for each atom, in file order; none has a `begin` of its own.
        tasks: Vec<AgentTask<Operation>>,
    },
    /// Run this command, then [`conclude_command`].
    Command(CommandCheck),
    /// Look these files up, then [`conclude_files`]; the list may be empty, which opens the verification.
    Files(Vec<FileCheck>),
    /// Run this judge, then [`conclude_judge`].
    Judge(Box<AgentTask<Operation>>),
    /// Run this read-only agent, then [`conclude_probe`].
    Probe(Box<AgentTask<Operation>>),
    /// Apply the worker's version of these changes, then [`conclude_taken`].
    Take(Box<Unmerged>),
    /// Write this, then ask for the next step.
    Write(Operation),
    /// A person is about to redirect: wait until the file changes.
    Hold,
    /// A person has to decide; [`Memory::reply`] takes the answer.
    Ask(DriverQuestion),
    /// There is nothing left to do.
    End(EndReason),
}

/// A command of the completion check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandCheck {
    /// Its row in the checklist.
    pub row: usize,
    /// Its name, or its value when it has none. Untrusted text.
    pub item: String,
    /// For `sh -c`, in the root of the workspace.
    pub command: String,
    /// It passes when the command fails.
    pub not: bool,
}

/// A file of the completion check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCheck {
    /// Its row in the checklist.
    pub row: usize,
    /// Its name, or its value when it has none. Untrusted text.
    pub item: String,
    /// Path or glob, relative to the root of the workspace.
    pub pattern: String,
    /// It passes when nothing is found.
    pub not: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFound {
    /// These, relative to the root of the workspace.
    Found(Vec<String>),
    /// Nothing.
    Nothing,
    /// The pattern leads out of the workspace: unknown (§11).
    Outside,
    /// Nothing was found, and the folder has more entries than are searched.
    TooMany,
}

/// The result of a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandResult<'a> {
    /// How it ended.
    pub end: CommandEnd,
    /// Its stdout, or the start of it. Untrusted text.
    pub stdout: &'a str,
    /// Its stderr, or the start of it. Untrusted text.
    pub stderr: &'a str,
    /// Milliseconds it took.
    pub took_ms: f64,
}

/// One worker of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchEnd<'a> {
    /// Its task.
    pub task: &'a AgentTask<Operation>,
    /// How it ended.
    pub ended: Ended<'a>,
    /// It worked in its own worktree, and its changes are not in the folder.
    pub left: Option<&'a LeftApart>,
}

/// The next step, and the file after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The step.
    pub next: Next,
    /// For [`Next::Batch`] and [`Next::Write`]: the whole file after the operation. If the file is unchanged,
    /// this can be written as it is, which saves two passes over it.
    pub after: Option<Vec<u8>>,
}

impl From<Next> for Step {
    fn from(next: Next) -> Self {
        Self { next, after: None }
    }
}

/// The next step of the loop in `bytes`. Pure: the same arguments give the same step. Not to be called while
/// agents of a batch are working.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Next {
    step(bytes, facts, memory).next
}

/// Like [`next`], with the file after the step.
#[must_use]
pub fn step(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Step {
    let Ok(document) = state::read(bytes) else { return Next::End(EndReason::Damaged).into() };
    let graph = checks::graph(&document.state);
    let checklist = checklist_of(&document);
    let summary = super::summarise_with(&document, &graph, &checklist, facts);
    if let Err(end) = stand(&summary) {
        return Next::End(end).into();
    }
    if let Some(limit) = memory.used_up {
        return Next::End(EndReason::Limit { limit }).into();
    }
    if let Some(question) = &memory.question {
        return ask(memory, question.clone()).into();
    }
    let cycle = summary.problems.iter().find(|problem| problem.code == ProblemCode::V7_cycle);
    let look = Look { bytes, document: &document, graph: &graph, checklist: &checklist, memory };
    let next = look.choose(cycle.is_some());
    drop(graph);
    tried(bytes, document, &summary.problems, facts, next)
}

/// Whether a driver may act on the loop. A cycle (V7) is not damage: a person can break it while the driver
/// asks.
fn stand(summary: &Summary) -> Result<(), EndReason> {
    let damages = |code| code != ProblemCode::V7_cycle;
    let is_damaged = || {
        let mut problems = summary.problems.iter();
        problems.any(|problem| problem.severity == Severity::Error && damages(problem.code))
    };
    match summary.status {
        FileStatus::Running if is_damaged() => Err(EndReason::Damaged),
        FileStatus::Running => Ok(()),
        FileStatus::NotStarted => Err(EndReason::NotStarted),
        FileStatus::Paused => Err(EndReason::Paused),
        FileStatus::StoppedByUser => Err(EndReason::Stopped),
        FileStatus::Completed => Err(EndReason::Completed),
        FileStatus::LimitReached => Err(match summary.limit {
            Some(LimitKind::Stalls) => EndReason::Limit { limit: UsedUp::Stalls },
            Some(LimitKind::Alternatives) => EndReason::Limit { limit: UsedUp::Choices },
            Some(LimitKind::Iterations) => EndReason::Limit { limit: UsedUp::Iterations },
            _ => EndReason::Stopped,
        }),
        FileStatus::Failed | FileStatus::UserExit | FileStatus::Unknown | FileStatus::Unreadable => {
            Err(EndReason::Damaged)
        }
    }
}

fn ask(memory: &Memory, question: DriverQuestion) -> Next {
    match memory.asks(question) {
        Ok(question) => Next::Ask(question),
        Err(end) => Next::End(end),
    }
}

/// The situation in which the driver writes.
fn situation(facts: &FileFacts<'_>) -> Situation {
    Situation { shown: StatusWord::Running, now: facts.now }
}

/// The step, provided its operation fits the file it was chosen for.
fn tried(
    bytes: &[u8],
    document: Document<'_>,
    problems: &[Problem],
    facts: &FileFacts<'_>,
    next: Next,
) -> Step {
    let operation = match &next {
        Next::Batch { begin, .. } => begin,
        Next::Write(operation) => operation,
        _ => return next.into(),
    };
    let look = |after: &[u8], _: &Document<'_>| after.to_vec();
    match super::operate_on(bytes, document, problems, operation, &situation(facts), look) {
        Ok((_, after)) => Step { next, after: Some(after) },
        Err(refusal) => Next::End(EndReason::Refused { refusal }).into(),
    }
}
