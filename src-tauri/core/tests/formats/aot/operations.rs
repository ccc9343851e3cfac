//! Operations on the work graph, line by line (AoT contract §7, §9.5).

use crate::aot::{FACTS, detail, fixture, text};
use loopdeck_core::formats::aot::{
    self, AotOperation, BaseCase, Check, CheckItem, CheckKind, CheckPart, ConstraintPatch, Correction,
    Criteria, Criterion, NewAtom, ObjectivePatch, Quality,
};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_text::text_edit;

pub(crate) fn operate(bytes: &[u8], operation: &AotOperation) -> Result<Vec<u8>, Refusal> {
    let edits = aot::operate(bytes, &FACTS, operation, &crate::aot::NOBODY)?;
    Ok(text_edit::apply(bytes, &edits).expect("edits do not overlap"))
}

pub(crate) fn done(file: &str, operation: &AotOperation) -> String {
    let after = operate(file.as_bytes(), operation).expect("legal");
    crate::aot::hook::agree("operation", &after);
    String::from_utf8(after).expect("utf-8")
}

pub(crate) fn changed(file: &str, operation: &AotOperation) -> Vec<String> {
    changes(file.as_bytes(), done(file, operation).as_bytes())
}

pub(crate) fn refused(file: &str, operation: &AotOperation) -> RefusalCode {
    operate(file.as_bytes(), operation).expect_err("refused").code
}

pub(crate) fn read(file: &str) -> LoopDetail {
    detail(file.as_bytes(), StatusWord::Running)
}

pub(crate) fn status(file: &str, id: &str) -> String {
    read(file).atoms.into_iter().find(|atom| atom.id == id).expect(id).status
}

pub(crate) fn resolve(id: &str) -> AotOperation {
    AotOperation::Resolve {
        id: id.into(),
        summary: "Created User model".into(),
        artifacts: vec!["src/models/user.ts".into()],
    }
}

fn backtrack(id: &str) -> AotOperation {
    AotOperation::Backtrack { id: id.into(), why: "no \"lib\"".into() }
}

pub(crate) fn child(description: &str) -> NewAtom {
    NewAtom { description: description.into(), ..NewAtom::default() }
}

pub(crate) fn redirect(change: Correction) -> AotOperation {
    AotOperation::Redirect { change, description: "why".into() }
}

/// A file of the seed without its comments.
pub(crate) fn bare(name: &str) -> String {
    let strip = |line: &str| match line.split_once("  #") {
        Some((before, _)) => before.trim_end().to_owned(),
        None => line.to_owned(),
    };
    text(name).lines().map(|line| format!("{}\n", strip(line))).collect()
}

/// The lines that differ, as `-old` and `+new`, by the longest common subsequence.
pub(crate) fn changes(before: &[u8], after: &[u8]) -> Vec<String> {
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(after));
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            found.push(format!("-{}", old[i]));
            i += 1;
        } else {
            found.push(format!("+{}", new[j]));
            j += 1;
        }
    }
    found
}

pub(crate) const BACKTRACKED: &str = "sample-04-running-or-backtracked";

#[test]
fn resolving_makes_the_seeds_after_of_its_before() {
    assert_eq!(done(&text("seed-002-s6-2-before"), &resolve("A1")), text("seed-002-s6-2-after"));
}

#[test]
fn decomposing_makes_the_seeds_after_of_its_before() {
    let decompose = AotOperation::Decompose {
        parent: "A2".into(),
        children: vec![child("Password hashing"), child("JWT generation")],
        reason: "Split auth logic into hashing and token".into(),
    };
    let after = done(&text("seed-002-s6-1-before"), &decompose);
    let without_blank = |text: &str| text.replace("\n\n", "\n");
    assert_eq!(without_blank(&after), without_blank(&bare("seed-002-s6-1-after")));
    assert_eq!(
        refused(
            &after,
            &AotOperation::Decompose { parent: "A1".into(), children: vec![child("x")], reason: "y".into() }
        ),
        RefusalCode::AtomResolved
    );
    let taken = NewAtom { id: Some("A1".into()), ..child("x") };
    assert_eq!(
        refused(
            &after,
            &AotOperation::Decompose { parent: "A2".into(), children: vec![taken], reason: "y".into() }
        ),
        RefusalCode::IdTaken
    );
    let circle = NewAtom { depends_on: vec!["A2".into()], ..child("x") };
    assert_eq!(
        refused(
            &after,
            &AotOperation::Decompose { parent: "A2".into(), children: vec![circle], reason: "y".into() }
        ),
        RefusalCode::WouldCycle
    );
}

#[test]
fn backtracking_makes_the_seeds_after_of_its_before() {
    let after =
        done(&text("seed-002-s6-3-before"), &AotOperation::Backtrack { id: "A4".into(), why: "JWT".into() });
    let expected = bare("seed-002-s6-3-after")
        .replace("status: in_progress", "status: pending")
        .replace("JWT failed, switching to Session", "Auto-backtrack: A4 failed (JWT)")
        .replace("2025-01-15T11:00:00Z", "2026-11-20T04:24:21Z");
    assert_eq!(after, expected);
}

#[test]
fn containers_resolve_as_in_the_seed() {
    assert_eq!(
        done(&bare("seed-002-s6-4-before"), &AotOperation::ResolveContainers),
        bare("seed-002-s6-4-after")
    );
    let nothing = text("seed-002-s6-2-before");
    assert_eq!(done(&nothing, &AotOperation::ResolveContainers), nothing);
}

#[test]
fn the_last_alternative_stops_the_loop() {
    let once = done(&text(BACKTRACKED), &backtrack("A3_postgres"));
    assert_eq!(
        changes(text(BACKTRACKED).as_bytes(), once.as_bytes()),
        [
            "-    status: in_progress",
            "+    status: pending",
            "-    selected: A3_postgres",
            "-    failed: [A3_sqlite]",
            "+    selected: A3_files",
            "+    failed: [A3_sqlite, A3_postgres]",
            "+  - or_group: storage_method",
            "+    selected: A3_files",
            "+    reason: \"Auto-backtrack: A3_postgres failed (no \\\"lib\\\")\"",
            "+    timestamp: \"2026-11-20T04:24:21Z\"",
        ]
    );
    let twice = done(&once, &backtrack("A3_files"));
    assert_eq!(
        changes(once.as_bytes(), twice.as_bytes()),
        [
            "-  status: running",
            "+  status: stopped",
            "-  stop_reason: null",
            "+  stop_reason: \"OR group exhausted: storage_method - all alternatives failed\"",
            "-    failed: [A3_sqlite, A3_postgres]",
            "+    failed: [A3_sqlite, A3_postgres, A3_files]",
        ]
    );
    assert_eq!(refused(&twice, &backtrack("A3_files")), RefusalCode::NotRunning);
    assert_eq!(refused(&once, &backtrack("A5")), RefusalCode::UnknownGroup);
}

#[test]
fn atoms_start_fail_and_wait_again() {
    let file = text(BACKTRACKED).replacen("status: in_progress", "status: pending", 1);
    let start =
        |ids: &[&str]| AotOperation::StartAtoms { ids: ids.iter().map(|id| (*id).to_owned()).collect() };
    assert_eq!(
        changed(&file, &start(&["A3_postgres"])),
        ["-    status: pending", "+    status: in_progress"]
    );
    assert_eq!(refused(&file, &start(&["A4"])), RefusalCode::AtomNotReady);
    assert_eq!(refused(&file, &start(&["A2"])), RefusalCode::AtomIsContainer);
    assert_eq!(refused(&file, &start(&["A1"])), RefusalCode::AtomResolved);
    assert_eq!(refused(&file, &start(&["A99"])), RefusalCode::UnknownAtom);
    assert_eq!(refused(&file, &start(&["A4"; 4])), RefusalCode::BadValue);
    assert_eq!(done(&text(BACKTRACKED), &AotOperation::ResetInProgress), file);
    assert_eq!(done(&file, &start(&["A3_postgres"])), text(BACKTRACKED));
    let fail = |id: &str| AotOperation::Fail { id: id.into() };
    assert_eq!(refused(&text(BACKTRACKED), &fail("A3_postgres")), RefusalCode::AtomInGroup);
    assert_eq!(refused(&file, &fail("A5")), RefusalCode::AtomNotInProgress);
    let before = text("seed-002-s6-2-before");
    assert_eq!(changed(&before, &fail("A1")), ["-    status: in_progress", "+    status: pending"]);
    assert_eq!(refused(&before.replacen("running", "stopped", 1), &fail("A1")), RefusalCode::NotRunning);
    assert_eq!(refused(&file, &resolve("A5")), RefusalCode::AtomNotInProgress);
}

#[test]
fn a_branch_is_selected() {
    let open =
        text(BACKTRACKED).replacen("selected: A3_postgres\n    failed", "selected: null\n    failed", 1);
    let select = |id: Option<&str>| AotOperation::Select {
        group: "storage_method".into(),
        id: id.map(str::to_owned),
        reason: "first".into(),
    };
    let after = done(&open, &select(None));
    assert_eq!(
        changes(open.as_bytes(), after.as_bytes())[..2],
        ["-    selected: null", "+    selected: A3_postgres"]
    );
    assert_eq!(refused(&open, &select(Some("A3_sqlite"))), RefusalCode::NotAChoice);
    let switched = done(&after, &select(Some("A3_files")));
    assert_eq!(status(&switched, "A3_postgres"), "pending");
    assert_eq!(read(&switched).trail.len(), 4);
    assert_eq!(
        refused(&open, &AotOperation::Select { group: "x".into(), id: None, reason: String::new() }),
        RefusalCode::UnknownGroup
    );
}

#[test]
fn a_loop_completes_only_when_nothing_is_left() {
    assert_eq!(refused(&text(BACKTRACKED), &AotOperation::Complete), RefusalCode::NotDone);
    let file = text("seed-002-s6-2-after").replace("status: pending", "status: resolved");
    assert_eq!(changed(&file, &AotOperation::Complete), ["-  status: running", "+  status: completed"]);
}

#[test]
fn an_objective_change_clears_the_trail() {
    let held = done(&text(BACKTRACKED), &AotOperation::HoldForRedirect);
    let patch = ObjectivePatch { goal: Some("New\n\"goal\"".into()), ..ObjectivePatch::default() };
    let after = done(&held, &redirect(Correction::Objective(patch)));
    assert!(after.contains("\n  goal: \"New \\\"goal\\\"\"\n") && after.contains("\ntrail: []\n"), "{after}");
    let correction = "corrections:\n  - timestamp: \"2026-11-20T04:24:21Z\"\n    type: objective_change\n    description: \"why\"\n    trail_cleared: true\n---\n";
    assert!(after.contains(correction) && after.contains("  redirect_requested: false\n"), "{after}");
    assert!(!after.contains("in_progress") && after.contains("prev_pending_count: 6\n"));
    let blank = ObjectivePatch { goal: Some(" \n".into()), ..ObjectivePatch::default() };
    assert_eq!(refused(&held, &redirect(Correction::Objective(blank))), RefusalCode::BadValue);
    assert_eq!(
        refused(&held, &redirect(Correction::Objective(ObjectivePatch::default()))),
        RefusalCode::BadValue
    );
}

#[test]
fn a_new_completion_check_is_written_as_the_scripts_read_it() {
    let check = |kind, value: &str| Check { kind, value: value.into() };
    let item = |item: &str, part| CheckItem { item: item.into(), part };
    let list = BaseCase::Checklist(vec![
        item("Tests", CheckPart::Check(check(CheckKind::Command, "npm test -- 'a'"))),
        item(
            "One of",
            CheckPart::AnyOf(vec![item("File", CheckPart::Check(check(CheckKind::File, "dist/*")))]),
        ),
    ]);
    let patch = |base_case| {
        redirect(Correction::Objective(ObjectivePatch {
            base_case: Some(base_case),
            ..ObjectivePatch::default()
        }))
    };
    let file = text("seed-002-s6-2-before");
    let after = done(&file, &patch(list));
    let expected = "  base_case:\n    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test -- 'a' \"\n      - item: \"One of\"\n        any_of:\n          - item: \"File\"\n            check:\n              type: file\n              value: \"dist/*\"\n  background_intent:";
    assert!(after.contains(expected), "{after}");
    assert_eq!(read(&after).checklist.len(), 3);
    let single = done(&after, &patch(BaseCase::Single(check(CheckKind::NotCommand, "grep -r \"x\" src"))));
    assert!(single.contains(
        "  base_case:\n    type: not_command\n    value: 'grep -r \"x\" src'\n  background_intent:"
    ));
    assert_eq!(refused(&file, &patch(BaseCase::Checklist(vec![]))), RefusalCode::BadValue);
}

#[test]
fn a_judged_check_is_written_and_read_back() {
    let criterion = |name: &str, weight| Criterion { criterion: name.into(), weight, ..Criterion::default() };
    let rubric = Quality {
        criteria: Criteria::Rubric(vec![
            Criterion {
                description: Some("one \"thing\"".into()),
                levels: vec![(1, "Hard to read".into()), (5, "Clear".into())],
                ..criterion("Readability", Some(40))
            },
            criterion("Design", Some(40)),
        ]),
        pass_threshold: 350,
        scope: Some("src/**/*.ts".into()),
    };
    let patch = |base_case| {
        redirect(Correction::Objective(ObjectivePatch {
            base_case: Some(base_case),
            ..ObjectivePatch::default()
        }))
    };
    let file = text("seed-002-s6-2-before");
    let item = CheckItem { item: "Code".into(), part: CheckPart::Quality(rubric.clone()) };
    let after = done(&file, &patch(BaseCase::Checklist(vec![item])));
    let expected = "    checklist:\n      - item: \"Code\"\n        check:\n          type: quality\n          rubric:\n            - criterion: \"Readability\"\n              description: \"one \\\"thing\\\"\"\n              weight: 0.4\n              levels:\n                1: \"Hard to read\"\n                5: \"Clear\"\n            - criterion: \"Design\"\n              weight: 0.4\n          pass_threshold: 3.5\n          scope: \"src/**/*.ts\"\n";
    assert!(after.contains(expected), "{after}");
    let rows = read(&after).checklist;
    assert_eq!((rows[0].pass_threshold, rows[0].rubric[0].weight), (Some(3.5), 0.5));
    let text_form = Quality { criteria: Criteria::Text("Short functions".into()), ..rubric.clone() };
    let single = done(&after, &patch(BaseCase::Quality(text_form.clone())));
    assert!(single.contains("  base_case:\n    type: quality\n    criteria: \"Short functions\"\n"));
    for bad in [
        Quality { pass_threshold: 100, ..text_form.clone() },
        Quality { pass_threshold: 501, ..text_form.clone() },
        Quality { criteria: Criteria::Text(" ".into()), ..text_form.clone() },
        Quality { criteria: Criteria::Rubric(vec![]), ..text_form.clone() },
        Quality { criteria: Criteria::Rubric(vec![criterion("a", Some(0))]), ..text_form.clone() },
        Quality { criteria: Criteria::Rubric(vec![criterion("", None)]), ..text_form.clone() },
        Quality {
            criteria: Criteria::Rubric(vec![Criterion {
                levels: vec![(3, "b".into()), (1, "a".into())],
                ..criterion("a", None)
            }]),
            ..text_form.clone()
        },
    ] {
        assert_eq!(refused(&file, &patch(BaseCase::Quality(bad.clone()))), RefusalCode::BadValue, "{bad:?}");
    }
}

#[test]
fn limits_change_with_their_correction() {
    let patch = ConstraintPatch { max_stall_count: Some(5), ..ConstraintPatch::default() };
    let changes = changed(&text("seed-002-s6-2-before"), &redirect(Correction::Constraints(patch)));
    assert_eq!(
        changes[..3],
        ["-    max_stall_count: 3", "+    max_stall_count: 5", "-    status: in_progress"]
    );
    let zero = ConstraintPatch { max_iterations: Some(0), ..ConstraintPatch::default() };
    assert_eq!(refused(&text(BACKTRACKED), &redirect(Correction::Constraints(zero))), RefusalCode::BadValue);
}

#[test]
fn the_graph_is_adjusted() {
    let atom =
        NewAtom { or_group: Some("storage_method".into()), depends_on: vec!["A1".into()], ..child("Redis") };
    let after = done(&text(BACKTRACKED), &redirect(Correction::AddAtom(atom)));
    assert!(after.contains("  - id: A6\n    description: \"Redis\"\n    status: pending\n    depends_on: [A1]\n    or_group: storage_method\n"));
    assert!(
        after.contains("choices: [A3_sqlite, A3_postgres, A3_files, A6]\n")
            && after.contains("prev_pending_count: -1")
    );
    let gone = done(&after, &redirect(Correction::DeleteAtom { id: "A6".into() }));
    assert!(!gone.contains("A6") && gone.contains("choices: [A3_sqlite, A3_postgres, A3_files]\n"));
    let delete = |id: &str| refused(&after, &redirect(Correction::DeleteAtom { id: id.into() }));
    assert_eq!(delete("A4"), RefusalCode::AtomInUse);
    assert_eq!(delete("A3_postgres"), RefusalCode::AtomInUse);
    assert_eq!(delete("A1"), RefusalCode::AtomResolved);
    assert_eq!(delete("A2"), RefusalCode::AtomIsContainer);
    let leaf = done(&after, &redirect(Correction::DeleteAtom { id: "A3_files".into() }));
    assert!(!leaf.contains("A3_files") && leaf.contains("children: [A3_sqlite, A3_postgres]\n"));
    let force = Correction::ForceSelection {
        group: "storage_method".into(),
        id: "A3_sqlite".into(),
        reason: "again".into(),
    };
    let forced = done(&after, &redirect(force));
    assert!(forced.contains("selected: A3_sqlite\n    failed: []\n"));
    assert_eq!(read(&forced).trail.last().expect("entry").reason, "again");
    let unknown = NewAtom { depends_on: vec!["A77".into()], ..child("x") };
    assert_eq!(refused(&after, &redirect(Correction::AddAtom(unknown))), RefusalCode::UnknownAtom);
    assert_eq!(
        refused(
            &after,
            &AotOperation::Redirect { change: Correction::AddAtom(child("x")), description: " ".into() }
        ),
        RefusalCode::BadValue
    );
}

#[test]
fn line_ends_and_missing_sections_are_kept_and_made() {
    let windows = text("seed-002-s6-2-before").replace('\n', "\r\n");
    let expected = text("seed-002-s6-2-after").replace('\n', "\r\n");
    let after = operate(windows.as_bytes(), &resolve("A1")).expect("legal");
    assert_eq!(String::from_utf8(after).expect("utf-8"), expected);
    let short = text("seed-002-s6-2-before").replacen("bindings: {}\n", "", 1);
    let after = done(&short, &resolve("A1"));
    assert!(after.contains("\nbindings:\n  A1:\n    summary: \"Created User model\"\n    artifacts: [\"src/models/user.ts\"]\ntrail: []\n"), "{after}");
    let many = AotOperation::Resolve {
        id: "A1".into(),
        summary: "one\n  two: \"x\"\n---".into(),
        artifacts: vec![],
    };
    let after = done(&short, &many);
    assert!(
        after.contains("    summary: |-\n      one\n        two: \"x\"\n      —\n    artifacts: []\n"),
        "{after}"
    );
}

#[test]
fn files_with_errors_are_not_touched() {
    let broken = text("seed-002-s6-2-before").replacen("status: in_progress", "status: started", 1);
    assert_eq!(refused(&broken, &AotOperation::ResetInProgress), RefusalCode::DamagedFile);
    assert_eq!(
        operate(&fixture("seed-002-s3")[..40], &resolve("A1")).expect_err("torn").code,
        RefusalCode::DamagedFile
    );
}
