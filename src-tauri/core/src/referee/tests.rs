//! Loops of the three driven formats whose work claims more than its checks bear out.

use super::*;
use crate::checklist::CommandEnd;
use crate::checklist::wanted::{Check, CheckItem, CheckKind, CheckPart};
use crate::driver::{EndReason, Ended, ObservedRun, UsedUp};
use crate::format::FileFacts;
use crate::loops::drive;
use crate::view::{ClaimCounts, CompanionKind, LoopDetail};

pub(super) fn check(kind: CheckKind, value: &str) -> CheckItem {
    CheckItem { item: String::new(), part: CheckPart::Check(Check { kind, value: value.to_owned() }) }
}

pub(super) fn memory(checks: Vec<CheckItem>) -> Memory {
    let mut memory = Memory::default();
    memory.policy.checks = checks;
    memory
}

pub(super) fn facts() -> FileFacts<'static> {
    FileFacts { stem: "x", modified: Timestamp::from_millis(1_000), now: Timestamp::from_millis(2_000) }
}

pub(super) fn list(iteration: u32, boxes: &[bool]) -> String {
    let lines: Vec<String> = boxes
        .iter()
        .enumerate()
        .map(|(at, done)| format!("- [{}] Item {at}", if *done { "x" } else { " " }))
        .collect();
    format!("<!-- loop: status=running iteration={iteration} max=9 -->\n{}\n", lines.join("\n"))
}

fn prompt() -> Vec<Companion> {
    vec![Companion {
        kind: CompanionKind::Prompt,
        file: "PROMPT.md".into(),
        bytes: b"Do it.".to_vec(),
        cut: false,
    }]
}

/// What is next for a list with this text, after its claims were noted.
pub(super) fn next(text: &str, memory: &mut Memory) -> LoopNext {
    let (facts, beside) = (facts(), prompt());
    note_claims(Format::Ralph, (text.as_bytes(), &facts), &beside, memory);
    drive::step(Format::Ralph, (text.as_bytes(), &facts), memory, Some(&beside)).next
}

/// Answers the command that is next with this exit code.
pub(super) fn answer(text: &str, memory: &mut Memory, code: i32) {
    let LoopNext::Command(check) = next(text, memory) else { panic!("a command") };
    let end = CommandEnd::Exit(code);
    let result = CommandResult { end, stdout: "3 tests failed", stderr: "", took_ms: 5.0, tests: None };
    let facts = facts();
    drive::conclude_command(Format::Ralph, &check, &result, (text.as_bytes(), &facts), memory);
}

/// An agent works, and ends.
pub(super) fn work(text: &str, memory: &mut Memory) -> String {
    let LoopNext::Agent { task, .. } = next(text, memory) else { panic!("an agent") };
    let ended = Ended::Answered { text: "done", structured: None, plain: true };
    let facts = facts();
    let seen = ObservedRun::default();
    drive::conclude(Format::Ralph, &task, &ended, seen, None, (text.as_bytes(), &facts), memory);
    task.prompt
}

fn said(memory: &Memory) -> Vec<(u32, Option<u32>, Option<u32>)> {
    memory.referee.items.iter().map(|item| (item.claimed, item.proven, item.broke)).collect()
}

#[test]
fn a_list_ends_only_when_what_it_claims_is_proven() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test"), check(CheckKind::File, "dist/app")]);
    let nothing = list(0, &[false, false]);
    assert!(
        !work(&nothing, &mut memory).contains("Checks that fail"),
        "nothing is claimed, so nothing is checked"
    );
    // The first item is claimed: the checks run before the next agent, a failing command twice, and the agent is told.
    let one = list(1, &[true, false]);
    answer(&one, &mut memory, 1);
    answer(&one, &mut memory, 1);
    let LoopNext::Files(files) = next(&one, &mut memory) else { panic!("a file") };
    let facts = facts();
    let found = [(files[0].clone(), FileFound::Found(vec!["dist/app".into()]))];
    drive::conclude_files(Format::Ralph, &found, (one.as_bytes(), &facts), &mut memory);
    let told = work(&one, &mut memory);
    assert!(
        told.contains("make test: exit code 1")
            && told.contains("3 tests failed")
            && !told.contains("dist/app")
    );
    assert_eq!(said(&memory), [(1, None, None)]);
    // Everything is claimed and proven.
    let all = list(2, &[true, true]);
    answer(&all, &mut memory, 0);
    let LoopNext::Files(files) = next(&all, &mut memory) else { panic!("a file") };
    let found = [(files[0].clone(), FileFound::Found(vec!["dist/app".into()]))];
    drive::conclude_files(Format::Ralph, &found, (all.as_bytes(), &facts), &mut memory);
    assert!(matches!(next(&all, &mut memory), LoopNext::Write(operation) if operation.completes()));
    assert_eq!(said(&memory), [(1, Some(2), None), (2, Some(2), None)]);
}

#[test]
fn finished_work_that_fails_is_sent_back_until_a_person_is_asked() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    for round in 1..=3 {
        let text = list(round, &[true]);
        answer(&text, &mut memory, 1);
        answer(&text, &mut memory, 1);
        if round < 3 {
            assert!(work(&text, &mut memory).contains("Checks that fail"));
        }
    }
    let text = list(3, &[true]);
    let LoopNext::Ask(question) = next(&text, &mut memory) else { panic!("a question") };
    assert_eq!((question.code, question.count), (QuestionCode::NotProven, 3));
    // Once more; then it is accepted, with the reason.
    memory.question = Some(question.clone());
    memory.reply(&Reply::TryAgain);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    work(&text, &mut memory);
    memory.question = Some(question);
    memory.reply(&Reply::Accept { reason: " The server is down. ".into(), by: "ada".into() });
    let next_step = next(&text, &mut memory);
    assert!(matches!(next_step, LoopNext::Write(operation) if operation.completes()));
    assert_eq!(memory.referee.accepted.as_deref(), Some("The server is down."));
    assert!(memory.referee.items[0].accepted && !memory.referee.items[0].is_proven());
}

#[test]
fn the_limit_of_the_loop_holds_for_work_that_is_sent_back() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    let text = list(9, &[true]);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    let limit = LoopNext::End(EndReason::Limit { limit: UsedUp::Iterations });
    assert_eq!(next(&text, &mut memory), limit);
}

#[test]
fn a_check_that_changes_its_mind_is_flaky_and_what_breaks_later_is_told() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    let text = list(1, &[true, false]);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 0);
    let outcome = &memory.referee.verification().unwrap().results[0];
    assert!(outcome.flaky && outcome.verdict == Verdict::Pass && outcome.evidence.contains("The first time"));
    assert_eq!(said(&memory), [(1, Some(1), None)]);
    work(&text, &mut memory);
    // The second item is claimed, and its checks fail: the first one stays proven.
    let both = list(2, &[true, true]);
    answer(&both, &mut memory, 1);
    answer(&both, &mut memory, 1);
    assert_eq!(said(&memory), [(1, Some(1), None), (2, None, None)]);
    assert_eq!(memory.claim_counts(), Some(ClaimCounts { claimed: 2, proven: 1 }));
    work(&both, &mut memory);
    let text = list(3, &[true, true]);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    assert_eq!(said(&memory), [(1, Some(1), Some(3)), (2, None, None)], "nothing else was claimed since");
    assert_eq!(memory.claim_counts(), Some(ClaimCounts { claimed: 2, proven: 0 }));
    memory.policy.checks.clear();
    assert_eq!(memory.claim_counts(), None, "without checks nothing is proven or not");
}

#[test]
fn a_person_confirms_at_the_end_and_no_check_runs_for_another_format_or_without_files_beside() {
    let mut memory = memory(vec![check(CheckKind::Assertion, "It looks right")]);
    let part = list(1, &[true, false]);
    assert!(matches!(next(&part, &mut memory), LoopNext::Agent { .. }), "nobody is asked in between");
    let text = list(2, &[true, true]);
    let LoopNext::Ask(question) = next(&text, &mut memory) else { panic!("a question") };
    assert_eq!(question.code, QuestionCode::ConfirmAssertion);
    memory.question = Some(question);
    memory.reply(&Reply::Confirm);
    assert!(matches!(next(&text, &mut memory), LoopNext::Write(operation) if operation.completes()));
    let facts = facts();
    let blind = drive::next(Format::Ralph, (text.as_bytes(), &facts), &memory);
    assert!(matches!(blind, LoopNext::Write(_)));
}

#[test]
fn nobody_is_asked_about_work_that_failed_already_and_it_is_sent_back_once() {
    let checks = vec![check(CheckKind::Command, "make test"), check(CheckKind::Assertion, "It looks right")];
    let mut memory = memory(checks);
    let text = list(1, &[true]);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    assert!(matches!(next(&text, &mut memory), LoopNext::Agent { .. }));
    assert_eq!(memory.referee.sent_back, 1);
}

#[test]
fn a_file_that_cannot_be_read_takes_back_nothing() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    let text = list(1, &[true]);
    answer(&text, &mut memory, 1);
    let before = memory.referee.clone();
    let facts = facts();
    note_claims(Format::Ralph, (b"\xff\xfe", &facts), &prompt(), &mut memory);
    assert_eq!(memory.referee, before);
}

#[test]
fn a_result_of_a_check_that_was_edited_meanwhile_proves_nothing() {
    let all = list(1, &[true]);
    let (then, facts) = (memory(vec![check(CheckKind::Command, "make test")]), facts());
    for (now, counts) in [
        (check(CheckKind::Command, "make test"), true),
        (check(CheckKind::Command, "make test || true"), false),
        (check(CheckKind::NotCommand, "make test"), false),
        (check(CheckKind::File, "make test"), false),
        (check(CheckKind::TestsKept, ""), false),
    ] {
        let mut memory = then.clone();
        let LoopNext::Command(asked) = next(&all, &mut memory) else { panic!("a command") };
        memory.policy.checks = vec![now.clone()];
        let result =
            CommandResult { end: CommandEnd::Exit(0), stdout: "", stderr: "", took_ms: 5.0, tests: None };
        drive::conclude_command(Format::Ralph, &asked, &result, (all.as_bytes(), &facts), &mut memory);
        let completes =
            matches!(next(&all, &mut memory), LoopNext::Write(operation) if operation.completes());
        assert_eq!(completes, counts, "{now:?}");
    }
}

#[test]
fn weakened_tests_fail_and_what_cannot_be_compared_proves_nothing() {
    let all = list(1, &[true]);
    for (found, expected) in [
        (FileFound::TestsKept, Verdict::Pass),
        (FileFound::Weakened(vec!["a.test.ts:3: a test is skipped now: it.skip(".into()]), Verdict::Fail),
        (FileFound::TooMany, Verdict::Unknown),
        (FileFound::NotCompared("no repository".into()), Verdict::Unknown),
    ] {
        let mut memory = memory(vec![check(CheckKind::TestsKept, "")]);
        let LoopNext::Files(asked) = next(&all, &mut memory) else { panic!("a look") };
        let facts = facts();
        let found = [(asked[0].clone(), found)];
        drive::conclude_files(Format::Ralph, &found, (all.as_bytes(), &facts), &mut memory);
        assert_eq!(memory.referee.verification().unwrap().verdict, expected, "{found:?}");
        if expected == Verdict::Fail {
            assert!(work(&all, &mut memory).contains("a.test.ts:3: a test is skipped now"));
        }
    }
}

#[test]
fn a_check_that_nobody_can_run_is_a_flaw_of_the_form() {
    let ok = check(CheckKind::Command, "true");
    let group = |items| CheckItem { item: "g".into(), part: CheckPart::AnyOf(items) };
    let deep = (0..6).fold(ok.clone(), |inner, _| group(vec![inner]));
    let table = [
        (vec![], None),
        (vec![ok.clone()], None),
        (vec![group(vec![ok.clone()])], None),
        (vec![check(CheckKind::File, " ")], Some("blank_check")),
        (vec![check(CheckKind::TestsKept, "")], None),
        (vec![group(vec![])], Some("blank_check")),
        (vec![check(CheckKind::Command, &"x".repeat(4_001))], Some("check_too_long")),
        (vec![deep], Some("checks_too_deep")),
        (vec![ok; 101], Some("too_many_checks")),
    ];
    for (checks, expected) in table {
        assert_eq!(flaw(&checks), expected, "{checks:?}");
    }
}

#[test]
fn a_floor_is_reached_by_a_report_of_the_work_that_says_enough() {
    let all = list(1, &[true]);
    for (found, expected) in [
        (FileFound::Covered(80.0), Verdict::Pass),
        (FileFound::Covered(79.99), Verdict::Fail),
        (FileFound::Nothing, Verdict::Fail),
        (FileFound::NoReport, Verdict::Unknown),
        (FileFound::Stale(None), Verdict::Unknown),
    ] {
        let mut memory = memory(vec![check(CheckKind::Coverage, "80:lcov.info")]);
        work(&list(0, &[false]), &mut memory);
        let LoopNext::Files(asked) = next(&all, &mut memory) else { panic!("a look") };
        let since = asked[0].floor.map(|floor| floor.since);
        assert_eq!(since, Some(facts().now), "when the newest work began");
        let facts = facts();
        let found = [(asked[0].clone(), found)];
        drive::conclude_files(Format::Ralph, &found, (all.as_bytes(), &facts), &mut memory);
        assert_eq!(memory.referee.verification().unwrap().verdict, expected, "{found:?}");
    }
}

#[test]
fn a_box_with_another_text_is_another_claim_and_a_new_one_ends_what_a_person_accepted() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    let one = list(1, &[true, false]);
    answer(&one, &mut memory, 0);
    assert_eq!(memory.claim_counts(), Some(ClaimCounts { claimed: 1, proven: 1 }));
    let other = one.replace("Item 0", "Something easier");
    assert!(matches!(next(&other, &mut memory), LoopNext::Command(_)), "no check has seen it");
    assert_eq!(memory.claim_counts(), Some(ClaimCounts { claimed: 1, proven: 0 }));
    memory.referee.accepted = Some("as it is".into());
    assert!(matches!(next(&other, &mut memory), LoopNext::Command(_)));
    assert!(memory.referee.accepted.is_some(), "nothing new is claimed");
    let both = list(1, &[true, true]);
    assert!(matches!(next(&both, &mut memory), LoopNext::Command(_)));
    assert_eq!(memory.referee.accepted, None);
}

#[test]
fn what_passes_later_is_proven_and_no_longer_only_accepted() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test")]);
    let text = list(1, &[true, false]);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    memory.referee.accept_items();
    let accepted = |memory: &Memory| (memory.referee.items[0].accepted, memory.referee.items[0].is_proven());
    assert_eq!(accepted(&memory), (true, false));
    work(&text, &mut memory);
    let both = list(2, &[true, true]);
    answer(&both, &mut memory, 0);
    assert_eq!(accepted(&memory), (false, true));
}

#[test]
fn only_completed_items_are_claims() {
    use crate::view::{TaskState, TaskView};
    let states = [
        TaskState::Pending,
        TaskState::InProgress,
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Dropped,
    ];
    let tasks = states.map(|state| TaskView { id: format!("{state:?}"), state, ..TaskView::default() });
    let detail = LoopDetail { tasks: tasks.into(), ..LoopDetail::default() };
    let ids: Vec<String> = claims_of(&detail).into_iter().map(|claim| claim.id).collect();
    assert_eq!(ids, ["Completed"]);
}
