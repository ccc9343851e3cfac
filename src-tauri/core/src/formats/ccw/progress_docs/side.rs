//! `hypotheses.json`, `test-results.json`, `coverage.json`.

use super::records::{CoverageFigures, Hypothesis, ValidationRun, text};
use crate::formats::ccw::progress_docs::records::CcwRecord;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::almost_json::{self, FileReading};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use loopdeck_text::text_edit::line_of;

/// A side file: its content and its problems.
#[derive(Clone, Debug, PartialEq)]
pub struct SideFile<T> {
    /// `None` when it is damaged.
    pub content: Option<T>,
    /// Why, or what had to be corrected.
    pub problems: Vec<Problem>,
}

/// `hypotheses.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypotheses {
    /// In file order.
    pub hypotheses: Vec<Hypothesis>,
    /// Debug rounds.
    pub iteration: Option<f64>,
    /// Claude: when, as written.
    pub timestamp: Option<String>,
    /// Claude: the bug being investigated.
    pub bug_description: Option<String>,
}

/// `coverage.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// By file.
    pub files: Vec<(String, CoverageFigures)>,
    /// In total.
    pub overall: CoverageFigures,
}

fn side<T>(bytes: &[u8], file: &str, content: impl FnOnce(&Node<'_>) -> T) -> SideFile<T> {
    match almost_json::read_file(bytes) {
        Some(reading) if reading.value.is_object() => SideFile {
            content: Some(content(&reading.value)),
            problems: fault(&reading, file).into_iter().collect(),
        },
        _ => SideFile { content: None, problems: vec![unreadable(bytes, file)] },
    }
}

/// The problem of a file next to a loop that says nothing.
pub(crate) fn unreadable(bytes: &[u8], file: &str) -> Problem {
    let problem = Problem::new(ProblemCode::W10_bad_line, shorten(file, 200));
    match Node::parse(bytes) {
        Ok(_) => problem.with("found", "no object"),
        Err(error) => problem.at_line(line_of(bytes, error.offset)).with("found", error.fault.reason()),
    }
}

/// What is wrong with a file next to a loop that could be read all the same.
pub(crate) fn fault(reading: &FileReading<'_>, file: &str) -> Option<Problem> {
    let fault = reading.fault()?;
    let problem = Problem::new(ProblemCode::W10_bad_line, shorten(file, 200)).at_line(fault.line);
    Some(problem.with("found", fault.kind.reason()))
}

/// Reads `hypotheses.json`.
#[must_use]
pub fn hypotheses(bytes: &[u8]) -> SideFile<Hypotheses> {
    side(bytes, "hypotheses.json", |node| Hypotheses {
        hypotheses: node.get("hypotheses").items().iter().map(Hypothesis::from_node).collect(),
        iteration: node.get("iteration").lenient_number(),
        timestamp: node.get("timestamp").text().map(str::to_owned),
        bug_description: node.get("bug_description").text().map(str::to_owned),
    })
}

/// Reads `test-results.json`.
#[must_use]
pub fn test_results(bytes: &[u8]) -> SideFile<ValidationRun> {
    side(bytes, "test-results.json", ValidationRun::from_node)
}

/// Reads `coverage.json`.
#[must_use]
pub fn coverage(bytes: &[u8]) -> SideFile<Coverage> {
    side(bytes, "coverage.json", |node| Coverage {
        files: node
            .get("files")
            .items()
            .iter()
            .map(|file| (text(file, "path"), CoverageFigures::from_node(file)))
            .collect(),
        overall: CoverageFigures::from_node(node.get("overall")),
    })
}

/// `hypotheses.json` as it is written.
#[must_use]
pub fn write_hypotheses(hypotheses: &[Hypothesis], iteration: u32) -> String {
    let list = Json::List(hypotheses.iter().map(Hypothesis::json).collect());
    Json::object(vec![("hypotheses", list), ("iteration", Json::count(iteration))]).pretty()
}

/// `test-results.json` as it is written.
#[must_use]
pub fn write_test_results(run: &ValidationRun) -> String {
    run.json().pretty()
}

/// `coverage.json` as it is written.
#[must_use]
pub fn write_coverage(coverage: &Coverage) -> String {
    let file = |(path, figures): &(String, CoverageFigures)| {
        let mut members = vec![("path", Json::text(path))];
        members.extend(figures.members());
        Json::object(members)
    };
    let files = Json::List(coverage.files.iter().map(file).collect());
    Json::object(vec![("files", files), ("overall", Json::object(coverage.overall.members()))]).pretty()
}
