//! Rounds of debugging as operations: hypotheses, the cause, and the files that a fix changed.

use super::tests::{Bench, NOW, beside, develop_of, hypothesis, init};
use super::*;
use crate::formats::ccw::progress_docs::{debug as debug_doc, ndjson};
use crate::status::StatusWord;
use crate::view::CompanionKind;

#[test]
fn files_that_a_fix_changed_are_written_down_as_those_of_a_task() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.run(&develop_of("task-001"));
    let round = |status: &str, files: &[&str]| {
        LoopV2Operation::Debug(Debugged {
            hypotheses: vec![hypothesis("H1", status)],
            confirmed: (status == "confirmed").then(|| "H1".to_owned()),
            files_changed: files.iter().map(|file| (*file).to_owned()).collect(),
            ..Debugged::default()
        })
    };
    bench.run(&round("pending", &[]));
    assert_eq!(bench.files["changes.log"].lines().count(), 1, "nothing changed");
    bench.run(&round("inconclusive", &["src/try.rs"]));
    bench.master = bench.master.replace("\"max_iterations\": 4", "\"max_iterations\": 9");
    bench.run(&round("confirmed", &["src/a.rs", "src/b`\n.rs"]));
    let log = ndjson::changes(bench.files["changes.log"].as_bytes());
    let said: Vec<_> =
        log.entries.iter().map(|line| (line.task_id.as_str(), line.files_changed.len())).collect();
    assert_eq!((said, log.foreign), (vec![("task-001", 1), ("debug", 1), ("H1", 2)], 0));
    assert_eq!(log.entries[2].description, "H1 leaks");
    let results: Vec<&str> = log.entries.iter().map(|line| line.result.as_str()).collect();
    assert_eq!(results, ["success", "inconclusive", "success"], "without a cause nothing is fixed");
    let known = Debugged { confirmed: Some("H1".into()), fixed: Some(false), ..Debugged::default() };
    assert_eq!(
        (known.result(), Debugged { fixed: Some(true), ..known }.result()),
        ("inconclusive", "success")
    );
    let text = &bench.files["debug.md"];
    assert!(text.contains("#### Files Changed\n\n- `src/try.rs`"), "{text}");
    assert!(text.contains("#### Fix Applied\n\n- `src/a.rs`\n"), "{text}");
    let doc = debug_doc::read(text.as_bytes());
    assert_eq!((doc.confirmed.as_deref(), doc.iteration, doc.hypotheses.len()), (Some("H1"), Some(3), 1));
    assert_eq!(doc.rounds.last().map(|round| round.title.as_str()), Some("Resolution"));
    assert_eq!(doc.problems, []);
}

#[test]
fn the_summary_names_the_files_of_debugging_once() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.run(&develop_of("task-001"));
    for (confirmed, files) in [(None, ["src/try.rs", "src/a.rs"]), (Some("H1"), ["src/a.rs", "./src/b.rs"])] {
        bench.run(&LoopV2Operation::Debug(Debugged {
            hypotheses: vec![hypothesis("H1", if confirmed.is_some() { "confirmed" } else { "pending" })],
            confirmed: confirmed.map(str::to_owned),
            files_changed: files.map(str::to_owned).to_vec(),
            ..Debugged::default()
        }));
    }
    let run = ValidationRun { passed: 1, ..ValidationRun::default() };
    bench.run(&LoopV2Operation::Validate { run, files: vec![] });
    let log = bench.files["changes.log"].clone();
    let changes = beside(CompanionKind::ChangesLog, &log);
    let complete =
        LoopV2Operation::Complete { executive: "x".into(), recommendations: vec![], worked_ms: None };
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let master = bench.master.as_bytes();
    let outcome =
        operate_with_companions(master, &Bench::facts(), &complete, &situation, &[changes]).expect("legal");
    let text = &outcome.files[0].text;
    assert!(text.contains("### Files Changed\n\n- `src/try.rs`\n- `src/a.rs`\n- `./src/b.rs`\n"), "{text}");
    let doc = crate::formats::ccw::progress_docs::summary::read(text.as_bytes());
    assert_eq!((doc.files_changed.len(), doc.test_runs, doc.problems), (3, Some(1), vec![]));
    assert!(text.contains("  - Files: a.rs\n"), "those of a task are with it");
}

#[test]
fn a_root_cause_that_is_judged_anew_is_none_any_more() {
    let mut bench = Bench::new();
    bench.run(&init());
    let round = |status: &str, confirmed: Option<&str>| {
        LoopV2Operation::Debug(Debugged {
            hypotheses: vec![hypothesis("H1", status)],
            confirmed: confirmed.map(str::to_owned),
            ..Debugged::default()
        })
    };
    bench.run(&round("confirmed", Some("H1")));
    bench.run(&LoopV2Operation::Debug(Debugged { understanding: "x".into(), ..Debugged::default() }));
    assert!(bench.master.contains("\"confirmed_hypothesis\": \"H1\""));
    bench.run(&round("rejected", None));
    assert!(bench.master.contains("\"confirmed_hypothesis\": null"));
}

#[test]
fn a_word_of_others_stays_while_something_else_of_a_hypothesis_changes() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.run(&LoopV2Operation::Debug(Debugged {
        hypotheses: vec![hypothesis("H1", "pending")],
        ..Debugged::default()
    }));
    bench.master = bench.master.replace(
        "\"status\": \"pending\",\n          \"evidence\"",
        "\"status\": \"Parked\",\n          \"evidence\"",
    );
    assert!(bench.master.contains("\"Parked\""), "{}", bench.master);
    let reworded = Hypothesis { description: "Other words".into(), ..hypothesis("H1", "parked") };
    let debugged = Debugged { hypotheses: vec![reworded], ..Debugged::default() };
    bench.try_to(&LoopV2Operation::Debug(debugged)).expect("its own word");
    assert!(bench.master.contains("\"Other words\"") && bench.master.contains("\"Parked\""));
    let invented = Debugged { hypotheses: vec![hypothesis("H2", "parked")], ..Debugged::default() };
    bench.refused(&LoopV2Operation::Debug(invented), RefusalCode::BadValue);
}

#[test]
fn a_form_need_not_send_evidence() {
    let form = r#"{"id":"H1","description":"x","testable_condition":"","logging_point":"","confirm":"","reject":"",
        "likelihood":1,"status":"pending","verdict_reason":null}"#;
    let sent: Hypothesis = serde_json::from_str(form).expect("whole");
    assert_eq!(sent.evidence, Json::Null);
}
