//! The samples, read and written back byte for byte where the form is ours; the other variants are only read.

use super::debug::{append_analysis, append_exploration};
use super::develop::{DevelopEntry, append, begin, begin_loop_b};
use super::ndjson::{change_line, changes, debug_entries};
use super::records::Confidence;
use super::*;
use crate::problem::ProblemCode;

macro_rules! sample {
    ($file:literal) => {
        include_bytes!(concat!("../../../../../../tests/fixtures/ccw/codex-ccw-loop-", $file))
    };
}

const DEVELOP: &[u8] = sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/develop.md");
const DEBUG: &[u8] = sample!("synth/3-completed/loop-v2-20260122T020000-3fa91c0e.progress/debug.md");
const VALIDATE: &[u8] = sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/validate.md");
const SUMMARY: &[u8] = sample!("synth/3-completed/loop-v2-20260122T020000-3fa91c0e.progress/summary.md");
const RESULTS: &[u8] =
    sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/test-results.json");
const COVERAGE: &[u8] = sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/coverage.json");
const HYPOTHESES: &[u8] =
    sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/hypotheses.json");
const CHANGES: &[u8] = sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/changes.log");
const DEBUG_LOG: &[u8] = sample!("synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.progress/debug.log");
const B_DEVELOP: &[u8] = sample!("b-synth/loop-b-20260122T110000-k3v9x2ab.progress/develop.md");
const B_DEBUG: &[u8] = sample!("b-synth/loop-b-20260122T110000-k3v9x2ab.progress/debug.md");
const B_VALIDATE: &[u8] = sample!("b-synth/loop-b-20260122T110000-k3v9x2ab.progress/validate.md");

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn develop_is_written_as_the_skills_write_it() {
    let doc = develop::read(DEVELOP);
    assert_eq!(doc.problems, []);
    let tasks: Vec<&str> = doc.tasks.iter().map(|(_, task)| task.as_str()).collect();
    let entries: String = doc.entries.iter().map(|entry| append(entry, Flavour::LoopV2)).collect();
    assert_eq!(begin(&doc.head, &tasks) + &entries, text(DEVELOP));
    assert_eq!((doc.tasks.len(), doc.entries.len()), (4, 4));
    let entry = &doc.entries[1];
    assert_eq!((entry.iteration, entry.task_id.as_deref()), (Some(2), Some("task-002")));
    assert_eq!((entry.files.len(), entry.status.as_deref()), (3, Some("completed")));
}

#[test]
fn develop_of_loop_b_is_written_in_the_headings_of_the_seed() {
    let doc = develop::read(B_DEVELOP);
    let tasks: Vec<&str> = doc.tasks.iter().map(|(_, task)| task.as_str()).collect();
    let entry = DevelopEntry { iteration: Some(1), ..doc.entries[0].clone() };
    let written = begin_loop_b(&doc.head, &tasks) + &append(&entry, Flavour::LoopB);
    let id = doc.head.loop_id.as_deref().unwrap_or_default();
    let body = "**Task**: Extract PaymentGateway\n**Task ID**: T1\n\n**Changes**:\n- `src/pay/gateway.ts`\n\
                - `src/pay/index.ts`\n\n**Summary**: extracted\n\n**Status**: Success\n\n---\n";
    for part in [
        "# Develop Progress\n",
        &format!("\n## Session: {id}\n"),
        &format!("\n### Iteration 1 (2026-01-22T11:12:00.137Z)\n\n{body}"),
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
    let again = develop::read(written.as_bytes());
    assert_eq!((again.head, again.tasks, again.entries), (doc.head, doc.tasks, vec![entry]));
    let nothing = append(&DevelopEntry { files: Vec::new(), ..doc.entries[0].clone() }, Flavour::LoopB);
    assert_eq!(develop::read(nothing.as_bytes()).entries[0].files, [""; 0]);
}

#[test]
fn the_other_variants_of_develop_are_read() {
    let role = "# Develop Progress - 2026-01-22T11:00:00Z\n\n## Tasks Completed\n\n### T1: Extract ✓\n- did it\n\n## Pending Tasks\n\n- T3: Raise coverage\n";
    let doc = develop::read(role.as_bytes());
    assert_eq!(doc.head.time.as_deref(), Some("2026-01-22T11:00:00Z"));
    let entry = &doc.entries[0];
    assert_eq!((entry.task_id.as_deref(), entry.description.as_str()), (Some("T1"), "Extract"));
    assert_eq!((entry.status.as_deref(), doc.tasks[0].1.as_str()), (Some("completed"), "Raise coverage"));
    let seed = "# Develop Progress\n\n## Session: loop-b-1\n\n### Iteration 1 (2026-01-22 10:15)\n\n**Task**: Implement auth\n\n**Changes**:\n- Created `src/auth.ts` with login\n\n**Status**: Success\n\n---\n";
    let doc = develop::read(seed.as_bytes());
    assert_eq!(doc.head.loop_id.as_deref(), Some("loop-b-1"));
    let entry = &doc.entries[0];
    assert_eq!((entry.iteration, entry.time.as_deref()), (Some(1), Some("2026-01-22 10:15")));
    assert_eq!(
        (entry.description.as_str(), entry.files.as_slice()),
        ("Implement auth", &["src/auth.ts".to_owned()][..])
    );
    assert_eq!(entry.status.as_deref(), Some("completed"));
    let legacy = "# Development Progress\n\n**Session ID**: LOOP-x\n**Task**: two\nlines\n\n**Started**: t\n**Estimated Complexity**: low\n\n## Key Files\n\n- `a.ts`\n";
    let doc = develop::read(legacy.as_bytes());
    assert_eq!((doc.head.task.as_deref(), doc.key_files.len()), (Some("two\nlines"), 1));
}

#[test]
fn debug_keeps_the_last_verdict() {
    let doc = debug::read(DEBUG);
    assert_eq!((doc.iteration, doc.confirmed.as_deref(), doc.hypotheses.len()), (Some(2), Some("H1"), 3));
    let states: Vec<_> = doc.hypotheses.iter().map(|hypothesis| hypothesis.status.as_str()).collect();
    assert_eq!(states, ["confirmed", "rejected", "inconclusive"]);
    assert_eq!(doc.hypotheses[0].logging_point, "src/auth/login.ts:handleLogin:42");
    assert_eq!(doc.hypotheses[2].likelihood, Some(3.0));
    let at = text(DEBUG).find("### Iteration 2").expect("an analysis");
    let corrected = "The counter itself is right; session.regenerate() drops it.";
    let written =
        append_analysis(2, "2026-01-22T10:45:00.137Z", &doc.hypotheses, corrected, Some(&doc.hypotheses[0]));
    let spaced = text(DEBUG)[at..].replace("\": ", "\":").replace(", \"", ",\"").replace("}, {", "},{");
    assert_eq!(written, spaced, "but for blanks inside JSON");
    let begun = debug::begin(&doc.head);
    assert!(text(DEBUG).starts_with(&begun));
    let again = begun + &append_exploration(1, "t", &doc.hypotheses, "x") + &written;
    assert_eq!(debug::read(again.as_bytes()).hypotheses, doc.hypotheses);
}

#[test]
fn the_other_variants_of_debug_are_read() {
    let doc = debug::read(B_DEBUG);
    assert_eq!(doc.head.task.as_deref(), Some("Analyze and improve payment module"));
    assert_eq!(doc.hypotheses[0].description, "missing idempotency key");
    // Confidence is not a likelihood rank: two hypotheses may both be certain.
    assert_eq!((doc.hypotheses[0].likelihood, doc.confidences.get("H1")), (None, Some(&Confidence::High)));
    assert!(doc.mechanisms.contains_key("H1"));
    for (word, expected) in
        [("Medium", Some(Confidence::Medium)), (" low ", Some(Confidence::Low)), ("80%", None)]
    {
        assert_eq!(Confidence::from_word(word), expected);
    }
    let claude = "# Understanding Document\n\n### Iteration 1 - Initial Exploration (t)\n\n#### Hypotheses\n\n**H1** (Likelihood: 2): it leaks\n- Logging at: a.ts:f:1\n- Testing: heap\n- Evidence to confirm: grows\n- Evidence to reject: flat\n";
    let doc = debug::read(claude.as_bytes());
    let hypothesis = &doc.hypotheses[0];
    assert_eq!((hypothesis.likelihood, hypothesis.testable_condition.as_str()), (Some(2.0), "heap"));
    assert_eq!((hypothesis.confirm.as_str(), hypothesis.status.as_str()), ("grows", "pending"));
}

#[test]
fn validate_is_read_and_written() {
    let doc = validate::read(VALIDATE);
    assert_eq!((doc.total, doc.passed, doc.failed, doc.skipped), (Some(4), Some(2), Some(1), Some(1)));
    assert_eq!((doc.decision, doc.overall_coverage, doc.files.len()), (Some(false), Some(71.4), 2));
    assert_eq!(doc.failed_tests[0].suite, "auth/lockout");
    let run = side::test_results(RESULTS).content.expect("valid");
    let next: Vec<&str> = doc.next_actions.iter().map(String::as_str).collect();
    let written = validate::write(&doc.head, &run, &doc.files, &next);
    assert_eq!(written, text(VALIDATE).replace("100% |", "100.0% |"));
    let doc = validate::read(B_VALIDATE);
    assert_eq!((doc.total, doc.failed_tests.len(), doc.overall_coverage), (Some(113), 2, Some(85.0)));
    assert_eq!(doc.quality, [("Lint".to_owned(), true), ("Types".to_owned(), false)]);
    let nan = "## Iteration 1 - Validation Run\n### Test Execution Summary\n| **Pass Rate** | **NaN%** |\n## Validation Decision\n**Result**: ✅ PASS\n";
    let doc = validate::read(nan.as_bytes());
    assert_eq!((doc.pass_rate, doc.decision), (None, Some(true)));
}

#[test]
fn summary_is_read_and_written() {
    let doc = summary::read(SUMMARY);
    assert_eq!((doc.total_tasks, doc.completed.len(), doc.duration_s), (Some(4), 4, Some(3_240)));
    assert_eq!((doc.passed, doc.coverage, doc.root_cause_found), (Some(true), None, Some(true)));
    assert_eq!(doc.generated_at.as_deref(), Some("2026-01-22T10:54:00.137Z"));
    let written = summary::write(&doc, Flavour::LoopV2);
    assert_eq!(summary::read(written.as_bytes()), doc);
    assert_eq!(written, text(SUMMARY).replace("N/A%", "not measured"));
    let aged = summary::SummaryDoc { since_created: true, ..doc.clone() };
    let written = summary::write(&aged, Flavour::LoopV2);
    assert!(written.contains("**Duration**: 54m 0s (since created)\n"), "{written}");
    assert_eq!(summary::read(written.as_bytes()), aged);
    let workers = vec![("develop".to_owned(), "success".to_owned(), "did it".to_owned())];
    let loop_b =
        summary::SummaryDoc { mode: Some("auto".to_owned()), workers, ..summary::SummaryDoc::default() };
    let again = summary::read(summary::write(&loop_b, Flavour::LoopB).as_bytes());
    assert_eq!((again.mode, again.workers), (loop_b.mode, loop_b.workers));
}

#[test]
fn logs_skip_and_count_foreign_lines() {
    let log = changes(CHANGES);
    assert_eq!((log.entries.len(), log.foreign), (4, 0));
    let written: String = log.entries.iter().map(change_line).collect();
    assert_eq!(changes(written.as_bytes()), log);
    let torn = [CHANGES, b"{\"timestamp\":\"2026-\nnot json\n{\"x\":1}\n\xff\n\n[]"].concat();
    let log = changes(&torn);
    assert_eq!((log.entries.len(), log.foreign), (4, 5));
    let found =
        log.problems.iter().map(|problem| (problem.code, problem.line, problem.args["found"].as_str()));
    let bad = |line, found| (ProblemCode::W10_bad_line, Some(line), found);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            bad(5, "{\"timestamp\":\"2026-"),
            bad(6, "not json"),
            bad(7, "{\"x\":1}"),
            bad(8, "\u{fffd}"),
            bad(10, "[]")
        ]
    );
    assert_eq!(changes(&b"?\n".repeat(50)).problems.len(), 20);
    let mixed =
        [b"npm warn\n\xff\n".as_slice(), DEBUG_LOG, b"{\"hid\":\"H9\"}{\"hid\":\"H8\"}\n{\"x\":1}\n42\n"]
            .concat();
    let log = debug_entries(&mixed);
    assert_eq!((log.entries.len(), log.foreign, log.problems.len()), (8, 4, 1));
}

#[test]
fn side_files_are_read_and_written() {
    let run = side::test_results(RESULTS).content.expect("valid");
    assert_eq!((run.total(), run.failed_tests()), (4, vec!["locks after 5 failed attempts"]));
    let same =
        |left: &str, right: &[u8]| assert_eq!(left, text(right).replace(".0,", ",").replace(".0\n", "\n"));
    same(&side::write_test_results(&run), RESULTS);
    let coverage = side::coverage(COVERAGE).content.expect("valid");
    same(&side::write_coverage(&coverage), COVERAGE);
    let hypotheses = side::hypotheses(HYPOTHESES).content.expect("valid");
    same(&side::write_hypotheses(&hypotheses.hypotheses, 1), HYPOTHESES);
    let damaged = side::coverage(b"{\n\"files\": [");
    assert_eq!((damaged.content, damaged.problems[0].line), (None, Some(2)));
}
