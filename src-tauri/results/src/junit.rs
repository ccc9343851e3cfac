//! JUnit XML: surefire, Gradle, pytest, nextest, jest-junit, Vitest, mocha, node, bats and other writers.
//!
//! Our own reader: quick-junit 0.8 reads nextest's variant, but refuses the fixture reports of jest-junit,
//! mocha, bats, node, surefire and Gradle (a time without a zone, no enclosing `testsuites`, two marks on one
//! test).

use super::libtest::panic_message;
use super::tally::{Found, Row, Status};
use super::text::{first_line, grouped, is_like, seconds};
use super::xml::{Document, Element, Part};
use std::collections::{HashMap, HashSet};

/// Bytes collected of one explanation.
const TEXT: usize = 64 * 1024;
/// Nested suites that make up the location of a test.
const NESTED: usize = 16;
/// Names of suites that have no name of their own.
const NAMELESS: [&str; 6] = ["", "pytest", "Mocha Tests", "Root Suite", "jest tests", "undefined"];

/// An open `testsuite`.
#[derive(Default)]
struct JunitSuite {
    name: String,
    /// It contains tests or suites.
    holds: bool,
    /// Its attributes: tests, failures and errors, skipped.
    declared: (u64, u64, u64),
    /// What it declares can't be trusted.
    is_damaged: bool,
    /// Tests in it and its suites.
    seen: u64,
    /// Rows of its own by class and name: one test can have several elements.
    places: HashMap<(String, String), usize>,
    /// Rows whose class and name an earlier row has.
    repeated: Vec<(usize, usize)>,
    /// Passed rows with elements in them that no writer has.
    odd: Vec<usize>,
}

/// An open `testcase`.
#[derive(Default)]
struct Case {
    name: String,
    class: String,
    ms: Option<f64>,
    failed: bool,
    skipped: bool,
    todo: bool,
    /// It contains something that no writer writes there.
    odd: bool,
    /// It contains an element whose name is nearly that of a mark.
    like_mark: bool,
    message: String,
    trace: String,
}

/// Which explanation the text belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    /// The first failure or error.
    Failure,
    /// Text that is not kept, until this many elements are closed.
    Other(usize),
}

/// The row that was read last.
struct LastRow {
    place: usize,
    class: String,
    name: String,
    /// pytest wrote it.
    is_pytest: bool,
}

impl LastRow {
    /// Whether an element is of the same test; one letter may be damaged.
    fn is_of(&self, case: &Case) -> bool {
        (self.class == case.class && is_like(&self.name, &case.name))
            || (self.name == case.name && is_like(&self.class, &case.class))
    }
}

struct Junit {
    found: Found,
    suites: Vec<JunitSuite>,
    /// Suites below the deepest one kept.
    deeper: usize,
    case: Option<Case>,
    inside: Inside,
    /// The open `testsuites` says how long everything took.
    is_timed: bool,
    /// It ended with open elements.
    is_cut: bool,
    /// The last row: its tear-down may follow.
    last: Option<LastRow>,
    /// pytest wrote it: it has one element per attempt and phase of a test.
    is_pytest: bool,
}

/// Reads a report.
pub(super) fn read(text: &str) -> Found {
    let mut document = Document::new(text);
    let mut junit = Junit {
        found: Found::default(),
        suites: Vec::new(),
        deeper: 0,
        case: None,
        inside: Inside::Nothing,
        is_timed: false,
        is_cut: false,
        last: None,
        is_pytest: false,
    };
    while let Some(part) = document.next() {
        match part {
            Part::Open(element) => junit.open(&element),
            Part::Close(name) => junit.close(&name),
            Part::Text(text) => junit.text(&text),
        }
    }
    junit.found.damaged(document.fault().as_ref());
    junit.is_cut = junit.case.is_some() || !junit.suites.is_empty();
    while junit.case.is_some() || !junit.suites.is_empty() {
        // Failures that are still open at a cut must not get lost.
        junit.close(if junit.case.is_some() { "testcase" } else { "testsuite" });
    }
    junit.found
}

fn declared(element: &Element<'_>, name: &str) -> u64 {
    element.attribute(name).and_then(|value| grouped(&value)).unwrap_or_default()
}

fn time(element: &Element<'_>) -> Option<f64> {
    element.attribute("time").and_then(|time| seconds(&time))
}

impl Junit {
    fn open(&mut self, element: &Element<'_>) {
        if let Inside::Other(depth) = self.inside {
            self.inside = Inside::Other(depth + 1);
            return;
        }
        match element.name().as_str() {
            "testsuites" => {
                let ms = time(element);
                self.is_timed = ms.is_some();
                self.is_pytest = element.attribute("name").as_deref() == Some("pytest tests");
                self.found.lasted(ms);
            }
            "testsuite" => self.open_suite(element),
            "testcase" => self.open_case(element),
            "failure" | "error" | "rerunFailure" | "rerunError" => self.open_failure(element),
            "skipped" | "disabled" | "ignored" => self.open_skipped(element),
            "system-out" | "system-err" | "properties" => self.inside = Inside::Other(1),
            // The attempts before the one that passed.
            "flakyFailure" | "flakyError" => self.inside = Inside::Other(1),
            _ => {
                if let Some(case) = self.case.as_mut().filter(|_| self.inside == Inside::Nothing) {
                    case.odd = true;
                    let name = element.name();
                    case.like_mark |= ["failure", "error", "skipped"].iter().any(|mark| is_like(&name, mark));
                }
            }
        }
    }

    fn open_suite(&mut self, element: &Element<'_>) {
        if self.suites.is_empty() && !self.is_timed {
            self.found.lasted(time(element));
        }
        if let Some(outer) = self.suites.last_mut() {
            outer.holds = true;
        }
        if self.suites.len() >= NESTED {
            self.deeper += 1;
            return;
        }
        let bad = declared(element, "failures").saturating_add(declared(element, "errors"));
        let skipped = declared(element, "skipped").max(declared(element, "disabled"));
        let name = element.attribute("name").unwrap_or_default();
        let is_damaged =
            element.is_damaged() || element.attributes().iter().any(|name| is_nearly_count(name));
        self.suites.push(JunitSuite {
            is_damaged,
            declared: (declared(element, "tests"), bad, skipped),
            name,
            ..JunitSuite::default()
        });
    }

    fn open_case(&mut self, element: &Element<'_>) {
        let words =
            ["status", "result"].map(|name| element.attribute(name).unwrap_or_default().to_ascii_lowercase());
        let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        self.case = Some(Case {
            name: element.attribute("name").unwrap_or_default(),
            class: element.attribute("classname").unwrap_or_default(),
            ms: time(element),
            failed: says(&["failed", "failure", "error"]),
            skipped: says(&["notrun", "skipped", "disabled"]),
            ..Case::default()
        });
    }

    fn open_failure(&mut self, element: &Element<'_>) {
        let Some(case) = &mut self.case else {
            // A suite whose set-up failed.
            self.case = Some(Case { class: "\0".to_owned(), ..Case::default() });
            return self.open_failure(element);
        };
        if case.failed && !(case.message.is_empty() && case.trace.is_empty()) {
            self.inside = Inside::Other(1);
            return;
        }
        case.failed = true;
        case.message = element.attribute("message").unwrap_or_default();
        self.inside = Inside::Failure;
    }

    fn open_skipped(&mut self, element: &Element<'_>) {
        if let Some(case) = &mut self.case {
            case.skipped = true;
            case.todo |= element.attribute("type").as_deref() == Some("todo");
        }
        self.inside = Inside::Other(1);
    }

    fn text(&mut self, text: &str) {
        if let (Inside::Failure, Some(case)) = (self.inside, &mut self.case)
            && case.trace.len() < TEXT
        {
            case.trace.push_str(super::text::head(text, TEXT));
        }
        if let (Inside::Nothing, Some(case)) = (self.inside, &mut self.case)
            && !text.trim().is_empty()
        {
            // What is left of a mark without its bracket.
            case.odd = true;
            case.like_mark = true;
        }
    }

    fn close(&mut self, name: &str) {
        if let Inside::Other(depth) = self.inside {
            self.inside = if depth > 1 { Inside::Other(depth - 1) } else { Inside::Nothing };
            return;
        }
        match name {
            "failure" | "error" | "rerunFailure" | "rerunError" => {
                self.inside = Inside::Nothing;
                // It belongs to the enclosing suite, not to a test.
                if self.case.as_ref().is_some_and(|case| case.class == "\0") {
                    self.close_broken_suite();
                }
            }
            "testcase" => self.close_case(),
            "testsuite" if self.deeper > 0 => self.deeper -= 1,
            "testsuite" => self.close_suite(),
            _ => {}
        }
    }

    fn close_broken_suite(&mut self) {
        let Some(case) = self.case.take() else { return };
        let suite = self.suites.last_mut();
        let name = suite.map_or_else(String::new, |suite| {
            suite.holds = true;
            suite.name.clone()
        });
        self.found.suite_failed(&name, &message(&case), &case.trace);
    }

    fn close_case(&mut self) {
        self.inside = Inside::Nothing;
        let Some(case) = self.case.take() else { return };
        if case.class == "\0" {
            self.case = Some(case);
            return self.close_broken_suite();
        }
        let status = match &case {
            // The author marked it as allowed to fail.
            case if case.todo => Status::Skipped,
            case if case.failed => Status::Failed,
            case if case.skipped => Status::Skipped,
            _ => Status::Passed,
        };
        // A mark that is damaged, where no totals tell.
        let status = match status {
            Status::Passed if case.like_mark && self.suites.is_empty() => Status::Skipped,
            Status::Passed if self.is_cut => return self.forget_last(),
            status => status,
        };
        let path = self.path(&case);
        let said = message(&case);
        let row =
            Row { ms: case.ms, message: &said, trace: &case.trace, ..Row::new(&path, &case.name, status) };
        let Some(suite) = self.suites.last_mut() else {
            match self.last.as_ref().filter(|last| of_teardown(&case) && last.is_of(&case)) {
                Some(last) => self.found.join(last.place, &row),
                None => {
                    let (class, name) = (case.class.clone(), case.name.clone());
                    let place = self.found.push(&row);
                    self.last = place.map(|place| LastRow { place, class, name, is_pytest: self.is_pytest });
                }
            }
            return;
        };
        suite.holds = true;
        let key = (case.class.clone(), case.name.clone());
        let first = suite.places.get(&key).copied().filter(|_| !case.name.is_empty());
        let is_pytest = self.is_pytest || suite.name == "pytest";
        let teardown = of_teardown(&case);
        // pytest writes a tear-down behind its test.
        let before = self.last.as_ref().filter(|last| teardown && last.is_of(&case)).map(|last| last.place);
        if let Some(place) = first.filter(|_| is_pytest || teardown).or(before) {
            self.found.join(place, &row);
            return;
        }
        let Some(place) = self.found.push(&row) else { return };
        self.last = Some(LastRow { place, class: case.class.clone(), name: case.name.clone(), is_pytest });
        suite.seen += 1;
        match first {
            Some(first) => suite.repeated.push((first, place)),
            None => drop(suite.places.insert(key, place)),
        }
        if case.odd && status == Status::Passed {
            suite.odd.push(place);
        }
    }

    /// The tear-down of the last test may be cut off.
    fn forget_last(&mut self) {
        if let Some(LastRow { place, is_pytest: true, .. }) = self.last.take()
            && place + 1 == self.found.rows.len()
            && self.found.status(place) == Status::Passed
        {
            self.found.remove(&HashSet::from([place]));
        }
    }

    /// The suite shown for a row: the class, where it says more than the suites around it.
    fn path(&self, case: &Case) -> String {
        let nameless = |name: &str| NAMELESS.contains(&name);
        let inner = self.suites.iter().map(|suite| suite.name.as_str()).filter(|name| !nameless(name));
        let path = inner.collect::<Vec<_>>().join(" › ");
        let says = !nameless(&case.class) && case.class != case.name && case.class != "test";
        if says && (path.is_empty() || case.class.contains('.') || case.class.contains("::")) {
            return case.class.clone();
        }
        path
    }

    fn close_suite(&mut self) {
        let Some(mut suite) = self.suites.pop() else { return };
        if self.is_cut {
            return self.forget_last();
        }
        let (tests, failed, skipped) = suite.declared;
        if suite.holds {
            self.reconcile(&mut suite);
            if let Some(outer) = self.suites.last_mut() {
                outer.seen += suite.seen;
            }
            return;
        }
        // Totals only.
        if failed > tests {
            self.found.suite_failed(&suite.name, "", "");
        }
        let unnamed = &mut self.found.unnamed;
        unnamed.add(Status::Failed, failed.min(tests));
        unnamed.add(Status::Skipped, skipped);
        if !suite.is_damaged {
            unnamed.add(Status::Passed, tests.saturating_sub(failed.saturating_add(skipped)));
        }
        if let Some(outer) = self.suites.last_mut() {
            outer.seen += tests;
        }
    }

    /// Compares the rows of a suite with its own totals.
    fn reconcile(&mut self, suite: &mut JunitSuite) {
        let (tests, failed, skipped) = suite.declared;
        if !suite.odd.is_empty() {
            let of = |status| {
                suite.places.values().filter(|place| self.found.status(**place) == status).count() as u64
            };
            // A mark that is damaged: its totals say which one it was.
            let is_failed = failed > of(Status::Failed);
            if is_failed || skipped > of(Status::Skipped) {
                let status = if is_failed { Status::Failed } else { Status::Skipped };
                suite.odd.iter().for_each(|place| self.found.restate(*place, status));
            }
        }
        // More elements than tests: those of one name are one test.
        if tests > 0 && suite.seen > tests && !suite.repeated.is_empty() {
            for (first, place) in &suite.repeated {
                self.found.join_rows(*first, *place);
            }
            let gone: HashSet<usize> = suite.repeated.iter().map(|(_, place)| *place).collect();
            suite.seen -= gone.len() as u64;
            self.found.remove(&gone);
        }
    }
}

/// Whether a name is that of a count with one damaged letter.
fn is_nearly_count(name: &str) -> bool {
    let counts = ["tests", "failures", "errors", "skipped", "disabled"];
    !counts.contains(&name) && counts.iter().any(|count| is_like(name, count))
}

/// The tear-down of a test that has its own element before: pytest writes both.
fn of_teardown(case: &Case) -> bool {
    let message = case.message.trim_start();
    case.failed
        && ["failed on teardown", "test teardown failure"].iter().any(|start| message.starts_with(start))
}

fn message(case: &Case) -> String {
    let message = if case.message.trim().is_empty() { first_line(&case.trace) } else { &case.message };
    // nextest gives the location of a panic as the message, and the panic message only below.
    let place_only = message.starts_with("thread '") && case.trace.starts_with(message);
    if place_only { panic_message(&case.trace) } else { message.to_owned() }
}
