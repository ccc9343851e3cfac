//! The only entry point to the formats: the runtime passes in bytes, this module picks the format.

pub mod drive;
pub mod plugin;

use crate::control::{Control, EffectCode, Intent, Situation, Standing, Verb};
use crate::format::{FileFacts, Format};
use crate::formats::{aot, ccw, ccw_legacy, ccw_v1, ccw_v2, loop_b, ralph};
use crate::forms::Bounds;
use crate::outcome::{FileChanges, FileWrite};
use crate::problem::{Problem, ProblemCode};
use crate::refusal::{Refusal, RefusalCode};
use crate::step::{Operation, RepairCode, StepOffer};
use crate::summary::Summary;
use crate::test_table::{RUNS_COMPARED, TestTable};
use crate::view::{Companion, CompanionKind, LoopDetail, TestRow};
use crate::work_view::work_view;
use loopdeck_text::text_edit::{self, TextEdit};

/// Where a file was found; decides which formats it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A `.json` file in a CCW root.
    CcwFile,
    /// `state.json` of a legacy session folder.
    LegacyState,
    /// `.claude/aot-loop-state.md`.
    AotFile,
    /// `TODO.md` in the folder of a Ralph loop.
    RalphList,
}

/// What a list shows; `None` when the file is not a loop and must not be listed.
#[must_use]
pub fn summary(place: Place, bytes: &[u8], facts: &FileFacts<'_>) -> Option<Summary> {
    match place {
        Place::CcwFile => ccw::summary(bytes, facts),
        Place::LegacyState => Some(ccw_legacy::summary(bytes, facts)),
        Place::AotFile => Some(aot::summary(bytes, facts)),
        Place::RalphList => Some(ralph::summary(bytes, facts)),
    }
}

/// The outline of a state file; `None` when it cannot be read.
#[must_use]
pub fn outline(place: Place, bytes: &[u8]) -> Option<Vec<u8>> {
    match place {
        Place::CcwFile | Place::LegacyState => ccw::outline::outline(bytes),
        Place::AotFile => aot::outline::outline(bytes),
        Place::RalphList => ralph::outline::outline(bytes),
    }
}

/// The full read of a loop with the `format` from its summary.
#[must_use]
pub fn detail(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let mut detail = state(format, bytes, facts, situation, companions);
    detail.work = work_view(&detail);
    match format {
        // One read yields all of it.
        Format::Aot | Format::Ralph => detail,
        Format::LoopV2 | Format::LoopB | Format::Unknown => LoopDetail {
            repairs: ccw_v2::edit::repair::offers(&detail.problems, situation),
            steps: steps(format, bytes, facts, situation),
            ..detail
        },
        Format::V1 | Format::Legacy => detail,
    }
}

fn state(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    match format {
        Format::LoopV2 => ccw_v2::detail(bytes, facts, situation, companions),
        Format::LoopB => loop_b::detail(bytes, facts, situation, companions),
        Format::Aot => aot::detail(bytes, facts, situation, companions),
        Format::Ralph => ralph::detail(bytes, facts, situation, companions),
        Format::V1 => ccw_v1::detail(bytes, facts, situation, companions),
        Format::Legacy => ccw_legacy::detail(bytes, facts, situation, companions),
        Format::Unknown => ccw::detail_of_unknown(bytes, facts),
    }
}

/// The files next to a loop that its single tests are read from.
pub const TESTS_BESIDE: [CompanionKind; 3] =
    [CompanionKind::TestResults, CompanionKind::ValidateDoc, CompanionKind::WorkerOutput];

/// Single test rows of run `run` (0-based, oldest first).
#[must_use]
pub fn test_rows(format: Format, bytes: &[u8], run: usize, beside: &[Companion]) -> Vec<TestRow> {
    match format {
        Format::LoopV2 | Format::Legacy => {
            let mut runs = ccw_v2::test_runs(bytes, beside, |_| run..run.saturating_add(1));
            runs.pop().unwrap_or_default()
        }
        Format::LoopB => loop_b::test_rows(bytes, run, beside),
        Format::Aot | Format::Ralph | Format::V1 | Format::Unknown => Vec::new(),
    }
}

/// Single test rows of all runs of a loop, oldest run first.
#[must_use]
pub fn test_runs(format: Format, bytes: &[u8], beside: &[Companion]) -> Vec<Vec<TestRow>> {
    match format {
        Format::LoopV2 | Format::Legacy => ccw_v2::test_runs(bytes, beside, |runs| 0..runs),
        _ => vec![test_rows(format, bytes, 0, beside)],
    }
}

/// The table of run `run` (0-based, oldest first), compared with earlier runs.
#[must_use]
pub fn test_table(format: Format, bytes: &[u8], run: usize, beside: &[Companion]) -> TestTable {
    let mut runs = match format {
        Format::LoopV2 | Format::Legacy => {
            let end = run.saturating_add(1);
            ccw_v2::test_runs(bytes, beside, |_| end.saturating_sub(RUNS_COMPARED)..end)
        }
        _ => vec![test_rows(format, bytes, run, beside)],
    };
    let rows = runs.pop().unwrap_or_default();
    TestTable::new(&runs, rows)
}

/// Why `verb` is not legal now; `None` when it is.
#[must_use]
pub fn refuse(summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
    let is_gone = |problem: &Problem| problem.code == ProblemCode::F9_file_gone;
    if summary.problems.iter().any(is_gone) {
        // There is nothing to write to, but an agent to end.
        let mut there = summary.clone();
        there.problems.retain(|problem| !is_gone(problem));
        let stops = verb == Verb::Stop && refuse(&there, verb, situation).is_none();
        return (!stops).then(|| Refusal::new(RefusalCode::DamagedFile));
    }
    match summary.format {
        Format::LoopV2 => ccw_v2::refuse(summary, verb, situation),
        Format::LoopB => loop_b::refuse(summary, verb, situation),
        Format::Aot => aot::refuse(summary, verb, situation),
        Format::Ralph => ralph::refuse(summary, verb, situation),
        Format::V1 | Format::Legacy | Format::Unknown if verb == Verb::Delete => None,
        Format::V1 | Format::Legacy => Some(Refusal::new(RefusalCode::ReadOnlyFormat)),
        Format::Unknown => Some(Refusal::new(RefusalCode::DamagedFile)),
    }
}

/// Verbs with their sentences and reasons; read-only formats can still be deleted.
#[must_use]
pub fn controls(summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
    match summary.format {
        Format::LoopV2 => ccw_v2::controls(summary, facts, situation),
        Format::LoopB => loop_b::controls(summary, facts, situation),
        Format::Aot => aot::controls(summary, facts, situation),
        Format::Ralph => ralph::controls(summary, facts, situation),
        Format::V1 | Format::Legacy | Format::Unknown => vec![delete_control(summary, situation)],
    }
}

fn delete_control(summary: &Summary, situation: &Situation) -> Control {
    let refusal = refuse(summary, Verb::Delete, situation);
    let args = std::collections::BTreeMap::new();
    Control {
        verb: Verb::Delete,
        refusal,
        effect: EffectCode::Delete,
        args,
        confirm: true,
        takes_reason: false,
        notice: None,
    }
}

/// The steps of a CCW format, each with the reason if it is not possible now.
fn steps(format: Format, bytes: &[u8], facts: &FileFacts<'_>, situation: &Situation) -> Vec<StepOffer> {
    match format {
        Format::LoopV2 | Format::LoopB => ccw::check::steps::steps(format, bytes, facts, situation),
        Format::Aot | Format::Ralph | Format::V1 | Format::Legacy | Format::Unknown => Vec::new(),
    }
}

/// The result of an intent on a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The whole file afterwards.
    pub bytes: Vec<u8>,
    /// Texts for the files next to it, to be written after it.
    pub beside: Vec<FileWrite>,
}

/// The bytes after `intent`, or the reason against it. The result is read back and refused if it does not
/// have the intended content.
///
/// # Errors
/// A refusal when the intent is illegal for this state or cannot be written safely; nothing may be written
/// then.
pub fn carry_out(
    summary: &Summary,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Carried, Refusal> {
    carry_out_with_companions(summary, bytes, facts, intent, situation, &[])
}

/// [`carry_out`], with the files next to the loop for the steps that [`reads_companions`] names.
///
/// # Errors
/// Like [`carry_out`].
pub fn carry_out_with_companions(
    summary: &Summary,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
    companions: &[Companion],
) -> Result<Carried, Refusal> {
    let FileChanges { edits, files } = match intent {
        Intent::Operate(operation) if operation.is_of_other_than(summary.format) => {
            return Err(Refusal::because(RefusalCode::NotInFormat, summary));
        }
        Intent::Operate(operation) => operate(bytes, facts, operation, situation, companions)?,
        Intent::Repair(code) => {
            FileChanges { edits: repair(summary.format, bytes, facts, *code, situation)?, files: Vec::new() }
        }
        _ => FileChanges { edits: edits(summary, bytes, facts, intent, situation)?, files: Vec::new() },
    };
    let bytes = text_edit::apply(bytes, &edits).map_err(|_| Refusal::new(RefusalCode::NotEditable))?;
    Ok(Carried { bytes, beside: files })
}

/// What a change of direction would do to the loop, whoever is running it (AoT contract §7).
///
/// # Errors
/// The refusal that the redirect itself would get; `NotInFormat` where a format has no redirect.
pub fn effects(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    change: &aot::Correction,
) -> Result<aot::Effects, Refusal> {
    match format {
        Format::Aot => aot::effects(bytes, facts, change),
        _ => Err(Refusal::new(RefusalCode::NotInFormat)),
    }
}

/// Whether an intent needs the files next to the loop: the summary of Loop-B uses every worker's output, that
/// of Loop v2 the change log; a test run replaces the coverage of an earlier one.
#[must_use]
pub fn reads_companions(intent: &Intent) -> bool {
    use ccw_v2::operation::LoopV2Operation as V2;
    let Intent::Operate(operation) = intent else { return false };
    match &**operation {
        Operation::LoopB { .. } => true,
        Operation::LoopV2 { step } => {
            matches!(step, V2::Validate { .. } | V2::Tested(_) | V2::Complete { .. })
        }
        Operation::Aot { .. } | Operation::Ralph { .. } => false,
    }
}

fn edits(
    summary: &Summary,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    Ok(match summary.format {
        Format::LoopV2 => ccw_v2::edit(bytes, facts, intent, situation)?,
        Format::LoopB => loop_b::edit(bytes, facts, intent, situation)?,
        Format::Aot => aot::edit(bytes, facts, intent, situation)?,
        Format::Ralph => ralph::edit(bytes, facts, intent, situation)?,
        Format::V1 | Format::Legacy => return Err(Refusal::new(RefusalCode::ReadOnlyFormat)),
        Format::Unknown => return Err(Refusal::new(RefusalCode::DamagedFile)),
    })
}

fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &Operation,
    situation: &Situation,
    companions: &[Companion],
) -> Result<FileChanges, Refusal> {
    match operation {
        Operation::Aot { step } => aot::operate_with_companions(bytes, facts, step, situation),
        Operation::LoopV2 { step } => {
            ccw_v2::operate::operate_with_companions(bytes, facts, step, situation, companions)
        }
        Operation::LoopB { step } => {
            loop_b::operate::operate_with_companions(bytes, facts, step, situation, companions)
        }
        Operation::Ralph { step } => {
            let edits = ralph::operate(bytes, facts, step, situation)?;
            Ok(FileChanges { edits, files: Vec::new() })
        }
    }
}

fn repair(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    code: RepairCode,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    match format {
        Format::Aot => aot::repair_with(bytes, code, situation),
        Format::LoopV2 | Format::LoopB | Format::Unknown => {
            ccw_v2::edit::repair::repair(bytes, facts, code, situation)
        }
        Format::Ralph => Err(Refusal::new(RefusalCode::NothingToRepair)),
        Format::V1 | Format::Legacy => Err(Refusal::new(RefusalCode::ReadOnlyFormat)),
    }
}

/// Whether a guarded verb still holds in the current file.
#[must_use]
pub fn request_standing(summary: &Summary, verb: Verb) -> Standing {
    match summary.format {
        Format::LoopV2 => ccw_v2::request_standing(summary, verb),
        Format::LoopB => loop_b::request_standing(summary, verb),
        Format::Aot => aot::request_standing(summary, verb),
        Format::Ralph => ralph::request_standing(summary, verb),
        Format::V1 | Format::Legacy | Format::Unknown => Standing::Answered,
    }
}

/// How many iterations a loop may have.
#[must_use]
pub fn iterations(format: Format) -> Bounds {
    match format {
        Format::Aot => aot::forms::ITERATIONS,
        Format::Ralph => ralph::forms::ITERATIONS,
        Format::LoopV2 | Format::LoopB | Format::V1 | Format::Legacy | Format::Unknown => {
            ccw_v2::forms::ITERATIONS
        }
    }
}

/// A summary for a file that could not be read at all.
#[must_use]
pub fn unreadable(place: Place, stem: &str, code: ProblemCode, args: &[(&str, String)]) -> Summary {
    let format = match place {
        Place::AotFile => Format::Aot,
        Place::RalphList => Format::Ralph,
        Place::LegacyState => Format::Legacy,
        Place::CcwFile if stem.starts_with("loop-b-") => Format::LoopB,
        Place::CcwFile if stem.starts_with("loop-v2-") => Format::LoopV2,
        Place::CcwFile => Format::Unknown,
    };
    let problem =
        args.iter().fold(Problem::new(code, ""), |problem, (name, value)| problem.with(name, value));
    Summary::unreadable(format, stem, problem)
}
