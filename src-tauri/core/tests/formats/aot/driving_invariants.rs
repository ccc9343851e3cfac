//! What no write of a driver may break, by the words of the AoT contract alone.

use loopdeck_core::formats::aot::AotOperation;
use loopdeck_core::view::{AtomView, LoopDetail};

fn unresolved(detail: &LoopDetail) -> usize {
    detail.atoms.iter().filter(|atom| atom.status != "resolved").count()
}

/// Satisfied by the words of the AoT contract alone (§9.2), without the driver's graph.
fn satisfied(id: &str, detail: &LoopDetail) -> bool {
    let Some(atom) = detail.atoms.iter().find(|atom| atom.id == id) else { return false };
    if atom.status == "resolved" {
        return true;
    }
    let group = detail.or_groups.iter().find(|group| atom.or_group.as_ref() == Some(&group.name));
    if let Some(selected) =
        group.and_then(|group| group.selected.as_deref()).filter(|selected| *selected != id)
    {
        return satisfied(selected, detail);
    }
    let children: Vec<&AtomView> =
        detail.atoms.iter().filter(|child| child.parent.as_deref() == Some(id)).collect();
    !children.is_empty() && children.iter().all(|child| satisfied(&child.id, detail))
}

pub(crate) fn starts_only_what_is_ready(ids: &[String], before: &LoopDetail, agents: u64) {
    assert!(ids.len() as u64 <= agents && !ids.is_empty());
    for id in ids {
        let atom = before.atoms.iter().find(|atom| atom.id == *id).expect("it exists");
        assert_eq!(atom.status, "pending", "{id}");
        for need in &atom.depends_on {
            assert!(satisfied(&need.id, before), "{id} began before {}", need.id);
        }
        let group = before.or_groups.iter().find(|group| atom.or_group.as_ref() == Some(&group.name));
        assert!(group.is_none_or(|group| group.selected.as_ref() == Some(id)), "{id} is not selected");
        belongs_to_selected_choices(atom, before);
    }
}

/// No container above is a choice that has failed or is not selected.
fn belongs_to_selected_choices(atom: &AtomView, before: &LoopDetail) {
    let mut child = atom;
    while let Some(id) = &child.parent {
        let above = before.atoms.iter().find(|atom| atom.id == *id).expect("it exists");
        let group = before.or_groups.iter().find(|group| above.or_group.as_ref() == Some(&group.name));
        if let Some(group) = group {
            assert_eq!(group.selected.as_ref(), Some(id), "{} began for nothing", atom.id);
            assert!(!group.choices.iter().any(|choice| choice.id == *id && choice.failed), "{id} has failed");
        }
        child = above;
    }
}

pub(crate) fn grows_only_with_an_entry(operation: &AotOperation, before: &LoopDetail, after: &LoopDetail) {
    if unresolved(after) <= unresolved(before) {
        return;
    }
    match operation {
        AotOperation::Decompose { .. } => {
            assert_eq!(after.decompositions.len(), before.decompositions.len() + 1);
        }
        AotOperation::AddAtoms { .. } => {
            let new = &after.atoms[before.atoms.len()..];
            assert!(new.iter().all(|atom| atom.description.starts_with("Make this check pass: ")));
        }
        other => panic!("{other:?} made more work"),
    }
}

/// The driver never removes work, and never forgets a failed choice.
pub(crate) fn never_undoes(before: &LoopDetail, after: &LoopDetail) {
    for (old, new) in before.atoms.iter().zip(&after.atoms) {
        assert_eq!(old.id, new.id);
        assert!(
            old.status != "resolved" || (new.status == "resolved" && new.summary == old.summary),
            "{}",
            old.id
        );
    }
    for (old, new) in before.or_groups.iter().zip(&after.or_groups) {
        for (old, new) in old.choices.iter().zip(&new.choices) {
            assert!(new.failed || !old.failed, "{} failed", old.id);
        }
    }
    assert!(after.trail.len() >= before.trail.len());
}
