//! Quality checks of a plan: who judges them, when, and what an answer means.

use super::tests::{answer, check, list, memory, next, work};
use super::*;
use crate::checklist::CheckedBy;
use crate::checklist::wanted::{CheckItem, CheckKind, CheckPart, Criteria, Criterion, Quality};
use crate::driver::{Ended, FailureClass, ObservedRun};
use crate::loops::drive;
use crate::view::ClaimCounts;

fn quality(criteria: Criteria, pass_threshold: u32) -> CheckItem {
    let quality = Quality { criteria, pass_threshold, scope: Some("src".into()) };
    CheckItem { item: "Readable".into(), part: CheckPart::Quality(quality) }
}

fn rubric() -> Criteria {
    let line = |criterion: &str, weight| Criterion {
        criterion: criterion.into(),
        weight: Some(weight),
        levels: vec![(1, "a riddle".into()), (5, "reads like prose".into())],
        ..Criterion::default()
    };
    Criteria::Rubric(vec![line("Naming", 75), line("Length", 25)])
}

/// The judge that is next ends in this way.
fn judge(text: &str, memory: &mut Memory, ended: &Ended<'_>) -> (String, LoopConclusion) {
    let LoopNext::Agent { task, begin: None } = next(text, memory) else { panic!("a judge") };
    assert!(task.is_judge() && task.only_looks(), "{:?}", task.action);
    let (facts, seen) = (tests::facts(), ObservedRun::default());
    let file = (text.as_bytes(), &facts);
    let concluded = drive::conclude(Format::Ralph, &task, ended, seen, None, file, memory);
    (task.prompt, concluded)
}

fn said(text: &str) -> Ended<'_> {
    Ended::Answered { text, structured: None, plain: true }
}

#[test]
fn a_judge_that_looks_only_decides_last_and_its_reason_goes_to_the_next_agent() {
    let mut memory = memory(vec![check(CheckKind::Command, "make test"), quality(rubric(), 350)]);
    let part = list(1, &[true, false]);
    answer(&part, &mut memory, 0);
    work(&part, &mut memory); // nobody judges half of the work
    let text = list(2, &[true, true]);
    answer(&text, &mut memory, 0);
    let low = r#"{"scores":[{"criterion":"Length","score":5,"evidence":"short"},{"criterion":"Naming","score":2,"evidence":"src/a.rs says x1"}]}"#;
    let (prompt, concluded) = judge(&text, &mut memory, &said(low));
    assert_eq!(concluded, Conclusion::Write(Vec::new()));
    for part in ["Naming", "reads like prose", "Item 1", "change no file", "src"] {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
    let outcome = memory.referee.verification().unwrap().results.last().unwrap();
    assert_eq!((outcome.verdict, outcome.by, outcome.score), (Verdict::Fail, CheckedBy::Judge, Some(2.75)));
    assert_eq!(outcome.why, None, "it has a result");
    assert!(work(&text, &mut memory).contains("Naming 2: src/a.rs says x1"));
    let again = list(3, &[true, true]);
    answer(&again, &mut memory, 0);
    judge(&again, &mut memory, &said(&low.replace('2', "4")));
    assert!(matches!(next(&again, &mut memory), LoopNext::Write(operation) if operation.completes()));
    assert_eq!(memory.claim_counts(), Some(ClaimCounts { claimed: 2, proven: 2 }));
}

#[test]
fn without_an_answer_nothing_is_known_and_nobody_judges_what_failed() {
    let mut memory =
        memory(vec![check(CheckKind::Command, "true"), quality(Criteria::Text("Nice".into()), 300)]);
    let text = list(1, &[true]);
    answer(&text, &mut memory, 0);
    for ended in [
        said("It is wonderful: 5 of 5!"),
        said(r#"{"scores":[{"criterion":"overall","score":9,"evidence":"x"}]}"#),
    ] {
        let (_, concluded) = judge(&text, &mut memory, &ended);
        assert!(matches!(concluded, Conclusion::Retry { .. }), "{concluded:?}");
    }
    judge(&text, &mut memory, &Ended::Failed { class: FailureClass::Work, message: "it crashed" });
    let outcome = memory.referee.verification().unwrap().results.last().unwrap();
    assert_eq!((outcome.verdict, outcome.why), (Verdict::Unknown, Some(checklist::UnknownWhy::NotJudged)));
    let LoopNext::Ask(question) = next(&text, &mut memory) else { panic!("a question") };
    assert!(question.code == QuestionCode::NotProven && question.text.contains("it crashed"));
    memory.question = Some(question);
    memory.reply(&Reply::TryAgain);
    answer(&text, &mut memory, 1);
    answer(&text, &mut memory, 1);
    let LoopNext::Agent { task, .. } = next(&text, &mut memory) else { panic!("an agent") };
    assert!(!task.is_judge());
}

#[test]
fn another_threshold_or_rubric_is_another_check() {
    let print = |item: CheckItem| made_of(&rows_of(&[item]), &[]);
    let prints = [
        print(quality(rubric(), 350)),
        print(quality(rubric(), 360)),
        print(quality(Criteria::Text("Nice".into()), 350)),
    ];
    assert!(prints[0] != prints[1] && prints[1] != prints[2]);
    for (item, expected) in [
        (quality(rubric(), 350), None),
        (quality(rubric(), 100), Some("bad_threshold")),
        (quality(Criteria::Text(" ".into()), 350), Some("blank")),
        (quality(Criteria::Rubric(Vec::new()), 350), Some("no_weight")),
    ] {
        assert_eq!(flaw(&[item]), expected);
    }
}

#[test]
fn scores_that_contradict_themselves_and_those_for_another_rubric_are_none() {
    let text = list(1, &[true]);
    let twice = r#"{"scores":[{"criterion":"Naming","score":5,"evidence":"x"},{"criterion":"Naming","score":1,"evidence":"x"},{"criterion":"Length","score":5,"evidence":"x"}]}"#;
    let mut memory = memory(vec![quality(rubric(), 350)]);
    let (_, concluded) = judge(&text, &mut memory, &said(twice));
    assert!(matches!(concluded, Conclusion::Retry { .. }), "{concluded:?}");
    // While the judge looks, somebody chooses another rubric.
    let LoopNext::Agent { task, .. } = next(&text, &mut memory) else { panic!("a judge") };
    let Criteria::Rubric(mut lines) = rubric() else { unreachable!() };
    lines[0].weight = Some(10);
    memory.policy.checks = vec![quality(Criteria::Rubric(lines), 350)];
    let scores = r#"{"scores":[{"criterion":"Naming","score":5,"evidence":"x"},{"criterion":"Length","score":5,"evidence":"x"}]}"#;
    let (facts, seen) = (tests::facts(), ObservedRun::default());
    let file = (text.as_bytes(), &facts);
    drive::conclude(Format::Ralph, &task, &said(scores), seen, None, file, &mut memory);
    assert_eq!(memory.referee.verification(), None);
}
