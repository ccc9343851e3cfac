//! Counting what passed and what failed, from what the test runners print.

use std::fmt;
use std::ops::AddAssign;

/// How many checks passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    /// One check.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: u64::from(passed), failed: u64::from(!passed) }
    }

    /// The counts that `cargo test` printed, over all of its programs.
    pub(crate) fn from_cargo(output: &str) -> Self {
        let mut total = Self::default();
        for line in output.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            total += Self { passed: count_before(line, "passed;"), failed: count_before(line, "failed;") };
        }
        total
    }

    /// The JSON report of vitest.
    pub(crate) fn from_vitest(report: &serde_json::Value) -> Self {
        let count = |key: &str| report[key].as_u64().unwrap_or(0);
        Self { passed: count("numPassedTests"), failed: count("numFailedTests") }
    }

    /// A runner that failed without naming a test (it did not compile, or crashed) counts as one failure.
    pub(crate) fn with_status(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
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

    #[test]
    fn programs_are_added_up() {
        assert_eq!(Tally::from_cargo(OUTPUT), Tally { passed: 4, failed: 2 });
    }

    #[test]
    fn a_crash_is_a_failure() {
        assert_eq!(Tally::from_cargo("error: could not compile").with_status(false), Tally::one(false));
        assert_eq!(Tally::from_cargo(OUTPUT).with_status(false), Tally { passed: 4, failed: 2 });
    }

    #[test]
    fn vitest_reports() {
        let report = serde_json::json!({ "numPassedTests": 7, "numFailedTests": 1, "numTotalTests": 8 });
        assert_eq!(Tally::from_vitest(&report), Tally { passed: 7, failed: 1 });
    }

    #[test]
    fn the_last_line() {
        assert_eq!(Tally { passed: 12, failed: 0 }.to_string(), "12 passed, 0 failed");
    }
}
