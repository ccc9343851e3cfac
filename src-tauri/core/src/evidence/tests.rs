//! Evidence that proves, and evidence that only looks like it.

use super::EvidenceCode::*;
use super::*;
use crate::checklist::{CheckOutcome, ItemKind, Verification};
use crate::view::ChecklistRow;

const FILE: &str = "docs/plan.md";
const NOW: &str = "1111111111111111111111111111111111111111";
const THEN: &str = "2222222222222222222222222222222222222222";

fn item(id: &str) -> EvidenceItem {
    EvidenceItem { id: id.to_owned(), text: format!("The {id} é") }
}

fn check(value: &str) -> Option<EvidenceCheck> {
    Some(EvidenceCheck { kind: "command".to_owned(), value: value.to_owned() })
}

fn kind(kind: &str, value: &str) -> Option<EvidenceCheck> {
    Some(EvidenceCheck { kind: kind.to_owned(), value: value.to_owned() })
}

/// `npm test` passes at this content, for the items `a` and `b`.
fn passed() -> EvidenceRecord {
    EvidenceRecord {
        v: VERSION,
        file: FILE.to_owned(),
        items: vec![item("a"), item("b")],
        check: check("npm test"),
        verdict: Verdict::Pass,
        exit_code: Some(0),
        tests: Some(TestsRan { passed: 12, failed: 0, skipped: 1 }),
        at: "2026-11-30T08:00:00Z".to_owned(),
        iteration: Some(4),
        commit: Some(THEN.to_owned()),
        content: Some(NOW.to_owned()),
        accepted: None,
        before: String::new(),
    }
}

fn failed() -> EvidenceRecord {
    EvidenceRecord { verdict: Verdict::Fail, exit_code: Some(1), ..passed() }
}

fn claims(ids: &[&str]) -> Claimed {
    Claimed { items: ids.iter().map(|id| item(id)).collect(), ..Claimed::default() }
}

fn written(records: &[EvidenceRecord]) -> String {
    String::from_utf8(addition(b"", records)).unwrap()
}

/// The codes that are found, each once; without the counts of tests.
fn codes(text: &str, claimed: &Claimed, content: Option<&str>, now: &[EvidenceRecord]) -> Vec<EvidenceCode> {
    let mut codes: Vec<EvidenceCode> =
        judge(&read(text.as_bytes()), claimed, FILE, content, now).iter().map(|found| found.code).collect();
    codes.retain(|code| *code != EV15_tests_counted);
    codes.sort();
    codes.dedup();
    codes
}

/// What a record is after a change.
fn of(change: fn(&mut EvidenceRecord)) -> EvidenceRecord {
    let mut record = passed();
    change(&mut record);
    record
}

fn of_another_folder() -> EvidenceRecord {
    EvidenceRecord { content: Some(THEN.to_owned()), ..passed() }
}

/// A name, the evidence, what the loop calls done, and what is found.
type Case = (&'static str, fn() -> Vec<EvidenceRecord>, &'static [&'static str], &'static [EvidenceCode]);

const CASES: [Case; 22] = [
    ("proven", || vec![passed()], &["a", "b"], &[]),
    (
        "proven after it failed elsewhere",
        || vec![EvidenceRecord { content: None, ..failed() }, passed()],
        &["a"],
        &[],
    ),
    ("nothing is claimed", || vec![failed()], &[], &[]),
    ("no evidence at all", Vec::new, &["a"], &[EV1_no_evidence]),
    (
        "a report of yesterday",
        || vec![EvidenceRecord { at: "2026-11-29T08:00:00Z".into(), ..of_another_folder() }],
        &["a"],
        &[EV5_other_content],
    ),
    (
        "evidence of another folder with the same plan",
        || vec![of_another_folder()],
        &["a"],
        &[EV5_other_content],
    ),
    ("evidence without a content", || vec![of(|it| it.content = None)], &["a"], &[EV5_other_content]),
    (
        "evidence of another loop",
        || vec![of(|it| it.file = "other/plan.md".into())],
        &["a"],
        &[EV1_no_evidence, EV4_other_loop],
    ),
    ("a box ticked in another branch", || vec![passed()], &["a", "b", "c"], &[EV7_item_unproven]),
    (
        "a box with another text",
        || vec![of(|it| it.items[0].text = "Something easier".into())],
        &["a"],
        &[EV7_item_unproven],
    ),
    ("the check fails", || vec![failed()], &["a"], &[EV6_not_passed]),
    (
        "it passed, and fails since on the same content",
        || vec![passed(), failed()],
        &["a"],
        &[EV6_not_passed, EV13_flaky],
    ),
    ("it changes its mind", || vec![failed(), passed()], &["a"], &[EV13_flaky]),
    ("the command is exit 0", || vec![of(|it| it.check = check("exit 0"))], &["a"], &[EV9_always_passes]),
    ("the command does nothing", || vec![of(|it| it.check = check(" : "))], &["a"], &[EV9_always_passes]),
    (
        "an easier command took its place",
        || vec![failed(), of(|it| it.check = check("npm test -- --only easy"))],
        &["a"],
        &[EV6_not_passed],
    ),
    (
        "a file of the same name took the place of a command",
        || vec![failed(), of(|it| it.check = kind("file", "npm test"))],
        &["a"],
        &[EV6_not_passed],
    ),
    ("passed with exit code 1", || vec![of(|it| it.exit_code = Some(1))], &["a"], &[EV8_contradicts_itself]),
    ("passed without an exit code", || vec![of(|it| it.exit_code = None)], &["a"], &[EV8_contradicts_itself]),
    (
        "passed with tests that failed",
        || vec![of(|it| it.tests = Some(TestsRan { passed: 11, failed: 1, skipped: 0 }))],
        &["a"],
        &[EV8_contradicts_itself],
    ),
    (
        "one check of two",
        || vec![passed(), EvidenceRecord { check: check("npm run lint"), ..of_another_folder() }],
        &["a"],
        &[EV5_other_content],
    ),
    ("a person accepts it", || vec![failed(), accepted()], &["a", "b"], &[EV14_accepted]),
];

fn accepted() -> EvidenceRecord {
    EvidenceRecord {
        check: None,
        accepted: Some(Acceptance { by: "ada".into(), why: "later".into() }),
        ..passed()
    }
}

#[test]
fn what_is_claimed_is_proven_or_what_is_missing_is_told() {
    for (name, records, claimed, expected) in CASES {
        assert_eq!(codes(&written(&records()), &claims(claimed), Some(NOW), &[]), expected, "{name}");
    }
    let completed = Claimed { completed: true, ..Claimed::default() };
    assert_eq!(codes(&written(&[passed()]), &completed, Some(NOW), &[]), [], "completed, without items");
    assert_eq!(codes("", &completed, Some(NOW), &[]), [EV1_no_evidence]);
    assert_eq!(codes(&written(&[passed()]), &claims(&["a"]), None, &[]), [EV10_content_unknown]);
    let before = written(&[failed(), EvidenceRecord { content: Some(THEN.into()), ..accepted() }]);
    assert_eq!(codes(&before, &claims(&["a"]), Some(NOW), &[]), [EV6_not_passed], "accepted was other work");
}

#[test]
fn a_file_that_was_written_over_is_seen() {
    let honest = written(&[failed(), passed(), EvidenceRecord { check: check("npm run lint"), ..passed() }]);
    let lines: Vec<&str> = honest.lines().collect();
    let all = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    let told = |text: &str| {
        let evidence = read(text.as_bytes());
        evidence.faults
    };
    assert_eq!(told(&honest), []);
    let edited = lines[0].replacen("\"fail\"", "\"pass\"", 1);
    let broken = EvidenceFault::Broken;
    assert_eq!(told(&all(&[&edited, lines[1], lines[2]])), [(2, broken)], "edited");
    assert_eq!(told(&all(&[lines[0], lines[2]])), [(2, broken)], "one was taken out");
    assert_eq!(told(&all(&[lines[1], lines[2]])), [(1, broken)], "the first was taken out");
    assert_eq!(
        told(&all(&[lines[1], lines[0], lines[2]])),
        [(1, broken), (2, broken), (3, broken)],
        "other order"
    );
    assert_eq!(told(&all(&[lines[0], lines[1], lines[1], lines[2]])), [(3, broken)], "twice");
    let unreadable = EvidenceFault::Unreadable;
    assert_eq!(told(&all(&[lines[0], "{}", lines[1]])), [(2, unreadable), (3, broken)]);
    let newer = lines[0].replacen("\"v\":1", "\"v\":2", 1);
    assert_eq!(told(&all(&[&newer])), [(1, unreadable)], "a newer version is not guessed");
    assert_eq!(told(&honest.replace('\n', "\r\n\r\n")), [], "line ends are no content");
    assert_eq!(
        codes(&all(&[lines[0], lines[2]]), &claims(&["a"]), Some(NOW), &[]),
        [EV2_broken_chain, EV6_not_passed]
    );
}

#[test]
fn a_line_behind_that_of_another_program_is_written_again_and_only_then_it_counts() {
    let first = written(&[passed()]);
    let theirs = String::from_utf8(addition(first.as_bytes(), &[failed()])).unwrap();
    let lint = EvidenceRecord { check: check("npm run lint"), ..passed() };
    let ours = String::from_utf8(addition(first.as_bytes(), std::slice::from_ref(&lint))).unwrap();
    let late = first.clone() + &theirs + &ours;
    assert_eq!(read(late.as_bytes()).faults, [(3, EvidenceFault::Broken)]);
    let again = late.clone() + &String::from_utf8(addition(late.as_bytes(), &[lint])).unwrap();
    assert_eq!(read(again.as_bytes()).faults, []);
}

#[test]
fn a_line_is_ascii_and_says_all_of_it() {
    let text = written(&[passed()]);
    assert!(text.is_ascii() && text.ends_with('\n') && text.lines().count() == 1, "{text}");
    assert_eq!(read(text.as_bytes()).records, [(1, passed())]);
    let without_end = text.trim_end().to_owned();
    let both =
        without_end.clone() + &String::from_utf8(addition(without_end.as_bytes(), &[failed()])).unwrap();
    assert_eq!((read(both.as_bytes()).records.len(), read(both.as_bytes()).faults.len()), (2, 0));
    assert_eq!(path_beside("docs/plan.md"), "docs/plan.evidence.jsonl");
    assert_eq!(path_beside(".ralph/a.b/TODO.md"), ".ralph/a.b/TODO.evidence.jsonl");
    assert_eq!(path_beside("todo"), "todo.evidence.jsonl");
}

#[test]
fn checks_of_the_loop_itself_decide_which_results_are_needed() {
    let row = |kind, depth, value: Option<&str>| ChecklistRow {
        kind,
        depth,
        item: "x".into(),
        check_type: value.map(|_| CheckType::Command),
        value: value.map(str::to_owned),
        ..ChecklistRow::default()
    };
    let of = |checks: Vec<ChecklistRow>| Claimed { completed: true, checks, ..Claimed::default() };
    let text = written(&[passed()]);
    let both =
        of(vec![row(ItemKind::Check, 0, Some("npm test")), row(ItemKind::Check, 0, Some("npm run lint"))]);
    assert_eq!(codes(&text, &both, Some(NOW), &[]), [EV11_never_checked]);
    let edited = of(vec![row(ItemKind::Check, 0, Some("npm test || true"))]);
    assert_eq!(codes(&text, &edited, Some(NOW), &[]), [EV11_never_checked], "edited since");
    let kept = ChecklistRow {
        check_type: Some(CheckType::TestsKept),
        value: Some(String::new()),
        ..row(ItemKind::Check, 0, None)
    };
    let tests = of(vec![kept]);
    let passes = written(&[EvidenceRecord { check: kind("tests_kept", ""), exit_code: None, ..passed() }]);
    assert_eq!(codes(&passes, &tests, Some(NOW), &[]), [], "a check without a value");
    assert_eq!(codes(&text, &tests, Some(NOW), &[]), [EV11_never_checked]);
    let any = of(vec![
        row(ItemKind::AnyOf, 0, None),
        row(ItemKind::Check, 1, Some("npm test")),
        row(ItemKind::Check, 1, Some("npm run lint")),
    ]);
    assert_eq!(codes(&text, &any, Some(NOW), &[]), [], "one of both is enough");
}

#[test]
fn a_run_of_the_checks_becomes_records_that_prove_it() {
    let row = |value: &str| ChecklistRow {
        kind: ItemKind::Check,
        check_type: Some(CheckType::Command),
        value: Some(value.to_owned()),
        ..ChecklistRow::default()
    };
    let outcome = |row, flaky| CheckOutcome {
        row,
        verdict: Verdict::Pass,
        exit_code: Some(0),
        at: Some(1_796_025_600_000.0),
        flaky,
        tests: Some(TestsRan { passed: 12, failed: 0, skipped: 1 }),
        ..CheckOutcome::default()
    };
    let found = Verification {
        iteration: 4,
        results: vec![outcome(0, false), outcome(1, true)],
        ..Verification::default()
    };
    let about =
        EvidenceRecord { check: None, verdict: Verdict::Unknown, exit_code: None, tests: None, ..passed() };
    let checks = [row("npm test"), row("npm run e2e")];
    let records = records_of(&found, &checks, &about);
    let expected = EvidenceRecord { at: "2026-11-30T08:00:00Z".into(), ..passed() };
    assert_eq!((records.len(), &records[0]), (3, &expected));
    let claimed = Claimed { checks: checks.to_vec(), ..claims(&["a"]) };
    assert_eq!(codes(&written(&records), &claimed, Some(NOW), &[]), [EV13_flaky]);
}

#[test]
fn what_is_run_now_proves_and_refutes() {
    let yesterday = written(&[EvidenceRecord { content: Some(THEN.into()), ..passed() }]);
    assert_eq!(codes(&yesterday, &claims(&["a"]), Some(NOW), &[passed()]), []);
    let said = codes(&written(&[passed()]), &claims(&["a"]), Some(NOW), &[failed()]);
    assert_eq!(said, [EV6_not_passed, EV12_says_otherwise_now, EV13_flaky]);
}

#[test]
fn a_check_that_changes_its_mind_on_the_same_content_is_flaky() {
    let of = |value: &str, content: Option<&str>, verdict| EvidenceRecord {
        check: check(value),
        content: content.map(str::to_owned),
        verdict,
        ..passed()
    };
    let history = [
        of("test", Some(THEN), Verdict::Fail),
        of("test", Some(NOW), Verdict::Pass), // the files changed in between
        of("lint", Some(NOW), Verdict::Pass),
        of("lint", Some(NOW), Verdict::Unknown),
        of("e2e", Some(NOW), Verdict::Fail),
        of("e2e", Some(NOW), Verdict::Pass),
        of("e2e", Some(NOW), Verdict::Pass),
        of("perf", None, Verdict::Fail),
        of("perf", None, Verdict::Pass),
    ];
    let expected = FlakyCheck { check: check("e2e").unwrap(), content: NOW.to_owned(), passed: 2, failed: 1 };
    assert_eq!(flaky(&history), [expected]);
}

#[test]
fn tests_are_counted_and_fewer_of_them_prove_less() {
    let counts = |passed, failed, skipped| Some(TestsRan { passed, failed, skipped });
    let judged = |then: EvidenceRecord, now: EvidenceRecord| {
        let found = judge(&read(written(&[then]).as_bytes()), &claims(&["a"]), FILE, Some(NOW), &[now]);
        let told =
            |found: EvidenceFinding| (found.code, found.args.into_values().collect::<Vec<_>>().join(" "));
        found.into_iter().map(told).collect::<Vec<_>>()
    };
    let counted = |text: &str| (EV15_tests_counted, text.to_owned());
    let fewer = |text: &str| (EV16_fewer_tests, text.to_owned());
    for (now, expected) in [
        (counts(12, 0, 1), vec![counted("npm test 0 12 1")]),
        (counts(14, 0, 0), vec![counted("npm test 0 14 0")]),
        (counts(11, 0, 2), vec![fewer("npm test 11 12"), counted("npm test 0 11 2")]),
        (None, vec![fewer("npm test 0 12")]),
    ] {
        let now = EvidenceRecord { tests: now, ..passed() };
        assert_eq!(judged(passed(), now.clone()), expected);
        assert_eq!(judged(of_another_folder(), now), expected, "whatever the folder held then");
    }
    let uncounted = EvidenceRecord { tests: None, ..passed() };
    assert_eq!(judged(uncounted, passed()), [counted("npm test 0 12 1")]);
}

/// Each is what nobody looked for: a record that only looks like proof, or that only looks like its opposite.
#[test]
fn what_only_looks_like_proof_is_told_from_it() {
    let not = |code| EvidenceRecord {
        check: kind("not_command", "npm audit"),
        exit_code: Some(code),
        tests: None,
        ..passed()
    };
    let judged =
        |records: &[EvidenceRecord], ids: &[&str]| codes(&written(records), &claims(ids), Some(NOW), &[]);
    assert_eq!(judged(&[not(1)], &["a"]), []);
    assert_eq!(judged(&[not(0)], &["a"]), [EV8_contradicts_itself], "it passes by failing");
    let about =
        |items: Vec<EvidenceItem>, value: &str| EvidenceRecord { items, check: check(value), ..passed() };
    let two = [about(vec![item("a"), item("b")], "npm test"), about(vec![item("a")], "npm run lint")];
    assert_eq!(judged(&two, &["a", "b"]), [EV7_item_unproven], "only one of both checks has seen it");
    let some = EvidenceRecord { items: vec![item("a")], ..accepted() };
    assert_eq!(judged(&[failed(), some.clone()], &["a"]), [EV14_accepted]);
    let said = judged(&[failed(), some], &["a", "b"]);
    assert_eq!(said, [EV6_not_passed, EV14_accepted], "the other one is not accepted");
    let whole = EvidenceRecord { items: Vec::new(), ..accepted() };
    assert_eq!(judged(&[failed(), whole], &["a", "b"]), [EV14_accepted], "all of it is");
    let again = |then: EvidenceRecord, now| codes(&written(&[then]), &claims(&["a"]), Some(NOW), &[now]);
    assert_eq!(again(failed(), failed()), [EV6_not_passed], "it did not pass before");
    let more = Some(TestsRan { passed: 20, failed: 0, skipped: 0 });
    let known = [passed(), EvidenceRecord { tests: more, ..failed() }];
    let now = codes(&written(&known), &claims(&["a"]), Some(NOW), &[passed()]);
    assert_eq!(now, [EV13_flaky], "those of a failure are no measure");
}
