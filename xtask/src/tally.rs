//! Counting what passed and what failed, from what the test runners print.

use std::fmt;
use std::ops::AddAssign;

use serde_json::Value;
use xtask::Failure;

/// How many checks passed and failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Names and messages of what failed, to be printed once more at the end.
    pub(crate) failures: String,
}

impl Tally {
    /// A check that passed.
    pub(crate) fn passed() -> Self {
        Self { passed: 1, ..Self::default() }
    }

    /// A check that failed, and why.
    pub(crate) fn failed(name: &str, why: &str) -> Self {
        Self { failed: 1, failures: format!("---- {name} ----\n{why}\n"), ..Self::default() }
    }

    /// A check that passes or fails as a whole; why it failed is printed at once, too.
    pub(crate) fn of(name: &str, result: &Result<(), Failure>) -> Self {
        let Err(error) = result else { return Self::passed() };
        eprintln!("{name}: {error}");
        Self::failed(name, &error.to_string())
    }

    /// The counts that `cargo test` printed, over all of its programs.
    pub(crate) fn from_cargo(output: &str) -> Self {
        let mut total = Self { failures: failures(output), ..Self::default() };
        for line in output.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            total.passed += count_before(line, "passed;");
            total.failed += count_before(line, "failed;");
        }
        total
    }

    /// The JSON report of vitest.
    pub(crate) fn from_vitest(report: &Value) -> Self {
        let count = |key: &str| report[key].as_u64().unwrap_or(0);
        let failures = vitest_failures(report);
        Self { passed: count("numPassedTests"), failed: count("numFailedTests"), failures }
    }

    /// The errors of vitest's run that no test holds, as `ui/scripts/unhandled.mjs` writes them.
    pub(crate) fn from_unhandled(errors: &Value) -> Self {
        let text = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
        let mut total = Self::default();
        for error in errors.as_array().into_iter().flatten() {
            total.failed += 1;
            total.failures +=
                &vitest_failure(&text(error, "file"), "outside of its tests", &text(error, "message"));
        }
        total
    }

    /// A runner that failed without naming a test (it did not compile, or crashed) counts as one failure.
    pub(crate) fn with_status(mut self, runner: &str, success: bool) -> Self {
        if !success && self.failed == 0 {
            self += Self::failed(runner, "It failed without naming a test: see its output above.");
        }
        self
    }
}

/// How many lines of a failure's own output are printed at the end: enough for its message.
const LINES: usize = 12;

/// What vitest reported about each test that failed, and about each file that could not be loaded.
fn vitest_failures(report: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut told = String::new();
    for file in list(&report["testResults"]) {
        let name = file["name"].as_str().unwrap_or_default();
        let tests = list(&file["assertionResults"]);
        if tests.is_empty() && file["status"] == "failed" {
            told += &vitest_failure(name, "", file["message"].as_str().unwrap_or_default());
        }
        for test in tests.iter().filter(|test| test["status"] == "failed") {
            let messages: Vec<_> = list(&test["failureMessages"]);
            let message = messages.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
            told += &vitest_failure(name, test["fullName"].as_str().unwrap_or_default(), &message);
        }
    }
    told
}

fn vitest_failure(file: &str, test: &str, message: &str) -> String {
    let message: Vec<&str> = message.lines().take(LINES).collect();
    format!("---- {file} {test} ----\n{}\n", message.join("\n"))
}

/// What `cargo test` printed about each test that failed: its name and the first lines of its own output.
fn failures(output: &str) -> String {
    let mut told = String::new();
    let mut left = 0;
    for line in output.lines() {
        if line.starts_with("---- ") && line.ends_with(" stdout ----") {
            left = LINES;
        } else if line == "failures:" || line.starts_with("stack backtrace:") {
            left = 0;
        }
        if left > 0 {
            told.push_str(line);
            told.push('\n');
            left -= 1;
        }
    }
    told
}

fn count_before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let counted = words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok());
    counted.unwrap_or(0)
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.push_str(&other.failures);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 3 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

    fn counts(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed, ..Tally::default() }
    }

    #[test]
    fn an_error_outside_of_the_tests_has_a_name() {
        let told = serde_json::json!([{ "file": "a.test.ts", "message": "Unhandled Error: late\nat x" }]);
        let total = Tally::from_unhandled(&told).with_status("UI tests", false);
        let failures = "---- a.test.ts outside of its tests ----\nUnhandled Error: late\nat x\n".to_owned();
        assert_eq!(total, Tally { passed: 0, failed: 1, failures });
        assert_eq!(Tally::from_unhandled(&Value::Null), Tally::default());
    }

    #[test]
    fn programs_are_added_up() {
        assert_eq!(Tally::from_cargo(OUTPUT), counts(4, 2));
    }

    #[test]
    fn the_end_names_a_failed_test_with_its_message_and_without_its_backtrace() {
        let output = "test a ... ok\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at c.rs:1:2:\nno\n\
            stack backtrace:\n   0: d\n\nfailures:\n    b\n";
        assert_eq!(failures(output), "---- b stdout ----\n\nthread 'b' panicked at c.rs:1:2:\nno\n");
        assert_eq!(failures(OUTPUT), "");
    }

    #[test]
    fn a_crash_is_a_failure() {
        let crash = Tally::from_cargo("error: could not compile").with_status("Rust tests", false);
        assert_eq!(crash.failed, 1);
        assert!(crash.failures.starts_with("---- Rust tests ----\n"), "{}", crash.failures);
        assert_eq!(Tally::from_cargo(OUTPUT).with_status("Rust tests", false), counts(4, 2));
    }

    #[test]
    fn vitest_reports() {
        let report = serde_json::json!({ "numPassedTests": 7, "numFailedTests": 1, "testResults": [
            { "name": "a.test.ts", "status": "failed", "assertionResults": [
                { "status": "passed", "fullName": "a", "failureMessages": [] },
                { "status": "failed", "fullName": "b c", "failureMessages": ["Error: 1 is not 2\n    at a.ts"] },
            ] },
            { "name": "b.test.ts", "status": "failed", "message": "Cannot find module", "assertionResults": [] },
        ] });
        let tally = Tally::from_vitest(&report);
        assert_eq!((tally.passed, tally.failed), (7, 1));
        assert_eq!(
            tally.failures,
            "---- a.test.ts b c ----\nError: 1 is not 2\n    at a.ts\n---- b.test.ts  ----\nCannot find module\n",
        );
    }

    #[test]
    fn the_last_line() {
        assert_eq!(counts(12, 0).to_string(), "12 passed, 0 failed");
    }
}
