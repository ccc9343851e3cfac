//! Agents' claims against the disk, the output of their log statements, and log statements left in the code.

use super::runs_tests::{Bench, skill_of};
use super::tests::{FACTS, NOW, word};
use super::*;
use crate::driver::{Checked, Conclusion, Ended, FailureClass, ObservedRun, Reply, TestsEnd};
use crate::formats::ccw::read::debug_log::DebugLog;
use loopdeck_text::json_span::json::Json;

const FIXED: &str = r#"{"hypotheses":[{"id":"H1","description":"off by one","status":"confirmed"}],"understanding":"it is fixed","fixed":true,"files_changed":["src/a.rs"]}"#;
const DONE: &str = r#"{"status":"completed","summary":"s","files_changed":["src/a.rs"]}"#;

fn answered(text: &str) -> Ended<'_> {
    Ended::Answered { text, structured: None, plain: false }
}

fn saw(files: &[String]) -> ObservedRun<'_> {
    ObservedRun { changed: Some(files), log: None }
}

/// A loop whose tests failed.
fn failing() -> Bench {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    bench.agent("develop task-001", DONE);
    bench.tests(0, &["t"]);
    bench
}

/// `action message` of all errors.
fn errors(bench: &Bench) -> Vec<String> {
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    let said = |error: &Node<'_>| {
        let of = |key: &str| error.get(key).text().unwrap_or_default().to_owned();
        assert!(crate::times::parse(&of("timestamp")).is_some());
        format!("{} {}", of("action"), of("message"))
    };
    root.get("skill_state").get("errors").items().iter().map(said).collect()
}

#[test]
fn a_fix_without_a_change_is_a_failed_try_and_not_tested() {
    let mut bench = failing();
    for round in 1..=3 {
        bench.agent_seen(&format!("debug {round}"), &answered(FIXED), saw(&[]));
        assert_eq!(bench.memory.v2.fixed, Some(false));
    }
    assert_eq!(word(&bench.next()), "ask DebugInconclusive");
    let said = errors(&bench);
    assert_eq!(said.len(), 3);
    assert_eq!(said[0], "DEBUG The answer says that the cause was removed, but no file changed.");
    let LoopV2Next::Ask(question) = bench.next() else { panic!("asks") };
    bench.memory.question = Some(question);
    bench.memory.reply(&Reply::TryAgain);
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("debugs") };
    assert!(task.prompt.contains("but no file changed"), "it is told");
    let files = ["src/a.rs".to_owned()];
    bench.agent_seen("debug 4", &answered(FIXED), saw(&files));
    assert_eq!(word(&bench.next()), "tests");
    bench.tests(1, &[]);
    bench.complete();
}

#[test]
fn what_may_have_changed_unseen_is_believed() {
    // The changes are unknown.
    let mut bench = failing();
    bench.agent_seen("debug 1", &answered(FIXED), ObservedRun::default());
    assert_eq!(word(&bench.next()), "tests");
    // An earlier round changed something that has not been tested since.
    let mut bench = failing();
    let files = ["src/a.rs".to_owned()];
    let tried = FIXED.replace("\"fixed\":true", "\"fixed\":false");
    bench.agent_seen("debug 1", &answered(&tried), saw(&files));
    bench.agent_seen("debug 2", &answered(FIXED), saw(&[]));
    assert_eq!(word(&bench.next()), "tests");
    bench.tests(0, &["t"]);
    bench.agent_seen("debug 3", &answered(FIXED), saw(&[]));
    assert_eq!(word(&bench.next()), "debug 4", "that was tested");
    // The first run of the action changed it, but its answer was unreadable.
    let mut bench = failing();
    assert!(matches!(
        bench.agent_seen("debug 1", &answered("I fixed it."), saw(&files)),
        Conclusion::Retry { .. }
    ));
    bench.agent_seen("debug 1", &answered(FIXED), saw(&[]));
    assert_eq!(word(&bench.next()), "tests");
    assert!(bench.text.contains("src/a.rs"));
    // The run was interrupted, and its changes were not observed.
    let mut bench = failing();
    let stopped = Ended::Failed { class: FailureClass::Cancelled, message: "" };
    bench.agent_seen("debug 1", &stopped, ObservedRun::default());
    bench.agent_seen("debug 1", &answered(FIXED), saw(&[]));
    assert_eq!(word(&bench.next()), "tests");
}

#[test]
fn files_that_are_named_and_did_not_change_are_dropped_and_told() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("develops") };
    let told = |changed: Option<&[String]>, text: &str, state: &str| {
        check(&task, &answered(text), changed, state.as_bytes(), &bench.memory)
    };
    let seen = ["src/b.rs".to_owned(), ".workflow/.loop/x.json".to_owned()];
    let text = bench.text.clone();
    let differs = told(Some(&seen), DONE, &text);
    assert_eq!((differs.unchanged, differs.nothing_changed), (vec!["src/a.rs".to_owned()], false));
    assert_eq!(told(None, DONE, &text), Checked::default(), "unknown");
    let same = ["src/a.rs".to_owned()];
    assert_eq!(told(Some(&same), DONE, &text), Checked::default());
    assert!(told(Some(&[]), DONE, &text).nothing_changed);
    let analysis = text.replace("\"mode\": \"write\"", "\"mode\": \"analysis\"");
    assert_ne!(analysis, text);
    assert!(!told(Some(&[]), DONE, &analysis).nothing_changed, "it is not there to change anything");
    let failed = DONE.replace("completed", "failed");
    assert!(!told(Some(&[]), &failed, &text).nothing_changed);
    assert_eq!(told(Some(&[]), "no JSON", &text), Checked::default());
    bench.agent_seen("develop task-001", &answered(DONE), saw(&seen));
    assert!(bench.text.contains("src/b.rs") && !bench.text.contains("src/a.rs"));
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    let task = &skill_of(&root, "develop", "tasks").items()[0];
    assert_eq!(task.get("status").text(), Some("completed"), "a task may need no change");
}

#[test]
fn evidence_is_what_the_log_says_when_the_agent_gives_none() {
    let lines = concat!(
        "{\"hid\":\"H1\",\"ts\":1795148661000,\"func\":\"f\",\"data\":{\"n\":1}}\n",
        "{\"hid\":\"H2\",\"ts\":1795148661001,\"func\":\"g\",\"data\":{\"n\":2}}\n",
        "a line of the program\n",
    );
    let log = DebugLog::read(lines.as_bytes());
    let files = ["src/a.rs".to_owned()];
    let seen = ObservedRun { changed: Some(&files), log: Some(&log) };
    let round = |evidence: &str| {
        format!(
            r#"{{"hypotheses":[{{"id":"H1","description":"a","status":"inconclusive","evidence":{evidence}}},{{"id":"H2","description":"b","status":"rejected","evidence":null}}],"understanding":"u","fixed":false}}"#
        )
    };
    let evidence = |bench: &Bench, at: usize| {
        let root = Node::parse(bench.text.as_bytes()).expect("JSON");
        Json::from_node(skill_of(&root, "debug", "hypotheses").items()[at].get("evidence")).compact()
    };
    let second = r#"[{"hid":"H2","ts":1795148661001,"func":"g","data":{"n":2}}]"#;
    for (given, written) in [
        ("null", r#"[{"hid":"H1","ts":1795148661000,"func":"f","data":{"n":1}}]"#),
        (r#"{"n":[1,2]}"#, r#"{"n":[1,2]}"#),
        (r#"[{"hid":"H1"},7]"#, r#"[{"hid":"H1"},7]"#),
        (r#""as text""#, r#""as text""#),
        (r#""{\"n\": 1}""#, r#"{"n":1}"#),
        (r#""[1, 2]""#, "[1,2]"),
        ("7", "7"),
    ] {
        let mut bench = failing();
        bench.agent_seen("debug 1", &answered(&round(given)), seen);
        assert_eq!(
            (evidence(&bench, 0).as_str(), evidence(&bench, 1).as_str()),
            (written, second),
            "{given}"
        );
        // A later round without new evidence keeps the earlier evidence, and adds newer log entries.
        let newer = DebugLog::read(&[lines, "{\"hid\":\"H2\",\"ts\":3}\n"].concat().into_bytes());
        let seen = ObservedRun { log: Some(&newer), ..seen };
        bench.agent_seen("debug 2", &answered(&round("null")), seen);
        assert_eq!(evidence(&bench, 0), written);
        assert!(evidence(&bench, 1).ends_with(r#"{"hid":"H2","ts":3}]"#));
    }
}

#[test]
fn failed_actions_are_errors_of_the_loop_once_it_has_a_place_for_them() {
    let mut bench = Bench::new();
    let crash = Ended::Failed { class: FailureClass::Work, message: "segfault" };
    bench.agent_seen("init", &crash, ObservedRun::default());
    bench.agent("init", "I planned it.");
    assert!(!bench.text.contains("skill_state"), "an object there would mean that INIT was done");
    bench.agent("init", r#"{"tasks":["x"]}"#);
    let said = errors(&bench);
    assert_eq!(said[0], "INIT segfault");
    assert!(said[1].starts_with("INIT The answer could not be used: "), "{said:?}");
    for class in [FailureClass::Unavailable, FailureClass::Cancelled] {
        bench.agent_seen(
            "develop task-001",
            &Ended::Failed { class, message: "limit" },
            ObservedRun::default(),
        );
    }
    assert_eq!(errors(&bench).len(), 2, "nobody's failure");
    bench.agent_seen("develop task-001", &crash, ObservedRun::default());
    bench.agent("develop task-001", DONE);
    let why = TestsEnd::CouldNotRun { why: String::new() };
    let concluded = conclude_tests(why, bench.text.as_bytes(), &FACTS, &mut bench.memory);
    bench.apply(&concluded);
    bench.memory.reply(&Reply::TryAgain);
    bench.tests(0, &["t"]);
    bench.agent_seen("debug 1", &crash, ObservedRun::default());
    assert_eq!(
        errors(&bench)[2..],
        ["DEVELOP segfault", "VALIDATE No test command is set.", "DEBUG segfault"]
    );
    // A pause does not lose them.
    bench.text = bench.text.replace("\"running\"", "\"paused\"");
    bench.memory.v2.error("debug", "late", NOW);
    bench.apply(&Conclusion::End(EndReason::Paused));
    assert_eq!(errors(&bench).len(), 6);
    // Nor does another tool's end.
    bench.text = bench.text.replace("\"paused\"", "\"completed\"");
    bench.memory.v2.error("debug", "later", NOW);
    bench.apply(&Conclusion::End(EndReason::Completed));
    assert_eq!(errors(&bench).len(), 7);
}

#[test]
fn log_statements_that_were_left_are_told_once_until_they_are_gone() {
    let mut bench = failing();
    let left = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect();
    bench.memory.v2.instrumented_now(left(&["src/a.rs", "src/b.rs"]));
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("debugs") };
    assert!(task.prompt.contains("src/a.rs\nsrc/b.rs") && task.prompt.contains("Use them, or remove them"));
    let files = ["src/a.rs".to_owned()];
    bench.agent_seen("debug 1", &answered(FIXED), saw(&files));
    for test in ["u", "v"] {
        bench.memory.v2.tests_begin(NOW);
        bench.tests(0, &[test]);
        assert_eq!(
            errors(&bench),
            ["DEBUG Log statements marked loopdeck:debug are still in: src/a.rs, src/b.rs"]
        );
        let round = word(&bench.next());
        bench.agent_seen(&round, &answered(FIXED), saw(&files));
    }
    bench.memory.v2.instrumented_now(left(&["src/b.rs"]));
    bench.tests(1, &[]);
    let LoopV2Next::Write(LoopV2Operation::Complete { recommendations, .. }) = bench.next() else {
        panic!("completes")
    };
    assert_eq!(recommendations, ["Remove the log statements marked loopdeck:debug from src/b.rs"]);
    bench.memory.v2.instrumented_now(left(&[]));
    bench.memory.v2.instrumented_now(left(&["src/b.rs"]));
    bench.memory.v2.tests_begin(NOW);
    assert_eq!(bench.memory.v2.errors.len(), 1, "they came back");
}
