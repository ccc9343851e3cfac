//! AoT loop: YAML front matter with a work graph, Markdown body with the original prompt (AoT contract).

pub(crate) mod check;
pub mod create;
pub mod drive;
pub(crate) mod edit;
pub(crate) mod format;
pub mod forms;
pub(crate) mod outline;
pub(crate) mod read;
mod recover;
mod view;

pub use crate::checklist::wanted::{
    BaseCase, Check, CheckItem, CheckKind, CheckPart, Criteria, Criterion, PresentChecks, Quality,
};
pub use crate::checklist::{CheckOutcome, CheckedBy, UnknownWhy, Verification};
pub use crate::formats::aot::check::undone::undone;
pub use crate::formats::aot::create::gate::{Missing, missing};
pub use crate::formats::aot::drive::decide::{Decided, Decision, EndCause, decide};
pub use crate::formats::aot::drive::verification::{LeftApart, Probes, RoundMemory, Unmerged};
pub use crate::formats::aot::edit::hand_over::{hand_over, is_held, is_read_by_plugin};
pub use crate::formats::aot::edit::normalise::{Repair, repair, repairs};
pub use crate::formats::aot::edit::operation::{
    AotOperation, ConstraintPatch, Correction, NewAtom, ObjectivePatch,
};
pub(crate) use crate::formats::aot::read::lineage::version;
pub use crate::formats::aot::view::effects::{
    AotLimit, AtomName, EditedAtom, Effects, LimitChange, LostResult, ObjectiveText, ResetAtom,
    SelectionChange, SplitAtom, TextChange, TrailEntry, effects,
};
pub use create::{AotWork, NewAotLoop, create, draft};
pub use recover::recover;

use crate::checklist::{self, Checklist};
use crate::control::{Intent, Situation};
use crate::format::{FileFacts, Format};
use crate::formats::aot::read::state::Document;
use crate::outcome::FileChanges;
use crate::phase::{IterationBar, Phase};
use crate::problem::{Problem, ProblemCode, Severity};
use crate::refusal::{Refusal, RefusalCode};
use crate::status::FileStatus;
use crate::step::{RepairCode, RepairOffer, StepCode, StepOffer};
use crate::summary::{StopFlag, Summary};
use crate::view::LoopDetail;
use check::counts;
use loopdeck_graph::work_graph::WorkGraph;
use loopdeck_text::shorten;
use loopdeck_text::text_edit::TextEdit;

/// Most problems a list row keeps.
const KEPT_PROBLEMS: usize = 200;

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(bytes: &[u8], facts: &FileFacts<'_>, situation: &Situation) -> LoopDetail {
    match read::state::read(bytes) {
        Ok(document) => view::detail(bytes, &document, facts, situation),
        Err(problem) => {
            let mut controls = check::rules::controls(&unreadable(bytes, facts, problem.clone()), situation);
            edit::repaired::notices_of_unreadable(bytes, &mut controls);
            let problems = unreadable(bytes, facts, problem).problems;
            let repairs = repair_offers(repairs(bytes), situation);
            LoopDetail { controls, problems, repairs, ..LoopDetail::default() }
        }
    }
}

/// The part of the full read for the work graph; none when the file is unreadable.
pub(crate) fn graph_part(bytes: &[u8]) -> Option<LoopDetail> {
    let document = read::state::read(bytes).ok()?;
    Some(view::graph_part(bytes, &document, &check::validator::graph(&document.state)))
}

/// The text edits that carry out `intent` on `bytes`.
///
/// # Errors
/// A refusal when the intent is illegal for this state or the field cannot be edited safely.
pub fn edit(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let document = match read::state::read(bytes) {
        Ok(document) => document,
        Err(problem) => {
            let summary = unreadable(bytes, facts, problem);
            let refusal = intent.verb().and_then(|verb| check::rules::refuse(&summary, verb, situation));
            let refusal = refusal.unwrap_or_else(|| Refusal::new(RefusalCode::DamagedFile));
            return edit::repaired::edits_of_unreadable(bytes, intent).ok_or(refusal);
        }
    };
    if let Intent::Stop { reason: Some(reason) } = intent {
        edit::lengths::stop_reason(reason)?;
    }
    let summary = summarise(&document, facts);
    let raise = match intent {
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => *raise_limit_to,
        _ => None,
    };
    let raised = raise.map(i64::from).is_some_and(|limit| limit > document.state.control.iteration);
    match intent.verb().and_then(|verb| check::rules::refuse(&summary, verb, situation)) {
        Some(refusal) if refusal.code == RefusalCode::LimitReached && raised => {}
        Some(refusal) => return Err(refusal),
        None => {}
    }
    if raise.is_some_and(|limit| i64::from(limit) < document.state.objective.max_iterations) {
        return Err(Refusal::new(RefusalCode::BadValue).with("field", "max_iterations"));
    }
    edit::repaired::edits(bytes, document, intent, situation).map(|carried| carried.edits)
}

/// The text edits that carry out `operation` on `bytes`.
///
/// # Errors
/// A refusal when the file has errors, the operation is illegal for this state, or a field cannot be edited safely.
pub fn operate(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &AotOperation,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    operate_with_companions(bytes, facts, operation, situation).map(|outcome| outcome.edits)
}

/// The same with the files next to the state file: a result that is too long for it gets its own file.
///
/// # Errors
/// Like [`operate`].
pub fn operate_with_companions(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    operation: &AotOperation,
    situation: &Situation,
) -> Result<FileChanges, Refusal> {
    let document = read::state::read(bytes).map_err(|problem| damaged(&problem))?;
    let problems = summarise(&document, facts).problems;
    let files = edit::long_result::files(operation, document.state.control.iteration);
    let (edits, ()) = operate_on(bytes, document, &problems, operation, situation, |_, _| ())?;
    Ok(FileChanges { edits, files })
}

/// The same for a file already read, with its errors. `look` reads the file after the edits.
fn operate_on<T>(
    bytes: &[u8],
    document: Document<'_>,
    problems: &[Problem],
    operation: &AotOperation,
    situation: &Situation,
    look: impl FnOnce(&[u8], &Document<'_>) -> T,
) -> Result<(Vec<TextEdit>, T), Refusal> {
    // The end of a round changes no atom.
    let breaks_circles = matches!(operation, AotOperation::Redirect { .. } | AotOperation::EndRound);
    if let Some(error) = problems.iter().find(|problem| hinders(problem, breaks_circles)) {
        return Err(damaged(error));
    }
    if let Some(refusal) = check::steps::refuse_operation(operation, &document.state, situation) {
        return Err(refusal);
    }
    edit::lengths::operation(operation)?;
    edit::operate::edits(bytes, document, operation, situation.now, look)
}

/// Whether `problem` forbids writing. A redirect can break a cycle; any that remains is found afterwards.
fn hinders(problem: &Problem, breaks_circles: bool) -> bool {
    let circle = problem.code == ProblemCode::V7_cycle;
    problem.severity == Severity::Error && !(circle && breaks_circles)
}

/// Which steps are possible now. A loop with errors allows none; one with work in a cycle can be redirected.
fn steps_of(
    state: &read::state::AotState<'_>,
    problems: &[Problem],
    situation: &Situation,
) -> Vec<StepOffer> {
    let error = |breaks_circles| {
        let mut hindering = problems.iter().filter(|problem| hinders(problem, breaks_circles));
        hindering.next().map(damaged)
    };
    let (error, beyond_circles) = (error(false), error(true));
    let damaged = |step| if step == StepCode::AotRedirect { &beyond_circles } else { &error }.as_ref();
    check::steps::steps(state, damaged, situation)
}

/// The possible repairs, each with the reason if it is not possible now.
fn repair_offers(repairs: Vec<Repair>, situation: &Situation) -> Vec<RepairOffer> {
    let refusal = at_work(situation);
    let offer = |Repair { code, args }| {
        let ends = vec![code];
        Some(RepairOffer { code: repair_code(code)?, ends, args, refusal: refusal.clone() })
    };
    repairs.into_iter().filter_map(offer).collect()
}

/// The edits of a repair, unless an agent is working or there is nothing to repair.
///
/// # Errors
/// Like [`repair`]; also when there is nothing to repair.
pub fn repair_with(bytes: &[u8], code: RepairCode, situation: &Situation) -> Result<Vec<TextEdit>, Refusal> {
    if let Some(refusal) = at_work(situation) {
        return Err(refusal);
    }
    let problem = REPAIRS.into_iter().find(|(_, own)| *own == code).map(|(problem, _)| problem);
    let problem = problem.ok_or_else(|| Refusal::new(RefusalCode::NotInFormat))?;
    let edits = repair(bytes, problem, situation.now)?;
    if edits.is_empty() { Err(Refusal::new(RefusalCode::NothingToRepair)) } else { Ok(edits) }
}

const REPAIRS: [(ProblemCode, RepairCode); 4] = [
    (ProblemCode::V1_unescaped_quote, RepairCode::UnescapedQuotes),
    (ProblemCode::V3_unknown_status, RepairCode::UnknownStatus),
    (ProblemCode::V16_orphaned_atom, RepairCode::OrphanedAtoms),
    (ProblemCode::V20_layout, RepairCode::Layout),
];

fn repair_code(problem: ProblemCode) -> Option<RepairCode> {
    REPAIRS.into_iter().find(|(own, _)| *own == problem).map(|(_, code)| code)
}

fn at_work(situation: &Situation) -> Option<Refusal> {
    let works = check::rules::owner(situation.shown) != check::rules::Owner::Nobody;
    works.then(|| Refusal::new(RefusalCode::Running))
}

fn damaged(problem: &Problem) -> Refusal {
    Refusal::new(RefusalCode::DamagedFile).with("problem", problem.code.name())
}

/// What a list shows of an AoT state file.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    match read::state::read(bytes) {
        Ok(document) => summarise(&document, facts),
        Err(problem) => unreadable(bytes, facts, problem),
    }
}

/// The plugin may still run an unreadable file: its hook looks for lines.
fn unreadable(bytes: &[u8], facts: &FileFacts<'_>, problem: Problem) -> Summary {
    let status = read::hook::HookView::from_bytes(bytes).and_then(|view| view.control("status"));
    let status_word = status.map(|word| shorten(&String::from_utf8_lossy(word), 40)).unwrap_or_default();
    let problem = match recover::quotes::fix(bytes).filter(|_| problem.code == ProblemCode::V1_bad_yaml) {
        Some(fixed) => Problem::new(ProblemCode::V1_unescaped_quote, "")
            .at_line(fixed.lines.first().copied())
            .with("count", fixed.lines.len()),
        None => problem,
    };
    let mut summary = Summary { status_word, ..Summary::unreadable(Format::Aot, facts.stem, problem) };
    summary.problems.extend(read::shell_value::lines(bytes));
    summary.problems.sort_by_key(read::shell_value::rank);
    summary
}

/// The first value that the plugin's shell would evaluate as arithmetic and that can run a command. A loop
/// with one must not be handed to the plugin.
#[must_use]
pub fn shell_value(bytes: &[u8]) -> Option<Problem> {
    let found = |problems: Vec<Problem>| {
        problems.into_iter().find(|problem| problem.code == ProblemCode::V4_shell_value)
    };
    match read::state::read(bytes) {
        Ok(document) => found(document.problems),
        Err(_) => found(read::shell_value::lines(bytes)),
    }
}

fn summarise(document: &Document<'_>, facts: &FileFacts<'_>) -> Summary {
    let graph = check::validator::graph(&document.state);
    summarise_with(document, &graph, &checklist_of(document), facts)
}

fn checklist_of(document: &Document<'_>) -> Checklist {
    checklist::read(document.root().get("objective").and_then(|objective| objective.get("base_case")))
}

fn summarise_with(
    document: &Document<'_>,
    graph: &WorkGraph<'_>,
    checklist: &Checklist,
    facts: &FileFacts<'_>,
) -> Summary {
    let state = &document.state;
    let control = &state.control;
    let reason = control.stop_reason.as_deref();
    let (status, limit) = check::rules::file_status(&control.status, reason);
    let counts = counts::AtomCounts::count(state, graph);
    let flag = if reason == Some(check::rules::PAUSE_REASON) { StopFlag::Pause } else { StopFlag::Stop };
    let goal = state.objective.goal.trim();
    Summary {
        title: shorten(if goal.is_empty() { facts.stem } else { goal }, 200),
        status_word: shorten(&control.status, 40),
        reason: reason.map(|reason| shorten(reason, 200)),
        phase: Some(Phase::Atoms {
            resolved: counts.resolved,
            total: counts.total - counts.inactive,
            ready: counts.ready,
        }),
        // A value that is not a number is not shown as the default used instead.
        iteration: ["control.iteration", "objective.constraints.max_iterations"]
            .iter()
            .all(|path| document.misread(path).is_none())
            .then(|| IterationBar {
                current: view::number(control.iteration),
                limit: view::number(state.objective.max_iterations),
            }),
        limit,
        stop_requested: (control.stop_requested && status == FileStatus::Running).then_some(flag),
        corrections: u32::try_from(view::list(document.root(), "corrections").len()).unwrap_or(u32::MAX),
        hold_requested: control.redirect_requested && status == FileStatus::Running,
        in_progress: counts.in_progress,
        made_of: (status == FileStatus::Completed).then(|| drive::print_of(state, checklist)),
        problems: errors(document, graph, checklist),
        ..Summary::empty(Format::Aot, facts.stem, status)
    }
}

/// Everything that refuses a verb: errors, and the start gate's checks (V8).
fn errors(document: &Document<'_>, graph: &WorkGraph<'_>, checklist: &Checklist) -> Vec<Problem> {
    let mut problems = document.problems.clone();
    check::validator::cycles(&document.state, graph, &mut problems);
    check::validator::objective(document, checklist, &mut problems);
    problems.sort_by_key(read::shell_value::rank);
    problems.truncate(KEPT_PROBLEMS);
    problems
}
