//! The text of `cargo nextest run`.

use super::libtest::panic_message;
use super::tally::{Found, Row, Status};
use super::text::{lines, number, seconds};
use std::collections::HashMap;

/// Where status words end: they are right-aligned in their column.
const COLUMN: usize = 12;
/// Bytes of what one failed test printed.
const DETAIL: usize = 64 * 1024;

#[derive(Default)]
struct Nextest {
    found: Found,
    places: HashMap<(String, String), usize>,
    /// The failed test whose output follows.
    printing: Option<usize>,
    printed: String,
    ended: bool,
}

/// Reads the output.
pub(super) fn read(output: &[u8]) -> Found {
    let mut nextest = Nextest::default();
    for line in lines(output) {
        nextest.line(&line);
    }
    nextest.explain();
    let last = output.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    // A summary without a line end may be half of one.
    nextest.ended &= !loopdeck_text::plain(&String::from_utf8_lossy(last)).contains(" Summary [");
    nextest.found.truncated = !nextest.ended;
    nextest.found
}

/// Status, milliseconds, binary and test of a line.
fn test(line: &str) -> Option<(Status, Option<f64>, &str, &str)> {
    let (word, rest) = (line.get(..COLUMN)?, line.get(COLUMN..)?);
    let (time, rest) = rest.strip_prefix(" [")?.split_once("] ")?;
    let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(rest, |(_, rest)| rest);
    let (binary, name) = rest.trim().split_once(' ')?;
    Some((status(word.trim())?, seconds(time.trim().trim_end_matches('s')), binary, name.trim()))
}

fn status(word: &str) -> Option<Status> {
    // `TRY 2 PASS`: the last try decides.
    let word = match word.strip_prefix("TRY ") {
        Some(rest) => rest.split_once(' ')?.1,
        None => word,
    };
    match word {
        "PASS" | "LEAK" => Some(Status::Passed),
        "FAIL" | "TIMEOUT" | "TMT" | "ABORT" | "FL+LK" | "LKFAIL" | "LEAK-FAIL" | "XFAIL" | "FLKY-FL" => {
            Some(Status::Failed)
        }
        "SKIP" => Some(Status::Skipped),
        _ if word.starts_with("FLAKY ") => Some(Status::Passed),
        _ if word.starts_with("SIG") => Some(Status::Failed),
        _ => None,
    }
}

impl Nextest {
    fn line(&mut self, line: &str) {
        if let Some((status, ms, binary, name)) = test(line) {
            self.explain();
            self.row(status, ms, binary, name);
        } else if let Some(rest) = line.strip_prefix("     Summary [") {
            self.explain();
            self.summary(rest);
        } else if line.starts_with("────────") {
            self.explain();
        } else if self.printing.is_some() && self.printed.len() < DETAIL {
            let is_header = matches!(line.trim_end(), "  stdout ───" | "  stderr ───");
            self.printed.push_str(if is_header { line } else { line.strip_prefix("    ").unwrap_or(line) });
            self.printed.push('\n');
        }
    }

    fn row(&mut self, status: Status, ms: Option<f64>, binary: &str, name: &str) {
        let key = (binary.to_owned(), name.to_owned());
        let place = match self.places.get(&key) {
            Some(&place) => {
                self.found.restate(place, status);
                Some(place)
            }
            None => self.found.push(&Row { ms, ..Row::new(binary, name, status) }),
        };
        if let Some(place) = place {
            self.places.insert(key, place);
        }
        self.printing = place.filter(|_| status == Status::Failed && !self.ended);
    }

    /// The output of the test is complete.
    fn explain(&mut self) {
        let printed = std::mem::take(&mut self.printed);
        if let Some(place) = self.printing.take() {
            let bare = |line: &&str| !matches!(*line, "  stdout ───" | "  stderr ───") && !line.is_empty();
            let said = printed.lines().filter(bare).collect::<Vec<_>>().join("\n");
            let message = if said.contains(" panicked at ") {
                panic_message(&printed)
            } else {
                said.lines().rfind(|line| !is_frame(line)).unwrap_or_default().to_owned()
            };
            self.found.explain(place, &message, &printed);
        }
    }

    /// `0.182s] 7 tests run: 3 passed (1 flaky), 4 failed, 1 skipped`
    fn summary(&mut self, rest: &str) {
        self.ended = true;
        let Some((time, rest)) = rest.split_once(']') else { return };
        self.found.lasted(seconds(time.trim().trim_end_matches('s')));
        let Some((_, counts)) = rest.split_once(": ") else { return };
        for part in counts.split(", ") {
            let Some((count, word)) = number(part.trim()) else { continue };
            let status = match word.trim_start().split(['(', ',']).next().unwrap_or_default().trim() {
                "passed" => Status::Passed,
                "failed" | "timed out" | "exec failed" => Status::Failed,
                "skipped" => Status::Skipped,
                _ => continue,
            };
            self.found.totals.add(status, count);
        }
    }
}

/// Lines that libtest prints around a test.
fn is_frame(line: &str) -> bool {
    line.starts_with("test result: ")
        || line.starts_with("running ")
        || line == "failures:"
        || line.starts_with("    ")
}
