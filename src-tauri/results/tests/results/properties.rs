//! Properties that hold for any bytes.

use super::{fixture, root};
use loopdeck_results::{Dialect, Reading, Source, Verdict, detect, read};
use proptest::prelude::*;

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

/// Lines that some reader understands.
fn line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "running 2 tests",
        "test a ... ok",
        "test b ... FAILED",
        "failures:",
        "    b",
        "---- b stdout ----",
        "test result: ok. 2 passed; 0 failed; 0 ignored",
        "TAP version 13",
        "1..2",
        "ok 1 - a",
        "not ok 2 - b {",
        "    ok 1 - c",
        "  ---",
        "  ...",
        "}",
        "Bail out! x",
        "=== RUN   TestA",
        "--- FAIL: TestA (0.00s)",
        "ok  \tpkg\t0.1s",
        "FAIL\tpkg [build failed]",
        "===== FAILURES =====",
        "____ a ____",
        "E  x",
        "a.py::a PASSED [ 10%]",
        "a.py::a ERROR",
        "== short test summary info ==",
        "ERROR a.py - x",
        "= 1 failed, 2 passed in 0.1s =",
        " Nextest run ID x",
        "        PASS [   0.1s] (1/2) a b",
        "        FAIL [   0.1s] a c",
        "     Summary [ 1s] 2 tests run: 1 passed, 1 failed",
        "{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"t\"}",
        "{\"Action\":\"pass\",\"Package\":\"p\"}",
        "{\"testResults\":[{\"assertionResults\":[{\"status\":\"passed\"}]}]}",
        "<testsuite tests='9'>",
        "<testcase name='a'>",
        "<failure/>",
        "</testcase>",
        "</testsuite>",
        "SF:a",
        "DA:1,1",
        "end_of_record",
    ]);
    prop_oneof![8 => words.prop_map(str::to_owned), 1 => ".{0,20}"]
}

fn check(reading: &Reading) {
    assert!(!(reading.run.is_some() && reading.partial.is_some()));
    if let Some(run) = reading.run.as_ref().or(reading.partial.as_ref()) {
        let of = |status: &str| run.tests.iter().filter(|row| row.status == status).count();
        assert!(of("passed") <= run.passed as usize && of("failed") <= run.failed as usize);
        assert!(of("skipped") <= run.skipped as usize);
        assert_eq!(of("passed") + of("failed") + of("skipped"), run.tests.len(), "a status of its own");
        let times = run.tests.iter().filter_map(|row| row.duration_ms).chain(run.duration_ms);
        assert!(times.into_iter().all(|ms| ms.is_finite() && ms >= 0.0));
    }
    let passes = reading.run.as_ref().is_some_and(loopdeck_results::record::ValidationRun::is_pass);
    assert_eq!(passes, reading.verdict() == Verdict::Passed);
    assert_eq!(reading.record("x").is_pass(), passes);
    assert!(
        reading
            .files
            .iter()
            .all(|(_, figures)| figures.lines.is_none_or(|share| (0.0..=100.0).contains(&share)))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_lines_are_read(lines in prop::collection::vec(line(), 0..40), exit in prop::option::of(-1..3), hint in prop::option::of(prop::sample::select(DIALECTS.to_vec()))) {
        let text = lines.join("\n");
        let bytes = text.as_bytes();
        for exit in [exit, Some(0)] {
            check(&read(&[], bytes, b"", exit, hint));
            check(&read(&[], b"", bytes, exit, hint));
            check(&read(&[Source { name: "x", bytes }, Source { name: "y", bytes }], bytes, bytes, exit, hint));
        }
        prop_assert_ne!(read(&[], bytes, b"", Some(1), hint).verdict(), Verdict::Passed);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), hint in prop::option::of(prop::sample::select(DIALECTS.to_vec()))) {
        check(&read(&[Source { name: "x", bytes: &bytes }], &bytes, &bytes, Some(0), hint));
        let paths = ["package.json", "Makefile", "Cargo.toml", "pyproject.toml"];
        let entries = paths.map(|path| detect::Entry { path, bytes: &bytes });
        for tests in detect::detect(&entries, "out") {
            prop_assert!(!tests.command.is_empty());
        }
    }

    #[test]
    fn damaged_reports_are_read(place in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), new in prop::collection::vec(any::<u8>(), 0..8)) {
        let mut names: Vec<String> = Vec::new();
        for folder in std::fs::read_dir(root()).unwrap() {
            let folder = folder.unwrap();
            for file in std::fs::read_dir(folder.path()).unwrap() {
                names.push(format!("{}/{}", folder.file_name().display(), file.unwrap().file_name().display()));
            }
        }
        let mut bytes = fixture(place.get(&names[..]).as_str());
        let from = at.index(bytes.len().max(1)).min(bytes.len());
        let to = (from + new.len()).min(bytes.len());
        bytes.splice(from..to, new);
        check(&read(&[Source { name: "x", bytes: &bytes }], b"", b"", Some(0), None));
        check(&read(&[], &bytes, b"", Some(0), None));
    }
}
