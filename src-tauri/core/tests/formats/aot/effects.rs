//! The previewed effects of a redirect (AoT contract §7): by example, and compared with the actual effects
//! over generated loops.

use crate::aot::generated::{Model, plans};
use crate::aot::meaning_properties::change;
use crate::aot::operations::{operate, redirect};
use crate::aot::{FACTS, detail, text};
use loopdeck_core::formats::aot::{
    self, AotLimit, AtomName, ConstraintPatch, Correction, Effects, NewAtom, ObjectivePatch, ObjectiveText,
};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::AtomState;
use proptest::prelude::*;
use std::collections::BTreeSet;

const BACKTRACKED: &str = "sample-04-running-or-backtracked";

fn effects(file: &str, change: &Correction) -> Effects {
    aot::effects(file.as_bytes(), &FACTS, change).expect("legal")
}

fn ids(atoms: &[AtomName]) -> Vec<&str> {
    atoms.iter().map(|atom| atom.id.as_str()).collect()
}

/// The loop of the sample with everything resolved.
fn finished() -> String {
    let file = text(BACKTRACKED);
    let (before, after) = file.split_once("\natoms:").expect("atoms");
    let after = after
        .replace("status: pending", "status: resolved")
        .replace("status: in_progress", "status: resolved");
    format!("{before}\natoms:{after}")
}

#[test]
fn redone_work_names_what_was_built_on_it() {
    let file = finished();
    let told = effects(&file, &Correction::Redo { ids: vec!["A3_postgres".into()] });
    let reset: Vec<(&str, bool)> =
        told.reset.iter().map(|reset| (reset.atom.id.as_str(), reset.cascaded)).collect();
    assert_eq!(reset, [("A3_postgres", false), ("A4", true), ("A5", true)]);
    assert!(told.reset.iter().all(|reset| !reset.atom.description.is_empty()));
    assert_eq!(ids(&told.reopened), ["A2"], "the container above it");
    let groups: BTreeSet<&str> = told.trail.iter().map(|entry| entry.group.as_str()).collect();
    assert_eq!(groups, BTreeSet::from(["storage_method"]));
    // A4 names an alternative that is resolved itself (§9.2).
    assert_eq!(ids(&told.ready), ["A3_postgres", "A4"]);
    assert_eq!((told.interrupted.len(), told.texts.len(), told.checks), (0, 0, false));
    let all = effects(&file, &Correction::Redo { ids: vec!["A1".into()] });
    assert_eq!(all.discarded.iter().map(|lost| lost.id.as_str()).collect::<Vec<_>>(), ["A1"]);
    assert!(!all.discarded[0].summary.is_empty());
}

#[test]
fn an_objective_tells_both_texts_and_the_trail_it_clears() {
    let file = text(BACKTRACKED);
    let patch = ObjectivePatch { goal: Some("New goal".into()), ..ObjectivePatch::default() };
    let told = effects(&file, &Correction::Objective(patch));
    let goal = detail(file.as_bytes(), StatusWord::Running).objective.expect("an objective").goal;
    let said: Vec<(ObjectiveText, &str, &str)> =
        told.texts.iter().map(|one| (one.field, one.before.as_str(), one.after.as_str())).collect();
    assert_eq!(said, [(ObjectiveText::Goal, goal.as_str(), "New goal")]);
    let trail = detail(file.as_bytes(), StatusWord::Running).trail;
    assert_eq!(told.trail.len(), trail.len());
    assert!(!trail.is_empty() && told.trail[0].reason == trail[0].reason);
    assert!(!told.stall_forgiven, "only a change of the graph is not counted as a stall");
    let same = ObjectivePatch { goal: Some(goal), ..ObjectivePatch::default() };
    let refused =
        aot::effects(file.as_bytes(), &FACTS, &Correction::Objective(same)).expect_err("nothing changes");
    assert_eq!(refused.code, RefusalCode::NothingChanges);
}

#[test]
fn a_limit_tells_both_values() {
    let patch = ConstraintPatch { max_stall_count: Some(5), ..ConstraintPatch::default() };
    let told = effects(&text(BACKTRACKED), &Correction::Constraints(patch));
    let said: Vec<(AotLimit, f64, f64)> =
        told.limits.iter().map(|one| (one.limit, one.before, one.after)).collect();
    assert_eq!(said, [(AotLimit::MaxStallCount, 3.0, 5.0)]);
    assert_eq!(told.trail, []);
}

#[test]
fn interrupted_workers_are_named_by_every_kind() {
    let file = text(BACKTRACKED);
    let at_work: Vec<String> = detail(file.as_bytes(), StatusWord::Running)
        .atoms
        .into_iter()
        .filter(|atom| atom.status == "in_progress")
        .map(|atom| atom.id)
        .collect();
    assert!(!at_work.is_empty());
    let patch = ConstraintPatch { max_stall_count: Some(5), ..ConstraintPatch::default() };
    for change in [Correction::Constraints(patch), Correction::Redo { ids: vec!["A1".into()] }] {
        assert_eq!(ids(&effects(&file, &change).interrupted), at_work, "{change:?}");
    }
    let held = file.replace("redirect_requested: false", "redirect_requested: true");
    assert!(effects(&held, &Correction::Constraints(patch)).ends_hold);
    assert!(!effects(&file, &Correction::Constraints(patch)).ends_hold);
}

#[test]
fn a_circle_is_refused_with_its_path_before_it_is_written() {
    let edit = |id: &str, needs: &[&str]| Correction::EditAtom {
        id: id.into(),
        description: None,
        depends_on: Some(needs.iter().map(|need| (*need).to_owned()).collect()),
    };
    let file = text(BACKTRACKED);
    let refusal = aot::effects(file.as_bytes(), &FACTS, &edit("A4", &["A5"])).expect_err("a circle");
    assert_eq!((refusal.code, &*refusal.args["cycle"]), (RefusalCode::WouldCycle, "A4 -> A5 -> A4"));
    let free = effects(&file, &edit("A5", &["A1"]));
    assert_eq!(
        (&free.edited[0].needs[..], &free.edited[0].no_longer_needs[..]),
        (&["A1".to_owned()][..], &["A4".to_owned()][..])
    );
    assert!(ids(&free.ready).contains(&"A5"));
}

#[test]
fn a_new_atom_a_split_and_a_forced_branch_are_named() {
    let file = text(BACKTRACKED);
    let atom = |description: &str| NewAtom { description: description.into(), ..NewAtom::default() };
    let added = effects(&file, &Correction::AddAtom(atom("Write docs")));
    assert_eq!(added.added, [AtomName { id: "A6".into(), description: "Write docs".into() }]);
    let split = Correction::Decompose {
        parent: "A5".into(),
        children: vec![atom("a"), atom("b")],
        reason: "r".into(),
    };
    let split = effects(&file, &split);
    assert_eq!(
        (ids(&split.added), &split.decomposed[0].children[..]),
        (vec!["A6", "A7"], &["A6".to_owned(), "A7".to_owned()][..])
    );
    let force = Correction::ForceSelection {
        group: "storage_method".into(),
        id: "A3_sqlite".into(),
        reason: "r".into(),
    };
    let forced = effects(&file, &force).selections.remove(0);
    assert_eq!((forced.before.as_deref(), forced.after.as_deref()), (Some("A3_postgres"), Some("A3_sqlite")));
    assert_eq!(forced.cleared, ["A3_sqlite"]);
}

/// `before` with the previewed effects applied, and nothing else; only the details of a new atom come from
/// `after`.
fn carried(before: &Model, told: &Effects, after: &Model) -> Model {
    let mut model = before.clone();
    carry_control(&mut model, told);
    carry_atoms(&mut model, told);
    carry_new(&mut model, told, after);
    carry_branches(&mut model, told);
    // Recorded with every redirect, and by a forced choice.
    model.trail.extend(after.trail.iter().skip(model.trail.len()).cloned());
    model.corrections.clone_from(&after.corrections);
    model
}

fn carry_control(model: &mut Model, told: &Effects) {
    for text in &told.texts {
        assert_eq!((text.field, &text.before), (ObjectiveText::Goal, &model.goal));
        model.goal.clone_from(&text.after);
    }
    for limit in &told.limits {
        let name = format!("{:?}", limit.limit);
        assert_eq!(name, "MaxStallCount");
        assert_eq!(model.facts["max_stall_count"], limit.before.to_string());
        model.set("max_stall_count", &limit.after.to_string());
    }
    if told.stall_forgiven {
        model.set("prev_pending_count", "-1");
    }
    if told.ends_hold {
        model.set("redirect_requested", "false");
    }
}

fn carry_atoms(model: &mut Model, told: &Effects) {
    let again =
        told.interrupted.iter().chain(told.reset.iter().map(|reset| &reset.atom)).chain(&told.reopened);
    for atom in again.filter(|atom| !told.deleted.contains(atom)) {
        assert_eq!(model.atom(&atom.id).description, atom.description);
        model.atom(&atom.id).status = "pending".into();
    }
    for lost in &told.discarded {
        let result = model.atom(&lost.id).result.take().expect("a result");
        assert_eq!(result.0, lost.summary);
    }
    for edited in &told.edited {
        let atom = model.atom(&edited.atom.id);
        atom.needs.retain(|need| !edited.no_longer_needs.contains(need));
        atom.needs.extend(edited.needs.iter().cloned());
        if let Some(text) = &edited.description {
            atom.description.clone_from(text);
        }
    }
    for gone in &told.deleted {
        model.atoms.retain(|atom| atom.id != gone.id);
        for group in &mut model.groups {
            group.choices.retain(|choice| *choice != gone.id);
            group.failed.retain(|choice| *choice != gone.id);
        }
        model.splits.iter_mut().for_each(|split| split.1.retain(|child| *child != gone.id));
        model.splits.retain(|split| !split.1.is_empty());
    }
}

/// Atoms that are added, and containers that are made.
fn carry_new(model: &mut Model, told: &Effects, after: &Model) {
    for added in &told.added {
        let atom = after.clone().atom(&added.id).clone();
        assert_eq!(atom.description, added.description);
        if let Some(name) = &atom.group {
            if !model.groups.iter().any(|group| group.name == *name) {
                let (name, choices, failed) = (name.clone(), Vec::new(), Vec::new());
                model.groups.push(crate::aot::generated::Group { name, choices, selected: None, failed });
            }
            model.group(name).choices.push(added.id.clone());
        }
        model.atoms.push(atom);
    }
    for split in &told.decomposed {
        let reason = after.splits.last().expect("a record").2.clone();
        model.splits.push((split.atom.id.clone(), split.children.clone(), reason));
    }
}

fn carry_branches(model: &mut Model, told: &Effects) {
    for change in &told.selections {
        let group = model.group(&change.group);
        assert_eq!(group.selected, change.before);
        group.selected.clone_from(&change.after);
        group.failed.retain(|failed| !change.cleared.contains(failed));
    }
    for gone in &told.trail {
        let entry = (gone.group.clone(), gone.selected.clone(), gone.reason.clone());
        let at = model.trail.iter().position(|own| *own == entry).expect("an entry of the trail");
        model.trail.remove(at);
    }
}

/// The order of dependencies is irrelevant.
fn sorted(mut model: Model) -> Model {
    model.atoms.iter_mut().for_each(|atom| atom.needs.sort());
    model
}

fn in_state(bytes: &[u8], state: AtomState) -> BTreeSet<String> {
    let atoms = detail(bytes, StatusWord::Running).atoms;
    atoms.into_iter().filter(|atom| atom.state == state).map(|atom| atom.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_is_told_is_what_is_done(plan in plans(), changes in proptest::collection::vec(change(), 1..5)) {
        let mut bytes = plan.file();
        for change in &changes {
            let told = aot::effects(&bytes, &FACTS, change);
            let done = operate(&bytes, &redirect(change.clone()));
            let (told, done) = match (told, done) {
                (Ok(told), Ok(done)) => (told, done),
                (told, done) => {
                    prop_assert_eq!(told.err(), done.err(), "{:?}", change);
                    continue;
                }
            };
            let (before, after) = (Model::of(&bytes), Model::of(&done));
            prop_assert_eq!(sorted(carried(&before, &told, &after)), sorted(after), "{:?}\n{:?}\n{}", change, told, String::from_utf8_lossy(&bytes));
            let (ready, then) = (in_state(&bytes, AtomState::Ready), in_state(&done, AtomState::Ready));
            let names = |atoms: &[AtomName]| atoms.iter().map(|atom| atom.id.clone()).collect::<BTreeSet<_>>();
            prop_assert_eq!(names(&told.ready), &then - &ready);
            let gone = names(&told.deleted);
            let containers = in_state(&done, AtomState::Container);
            prop_assert_eq!(names(&told.waiting), &(&(&ready - &then) - &gone) - &containers);
            bytes = done;
        }
    }
}
