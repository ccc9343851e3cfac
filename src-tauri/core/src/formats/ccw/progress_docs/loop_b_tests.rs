//! All flavours' readers read back what is written.

use super::super::records::{Confidence, CoverageFigures, TestResult};
use super::super::{debug, validate};
use super::*;

fn head(task: &str) -> Head {
    let text = |text: &str| Some(text.to_owned());
    Head { loop_id: text("loop-b-1"), task: text(task), time: text("2026-01-22T10:00:00.000Z") }
}

fn hypothesis(id: &str, status: &str) -> WorkerHypothesis {
    WorkerHypothesis {
        id: id.into(),
        description: format!("{id} makes it fail"),
        confidence: Some(Confidence::Medium),
        testable: "replay the request".into(),
        mechanism: "the client retries".into(),
        status: status.into(),
        evidence: Some("409 twice".into()),
        verdict_reason: Some("seen in the log".into()),
    }
}

#[test]
fn debug_entries_are_read_back_with_their_last_verdicts() {
    let open = [hypothesis("H1", "pending"), hypothesis("cache-1", "inconclusive")];
    let first = DebugEntry {
        iteration: 2,
        time: "2026-01-22T10:15:00.000Z",
        summary: "# It\nretries",
        hypotheses: &open,
        status: "success",
        ..DebugEntry::default()
    };
    let issues = ["no key".to_owned()];
    let files = ["src/pay.ts".to_owned()];
    let judged = [hypothesis("H1", "confirmed")];
    let second = DebugEntry {
        iteration: 4,
        time: "2026-01-22T10:30:00.000Z",
        summary: "It sends the request twice",
        hypotheses: &judged,
        root_cause: Some(("H1", "H1 makes it fail")),
        issues: &issues,
        files: &files,
        status: "success",
    };
    let text = begin_debug(&head("refund\nfails")) + &append_debug(&first);
    let doc = debug::read(text.as_bytes());
    assert_eq!((doc.iteration, doc.confirmed.as_deref()), (Some(2), None));
    assert_eq!(
        (doc.head.task.as_deref(), doc.understanding.as_str()),
        (Some("refund\nfails"), "# It\nretries")
    );
    let text = text + &append_debug(&second);
    let doc = debug::read(text.as_bytes());
    assert_eq!(doc.hypotheses, [judged[0].record(), open[1].record()]);
    assert_eq!((doc.confirmed.as_deref(), doc.rounds.len()), (Some("H1"), 2));
    assert_eq!(doc.last_analysis.as_deref(), Some("2026-01-22T10:30:00.000Z"));
    assert_eq!(
        (&doc.mechanisms["H1"], doc.confidences["cache-1"]),
        (&judged[0].mechanism, Confidence::Medium)
    );
    assert!(
        text.contains("**Status**: Success\n") && text.contains("**Changes**:\n- `src/pay.ts`\n"),
        "{text}"
    );
    assert_eq!(doc.problems, []);
    let cut = DebugEntry { summary: "the gateway is down", status: "needs_input", ..DebugEntry::default() };
    let after = debug::read((text + &append_debug(&cut)).as_bytes());
    assert_eq!(
        after.understanding, "It sends the request twice",
        "one that waits has understood nothing yet"
    );
}

#[test]
fn a_report_is_read_back_with_its_failed_tests_and_coverage() {
    let failed = |name: &str, error: &str| TestResult {
        name: name.into(),
        status: "failed".into(),
        error_message: Some(error.to_owned()).filter(|error| !error.is_empty()),
        ..TestResult::default()
    };
    let coverage = CoverageFigures { statements: Some(71.4), ..CoverageFigures::default() };
    let run = ValidationRun {
        passed: 2,
        failed: 3,
        skipped: 1,
        tests: vec![
            failed("refunds", "expected 1,\ngot: 2"),
            failed("pay: twice", "x: y"),
            failed("silent", ""),
        ],
        coverage: Some(coverage),
        ..ValidationRun::default()
    };
    let doc = validate::read(write_validation(&head("x"), &run).as_bytes());
    assert_eq!((doc.total, doc.passed, doc.failed, doc.skipped), (Some(6), Some(2), Some(3), Some(1)));
    assert_eq!((doc.overall_coverage, doc.pass_rate), (Some(71.4), Some(33.3)));
    let told: Vec<_> =
        doc.failed_tests.iter().map(|test| (test.name.as_str(), test.error_message.as_deref())).collect();
    let expected = [("refunds", Some("expected 1, got: 2")), ("pay: twice", Some("x: y")), ("silent", None)];
    assert_eq!(told, expected);
    let none = ValidationRun { passed: 1, ..ValidationRun::default() };
    let text = write_validation(&head("x"), &none);
    let doc = validate::read(text.as_bytes());
    assert_eq!((doc.overall_coverage, doc.failed_tests.len(), doc.quality.len()), (None, 0, 0));
    assert!(text.contains("## Coverage\n\nnot measured\n\n## Failed Tests\n\nNone\n"), "{text}");
    let unread = write_validation(&head("x"), &ValidationRun { failed: 1, ..ValidationRun::default() });
    assert!(unread.ends_with("No details available\n"), "{unread}");
}
