//! The files next to a loop, which substitute for parts that the master has lost (the CCW contract §1.3,
//! §16).

use crate::formats::ccw::progress_docs::records::{CcwRecord, CoverageFigures, coverage};
use crate::formats::ccw::progress_docs::side;
use crate::formats::ccw::read::docs::{Doc, Docs};
use crate::formats::ccw::read::runs::{self, ValidationRun};
use crate::formats::ccw::read::values::gather_times;
use crate::problem::Problem;
use crate::view::{Companion, CompanionKind, CoverageFileView};
use loopdeck_text::almost_json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// A coverage report of a large repository is cut here.
const MOST_COVERAGE_FILES: usize = 2_000;

/// Their readable contents.
#[derive(Debug, Default)]
pub(crate) struct Side<'t> {
    pub(crate) hypotheses: Option<Doc<'t, Node<'t>>>,
    pub(crate) results: Option<Doc<'t, Node<'t>>>,
    coverage: Option<Doc<'t, Node<'t>>>,
    meta: Option<Doc<'t, Node<'t>>>,
    pub(crate) tasks: Option<Doc<'t, Node<'t>>>,
    pub(crate) docs: Docs<'t>,
    /// Unreadable side files; the master takes precedence.
    problems: Vec<Problem>,
    /// Those that no active writer will fix.
    lasting: Vec<Problem>,
}

/// Reads them; those without JSON count as absent.
pub(crate) fn read(companions: &[Companion]) -> Side<'_> {
    let mut problems = Vec::new();
    let mut find = |kind: CompanionKind| {
        let mut of_kind = companions.iter().filter(|companion| companion.kind == kind);
        of_kind.find_map(|companion| match almost_json::read_file(&companion.bytes) {
            Some(reading) => {
                problems.extend(side::fault(&reading, &companion.file));
                Some(Doc { file: companion.file.as_str(), cut: companion.cut, says: reading.value })
            }
            None => {
                problems.push(side::unreadable(&companion.bytes, &companion.file));
                None
            }
        })
    };
    let (hypotheses, results) = (find(CompanionKind::Hypotheses), find(CompanionKind::TestResults));
    let (coverage, meta) = (find(CompanionKind::Coverage), find(CompanionKind::SessionMeta));
    let tasks = find(CompanionKind::SessionTasks);
    let docs = Docs::read(companions);
    problems.extend(docs.problems());
    let lasting = docs.lasting_problems();
    Side { hypotheses, results, coverage, meta, tasks, docs, problems, lasting }
}

impl<'t> Side<'t> {
    /// Problems in the files. `at_work`: a writer may be in the middle of writing them.
    pub(crate) fn problems(&self, at_work: bool) -> &[Problem] {
        if at_work { &self.lasting } else { &self.problems }
    }

    /// All hypotheses of `hypotheses.json`.
    pub(crate) fn hypotheses(&'t self) -> &'t [Node<'t>] {
        self.hypotheses.as_ref().map_or(&[], |doc| doc.says.get("hypotheses").items())
    }

    /// All tasks of a legacy session's `tasks.json`: a list, or an object that contains it.
    pub(crate) fn tasks(&'t self) -> &'t [Node<'t>] {
        let Some(doc) = &self.tasks else { return &[] };
        if doc.says.is_object() { doc.says.get("tasks").items() } else { doc.says.items() }
    }

    /// The latest run, from `test-results.json`.
    pub(crate) fn run(&'t self) -> Option<ValidationRun<'t>> {
        self.results.as_ref().map(|doc| &doc.says).filter(|node| node.is_object()).map(runs::run)
    }

    /// Overall statement coverage, from `coverage.json`, else `validate.md`.
    pub(crate) fn coverage(&self) -> Option<f64> {
        let report = self.docs.validate.as_ref().and_then(|doc| doc.says.overall_coverage);
        self.coverage.as_ref().and_then(|doc| coverage(&doc.says)).or(report)
    }

    /// Coverage by file, from `coverage.json`, else `validate.md`.
    pub(crate) fn coverage_files(&self) -> Vec<CoverageFileView> {
        let listed = self.coverage.as_ref().map_or(&[][..], |doc| doc.says.get("files").items());
        if !listed.is_empty() {
            let view = |node: &Node<'_>| {
                of_file(
                    &crate::formats::ccw::read::facts::text(node, "path"),
                    CoverageFigures::from_node(node),
                )
            };
            return listed
                .iter()
                .filter(|node| node.is_object())
                .take(MOST_COVERAGE_FILES)
                .map(view)
                .collect();
        }
        let report = self.docs.validate.as_ref().map_or(&[][..], |doc| &doc.says.files);
        report.iter().take(MOST_COVERAGE_FILES).map(|(path, figures)| of_file(path, *figures)).collect()
    }

    /// A field of a legacy session's `meta.json`.
    pub(crate) fn meta(&self, key: &str) -> Option<&str> {
        self.meta.as_ref()?.says.get(key).text()
    }

    /// Times in the files; all are skill-written.
    pub(crate) fn times(&'t self) -> Vec<&'t str> {
        let mut times = self.docs.times();
        for doc in [&self.hypotheses, &self.results, &self.tasks].into_iter().flatten() {
            gather_times("", &doc.says, &mut times);
        }
        times
    }
}

fn of_file(path: &str, figures: CoverageFigures) -> CoverageFileView {
    let CoverageFigures { statements, branches, functions, lines } = figures;
    CoverageFileView { path: shorten(path, 1_000), statements, branches, functions, lines }
}
