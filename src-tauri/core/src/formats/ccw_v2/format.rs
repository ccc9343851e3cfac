//! What Loopdeck does with Loop v2 files.

use super::operation::LoopV2Operation;
use super::{create, drive, edit, forms, operate, recover, view};
use crate::control::{Control, Intent, Situation, Standing, Verb};
use crate::driver::{AgentTask, ChangedLines, Checked, Ended, Memory, ObservedRun, TestsEnd};
use crate::format::{FileFacts, Format, Handling, Place, Traits};
use crate::formats::ccw;
use crate::formats::ccw::check::{controls, rules, steps};
use crate::formats::ccw::recover::{OwnBytes, Recovery};
use crate::formats::loop_format::{
    KnownFile, LoopConclusion, LoopDriver, LoopFormat, LoopNext, LoopStep, WantedRuns,
};
use crate::formats::new_loops::NewLoops;
use crate::forms::Bounds;
use crate::layout::CCW_ROOT;
use crate::lineage::Version;
use crate::outcome::FileChanges;
use crate::recovery::proposals::proposals;
use crate::recovery::remains::{ProposalSource, Remains};
use crate::recovery::supplied::SuppliedFields;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::start::{self, FirstFile, Modes, NewTask, NewWork, WorkMode};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind, LoopDetail, TestRow};
use loopdeck_text::text_edit::TextEdit;

/// CCW Loop v2, Claude and Codex flavours (the CCW contract §2 to §7).
pub(crate) struct LoopV2;

impl LoopFormat for LoopV2 {
    fn traits(&self) -> Traits {
        Traits {
            handling: Handling::Driven,
            skill: Some("ccw-loop"),
            runs_tests: true,
            tells_failures: true,
            takes_up_tasks: true,
            begins_with_mode: true,
            has_task_list: true,
            has_follow_ups: true,
            ..Traits::SHOWN
        }
    }

    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        ccw::summary(bytes, facts)
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        beside: &[Companion],
    ) -> LoopDetail {
        let detail = view::detail(bytes, facts, situation, beside);
        LoopDetail {
            repairs: edit::repair::offers(&detail.problems, situation),
            steps: steps::steps(Format::LoopV2, bytes, facts, situation),
            ..detail
        }
    }

    fn test_runs(&self, bytes: &[u8], beside: &[Companion], wanted: WantedRuns<'_>) -> Vec<Vec<TestRow>> {
        view::test_runs(bytes, beside, wanted)
    }

    fn version(&self, bytes: &[u8]) -> Option<Version> {
        ccw::read::lineage::version(Format::LoopV2, bytes)
    }

    fn refuse(&self, summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
        rules::refuse(summary, verb, situation)
    }

    fn controls(&self, summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        controls::controls(summary, facts, situation)
    }

    fn request_standing(&self, summary: &Summary, verb: Verb) -> Standing {
        rules::request_standing(summary, verb)
    }

    fn iterations(&self) -> Bounds {
        forms::ITERATIONS
    }

    fn edit(
        &self,
        (bytes, facts): KnownFile<'_>,
        intent: &Intent,
        situation: &Situation,
    ) -> Result<Vec<TextEdit>, Refusal> {
        edit(bytes, facts, intent, situation)
    }

    fn operate(
        &self,
        (bytes, facts): KnownFile<'_>,
        operation: &Operation,
        situation: &Situation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let Operation::LoopV2 { step } = operation else {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        };
        operate::operate_with_companions(bytes, facts, step, situation, beside)
    }

    fn repair(
        &self,
        (bytes, facts): KnownFile<'_>,
        code: RepairCode,
        situation: &Situation,
        _beside: &[Companion],
    ) -> Result<Vec<TextEdit>, Refusal> {
        edit::repair::repair(bytes, facts, code, situation)
    }

    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        proposals(Format::LoopV2, remains, facts)
    }

    fn rebuild(&self, own: OwnBytes<'_>, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Option<Recovery> {
        Some(recover::rebuild(own, remains.last_good, remains.companions, facts))
    }

    fn supplied_fields(&self) -> Option<SuppliedFields> {
        Some(SuppliedFields { editable: edit::METADATA, has_created: true })
    }

    fn driver(&'static self) -> &'static dyn LoopDriver {
        self
    }
}

fn step(step: LoopV2Operation) -> Operation {
    Operation::LoopV2 { step }
}

impl LoopDriver for LoopV2 {
    fn reads(&self) -> &'static [CompanionKind] {
        &[CompanionKind::TaskList]
    }

    fn step(&self, (bytes, facts): KnownFile<'_>, memory: &Memory, beside: Option<&[Companion]>) -> LoopStep {
        let listed = drive::listed::listed(beside.unwrap_or_default());
        drive::next_with_tasks(bytes, facts, memory, &listed).map(step).into()
    }

    fn send_back(&self, (bytes, facts): KnownFile<'_>, memory: &Memory, _: &[Companion]) -> Option<LoopNext> {
        Some(drive::send_back(bytes, facts, memory)?.map(step))
    }

    fn conclude(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        seen: ObservedRun<'_>,
        _lines: Option<ChangedLines>,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude(task, ended, seen, bytes, facts, memory).map(step)
    }

    fn check(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        changed: Option<&[String]>,
        bytes: &[u8],
        memory: &Memory,
    ) -> Checked {
        drive::check(task, ended, changed, bytes, memory)
    }

    fn unwritten(&self, (bytes, facts): KnownFile<'_>, memory: &Memory) -> Option<Operation> {
        drive::unwritten(bytes, facts, memory).map(step)
    }

    fn conclude_tests(
        &self,
        ended: TestsEnd,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude_tests(ended, bytes, facts, memory).map(step)
    }

    /// As INIT would.
    fn planned(&self, tasks: &[NewTask], memory: &Memory) -> Option<Operation> {
        let policy = &memory.policy;
        let init = || LoopV2Operation::Init { mode: policy.mode, tasks: start::planned(tasks, &policy.tool) };
        (!tasks.is_empty()).then(init).map(step)
    }

    fn pause_exit(&self) -> Option<Operation> {
        Some(step(LoopV2Operation::PauseExit))
    }
}

impl NewLoops for LoopV2 {
    fn usual_iterations(&self) -> u32 {
        forms::USUAL_ITERATIONS
    }

    fn modes(&self) -> Modes {
        Modes { loopdeck: &[WorkMode::Auto, WorkMode::Interactive], skill: &[] }
    }

    fn place(&self) -> Place {
        Place::CcwFile
    }

    fn first_file(&self, work: &NewWork, now: Timestamp, random: u32) -> Result<FirstFile, Refusal> {
        if work.mode == Some(WorkMode::Parallel) {
            return Err(bad_value("mode"));
        }
        let stem = create::stem(now, random);
        let text = create::create(&stem, &new_loop(work), now)?;
        Ok(FirstFile::alone(format!("{CCW_ROOT}/{stem}.json"), text))
    }
}

/// What a start form says of a CCW loop.
pub(crate) fn new_loop(work: &NewWork) -> create::NewLoopV2 {
    create::NewLoopV2 {
        title: work.written_title(),
        description: [work.goal.trim(), &work.parent_line()].join("\n\n").trim_end().to_owned(),
        max_iterations: work.max_iterations,
    }
}
