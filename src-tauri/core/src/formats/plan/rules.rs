//! What can be asked of a plan, and what that writes: what its own tool understands, and states of items in place.

use super::{PlanRules, own, view};
use crate::control::{Control, EffectCode, Intent, Metadata, Situation, Standing, Verb};
use crate::format::{FileFacts, Handling, Traits};
use crate::formats::loop_format::{KnownFile, LoopFormat};
use crate::lineage::{ControlFields, Version, hash};
use crate::outcome::{FileChanges, FileWrite};
use crate::problem::Severity;
use crate::refusal::{Refusal, RefusalCode, not_editable};
use crate::status::{FileStatus, StatusWord};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::view::{Companion, LoopDetail};
use loopdeck_plans::{Change, Finding, ItemState, Plan, Request};
use loopdeck_text::text_edit::{self, TextEdit};
use std::collections::BTreeMap;

/// Verbs that a plan may offer.
const OFFERED: [Verb; 4] = [Verb::Pause, Verb::Resume, Verb::Stop, Verb::Delete];

impl LoopFormat for PlanRules {
    fn traits(&self) -> Traits {
        let handling = if self.0.format().mark(ItemState::Done).is_some() {
            Handling::Controlled
        } else {
            Handling::ReadOnly
        };
        Traits { handling, is_worked_off: self.0.format().when_done().is_some(), ..Traits::SHOWN }
    }

    fn summary(&self, file: KnownFile<'_>) -> Option<Summary> {
        self.summary_of(file, &[])
    }

    fn detail(&self, file: KnownFile<'_>, situation: &Situation, beside: &[Companion]) -> LoopDetail {
        let plan = match self.plan(file, beside) {
            Ok(plan) => plan.unwrap_or_default(),
            Err(problem) => {
                let summary = Summary::unreadable(self.0.into(), file.1.stem, problem);
                let controls = self.controls(&summary, file.1, situation);
                return LoopDetail { controls, problems: summary.problems, ..LoopDetail::default() };
            }
        };
        let summary = self.row(&plan, file.1);
        let own_command = self.own_command(file, &plan, beside);
        LoopDetail {
            controls: self.controls(&summary, file.1, situation),
            metadata: Metadata {
                title: Some(summary.title),
                max_iterations: plan.limit.map(f64::from),
                ..Metadata::default()
            },
            repairs: view::repairs(&plan),
            own_command_runs: own::can_run(&own_command),
            own_command,
            ..view::detail(*self, &plan)
        }
    }

    /// Of the file alone: what is next to it isn't kept.
    fn version(&self, bytes: &[u8]) -> Option<Version> {
        let control = ControlFields::default();
        Some(Version {
            bytes: hash(bytes),
            identity: None,
            control,
            ended: None,
            written: None,
            work: hash(bytes),
            counts: Vec::new(),
        })
    }

    fn refuse(&self, summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
        let code = match verb {
            Verb::Stop if own::runs(situation) => return None,
            _ if summary.problems.iter().any(|problem| problem.severity == Severity::Error) => {
                RefusalCode::DamagedFile
            }
            Verb::Pause if !self.takes(Request::Pause) => RefusalCode::NotInFormat,
            Verb::Resume if !self.takes(Request::Resume) => RefusalCode::NotInFormat,
            Verb::Stop if !self.takes(Request::Stop) => RefusalCode::NotInFormat,
            Verb::Pause if summary.status == FileStatus::Paused => RefusalCode::AlreadyPaused,
            // A tool that began may not have written anything yet: its lock says that it runs.
            Verb::Pause | Verb::Stop
                if summary.status != FileStatus::Running
                    && situation.shown != StatusWord::RunningElsewhere =>
            {
                RefusalCode::NotRunning
            }
            Verb::Resume if summary.status != FileStatus::Paused => RefusalCode::NotPaused,
            Verb::Pause | Verb::Stop | Verb::Resume => return None,
            Verb::Delete if self.ends_by_deletion() => return None,
            _ => RefusalCode::NotInFormat,
        };
        Some(Refusal::because(code, summary))
    }

    fn controls(&self, summary: &Summary, _facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        let control = |verb| Control {
            verb,
            refusal: self.refuse(summary, verb, situation),
            effect: match verb {
                Verb::Stop if own::runs(situation) => EffectCode::StopOwnTool,
                Verb::Pause => EffectCode::PauseAfterIteration,
                Verb::Stop => EffectCode::StopAfterIteration,
                Verb::Resume => EffectCode::ResumeByHand,
                _ => EffectCode::Delete,
            },
            args: BTreeMap::new(),
            confirm: matches!(verb, Verb::Stop | Verb::Delete),
            takes_reason: false,
            notice: None,
        };
        OFFERED.into_iter().map(control).collect()
    }

    fn request_standing(&self, _summary: &Summary, _verb: Verb) -> Standing {
        Standing::Answered
    }

    fn request(
        &self,
        file: KnownFile<'_>,
        intent: &Intent,
        situation: &Situation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let change = self.asked(file, intent, situation, beside)?;
        let files = change.create.map(|name| FileWrite::replace(name.to_owned(), String::new()));
        Ok(FileChanges { edits: change.edits, files: files.into_iter().collect() })
    }

    fn operate(
        &self,
        file: KnownFile<'_>,
        operation: &Operation,
        _situation: &Situation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let Operation::Plan { step } = operation else {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        };
        self.change_item(file, step, beside)
    }

    fn repair(
        &self,
        file: KnownFile<'_>,
        code: RepairCode,
        _situation: &Situation,
        beside: &[Companion],
    ) -> Result<Vec<TextEdit>, Refusal> {
        let plan = self.good_plan(file, beside)?;
        let of = |finding: &&Finding| view::repair_code(finding.code) == Some(code);
        let edits: Vec<TextEdit> =
            plan.findings.iter().filter(of).flat_map(|finding| finding.repair.clone()).collect();
        if edits.is_empty() {
            return Err(Refusal::new(RefusalCode::NothingChanges));
        }
        // Read back: what was repaired is gone, and there are fewer findings than before.
        let after = text_edit::apply(file.0, &edits).map_err(|_| not_editable("state"))?;
        let after = self.good_plan((&after, file.1), beside)?;
        let told = |plan: &Plan| plan.findings.len();
        let is_left = after.findings.iter().any(|finding| of(&finding) && !finding.repair.is_empty());
        if is_left || told(&after) >= told(&plan) { Err(not_editable("state")) } else { Ok(edits) }
    }
}

impl PlanRules {
    /// Whether the tool of this kind understands a request at all, by a plan that has every field it needs.
    fn takes(self, request: Request) -> bool {
        self.0.format().understands(request)
    }

    /// Whether the tool ends when its file is gone.
    fn ends_by_deletion(self) -> bool {
        self.0.format().ends_without_file()
    }

    pub(super) fn good_plan(self, file: KnownFile<'_>, beside: &[Companion]) -> Result<Plan, Refusal> {
        let plan = self.plan(file, beside).map_err(|_| Refusal::new(RefusalCode::DamagedFile))?;
        plan.ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))
    }

    /// What carries out a request.
    fn asked(
        self,
        file: KnownFile<'_>,
        intent: &Intent,
        situation: &Situation,
        beside: &[Companion],
    ) -> Result<Change, Refusal> {
        let request = match intent {
            Intent::Pause => Request::Pause,
            Intent::Resume { .. } => Request::Resume,
            Intent::Stop { .. } => Request::Stop,
            _ => return Err(Refusal::new(RefusalCode::NotInFormat)),
        };
        let plan = self.good_plan(file, beside)?;
        let verb = intent.verb().unwrap_or(Verb::EditMetadata);
        if let Some(refusal) = self.refuse(&self.row(&plan, file.1), verb, situation) {
            return Err(refusal);
        }
        let source = self.source(file, &[]);
        let change = self.0.format().request(&source, &plan, request);
        change.ok_or_else(|| Refusal::new(RefusalCode::NotInFormat))
    }
}
