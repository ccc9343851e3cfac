//! JUnit XML: surefire, Gradle, pytest, nextest, jest-junit, Vitest, mocha, node, bats and other writers.
//!
//! Our own reader: quick-junit 0.8 reads nextest's variant, but refuses the fixture reports of jest-junit,
//! mocha, bats, node, surefire and Gradle (a time without a zone, no enclosing `testsuites`, two marks on one
//! test).

use super::libtest::panic_message;
use super::tally::{Found, Row, Status};
use super::text::{first_line, seconds};
use super::xml::{Document, Element, Part};
use std::collections::HashMap;

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
    /// Rows of its own.
    rows: u64,
    /// One test can have several elements (pytest writes one per attempt and phase).
    same_test: bool,
    places: HashMap<(String, String), usize>,
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

struct Junit {
    found: Found,
    suites: Vec<JunitSuite>,
    /// Suites below the deepest one kept.
    deeper: usize,
    case: Option<Case>,
    inside: Inside,
    whole_ms: Option<f64>,
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
        whole_ms: None,
    };
    while let Some(part) = document.next() {
        match part {
            Part::Open(element) => junit.open(&element),
            Part::Close(name) => junit.close(&name),
            Part::Text(text) => junit.text(&text),
        }
    }
    junit.found.truncated = document.broken;
    while junit.case.is_some() || !junit.suites.is_empty() {
        // Elements still open at a cut count too: a failure must not get lost.
        junit.close(if junit.case.is_some() { "testcase" } else { "testsuite" });
    }
    if let Some(ms) = junit.whole_ms {
        junit.found.duration_ms = None;
        junit.found.lasted(Some(ms));
    }
    junit.found
}

fn declared(element: &Element<'_>, name: &str) -> u64 {
    let value = element.attribute(name).unwrap_or_default();
    super::text::number(value.trim()).map_or(0, |(number, _)| number)
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
            "testsuites" => self.whole_ms = time(element),
            "testsuite" => self.open_suite(element),
            "testcase" => self.open_case(element),
            "failure" | "error" | "rerunFailure" | "rerunError" => self.open_failure(element),
            "skipped" | "disabled" | "ignored" => self.open_skipped(element),
            "system-out" | "system-err" | "properties" => self.inside = Inside::Other(1),
            // The attempts before the one that passed.
            "flakyFailure" | "flakyError" => self.inside = Inside::Other(1),
            _ => {}
        }
    }

    fn open_suite(&mut self, element: &Element<'_>) {
        if self.suites.is_empty() {
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
        self.suites.push(JunitSuite {
            declared: (declared(element, "tests"), bad, skipped),
            same_test: name == "pytest",
            name,
            ..JunitSuite::default()
        });
    }

    fn open_case(&mut self, element: &Element<'_>) {
        let status = element.attribute("status").or(element.attribute("result")).unwrap_or_default();
        self.case = Some(Case {
            name: element.attribute("name").unwrap_or_default(),
            class: element.attribute("classname").unwrap_or_default(),
            ms: time(element),
            failed: matches!(status.to_ascii_lowercase().as_str(), "failed" | "failure" | "error"),
            skipped: matches!(status.to_ascii_lowercase().as_str(), "notrun" | "skipped" | "disabled"),
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
        let path = self.path(&case);
        let said = message(&case);
        let row =
            Row { ms: case.ms, message: &said, trace: &case.trace, ..Row::new(&path, &case.name, status) };
        let Some(suite) = self.suites.last_mut() else {
            self.found.push(&row);
            return;
        };
        suite.holds = true;
        let key = (case.class.clone(), case.name.clone());
        if let Some(&place) = suite.places.get(&key).filter(|_| suite.same_test) {
            if status > self.found.status(place) {
                self.found.restate(place, status);
            }
            self.found.explain(place, row.message, row.trace);
            return;
        }
        suite.rows += 1;
        if let Some(place) = self.found.push(&row)
            && suite.same_test
        {
            suite.places.insert(key, place);
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
        let Some(suite) = self.suites.pop() else { return };
        if suite.holds {
            return;
        }
        // Totals only.
        let (tests, failed, skipped) = suite.declared;
        let totals = &mut self.found.totals;
        totals.add(Status::Failed, failed);
        totals.add(Status::Skipped, skipped);
        totals.add(Status::Passed, tests.saturating_sub(failed.saturating_add(skipped)));
    }
}

fn message(case: &Case) -> String {
    let message = if case.message.trim().is_empty() { first_line(&case.trace) } else { &case.message };
    // nextest gives the location of a panic as the message, and the panic message only below.
    let place_only = message.starts_with("thread '") && case.trace.starts_with(message);
    if place_only { panic_message(&case.trace) } else { message.to_owned() }
}
