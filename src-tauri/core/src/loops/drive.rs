//! The door to the drivers: what is next for a loop of any format, and what the end of what was started means for it.
//!
//! Pure: the same arguments, the same answer. Each `conclude` gets the file as it is now.

use crate::driver::{
    self, AgentTask, ChangedLines, Checked, EndReason, Ended, Memory, ObservedRun, TestsEnd,
};
use crate::format::{FileFacts, Format};
use crate::formats::aot::AotOperation as Aot;
use crate::formats::aot::drive as aot;
use crate::formats::ccw_v2::drive as v2;
use crate::formats::ccw_v2::operation::LoopV2Operation as V2;
use crate::formats::loop_b::drive as b;
use crate::formats::ralph::drive as ralph;
use crate::start::{self, NewTask};
use crate::step::Operation;
use crate::view::{Companion, CompanionKind};

pub use crate::formats::aot::drive::{
    CommandCheck, CommandResult, FileCheck, FileFound, LeftApart, Unmerged, Verification,
};

/// What to do now.
pub type LoopNext = driver::Next<Operation>;
/// The same, with the file that it leaves where that is known.
pub type LoopStep = driver::Step<Operation>;
/// What follows from an end.
pub type LoopConclusion = driver::Conclusion<Operation>;
/// A state file and what is known of it.
pub type KnownFile<'f> = (&'f [u8], &'f FileFacts<'f>);

/// One of the agents that ran in parallel.
#[derive(Clone, Copy, Debug)]
pub struct AgentEnd<'e> {
    /// What it was asked to do.
    pub task: &'e AgentTask,
    /// How it ended.
    pub ended: Ended<'e>,
    /// Files that were seen to change, where that can be told.
    pub changed: Option<&'e [String]>,
    /// Its changes that are not in the folder.
    pub left: Option<&'e LeftApart>,
}

impl<'e> AgentEnd<'e> {
    fn of_parallel(&self) -> b::ParallelEnd<'e> {
        b::ParallelEnd { task: self.task, ended: self.ended, seen: self.changed }
    }

    fn of_batch(&self) -> aot::BatchEnd<'e> {
        aot::BatchEnd { task: self.task, ended: self.ended, left: self.left }
    }
}

/// The next step of a loop as its state file tells it, whatever the files next to it say. It is not to be carried out.
#[must_use]
pub fn next(format: Format, file: KnownFile<'_>, memory: &Memory) -> LoopNext {
    step(format, file, memory, None).next
}

/// The files next to a loop that [`step`] needs.
#[must_use]
pub fn reads(format: Format) -> &'static [CompanionKind] {
    match format {
        Format::LoopV2 => &[CompanionKind::TaskList],
        Format::Ralph => &[CompanionKind::Prompt],
        Format::LoopB | Format::Aot | Format::V1 | Format::Legacy | Format::Unknown => &[],
    }
}

/// The next step of a loop, with the files next to it that [`reads`] names.
#[must_use]
pub fn step(
    format: Format,
    (bytes, facts): KnownFile<'_>,
    memory: &Memory,
    beside: Option<&[Companion]>,
) -> LoopStep {
    match format {
        Format::LoopV2 => {
            let listed = v2::listed::listed(beside.unwrap_or_default());
            v2::next_with_tasks(bytes, facts, memory, &listed).map(Operation::v2).into()
        }
        Format::LoopB => b::next(bytes, facts, memory).map(Operation::b).into(),
        Format::Aot => aot::step(bytes, facts, memory).map(Operation::aot),
        Format::Ralph => ralph::next(bytes, facts, memory, beside).map(Operation::ralph).into(),
        Format::V1 | Format::Legacy | Format::Unknown => LoopNext::End(EndReason::NotOurs).into(),
    }
}

/// What follows from the end of an agent that ran alone. `lines`: how many lines changed in the files that `seen` names, where
/// they could be counted.
pub fn conclude(
    format: Format,
    task: &AgentTask,
    ended: &Ended<'_>,
    seen: ObservedRun<'_>,
    lines: Option<ChangedLines>,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    match format {
        Format::LoopV2 => v2::conclude(task, ended, seen, bytes, facts, memory).map(Operation::v2),
        Format::LoopB => {
            b::conclude(task, ended, seen.changed, lines, bytes, facts, memory).map(Operation::b)
        }
        Format::Aot => aot::conclude(task, ended, bytes, facts, memory).map(Operation::aot),
        Format::Ralph => ralph::conclude(task, ended, memory).map(Operation::ralph),
        Format::V1 | Format::Legacy | Format::Unknown => LoopConclusion::End(EndReason::NotOurs),
    }
}

/// What of an answer the disk does not bear out; to be asked before [`conclude`].
#[must_use]
pub fn check(
    format: Format,
    task: &AgentTask,
    ended: &Ended<'_>,
    changed: Option<&[String]>,
    bytes: &[u8],
    memory: &Memory,
) -> Checked {
    match format {
        Format::LoopV2 => v2::check(task, ended, changed, bytes, memory),
        Format::LoopB => b::check(task, ended, changed, memory),
        Format::Aot | Format::Ralph | Format::V1 | Format::Legacy | Format::Unknown => Checked::default(),
    }
}

/// Failed actions that the file does not tell yet, once it can.
#[must_use]
pub fn unwritten(format: Format, (bytes, facts): KnownFile<'_>, memory: &Memory) -> Option<Operation> {
    match format {
        Format::LoopV2 => v2::unwritten(bytes, facts, memory).map(Operation::v2),
        Format::LoopB | Format::Aot | Format::Ralph | Format::V1 | Format::Legacy | Format::Unknown => None,
    }
}

/// What follows from the end of the tests.
pub fn conclude_tests(
    format: Format,
    ended: TestsEnd,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    match format {
        Format::LoopV2 => v2::conclude_tests(ended, bytes, facts, memory).map(Operation::v2),
        Format::LoopB => b::conclude_tests(ended, bytes, facts, memory).map(Operation::b),
        Format::Aot | Format::Ralph | Format::V1 | Format::Legacy | Format::Unknown => {
            LoopConclusion::End(EndReason::NotOurs)
        }
    }
}

/// What follows when agents and tests that ran in parallel have all ended.
pub fn conclude_parallel(
    format: Format,
    ends: &[AgentEnd<'_>],
    tests: &TestsEnd,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    match format {
        Format::LoopB => {
            let ends: Vec<_> = ends.iter().map(AgentEnd::of_parallel).collect();
            b::conclude_parallel(&ends, tests, bytes, facts, memory).map(Operation::b)
        }
        Format::Aot => {
            let ends: Vec<_> = ends.iter().map(AgentEnd::of_batch).collect();
            aot::conclude_batch(&ends, bytes, facts, memory).map(Operation::aot)
        }
        Format::LoopV2 | Format::Ralph | Format::V1 | Format::Legacy | Format::Unknown => {
            LoopConclusion::End(EndReason::NotOurs)
        }
    }
}

/// Whether a worker on an atom says that it did it: only then its changes are merged.
#[must_use]
pub fn resolves(task: &AgentTask, ended: Ended<'_>) -> bool {
    task.is_worker_on_atom() && aot::resolves(&aot::BatchEnd { task, ended, left: None })
}

/// What follows when the worker's version was taken, or could not be.
pub fn conclude_taken(
    taken: Result<(), &str>,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    aot::conclude_taken(taken, bytes, facts, memory).map(Operation::aot)
}

/// What the end of a command of the completion check means.
pub fn conclude_command(
    check: &CommandCheck,
    result: &CommandResult<'_>,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    aot::conclude_command(check, result, bytes, facts, memory).map(Operation::aot)
}

/// What the files that were looked up mean for the completion check.
pub fn conclude_files(
    found: &[(FileCheck, FileFound)],
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    aot::conclude_files(found, bytes, facts, memory).map(Operation::aot)
}

/// Whether the completion check has begun.
#[must_use]
pub fn is_verifying(memory: &Memory) -> bool {
    memory.aot.verification.is_some()
}

/// The completion check as far as it ran, for the journal; `None` when none has begun.
#[must_use]
pub fn verification(bytes: &[u8], memory: &Memory) -> Option<Verification> {
    aot::verification(bytes, memory)
}

/// Whether a person who starts a loop agrees to the commands of its completion check by that: once.
#[must_use]
pub fn wants_agreement(format: Format, memory: &Memory) -> bool {
    format.traits().has_completion_check && memory.aot.agreed_commands.is_none()
}

/// A person agrees to the commands of the completion check as they are in the file.
pub fn agree_to_commands(bytes: &[u8], memory: &mut Memory) {
    memory.aot.agreed_commands = aot::commands_print(bytes);
}

/// What takes the tasks that a person planned in the start form into the loop, as INIT would.
#[must_use]
pub fn planned(format: Format, tasks: &[NewTask], memory: &Memory) -> Option<Operation> {
    let policy = &memory.policy;
    let is_taken = format.traits().takes_up_tasks && !tasks.is_empty();
    is_taken.then(|| {
        let tasks = start::planned(tasks, &policy.tool);
        Operation::v2(V2::Init { mode: policy.mode, tasks })
    })
}

/// What is written when the driver leaves because the loop is paused.
#[must_use]
pub fn pause_exit(format: Format) -> Option<Operation> {
    matches!(format, Format::LoopV2).then(|| Operation::v2(V2::PauseExit))
}

/// The operation that writes a stop or a pause to the file once nothing runs any longer.
#[must_use]
pub fn end_round(format: Format) -> Option<Operation> {
    format.works_in_rounds().then(|| Operation::aot(Aot::EndRound))
}
