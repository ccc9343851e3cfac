//! What Loopdeck asks of a format. A folder below `formats` answers it; what it leaves out is the same for all formats that are
//! only shown, are not driven, or are not created here.
//!
//! Pure: the same bytes and times, the same answer.

use crate::control::{Control, EffectCode, Intent, Situation, Standing, Verb};
use crate::driver::{
    AgentTask, ChangedLines, Checked, Conclusion, EndReason, Ended, Memory, Next, ObservedRun, Step, TestsEnd,
};
use crate::format::{FileFacts, Traits};
use crate::formats::aot::drive::verification::LeftApart;
use crate::formats::aot::{Correction, Effects};
use crate::formats::ccw::recover::{OwnBytes, Provenance, Recovery};
use crate::forms::Bounds;
use crate::lineage::Version;
use crate::outcome::FileChanges;
use crate::problem::Severity;
use crate::recovery::remains::{ProposalSource, Remains};
use crate::recovery::supplied::SuppliedFields;
use crate::refusal::{Refusal, RefusalCode};
use crate::start::NewTask;
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::view::{Companion, CompanionKind, LoopDetail, TestRow};
use loopdeck_text::text_edit::TextEdit;
use std::collections::BTreeMap;
use std::ops::Range;

/// A state file and what is known of it.
pub type KnownFile<'f> = (&'f [u8], &'f FileFacts<'f>);
/// What to do now.
pub type LoopNext = Next<Operation>;
/// The same, with the file that it leaves where that is known.
pub type LoopStep = Step<Operation>;
/// What follows from an end.
pub type LoopConclusion = Conclusion<Operation>;

/// Which of so many test runs are wanted.
pub(crate) type WantedRuns<'w> = &'w dyn Fn(usize) -> Range<usize>;

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

/// A kind of loop file.
pub(crate) trait LoopFormat: Sync {
    /// What sets it apart for those that run its loops, or show them.
    fn traits(&self) -> Traits {
        Traits::SHOWN
    }

    /// What a list shows of a whole file of this format, wherever it is; `None` when it is none.
    fn summary(&self, file: KnownFile<'_>) -> Option<Summary>;

    /// The full read; problems included.
    fn detail(&self, file: KnownFile<'_>, situation: &Situation, beside: &[Companion]) -> LoopDetail;

    /// Single tests of the wanted runs, oldest run first.
    fn test_runs(&self, _bytes: &[u8], _beside: &[Companion], _wanted: WantedRuns<'_>) -> Vec<Vec<TestRow>> {
        Vec::new()
    }

    /// The part of the full read for the work graph; `None` when there is none that is followed.
    fn graph_part(&self, _bytes: &[u8]) -> Option<LoopDetail> {
        None
    }

    /// What in a version matters for where it comes from; `None` when it is not complete, or requests change nothing.
    fn version(&self, _bytes: &[u8]) -> Option<Version> {
        None
    }

    /// Why `verb` is not legal now; `None` when it is.
    fn refuse(&self, _summary: &Summary, verb: Verb, _situation: &Situation) -> Option<Refusal> {
        (verb != Verb::Delete).then(read_only)
    }

    /// Verbs with their sentences and reasons.
    fn controls(&self, summary: &Summary, _facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        vec![delete_control(self.refuse(summary, Verb::Delete, situation))]
    }

    /// Whether a guarded verb still holds in the current file.
    fn request_standing(&self, _summary: &Summary, _verb: Verb) -> Standing {
        Standing::Answered
    }

    /// How many iterations a loop may have.
    fn iterations(&self) -> Bounds {
        Bounds { least: 1, most: 100 }
    }

    /// The text edits that carry out a verb, or an edit of what is said about the loop.
    ///
    /// # Errors
    /// A refusal when it is illegal for this state or cannot be written safely.
    fn edit(
        &self,
        _file: KnownFile<'_>,
        _intent: &Intent,
        _situation: &Situation,
    ) -> Result<Vec<TextEdit>, Refusal> {
        Err(read_only())
    }

    /// The text edits and files that carry out a verb, or an edit of what is said about the loop. `beside`: what its row is read from.
    ///
    /// # Errors
    /// Like [`LoopFormat::edit`].
    fn request(
        &self,
        file: KnownFile<'_>,
        intent: &Intent,
        situation: &Situation,
        _beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        self.edit(file, intent, situation).map(FileChanges::from)
    }

    /// The text edits and files that carry out a step.
    ///
    /// # Errors
    /// Like [`LoopFormat::edit`]; also when it is a step of another format.
    fn operate(
        &self,
        _file: KnownFile<'_>,
        _operation: &Operation,
        _situation: &Situation,
        _beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        Err(Refusal::new(RefusalCode::NotInFormat))
    }

    /// The text edits of a repair. `beside`: what its row is read from.
    ///
    /// # Errors
    /// Like [`LoopFormat::edit`]; also when there is nothing to repair.
    fn repair(
        &self,
        _file: KnownFile<'_>,
        _code: RepairCode,
        _situation: &Situation,
        _beside: &[Companion],
    ) -> Result<Vec<TextEdit>, Refusal> {
        Err(read_only())
    }

    /// What a change of direction would do to the loop (the AoT contract §7).
    ///
    /// # Errors
    /// The refusal that the change itself would get.
    fn effects(&self, _file: KnownFile<'_>, _change: &Correction) -> Result<Effects, Refusal> {
        Err(Refusal::new(RefusalCode::NotInFormat))
    }

    /// Replacements for a damaged file, most complete first.
    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        let good = remains.last_good.and_then(|bytes| self.last_good(bytes, facts));
        good.map(|recovery| (ProposalSource::LastGood, recovery)).into_iter().collect()
    }

    /// All remains of a damaged file merged, in formats that can be rebuilt.
    fn rebuild(
        &self,
        _own: OwnBytes<'_>,
        _remains: &Remains<'_>,
        _facts: &FileFacts<'_>,
    ) -> Option<Recovery> {
        None
    }

    /// The fields that a person can enter over a proposal; `None` where there are none.
    fn supplied_fields(&self) -> Option<SuppliedFields> {
        None
    }

    /// The last good version byte for byte, when it still reads without errors.
    fn last_good(&self, bytes: &[u8], facts: &FileFacts<'_>) -> Option<Recovery> {
        let summary = self.summary((bytes, facts))?;
        let is_good = summary.problems.iter().all(|problem| problem.severity != Severity::Error);
        let provenance = vec![Provenance { path: String::new(), source: "last_good" }];
        let text = std::str::from_utf8(bytes).ok().filter(|_| is_good)?.to_owned();
        Some(Recovery { text, provenance, ..Recovery::default() })
    }

    /// What drives its loops; the default ends at once.
    fn driver(&'static self) -> &'static dyn LoopDriver {
        &NotDriven
    }
}

/// What is next for a loop, and what the end of what was started means for it. Each `conclude` gets the file as it is now.
pub(crate) trait LoopDriver: Sync {
    /// The files next to a loop that [`LoopDriver::step`] needs.
    fn reads(&self) -> &'static [CompanionKind] {
        &[]
    }

    /// The next step. `beside` is `None` when the files next to the loop weren't looked for; such a step is not to be carried out.
    fn step(&self, _file: KnownFile<'_>, _memory: &Memory, _beside: Option<&[Companion]>) -> LoopStep {
        LoopNext::End(EndReason::NotOurs).into()
    }

    /// The next step of a loop whose work is called done although a check fails; [`Memory`]'s referee knows which. `None`: a person
    /// decides.
    fn send_back(&self, _file: KnownFile<'_>, _memory: &Memory, _beside: &[Companion]) -> Option<LoopNext> {
        None
    }

    /// What follows from the end of an agent that ran alone. `lines`: how many lines changed in the files that `seen` names, where
    /// they could be counted.
    fn conclude(
        &self,
        _task: &AgentTask,
        _ended: &Ended<'_>,
        _seen: ObservedRun<'_>,
        _lines: Option<ChangedLines>,
        _file: KnownFile<'_>,
        _memory: &mut Memory,
    ) -> LoopConclusion {
        LoopConclusion::End(EndReason::NotOurs)
    }

    /// What of an answer the disk does not bear out; to be asked before [`LoopDriver::conclude`].
    fn check(
        &self,
        _task: &AgentTask,
        _ended: &Ended<'_>,
        _changed: Option<&[String]>,
        _bytes: &[u8],
        _memory: &Memory,
    ) -> Checked {
        Checked::default()
    }

    /// Failed actions that the file does not tell yet, once it can.
    fn unwritten(&self, _file: KnownFile<'_>, _memory: &Memory) -> Option<Operation> {
        None
    }

    /// What follows from the end of the tests.
    fn conclude_tests(&self, _ended: TestsEnd, _file: KnownFile<'_>, _memory: &mut Memory) -> LoopConclusion {
        LoopConclusion::End(EndReason::NotOurs)
    }

    /// What follows when agents and tests that ran in parallel have all ended.
    fn conclude_parallel(
        &self,
        _ends: &[AgentEnd<'_>],
        _tests: &TestsEnd,
        _file: KnownFile<'_>,
        _memory: &mut Memory,
    ) -> LoopConclusion {
        LoopConclusion::End(EndReason::NotOurs)
    }

    /// What is written when the driver leaves because the loop is paused.
    fn pause_exit(&self) -> Option<Operation> {
        None
    }

    /// What takes the tasks that a person planned in the start form into the loop.
    fn planned(&self, _tasks: &[NewTask], _memory: &Memory) -> Option<Operation> {
        None
    }

    /// What writes a stop or a pause to the file once nothing runs any longer.
    fn end_round(&self) -> Option<Operation> {
        None
    }
}

struct NotDriven;

impl LoopDriver for NotDriven {}

fn read_only() -> Refusal {
    Refusal::new(RefusalCode::ReadOnlyFormat)
}

fn delete_control(refusal: Option<Refusal>) -> Control {
    Control {
        verb: Verb::Delete,
        refusal,
        effect: EffectCode::Delete,
        args: BTreeMap::new(),
        confirm: true,
        takes_reason: false,
        notice: None,
    }
}
