//! Results of test runs, and proposed test commands.

use loopdeck_results::detect::{Entry, detect};
use loopdeck_results::{Dialect, Reading, Source, Verdict, read};

const DIALECTS: [Dialect; 10] = [
    Dialect::Junit,
    Dialect::Libtest,
    Dialect::Nextest,
    Dialect::Pytest,
    Dialect::PytestJson,
    Dialect::Jest,
    Dialect::Vitest,
    Dialect::GoJson,
    Dialect::GoText,
    Dialect::Tap,
];

/// Counts cover the rows, a failed command never passes, and every reader accepts every input.
pub fn check(bytes: &[u8]) {
    let source = Source { name: "a", bytes };
    for hint in DIALECTS.map(Some).into_iter().chain([None]) {
        sound(&read(&[], bytes, b"", Some(0), hint));
        let failed = read(&[source], bytes, bytes, Some(1), hint);
        assert_ne!(failed.verdict(), Verdict::Passed);
        sound(&failed);
    }
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let halves = [Source { name: "a", bytes: first }, Source { name: "b", bytes: second }];
    sound(&read(&halves, b"", b"", Some(0), None));
    let paths = ["package.json", "pyproject.toml", "setup.cfg", "Makefile", "Cargo.toml"];
    for tests in detect(&paths.map(|path| Entry { path, bytes }), "out") {
        assert!(!tests.command.is_empty() && !tests.shown.is_empty());
    }
}

fn sound(reading: &Reading) {
    let passes = reading.verdict() == Verdict::Passed;
    assert_eq!(reading.record("command").is_pass(), passes);
    let Some(run) = reading.run.as_ref().or(reading.partial.as_ref()) else { return };
    let of = |status: &str| run.tests.iter().filter(|row| row.status == status).count();
    let counted = [("passed", run.passed), ("failed", run.failed), ("skipped", run.skipped)];
    assert!(counted.into_iter().all(|(status, count)| of(status) <= count as usize));
    let times = run.tests.iter().filter_map(|row| row.duration_ms).chain(run.duration_ms);
    assert!(times.into_iter().all(|ms| ms.is_finite() && ms >= 0.0));
}
