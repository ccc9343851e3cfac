//! `hypotheses.json`, `test-results.json`, `coverage.json`.

use super::records::{CoverageFigures, Hypothesis, ValidationRun, text};
use crate::formats::ccw::progress_docs::records::CcwRecord;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::line_of;

/// A side file: its content and its problems.
#[derive(Clone, Debug, PartialEq)]
pub struct SideFile<T> {
    /// `None` when it is damaged.
    pub content: Option<T>,
    /// Why.
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
    let problem = match Node::parse(bytes) {
        Ok(node) if node.is_object() => {
            return SideFile { content: Some(content(&node)), problems: Vec::new() };
        }
        Ok(_) => Problem::new(ProblemCode::W10_bad_line, file).with("found", "no object"),
        Err(error) => {
            let line = line_of(bytes, error.offset);
            Problem::new(ProblemCode::W10_bad_line, file).at_line(line).with("found", error.fault.reason())
        }
    };
    SideFile { content: None, problems: vec![problem] }
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
