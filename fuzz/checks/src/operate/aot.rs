//! Operations on a work graph, by the driver and by a person.

use crate::aot;
use crate::door;
use loopdeck_core::control::Situation;
use loopdeck_core::format::Format;
use loopdeck_core::formats::aot::operate;
use loopdeck_core::formats::aot::{AotOperation, ConstraintPatch, Correction, NewAtom, ObjectivePatch};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_text::text_edit;

const STEM: &str = "aot-loop-state";

/// Each operation individually, then all in sequence.
pub(super) fn check(bytes: &[u8]) {
    let Some(running) = door::running(Place::AotFile, STEM, bytes) else { return };
    let mut state = running.clone();
    for operation in operations(&running) {
        let _ = one(&running, &operation);
        state = one(&state, &operation).unwrap_or(state);
    }
}

fn detail(bytes: &[u8]) -> LoopDetail {
    let situation = Situation { shown: StatusWord::Running, now: door::NOW };
    loops::detail(Format::Aot, bytes, &door::facts(STEM), &situation, &[])
}

fn one(bytes: &[u8], operation: &AotOperation) -> Option<Vec<u8>> {
    let situation = Situation { shown: StatusWord::Interrupted, now: door::NOW };
    let edits = operate(bytes, &door::facts(STEM), operation, &situation).ok()?;
    let after = text_edit::apply(bytes, &edits).expect("edits do not overlap");
    assert_eq!(door::errors(Place::AotFile, STEM, &after), [], "{operation:?}");
    assert_eq!(aot::body(&after), aot::body(bytes), "{operation:?} changed the body");
    let (old, new) = (detail(bytes), detail(&after));
    let objective = matches!(
        operation,
        AotOperation::Redirect { change: Correction::Objective(_) | Correction::Constraints(_), .. }
    );
    if !objective {
        assert_eq!(new.objective, old.objective, "{operation:?}");
        assert_eq!(new.checklist, old.checklist, "{operation:?}");
    }
    Some(after)
}

fn operations(bytes: &[u8]) -> Vec<AotOperation> {
    let [quoted, markdown, tail, _] = door::texts(bytes);
    let seen = detail(bytes);
    let ids: Vec<String> =
        seen.atoms.iter().map(|atom| atom.id.clone()).chain(["nobody".to_owned()]).collect();
    let first = ids.first().cloned();
    let new = |id: Option<&str>, group: Option<String>| NewAtom {
        id: id.map(str::to_owned),
        description: markdown.clone(),
        depends_on: first.iter().cloned().collect(),
        or_group: group,
    };
    let mut all = vec![AotOperation::StartAtoms { ids: seen.batch.clone() }, AotOperation::ResolveContainers];
    for id in ids.iter().take(4) {
        let others = ids.iter().skip(1).take(2).cloned().collect();
        let children = || vec![new(None, None), new(Some("C"), None)];
        all.extend(of_atom(id, others, children, [&quoted, &markdown, &tail]));
    }
    for group in seen.or_groups.iter().take(2) {
        let name = group.name.clone();
        for choice in group.choices.iter().take(2) {
            let (group, id, reason) = (name.clone(), choice.id.clone(), tail.clone());
            all.push(AotOperation::Select {
                group: group.clone(),
                id: Some(id.clone()),
                reason: reason.clone(),
            });
            all.push(redirect(Correction::ForceSelection { group, id, reason }, &tail));
        }
        all.push(redirect(Correction::AddAtom(new(None, Some(name))), &tail));
    }
    all.push(redirect(Correction::AddAtom(new(Some("N-1"), Some("new_group".to_owned()))), &tail));
    let goal = ObjectivePatch {
        goal: Some(markdown.clone()),
        deliverables: Some(tail.clone()),
        ..ObjectivePatch::default()
    };
    all.push(redirect(Correction::Objective(goal), &quoted));
    let limits =
        ConstraintPatch { max_iterations: Some(7), max_stall_count: Some(2), ..ConstraintPatch::default() };
    all.push(redirect(Correction::Constraints(limits), &tail));
    all.extend([AotOperation::HoldForRedirect, AotOperation::ResetInProgress, AotOperation::Complete]);
    all
}

/// What can be done with one atom.
fn of_atom(
    id: &str,
    others: Vec<String>,
    children: impl Fn() -> Vec<NewAtom>,
    [quoted, markdown, tail]: [&str; 3],
) -> Vec<AotOperation> {
    let id = || id.to_owned();
    let artifacts = vec![tail.to_owned(), quoted.to_owned()];
    let split = Correction::Decompose { parent: id(), children: children(), reason: tail.to_owned() };
    let edit =
        Correction::EditAtom { id: id(), description: Some(markdown.to_owned()), depends_on: Some(others) };
    vec![
        AotOperation::StartAtoms { ids: vec![id()] },
        AotOperation::Resolve { id: id(), summary: markdown.to_owned(), artifacts },
        AotOperation::Fail { id: id() },
        AotOperation::Backtrack { id: id(), why: markdown.to_owned() },
        AotOperation::Decompose { parent: id(), children: children(), reason: tail.to_owned() },
        redirect(Correction::Redo { ids: vec![id()] }, quoted),
        redirect(split, quoted),
        redirect(edit, quoted),
        redirect(Correction::DeleteAtom { id: id() }, markdown),
    ]
}

fn redirect(change: Correction, description: &str) -> AotOperation {
    AotOperation::Redirect { change, description: description.to_owned() }
}
