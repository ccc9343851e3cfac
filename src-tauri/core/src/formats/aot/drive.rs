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
mod judge;
mod known;
mod look;
mod probe;
mod prompt_context;
mod round;
mod unmerged;
pub(crate) mod verification;
mod verify;

pub use crate::checklist::{
    CheckOutcome, CheckedBy, CommandCheck, CommandResult, FileCheck, FileFound, UnknownWhy, Verification,
    add_results,
};
pub use crate::formats::aot::drive::verification::{LeftApart, RoundMemory, Unmerged};
pub use batch::{conclude_batch, resolves};
pub use judge::conclude_judge;
pub(super) use look::print_of;
pub use probe::conclude_probe;
pub use unmerged::conclude_taken;
pub use verify::{commands_print, conclude_command, conclude_files, is_current, verification, verified};

use super::checklist_of;
use crate::control::Situation;
use crate::driver::{self, Action, AgentTask, EndReason, Ended, Memory, UsedUp};
use crate::format::FileFacts;
use crate::formats::aot::check::validator;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state::{self, Document};
use crate::phase::LimitKind;
use crate::problem::{Problem, ProblemCode, Severity};
use crate::status::{FileStatus, StatusWord};
use crate::summary::Summary;
use look::AotView;

/// What to do now: `Batch`, `Command`, `Files`, `Take`, `Write`, `Hold`, `Ask`, `End`, or `Agent` for a judge or a probe, which
/// write nothing before they start; then the `conclude_` function of the same name.
pub type AotNext = driver::Next<AotOperation>;
/// The next step, with the file after [`AotNext::Batch`] and [`AotNext::Write`].
pub type AotStep = driver::Step<AotOperation>;

/// One worker of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchEnd<'a> {
    /// What it was asked to do.
    pub task: &'a AgentTask,
    /// How it ended.
    pub ended: Ended<'a>,
    /// It worked in its own worktree, and its changes are not in the folder.
    pub left: Option<&'a LeftApart>,
}

/// What follows from the end of an agent that ran alone, by what it was asked to do.
pub fn conclude(
    task: &AgentTask,
    ended: &Ended<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> driver::Conclusion<AotOperation> {
    match task.action {
        Action::Judge { .. } => conclude_judge(task, ended, bytes, facts, memory),
        Action::Probe { .. } => conclude_probe(task, ended, bytes, facts, memory),
        _ => conclude_batch(&[BatchEnd { task, ended: *ended, left: None }], bytes, facts, memory),
    }
}

/// The next step of the loop in `bytes`. Pure: the same arguments give the same step. Not to be called while
/// agents of a batch are working.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> AotNext {
    step(bytes, facts, memory).next
}

/// Like [`next`], with the file after the step.
#[must_use]
pub fn step(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> AotStep {
    let Ok(document) = state::read(bytes) else { return AotNext::End(EndReason::Damaged).into() };
    let graph = validator::graph(&document.state);
    let checklist = checklist_of(&document);
    let summary = super::summarise_with(&document, &graph, &checklist, facts);
    if let Err(end) = check_drivable(&summary) {
        return AotNext::End(end).into();
    }
    if let Some(limit) = memory.used_up {
        return AotNext::End(EndReason::Limit { limit }).into();
    }
    if let Some(question) = &memory.question {
        return AotNext::ask(memory, question.clone()).into();
    }
    let cycle = summary.problems.iter().find(|problem| problem.code == ProblemCode::V7_cycle);
    let look = AotView { bytes, document: &document, graph: &graph, checklist: &checklist, memory };
    let next = look.choose(cycle.is_some());
    drop(graph);
    tried(bytes, document, &summary.problems, facts, next)
}

/// Whether a driver may act on the loop. A cycle (V7) is not damage: a person can break it while the driver
/// asks.
fn check_drivable(summary: &Summary) -> Result<(), EndReason> {
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

/// The same for the results of workers: another tool may have ended the loop while they were working (§6).
fn check_at_end(summary: &Summary) -> Result<(), EndReason> {
    match check_drivable(summary) {
        Err(EndReason::Paused | EndReason::Stopped | EndReason::Completed | EndReason::Limit { .. }) => {
            Ok(())
        }
        other => other,
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
    next: AotNext,
) -> AotStep {
    let Some(operation) = next.operation() else { return next.into() };
    let look = |after: &[u8], _: &Document<'_>| after.to_vec();
    match super::operate_on(bytes, document, problems, operation, &situation(facts), look) {
        Ok((_, after)) => AotStep { next, after: Some(after) },
        Err(refusal) => AotNext::End(EndReason::Refused { refusal }).into(),
    }
}
