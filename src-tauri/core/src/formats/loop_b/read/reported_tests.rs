//! What is written can be read back, and values of another type are not hidden.

use super::super::report::noted;
use super::*;
use crate::formats::loop_b::operate::WorkerOutput;
use std::borrow::Cow;

const SEED: &str = r#"{"action":"develop","status":"success","summary":"Implemented 3 functions","files_changed":["src/auth.ts"],"next_suggestion":"validate","loop_back_to":null,"timestamp":"2026-01-22T10:15:00.000Z","detailed_output":{"tasks_completed":[{"id":"T1","description":"Create auth module"}],"metrics":{"lines_added":150,"lines_removed":20}}}"#;

fn read(text: &str) -> (WorkerReport, Option<String>) {
    let node = Node::parse(text.as_bytes()).expect("JSON");
    let rest = leftover(&node);
    let output = Output { action: String::new(), source: String::new(), node: Cow::Borrowed(&node) };
    (report(&output), rest)
}

#[test]
fn the_example_of_the_seed_is_read_into_fields() {
    let (report, rest) = read(SEED);
    let task = FinishedTask { id: "T1".into(), description: "Create auth module".into() };
    assert_eq!((report.lines_added, report.lines_removed), (Some(150), Some(20)));
    assert_eq!((report.tasks_completed, rest), (vec![task], None));
}

#[test]
fn what_is_written_is_read_again() {
    let remarks = |text: &str| vec![text.to_owned()];
    let counts = TestTally { total: 4, passed: 2, failed: 1, skipped: 1 };
    let tasks = || vec![FinishedTask { id: "T1".into(), description: "a".into() }];
    let develop = WorkerReport {
        tasks_completed: tasks(),
        lines_added: Some(3),
        suggestions: remarks("x"),
        ..WorkerReport::default()
    };
    let debug =
        WorkerReport { issues_found: remarks("leak"), suggestions: remarks("y"), ..WorkerReport::default() };
    let validate = WorkerReport {
        tests: Some(counts),
        failed_tests: remarks("refund"),
        coverage: Some(71.5),
        ..WorkerReport::default()
    };
    for (action, report) in [("develop", develop), ("debug", debug), ("validate", validate)] {
        let output = WorkerOutput {
            action: action.into(),
            detailed_output: noted(Json::text("in words")),
            report: Some(Box::new(report.clone())),
            ..WorkerOutput::default()
        };
        let text = output.json("2026-01-22T10:15:00.000Z").pretty();
        assert_eq!(read(&text), (report, Some("in words".to_owned())), "{text}");
    }
    let nothing =
        WorkerOutput { action: "validate".into(), report: Some(Box::default()), ..WorkerOutput::default() };
    let text = nothing.json("t").compact();
    assert!(
        text.contains(r#""test_results":{},"failed_tests":[],"coverage":{}"#),
        "as the seed has it: {text}"
    );
}

#[test]
fn files_of_earlier_versions_have_it_in_their_details() {
    let text = r#"{"action":"validate","detailed_output":{"test_results":{"total":3,"passed":1,"failed":2},"failed_tests":["a","b"],"coverage":64}}"#;
    let (report, rest) = read(text);
    assert_eq!(
        (report.failed_tests, report.coverage, rest),
        (vec!["a".into(), "b".into()], Some(64.0), None)
    );
    assert_eq!(report.tests.map(|tests| tests.failed), Some(2));
}

#[test]
fn what_has_another_shape_is_shown_as_it_is() {
    for (text, part) in [
        (r#"{"detailed_output":{"metrics":{"lines_added":1,"functions":3}}}"#, "\"functions\": 3"),
        (r#"{"detailed_output":{"metrics":"many"}}"#, "many"),
        (r#"{"detailed_output":{"tasks_completed":"T1"}}"#, "T1"),
        (r#"{"detailed_output":{"notes":"n","odd":1}}"#, "\"odd\": 1"),
        (r#"{"detailed_output":"raw\ntext"}"#, "raw\ntext"),
        (r#"{"coverage":"unknown","quality":{"lint":true}}"#, "coverage: \"unknown\""),
        (r#"{"coverage":{"branches":9}}"#, "\"branches\": 9"),
    ] {
        let rest = read(text).1.unwrap_or_default();
        assert!(rest.contains(part), "{text}: {rest}");
    }
    // Raw text without additions stays as coordinators write it.
    let raw = WorkerOutput {
        action: "develop".into(),
        detailed_output: Json::text("raw"),
        report: Some(Box::default()),
        ..WorkerOutput::default()
    };
    assert!(raw.json("t").compact().contains(r#""detailed_output":"raw""#));
}
