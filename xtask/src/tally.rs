//! Counting what passed and what failed, from what the test runners print.

use std::fmt;
use std::ops::AddAssign;

/// How many checks passed and failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Names and messages of Rust tests that failed, to be printed once more at the end.
    pub(crate) failures: String,
}

impl Tally {
    /// One check.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: u64::from(passed), failed: u64::from(!passed), ..Self::default() }
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
    pub(crate) fn from_vitest(report: &serde_json::Value) -> Self {
        let count = |key: &str| report[key].as_u64().unwrap_or(0);
        Self { passed: count("numPassedTests"), failed: count("numFailedTests"), ..Self::default() }
    }

    /// A runner that failed without naming a test (it did not compile, or crashed) counts as one failure.
    pub(crate) fn with_status(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

/// What `cargo test` printed about each test that failed: its name and the first lines of its own output.
fn failures(output: &str) -> String {
    /// Enough for the message of a panic; a backtrace is cut.
    const LINES: usize = 12;
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
    fn programs_are_added_up() {
        assert_eq!(Tally::from_cargo(OUTPUT), counts(4, 2));
    }

    #[test]
    fn a_failed_test_is_told_with_its_message_and_without_its_backtrace() {
        let output = "test a ... ok\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at c.rs:1:2:\nno\n\
            stack backtrace:\n   0: d\n\nfailures:\n    b\n";
        assert_eq!(failures(output), "---- b stdout ----\n\nthread 'b' panicked at c.rs:1:2:\nno\n");
        assert_eq!(failures(OUTPUT), "");
    }

    #[test]
    fn a_crash_is_a_failure() {
        assert_eq!(Tally::from_cargo("error: could not compile").with_status(false), Tally::one(false));
        assert_eq!(Tally::from_cargo(OUTPUT).with_status(false), counts(4, 2));
    }

    #[test]
    fn vitest_reports() {
        let report = serde_json::json!({ "numPassedTests": 7, "numFailedTests": 1, "numTotalTests": 8 });
        assert_eq!(Tally::from_vitest(&report), counts(7, 1));
    }

    #[test]
    fn the_last_line() {
        assert_eq!(counts(12, 0).to_string(), "12 passed, 0 failed");
    }
}
