//! Rows and counts while they are collected.

use super::text::{duration, first_line, kept};
use super::unread::UnreadReason;
use super::{MAX_ROWS, ReadingNote};
use crate::record::{TestResult, ValidationRun};
use std::collections::HashSet;

/// Bytes of a test's name or suite.
const NAME: usize = 1000;
/// Bytes of a message.
const MESSAGE: usize = 4000;
/// Bytes of a stack.
const TRACE: usize = 16_000;
/// Bytes of messages and stacks of all rows; later rows have none.
const TEXT: usize = 32 << 20;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Not run, or its result does not count.
    Skipped,
    /// As expected.
    Passed,
    /// Failed or errored.
    Failed,
}

impl Status {
    /// As written in records.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }
}

/// How many tests ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
}

impl Counts {
    pub(super) fn total(self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    pub(super) fn count_mut(&mut self, status: Status) -> &mut u64 {
        match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Skipped => &mut self.skipped,
        }
    }

    pub(super) fn add(&mut self, status: Status, count: u64) {
        let place = self.count_mut(status);
        *place = place.saturating_add(count);
    }

    fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }

    /// The larger count of each, so that neither named nor counted tests are lost.
    fn most(self, other: Self) -> Self {
        Self {
            passed: self.passed.max(other.passed),
            failed: self.failed.max(other.failed),
            skipped: self.skipped.max(other.skipped),
        }
    }
}

/// The count, capped to fit a record.
pub(super) fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What a test without a name is called: by its suite, or by what it says.
fn name_of(row: &Row<'_>) -> String {
    let suite = row.suite.rsplit(" › ").next().unwrap_or_default();
    [suite, first_line(row.message), first_line(row.trace)]
        .into_iter()
        .find_map(|text| kept(text.trim(), NAME))
        .unwrap_or_else(|| "unnamed".to_owned())
}

/// One test as a reader found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) suite: &'a str,
    pub(super) name: &'a str,
    pub(super) status: Status,
    pub(super) ms: Option<f64>,
    pub(super) message: &'a str,
    pub(super) trace: &'a str,
}

impl<'a> Row<'a> {
    /// A test with no further details.
    pub(super) fn new(suite: &'a str, name: &'a str, status: Status) -> Self {
        Self { suite, name, status, ms: None, message: "", trace: "" }
    }
}

/// The contents of one source.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) rows: Vec<TestResult>,
    /// Counts of all rows, including those beyond the limit.
    named: Counts,
    /// Tests that are counted and have no row, next to those that have one.
    pub(super) unnamed: Counts,
    /// Counts that the tool itself gives of all tests.
    pub(super) totals: Counts,
    pub(super) duration_ms: Option<f64>,
    pub(super) notes: Vec<ReadingNote>,
    /// It ends early.
    pub(super) truncated: bool,
    /// The first line that is not well formed.
    pub(super) bad_line: Option<u32>,
    text: usize,
}

impl Found {
    /// Adds a row and returns its index, or `None` when there are too many.
    pub(super) fn push(&mut self, row: &Row<'_>) -> Option<usize> {
        self.named.add(row.status, 1);
        if self.rows.len() >= MAX_ROWS {
            return None;
        }
        self.rows.push(TestResult {
            name: kept(row.name.trim(), NAME).unwrap_or_else(|| name_of(row)),
            suite: kept(row.suite.trim(), NAME).unwrap_or_default(),
            status: row.status.word().to_owned(),
            duration_ms: row.ms.and_then(duration),
            error_message: None,
            stack_trace: None,
        });
        let place = self.rows.len() - 1;
        self.explain(place, row.message, row.trace);
        Some(place)
    }

    /// Takes rows away that another row stands for.
    pub(super) fn remove(&mut self, places: &HashSet<usize>) {
        for place in places {
            let count = self.named.count_mut(self.status(*place));
            *count = count.saturating_sub(1);
        }
        let mut place = 0;
        self.rows.retain(|_| {
            place += 1;
            !places.contains(&(place - 1))
        });
    }

    /// How it is damaged, if it is.
    pub(super) fn fault(&self) -> Option<UnreadReason> {
        let line = self.bad_line.map(|line| UnreadReason::NotWellFormed { line });
        line.or(self.truncated.then_some(UnreadReason::CutOff))
    }

    /// Notes a fault of the document that it was read from.
    pub(super) fn damaged(&mut self, fault: Option<&UnreadReason>) {
        match fault {
            Some(UnreadReason::NotWellFormed { line }) => self.bad_line = Some(*line),
            Some(_) => self.truncated = true,
            None => {}
        }
    }

    /// Sets message and stack of a row where there is text; only failures have them.
    pub(super) fn explain(&mut self, place: usize, message: &str, trace: &str) {
        if self.text > TEXT || self.rows[place].status != Status::Failed.word() {
            return;
        }
        let (message, trace) = (kept(message.trim(), MESSAGE), kept(trace, TRACE));
        self.text += message.as_ref().map_or(0, String::len) + trace.as_ref().map_or(0, String::len);
        let row = &mut self.rows[place];
        row.error_message = message.or(row.error_message.take());
        row.stack_trace = trace.or(row.stack_trace.take());
    }

    /// Adds another element of the test of a row: the worse status counts.
    pub(super) fn join(&mut self, place: usize, other: &Row<'_>) {
        if other.status > self.status(place) {
            self.restate(place, other.status);
        }
        self.explain(place, other.message, other.trace);
    }

    /// The same for two rows; the second one is to be removed.
    pub(super) fn join_rows(&mut self, place: usize, other: usize) {
        let status = self.status(other);
        if status > self.status(place) {
            self.restate(place, status);
        }
        let (message, trace) = (self.rows[other].error_message.take(), self.rows[other].stack_trace.take());
        if self.status(place) == Status::Failed {
            let row = &mut self.rows[place];
            row.error_message = row.error_message.take().or(message);
            row.stack_trace = row.stack_trace.take().or(trace);
        }
    }

    /// The status of a row.
    pub(super) fn status(&self, place: usize) -> Status {
        match self.rows[place].status.as_str() {
            "failed" => Status::Failed,
            "passed" => Status::Passed,
            _ => Status::Skipped,
        }
    }

    /// Corrects the status of a row.
    pub(super) fn restate(&mut self, place: usize, status: Status) {
        let before = self.named.count_mut(self.status(place));
        *before = before.saturating_sub(1);
        self.named.add(status, 1);
        let row = &mut self.rows[place];
        status.word().clone_into(&mut row.status);
        if status != Status::Failed {
            (row.error_message, row.stack_trace) = (None, None);
        }
    }

    /// A suite that failed as a whole: a failed row, and a note.
    pub(super) fn suite_failed(&mut self, suite: &str, message: &str, trace: &str) {
        self.push(&Row { message, trace, ..Row::new("", suite, Status::Failed) });
        if self.notes.len() < 100 {
            let suite = kept(suite, NAME).unwrap_or_default();
            self.notes.push(ReadingNote::SuiteFailed { suite });
        }
    }

    /// Adds to the duration of the whole run.
    pub(super) fn lasted(&mut self, ms: Option<f64>) {
        if let Some(ms) = ms.and_then(duration) {
            self.duration_ms = duration(self.duration_ms.unwrap_or_default() + ms).or(self.duration_ms);
        }
    }

    /// All tests, named or only counted.
    pub(super) fn counts(&self) -> Counts {
        self.named.plus(self.unnamed).most(self.totals)
    }

    pub(super) fn rows_cut(&self) -> bool {
        self.named.total() > self.rows.len() as u64
    }

    /// Nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.counts().total() == 0
    }

    /// Adds the contents of another source; the caller handles its notes.
    pub(super) fn merge(&mut self, other: Self) {
        // Both are settled first, so that the counts of one do not hide rows of the other.
        self.totals = self.counts().plus(other.counts());
        self.named = self.named.plus(other.named);
        self.unnamed = self.unnamed.plus(other.unnamed);
        let room = MAX_ROWS.saturating_sub(self.rows.len());
        self.rows.extend(other.rows.into_iter().take(room));
        self.lasted(other.duration_ms);
        self.truncated |= other.truncated;
        self.bad_line = self.bad_line.or(other.bad_line);
    }

    /// As a record, without round, time and coverage.
    pub(super) fn run(self) -> ValidationRun {
        let counts = self.counts();
        ValidationRun {
            passed: small(counts.passed),
            failed: small(counts.failed),
            skipped: small(counts.skipped),
            duration_ms: self.duration_ms,
            tests: self.rows,
            ..ValidationRun::default()
        }
    }
}
