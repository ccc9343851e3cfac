//! Over generated loops: reading the result of an operation gives the intended content, for every operation;
//! and an inverse operation restores it byte for byte.

use crate::aot::generated::{Atom, Model, Plan, plans};
use crate::aot::operations::{operate, redirect};
use crate::aot::{carry_out, detail, resume};
use loopdeck_core::control::Intent;
use loopdeck_core::formats::aot::{
    AotOperation, ConstraintPatch, Correction, Decision, EndCause, NewAtom, ObjectivePatch,
};
use loopdeck_core::status::StatusWord;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn word() -> impl Strategy<Value = String> {
    "[a-z][a-z \"#:\\\\]{0,10}[a-z]"
}

fn id() -> impl Strategy<Value = String> {
    (1..9_u8).prop_map(|n| format!("A{n}"))
}

fn new_atom() -> impl Strategy<Value = NewAtom> {
    let group = proptest::option::of(prop_oneof![Just("g".to_owned()), Just("h".to_owned())]);
    (word(), proptest::collection::vec(id(), 0..2), group).prop_map(|(description, depends_on, or_group)| {
        NewAtom { id: None, description, depends_on, or_group }
    })
}

pub(crate) fn change() -> impl Strategy<Value = Correction> {
    prop_oneof![
        word().prop_map(|goal| Correction::Objective(ObjectivePatch {
            goal: Some(goal),
            ..ObjectivePatch::default()
        })),
        (1..50_u32).prop_map(|n| Correction::Constraints(ConstraintPatch {
            max_stall_count: Some(n),
            ..ConstraintPatch::default()
        })),
        new_atom().prop_map(Correction::AddAtom),
        id().prop_map(|id| Correction::DeleteAtom { id }),
        (id(), word()).prop_map(|(id, reason)| Correction::ForceSelection { group: "g".into(), id, reason }),
        proptest::collection::vec(id(), 1..3).prop_map(|ids| Correction::Redo { ids }),
        (id(), proptest::option::of(word()), proptest::option::of(proptest::collection::vec(id(), 0..3)))
            .prop_map(|(id, description, depends_on)| Correction::EditAtom { id, description, depends_on }),
        (id(), proptest::collection::vec(new_atom(), 1..3), word())
            .prop_map(|(parent, children, reason)| Correction::Decompose { parent, children, reason }),
    ]
}

fn operations() -> impl Strategy<Value = AotOperation> {
    prop_oneof![
        proptest::collection::vec(id(), 1..3).prop_map(|ids| AotOperation::StartAtoms { ids }),
        (id(), word(), proptest::collection::vec(word(), 0..3))
            .prop_map(|(id, summary, artifacts)| AotOperation::Resolve { id, summary, artifacts }),
        id().prop_map(|id| AotOperation::Fail { id }),
        (id(), proptest::collection::vec(new_atom(), 1..3), word())
            .prop_map(|(parent, children, reason)| AotOperation::Decompose { parent, children, reason }),
        Just(AotOperation::ResolveContainers),
        (id(), word()).prop_map(|(id, why)| AotOperation::Backtrack { id, why }),
        (proptest::option::of(id()), word()).prop_map(|(id, reason)| AotOperation::Select {
            group: "g".into(),
            id,
            reason
        }),
        Just(AotOperation::ResetInProgress),
        Just(AotOperation::ReleaseOrphans),
        Just(AotOperation::EndRound),
        proptest::collection::vec(new_atom(), 1..3).prop_map(|atoms| AotOperation::AddAtoms { atoms }),
        Just(AotOperation::Complete),
        Just(AotOperation::HoldForRedirect),
        change().prop_map(redirect),
    ]
}

/// The intended content of the file afterwards; `before` are its bytes.
fn meant(before: &[u8], operation: &AotOperation) -> Model {
    let mut model = Model::of(before);
    match operation {
        AotOperation::StartAtoms { ids } => {
            ids.iter().for_each(|id| model.atom(id).status = "in_progress".into());
        }
        AotOperation::Resolve { id, summary, artifacts } => {
            model.atom(id).status = "resolved".into();
            model.atom(id).result = Some((summary.clone(), artifacts.clone()));
        }
        AotOperation::Fail { id } => wait_again(&mut model, id),
        AotOperation::Decompose { parent, children, reason } => split(&mut model, parent, children, reason),
        AotOperation::ResolveContainers => {
            for atom in detail(before, StatusWord::Running).atoms.iter().filter(|atom| atom.ready_to_resolve)
            {
                let summary = format!("Completed via {} resolution", atom.children.join(", "));
                model.atom(&atom.id).status = "resolved".into();
                model.atom(&atom.id).result = Some((summary, Vec::new()));
            }
        }
        AotOperation::Backtrack { id, why } => backtrack(&mut model, id, why),
        AotOperation::Select { group, id, reason } => {
            let found = model.group(group).clone();
            let id = id.clone().unwrap_or_else(|| {
                found.choices.iter().find(|id| !found.failed.contains(id)).expect("one").clone()
            });
            if let Some(old) = found.selected.filter(|old| *old != id)
                && model.atom(&old).status == "in_progress"
            {
                model.atom(&old).status = "pending".into();
            }
            select(&mut model, group, &id, reason);
        }
        AotOperation::ResetInProgress | AotOperation::ReleaseOrphans => model.release(),
        AotOperation::EndRound => end_round(&mut model, before),
        AotOperation::AddAtoms { atoms } => atoms.iter().for_each(|atom| drop(add(&mut model, atom, &[]))),
        AotOperation::Complete => {
            model.set("status", "completed");
            model.facts.remove("stop_reason");
        }
        AotOperation::HoldForRedirect => model.set("redirect_requested", "true"),
        AotOperation::ReleaseHold => model.set("redirect_requested", "false"),
        AotOperation::HandOver { .. } => panic!("it is not among them: see `handing_over`"),
        AotOperation::Redirect { change, description } => redirected(&mut model, change, description),
    }
    model
}

fn split(model: &mut Model, parent: &str, children: &[NewAtom], reason: &str) {
    wait_again(model, parent);
    let inherited = model.atom(parent).needs.clone();
    let ids = children.iter().map(|child| add(model, child, &inherited)).collect();
    model.splits.push((parent.to_owned(), ids, reason.to_owned()));
}

/// The dependencies of the atom change, and with them those of its unresolved children.
fn rewire(model: &mut Model, id: &str, needs: &[String]) {
    let mut new: Vec<String> = Vec::new();
    for need in needs {
        if !new.contains(need) {
            new.push(need.clone());
        }
    }
    let old = std::mem::replace(&mut model.atom(id).needs, new.clone());
    let mut below: Vec<String> = vec![id.to_owned()];
    let mut next = 0;
    while let Some(parent) = below.get(next).cloned() {
        next += 1;
        let splits = model.splits.iter().filter(|split| split.0 == parent);
        let children: Vec<String> = splits.flat_map(|split| split.1.clone()).collect();
        below.extend(children);
    }
    for child in &below[1..] {
        let atom = model.atom(child);
        if atom.status == "resolved" {
            continue;
        }
        atom.needs.retain(|need| new.contains(need) || !old.contains(need));
        for need in new.iter().filter(|need| !old.contains(need)) {
            if !atom.needs.contains(need) {
                atom.needs.push(need.clone());
            }
        }
    }
}

/// A closed round counts; the decision table covers what ends the loop.
fn end_round(model: &mut Model, before: &[u8]) {
    let decided = loopdeck_core::formats::aot::decide(before).expect("it can be decided on");
    match decided.decision {
        Decision::Continue { iteration } => {
            model.set("iteration", &iteration.to_string());
            model.set("stall_count", &decided.stalls.to_string());
            model.set("prev_pending_count", &decided.unresolved.to_string());
        }
        Decision::End(cause) => {
            model.set("status", "stopped");
            let reason = match cause {
                EndCause::MaxIterations => "Max iterations reached",
                EndCause::MaxStalls => "Max stall count reached",
                other => panic!("{other:?}: nobody stops these loops, and they have atoms"),
            };
            model.set("stop_reason", reason);
            if cause == EndCause::MaxStalls {
                model.set("stall_count", &decided.stalls.to_string());
            }
        }
        other => panic!("{other:?}: it was written"),
    }
}

fn wait_again(model: &mut Model, id: &str) {
    model.atom(id).status = "pending".into();
    model.atom(id).result = None;
}

fn add(model: &mut Model, new: &NewAtom, inherited: &[String]) -> String {
    let number =
        model.atoms.iter().filter_map(|atom| atom.id[1..].parse::<u32>().ok()).max().unwrap_or(0) + 1;
    let own = new.depends_on.iter().filter(|id| !inherited.contains(id));
    let id = format!("A{number}");
    model.atoms.push(Atom {
        id: id.clone(),
        description: new.description.clone(),
        status: "pending".into(),
        needs: inherited.iter().chain(own).cloned().collect(),
        group: new.or_group.clone(),
        result: None,
    });
    if let Some(name) = &new.or_group {
        if !model.groups.iter().any(|group| group.name == *name) {
            let (name, choices, failed) = (name.clone(), Vec::new(), Vec::new());
            model.groups.push(crate::aot::generated::Group { name, choices, selected: None, failed });
        }
        model.group(name).choices.push(id.clone());
    }
    id
}

fn select(model: &mut Model, group: &str, id: &str, reason: &str) {
    model.group(group).selected = Some(id.to_owned());
    model.trail.push((group.to_owned(), id.to_owned(), reason.to_owned()));
}

/// The alternative that fails with `id`: itself, or the nearest one it is part of.
fn alternative(model: &mut Model, id: &str) -> Option<String> {
    if model.atom(id).group.is_some() {
        return Some(id.to_owned());
    }
    part_of(model, id).and_then(|parent| alternative(model, &parent))
}

fn part_of(model: &Model, id: &str) -> Option<String> {
    let holds = |split: &&(String, Vec<String>, String)| split.1.iter().any(|child| child == id);
    model.splits.iter().find(holds).map(|split| split.0.clone())
}

/// Whether another choice was taken, for it or for something that contains it.
fn is_abandoned(model: &mut Model, id: &str) -> bool {
    let Some(at) = alternative(model, id) else { return false };
    let name = model.atom(&at).group.clone().expect("an alternative");
    let group = model.group(&name);
    let left = group.failed.contains(&at) || group.selected.as_ref().is_some_and(|selected| *selected != at);
    left || part_of(model, &at).is_some_and(|parent| is_abandoned(model, &parent))
}

fn backtrack(model: &mut Model, id: &str, why: &str) {
    if model.atom(id).status == "in_progress" {
        model.atom(id).status = "pending".into();
    }
    model.atom(id).result = None;
    let mut failed = alternative(model, id).expect("an alternative, or a part of one");
    let mut why = if failed == id { why.to_owned() } else { format!("{id}: {why}") };
    while let Some(group) = fail_choice(model, &failed, &why) {
        let above = part_of(model, &failed).and_then(|parent| alternative(model, &parent));
        let Some(above) = above.filter(|above| !is_abandoned(model, above)) else {
            model.set("status", "stopped");
            model.set("stop_reason", &format!("OR group exhausted: {group} - all alternatives failed"));
            return;
        };
        why = format!("{failed}: {why}");
        failed = above;
    }
}

/// Returns the group when none of its choices is left.
fn fail_choice(model: &mut Model, id: &str, why: &str) -> Option<String> {
    wait_again(model, id);
    let name = model.atom(id).group.clone().expect("an alternative");
    let group = model.group(&name);
    group.failed = group
        .choices
        .iter()
        .filter(|choice| *choice == id || group.failed.contains(choice))
        .cloned()
        .collect();
    if group.selected.as_deref().is_some_and(|selected| selected != id) {
        return None;
    }
    let next = group.choices.iter().find(|choice| !group.failed.contains(choice)).cloned();
    let Some(next) = next else { return Some(name) };
    select(model, &name, &next, &format!("Auto-backtrack: {id} failed ({why})"));
    None
}

fn redirected(model: &mut Model, change: &Correction, description: &str) {
    let kind = match change {
        Correction::Objective(patch) => {
            model.goal = patch.goal.clone().expect("a goal");
            model.trail.clear();
            "objective_change"
        }
        Correction::Constraints(patch) => {
            model.set("max_stall_count", &patch.max_stall_count.expect("a limit").to_string());
            "constraint_change"
        }
        Correction::AddAtom(atom) => {
            add(model, atom, &[]);
            "dag_adjustment"
        }
        Correction::DeleteAtom { id } => {
            model.atoms.retain(|atom| atom.id != *id);
            for group in &mut model.groups {
                group.choices.retain(|choice| choice != id);
                group.failed.retain(|choice| choice != id);
            }
            model.splits.iter_mut().for_each(|(_, children, _)| children.retain(|child| child != id));
            model.splits.retain(|(_, children, _)| !children.is_empty());
            "dag_adjustment"
        }
        Correction::ForceSelection { group, id, reason } => {
            model.group(group).failed.retain(|failed| failed != id);
            select(model, group, id, reason);
            "dag_adjustment"
        }
        Correction::Redo { ids } => {
            let again = built_on(model, ids);
            again.iter().for_each(|id| wait_again(model, id));
            let groups: BTreeSet<String> =
                again.iter().filter_map(|id| model.atom(id).group.clone()).collect();
            model.trail.retain(|(group, ..)| !groups.contains(group));
            "bindings_override"
        }
        Correction::EditAtom { id, description, depends_on } => {
            if let Some(text) = description {
                model.atom(id).description.clone_from(text);
            }
            if let Some(needs) = depends_on {
                rewire(model, id, needs);
            }
            "dag_adjustment"
        }
        Correction::Decompose { parent, children, reason } => {
            split(model, parent, children, reason);
            "dag_adjustment"
        }
    };
    if matches!(kind, "dag_adjustment" | "bindings_override") {
        model.set("prev_pending_count", "-1");
    }
    model.release();
    model.set("redirect_requested", "false");
    model.corrections.push((kind.to_owned(), description.to_owned(), kind == "objective_change"));
}

/// The atoms and everything built on them, repeated until nothing is added.
fn built_on(model: &Model, ids: &[String]) -> BTreeSet<String> {
    let children = |id: &str| {
        model
            .splits
            .iter()
            .filter(|split| split.0 == id)
            .flat_map(|split| split.1.clone())
            .collect::<Vec<_>>()
    };
    let mut found: BTreeSet<String> = ids.iter().cloned().collect();
    let mut below: Vec<String> = ids.to_vec();
    while let Some(id) = below.pop() {
        below.extend(children(&id).into_iter().filter(|child| found.insert(child.clone())));
    }
    loop {
        // An atom that needs an unselected alternative needs the selected one instead.
        let instead = |need: &String| {
            let group = model.groups.iter().find(|group| group.choices.contains(need));
            group
                .and_then(|group| group.selected.as_ref())
                .filter(|selected| *selected != need)
                .is_some_and(|id| found.contains(id))
        };
        let rests = |atom: &&Atom| {
            let parts = children(&atom.id);
            !found.contains(&atom.id)
                && (atom.needs.iter().chain(&parts).any(|need| found.contains(need))
                    || (parts.is_empty() && atom.needs.iter().any(instead)))
        };
        let Some(next) = model.atoms.iter().find(rests).map(|atom| atom.id.clone()) else { return found };
        found.insert(next);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn reading_what_was_written_gives_what_was_meant(plan in plans(), steps in proptest::collection::vec(operations(), 1..8)) {
        let mut bytes = plan.file();
        for operation in &steps {
            let Ok(after) = operate(&bytes, operation) else { continue };
            prop_assert_eq!(Model::of(&after), meant(&bytes, operation), "{:?}\n{}", operation, String::from_utf8_lossy(&bytes));
            bytes = after;
        }
    }

    #[test]
    fn resuming_undoes_a_pause_a_stop_and_an_interruption(plan in plans(), reason in word()) {
        // The first write removes the Windows layout.
        let bytes = String::from_utf8(plan.fresh().file()).expect("utf-8").replace('\r', "").into_bytes();
        for intent in [Intent::Pause, Intent::Stop { reason: Some(reason) }, Intent::Finalise] {
            let shown = if intent == Intent::Finalise { StatusWord::Interrupted } else { StatusWord::Running };
            let ended = carry_out(&bytes, &intent, shown).expect("legal");
            prop_assert_ne!(&ended, &bytes);
            prop_assert_eq!(&carry_out(&ended, &resume(), StatusWord::Interrupted).expect("legal"), &bytes);
        }
    }

    #[test]
    fn releasing_undoes_a_start(plan in plans()) {
        let bytes = plan.fresh().file();
        let ids = detail(&bytes, StatusWord::Running).batch;
        let started = operate(&bytes, &AotOperation::StartAtoms { ids: ids.clone() }).expect("the batch is ready");
        prop_assert_eq!(started == bytes, ids.is_empty());
        prop_assert_eq!(&operate(&started, &AotOperation::ResetInProgress).expect("legal"), &bytes);
        for id in ids {
            let one = operate(&bytes, &AotOperation::StartAtoms { ids: vec![id.clone()] }).expect("ready");
            if let Ok(failed) = operate(&one, &AotOperation::Fail { id }) {
                prop_assert_eq!(&failed, &bytes);
            }
        }
    }

    #[test]
    fn a_forced_choice_is_undone_by_forcing_the_old_one(plan in plans(), id in id()) {
        let bytes = plan.fresh().file();
        let Some(old) = Model::of(&bytes).groups.first().and_then(|group| group.selected.clone()) else { return Ok(()) };
        let force = |id: &str| redirect(Correction::ForceSelection { group: "g".into(), id: id.into(), reason: "r".into() });
        let Ok(there) = operate(&bytes, &force(&id)) else { return Ok(()) };
        let back = operate(&there, &force(&old)).expect("it was selected before");
        prop_assert_eq!(until_trail(&back), until_trail(&bytes));
        prop_assert_eq!(Model::of(&back).trail.len(), 3);
    }

    #[test]
    fn a_limit_is_undone_by_the_old_one(plan in plans(), limit in 1..50_u32) {
        prop_assume!(limit != 9);
        let bytes = plan.fresh().file();
        let held = operate(&bytes, &AotOperation::HoldForRedirect).expect("legal");
        let patch = |limit| redirect(Correction::Constraints(ConstraintPatch { max_stall_count: Some(limit), ..ConstraintPatch::default() }));
        let there = operate(&held, &patch(limit)).expect("legal");
        let back = operate(&there, &patch(9)).expect("legal");
        let until = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text[..text.find("corrections:").expect("corrections")].to_owned()
        };
        prop_assert_eq!(until(&back), until(&bytes));
    }
}

/// Everything before the trail, which keeps both choices.
fn until_trail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    text[..text.find("\ntrail:").expect("trail")].to_owned()
}

/// The generator reaches every operation: each succeeds on some plan.
#[test]
fn every_operation_is_reached() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reached = BTreeSet::new();
    for _ in 0..3_000 {
        let (plan, operation): (Plan, AotOperation) = (
            plans().new_tree(&mut runner).expect("a plan").current(),
            operations().new_tree(&mut runner).expect("an operation").current(),
        );
        if operate(&plan.file(), &operation).is_ok() {
            let name = format!("{operation:?}");
            let name = match &operation {
                AotOperation::Redirect { change, .. } => {
                    format!("Redirect {}", word_of(&format!("{change:?}")))
                }
                _ => word_of(&name),
            };
            reached.insert(name);
        }
    }
    assert_eq!(reached.len(), 21, "{reached:?}");
}

fn word_of(debug: &str) -> String {
    debug.chars().take_while(|c| c.is_alphabetic()).collect()
}
