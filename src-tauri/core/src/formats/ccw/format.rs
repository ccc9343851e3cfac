//! What Loopdeck does with CCW files that it only shows: those of the v1 engine, legacy sessions, and files that are loops by
//! their name alone.

use super::recover::Recovery;
use crate::control::{Intent, Situation, Verb};
use crate::format::Format;
use crate::formats::ccw_v2::edit::repair;
use crate::formats::ccw_v2::view::test_runs;
use crate::formats::loop_format::{KnownFile, LoopFormat, WantedRuns};
use crate::formats::{ccw, ccw_legacy, ccw_v1};
use crate::recovery::proposals::proposals;
use crate::recovery::remains::{ProposalSource, Remains};
use crate::refusal::{Refusal, RefusalCode};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::view::{Companion, LoopDetail, TestRow};
use crate::{format::FileFacts, outcome::FileChanges};
use loopdeck_text::text_edit::TextEdit;

/// CCW v1 engine files (the CCW contract §10).
pub(crate) struct V1;

impl LoopFormat for V1 {
    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        ccw::summary(bytes, facts)
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        _situation: &Situation,
        _beside: &[Companion],
    ) -> LoopDetail {
        ccw_v1::detail(bytes, facts)
    }

    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        proposals(Format::V1, remains, facts)
    }
}

/// Legacy CCW session folders (the CCW contract §9).
pub(crate) struct Legacy;

impl LoopFormat for Legacy {
    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        Some(ccw::legacy_summary(bytes, facts))
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        beside: &[Companion],
    ) -> LoopDetail {
        ccw_legacy::detail(bytes, facts, situation, beside)
    }

    fn test_runs(&self, bytes: &[u8], beside: &[Companion], wanted: WantedRuns<'_>) -> Vec<Vec<TestRow>> {
        test_runs(bytes, beside, wanted)
    }

    fn proposals(&self, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(ProposalSource, Recovery)> {
        proposals(Format::Legacy, remains, facts)
    }
}

/// Where a loop should be, but unreadable, so its format is unknown.
pub(crate) struct Unknown;

fn damaged() -> Refusal {
    Refusal::new(RefusalCode::DamagedFile)
}

impl LoopFormat for Unknown {
    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        ccw::summary(bytes, facts)
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        _beside: &[Companion],
    ) -> LoopDetail {
        let problems = ccw::summary(bytes, facts).map(|summary| summary.problems).unwrap_or_default();
        LoopDetail { repairs: repair::offers(&problems, situation), problems, ..LoopDetail::default() }
    }

    fn refuse(&self, _summary: &Summary, verb: Verb, _situation: &Situation) -> Option<Refusal> {
        (verb != Verb::Delete).then(damaged)
    }

    fn edit(
        &self,
        _file: KnownFile<'_>,
        _intent: &Intent,
        _situation: &Situation,
    ) -> Result<Vec<TextEdit>, Refusal> {
        Err(damaged())
    }

    /// Its file says which format it is.
    fn operate(
        &self,
        file: KnownFile<'_>,
        operation: &Operation,
        situation: &Situation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let format = match operation {
            Operation::LoopV2 { .. } => Format::LoopV2,
            Operation::LoopB { .. } => Format::LoopB,
            Operation::Aot { .. } | Operation::List { .. } | Operation::Plan { .. } => return Err(damaged()),
        };
        format.rules().operate(file, operation, situation, beside)
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
        proposals(Format::Unknown, remains, facts)
    }
}
