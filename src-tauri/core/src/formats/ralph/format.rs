//! What Loopdeck does with Ralph loops.

use super::operation::RalphOperation;
use super::{
    LIST, PROMPT_FILE, ROOT, check, create, drive, edit, forms, list_file, outline, prompt_file, view,
};
use crate::control::{Control, Intent, Situation, Standing, Verb};
use crate::driver::{AgentTask, ChangedLines, Ended, Memory, ObservedRun};
use crate::format::{FileFacts, Format, Handling, Place, Traits};
use crate::formats::ccw::check::rules;
use crate::formats::loop_format::{KnownFile, LoopConclusion, LoopDriver, LoopFormat, LoopStep};
use crate::formats::new_loops::NewLoops;
use crate::formats::state_files::{Found, StateFiles};
use crate::forms::Bounds;
use crate::lineage::Version;
use crate::outcome::FileChanges;
use crate::refusal::{Refusal, RefusalCode};
use crate::start::{FirstFile, FirstText, NewWork};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind, LoopDetail};
use loopdeck_text::text_edit::TextEdit;

/// Ralph loops (the Ralph contract).
pub(crate) struct Ralph;

impl StateFiles for Ralph {
    fn found(&self) -> Found {
        Found::Folders { root: ROOT, state: LIST }
    }

    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        Some(check::summary(bytes, facts))
    }

    fn outline(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        outline::outline(bytes)
    }

    fn format_by_name(&self, _stem: &str) -> Format {
        Format::Ralph
    }

    fn companion_names(&self, _file: &str) -> Vec<(CompanionKind, String)> {
        vec![(CompanionKind::Prompt, PROMPT_FILE.to_owned())]
    }

    fn companion_folders(&self, _file: &str) -> Vec<String> {
        vec![String::new()]
    }

    fn has_own_folder(&self) -> bool {
        true
    }
}

impl LoopFormat for Ralph {
    fn traits(&self) -> Traits {
        Traits { handling: Handling::Driven, ..Traits::SHOWN }
    }

    fn summary(&self, file: KnownFile<'_>) -> Option<Summary> {
        StateFiles::summary(self, file)
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        beside: &[Companion],
    ) -> LoopDetail {
        view::detail(bytes, facts, situation, beside)
    }

    fn version(&self, bytes: &[u8]) -> Option<Version> {
        edit::version(bytes)
    }

    fn refuse(&self, summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
        rules::refuse(summary, verb, situation)
    }

    fn controls(&self, summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        check::controls(summary, facts, situation)
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
        _beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let Operation::Ralph { step } = operation else {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        };
        Ok(FileChanges { edits: edit::operate(bytes, facts, step, situation)?, files: Vec::new() })
    }

    fn repair(
        &self,
        _file: KnownFile<'_>,
        _code: RepairCode,
        _situation: &Situation,
    ) -> Result<Vec<TextEdit>, Refusal> {
        Err(Refusal::new(RefusalCode::NothingToRepair))
    }

    fn driver(&self) -> &'static dyn LoopDriver {
        &Self
    }
}

impl LoopDriver for Ralph {
    fn reads(&self) -> &'static [CompanionKind] {
        &[CompanionKind::Prompt]
    }

    fn step(&self, (bytes, facts): KnownFile<'_>, memory: &Memory, beside: Option<&[Companion]>) -> LoopStep {
        drive::next(bytes, facts, memory, beside).map(|step| Operation::Ralph { step }).into()
    }

    fn conclude(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        _seen: ObservedRun<'_>,
        _lines: Option<ChangedLines>,
        _file: KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude(task, ended, memory).map(|step: RalphOperation| Operation::Ralph { step })
    }
}

impl NewLoops for Ralph {
    fn usual_iterations(&self) -> u32 {
        forms::USUAL_ITERATIONS
    }

    fn place(&self) -> Place {
        Place::RalphList
    }

    fn first_file(&self, work: &NewWork, _now: Timestamp, random: u32) -> Result<FirstFile, Refusal> {
        let new = create::NewRalphLoop {
            title: work.written_title(),
            goal: [work.goal.trim(), &work.parent_line()].join("\n\n"),
            tasks: work.tasks.iter().map(|task| task.description.clone()).collect(),
            max_iterations: work.max_iterations,
        };
        let name = create::name(&new.title, random);
        let prompt = FirstText { file: prompt_file(&name), text: new.prompt() };
        Ok(FirstFile { file: list_file(&name), text: new.todo()?, beside: vec![prompt] })
    }
}
