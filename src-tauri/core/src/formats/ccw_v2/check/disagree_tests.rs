//! A sample with all its files agrees; each lost update is one warning with its position.

use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::ccw_v2::detail;
use crate::problem::{Problem, ProblemCode as Code, Severity};
use crate::status::StatusWord;
use crate::view::{Companion, CompanionKind as Kind};

const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
macro_rules! sample {
    ($below:literal) => {
        include_str!(concat!(
            "../../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/2-debugging/loop-v2-20260122T020000-3fa91c0e",
            $below
        ))
    };
}
const MASTER: &str = sample!(".json");

fn beside() -> Vec<Companion> {
    let all = [
        (Kind::DevelopDoc, "develop.md", sample!(".progress/develop.md")),
        (Kind::DebugDoc, "debug.md", sample!(".progress/debug.md")),
        (Kind::ValidateDoc, "validate.md", sample!(".progress/validate.md")),
        (Kind::ChangesLog, "changes.log", sample!(".progress/changes.log")),
        (Kind::DebugLog, "debug.log", sample!(".progress/debug.log")),
        (Kind::Hypotheses, "hypotheses.json", sample!(".progress/hypotheses.json")),
        (Kind::TestResults, "test-results.json", sample!(".progress/test-results.json")),
        (Kind::Coverage, "coverage.json", sample!(".progress/coverage.json")),
    ];
    let file = |(kind, file, text): (Kind, &str, &str)| Companion {
        kind,
        file: file.to_owned(),
        bytes: text.as_bytes().to_vec(),
        cut: false,
    };
    all.map(file).into()
}

/// The problems of `master` with the files of the sample, one of them changed.
fn problems_of(master: &str, changed: &str, from: &str, to: &str, shown: StatusWord) -> Vec<Problem> {
    let mut files = beside();
    for file in files.iter_mut().filter(|file| file.file == changed) {
        let text = String::from_utf8(file.bytes.clone()).expect("text");
        assert!(text.contains(from), "{from}");
        file.bytes = text.replacen(from, to, 1).into_bytes();
    }
    let at = |text| crate::times::parse(text).expect("time");
    let facts =
        FileFacts { stem: STEM, modified: at("2026-01-22T02:36:00Z"), now: at("2026-01-22T03:36:00Z") };
    let view = detail(master.as_bytes(), &facts, &Situation { shown, now: facts.now }, &files);
    // Hints are about the order of the skill, not the files.
    view.problems.into_iter().filter(|problem| problem.severity > Severity::Info).collect()
}

#[track_caller]
fn check(changed: &str, from: &str, to: &str, expected: &[(Code, &str, &str, &str)]) {
    let found = problems_of(MASTER, changed, from, to, StatusWord::Interrupted);
    let arg = |problem: &Problem, name: &str| problem.args.get(name).cloned().unwrap_or_default();
    let found: Vec<_> =
        found.iter().map(|p| (p.code, p.path.clone(), arg(p, "found"), arg(p, "expected"))).collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(code, path, found, expected)| {
            (*code, format!("skill_state.{path}"), (*found).to_owned(), (*expected).to_owned())
        })
        .collect();
    assert_eq!(found, expected, "{changed}: {from} -> {to}");
}

#[test]
fn the_sample_agrees_with_its_files() {
    check("", "", "", &[]);
}

#[test]
fn a_run_that_the_master_lost_is_found_in_both_its_copies() {
    let w6 = |expected| [(Code::W6_validation_disagrees, "validate.test_results", "#1 2/4", expected)];
    check("test-results.json", "\"iteration\": 1", "\"iteration\": 2", &w6("#2 2/4 (test-results.json)"));
    check("test-results.json", "\"passed\": 2", "\"passed\": 3", &w6("#1 3/4 (test-results.json)"));
    check("validate.md", "| Passed | 2 |", "| Passed | 4 |", &w6("#1 4/4 (validate.md)"));
    // A report without counts says nothing.
    check("validate.md", "| Passed | 2 |", "", &[]);
    let empty = MASTER.replacen("\"test_results\": [", "\"odd\": [", 1);
    assert_ne!(empty, MASTER);
    let found = problems_of(&empty, "", "", "", StatusWord::Interrupted);
    assert_eq!(
        found.iter().map(|p| (p.code, p.args["found"].as_str())).collect::<Vec<_>>(),
        [(Code::W6_validation_disagrees, "-")]
    );
}

#[test]
fn a_decision_against_the_section_is_found_in_both_directions() {
    check(
        "validate.md",
        "**Result**: FAIL",
        "**Result**: PASS",
        &[(Code::W6_validation_disagrees, "validate.passed", "false", "PASS (validate.md)")],
    );
    check("validate.md", "**Result**: FAIL", "**Result**: ?", &[]);
}

#[test]
fn verdicts_that_the_master_lost() {
    let w12 = Code::W12_companion_disagrees;
    check(
        "hypotheses.json",
        "\"status\": \"pending\"",
        "\"status\": \"rejected\"",
        &[(w12, "debug.hypotheses[0].status", "pending", "rejected")],
    );
    check(
        "hypotheses.json",
        "\"id\": \"H2\"",
        "\"id\": \"H4\"",
        &[(Code::W12_unknown_in_companion, "debug.hypotheses", "H4", "")],
    );
    let cause = "### Iteration 2 - Evidence Analysis (t)\n\n#### Root Cause Identified\n\n**H1**: it\n";
    check(
        "debug.md",
        "## Current Consolidated",
        &format!("{cause}\n## Current Consolidated"),
        &[(w12, "debug.confirmed_hypothesis", "-", "H1")],
    );
    let back = format!("{cause}\n#### Log Analysis Results\n\n**H1**: REJECTED\n\n## Current Consolidated");
    check("debug.md", "## Current Consolidated", &back, &[]);
}

#[test]
fn tasks_that_are_done_beside_the_master_only() {
    let open = MASTER.replacen("\"completed_at\": \"2026-01-22T10:29:00.137Z\"", "\"completed_at\": null", 1);
    let at = open.find("task-004").expect("there");
    let (before, after) = open.split_at(at);
    let open = format!("{before}{}", after.replacen("\"completed\"", "\"pending\"", 1));
    let open = open.replacen("\"completed\": 4", "\"completed\": 3", 1);
    let found = problems_of(&open, "", "", "", StatusWord::Interrupted);
    let found: Vec<_> = found.iter().map(|p| (p.code, p.path.as_str(), p.args["file"].as_str())).collect();
    let path = "skill_state.develop.tasks[3].status";
    assert_eq!(
        found,
        [(Code::W12_companion_disagrees, path, "changes.log")],
        "once, though two files say so"
    );
    assert_eq!(problems_of(&open, "", "", "", StatusWord::Running), [], "the skill writes these files first");
    check(
        "changes.log",
        "task-002",
        "task-009",
        &[(Code::W12_unknown_in_companion, "develop.tasks", "task-009", "")],
    );
    check("changes.log", "\"success\"", "\"failure\"", &[]);
}

#[test]
fn a_damaged_file_beside_the_loop_is_named_by_its_file() {
    let found = problems_of(MASTER, "coverage.json", "{", "[", StatusWord::Interrupted);
    assert_eq!(
        found.iter().map(|p| (p.code, p.path.as_str())).collect::<Vec<_>>(),
        [(Code::W10_bad_line, "coverage.json")]
    );
}

#[test]
fn a_torn_line_of_the_log_is_told_unless_its_writer_may_be_at_work_on_it() {
    const CREATED: &str = r#"{"loop_id":"loop-v2-20260122T020000-3fa91c0e","title":"T","description":"","max_iterations":9,"status":"created","current_iteration":0,"created_at":"2026-01-22T02:00:00.000Z","updated_at":"2026-01-22T02:00:00.000Z"}"#;
    let torn = |log: &str, master: &str, shown: StatusWord| {
        let file = |text: &str| Companion {
            kind: Kind::ChangesLog,
            file: "changes.log".to_owned(),
            bytes: text.as_bytes().to_vec(),
            cut: false,
        };
        let at = |text| crate::times::parse(text).expect("time");
        let facts =
            FileFacts { stem: STEM, modified: at("2026-01-22T02:36:00Z"), now: at("2026-01-22T03:36:00Z") };
        let view = detail(master.as_bytes(), &facts, &Situation { shown, now: facts.now }, &[file(log)]);
        let bad = view.problems.into_iter().filter(|problem| problem.code == Code::W10_bad_line);
        bad.map(|problem| (problem.path, problem.line)).collect::<Vec<_>>()
    };
    let line = "{\"task_id\":\"task-001\"}\n";
    let (ended, cut) = (format!("{line}{{\"task\n{line}"), format!("{line}{{\"task"));
    let (second, none) = (vec![("changes.log".to_owned(), Some(2))], Vec::new());
    for (master, shown, while_cut) in [
        (MASTER, StatusWord::Interrupted, &second),
        (MASTER, StatusWord::Running, &none),
        (MASTER, StatusWord::RunningElsewhere, &none),
        (CREATED, StatusWord::NotStarted, &second),
    ] {
        assert_eq!(torn(&ended, master, shown), second, "{shown:?}");
        assert_eq!(torn(&cut, master, shown), *while_cut, "{shown:?}");
        assert_eq!(torn(line, master, shown), none, "{shown:?}");
    }
}
