//! The exit code counts: a failed command never passes, and silence is not a pass either.

use super::{fixture, reading};
use loopdeck_results::unread::{UnreadReason, UnreadReport};
use loopdeck_results::{Dialect, ReadingNote, Source, Verdict, read};

const PASSING: [(&str, Dialect); 7] = [
    (
        "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        Dialect::Libtest,
    ),
    (
        "============ test session starts ============\ncollected 1 item\n\nt.py .   [100%]\n\n===== 1 passed in 0.01s =====\n",
        Dialect::Pytest,
    ),
    (".   [100%]\n1 passed in 0.01s\n", Dialect::Pytest),
    ("TAP version 14\nok 1 - a\n1..1\n", Dialect::Tap),
    ("<testsuite tests='1'><testcase name='a'/></testsuite>", Dialect::Junit),
    (
        "> shop@1.0.0 test\n> jest --json\n\n{\"numPassedTests\":1,\"numTotalTests\":1,\"openHandles\":[],\"testResults\":[{\"name\":\"/a.js\",\"status\":\"passed\",\"assertionResults\":[{\"title\":\"a\",\"status\":\"passed\"}]}]}\n",
        Dialect::Jest,
    ),
    ("ok  \texample.com/shop\t0.003s\n", Dialect::GoText),
];

#[test]
fn a_pass_needs_both() {
    for (output, dialect) in PASSING {
        for (stdout, stderr) in [(output, ""), ("", output)] {
            let read = |exit| read(&[], stdout.as_bytes(), stderr.as_bytes(), exit, None);
            let passed = read(Some(0));
            assert_eq!((passed.dialect, passed.verdict()), (Some(dialect), Verdict::Passed), "{output}");
            assert_eq!(
                passed.notes.iter().filter(|note| !matches!(note, ReadingNote::TotalsOnly { .. })).count(),
                0,
                "{:?}",
                passed.notes
            );
            assert_eq!(passed.record("make test"), passed.run.unwrap());
            for exit in [Some(1), Some(-1), None] {
                let reading = read(exit);
                assert_eq!((reading.verdict(), reading.run.as_ref()), (Verdict::Unclear, None), "{output}");
                let partial = reading.partial.as_ref().unwrap();
                assert_eq!((partial.passed, partial.failed), (1, 0), "what was read is kept");
                assert!(
                    matches!(&reading.notes[..], [.., ReadingNote::ExitDisagrees { exit_code, .. }] if *exit_code == exit)
                );
                let record = reading.record("make test");
                assert_eq!((record.passed, record.failed, record.failed_tests()), (1, 1, vec!["make test"]));
                assert!(!record.is_pass());
            }
        }
    }
}

#[test]
fn a_build_that_failed_is_no_result() {
    for name in ["cargo/build.txt", "cargo/nextest-build.txt"] {
        let reading = reading(name, Some(101));
        assert_eq!(
            (reading.dialect, reading.verdict(), &reading.run, &reading.partial),
            (None, Verdict::Unclear, &None, &None)
        );
        let [ReadingNote::Unrecognised { tail }] = &reading.notes[..] else { panic!("{:?}", reading.notes) };
        assert!(tail.contains("error: could not compile `shop`"), "{tail}");
        let record = reading.record("cargo test");
        assert_eq!((record.passed, record.failed), (0, 1));
        assert_eq!(record.tests[0].error_message.as_deref(), Some(tail.as_str()));
    }
}

#[test]
fn a_crash_is_no_pass() {
    // Not even when the command reports success.
    for exit in [101, 0] {
        let crashed = reading("cargo/abort.out", Some(exit));
        assert_eq!(crashed.verdict(), Verdict::Failed);
        assert!(crashed.notes.contains(&ReadingNote::Truncated { source: "output".into() }));
        let run = crashed.run.unwrap();
        assert_eq!((run.passed, run.failed, run.failed_tests()), (1, 1, vec!["tests/abort.rs"]));
        assert!(run.tests[1].error_message.as_ref().unwrap().contains("signal: 6, SIGABRT"));
    }
    // Without the word of cargo, only the missing end of its results tells.
    let output = fixture("cargo/abort.out");
    assert_eq!(read(&[], &output, b"", Some(0), None).verdict(), Verdict::Unclear);
}

#[test]
fn no_tests_is_said() {
    for name in [
        "cargo/none.out",
        "cargo/nextest-none.txt",
        "pytest/none.txt",
        "node/jest-none.json",
        "node/vitest-none.json",
    ] {
        for exit in [0, 1] {
            let reading = reading(name, Some(exit));
            assert_eq!(reading.verdict(), Verdict::NoTests, "{name}");
            assert!(reading.notes.iter().any(|note| matches!(note, ReadingNote::NoTests { .. })), "{name}");
            assert!(!reading.record("x").is_pass());
        }
    }
}

#[test]
fn failures_are_failures_even_when_the_command_is_happy() {
    let reading = reading("pytest/junit.xml", Some(0));
    assert_eq!(reading.verdict(), Verdict::Failed);
    assert!(matches!(&reading.notes[..], [ReadingNote::ExitDisagrees { exit_code: Some(0), .. }]));
}

#[test]
fn files_without_tests_leave_the_word_to_the_output() {
    let coverage = fixture("coverage/jest.info");
    let empty: &[u8] = b"";
    let sources =
        [Source { name: "lcov.info", bytes: &coverage }, Source { name: "junit.xml", bytes: empty }];
    let (output, dialect) = PASSING[0];
    let reading = read(&sources, output.as_bytes(), b"", Some(0), Some(Dialect::Junit));
    assert_eq!((reading.dialect, reading.verdict()), (Some(dialect), Verdict::Passed));
    assert_eq!(reading.run.as_ref().unwrap().coverage.unwrap().lines, Some(66.67));
    assert_eq!(reading.unread(), [UnreadReport { source: "junit.xml".into(), why: UnreadReason::Empty }]);
    assert_eq!(reading.notes.len(), 1);
}

#[test]
fn a_file_that_says_no_tests_is_not_overruled_by_the_output() {
    let none = fixture("node/jest-none.json");
    let source = Source { name: "jest.json", bytes: &none };
    let reading = read(&[source], b"No tests found\n", b"", Some(1), None);
    assert_eq!((reading.dialect, reading.verdict()), (Some(Dialect::Jest), Verdict::NoTests));
}
