//! Real outputs of real tools are read correctly.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod coverage;
mod damage;
mod exits;
mod field;
mod properties;

use loopdeck_results::Dialect::{
    GoJson, GoText, Jest, Junit, Libtest, Nextest, Pytest, PytestJson, Tap, Vitest,
};
use loopdeck_results::record::{TestResult, ValidationRun};
use loopdeck_results::{Dialect, Reading, Source, Verdict, read};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/results")
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A report as a file, anything else as the output of the command.
fn reading(name: &str, exit_code: Option<i32>) -> Reading {
    let bytes = fixture(name);
    let file = Source { name, bytes: &bytes };
    match name.rsplit('.').next() {
        Some("xml" | "json" | "info") => read(&[file], b"", b"", exit_code, None),
        Some("out") => read(&[], &bytes, &fixture(&name.replace(".out", ".err")), exit_code, None),
        _ => read(&[], &bytes, b"", exit_code, None),
    }
}

fn run(name: &str) -> ValidationRun {
    reading(name, Some(1)).run.unwrap_or_else(|| panic!("{name} proves nothing"))
}

/// A row by name.
fn row<'r>(run: &'r ValidationRun, name: &str) -> &'r TestResult {
    let mut found = run.tests.iter().filter(|row| row.name == name);
    let row = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none(), "{name} twice");
    row
}

/// Every report of a failing run: dialect, passed, failed, skipped, rows, and all failures in order.
const FAILING: [(&str, Dialect, [u32; 4], &[&str]); 29] = [
    ("cargo/all.out", Libtest, [5, 5, 2, 12], CARGO),
    ("cargo/mixed.txt", Libtest, [5, 5, 2, 12], CARGO),
    ("cargo/quiet.out", Libtest, [5, 5, 2, 5], CARGO),
    ("cargo/nextest.txt", Nextest, [3, 4, 1, 7], NEXTEST),
    ("cargo/nextest-ci.txt", Nextest, [3, 4, 1, 7], NEXTEST),
    ("cargo/nextest-color.txt", Nextest, [3, 4, 1, 7], NEXTEST),
    ("cargo/nextest-junit.xml", Junit, [3, 4, 0, 7], NEXTEST),
    ("pytest/verbose.txt", Pytest, [5, 5, 2, 12], PYTEST),
    ("pytest/ra.txt", Pytest, [5, 5, 2, 11], PYTEST),
    // pytest also counts a test whose teardown failed as passed, and dots do not show which one it was.
    ("pytest/dots.txt", Pytest, [6, 5, 2, 5], PYTEST),
    ("pytest/quiet.txt", Pytest, [6, 5, 2, 5], PYTEST),
    ("pytest/junit.xml", Junit, [5, 5, 2, 12], PYTEST),
    ("pytest/reruns.txt", Pytest, [6, 4, 2, 12], RERUNS),
    ("pytest/junit-reruns.xml", Junit, [6, 4, 2, 12], RERUNS),
    ("pytest/report.json", PytestJson, [6, 4, 2, 12], RERUNS),
    ("node/jest.json", Jest, [1, 2, 2, 5], &["adds wrong", "broken.test.js"]),
    ("node/jest-junit.xml", Junit, [2, 1, 1, 4], &["cart sum adds wrong"]),
    ("node/vitest.json", Vitest, [1, 2, 2, 5], &["adds wrong", "broken.test.js"]),
    ("node/vitest-junit.xml", Junit, [1, 2, 2, 5], &["cart > sum > adds wrong", "src/broken.test.js"]),
    ("node/vitest.tap", Tap, [1, 2, 2, 5], &["adds wrong", "src/broken.test.js"]),
    ("node/mocha.tap", Tap, [1, 1, 2, 4], &["cart fails"]),
    ("node/mocha13.tap", Tap, [1, 1, 2, 4], &["cart fails"]),
    ("node/mocha-xunit.xml", Junit, [1, 1, 2, 4], &["fails"]),
    ("node/node.tap", Tap, [2, 1, 2, 5], &["fails # hard"]),
    ("node/node-junit.xml", Junit, [2, 1, 2, 5], &["fails # hard"]),
    ("node/bats.tap", Tap, [1, 1, 1, 3], &["fails"]),
    ("jvm/surefire.xml", Junit, [2, 2, 1, 5], &["breaks", "fails"]),
    ("go/events.jsonl", GoJson, [1, 3, 1, 5], &["TestSum", "TestSum/two", "example.com/shop/price"]),
    ("go/plain.txt", GoText, [1, 3, 0, 4], &["TestSum", "TestSum/two", "example.com/shop/price"]),
];
const CARGO: &[&str] =
    &["full", "src/lib.rs - add (line 9)", "tests::adds_wrong", "tests::must_panic", "tests::returns"];
const NEXTEST: &[&str] = &["full", "tests::adds_wrong", "tests::must_panic", "tests::returns"];
const PYTEST: &[&str] = &["test_add_wrong", "test_error", "test_flaky", "test_param[2]", "test_teardown"];
const RERUNS: &[&str] = &["test_add_wrong", "test_error", "test_param[2]", "test_teardown"];

#[test]
fn every_report_says_what_its_tool_said() {
    for (name, dialect, [passed, failed, skipped, rows], failures) in FAILING {
        let reading = reading(name, Some(1));
        assert_eq!((reading.dialect, reading.verdict()), (Some(dialect), Verdict::Failed), "{name}");
        let run = reading.run.unwrap();
        assert_eq!((run.passed, run.failed, run.skipped), (passed, failed, skipped), "{name}");
        assert_eq!(run.tests.len(), rows as usize, "{name}");
        let mut named = run.failed_tests();
        named.sort_unstable();
        assert_eq!(named, failures, "{name}");
        for row in run.tests.iter().filter(|row| row.status == "failed") {
            let parent = row.name == "TestSum";
            assert_eq!(row.error_message.is_some(), !parent, "{name}: {}", row.name);
        }
        let passing = run.tests.iter().filter(|row| row.status != "failed");
        assert!(passing.clone().all(|row| row.error_message.is_none()), "{name}");
    }
}

#[test]
fn failures_say_why() {
    for (name, test, suite, message) in [
        ("cargo/all.out", "full", "tests/cart.rs", "two\nlines"),
        ("cargo/mixed.txt", "tests::returns", "shop (src/lib.rs)", "Error: \"no price\""),
        (
            "cargo/nextest.txt",
            "tests::adds_wrong",
            "shop",
            "assertion `left == right` failed: sum of 1 and 2\n  left: 3\n right: 4",
        ),
        ("cargo/nextest-junit.xml", "full", "shop::cart", "two\nlines"),
        ("pytest/verbose.txt", "test_param[2]", "tests/test_cart.py::TestMany", "AssertionError: two lines"),
        ("pytest/dots.txt", "test_error", "tests/test_cart.py", "RuntimeError: no database"),
        ("pytest/junit.xml", "test_add_wrong", "tests.test_cart", "assert 3 == 4\n +  where 3 = add(1, 2)"),
        ("pytest/report.json", "test_teardown", "tests/test_flaky.py", "OSError: cannot close"),
        ("pytest/collect.txt", "bad/test_bad.py", "", "ModuleNotFoundError: No module named 'nothing_here'"),
        ("node/jest.json", "broken.test.js", "", "Cannot find module './nothing' from 'src/broken.test.js'"),
        (
            "node/vitest.tap",
            "adds wrong",
            "src/cart.test.js › cart › sum",
            "expected 3 to be 4 // Object.is equality",
        ),
        ("node/node.tap", "fails # hard", "cart › sum", "1 == 2"),
        ("node/bats.tap", "fails", "", "(in test file t/a.bats, line 2)"),
        ("jvm/surefire.xml", "breaks", "shop.CartTest", "no <price> & ]]> x"),
        ("go/events.jsonl", "TestSum/two", "example.com/shop/cart", "cart_test.go:17: got 3, want 4"),
        ("go/events.jsonl", "example.com/shop/price", "", "price/price.go:3:9: undefined: rate"),
        ("go/verbose.txt", "TestSum/two", "example.com/shop/cart", "cart_test.go:17: got 3, want 4"),
    ] {
        let run = run(name);
        let row = row(&run, test);
        assert_eq!((row.suite.as_str(), row.error_message.as_deref()), (suite, Some(message)), "{name}");
    }
}

#[test]
fn times_are_milliseconds() {
    assert_eq!(run("jvm/surefire.xml").duration_ms, Some(1_001_062.0));
    assert_eq!(row(&run("jvm/surefire.xml"), "adds").duration_ms, Some(19.0));
    assert_eq!(run("cargo/all.out").duration_ms, Some(240.0));
    assert_eq!(row(&run("cargo/nextest.txt"), "tests::adds").duration_ms, Some(10.0));
    assert_eq!(run("pytest/verbose.txt").duration_ms, Some(50.0));
    assert_eq!(row(&run("node/node.tap"), "adds").duration_ms, Some(0.429));
    assert_eq!(row(&run("node/vitest.tap"), "adds").duration_ms, Some(0.77));
    assert_eq!(row(&run("go/events.jsonl"), "TestSum").duration_ms, Some(20.0));
}

#[test]
fn what_a_test_printed_is_no_row() {
    // `tests::adds` prints a line that looks like a failed test.
    let all = fixture("cargo/all.out");
    let text = String::from_utf8(all).unwrap();
    let printed = text.replace(
        "before\n",
        "before\nrunning 1 test\ntest nested ... FAILED\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
    );
    let reading = read(&[], printed.as_bytes(), b"", Some(101), None);
    let run = reading.run.unwrap();
    assert_eq!((run.passed, run.failed, run.tests.len()), (5, 5, 12));
}

#[test]
fn several_files_are_one_run() {
    let (one, two) = (fixture("jvm/surefire.xml"), fixture("jvm/gradle.xml"));
    let (jest, python) = (fixture("node/jest.json"), fixture("pytest/junit.xml"));
    let source = |name, bytes| Source { name, bytes };
    let sources =
        [source("a.xml", &one[..]), source("b.xml", &two), source("c.json", &jest), source("d.xml", &python)];
    let run = read(&sources, b"1..1\nok 1 - not counted\n", b"", Some(1), None).run.unwrap();
    assert_eq!((run.passed, run.failed, run.skipped), (2 + 1 + 1 + 5, 2 + 1 + 2 + 5, 1 + 2 + 2));
    assert_eq!(run.tests.len(), 5 + 2 + 5 + 12);
    assert_eq!(run.duration_ms, Some(1_001_062.0 + 12.0 + 505.0 + 70.0));
}

#[test]
fn a_second_report_of_the_same_run_is_left_out() {
    let (xml, json) = (fixture("pytest/junit-reruns.xml"), fixture("pytest/report.json"));
    let sources = [Source { name: "a.xml", bytes: &xml }, Source { name: "b.json", bytes: &json }];
    for (hint, dialect, left_out) in
        [(None, Junit, "b.json"), (Some(PytestJson), PytestJson, "a.xml"), (Some(Junit), Junit, "b.json")]
    {
        let reading = read(&sources, b"", b"", Some(1), hint);
        let run = reading.run.unwrap();
        assert_eq!((reading.dialect, run.passed, run.failed, run.tests.len()), (Some(dialect), 6, 4, 12));
        let note = loopdeck_results::ReadingNote::SameRun { source: left_out.to_owned() };
        assert!(reading.notes.contains(&note), "{:?}", reading.notes);
    }
}
