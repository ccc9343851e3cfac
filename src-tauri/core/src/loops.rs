//! What is asked of a loop of any format: bytes come in, the format answers.

pub mod additions;
pub mod drive;
pub mod plugin;

use crate::control::{Control, Intent, Situation, Standing, Verb};
use crate::format::{FileFacts, Format};
use crate::formats::aot;
use crate::formats::ccw_v2::operation::LoopV2Operation as V2;
use crate::formats::list::operation::ListOperation;
use crate::forms::Bounds;
use crate::outcome::{FileChanges, FileWrite};
use crate::problem::{Problem, ProblemCode};
use crate::refusal::{Refusal, RefusalCode};
use crate::step::Operation;
use crate::summary::Summary;
use crate::test_table::{RUNS_COMPARED, TestTable};
use crate::view::{Companion, CompanionKind, LoopDetail, TestRow};
use crate::work_view::work_view;
use loopdeck_text::text_edit;

pub use crate::format::Place;

/// What a list shows; `None` when the file is not a loop and must not be listed.
#[must_use]
pub fn summary(place: Place, bytes: &[u8], facts: &FileFacts<'_>) -> Option<Summary> {
    place.files().summary((bytes, facts), &[])
}

/// The same with what is next to the file, where its row is read from that too ([`crate::layout::wanted`]).
#[must_use]
pub fn summary_with(
    place: Place,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    beside: &[Companion],
) -> Option<Summary> {
    place.files().summary((bytes, facts), beside)
}

/// What a list shows of a loop whose file is gone, as its bytes were last; `None` where that doesn't mean that it has ended.
#[must_use]
pub fn ended(place: Place, bytes: &[u8], facts: &FileFacts<'_>) -> Option<Summary> {
    place.files().ended((bytes, facts))
}

/// The outline of a state file; `None` when it cannot be read.
#[must_use]
pub fn outline(place: Place, bytes: &[u8]) -> Option<Vec<u8>> {
    place.files().outline(bytes)
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
    let mut detail = format.rules().detail((bytes, facts), situation, companions);
    detail.work = work_view(&detail);
    detail
}

/// The files next to a loop that its single tests are read from.
pub const TESTS_BESIDE: [CompanionKind; 3] =
    [CompanionKind::TestResults, CompanionKind::ValidateDoc, CompanionKind::WorkerOutput];

/// Single test rows of run `run` (0-based, oldest first).
#[must_use]
pub fn test_rows(format: Format, bytes: &[u8], run: usize, beside: &[Companion]) -> Vec<TestRow> {
    let mut runs = format.rules().test_runs(bytes, beside, &|_| run..run.saturating_add(1));
    runs.pop().unwrap_or_default()
}

/// Single test rows of all runs of a loop, oldest run first.
#[must_use]
pub fn test_runs(format: Format, bytes: &[u8], beside: &[Companion]) -> Vec<Vec<TestRow>> {
    format.rules().test_runs(bytes, beside, &|runs| 0..runs)
}

/// The table of run `run` (0-based, oldest first), compared with earlier runs.
#[must_use]
pub fn test_table(format: Format, bytes: &[u8], run: usize, beside: &[Companion]) -> TestTable {
    let end = run.saturating_add(1);
    let mut runs = format.rules().test_runs(bytes, beside, &|_| end.saturating_sub(RUNS_COMPARED)..end);
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
    summary.format.rules().refuse(summary, verb, situation)
}

/// Verbs with their sentences and reasons; read-only formats can still be deleted.
#[must_use]
pub fn controls(summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
    summary.format.rules().controls(summary, facts, situation)
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
    let (rules, file) = (summary.format.rules(), (bytes, facts));
    let changes = match intent {
        Intent::Operate(operation) => rules.operate(file, operation, situation, companions),
        Intent::Repair(code) => rules.repair(file, *code, situation, companions).map(FileChanges::from),
        _ => rules.request(file, intent, situation, companions),
    };
    // Its sentence names the status, which a format that has no such step did not look up.
    let FileChanges { edits, files } = changes.map_err(|refusal| match refusal.code {
        RefusalCode::NotInFormat if refusal.args.is_empty() => Refusal::because(refusal.code, summary),
        _ => refusal,
    })?;
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
    format.rules().effects((bytes, facts), change)
}

/// Whether an intent needs the files next to the loop: the summary of Loop-B uses every worker's output, that
/// of Loop v2 the change log; a test run replaces the coverage of an earlier one.
#[must_use]
pub fn reads_companions(intent: &Intent) -> bool {
    let Intent::Operate(operation) = intent else { return false };
    match &**operation {
        Operation::LoopB { .. } => true,
        Operation::LoopV2 { step } => {
            matches!(step, V2::Validate { .. } | V2::Tested(_) | V2::Complete { .. })
        }
        // Whether a list is done can be up to the plan that it works off.
        Operation::List { step } => *step == ListOperation::Complete,
        // Which items a plan has can be up to what is next to it: the tag that is shown, for one.
        Operation::Plan { .. } => true,
        Operation::Aot { .. } => false,
    }
}

/// Whether a guarded verb still holds in the current file.
#[must_use]
pub fn request_standing(summary: &Summary, verb: Verb) -> Standing {
    summary.format.rules().request_standing(summary, verb)
}

/// How many iterations a loop may have.
#[must_use]
pub fn iterations(format: Format) -> Bounds {
    format.rules().iterations()
}

/// A summary for a file that could not be read at all.
#[must_use]
pub fn unreadable(place: Place, stem: &str, code: ProblemCode, args: &[(&str, String)]) -> Summary {
    let problem =
        args.iter().fold(Problem::new(code, ""), |problem, (name, value)| problem.with(name, value));
    Summary::unreadable(place.files().format_by_name(stem), stem, problem)
}
