//! The results of a test run, read from what the tools write; no model is asked.
//!
//! [`read`] takes result files and the output of the command and returns counts, rows and coverage. It never
//! invents a row, and never calls a run passed when the command contradicts it: see [`Reading::verdict`] and
//! [`Reading::record`]. [`detect`] proposes the command in the first place.
//!
//! Everything here is hostile input: texts are cut, rows and depth are bounded, time is linear, nothing panics.
//!
//! ```
//! use loopdeck_results::{Source, Verdict, read};
//!
//! let report = br#"<testsuite><testcase name="adds"/><testcase name="rounds"><failure/></testcase></testsuite>"#;
//! let files = [Source { name: "results.xml", bytes: report }];
//! let reading = read(&files, b"", b"", Some(1), None);
//! assert_eq!(reading.verdict(), Verdict::Failed);
//! // A command that failed is no pass, whatever it wrote.
//! assert_eq!(read(&[], b"all good", b"", Some(1), None).verdict(), Verdict::Unclear);
//! ```

mod coverage;
pub mod detect;
mod encoding;
mod go;
mod go_text;
mod jest;
mod json;
mod junit;
mod libtest;
mod nextest;
mod pytest;
mod pytest_json;
mod recognise;
pub mod record;
mod select;
mod tally;
mod tap;
mod tap_points;
mod text;
pub mod unread;
mod xml;

use crate::record::{CoverageFigures, TestResult, ValidationRun};
use serde::{Deserialize, Serialize};
use specta::Type;
use unread::{UnreadReason, UnreadReport};

/// A file that the run wrote. The caller ensures that it is from *this* run and not an earlier one.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name in notes, such as its path below the workspace.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// How a tool reports its test results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// JUnit XML in any variant.
    Junit,
    /// The text of `cargo test`.
    Libtest,
    /// The text of `cargo nextest run`.
    Nextest,
    /// The text of `pytest`.
    Pytest,
    /// The file of pytest-json-report.
    PytestJson,
    /// `jest --json`.
    Jest,
    /// `vitest --reporter=json`.
    Vitest,
    /// `go test -json`.
    GoJson,
    /// The text of `go test`, best with `-v`.
    GoText,
    /// TAP 12 to 14.
    Tap,
}

/// Something a person must know about a reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum ReadingNote {
    /// The command failed although no test did (a build error, a crash), or passed although tests failed.
    ExitDisagrees {
        /// Its exit code; `None` when a signal ended it or it is unknown.
        exit_code: Option<i32>,
        /// The last lines of its output.
        tail: String,
    },
    /// The tool ran, and there was no test to run.
    NoTests {
        /// The last lines of the output.
        tail: String,
    },
    /// What the command printed is in no known result format, and no file has results.
    Unrecognised {
        /// The last lines of the output.
        tail: String,
    },
    /// A report that was found and not read, or not to its end.
    Unread {
        /// Which one, and why.
        report: UnreadReport,
        /// Whether it may name failed tests, so that passed ones of other reports prove nothing.
        is_doubt: bool,
    },
    /// It ends early: killed, crashed, or still being written.
    Truncated {
        /// The source; `output` for what the command printed.
        source: String,
    },
    /// Only counts are known; there are no rows.
    TotalsOnly {
        /// The source; `output` for what the command printed.
        source: String,
    },
    /// The tool counted more tests than it named.
    RowsMissing {
        /// Named.
        rows: u32,
        /// Counted.
        total: u32,
    },
    /// There are more rows than are kept; the counts cover all.
    RowsCut {
        /// Kept.
        kept: u32,
    },
    /// A test file, package or suite failed as a whole. It is one failed row, as the tool reports it.
    SuiteFailed {
        /// Which one.
        suite: String,
    },
    /// The run gave up (`Bail out!`).
    BailedOut {
        /// Why, in its own words.
        reason: String,
    },
    /// A second report of tests or files already read from another one; it was not counted again.
    SameRun {
        /// Which source was left out.
        source: String,
    },
}

/// The overall result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Tests passed, none failed, and the command agrees.
    Passed,
    /// At least one test or suite failed.
    Failed,
    /// Nothing passed and nothing failed.
    NoTests,
    /// Unknown: nothing readable, cut off, or the command contradicts its tests. Never a pass.
    Unclear,
}

/// The results of a test run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Reading {
    /// Counts and rows; the writer fills in round and time. `None` when they prove nothing
    /// ([`Verdict::Unclear`]), so that `run.is_pass()` can never be true by mistake.
    pub run: Option<ValidationRun>,
    /// What could be read although it proves nothing.
    pub partial: Option<ValidationRun>,
    /// Coverage by file, named as the report names it, at most [`MAX_FILES`].
    pub files: Vec<(String, CoverageFigures)>,
    /// The recognised format; the first of several.
    pub dialect: Option<Dialect>,
    /// What a person must know.
    pub notes: Vec<ReadingNote>,
}

/// Rows of one reading. Further tests are only counted.
pub const MAX_ROWS: usize = 100_000;
/// Files in a coverage report.
pub const MAX_FILES: usize = 20_000;
/// Unread reports that an explanation names.
const MOST_NAMED: usize = 20;

/// The name of the command's output in [`ReadingNote`].
const OUTPUT: &str = "output";

/// Reads the results of a run. Result files come first; the output counts when they name no test. `hint` is
/// the dialect to prefer when several fit; `exit_code` is `None` when a signal ended the command.
#[must_use]
pub fn read(
    sources: &[Source<'_>],
    stdout: &[u8],
    stderr: &[u8],
    exit_code: Option<i32>,
    hint: Option<Dialect>,
) -> Reading {
    read_with(sources, &[], stdout, stderr, exit_code, hint)
}

/// Like [`read`], where reports in `missed` were found and could not be given.
#[must_use]
pub fn read_with(
    sources: &[Source<'_>],
    missed: &[UnreadReport],
    stdout: &[u8],
    stderr: &[u8],
    exit_code: Option<i32>,
    hint: Option<Dialect>,
) -> Reading {
    let mut taken = select::Taken::default();
    missed.iter().for_each(|report| taken.unread(report.clone()));
    taken.files(sources, hint);
    if taken.is_empty() {
        taken.output(stdout, stderr, hint);
    }
    finish(taken, exit_code, || text::tail(stdout, stderr))
}

fn finish(taken: select::Taken, exit_code: Option<i32>, tail: impl Fn() -> String) -> Reading {
    let (found, dialect) = (taken.found, taken.dialect);
    let mut notes = taken.notes;
    let counts = found.counts();
    let cut = notes.iter().any(ReadingNote::is_doubt);
    if dialect.is_none() {
        notes.push(ReadingNote::Unrecognised { tail: tail() });
    } else if counts.passed == 0 && counts.failed == 0 && !cut {
        notes.push(ReadingNote::NoTests { tail: tail() });
    } else if (exit_code == Some(0)) != (counts.failed == 0) {
        notes.push(ReadingNote::ExitDisagrees { exit_code, tail: tail() });
    }
    if found.rows_cut() {
        notes.push(ReadingNote::RowsCut { kept: tally::small(found.rows.len() as u64) });
    } else if !found.rows.is_empty() && (found.rows.len() as u64) < counts.total() {
        let (rows, total) = (tally::small(found.rows.len() as u64), tally::small(counts.total()));
        notes.push(ReadingNote::RowsMissing { rows, total });
    }
    let (coverage, files) = taken.coverage.finish();
    let run = ValidationRun { coverage, ..found.run() };
    let proves = dialect.is_some() && (counts.failed > 0 || !notes.iter().any(ReadingNote::is_doubt));
    let worth = dialect.is_some() || coverage.is_some();
    let (run, partial) = if proves { (Some(run), None) } else { (None, worth.then_some(run)) };
    Reading { run, partial, files, dialect, notes }
}

impl ReadingNote {
    /// Whether passed tests no longer prove anything.
    fn is_doubt(&self) -> bool {
        match self {
            Self::ExitDisagrees { .. } | Self::Truncated { .. } | Self::BailedOut { .. } => true,
            Self::Unread { is_doubt, .. } => *is_doubt,
            _ => false,
        }
    }

    /// The text that explains a failure, if any: the last lines of the command, from notes that have them.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::ExitDisagrees { tail, .. } | Self::NoTests { tail } | Self::Unrecognised { tail } => {
                Some(tail)
            }
            Self::BailedOut { reason } => Some(reason),
            _ => None,
        }
    }
}

impl Reading {
    /// The overall result.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match &self.run {
            None => Verdict::Unclear,
            Some(run) if run.failed > 0 => Verdict::Failed,
            Some(run) if run.is_pass() => Verdict::Passed,
            Some(_) => Verdict::NoTests,
        }
    }

    /// Every report that was found and not read, or not to its end.
    #[must_use]
    pub fn unread(&self) -> Vec<UnreadReport> {
        let of = |note: &ReadingNote| match note {
            ReadingNote::Unread { report, .. } => Some(report.clone()),
            ReadingNote::Truncated { source } => Some(UnreadReport::new(source, UnreadReason::CutOff)),
            _ => None,
        };
        self.notes.iter().filter_map(of).collect()
    }

    /// Why nothing is proved, in English: which reports were not read, then the last lines of the command.
    #[must_use]
    pub fn explanation(&self) -> String {
        let unread = self.unread();
        let mut lines: Vec<String> = Vec::new();
        if !unread.is_empty() {
            lines.push("Results that were found and not read:".to_owned());
            lines.extend(unread.iter().take(MOST_NAMED).map(|report| format!("- {report}")));
            if let Some(more) = unread.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
                lines.push(format!("- {more} more"));
            }
        }
        let said = self.notes.iter().rev().find_map(ReadingNote::reason).unwrap_or_default();
        if !said.trim().is_empty() {
            lines.push(said.to_owned());
        }
        lines.join("\n")
    }

    /// What to record as the validation. The tests' own results when they prove something. Otherwise whatever
    /// could be read, plus one failure named `command` with the command's last lines: a failed command must
    /// never read as passed.
    #[must_use]
    pub fn record(&self, command: &str) -> ValidationRun {
        if let Some(run) = &self.run {
            return run.clone();
        }
        let mut run = self.partial.clone().unwrap_or_default();
        let reason = Some(self.explanation()).filter(|reason| !reason.is_empty());
        run.failed = run.failed.saturating_add(1);
        run.tests.push(TestResult {
            name: command.to_owned(),
            status: tally::Status::Failed.word().to_owned(),
            error_message: reason,
            ..TestResult::default()
        });
        run
    }
}
