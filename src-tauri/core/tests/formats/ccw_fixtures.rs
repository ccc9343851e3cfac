//! Every sample and every example of the format documents reads with exactly its real problems.

use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times;
use loopdeck_core::times::TimeDelta;
use loopdeck_core::view::{Companion, CompanionKind, LoopDetail};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ccw")
}

fn companions(folder: &Path, stem: &str) -> Vec<Companion> {
    let mut found = Vec::new();
    for (below, kind) in [(".workers", None), (".progress", Some(()))] {
        let folder = folder.join(format!("{stem}{below}"));
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries {
            let path = entry.expect("entry").path();
            let name = path.file_name().expect("name").to_string_lossy().into_owned();
            let kind = match (kind, name.as_str()) {
                (None, _) => CompanionKind::WorkerOutput,
                (_, "hypotheses.json") => CompanionKind::Hypotheses,
                (_, "test-results.json") => CompanionKind::TestResults,
                (_, "coverage.json") => CompanionKind::Coverage,
                (_, "develop.md") => CompanionKind::DevelopDoc,
                (_, "debug.md") => CompanionKind::DebugDoc,
                (_, "validate.md") => CompanionKind::ValidateDoc,
                (_, "summary.md") => CompanionKind::SummaryDoc,
                (_, "changes.log") => CompanionKind::ChangesLog,
                (_, "debug.log") => CompanionKind::DebugLog,
                _ => continue,
            };
            let bytes = std::fs::read(&path).expect("readable");
            found.push(Companion { kind, file: format!("{stem}{below}/{name}"), bytes, cut: false });
        }
    }
    found
}

#[track_caller]
fn check(file: &str, modified: &str, shown: StatusWord, codes: &[&str]) -> LoopDetail {
    let path = root().join(file);
    let stem = path.file_stem().expect("name").to_string_lossy().into_owned();
    let bytes = std::fs::read(&path).expect("fixture");
    let modified = times::parse(modified).expect("time");
    let facts = FileFacts { stem: &stem, modified, now: modified + TimeDelta::hours(1) };
    let situation = Situation { shown, now: facts.now };
    let summary = loops::summary(Place::CcwFile, &bytes, &facts).expect("a loop");
    let expected = if stem.starts_with("loop-b-") { Format::LoopB } else { Format::LoopV2 };
    assert_eq!(summary.format, expected);
    let folder = path.parent().expect("folder");
    let detail = loops::detail(summary.format, &bytes, &facts, &situation, &companions(folder, &stem));
    let found: Vec<_> = detail.problems.iter().map(|problem| problem.code.name()).collect();
    assert_eq!(found, codes, "{file}: {:#?}", detail.problems);
    for problem in &summary.problems {
        assert!(detail.problems.contains(problem), "the detail keeps what the list found: {problem:?}");
    }
    detail
}

#[test]
fn the_examples_of_the_format_documents() {
    for seed in ["000", "001", "004"] {
        let file = |state: &str| format!("seed-{seed}-{state}/loop-v2-20260122-abc123.json");
        let written = "2026-01-22T02:00:05Z";
        check(&file("created"), written, StatusWord::NotStarted, &[]);
        // The example counts three tasks and lists one.
        let detail = check(&file("initialised"), written, StatusWord::Interrupted, &["W1_counters"]);
        assert_eq!(detail.problems[0].line, Some(if seed == "004" { 16 } else { 18 }));
        assert!(!detail.times_shifted, "an explicit offset is true");
    }
    let written = "2026-01-22T10:45:00Z";
    let placeholders = ["E4_unknown_status", "E7_bad_skill_state", "W7_unknown_word"];
    check("seed-003-master/loop-b-20260122-abc123.json", written, StatusWord::Unknown, &placeholders);
    let detail =
        check("seed-003-parallel/loop-b-20260122-abc123.json", written, StatusWord::Interrupted, &[]);
    let workers: Vec<_> = detail.workers.iter().map(|w| (w.action.as_str(), w.source.as_str())).collect();
    let file = "loop-b-20260122-abc123.workers/develop.output.json";
    assert_eq!(workers, [("develop", file), ("debug", "parallel_results"), ("validate", "parallel_results")]);
}

#[test]
fn the_samples() {
    let v2 = |folder: &str| format!("codex-ccw-loop-synth/{folder}/loop-v2-20260122T020000-3fa91c0e.json");
    let shifted = "W9_shifted_time";
    check(
        &v2("1-paused-mid-develop"),
        "2026-01-22T02:15:20Z",
        StatusWord::Paused,
        &["W11_orphaned_task", shifted],
    );
    check(&v2("1-paused-mid-develop"), "2026-01-22T02:15:20Z", StatusWord::Pausing, &[shifted]);
    check(
        &v2("2-debugging"),
        "2026-01-22T02:36:00Z",
        StatusWord::Interrupted,
        &[shifted, "T2_waits_for_input"],
    );
    check(&v2("3-completed"), "2026-01-22T02:54:00Z", StatusWord::Completed, &[shifted]);
    let b = "codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json";
    check(b, "2026-01-22T03:14:00Z", StatusWord::Interrupted, &[shifted]);
    check(b, "2026-01-22T11:14:00Z", StatusWord::Interrupted, &[]);
    for folder in ["paused-with-metadata", "stopped"] {
        let file = format!("{folder}/loop-v2-20261120T042421-d8ff7e62.json");
        check(&file, "2026-11-20T04:24:22Z", StatusWord::Paused, &[]);
    }
}
