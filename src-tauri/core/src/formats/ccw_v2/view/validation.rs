//! The validate section as a person sees it: the master's runs, or else the latest run from the files next to
//! it.

use crate::formats::ccw::progress_docs::records::coverage;
use crate::formats::ccw::progress_docs::validate::ValidateDoc;
use crate::formats::ccw::read::clock::Clock;
use crate::formats::ccw::read::facts::{LONG, SHORT, text, texts};
use crate::formats::ccw::read::runs::ValidationRun;
use crate::formats::ccw::read::shares::figured;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw_v2::read::companions::Side;
use crate::view::{RunView, TestRow, ValidationView};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// The section, and the file that contains its runs (empty: the master).
pub(crate) fn validation<'s>(
    state: &CcwState<'_>,
    clock: &Clock,
    side: &'s Side<'_>,
) -> (Option<ValidationView>, &'s str) {
    let section = state.validate;
    let mut runs: Vec<_> = state.runs.iter().map(|run| run_view(run, clock)).collect();
    let mut file = "";
    let mut failed_tests = texts(section.get("failed_tests"));
    if runs.is_empty()
        && let Some((run, failed, beside)) = latest_in_companions(side, clock)
    {
        if !section.is_object() {
            failed_tests = failed;
        }
        (runs, file) = (vec![run], beside);
    }
    // If the section has runs, a report next to it may be from an earlier one.
    let is_lost = state.runs.is_empty() || coverage(section.get("coverage")).is_none();
    let view = (section.is_object() || !runs.is_empty()).then(|| ValidationView {
        pass_rate: section.get("pass_rate").lenient_number(),
        coverage: state.coverage().or_else(|| side.coverage().filter(|_| is_lost)),
        passed: section.get("passed").flag(),
        failed_tests,
        last_run: section.get("last_run_at").text().map(|text| clock.skill(text)),
        runs,
        coverage_files: side.coverage_files(),
    });
    (view.map(figured), file)
}

/// The latest run, its failed tests and its file: `test-results.json`, else `validate.md`.
fn latest_in_companions<'s>(side: &'s Side<'_>, clock: &Clock) -> Option<(RunView, Vec<String>, &'s str)> {
    if let (Some(run), Some(doc)) = (side.run(), &side.results) {
        let failed =
            run.rows.iter().filter(|row| crate::formats::ccw::read::values::has_status(row, "failed"));
        let failed = failed.map(|row| shorten(&text(row, "test_name"), SHORT)).collect();
        return Some((run_view(&run, clock), failed, doc.file));
    }
    let doc = side.docs.validate.as_ref()?;
    let failed = doc.says.failed_tests.iter().map(|test| shorten(&test.name, SHORT)).collect();
    Some((reported(&doc.says, clock)?, failed, doc.file))
}

/// The run in `validate.md`; none without counts.
pub(crate) fn reported(says: &ValidateDoc, clock: &Clock) -> Option<RunView> {
    let total = says.total?;
    Some(RunView {
        iteration: says.iteration.map(f64::from),
        time: says.head.time.as_deref().map(|text| clock.skill(text)),
        total,
        passed: says.passed.unwrap_or_default(),
        failed: says.failed.unwrap_or_default(),
        skipped: says.skipped.unwrap_or_default(),
        pass_rate: says.pass_rate,
        duration_ms: says.duration_ms,
        coverage: says.overall_coverage,
        ..RunView::default()
    })
}

/// One run for the list of runs.
pub(crate) fn run_view(run: &ValidationRun<'_>, clock: &Clock) -> RunView {
    RunView {
        iteration: run.iteration,
        time: run.node.get("timestamp").text().map(|text| clock.skill(text)),
        total: run.total,
        passed: run.passed,
        failed: run.failed,
        skipped: run.skipped,
        pass_rate: run.pass_rate,
        duration_ms: run.node.get("summary").get("duration_ms").lenient_number(),
        coverage: coverage(run.node.get("coverage")),
        rows: saturated(run.rows.len()),
        ..RunView::default()
    }
}

/// One test for its table.
pub(crate) fn test_row(node: &Node<'_>) -> TestRow {
    TestRow {
        name: shorten(&text(node, "test_name"), SHORT),
        suite: shorten(&text(node, "suite"), SHORT),
        status: shorten(&text(node, "status"), 60),
        duration_ms: node.get("duration_ms").lenient_number(),
        error_message: node.get("error_message").shown(4_000),
        stack_trace: node.get("stack_trace").shown(LONG),
    }
}
