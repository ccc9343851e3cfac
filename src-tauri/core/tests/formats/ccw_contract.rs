//! Where the CCW contract differs from a seed: which times are shifted (§15), and which findings are warnings
//! (§14).
#![allow(clippy::unwrap_used, reason = "a test that cannot continue must stop loudly")]

use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times;
use std::path::Path;

fn sample(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ccw").join(file);
    std::fs::read_to_string(path).unwrap()
}

/// Seed 003 writes 10:00, 10:30 and 10:45: a loop that was created, updated and merged in this order, in UTC.
#[test]
fn the_times_of_seed_003_are_true() {
    let stem = "loop-b-20260122-abc123";
    let as_is = sample("seed-003-parallel/loop-b-20260122-abc123.json");
    let merged_later = as_is.replacen("2026-01-22T10:45:00.000Z", "2026-01-22T10:30:00.000Z", 1);
    assert!(merged_later.contains("10:45"));
    for text in [as_is, merged_later] {
        for modified in ["2026-01-22T10:30:00Z", "2026-01-22T10:45:00Z", "2026-11-20T10:45:00Z"] {
            for now in ["2026-01-22T10:45:10Z", "2026-01-22T19:00:00Z", "2026-11-24T00:00:00Z"] {
                let (modified, now) = (times::parse(modified).unwrap(), times::parse(now).unwrap());
                let facts = FileFacts { stem, modified, now: now.max(modified) };
                let situation = Situation { shown: StatusWord::Interrupted, now: facts.now };
                let detail = loops::detail(Format::LoopB, text.as_bytes(), &facts, &situation, &[]);
                assert!(!detail.times_shifted, "{modified:?} {now:?}");
                let shown = format!("{detail:?}");
                assert!(!shown.contains("shifted: true"), "{shown}");
                assert!(detail.problems.iter().all(|problem| problem.code != ProblemCode::W9_shifted_time));
                let summary = loops::summary(Place::CcwFile, text.as_bytes(), &facts).unwrap();
                assert_eq!(summary.created, times::parse("2026-01-22T10:00:00Z"));
            }
        }
    }
}

/// Seed 001 calls these three states errors. Real runs produce the first (a counter is written before its
/// list) and the menu allows the second; the third is a legacy file between two writes. An error would remove
/// the verbs of a working loop, so the contract makes them warnings: they are shown, and the loop can still
/// be controlled.
#[test]
fn three_errors_of_seed_001_are_warnings() {
    let head = "\"max_iterations\":3,\"created_at\":\"2026-01-22T10:00:00Z\",\"updated_at\":\"2026-01-22T10:00:00Z\"";
    let v2 = |status: &str, skill: &str| {
        format!(
            "{{\"loop_id\":\"loop-v2-20260122-abc123\",\"title\":\"T\",\"description\":\"\",\"current_iteration\":1,{head},\"status\":\"{status}\",\"skill_state\":{skill}}}"
        )
    };
    let legacy = format!(
        "{{\"session_id\":\"LOOP-x-2026-01-22\",\"task_description\":\"T\",\"status\":\"pending\",\"initialized\":true,\"iteration_count\":0,{head}}}"
    );
    for (code, format, place, stem, text) in [
        (
            ProblemCode::W1_counters,
            Format::LoopV2,
            Place::CcwFile,
            "loop-v2-20260122-abc123",
            v2(
                "paused",
                "{\"develop\":{\"total\":1,\"completed\":1,\"tasks\":[{\"id\":\"a\",\"status\":\"pending\"}]}}",
            ),
        ),
        (
            ProblemCode::W2_completed_unvalidated,
            Format::LoopV2,
            Place::CcwFile,
            "loop-v2-20260122-abc123",
            v2("completed", "{\"validate\":{\"passed\":false}}"),
        ),
        (
            ProblemCode::W3_initialized_pending,
            Format::Legacy,
            Place::LegacyState,
            "LOOP-x-2026-01-22",
            legacy,
        ),
    ] {
        let now = times::parse("2026-01-22T11:00:00Z").unwrap();
        let facts = FileFacts { stem, modified: now, now };
        let situation = Situation { shown: StatusWord::Paused, now };
        let detail = loops::detail(format, text.as_bytes(), &facts, &situation, &[]);
        let found = detail.problems.iter().find(|problem| problem.code == code);
        assert_eq!(
            found.map(|problem| problem.severity),
            Some(Severity::Warning),
            "{code:?}: {:?}",
            detail.problems
        );
        let summary = loops::summary(place, text.as_bytes(), &facts).unwrap();
        assert!(summary.problems.iter().all(|problem| problem.severity != Severity::Error), "{code:?}");
    }
}
