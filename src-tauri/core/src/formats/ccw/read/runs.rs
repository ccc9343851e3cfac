//! Records of test runs.

use super::values::{count, has_status, saturated};
use loopdeck_text::json_span::tree::Node;

/// One validation run; flat rows at the top level are one run together.
#[derive(Clone, Debug)]
pub(crate) struct ValidationRun<'t> {
    /// The record; for flat rows, the whole list.
    pub(crate) node: &'t Node<'t>,
    pub(crate) iteration: Option<f64>,
    pub(crate) total: u32,
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    pub(crate) skipped: u32,
    pub(crate) pass_rate: Option<f64>,
    pub(crate) rows: Vec<&'t Node<'t>>,
}

/// Run records in file order, oldest first; flat rows come as one run before them.
pub(crate) fn runs<'t>(results: &'t Node<'t>) -> Vec<ValidationRun<'t>> {
    let (records, flat): (Vec<_>, Vec<_>) =
        results.items().iter().filter(|item| item.is_object()).partition(|item| is_record(item));
    let mut runs = Vec::new();
    if !flat.is_empty() {
        runs.push(counted(results, flat));
    }
    runs.extend(records.into_iter().map(run));
    runs
}

fn is_record(node: &Node<'_>) -> bool {
    node.find("summary").is_some() || node.find("tests").is_some()
}

/// Reads one run record; also `test-results.json`.
pub(crate) fn run<'t>(node: &'t Node<'t>) -> ValidationRun<'t> {
    let mut run = counted(node, node.get("tests").items().iter().collect());
    run.iteration = node.get("iteration").lenient_number();
    let summary = node.get("summary");
    if summary.is_object() {
        (run.total, run.passed) = (count(summary, "total"), count(summary, "passed"));
        (run.failed, run.skipped) = (count(summary, "failed"), count(summary, "skipped"));
        run.pass_rate = summary.get("pass_rate").lenient_number();
    }
    run
}

fn counted<'t>(node: &'t Node<'t>, rows: Vec<&'t Node<'t>>) -> ValidationRun<'t> {
    let of = |word: &str| saturated(rows.iter().filter(|row| has_status(row, word)).count());
    let (total, passed) = (saturated(rows.len()), of("passed"));
    let pass_rate = (total > 0).then(|| f64::from(passed) / f64::from(total) * 100.0);
    ValidationRun {
        node,
        iteration: None,
        total,
        passed,
        failed: of("failed"),
        skipped: of("skipped"),
        pass_rate,
        rows,
    }
}
