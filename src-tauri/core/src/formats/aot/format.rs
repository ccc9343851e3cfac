//! What Loopdeck does with AoT loops.

use super::{AotOperation, AotWork, BaseCase, Correction, Effects, Missing, NewAotLoop, NewAtom};
use super::{check, drive, forms, outline, view};
use crate::control::{Control, Intent, Situation, Standing, Verb};
use crate::driver::{AgentTask, ChangedLines, Ended, Memory, ObservedRun, TestsEnd};
use crate::format::{FileFacts, Format, Handling, Place, Teamwork, Traits};
use crate::formats::ccw::recover::Recovery;
use crate::formats::loop_format::{AgentEnd, KnownFile, LoopConclusion, LoopDriver, LoopFormat, LoopStep};
use crate::formats::new_loops::NewLoops;
use crate::formats::state_files::{Found, StateFiles, folder, name_without};
use crate::forms::Bounds;
use crate::layout::AOT_FILE;
use crate::lineage::Version;
use crate::outcome::FileChanges;
use crate::recovery::remains::{ProposalSource, Remains};
use crate::refusal::{Refusal, RefusalCode};
use crate::start::{FirstFile, NewTask, NewWork, Recipe, aot_like};
use crate::status::FileStatus;
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, LoopDetail};
use loopdeck_text::text_edit::TextEdit;

/// AoT loops (the AoT contract). The format keeps everything in one file.
pub(crate) struct Aot;

/// Results of atoms that are too long for the state file, next to it.
const RESULTS: &str = "aot-results";

impl StateFiles for Aot {
    fn found(&self) -> &'static [Found] {
        &[Found::File(AOT_FILE)]
    }

    fn outline(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        outline::outline(bytes)
    }

    fn format_by_name(&self, _stem: &str) -> Format {
        Format::Aot
    }

    fn stem<'f>(&self, file: &'f str) -> &'f str {
        name_without(file, ".md")
    }

    fn belongings(&self, file: &str) -> Vec<String> {
        vec![file.to_owned(), format!("{}/{RESULTS}", folder(file))]
    }
}

impl LoopFormat for Aot {
    fn traits(&self) -> Traits {
        Traits {
            handling: Handling::Driven,
            teamwork: Teamwork::Rounds,
            has_plugin: true,
            has_atoms: true,
            has_completion_check: true,
            layout_decides: true,
            ..Traits::SHOWN
        }
    }

    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        Some(super::summary(bytes, facts))
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        _beside: &[Companion],
    ) -> LoopDetail {
        super::detail(bytes, facts, situation)
    }

    fn graph_part(&self, bytes: &[u8]) -> Option<LoopDetail> {
        super::graph_part(bytes)
    }

    fn version(&self, bytes: &[u8]) -> Option<Version> {
        super::version(bytes)
    }

    fn refuse(&self, summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
        check::rules::refuse(summary, verb, situation)
    }

    fn controls(&self, summary: &Summary, _facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        check::rules::controls(summary, situation)
    }

    fn request_standing(&self, summary: &Summary, verb: Verb) -> Standing {
        check::rules::request_standing(summary, verb)
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
        super::edit(bytes, facts, intent, situation)
    }

    fn operate(
        &self,
        (bytes, facts): KnownFile<'_>,
        operation: &Operation,
        situation: &Situation,
        _beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let Operation::Aot { step } = operation else {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        };
        super::operate_with_companions(bytes, facts, step, situation)
    }

    fn repair(
        &self,
        (bytes, _): KnownFile<'_>,
        code: RepairCode,
        situation: &Situation,
        _beside: &[Companion],
    ) -> Result<Vec<TextEdit>, Refusal> {
        super::repair_with(bytes, code, situation)
    }

    fn effects(&self, (bytes, facts): KnownFile<'_>, change: &Correction) -> Result<Effects, Refusal> {
        view::effects::effects(bytes, facts, change)
    }

    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        let Remains { damaged, last_good, .. } = *remains;
        let as_it_was = last_good.and_then(|bytes| self.last_good(bytes, facts));
        let rebuilt = super::recover(damaged, last_good, facts);
        let mut ways: Vec<(ProposalSource, Recovery)> =
            as_it_was.map(|recovery| (ProposalSource::LastGood, recovery)).into_iter().collect();
        ways.extend(rebuilt.map(|recovery| (ProposalSource::Rebuilt, recovery)));
        // What is readable is newer than the last good version.
        if super::summary(damaged, facts).status != FileStatus::Unreadable {
            ways.reverse();
        }
        ways.dedup_by(|later, earlier| later.1.text == earlier.1.text);
        ways
    }

    fn driver(&'static self) -> &'static dyn LoopDriver {
        self
    }
}

fn step(step: AotOperation) -> Operation {
    Operation::Aot { step }
}

impl LoopDriver for Aot {
    fn step(
        &self,
        (bytes, facts): KnownFile<'_>,
        memory: &Memory,
        _beside: Option<&[Companion]>,
    ) -> LoopStep {
        drive::step(bytes, facts, memory).map(step)
    }

    fn conclude(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        _seen: ObservedRun<'_>,
        _lines: Option<ChangedLines>,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude(task, ended, bytes, facts, memory).map(step)
    }

    fn conclude_parallel(
        &self,
        ends: &[AgentEnd<'_>],
        _tests: &TestsEnd,
        (bytes, facts): KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        let ends: Vec<_> = ends
            .iter()
            .map(|end| drive::BatchEnd { task: end.task, ended: end.ended, left: end.left })
            .collect();
        drive::conclude_batch(&ends, bytes, facts, memory).map(step)
    }

    fn end_round(&self) -> Option<Operation> {
        Some(step(AotOperation::EndRound))
    }
}

impl NewLoops for Aot {
    fn usual_iterations(&self) -> u32 {
        forms::USUAL_ITERATIONS
    }

    fn place(&self) -> Place {
        Place::AotFile
    }

    fn only_file(&self) -> Option<&'static str> {
        Some(AOT_FILE)
    }

    fn first_file(&self, work: &NewWork, now: Timestamp, _random: u32) -> Result<FirstFile, Refusal> {
        Ok(FirstFile::alone(AOT_FILE.to_owned(), super::create(&new_loop(work), now)?))
    }

    fn missing(&self, work: &NewWork) -> Vec<Missing> {
        super::missing(&new_loop(work))
    }

    fn like(&self, detail: &LoopDetail) -> (Recipe, AotWork, Option<BaseCase>) {
        let (work, base_case) = aot_like(detail);
        (Recipe::Checklist, work, base_case)
    }
}

/// The loop that a form describes.
fn new_loop(form: &NewWork) -> NewAotLoop {
    let mut work = form.aot.clone();
    let parent = form.parent_line();
    work.background_intent = format!("{} {parent}", work.background_intent.trim()).trim().to_owned();
    if work.atoms.is_empty() {
        let atom = |task: &NewTask| NewAtom { description: task.description.clone(), ..NewAtom::default() };
        work.atoms = form.tasks.iter().map(atom).collect();
    }
    let (goal, base_case) = (form.goal.clone(), form.base_case.clone());
    NewAotLoop { goal, base_case, max_iterations: form.max_iterations, work }
}
