//! The graph as shown: from tables of atoms and tasks, and from any detail.

use super::*;
use crate::view::{AtomState, AtomView, DecompositionView, OrGroupView, TaskState, TaskView, TrailView};
use crate::work_drawing::drawing;
use loopdeck_graph::layout::Style;
use proptest::prelude::*;

fn on(id: &str) -> DependencyView {
    DependencyView { id: id.to_owned(), known: true, satisfied: false, status: String::new() }
}

/// `A2 <A1 in P`: waits for A1, part of P.
fn atom(told: &str, state: AtomState) -> AtomView {
    let (id, rest) = told.split_once(' ').unwrap_or((told, ""));
    let (needs, parent) =
        rest.split_once("in ").map_or((rest, None), |(needs, parent)| (needs, Some(parent)));
    AtomView {
        id: id.to_owned(),
        description: String::new(),
        status: String::new(),
        state,
        depends_on: needs.split_whitespace().map(|need| on(need.trim_start_matches('<'))).collect(),
        blocked_by: Vec::new(),
        on_critical_path: false,
        ready_to_resolve: false,
        or_group: None,
        parent: parent.map(str::to_owned),
        children: Vec::new(),
        summary: None,
        summary_cut: false,
        artifacts: Vec::new(),
        has_result: false,
        line: None,
    }
}

fn atoms(told: &[&str]) -> LoopDetail {
    let atoms = told.iter().map(|told| atom(told, AtomState::Blocked)).collect();
    LoopDetail { atoms, ..LoopDetail::default() }
}

fn task(id: &str, state: TaskState, depends_on: &[&str]) -> TaskView {
    let depends_on = depends_on.iter().map(|&id| id.to_owned()).collect();
    TaskView { id: id.to_owned(), state, status: format!("{state:?}"), depends_on, ..TaskView::default() }
}

fn view(detail: &LoopDetail) -> WorkView {
    work_view(detail).expect("a graph")
}

fn id<'d>(detail: &'d LoopDetail, unit: &WorkUnit) -> &'d str {
    let at = unit.at as usize;
    detail.atoms.get(at).map_or_else(|| &*detail.tasks[at].id, |atom| &*atom.id)
}

#[test]
fn there_is_a_graph_where_there_are_atoms_or_tasks_that_wait() {
    let tasks = |depends_on: &[&str]| LoopDetail {
        tasks: vec![task("t1", TaskState::Pending, &[]), task("t2", TaskState::Pending, depends_on)],
        ..LoopDetail::default()
    };
    assert!(work_view(&LoopDetail::default()).is_none());
    assert!(work_view(&tasks(&[])).is_none());
    assert_eq!(view(&tasks(&["t1"])).of, UnitKind::Task);
    assert_eq!(view(&atoms(&["A1"])).of, UnitKind::Atom);
    let split = DecompositionView {
        parent: "A1".into(),
        children: Vec::new(),
        done: 0,
        total: 0,
        reason: String::new(),
        time: None,
    };
    let only = LoopDetail { decompositions: vec![split], ..tasks(&[]) };
    assert_eq!((view(&only).of, view(&only).units.len()), (UnitKind::Task, 2));
}

#[test]
fn atoms_know_who_waits_for_them_and_what_is_missing() {
    let detail = atoms(&["A1", "A2 <A1 <A1 <gone", "A3 <gone <A1", "A1 <A3", "A4 <else"]);
    let view = view(&detail);
    let told: Vec<_> = view.units.iter().map(|unit| (id(&detail, unit), unit.needed_by.join(" "))).collect();
    let expected = [("A1", "A2 A3"), ("A2", ""), ("A3", ""), ("A4", "")];
    assert_eq!(told, expected.map(|(id, by)| (id, by.to_owned())), "the first of one id counts");
    let missing: Vec<_> =
        view.missing.iter().map(|unit| (unit.id.as_str(), unit.needed_by.join(" "))).collect();
    assert_eq!(missing, [("gone", "A2 A3".to_owned()), ("else", "A4".to_owned())]);
    assert!(view.units.iter().all(|unit| unit.needs.is_empty()), "atoms say it themselves");
}

#[test]
fn what_waits_for_a_choice_is_joined_to_the_one_that_holds_now() {
    let group = |selected: &str| OrGroupView {
        name: "way".into(),
        choices: Vec::new(),
        selected: Some(selected.into()),
        speculative: false,
        satisfied: false,
        next: None,
        exhausted: false,
    };
    let mut detail = atoms(&["A1", "A1_alt <A1", "B <A1", "C <A1 <A1_alt", "D"]);
    for choice in [0, 1] {
        detail.atoms[choice].or_group = Some("way".into());
    }
    for (selected, first, second) in [
        ("A1", "A1_alt B C", "C"),
        // The choice itself doesn't wait for itself, and what names both is joined once.
        ("A1_alt", "A1_alt B C", "B C"),
        ("gone", "A1_alt B C", "C"),
    ] {
        detail.or_groups = vec![group(selected)];
        let view = view(&detail);
        let by: Vec<String> = view.units.iter().map(|unit| unit.needed_by.join(" ")).collect();
        assert_eq!((by[0].as_str(), by[1].as_str()), (first, second), "{selected}");
        assert!(view.missing.is_empty(), "{selected}");
        let drawn = drawing(&detail, &Style::default());
        assert_eq!(drawn.edges.len(), by.iter().flat_map(|by| by.split_whitespace()).count(), "{selected}");
    }
}

#[test]
fn a_task_waits_for_tasks_that_are_not_done_or_not_there() {
    let tasks = vec![
        task("t1", TaskState::Completed, &[]),
        task("t2", TaskState::Failed, &["t1", "t9", "t3"]),
        task("t3", TaskState::InProgress, &[]),
        task("t1", TaskState::Pending, &["t2"]),
    ];
    let detail = LoopDetail { tasks, ..LoopDetail::default() };
    let view = view(&detail);
    let needs: Vec<_> = view.units[1]
        .needs
        .iter()
        .map(|need| (need.id.as_str(), need.known, need.satisfied, need.status.as_str()))
        .collect();
    assert_eq!(
        needs,
        [("t1", true, true, "Completed"), ("t9", false, false, ""), ("t3", true, false, "InProgress")]
    );
    let standings: Vec<_> = view.units.iter().map(|unit| unit.standing).collect();
    assert_eq!(standings, [UnitStanding::Done, UnitStanding::Open, UnitStanding::Now]);
    assert_eq!(view.totals, WorkTotals { done: 1, active: 3, idle: 0 }, "a failed task is still to be done");
}

#[test]
fn the_whole_leaves_out_alternatives_that_are_not_followed() {
    let states = [
        (AtomState::Resolved, UnitStanding::Done),
        (AtomState::InProgress, UnitStanding::Now),
        (AtomState::Ready, UnitStanding::Now),
        (AtomState::Blocked, UnitStanding::Open),
        (AtomState::Container, UnitStanding::Open),
        (AtomState::ChooseBranch, UnitStanding::Open),
        (AtomState::Inactive, UnitStanding::Idle),
        (AtomState::Failed, UnitStanding::Idle),
    ];
    let named = states.iter().enumerate().map(|(at, (state, _))| atom(&format!("A{at}"), *state));
    let view = view(&LoopDetail { atoms: named.collect(), ..LoopDetail::default() });
    for (unit, (state, standing)) in view.units.iter().zip(states) {
        assert_eq!(unit.standing, standing, "{state:?}");
    }
    assert_eq!(view.totals, WorkTotals { done: 1, active: 6, idle: 2 });
}

#[test]
fn units_lie_in_each_other_without_circles() {
    let told = ["P in Q", "C1 in P", "C2 in P", "Q in P", "D in D", "E in nobody", "F in C1"];
    let detail = atoms(&told);
    let view = view(&detail);
    let told: Vec<_> = view
        .units
        .iter()
        .map(|unit| (id(&detail, unit), unit.parent.as_deref(), unit.depth, unit.children.join(" ")))
        .collect();
    let expected = [
        ("P", Some("Q"), 1, "C1 C2"),
        ("C1", Some("P"), 2, "F"),
        ("C2", Some("P"), 2, ""),
        ("Q", None, 0, "P"),
        ("D", None, 0, ""),
        ("E", None, 0, ""),
        ("F", Some("C1"), 3, ""),
    ];
    assert_eq!(told, expected.map(|(id, parent, depth, children)| (id, parent, depth, children.to_owned())));
}

#[test]
fn a_chain_of_ten_thousand_parents_is_no_trouble() {
    let told: Vec<String> = (0..10_000).map(|at| format!("A{at} in A{}", at + 1)).collect();
    let detail = atoms(&told.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(view(&detail).units[0].depth, 9_999);
}

#[test]
fn a_container_is_as_far_as_its_decomposition_says_or_its_children_are() {
    let split = |parent: &str, done, total| DecompositionView {
        parent: parent.to_owned(),
        children: Vec::new(),
        done,
        total,
        reason: String::new(),
        time: None,
    };
    let mut detail = atoms(&["P", "C1 in P", "C2 in P", "Q", "D1 in Q", "R", "E1 in R", "S"]);
    for done in ["C1", "C2", "D1", "R"] {
        let atom = detail.atoms.iter_mut().find(|atom| atom.id == done).expect("there");
        atom.state = AtomState::Resolved;
    }
    detail.decompositions =
        vec![split("P", 0, 9), split("Q", 1, 3), split("gone", 1, 1), split("Q", 1, 2), split("S", 0, 0)];
    let view = view(&detail);
    let told = |id: &str| {
        let unit = &view.units[detail.atoms.iter().position(|atom| atom.id == id).expect("there")];
        (unit.progress.map(|one| (one.done, one.total, one.finished)), unit.split)
    };
    assert_eq!(told("P"), (Some((0, 9, false)), Some(0)));
    assert_eq!(told("Q"), (Some((1, 2, false)), Some(3)), "the last one counts");
    assert_eq!(told("R"), (Some((0, 1, true)), None), "done by itself");
    assert_eq!(told("S"), (Some((0, 0, false)), Some(4)), "there is nothing in it");
    assert_eq!(told("C1"), (None, None));
    detail.decompositions.clear();
    let again = work_view(&detail).expect("a graph");
    assert_eq!(again.units[0].progress, Some(UnitProgress { done: 2, total: 2, finished: true }));
}

#[test]
fn units_have_the_numbers_of_the_choices_that_chose_them() {
    let entry =
        |selected: &str, turn| TrailView { selected: selected.to_owned(), turn, ..TrailView::default() };
    let trail = vec![entry("A1", Some(1)), entry("A1", None), entry("A2", Some(2)), entry("A1", Some(3))];
    let view = view(&LoopDetail { trail, ..atoms(&["A1", "A2", "A3"]) });
    let turns: Vec<_> = view.units.iter().map(|unit| unit.turns.clone()).collect();
    assert_eq!(turns, [vec![1, 3], vec![2], vec![]]);
}

#[test]
fn problems_of_the_graph_lead_to_the_unit_they_name_or_stand_in() {
    let mut detail = atoms(&["A1", "A2 <gone", "A3"]);
    for (atom, line) in detail.atoms.iter_mut().zip([10, 20, 30]) {
        atom.line = Some(line);
    }
    let problem = |code, found: &str, line| Problem::new(code, "").with("found", found).at_line(line);
    let table: [(Problem, Option<Option<&str>>); 9] = [
        (problem(Code::V7_cycle, "A9 -> A3 -> A1", None), Some(Some("A3"))),
        (problem(Code::V9_unknown_dependency, "gone", Some(20)), None),
        (problem(Code::V9_unknown_dependency, "other", Some(20)), Some(Some("A2"))),
        (problem(Code::V5_bad_id, "?", Some(29)), Some(Some("A2"))),
        (problem(Code::V5_bad_id, "?", Some(9)), Some(None)),
        (problem(Code::V16_orphaned_atom, "A3", Some(10)), Some(Some("A3"))),
        (problem(Code::V11_decomposition, "?", Some(999)), Some(Some("A3"))),
        (problem(Code::V12_child_dependency, "?", None), Some(None)),
        (problem(Code::V18_flags, "A1", Some(10)), None),
    ];
    for (problem, expected) in table {
        detail.problems = vec![problem.clone()];
        let told: Vec<_> = view(&detail).problems.into_iter().map(|one| one.unit).collect();
        let expected: Vec<_> = expected.into_iter().map(|unit| unit.map(str::to_owned)).collect();
        assert_eq!(told, expected, "{problem:?}");
    }
}

#[test]
fn a_sentence_speaks_of_the_first_id_that_is_known() {
    let known = |word: &str| ["A4_alt", "A5", "größe.2", "v1."].contains(&word);
    for (text, expected) in [
        ("Switched to A4_alt, see A5", Some("A4_alt")),
        ("(A5)", Some("A5")),
        ("A50 and nothing else", None),
        ("“größe.2” is A5", Some("größe.2")),
        ("See A5.", Some("A5")),
        ("See v1. and A5", Some("v1.")),
        (".A5", None),
        ("", None),
    ] {
        assert_eq!(mentioned(text, known), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn every_unit_is_told_and_drawn_once_and_no_id_leads_nowhere(
        told in prop::collection::vec(
            ("[a-e]", prop::option::of("[a-f]"), prop::collection::vec("[a-g]", 0..4), prop::option::of("[x-z]")),
            1..12,
        )
    ) {
        let made = told.iter().map(|(id, parent, needs, group)| AtomView {
            parent: parent.clone(),
            or_group: group.clone(),
            depends_on: needs.iter().map(|need| on(need)).collect(),
            ..atom(id, AtomState::Ready)
        });
        let detail = LoopDetail { atoms: made.collect(), ..LoopDetail::default() };
        let view = view(&detail);
        let ids: Vec<&str> = view.units.iter().map(|unit| id(&detail, unit)).collect();
        let place = |id: &String| ids.iter().position(|known| known == id).expect("known");
        for unit in &view.units {
            prop_assert!(unit.needed_by.iter().chain(&unit.children).all(|id| ids.contains(&id.as_str())));
            let own = id(&detail, unit);
            match &unit.parent {
                None => prop_assert_eq!(unit.depth, 0),
                Some(parent) => {
                    let above = &view.units[place(parent)];
                    prop_assert_eq!(unit.depth, above.depth + 1);
                    prop_assert!(above.children.iter().any(|child| child == own));
                }
            }
        }
        let drawn = drawing(&detail, &Style::default());
        let frames: Vec<&str> = drawn.frames.iter().map(|frame| frame.name.as_str()).collect();
        let units: Vec<&str> = drawn.units.iter().filter(|unit| !unit.missing).map(|unit| &*unit.id).collect();
        let not_framed: Vec<&str> = ids.iter().copied().filter(|id| !frames.contains(id)).collect();
        prop_assert_eq!(units, not_framed, "the same units in the same order; containers are frames");
        let missing = drawn.units.iter().filter(|unit| unit.missing).map(|unit| unit.id.clone());
        let mut told: Vec<String> = view.missing.iter().map(|unit| unit.id.clone()).collect();
        told.sort();
        let mut missing: Vec<String> = missing.collect();
        missing.sort();
        prop_assert_eq!(missing, told);
    }
}
