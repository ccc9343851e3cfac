//! The text of pytest: `-v` names every test, `-rA` and the short summary name some, dots are only counted.

use super::pytest_json::split_id;
use super::tally::{Counts, Found, Row, Status};
use super::text::{lines, number, seconds};
use std::collections::{HashMap, HashSet, VecDeque};

/// Bytes kept of the details of one failure.
const DETAIL: usize = 64 * 1024;
const WORDS: [(&str, Status); 6] = [
    ("PASSED", Status::Passed),
    ("FAILED", Status::Failed),
    ("SKIPPED", Status::Skipped),
    ("XFAIL", Status::Skipped),
    ("XPASS", Status::Passed),
    ("ERROR", Status::Failed),
];

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Tests,
    Details,
    Summary,
    Other,
}

struct Pytest {
    found: Found,
    /// Rows by node id.
    places: HashMap<String, usize>,
    /// Tests that pytest counts twice: their earlier, better counts.
    doubles: Counts,
    section: Section,
    /// Details of failures, by the name in the headline.
    details: HashMap<String, VecDeque<String>>,
    headline: Option<String>,
    /// What pytest-xdist says of tests whose worker died, by node id.
    crashes: HashMap<String, String>,
    /// The last thing that was said of a dead worker, which may not name a test.
    node_down: Option<String>,
    /// The test that began on the last line and has no result yet.
    begun: Option<String>,
    /// Headlines of failed tear-downs.
    teardowns: HashSet<String>,
    /// How Python itself died.
    fatal: Option<String>,
    /// Rows that are subtests.
    subtests: usize,
    /// How many tests there are, according to the start of the output.
    collected: Option<u64>,
    ended: bool,
}

/// Reads the output; `beside` is the other stream, where Python prints how it died.
pub(super) fn read(output: &[u8], beside: &[u8]) -> Found {
    let mut pytest = Pytest {
        found: Found::default(),
        places: HashMap::new(),
        doubles: Counts::default(),
        section: Section::Tests,
        details: HashMap::new(),
        headline: None,
        crashes: HashMap::new(),
        node_down: None,
        begun: None,
        teardowns: HashSet::new(),
        fatal: None,
        subtests: 0,
        collected: None,
        ended: false,
    };
    for line in lines(output) {
        pytest.line(line.trim_end());
    }
    pytest.died(beside);
    pytest.forget_last();
    pytest.explain();
    let (totals, doubles) = (&mut pytest.found.totals, pytest.doubles);
    totals.passed = totals.passed.saturating_sub(doubles.passed);
    totals.failed = totals.failed.saturating_sub(doubles.failed);
    totals.skipped = totals.skipped.saturating_sub(doubles.skipped);
    let tests = pytest.found.rows.len().saturating_sub(pytest.subtests) as u64;
    if pytest.collected.is_some_and(|collected| collected == tests) {
        // Every test has a row. With retries, pytest counts some more than once.
        pytest.found.totals = Counts::default();
    }
    pytest.found.truncated = !pytest.ended;
    pytest.found
}

/// The name of a section: `=== FAILURES ===`.
pub(super) fn section(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('=')?.strip_suffix('=')?.trim_matches('=');
    Some(inner.strip_prefix(' ')?.strip_suffix(' ')?.trim())
}

/// `collected 12 items / 2 deselected / 10 selected`
fn collected(line: &str) -> Option<u64> {
    let at = line.find("collected ")?;
    let (all, rest) = number(&line[at + "collected ".len()..])?;
    let selected = rest.split(" / ").find_map(|part| part.strip_suffix(" selected"));
    Some(selected.and_then(number).map_or(all, |(selected, _)| selected))
}

/// The counts and time in the last line: `3 failed, 5 passed, 2 errors in 0.03s`.
pub(super) fn last_line(line: &str) -> Option<(Counts, Option<f64>)> {
    let inner = line.trim_matches('=').trim();
    let (parts, time) = inner.rsplit_once(" in ")?;
    let ms = seconds(time.split_once('s')?.0)?;
    let mut counts = Counts::default();
    if parts == "no tests ran" {
        return Some((counts, Some(ms)));
    }
    for part in parts.split(", ") {
        let (count, word) = number(part)?;
        match word.trim_start() {
            "passed" | "xpassed" => counts.add(Status::Passed, count),
            // The plugin pytest-subtests counts these apart from failed tests.
            "failed" | "error" | "errors" | "subtests failed" => counts.add(Status::Failed, count),
            "skipped" | "xfailed" => counts.add(Status::Skipped, count),
            "deselected" | "warning" | "warnings" | "rerun" | "reruns" => {}
            word if word.contains("subtest") => {}
            _ => return None,
        }
    }
    Some((counts, Some(ms)))
}

/// A subtest with its test: `SUBFAILED[x=1] tests/test_c.py::test_sub`, and what is behind it.
fn subtest_first(line: &str) -> Option<(String, &str)> {
    let rest = line.strip_prefix("SUBFAIL")?;
    let rest = rest.strip_prefix("ED").unwrap_or(rest);
    let (which, rest) = match rest.chars().next()? {
        '[' => rest.split_once("] ").map(|(which, rest)| (format!("{which}]"), rest))?,
        '(' => rest.split_once(") ").map(|(which, rest)| (format!("{which})"), rest))?,
        _ => (String::new(), rest.trim_start()),
    };
    let (id, message) = short(rest.trim_start());
    Some((subtest_id(id.trim(), &which), message))
}

/// A failed subtest in a line of `-v`, with or without `pytest-xdist`. Those that passed are no rows: pytest doesn't
/// count them as tests.
fn verbose_subtest(line: &str) -> Option<String> {
    if line.starts_with("[gw") {
        let rest = &line[line.find("SUBFAIL")?..];
        return subtest_first(rest).map(|(id, _)| id);
    }
    let (id, rest) = line.split_once(" SUBFAIL")?;
    let rest = rest.strip_prefix("ED").unwrap_or(rest).trim_start();
    let end = match rest.chars().next() {
        Some('[') if !rest.ends_with("%]") || rest.matches('[').count() > 1 => {
            rest.find(']').map_or(0, |end| end + 1)
        }
        Some('(') => rest.find(')').map_or(0, |end| end + 1),
        _ => 0,
    };
    id.contains("::").then(|| subtest_id(id, &rest[..end]))
}

/// `Fatal Python error: Segmentation fault`
fn fatal(line: &str) -> Option<String> {
    line.find("Fatal Python error: ").map(|at| line[at..].trim_end().to_owned())
}

/// The id at the start of a line of `-v`, which is printed before the test runs.
fn begun(line: &str) -> Option<String> {
    let id = line.split(' ').next()?;
    let (file, _) = id.split_once("::")?;
    file.ends_with(".py").then(|| id.to_owned())
}

/// A subtest's own id.
fn subtest_id(test: &str, which: &str) -> String {
    format!("{test} {}", if which.is_empty() { "(subtest)" } else { which })
}

/// `worker 'gw1' crashed while running 'tests/test_b.py::test_dies'`: the id.
fn crashed(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().strip_prefix("worker '")?.split_once("' crashed while running '")?;
    rest.trim_end().strip_suffix('\'')
}

/// Node id and status of a line of `-v`, with or without `pytest-xdist`.
fn verbose(line: &str) -> Option<(&str, Status)> {
    if line.starts_with("[gw") {
        let (_, rest) = line.split_once("] ")?;
        let rest = rest.trim_start();
        let rest = if rest.starts_with('[') { rest.split_once("] ")?.1 } else { rest };
        let (word, id) = rest.split_once(' ')?;
        return status(word).map(|status| (id.trim(), status));
    }
    let line = match line.rsplit_once('[') {
        Some((before, percent)) if percent.ends_with("%]") || percent.contains('/') => before.trim_end(),
        _ => line,
    };
    let mut best: Option<(usize, Status)> = None;
    for (word, status) in WORDS {
        for (at, _) in line.match_indices(word) {
            let rest = &line[at + word.len()..];
            let alone = rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')'));
            if alone && line[..at].ends_with(' ') && best.is_none_or(|(best, _)| at < best) {
                best = Some((at, status));
            }
        }
    }
    let (at, status) = best?;
    let id = line[..at].trim_end();
    (id.contains("::") && !id.starts_with(' ')).then_some((id, status))
}

fn status(word: &str) -> Option<Status> {
    WORDS.iter().find(|(name, _)| *name == word).map(|(_, status)| *status)
}

/// Node id and message of a line of the short summary. Ids may contain ` - ` between brackets.
fn short(rest: &str) -> (&str, &str) {
    let dash = rest.find(" - ").unwrap_or(rest.len());
    let end = match rest.find('[') {
        Some(bracket) if bracket < dash => rest.find("] - ").map_or(rest.len(), |end| end + 1),
        _ => dash,
    };
    (&rest[..end], rest.get(end + 3..).unwrap_or_default())
}

impl Pytest {
    fn line(&mut self, line: &str) {
        if let Some((counts, ms)) =
            last_line(line).filter(|_| self.section != Section::Details || line.starts_with('='))
        {
            self.found.totals = counts;
            self.found.duration_ms = None;
            self.found.lasted(ms);
            self.ended = true;
        } else if let Some(name) = section(line) {
            self.headline = None;
            self.section = match name {
                "test session starts" => Section::Tests,
                "FAILURES" | "ERRORS" => Section::Details,
                "short test summary info" => Section::Summary,
                _ => Section::Other,
            };
        } else {
            match self.section {
                Section::Tests => {
                    self.collected = collected(line).or(self.collected);
                    self.fatal = self.fatal.take().or_else(|| fatal(line));
                    self.begun = begun(line).or(self.begun.take());
                    if line.starts_with("[gw") && line.contains("] node down: ") {
                        self.node_down = Some(line.to_owned());
                    } else if let Some(id) = verbose_subtest(line) {
                        self.subtest(&id, "");
                    } else if let Some((id, status)) = verbose(line) {
                        self.row(id, status, "");
                    }
                }
                Section::Details => self.detail(line),
                Section::Summary => self.short(line),
                Section::Other => {}
            }
        }
    }

    fn row(&mut self, id: &str, status: Status, message: &str) {
        if let Some(&place) = self.places.get(id) {
            let before = self.found.status(place);
            if status > before {
                // A failed teardown after a passed test is counted as both.
                self.found.restate(place, status);
                self.doubles.add(before, 1);
            }
            self.found.explain(place, message, "");
            return;
        }
        let (suite, name) = split_id(id);
        if let Some(place) = self.found.push(&Row { message, ..Row::new(suite, name, status) }) {
            self.places.insert(id.to_owned(), place);
        }
    }

    /// The tear-down of the last test may be cut off.
    fn forget_last(&mut self) {
        let last = self.found.rows.len().checked_sub(1);
        if let Some(last) = last.filter(|last| !self.ended && self.found.status(*last) == Status::Passed) {
            self.found.remove(&HashSet::from([last]));
            self.places.retain(|_, place| *place != last);
        }
    }

    /// Python died in a test.
    fn died(&mut self, beside: &[u8]) {
        let said = self.fatal.take().or_else(|| lines(beside).find_map(|line| fatal(&line)));
        if let (Some(said), Some(id), false) = (said, self.begun.take(), self.ended)
            && !self.places.contains_key(&id)
        {
            self.row(&id, Status::Failed, &said);
        }
    }

    fn subtest(&mut self, id: &str, message: &str) {
        self.subtests +=
            usize::from(!self.places.contains_key(id) && self.found.rows.len() < super::MAX_ROWS);
        self.row(id, Status::Failed, message);
    }

    fn short(&mut self, line: &str) {
        if let Some((id, message)) = subtest_first(line) {
            return self.subtest(&id, message);
        }
        let Some((word, rest)) = line.split_once(' ') else { return };
        let Some(status) = status(word) else { return };
        // Skipped tests have a file location and no id.
        if word != "SKIPPED" {
            let (id, message) = short(rest);
            self.row(id, status, if status == Status::Failed { message } else { "" });
        }
    }

    fn detail(&mut self, line: &str) {
        if let Some(id) = crashed(line).filter(|_| self.crashes.len() < super::MAX_ROWS) {
            self.crashes.insert(id.to_owned(), line.trim().to_owned());
        }
        let headline = line.strip_prefix("__").and_then(|line| line.strip_suffix("__"));
        let headline = headline.map(|line| line.trim_matches('_').trim());
        if let Some(name) = headline.filter(|name| !name.is_empty() && self.details.len() < super::MAX_ROWS) {
            if let Some(name) = name.strip_prefix("ERROR at teardown of ") {
                self.teardowns.insert(name.to_owned());
            }
            let prefixes = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "];
            let name = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
            self.details.entry(name.to_owned()).or_default().push_back(String::new());
            self.headline = Some(name.to_owned());
            return;
        }
        let Some(name) = &self.headline else { return };
        if let Some(text) = self.details.get_mut(name).and_then(VecDeque::back_mut)
            && text.len() < DETAIL
        {
            text.push_str(line);
            text.push('\n');
        }
    }

    /// Attaches its details to every failure.
    fn explain(&mut self) {
        for (id, said) in std::mem::take(&mut self.crashes) {
            match self.places.get(&id) {
                Some(&place) => self.found.explain(place, &said, ""),
                None => self.row(&id, Status::Failed, &said),
            }
        }
        for place in 0..self.found.rows.len() {
            let row = &self.found.rows[place];
            let class = row.suite.split_once("::").map(|(_, class)| format!("{}.", class.replace("::", ".")));
            let headline = format!("{}{}", class.unwrap_or_default(), row.name);
            // Of an output that is cut off, the summary may not have come to it.
            if !self.ended && self.found.status(place) == Status::Passed && self.teardowns.contains(&headline)
            {
                self.found.restate(place, Status::Failed);
            }
            if self.found.status(place) != Status::Failed {
                continue;
            }
            let row = &self.found.rows[place];
            let Some(text) = self.details.get_mut(&headline).and_then(VecDeque::pop_front) else {
                if let Some(down) = self.node_down.clone().filter(|_| row.error_message.is_none()) {
                    self.found.explain(place, &down, "");
                }
                continue;
            };
            let said = text.lines().find_map(|line| line.strip_prefix("E ")).unwrap_or_default();
            let keeps = row.error_message.as_deref().is_some_and(|known| !known.ends_with("..."));
            self.found.explain(place, if keeps { "" } else { said }, &text);
        }
    }
}
