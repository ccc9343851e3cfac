//! The door to the drivers: what is next for a loop of any format, and what the end of what was started means for it.
//!
//! Pure: the same arguments, the same answer. Each `conclude` gets the file as it is now.

use crate::driver::{AgentTask, ChangedLines, Checked, Ended, Memory, ObservedRun, TestsEnd};
use crate::format::Format;
use crate::formats::aot::drive as aot;
use crate::formats::plan::own;
use crate::referee;
use crate::start::NewTask;
use crate::step::Operation;
use crate::view::{Companion, CompanionKind};

pub use crate::evidence::found_now;
pub use crate::formats::aot::drive::{
    CommandCheck, CommandResult, FileCheck, FileFound, LeftApart, Unmerged, Verification,
};
pub use crate::formats::loop_format::{AgentEnd, KnownFile, LoopConclusion, LoopNext, LoopStep};
pub use crate::referee::note_claims;

/// The next step of a loop as its state file tells it, whatever the files next to it say. It is not to be carried out.
#[must_use]
pub fn next(format: Format, file: KnownFile<'_>, memory: &Memory) -> LoopNext {
    step(format, file, memory, None).next
}

/// The files next to a loop that [`step`] needs.
#[must_use]
pub fn reads(format: Format) -> &'static [CompanionKind] {
    format.rules().driver().reads()
}

/// The next step of a loop, with the files next to it that [`reads`] names.
#[must_use]
pub fn step(format: Format, file: KnownFile<'_>, memory: &Memory, beside: Option<&[Companion]>) -> LoopStep {
    let step = format.rules().driver().step(file, memory, beside);
    // Without the files next to it nothing is carried out.
    match beside {
        Some(beside) => referee::before(step, format, file, memory, beside),
        None => step,
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
    file: KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    if task.is_judge() && !format.traits().has_completion_check {
        return referee::conclude_judge(task, ended, file, memory);
    }
    memory.referee.note_work();
    format.rules().driver().conclude(task, ended, seen, lines, file, memory)
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
    format.rules().driver().check(task, ended, changed, bytes, memory)
}

/// Failed actions that the file does not tell yet, once it can.
#[must_use]
pub fn unwritten(format: Format, file: KnownFile<'_>, memory: &Memory) -> Option<Operation> {
    format.rules().driver().unwritten(file, memory)
}

/// What follows from the end of the tests.
pub fn conclude_tests(
    format: Format,
    ended: TestsEnd,
    file: KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    format.rules().driver().conclude_tests(ended, file, memory)
}

/// What follows when agents and tests that ran in parallel have all ended.
pub fn conclude_parallel(
    format: Format,
    ends: &[AgentEnd<'_>],
    tests: &TestsEnd,
    file: KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    memory.referee.note_work();
    format.rules().driver().conclude_parallel(ends, tests, file, memory)
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
    aot::conclude_taken(taken, bytes, facts, memory).map(|step| Operation::Aot { step })
}

/// What the end of a command of a check means.
pub fn conclude_command(
    format: Format,
    check: &CommandCheck,
    result: &CommandResult<'_>,
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    if !format.traits().has_completion_check {
        return referee::conclude_command(check, result, (bytes, facts), memory);
    }
    aot::conclude_command(check, result, bytes, facts, memory).map(|step| Operation::Aot { step })
}

/// What the files that were looked up mean for the checks.
pub fn conclude_files(
    format: Format,
    found: &[(FileCheck, FileFound)],
    (bytes, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    if !format.traits().has_completion_check {
        return referee::conclude_files(found, (bytes, facts), memory);
    }
    aot::conclude_files(found, bytes, facts, memory).map(|step| Operation::Aot { step })
}

/// Whether checks have begun.
#[must_use]
pub fn is_verifying(memory: &Memory) -> bool {
    memory.aot.verification.is_some() || memory.referee.verification().is_some()
}

/// The checks as far as they ran, for the journal; `None` when none has begun.
#[must_use]
pub fn verification(bytes: &[u8], memory: &Memory) -> Option<Verification> {
    memory.referee.verification().cloned().or_else(|| aot::verification(bytes, memory))
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

/// The command with which the own tool of a plan continues it now; `None` where there is none that Loopdeck runs.
#[must_use]
pub fn own_command(format: Format, file: KnownFile<'_>, beside: &[Companion]) -> Option<Vec<String>> {
    own::command(format, file, beside)
}

/// What takes the tasks that a person planned in the start form into the loop, as INIT would.
#[must_use]
pub fn planned(format: Format, tasks: &[NewTask], memory: &Memory) -> Option<Operation> {
    format.rules().driver().planned(tasks, memory)
}

/// What is written when the driver leaves because the loop is paused.
#[must_use]
pub fn pause_exit(format: Format) -> Option<Operation> {
    format.rules().driver().pause_exit()
}

/// The operation that writes a stop or a pause to the file once nothing runs any longer.
#[must_use]
pub fn end_round(format: Format) -> Option<Operation> {
    format.rules().driver().end_round()
}
