//! What Loopdeck does with Loop-B files.

use super::operation::LoopBOperation;
use super::{create, drive, edit, operate, recover, view};
use crate::control::{Control, Intent, Situation, Standing, Verb};
use crate::driver::{AgentTask, ChangedLines, Checked, Ended, Memory, ObservedRun, TestsEnd};
use crate::format::{FileFacts, Format, Handling, Place, Teamwork, Traits};
use crate::formats::ccw;
use crate::formats::ccw::check::{controls, rules, steps};
use crate::formats::ccw::recover::{OwnBytes, Recovery};
use crate::formats::ccw_v2::edit::repair;
use crate::formats::ccw_v2::format::new_loop;
use crate::formats::ccw_v2::forms;
use crate::formats::loop_format::{
    AgentEnd, KnownFile, LoopConclusion, LoopDriver, LoopFormat, LoopNext, LoopStep, WantedRuns,
};
use crate::formats::new_loops::NewLoops;
use crate::forms::Bounds;
use crate::layout::CCW_ROOT;
use crate::lineage::Version;
use crate::outcome::FileChanges;
use crate::recovery::proposals::proposals;
use crate::recovery::remains::{ProposalSource, Remains};
use crate::recovery::supplied::SuppliedFields;
use crate::refusal::{Refusal, RefusalCode};
use crate::start::{FirstFile, Modes, NewWork, WorkMode};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, LoopDetail, TestRow};
use loopdeck_text::text_edit::TextEdit;

/// CCW Loop-B: a coordinator with workers (the CCW contract §8).
pub(crate) struct LoopB;

impl LoopFormat for LoopB {
    fn traits(&self) -> Traits {
        Traits {
            handling: Handling::Driven,
            teamwork: Teamwork::Joined,
            skill: Some("ccw-loop-b"),
            runs_tests: true,
            has_task_list: true,
            has_follow_ups: true,
            has_debug_text: true,
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
            repairs: repair::offers(&detail.problems, situation),
            steps: steps::steps(Format::LoopB, bytes, facts, situation),
            ..detail
        }
    }

    fn test_runs(&self, bytes: &[u8], beside: &[Companion], wanted: WantedRuns<'_>) -> Vec<Vec<TestRow>> {
        if wanted(1).contains(&0) { vec![view::test_rows(bytes, 0, beside)] } else { Vec::new() }
    }

    fn version(&self, bytes: &[u8]) -> Option<Version> {
        ccw::read::lineage::version(Format::LoopB, bytes)
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
        let Operation::LoopB { step } = operation else {
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
        repair::repair(bytes, facts, code, situation)
    }

    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        proposals(Format::LoopB, remains, facts)
    }

    fn rebuild(&self, own: OwnBytes<'_>, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Option<Recovery> {
        Some(recover::rebuild(own, remains.last_good, remains.companions, facts))
    }

    fn supplied_fields(&self) -> Option<SuppliedFields> {
        Some(SuppliedFields { editable: edit::METADATA, has_created: false })
    }

    fn driver(&'static self) -> &'static dyn LoopDriver {
        self
    }
}

fn step(step: LoopBOperation) -> Operation {
    Operation::LoopB { step }
}

impl LoopDriver for LoopB {
    fn step(
        &self,
        (bytes, facts): KnownFile<'_>,
        memory: &Memory,
        _beside: Option<&[Companion]>,
    ) -> LoopStep {
        drive::next(bytes, facts, memory).map(step).into()
    }

    fn send_back(&self, (bytes, facts): KnownFile<'_>, memory: &Memory, _: &[Companion]) -> Option<LoopNext> {
        Some(drive::send_back(bytes, facts, memory)?.map(step))
    }

    fn conclude(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        seen: ObservedRun<'_>,
        lines: Option<ChangedLines>,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude(task, ended, seen.changed, lines, bytes, facts, memory).map(step)
    }

    fn check(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        changed: Option<&[String]>,
        _bytes: &[u8],
        memory: &Memory,
    ) -> Checked {
        drive::check(task, ended, changed, memory)
    }

    fn conclude_tests(
        &self,
        ended: TestsEnd,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude_tests(ended, bytes, facts, memory).map(step)
    }

    fn conclude_parallel(
        &self,
        ends: &[AgentEnd<'_>],
        tests: &TestsEnd,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        let ends: Vec<_> = ends
            .iter()
            .map(|end| drive::ParallelEnd { task: end.task, ended: end.ended, seen: end.changed })
            .collect();
        drive::conclude_parallel(&ends, tests, bytes, facts, memory).map(step)
    }
}

impl NewLoops for LoopB {
    fn usual_iterations(&self) -> u32 {
        forms::USUAL_ITERATIONS
    }

    /// The menu of its skill needs a terminal.
    fn modes(&self) -> Modes {
        Modes {
            loopdeck: &[WorkMode::Auto, WorkMode::Parallel, WorkMode::Interactive],
            skill: &[WorkMode::Auto, WorkMode::Parallel],
        }
    }

    fn place(&self) -> Place {
        Place::CcwFile
    }

    fn first_file(&self, work: &NewWork, now: Timestamp, random: u32) -> Result<FirstFile, Refusal> {
        // One random number yields eight base-36 digits; it is spread so that all of them vary.
        let stem = create::stem(now, u64::from(random).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16);
        let mode = work.mode.unwrap_or(WorkMode::Auto);
        let text = create::create(&stem, &new_loop(work), mode, create::Birth::Paused, now)?;
        Ok(FirstFile::alone(format!("{CCW_ROOT}/{stem}.json"), text))
    }
}
