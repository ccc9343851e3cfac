//! What a team lead waits for: the overview of 10,000 loops in 20 workspaces, and a report about 50 loops.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_reports::{Format, Options as ReportOptions};
use loopdeck_runtime::{Options, Runtime};
use std::path::Path;
use std::time::Instant;

const WORKSPACES: usize = 20;
const LOOPS: usize = 500;
const ROUNDS: usize = 9;
/// Loops of the report, each with so many tests and tasks.
const REPORTED: usize = 50;
const TESTS: usize = 400;
const TASKS: usize = 10;

/// Measures the overview and the report.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    overview(report, &folder.join("leading"));
    written(report, &folder.join("reported"));
}

fn overview(report: &mut Report, folder: &Path) {
    let runtime = started(folder);
    for number in 0..WORKSPACES {
        let workspace = folder.join(format!("workspace-{number}"));
        corpus::fill(&workspace, LOOPS).expect("a corpus");
        runtime.open_workspace(&workspace).expect("opens");
    }
    let start = Instant::now();
    while runtime.overview(50).expect("an overview").left > 0 {}
    Report::note("overview of 10,000 loops: until everything shown is counted", ms(start.elapsed()), "ms");
    let mut warm: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(runtime.overview(50).expect("an overview"));
            ms(start.elapsed())
        })
        .collect();
    report.limit("overview of 10,000 loops in 20 workspaces, warm", percentile(&mut warm, 0.5), 300.0, "ms");
}

fn written(report: &mut Report, folder: &Path) {
    let workspace = folder.join("workspace");
    std::fs::create_dir_all(workspace.join(".workflow/.loop")).expect("a folder");
    for n in 0..REPORTED {
        let text = corpus::state(&corpus::id(n), &format!("Reported loop {n}"), TASKS, TESTS);
        std::fs::write(workspace.join(corpus::file(n)), text).expect("written");
    }
    let runtime = started(folder);
    runtime.open_workspace(&workspace).expect("opens");
    let mut size = 0;
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let html =
                runtime.report((None, None), &ReportOptions::default(), Format::Html).expect("a report");
            size = html.len();
            ms(start.elapsed())
        })
        .collect();
    report.limit("report of 50 loops with 10,000 tests: written", percentile(&mut times, 0.5), 2_000.0, "ms");
    #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
    report.limit("report of 50 loops with 10,000 tests: HTML", size as f64 / 1e6, 5.0, "MB");
}

fn started(folder: &Path) -> Runtime {
    let options = Options { polling: true, ..Options::new(folder.join("data")) };
    Runtime::start(&options).expect("starts")
}
