//! Alternatives that are decomposed: their parts run only while the alternative is selected, and can make it fail.

use crate::aot::driving::{Atom, ONE_COMMAND, Said, Stage, file, ids};
use loopdeck_core::driver::{Conclusion, EndReason, UsedUp};
use loopdeck_core::formats::aot::AotOperation;
use loopdeck_core::formats::aot::drive::AotNext;
use loopdeck_core::view::{AtomState, BlockerKind, FactValue};

const WAY: Option<&str> = Some("way");

/// `A1` and `A2` are alternatives; `A1` has the parts `P1` and `P2`.
const ATOMS: &[Atom<'_>] = &[
    ("A1", "pending", &[], WAY),
    ("A2", "pending", &[], WAY),
    ("P1", "pending", &[], None),
    ("P2", "pending", &[], None),
];

fn rest(selected: &str, failed: &str) -> String {
    format!(
        "\ndecompositions:\n  - parent: A1\n    children: [P1, P2]\n    reason: \"r\"\n\nor_groups:\n  way:\n    choices: [A1, A2]\n    selected: {selected}\n    failed: [{failed}]\n\nbindings: {{}}\n\ntrail:\n  - or_group: way\n    selected: {selected}\n    reason: \"first\"\n    timestamp: \"2026-01-01T00:00:00Z\"\n"
    )
}

fn stage(selected: &str, failed: &str) -> Stage {
    Stage::new(&file(ONE_COMMAND, ATOMS, &rest(selected, failed)))
}

fn backtrack(id: &str, why: &str) -> AotOperation {
    AotOperation::Backtrack { id: id.into(), why: why.into() }
}

fn fail(id: &str) -> AotOperation {
    AotOperation::Fail { id: id.into() }
}

/// Makes `P1` fail for good: the second time in a row.
fn gives_up(stage: &mut Stage, second: Said) -> Vec<AotOperation> {
    assert_eq!(stage.batch(&[Said::failed("no"), Said::failed("no")]), [fail("P1"), fail("P2")]);
    stage.end_round();
    stage.batch(&[Said::failed("still no"), second])
}

#[test]
fn parts_of_an_alternative_that_is_not_selected_do_not_run() {
    let mut stage = stage("A2", "");
    assert_eq!(ids(&stage.begin()), ["A2"]);
    let detail = stage.detail();
    let part = &detail.atoms[2];
    assert_eq!(part.state, AtomState::Inactive);
    let blockers: Vec<_> = part.blocked_by.iter().map(|by| (by.kind, by.name.as_str())).collect();
    assert_eq!(blockers, [(BlockerKind::NotSelected, "way")]);
    let refused = stage.try_write(&AotOperation::StartAtoms { ids: vec!["P1".into()] });
    assert_eq!(refused.expect_err("not ready").args["by"], "way");
}

#[test]
fn parts_of_a_failed_alternative_do_not_run() {
    let mut stage = stage("A1", "A1");
    // The driver selects the other one first.
    assert_eq!(ids(&stage.begin()), ["A2"]);
    assert_eq!(stage.detail().or_groups[0].selected.as_deref(), Some("A2"));
}

#[test]
fn parts_wait_until_a_branch_is_selected() {
    let stage = stage("null", "");
    assert!(stage.detail().batch.is_empty());
    assert!(matches!(stage.next(), AotNext::Write(AotOperation::Select { group, .. }) if group == "way"));
}

#[test]
fn parts_of_parts_do_not_run_either() {
    let mut atoms = ATOMS.to_vec();
    atoms.push(("Q1", "pending", &[], None));
    let more = "  - parent: P1\n    children: [Q1]\n    reason: \"r\"\n\nor_groups:";
    let rest = rest("A2", "").replacen("\nor_groups:", more, 1);
    let mut stage = Stage::new(&file(ONE_COMMAND, &atoms, &rest));
    assert_eq!(ids(&stage.begin()), ["A2"]);
    assert_eq!(stage.detail().atoms[4].state, AtomState::Inactive);
}

#[test]
fn a_part_that_another_container_needs_runs() {
    let mut atoms = ATOMS.to_vec();
    atoms.push(("B1", "pending", &[], None));
    let more = "  - parent: B1\n    children: [P1]\n    reason: \"r\"\n\nor_groups:";
    let rest = rest("A2", "").replacen("\nor_groups:", more, 1);
    let mut stage = Stage::new(&file(ONE_COMMAND, &atoms, &rest));
    assert_eq!(ids(&stage.begin()), ["A2", "P1"]);
}

#[test]
fn a_part_is_tried_again_before_its_alternative_is_given_up() {
    let mut stage = stage("A1", "");
    let operations = gives_up(&mut stage, Said::resolved("did P2"));
    assert_eq!(operations[0], backtrack("P1", "still no"));
    let detail = stage.detail();
    assert_eq!(detail.or_groups[0].selected.as_deref(), Some("A2"));
    assert!(detail.or_groups[0].choices[0].failed, "A1 has failed, not its part");
    assert_eq!(detail.trail.len(), 2);
    let last = detail.trail.last().expect("an entry");
    assert_eq!(
        (last.selected.as_str(), last.reason.as_str()),
        ("A2", "Auto-backtrack: A1 failed (P1: still no)")
    );
    // The result of the other part is kept: it is valid whatever happens to the alternative.
    assert!(matches!(&operations[1], AotOperation::Resolve { id, .. } if id == "P2"));
    assert_eq!(stage.atoms(), "A1 pending, A2 pending, P1 pending, P2 resolved");
    stage.end_round();
    let tasks = stage.begin();
    assert_eq!(ids(&tasks), ["A2"]);
}

#[test]
fn the_result_of_the_failed_alternative_is_removed() {
    let text = file(ONE_COMMAND, ATOMS, &rest("A1", ""));
    let text = text.replace("bindings: {}", "bindings:\n  A1:\n    summary: \"half\"\n    artifacts: []");
    let mut stage = Stage::new(&text.replacen(
        "status: pending\n    depends_on: []\n  - id: P2",
        "status: in_progress\n    depends_on: []\n  - id: P2",
        1,
    ));
    stage.write(&backtrack("P1", "no"));
    assert!(!stage.text().contains("summary: \"half\""), "{}", stage.text());
    assert_eq!(stage.atoms(), "A1 pending, A2 pending, P1 pending, P2 pending");
}

#[test]
fn other_parts_of_the_batch_neither_ask_nor_fail_it_again() {
    for other in [
        Said::Asks("Which one?".into()),
        Said::failed("no"),
        Said::split(r#"[{"description":"a"}]"#),
        Said::Answer("no JSON".into()),
    ] {
        let mut stage = stage("A1", "");
        let operations = gives_up(&mut stage, other.clone());
        assert_eq!(operations, [backtrack("P1", "still no"), fail("P2")], "{other:?}");
        assert_eq!(stage.memory.question, None);
        assert_eq!(stage.detail().trail.len(), 2);
    }
}

#[test]
fn abandoned_parts_do_not_block_completion_but_the_hook_counts_them() {
    let mut stage = stage("A1", "");
    gives_up(&mut stage, Said::failed("no either"));
    stage.end_round();
    assert_eq!(stage.control("prev_pending_count"), "4", "A1, A2, P1 and P2");
    stage.batch(&[Said::resolved("did A2")]);
    assert_eq!(stage.atoms(), "A1 pending, A2 resolved, P1 pending, P2 pending");
    let fact = |name: &str| {
        let facts = stage.detail().facts;
        facts.into_iter().find(|fact| fact.name == name).map(|fact| fact.value)
    };
    assert_eq!(fact("unresolved"), Some(FactValue::Number(0.0)));
    assert_eq!(fact("unresolved_raw"), Some(FactValue::Number(3.0)));
    stage.verify(0);
    assert_eq!(stage.settle(), AotNext::End(EndReason::Completed));
}

#[test]
fn the_last_alternative_that_fails_by_a_part_stops_the_loop() {
    let mut stage = stage("A1", "A2");
    gives_up(&mut stage, Said::resolved("did P2"));
    assert_eq!(stage.next(), AotNext::End(EndReason::Limit { limit: UsedUp::Choices }));
    assert_eq!(stage.control("stop_reason"), "\"OR group exhausted: way - all alternatives failed\"");
    assert_eq!(stage.atoms(), "A1 pending, A2 pending, P1 pending, P2 resolved", "P2 is not lost");
}

/// `P1` and `P2` are the alternatives of a group inside `A1`.
#[test]
fn a_group_that_is_exhausted_inside_an_alternative_makes_it_fail() {
    let mut atoms = ATOMS.to_vec();
    (atoms[2].3, atoms[3].3) = (Some("inner"), Some("inner"));
    let inner = "or_groups:\n  inner:\n    choices: [P1, P2]\n    selected: P1\n    failed: []\n";
    let entry = "trail:\n  - or_group: inner\n    selected: P1\n    reason: \"first\"\n    timestamp: \"2026-01-01T00:00:00Z\"\n";
    let rest = rest("A1", "").replace("or_groups:\n", inner).replace("trail:\n", entry);
    let mut stage = Stage::new(&file(ONE_COMMAND, &atoms, &rest));
    assert_eq!(stage.batch(&[Said::failed("no")]), [backtrack("P1", "no")]);
    assert_eq!(stage.detail().or_groups[0].selected.as_deref(), Some("P2"));
    stage.end_round();
    assert_eq!(stage.batch(&[Said::failed("no either")]), [backtrack("P2", "no either")]);
    let detail = stage.detail();
    assert_eq!(detail.or_groups[1].selected.as_deref(), Some("A2"));
    assert_eq!(detail.trail.last().expect("an entry").reason, "Auto-backtrack: A1 failed (P2: no either)");
    stage.end_round();
    let tasks = stage.begin();
    assert_eq!(ids(&tasks), ["A2"]);
    let Conclusion::Write(operations) = stage.conclude(&tasks, &[Said::failed("nothing works")]) else {
        panic!("written")
    };
    stage.take(Conclusion::Write(operations));
    assert_eq!(stage.control("stop_reason"), "\"OR group exhausted: way - all alternatives failed\"");
}
