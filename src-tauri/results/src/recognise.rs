//! Which tool wrote a source.

use super::json::{members, small, start};
use super::text::lines;
use super::{Dialect, go, libtest, pytest, tap_points, xml};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;

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

/// The kind of `bytes`; `None` when unknown.
pub(super) fn kind(bytes: &[u8], text: &str) -> Option<Kind> {
    let begin = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
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
    lines_of(bytes).or_else(|| json(text)).or_else(|| text_dialect(bytes).map(Kind::Tests))
}

/// JSON by lines, which is more than one value.
fn lines_of(bytes: &[u8]) -> Option<Kind> {
    let events = lines(bytes).take(2000).any(|line| go::is_event(line.trim()));
    events.then_some(Kind::Tests(Dialect::GoJson))
}

/// A report that is one JSON value, recognised by its keys, even when it is cut off.
fn json(text: &str) -> Option<Kind> {
    let mut reader = Reader::at(text, start(text)?);
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
    let _ = members(&mut reader, |value, key| {
        keys.extend(KEYS.into_iter().find(|known| *known == key));
        if files.is_none() && !matches!(key, "testResults" | "tests" | "collectors" | "coverageMap") {
            files = coverage_of(&small(value)?);
            return Ok(());
        }
        value.skip().map(drop)
    });
    let has = |key: &str| keys.contains(&key);
    if has("testResults") || has("numTotalTests") {
        let jest = has("numRuntimeErrorTestSuites") || has("openHandles");
        return Some(Kind::Tests(if jest { Dialect::Jest } else { Dialect::Vitest }));
    }
    if has("tests") && has("summary") || has("collectors") && has("exitcode") {
        return Some(Kind::Tests(Dialect::PytestJson));
    }
    files
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
fn text_dialect(bytes: &[u8]) -> Option<Dialect> {
    lines(bytes).take(LINES).find_map(|line| of_line(line.trim_end()))
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
