//! Operations as edits (AoT contract §9.5): the driver's side; a person's side is in `redirect`.

use super::draft::PendingChanges;
use super::operation::AotOperation;
use super::redirect;
use super::work::Work;
use crate::formats::aot::check::{rules, validator as checks};
use crate::formats::aot::drive::decide::{self, Decision};
use crate::formats::aot::edit::Written;
use crate::formats::aot::read::state::{self, Document};
use crate::problem::ProblemCode;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::times::Timestamp;
use loopdeck_text::text_edit::{self, TextEdit};

/// The edits of `operation`; the file has no errors. `look` reads the resulting file, so that it is parsed
/// once for all checks and for what follows.
pub(crate) fn edits<T>(
    bytes: &[u8],
    document: Document<'_>,
    operation: &AotOperation,
    now: Timestamp,
    look: impl FnOnce(&[u8], &Document<'_>) -> T,
) -> Result<(Vec<TextEdit>, T), Refusal> {
    if *operation == AotOperation::EndRound {
        return end_of_round(bytes, document, look);
    }
    let trail = redirect::trail_groups(document.root());
    let Document { front, tree, state, .. } = document;
    let graph = checks::graph(&state);
    let draft = PendingChanges::new(bytes, front, tree.root);
    let mut work = Work { state: &state, graph: &graph, draft, trail: &trail, now };
    apply(&mut work, operation)?;
    let (edits, meant) = work.draft.finish_unchecked()?;
    let new = applied(bytes, &edits)?;
    let after = state::read(&new).map_err(|_| Refusal::new(RefusalCode::NotEditable))?;
    if !meant.is_said_by(&new, &after, &edits) {
        return Err(Refusal::new(RefusalCode::NotEditable));
    }
    has_no_errors(&after)?;
    if let Some(cycle) = checks::graph(&after.state).cycles(1).first() {
        return Err(Refusal::new(RefusalCode::WouldCycle).with("cycle", cycle.join(" -> ")));
    }
    let seen = look(&new, &after);
    Ok((edits, seen))
}

/// What the decision writes; one that writes nothing does not close a round.
fn end_of_round<T>(
    bytes: &[u8],
    document: Document<'_>,
    look: impl FnOnce(&[u8], &Document<'_>) -> T,
) -> Result<(Vec<TextEdit>, T), Refusal> {
    let not_running = rules::because(RefusalCode::NotRunning, &document.state);
    let held = rules::because(RefusalCode::AlreadyPaused, &document.state);
    let is_running = document.state.control.status == "running";
    let decided = decide::decide_on(bytes, document)?;
    match decided.decision {
        Decision::Completed => return Err(not_running),
        Decision::Hold => return Err(held),
        Decision::Inactive if !is_running => return Err(not_running),
        // It says running where the plugin does not read it (L1, L2, L4): the layout has to be repaired first.
        Decision::Inactive => return Err(Refusal::new(RefusalCode::NotEditable).with("field", "status")),
        Decision::End(_) | Decision::Continue { .. } => {}
    }
    // A cycle is no obstacle: the end of a round changes no atom.
    let new = applied(bytes, &decided.edits)?;
    let after = state::read(&new).map_err(|_| Refusal::new(RefusalCode::NotEditable))?;
    has_no_errors(&after)?;
    let seen = look(&new, &after);
    Ok((decided.edits, seen))
}

fn applied(bytes: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, Refusal> {
    text_edit::apply(bytes, edits).map_err(|_| Refusal::new(RefusalCode::NotEditable))
}

/// The result is a loop without errors: no id twice, and at least one atom.
fn has_no_errors(after: &Document<'_>) -> Result<(), Refusal> {
    if after.problems.iter().any(|problem| problem.code == ProblemCode::V2_missing_section) {
        return Err(Refusal::new(RefusalCode::GateNotMet).with("field", "atoms"));
    }
    if after.problems.is_empty() { Ok(()) } else { Err(Refusal::new(RefusalCode::NotEditable)) }
}

/// One step, on the state as it was read.
fn apply(work: &mut Work<'_, '_>, operation: &AotOperation) -> Result<(), Refusal> {
    let by_person = matches!(
        operation,
        AotOperation::Redirect { .. } | AotOperation::ResetInProgress | AotOperation::HandOver { .. }
    );
    if !by_person && !operation.is_result() && work.state.control.status != "running" {
        return Err(rules::because(RefusalCode::NotRunning, work.state));
    }
    match operation {
        AotOperation::StartAtoms { ids } => work.start(ids),
        AotOperation::Resolve { id, summary, artifacts } => work.resolve(id, summary, artifacts),
        AotOperation::Fail { id } => work.fail(id),
        AotOperation::Decompose { parent, children, reason } => work.decompose(parent, children, reason),
        AotOperation::ResolveContainers => work.resolve_containers(),
        AotOperation::Backtrack { id, why } => work.backtrack(id, why),
        AotOperation::Select { group, id, reason } => work.select(group, id.as_deref(), reason),
        AotOperation::ResetInProgress | AotOperation::ReleaseOrphans => {
            work.draft.release_atoms(&work.state.atoms)
        }
        AotOperation::AddAtoms { atoms } if atoms.is_empty() => Err(bad_value("atoms")),
        AotOperation::AddAtoms { atoms } => work.add_atoms(atoms, &[]).map(drop),
        // Decided on the whole file; see `edits`.
        AotOperation::EndRound => Err(bad_value("op")),
        AotOperation::Complete => work.complete(),
        AotOperation::HoldForRedirect => work.draft.control("redirect_requested", &Written::word("true")),
        AotOperation::ReleaseHold => work.draft.control("redirect_requested", &Written::word("false")),
        AotOperation::HandOver { raise_limit_to } => {
            work.draft.hand_over(work.state, *raise_limit_to, work.now)
        }
        AotOperation::Redirect { change, description } => work.redirect(change, description),
    }
}
