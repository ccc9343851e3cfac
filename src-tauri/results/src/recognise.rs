//! Which tool wrote a source.

use super::json::{Looked, each_object, members, small};
use super::text::lines;
use super::unread::{UnreadReason, unread_json};
use super::{Dialect, go, libtest, pytest, tap_points, xml};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use std::ops::Range;

/// Lines read before an output counts as unknown. A build can print many before its tests.
const LINES: usize = 200_000;

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tests(Dialect),
    Lcov,
    Cobertura,
    IstanbulSummary,
    IstanbulFinal,
}

/// The kind of a text; `None` when unknown.
pub(super) fn kind(text: &str) -> Option<Kind> {
    let begin = text.trim_start_matches(BLANK);
    if begin.starts_with('<') {
        let (name, rate) = xml::root(begin, "line-rate")?;
        return match name.as_str() {
            "testsuites" | "testsuite" => Some(Kind::Tests(Dialect::Junit)),
            "coverage" if rate.is_some() => Some(Kind::Cobertura),
            _ => None,
        };
    }
    if begin.starts_with("TN:") || begin.starts_with("SF:") {
        return Some(Kind::Lcov);
    }
    lines_of(text).or_else(|| json(text)).or_else(|| text_dialect(text).map(Kind::Tests))
}

/// What is before the first character of a report.
const BLANK: [char; 5] = ['\u{feff}', ' ', '\t', '\r', '\n'];

/// Why a text of no known kind was not read.
pub(super) fn why_unknown(text: &str) -> UnreadReason {
    let begin = text.trim_start_matches(BLANK);
    if begin.is_empty() {
        return UnreadReason::Empty;
    }
    if begin.starts_with('<') {
        let mut document = xml::Document::new(text);
        while document.next().is_some() {}
        return document.fault().unwrap_or(UnreadReason::UnknownFormat);
    }
    if begin.starts_with(['{', '[']) {
        let mut reader = Reader::at(text, text.len() - begin.len());
        return reader.skip().map_or_else(|error| unread_json(text, &error), |_| UnreadReason::UnknownFormat);
    }
    UnreadReason::UnknownFormat
}

/// JSON by lines, which is more than one value.
fn lines_of(text: &str) -> Option<Kind> {
    let events = lines(text.as_bytes()).take(2000).any(|line| go::is_event(line.trim()));
    events.then_some(Kind::Tests(Dialect::GoJson))
}

/// Reports that are JSON values, each with where it begins. They are recognised by their keys, even when they are
/// cut off, and can have log lines around them.
pub(super) fn json_reports(text: &str) -> Vec<(Kind, usize)> {
    sized_reports(text).into_iter().map(|(kind, span)| (kind, span.start)).collect()
}

fn sized_reports(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut all = Vec::new();
    each_object(text, &["\"testResults\"", "\"numTotalTests\""], |reader| {
        let start = reader.offset();
        let (kind, is_whole) = object(reader);
        let end = if is_whole { reader.offset() } else { text.len() };
        all.extend(kind.map(|kind| (kind, start..end)));
        match (kind, is_whole) {
            (_, true) => Looked::Whole,
            (None, false) => Looked::Failed,
            (Some(_), false) => Looked::Enough,
        }
    });
    all
}

/// The kind of the longest report: a log line can have the keys of one.
fn json(text: &str) -> Option<Kind> {
    sized_reports(text).into_iter().max_by_key(|(_, span)| span.len()).map(|(kind, _)| kind)
}

/// The kind of an object, and whether all of it is JSON.
fn object(reader: &mut Reader<'_>) -> (Option<Kind>, bool) {
    let mut keys: Vec<&'static str> = Vec::new();
    let mut files = None;
    const KEYS: [&str; 9] = [
        "testResults",
        "numTotalTests",
        "numRuntimeErrorTestSuites",
        "openHandles",
        "tests",
        "summary",
        "collectors",
        "exitcode",
        "total",
    ];
    let read = members(reader, |value, key| {
        keys.extend(KEYS.into_iter().find(|known| *known == key));
        if files.is_none() && !matches!(key, "testResults" | "tests" | "collectors" | "coverageMap") {
            files = coverage_of(&small(value)?);
            return Ok(());
        }
        value.skip().map(drop)
    });
    let has = |key: &str| keys.contains(&key);
    let kind = if has("testResults") || has("numTotalTests") {
        let jest = has("numRuntimeErrorTestSuites") || has("openHandles");
        Some(Kind::Tests(if jest { Dialect::Jest } else { Dialect::Vitest }))
    } else if has("tests") && has("summary") || has("collectors") && has("exitcode") {
        Some(Kind::Tests(Dialect::PytestJson))
    } else {
        files
    };
    (kind, read.is_ok())
}

/// Whether a value is the coverage of a file.
fn coverage_of(node: &Node<'_>) -> Option<Kind> {
    if node.get("statementMap").is_object() && node.get("s").is_object() {
        return Some(Kind::IstanbulFinal);
    }
    let counted = node.get("lines").get("total").number().is_some();
    (counted && node.get("statements").is_object()).then_some(Kind::IstanbulSummary)
}

/// The first line that only one tool prints decides: later lines may be printed by a test.
fn text_dialect(text: &str) -> Option<Dialect> {
    lines(text.as_bytes()).take(LINES).find_map(|line| of_line(line.trim_end()))
}

fn of_line(line: &str) -> Option<Dialect> {
    if line.starts_with(" Nextest run ID ") || line.starts_with("     Summary [") {
        return Some(Dialect::Nextest);
    }
    if libtest::running(line).is_some() {
        return Some(Dialect::Libtest);
    }
    let sections = ["test session starts", "short test summary info", "FAILURES", "ERRORS"];
    if pytest::section(line).is_some_and(|name| sections.contains(&name)) || pytest::last_line(line).is_some()
    {
        return Some(Dialect::Pytest);
    }
    if line.starts_with("TAP version ") || tap_points::plan(line).is_some() || is_point(line) {
        return Some(Dialect::Tap);
    }
    let go = line.starts_with("=== RUN   ")
        || ["--- PASS: ", "--- FAIL: ", "--- SKIP: "].iter().any(|start| line.starts_with(start));
    (go || go::end_of_package(line).is_some()).then_some(Dialect::GoText)
}

/// A numbered point; `ok` alone is printed by many tools.
fn is_point(line: &str) -> bool {
    let rest = line.strip_prefix("not ok ").or(line.strip_prefix("ok "));
    rest.is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
        && tap_points::point(line).is_some()
}
