//! Properties that hold for any bytes.

use super::{fixture, root};
use loopdeck_results::{Dialect, Reading, ReadingNote, Source, Verdict, detect, read};
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

/// A report of a fixture, as a file or as what a command printed.
struct Report {
    name: String,
    bytes: Vec<u8>,
    is_file: bool,
}

impl Report {
    fn read(&self, bytes: &[u8], exit: i32) -> Reading {
        if self.is_file {
            read(&[Source { name: &self.name, bytes }], b"", b"", Some(exit), None)
        } else {
            read(&[], bytes, b"", Some(exit), None)
        }
    }
}

/// Every report there is.
fn reports() -> Vec<Report> {
    let mut all = Vec::new();
    let mut folders: Vec<_> =
        std::fs::read_dir(root()).unwrap().map(|folder| folder.unwrap().path()).collect();
    let field = std::fs::read_dir(super::field::root()).unwrap();
    folders.extend(field.map(|case| case.unwrap().path().join("ws/fixture")).filter(|path| path.is_dir()));
    folders.sort();
    for folder in folders {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let is_output = path.file_stem().is_some_and(|stem| stem == "out");
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let is_file = !is_output && ["xml", "json", "info", "trx"].contains(&ending.as_str());
            all.push(Report {
                name: path.display().to_string(),
                bytes: std::fs::read(&path).unwrap(),
                is_file,
            });
        }
    }
    assert!(all.len() > 60);
    all
}

fn passed(reading: &Reading) -> u32 {
    reading.run.as_ref().or(reading.partial.as_ref()).map_or(0, |run| run.passed)
}

fn figures(reading: &Reading) -> Option<(u32, u32, u32, usize)> {
    let run = reading.run.as_ref().or(reading.partial.as_ref())?;
    Some((run.passed, run.failed, run.skipped, reading.files.len()))
}

/// What a damaged report must not become.
fn compare(whole: &Reading, part: &Reading, wrong: &mut Vec<String>, what: &str) {
    if part.verdict() == Verdict::Passed && whole.verdict() != Verdict::Passed {
        wrong.push(format!("{what}: passes, and the whole one doesn't"));
    }
    if passed(part) > passed(whole) {
        wrong.push(format!("{what}: {} passed, and {} of the whole one", passed(part), passed(whole)));
    }
}

/// How many places of a report are damaged.
const PLACES: usize = 60;

#[test]
fn a_report_that_is_cut_off_says_so_and_tells_no_more() {
    let mut wrong = Vec::new();
    for report in reports() {
        let whole = report.read(&report.bytes, 0);
        // Two reports in one file: nothing says that there was a second one.
        let is_two = report.name.contains("several-roots");
        for end in (0..report.bytes.len()).step_by((report.bytes.len() / PLACES).max(1)) {
            let part = report.read(&report.bytes[..end], 0);
            let what = format!("{} cut at {end}", report.name);
            if !is_two {
                compare(&whole, &part, &mut wrong, &what);
            }
            let is_told = !part.unread().is_empty()
                || part.notes.iter().any(|note| matches!(note, ReadingNote::Unrecognised { .. }));
            // Where one report ends and another one of the same text follows, nothing is missing.
            let is_several = matches!(whole.dialect, Some(Dialect::Libtest | Dialect::GoText | Dialect::GoJson))
                    || report.bytes[..end].trim_ascii_end().ends_with(b"end_of_record")
                    || is_two
                // The summary of nextest is followed by the failures once more.
                || whole.dialect == Some(Dialect::Nextest) && String::from_utf8_lossy(&report.bytes[..end]).contains("Summary");
            if figures(&part) != figures(&whole) && !is_told && !is_several {
                wrong.push(format!("{what}: doesn't say so"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(80)].join("\n"));
}

#[test]
fn a_single_fault_makes_nothing_pass() {
    let mut wrong = Vec::new();
    for report in reports() {
        let (whole, bytes) = (report.read(&report.bytes, 0), &report.bytes);
        // Two reports in one file: nothing says that there was a second one.
        if report.name.contains("several-roots") || report.name.contains("/pytest/") {
            continue;
        }
        for at in (0..bytes.len()).step_by((bytes.len() / PLACES).max(1)) {
            let line = |from: usize| {
                let start = bytes[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                start
                    ..bytes[from..]
                        .iter()
                        .position(|byte| *byte == b'\n')
                        .map_or(bytes.len(), |end| from + end + 1)
            };
            // What only a word behind a test says is lost with its mark: `ok 3 # SKIP no network`.
            let text = String::from_utf8_lossy(&bytes[line(at)]).to_ascii_lowercase();
            if whole.dialect == Some(Dialect::Tap) && (text.contains("# skip") || text.contains("# todo")) {
                continue;
            }
            let mut faults = vec![(at..at + 1, ""), (line(at), "")];
            faults.extend(["\0", "\u{7f}", "<", "\"", "\n", "~", " "].map(|new| (at..at + 1, new)));
            for (place, new) in faults {
                let mut damaged = bytes.clone();
                damaged.splice(place.clone(), new.bytes());
                let part = report.read(&damaged, 0);
                let what = format!("{} at {place:?} {new:?}", report.name);
                if part.verdict() == Verdict::Passed && whole.verdict() != Verdict::Passed {
                    wrong.push(what);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(80)].join("\n"));
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
