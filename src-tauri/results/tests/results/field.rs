//! Reports that people sent to other readers of results, each with what is right (`tests/fixtures/field`).

use loopdeck_results::record::{TestResult, ValidationRun};
use loopdeck_results::unread::{UnreadReason, UnreadReport};
use loopdeck_results::{Reading, Source, Verdict, read};
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/field")
}

/// A file of a case, by the number of the case.
fn bytes(case: &str, file: &str) -> Vec<u8> {
    let mut all = std::fs::read_dir(root()).unwrap().flatten();
    let folder = all.find(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{case}-")));
    std::fs::read(folder.unwrap().path().join("ws/fixture").join(file)).unwrap()
}

/// A case whose report is a file.
fn report(case: &str, file: &str, exit: i32) -> Reading {
    let bytes = bytes(case, file);
    read(&[Source { name: file, bytes: &bytes }], b"", b"", Some(exit), None)
}

/// A case whose report is the output.
fn output(case: &str, file: &str, exit: i32) -> Reading {
    read(&[], &bytes(case, file), b"", Some(exit), None)
}

fn counts(run: &ValidationRun) -> [u32; 3] {
    [run.passed, run.failed, run.skipped]
}

fn unread(source: &str, why: UnreadReason) -> UnreadReport {
    UnreadReport { source: source.to_owned(), why }
}

fn row<'r>(run: &'r ValidationRun, name: &str) -> &'r TestResult {
    super::row(run, name)
}

fn message<'r>(run: &'r ValidationRun, name: &str) -> &'r str {
    row(run, name).error_message.as_deref().unwrap_or_default()
}

#[test]
fn junit() {
    let run = report("43", "r.xml", 1).run.unwrap();
    assert_eq!(counts(&run), [1, 2, 0]);
    assert_eq!(message(&run, "pours"), "want 1 got 2");
    assert!(run.tests.iter().all(|row| !format!("{row:?}").contains("u{1b}")));

    let run = report("44", "r.xml", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([2, 1, 0], vec!["c"]));

    let run = report("45", "r.xml", 1).run.unwrap();
    assert_eq!((counts(&run), run.tests.len(), run.failed_tests()), ([3, 2, 1], 4, vec!["rounds", "loose"]));

    let run = report("46", "r.xml", 1).run.unwrap();
    assert_eq!((counts(&run), message(&run, "b")), ([1, 1, 0], "nein"));

    let run = report("48", "r.xml", 0).run.unwrap();
    let times: Vec<_> = run.tests.iter().map(|row| row.duration_ms).collect();
    assert_eq!(counts(&run), [6, 0, 0]);
    assert_eq!(times, [Some(123.0), Some(1_234_500.0), None, None, None, Some(0.1)]);

    let run = report("49", "r.xml", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([0, 1, 1], vec!["NonTestSuiteFailure"]));
    assert_eq!(message(&run, "NonTestSuiteFailure"), "env.cc:12\nset-up of the environment");

    let reading = report("51", "r.xml", 1);
    assert_eq!(reading.unread(), [unread("r.xml", UnreadReason::NotWellFormed { line: 3 })]);
    let run = reading.run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([2, 1, 0], vec!["x"]));

    let run = report("67", "r.xml", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests(), run.tests.len()), ([1, 1, 0], vec!["test_pour"], 2));
    assert_eq!(message(&run, "test_pour"), "failed on teardown with \"boom\"");
}

#[test]
fn a_damaged_report_is_no_pass() {
    for fault in
        ["<testcase name=\"a < b\"/>", "<testcase name=\"a\"\"/>", "<testcase name=\"a/>\n<x y=\"\"/>"]
    {
        let text = format!("<testsuite tests=\"1\">\n{fault}</testsuite>");
        let reading = read(&[Source { name: "r.xml", bytes: text.as_bytes() }], b"", b"", Some(0), None);
        assert_eq!(reading.verdict(), Verdict::Unclear, "{fault}");
        assert_eq!(reading.unread(), [unread("r.xml", UnreadReason::NotWellFormed { line: 2 })], "{fault}");
    }
}

#[test]
fn a_huge_report_is_read() {
    let line = "y".repeat(1_000_000);
    let mut text = String::from(
        "<testsuites><testsuite name='big' tests='2' failures='1'><testcase name='a'/><testcase name='b'><failure message='no'>",
    );
    text.push_str(&line);
    text.push_str("</failure></testcase><system-out><![CDATA[");
    (0..59).for_each(|_| text.push_str(&line));
    text.push_str("]]></system-out></testsuite></testsuites>");
    let run = read(&[Source { name: "r.xml", bytes: text.as_bytes() }], b"", b"", Some(1), None).run.unwrap();
    assert_eq!((counts(&run), message(&run, "b")), ([1, 1, 0], "no"));
    assert!(row(&run, "b").stack_trace.as_ref().unwrap().len() <= 16_000);
}

#[test]
fn go() {
    let run = output("54", "out.json", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([1, 1, 0], vec!["shop/cart"]));
    assert_eq!(message(&run, "shop/cart"), "money/money.go:9:2: undefined: round");

    let run = output("55", "out.json", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([1, 1, 0], vec!["TestHangs"]));
    assert_eq!(message(&run, "TestHangs"), "panic: test timed out after 1s");
}

#[test]
fn the_text_of_go_names_builds_and_what_ran_too_long() {
    let build = "# shop/money\nmoney/money.go:9:2: undefined: round\n";
    let result = "FAIL\tshop/cart [build failed]\nok  \tshop/mail\t0.02s\nFAIL\n";
    for (out, err) in [(format!("{build}{result}"), String::new()), (result.to_owned(), build.to_owned())] {
        let run = read(&[], out.as_bytes(), err.as_bytes(), Some(1), None).run.unwrap();
        assert_eq!((counts(&run), run.failed_tests()), ([1, 1, 0], vec!["shop/cart"]));
        assert_eq!(message(&run, "shop/cart"), "money/money.go:9:2: undefined: round");
    }
    let text =
        "panic: test timed out after 1s\n\trunning tests:\n\t\tTestHangs (1s)\n\ngoroutine 7 [running]:\n";
    for begin in ["", "=== RUN   TestA\n--- PASS: TestA (0.10s)\n=== RUN   TestHangs\n"] {
        let text = format!("{begin}{text}FAIL\tshop/slow\t1.003s\nFAIL\n");
        let run = read(&[], text.as_bytes(), b"", Some(1), None).run.unwrap();
        assert_eq!(run.failed_tests(), ["TestHangs"]);
        assert_eq!(message(&run, "TestHangs"), "panic: test timed out after 1s");
    }
}

#[test]
fn tap() {
    let reading = output("56", "out.tap", 1);
    assert_eq!(reading.unread(), []);
    let run = reading.run.unwrap();
    assert_eq!((counts(&run), run.tests.len()), ([2, 1, 2], 5));
    let rows: Vec<_> = run.tests.iter().map(|row| (&*row.suite, &*row.name, &*row.status)).collect();
    assert_eq!(
        rows,
        [
            ("math", "adds", "passed"),
            ("math", "rounds", "skipped"),
            ("cart", "two blanks", "passed"),
            ("cart", "two blanks, fails", "failed"),
            ("", "#3", "skipped")
        ]
    );

    let reading = output("57", "out.tap", 0);
    assert_eq!(reading.verdict(), Verdict::NoTests);
    assert!(reading.explanation().contains("# SKIP no database"));

    let run = output("58", "out.tap", 1).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([2, 1, 1], vec!["Größe # 3"]));
    assert_eq!(run.duration_ms, Some(3.0));
}

#[test]
fn subtests_have_any_indent() {
    for (outer, inner) in [(1, 2), (2, 4), (2, 3), (3, 8), (4, 6), (8, 9)] {
        let [one, two] = [outer, inner].map(|count| " ".repeat(count));
        let text = format!(
            "1..2\n{two}ok 1 - a\n{two}not ok 2 - b\n{two}1..2\n{one}not ok 1 - deep\n{one}ok 2 - c\n{one}1..2\nnot ok 1 - top\nok 2 - d\n"
        );
        let reading = read(&[], text.as_bytes(), b"", Some(1), None);
        assert_eq!(reading.unread(), [], "{text}");
        let run = reading.run.unwrap();
        assert_eq!((counts(&run), run.failed_tests()), ([3, 1, 0], vec!["b"]), "{text}");
        assert_eq!((&*row(&run, "a").suite, &*row(&run, "c").suite), ("top › deep", "top"), "{text}");
    }
}

#[test]
fn json_behind_text() {
    let reading = output("59", "out.txt", 0);
    assert_eq!((reading.verdict(), counts(&reading.run.unwrap())), (Verdict::Passed, [2, 0, 0]));
    let text = String::from_utf8(bytes("59", "out.txt")).unwrap();
    let report = text.lines().rfind(|line| line.starts_with('{')).unwrap();
    for text in [
        format!("{{\"tests\": 1, \"summary\": \"x\"}}\n{report}\nDone.\n"),
        format!("shop:test: {report}\n"),
        format!("{{ not JSON\n{{\"a\":\n{report}"),
    ] {
        let run = read(&[], text.as_bytes(), b"", Some(0), None).run.unwrap();
        assert_eq!(counts(&run), [2, 0, 0], "{text}");
    }
    // Two packages, one behind the other.
    let two = format!("{report}\n{report}\n");
    assert_eq!(counts(&read(&[], two.as_bytes(), b"", Some(0), None).run.unwrap()), [4, 0, 0]);
}

#[test]
fn coverage() {
    let reading = report("61", "coverage.xml", 0);
    let lines: Vec<_> = reading.files.iter().map(|(name, figures)| (&**name, figures.lines)).collect();
    assert_eq!(lines, [("__init__.py", Some(100.0)), ("__init__.py (.web)", Some(0.0))]);
    assert_eq!(reading.partial.unwrap().coverage.unwrap().lines, Some(50.0));

    let reading = report("63", "lcov.info", 0);
    let lines: Vec<_> =
        reading.files.iter().map(|(name, figures)| (&**name, figures.lines, figures.functions)).collect();
    assert_eq!(
        lines,
        [(r"C:\w\shop\cart.ts", Some(25.0), Some(100.0)), (r"C:\w\shop\mail.ts", Some(100.0), None)]
    );
    assert_eq!(reading.partial.unwrap().coverage.unwrap().lines, Some(40.0));
}

#[test]
fn unknown_formats_are_named_and_never_pass() {
    let names = ["ctrf.json", "mocha.json", "n.xml", "pw.json", "r.trx", "x.xml"];
    let all = names.map(|name| (name, bytes("64", name)));
    let sources = all.each_ref().map(|(name, bytes)| Source { name, bytes });
    for exit in [0, 1] {
        let reading = read(&sources, b"", b"", Some(exit), None);
        assert_eq!(reading.verdict(), Verdict::Unclear);
        assert_eq!(reading.unread(), names.map(|name| unread(name, UnreadReason::UnknownFormat)));
        let record = reading.record("make test");
        let said = record.tests[0].error_message.clone().unwrap();
        assert!(names.iter().all(|name| said.contains(&format!("- {name}: unknown format"))), "{said}");
        assert!(!record.is_pass());
    }
    let reading = report("65", "r.trx", 0);
    assert_eq!(reading.verdict(), Verdict::Unclear);
    assert!(reading.explanation().contains("r.trx: unknown format"));
}

#[test]
fn pytest() {
    let run = output("66", "out.txt", 1).run.unwrap();
    assert_eq!((counts(&run), run.tests.len()), ([2, 3, 0], 5));
    assert_eq!(run.failed_tests(), ["test_two", "test_dies", "test_sub [x=1]"]);
    assert_eq!(message(&run, "test_dies"), "worker 'gw1' crashed while running 'tests/test_b.py::test_dies'");
    assert_eq!((message(&run, "test_two"), message(&run, "test_sub [x=1]")), ("assert 1 == 2", "assert 0"));
    // The same without pytest-xdist.
    let text = "=== test session starts ===\ncollected 2 items\n\nt.py::test_a SUBFAILED[x=1]  [ 50%]\nt.py::test_a SUBFAIL  [ 50%]\nt.py::test_a PASSED  [ 50%]\nt.py::test_b PASSED [100%]\n\n=== 2 failed, 2 passed in 0.1s ===\n";
    let run = read(&[], text.as_bytes(), b"", Some(1), None).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([2, 2, 0], vec!["test_a [x=1]", "test_a (subtest)"]));
}

#[test]
fn a_test_in_which_python_dies_is_named() {
    let text = "=== test session starts ===\ncollected 2 items\n\nt.py::test_a PASSED [ 50%]\nt.py::test_b ";
    let fatal = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n";
    for (out, err) in [(text.to_owned(), fatal), (format!("{text}{fatal}"), "")] {
        let reading = read(&[], out.as_bytes(), err.as_bytes(), None, None);
        assert_eq!(reading.unread(), [unread("output", UnreadReason::CutOff)]);
        let run = reading.run.unwrap();
        assert_eq!((counts(&run), run.failed_tests()), ([1, 1, 0], vec!["test_b"]));
        assert_eq!(message(&run, "test_b"), "Fatal Python error: Segmentation fault");
    }
}

#[test]
fn reports_of_two_packages_whose_tests_have_one_name_are_both_counted() {
    let json = r#"{"numTotalTests":1,"testResults":[{"name":"/w/b/x.test.ts","status":"failed","assertionResults":[{"title":"adds","status":"failed","failureMessages":["no"]}]}]}"#;
    let sources = [
        Source { name: "a.xml", bytes: b"<testsuite tests='1'><testcase name='adds'/></testsuite>" },
        Source { name: "b.json", bytes: json.as_bytes() },
    ];
    assert_eq!(counts(&read(&sources, b"", b"", Some(1), None).run.unwrap()), [1, 1, 0]);
    // Test files of one name say in which folder they are.
    let file = |folder: &str| {
        format!(
            r#"{{"name":"/w/{folder}/x.test.ts","status":"passed","assertionResults":[{{"title":"adds","status":"passed"}}]}}"#
        )
    };
    let json = format!(r#"{{"numTotalTests":2,"testResults":[{},{}]}}"#, file("a"), file("b"));
    let run =
        read(&[Source { name: "r.json", bytes: json.as_bytes() }], b"", b"", Some(0), None).run.unwrap();
    let suites: Vec<&str> = run.tests.iter().map(|row| row.suite.as_str()).collect();
    assert_eq!(suites, ["a/x.test.ts", "b/x.test.ts"]);
}

#[test]
fn libtest() {
    let stderr = b"error: test failed, to rerun pass `--lib`\nprocess did not exit successfully: /w/target/debug/deps/mail-1 (signal: 6, SIGABRT: process abort signal)\n";
    let run = read(&[], &bytes("68", "out.txt"), stderr, Some(101), None).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([3, 2, 1], vec!["cart::rounds", "mail::aborts"]));
    assert_eq!(message(&run, "cart::rounds"), "assertion `left == right` failed\n  left: 1\n right: 2");
    assert!(message(&run, "mail::aborts").contains("signal: 6, SIGABRT"));
    // A thread whose stack overflows is named by itself, also where tests run in parallel.
    let output = b"\nrunning 2 tests\ntest mail::sends ... ok\n";
    let stderr = b"\nthread 'mail::deep' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\nCaused by:\n  process didn't exit successfully: `/w/mail-1` (signal: 6, SIGABRT: process abort signal)\n";
    let run = read(&[], output, stderr, Some(101), None).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests()), ([1, 1, 0], vec!["mail::deep"]));
    // What a test prints without a line end stands before its result.
    let output = b"running 2 tests\ntest a ... hellook\ntest b ... byeFAILED\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let run = read(&[], output, b"", Some(101), None).run.unwrap();
    assert_eq!((counts(&run), run.failed_tests(), run.tests.len()), ([1, 1, 0], vec!["b"], 2));
}
