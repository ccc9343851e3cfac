//! The table of one test run: failed first by suite, compared with earlier runs, filtered and cut for a
//! window. A run may have 100,000 tests, so only the rows on screen leave this module.

use crate::place::{Names, base_name};
use crate::view::TestRow;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The result of a test. Words: catalogue `outcome.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    /// `failed`, `error`, `timeout`.
    Failed,
    /// An undefined word.
    Other,
    /// `skipped`, `pending`, `todo`.
    Skipped,
    /// `passed`.
    Passed,
}

impl RowOutcome {
    /// Reads a status word.
    #[must_use]
    pub fn from_word(status: &str) -> Self {
        match status.to_lowercase().as_str() {
            "passed" | "pass" | "ok" | "success" => Self::Passed,
            "failed" | "fail" | "failure" | "error" | "timeout" | "broken" => Self::Failed,
            "skipped" | "skip" | "pending" | "todo" | "ignored" | "disabled" => Self::Skipped,
            _ => Self::Other,
        }
    }

    /// The usual word for it.
    fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Other => "other",
            Self::Skipped => "skipped",
            Self::Passed => "passed",
        }
    }

    /// The file's word, if it differs from this.
    fn own_word(self, status: &str) -> Option<String> {
        let says_more = !status.is_empty() && !status.eq_ignore_ascii_case(self.word());
        says_more.then(|| status.to_owned())
    }
}

/// How a test changed since the previous run. Words: catalogue `test_change.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TestChange {
    /// Failed now but not before.
    NewFailure,
    /// Failed before and passed now.
    Fixed,
    /// Failed both times.
    StillFailing,
    /// Passed and failed alternately over the last runs.
    Flaky,
}

/// A filter that can be switched on. With several, tests that match any are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TestChip {
    /// Failed tests.
    Failed,
    /// Passed tests.
    Passed,
    /// Skipped tests.
    Skipped,
    /// Failed now but not before.
    NewFailures,
    /// Failed before and passed now.
    Fixed,
    /// Passed and failed alternately.
    Flaky,
}

/// The sort order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TestSort {
    /// By suite, those with failures first; within a suite failed first, then in the order of the run.
    #[default]
    FailedFirst,
    /// Without suites, the longest first.
    Slowest,
    /// Without suites, by name.
    Name,
}

/// The part of a run to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TestQuery {
    /// 0-based, oldest first.
    pub run: u32,
    /// Words that suite, name or message must all contain, in any case.
    pub text: String,
    /// None: all tests, skipped ones too.
    pub chips: Vec<TestChip>,
    /// Only tests whose suite, name or first line of the message mention this file: a path, matched by its
    /// last part.
    #[serde(default)]
    pub file: Option<String>,
    /// The order.
    pub sort: TestSort,
    /// Suites toggled from their default: those with failures are open, and all are while a filter is active.
    pub toggled: Vec<String>,
    /// 0-based index of the first line.
    pub offset: u32,
    /// Lines, at most 500.
    pub limit: u32,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TestLine {
    /// Head of a suite.
    Suite(SuiteLine),
    /// One test.
    Test(TestEntry),
}

/// Head of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct SuiteLine {
    /// Its name; may be empty.
    pub suite: String,
    /// Whether its tests follow.
    pub open: bool,
    /// Matching tests in it.
    pub tests: u32,
    /// Failed ones among them.
    pub failed: u32,
    /// Skipped ones among them.
    pub skipped: u32,
    /// Milliseconds, summed over those with a duration.
    pub duration_ms: Option<f64>,
}

/// One test as a line.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TestEntry {
    /// 0-based index in the run, for requesting message and stack.
    pub index: u32,
    /// Test name.
    pub name: String,
    /// Suite.
    pub suite: String,
    /// Its result.
    pub outcome: RowOutcome,
    /// Status word as written, if it differs from `outcome`.
    pub own_word: Option<String>,
    /// Milliseconds. None for a skipped test with 0: runners write that, but nothing was measured.
    pub duration_ms: Option<f64>,
    /// First line of the message, cut to 300 characters.
    pub error: Option<String>,
    /// How it changed since the previous run.
    pub change: Option<TestChange>,
    /// Number of latest runs in which it failed, including this one; runs without it are skipped.
    pub failing_for: u32,
    /// Its results in the last runs, oldest first, including this one; none for a run without it.
    pub dots: Vec<Option<RowOutcome>>,
}

/// How many tests each chip would show with the current text filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct TestCounts {
    /// All.
    pub all: u32,
    /// Failed.
    pub failed: u32,
    /// Passed.
    pub passed: u32,
    /// Skipped.
    pub skipped: u32,
    /// Failed now but not before.
    pub new_failures: u32,
    /// Failed before and passed now.
    pub fixed: u32,
    /// Passed and failed alternately.
    pub flaky: u32,
}

/// A window of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TestTablePage {
    /// Total number of lines.
    pub total: u32,
    /// 0-based index of the first line here.
    pub offset: u32,
    /// The lines.
    pub lines: Vec<TestLine>,
    /// For the chips.
    pub counts: TestCounts,
    /// The longest test of the run in milliseconds, for bars.
    pub longest_ms: Option<f64>,
    /// Whether there is an earlier run to compare with.
    pub compared: bool,
    /// 0-based lines of failed tests, at most 1,000, for the next and previous failure.
    pub failures: Vec<u32>,
}

/// How many runs are compared.
pub const RUNS_COMPARED: usize = 10;
const PAGE: u32 = 500;
const FAILURES: usize = 1_000;

/// One run compared with earlier ones.
#[derive(Clone, Debug, Default)]
pub struct TestTable {
    rows: Vec<TestRow>,
    outcomes: Vec<RowOutcome>,
    changes: Vec<Option<TestChange>>,
    dots: Vec<Vec<Option<RowOutcome>>>,
    compared: bool,
}

impl TestTable {
    /// `before`: the earlier runs, oldest first; only the last [`RUNS_COMPARED`] are used.
    #[must_use]
    pub fn new(before: &[Vec<TestRow>], rows: Vec<TestRow>) -> Self {
        let recent = &before[before.len().saturating_sub(RUNS_COMPARED - 1)..];
        let known: Vec<HashMap<TestName<'_>, RowOutcome>> = recent.iter().map(|run| by_name(run)).collect();
        let outcomes: Vec<RowOutcome> = rows.iter().map(|row| RowOutcome::from_word(&row.status)).collect();
        let dots: Vec<Vec<Option<RowOutcome>>> = names(&rows)
            .zip(&outcomes)
            .map(|(name, now)| known.iter().map(|run| run.get(&name).copied()).chain([Some(*now)]).collect())
            .collect();
        let changes = dots.iter().map(|dots| change(dots, !recent.is_empty())).collect();
        Self { rows, outcomes, changes, dots, compared: !recent.is_empty() }
    }

    /// Message and stack of one test.
    #[must_use]
    pub fn row(&self, index: u32) -> Option<&TestRow> {
        self.rows.get(index as usize)
    }

    /// The lines that `query` asks for.
    #[must_use]
    pub fn page(&self, query: &TestQuery) -> TestTablePage {
        let words: Vec<String> = query.text.split_whitespace().map(str::to_lowercase).collect();
        let matching = (0..self.rows.len()).filter(|at| self.contains(*at, &words));
        let matching: Vec<usize> = match query.file.as_deref().map(base_name) {
            Some(name) => {
                let name = Names::new([name]);
                matching.filter(|at| self.names_file(*at, &name)).collect()
            }
            None => matching.collect(),
        };
        let counts = self.count(&matching);
        let chips: HashSet<TestChip> = query.chips.iter().copied().collect();
        let shown: Vec<usize> =
            matching.into_iter().filter(|at| chips.is_empty() || self.has_any(*at, &chips)).collect();
        let filtered = !words.is_empty() || !chips.is_empty() || query.file.is_some();
        let plan = match query.sort {
            TestSort::FailedFirst => self.by_suite(&shown, query, filtered),
            TestSort::Slowest => {
                let took = |at| self.took(at).unwrap_or(-1.0);
                self.flat(shown, |a, b| took(b).total_cmp(&took(a)))
            }
            TestSort::Name => self.flat(shown, |a, b| {
                let (a, b) = (&self.rows[a], &self.rows[b]);
                (&a.name, &a.suite).cmp(&(&b.name, &b.suite))
            }),
        };
        let failures = plan.iter().enumerate().filter(|(_, line)| self.is_failure(line));
        let failures = failures.map(|(place, _)| saturated(place)).take(FAILURES).collect();
        let window = plan.iter().skip(query.offset as usize).take(query.limit.min(PAGE) as usize);
        let longest = (0..self.rows.len()).filter_map(|at| self.took(at)).fold(0.0, f64::max);
        TestTablePage {
            total: saturated(plan.len()),
            offset: query.offset,
            lines: window.map(|line| self.line(line)).collect(),
            counts,
            longest_ms: (longest > 0.0).then_some(longest),
            compared: self.compared,
            failures,
        }
    }

    fn contains(&self, at: usize, words: &[String]) -> bool {
        let row = &self.rows[at];
        let texts = [row.suite.as_str(), row.name.as_str(), row.error_message.as_deref().unwrap_or_default()];
        words.iter().all(|word| texts.iter().any(|text| holds(text, word)))
    }

    fn names_file(&self, at: usize, file: &Names<'_>) -> bool {
        let row = &self.rows[at];
        let texts = [row.suite.as_str(), row.name.as_str(), first_line(row).unwrap_or_default()];
        texts.iter().any(|text| !file.in_text(text).is_empty())
    }

    fn took(&self, at: usize) -> Option<f64> {
        let unmeasured = self.outcomes[at] == RowOutcome::Skipped;
        self.rows[at].duration_ms.filter(|ms| !(unmeasured && *ms == 0.0))
    }

    fn has(&self, at: usize, chip: TestChip) -> bool {
        match chip {
            TestChip::Failed => self.outcomes[at] == RowOutcome::Failed,
            TestChip::Passed => self.outcomes[at] == RowOutcome::Passed,
            TestChip::Skipped => self.outcomes[at] == RowOutcome::Skipped,
            TestChip::NewFailures => self.changes[at] == Some(TestChange::NewFailure),
            TestChip::Fixed => self.changes[at] == Some(TestChange::Fixed),
            TestChip::Flaky => self.changes[at] == Some(TestChange::Flaky),
        }
    }

    fn has_any(&self, at: usize, chips: &HashSet<TestChip>) -> bool {
        chips.iter().any(|chip| self.has(at, *chip))
    }

    fn count(&self, matching: &[usize]) -> TestCounts {
        let of = |chip| saturated(matching.iter().filter(|at| self.has(**at, chip)).count());
        TestCounts {
            all: saturated(matching.len()),
            failed: of(TestChip::Failed),
            passed: of(TestChip::Passed),
            skipped: of(TestChip::Skipped),
            new_failures: of(TestChip::NewFailures),
            fixed: of(TestChip::Fixed),
            flaky: of(TestChip::Flaky),
        }
    }

    fn flat(
        &self,
        mut shown: Vec<usize>,
        order: impl Fn(usize, usize) -> std::cmp::Ordering,
    ) -> Vec<Line<'_>> {
        shown.sort_by(|a, b| order(*a, *b));
        shown.into_iter().map(Line::Test).collect()
    }

    fn by_suite(&self, shown: &[usize], query: &TestQuery, filtered: bool) -> Vec<Line<'_>> {
        let mut suites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for at in shown {
            suites.entry(self.rows[*at].suite.as_str()).or_default().push(*at);
        }
        let failed =
            |tests: &[usize]| tests.iter().filter(|at| self.outcomes[**at] == RowOutcome::Failed).count();
        let mut suites: Vec<(&str, Vec<usize>)> = suites.into_iter().collect();
        suites.sort_by_key(|(_, tests)| failed(tests) == 0);
        let toggled: HashSet<&str> = query.toggled.iter().map(String::as_str).collect();
        let lone = suites.len() == 1;
        let mut lines = Vec::new();
        for (suite, mut tests) in suites {
            let usual = filtered || lone || failed(&tests) > 0;
            let open = usual != toggled.contains(suite);
            tests.sort_by_key(|at| self.outcomes[*at]);
            lines.push(Line::Suite { suite, open, tests: tests.clone() });
            if open {
                lines.extend(tests.into_iter().map(Line::Test));
            }
        }
        lines
    }

    fn is_failure(&self, line: &Line<'_>) -> bool {
        matches!(line, Line::Test(at) if self.outcomes[*at] == RowOutcome::Failed)
    }

    fn line(&self, line: &Line<'_>) -> TestLine {
        match line {
            Line::Suite { suite, open, tests } => {
                let count = |outcome| tests.iter().filter(|at| self.outcomes[**at] == outcome).count();
                let durations: Vec<f64> = tests.iter().filter_map(|at| self.took(*at)).collect();
                TestLine::Suite(SuiteLine {
                    suite: (*suite).to_owned(),
                    open: *open,
                    tests: saturated(tests.len()),
                    failed: saturated(count(RowOutcome::Failed)),
                    skipped: saturated(count(RowOutcome::Skipped)),
                    duration_ms: (!durations.is_empty()).then(|| durations.iter().sum()),
                })
            }
            Line::Test(at) => TestLine::Test(self.entry(*at)),
        }
    }

    fn entry(&self, at: usize) -> TestEntry {
        let row = &self.rows[at];
        TestEntry {
            index: saturated(at),
            name: row.name.clone(),
            suite: row.suite.clone(),
            outcome: self.outcomes[at],
            own_word: self.outcomes[at].own_word(&row.status),
            duration_ms: self.took(at),
            error: first_line(row).map(|line| shorten(line, 300)),
            change: self.changes[at],
            failing_for: failing_for(&self.dots[at]),
            dots: self.dots[at].clone(),
        }
    }
}

/// A line before its fields are filled in.
enum Line<'t> {
    Suite { suite: &'t str, open: bool, tests: Vec<usize> },
    Test(usize),
}

/// Suite, name, and a counter among equal names.
type TestName<'r> = (&'r str, &'r str, u32);

fn names(rows: &[TestRow]) -> impl Iterator<Item = TestName<'_>> {
    let mut seen: HashMap<(&str, &str), u32> = HashMap::with_capacity(rows.len());
    rows.iter().map(move |row| {
        let again = seen.entry((&row.suite, &row.name)).or_default();
        *again += 1;
        (row.suite.as_str(), row.name.as_str(), *again)
    })
}

fn by_name(rows: &[TestRow]) -> HashMap<TestName<'_>, RowOutcome> {
    names(rows).zip(rows).map(|(name, row)| (name, RowOutcome::from_word(&row.status))).collect()
}

/// From the outcomes of the last runs, this one last.
fn change(dots: &[Option<RowOutcome>], compared: bool) -> Option<TestChange> {
    let decided: Vec<RowOutcome> = dots
        .iter()
        .flatten()
        .copied()
        .filter(|dot| matches!(dot, RowOutcome::Passed | RowOutcome::Failed))
        .collect();
    let turns = decided.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let (now, before) = (dots.last().copied().flatten(), dots.iter().rev().nth(1).copied().flatten());
    match (now, before) {
        _ if !compared => None,
        _ if turns >= 3 => Some(TestChange::Flaky),
        (Some(RowOutcome::Failed), Some(RowOutcome::Failed)) => Some(TestChange::StillFailing),
        (Some(RowOutcome::Failed), _) => Some(TestChange::NewFailure),
        (Some(RowOutcome::Passed), Some(RowOutcome::Failed)) => Some(TestChange::Fixed),
        _ => None,
    }
}

/// The part of a message shown next to its test.
fn first_line(row: &TestRow) -> Option<&str> {
    row.error_message.as_deref()?.lines().map(str::trim).find(|line| !line.is_empty())
}

/// Number of latest failed runs, from the results of the last runs; those without the test are skipped.
fn failing_for(dots: &[Option<RowOutcome>]) -> u32 {
    let known = dots.iter().rev().flatten();
    saturated(known.take_while(|outcome| **outcome == RowOutcome::Failed).count())
}

/// Whether `text` contains the lower-case `word`, in any case.
fn holds(text: &str, word: &str) -> bool {
    if text.is_ascii() && word.is_ascii() {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        return text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    }
    text.to_lowercase().contains(word)
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "test_table_tests.rs"]
mod tests;
