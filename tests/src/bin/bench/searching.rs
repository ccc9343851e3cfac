//! The index of 10,000 loops, compared with reading their bytes, and searches over a million entries of logs.

use crate::corpus;
use crate::listing::read_all;
use crate::report::{Report, ms, percentile};
use loopdeck_runtime::{Options, Runtime};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const LOOPS: usize = 10_000;
const ROUNDS: usize = 5;
const LOGS: usize = 1_000;
const ENTRIES: usize = 1_000;

/// Measures building and searching.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    building(report, &folder.join("searched"));
    searching(report, &folder.join("logs"));
}

fn building(report: &mut Report, folder: &Path) {
    let workspace = folder.join("workspace");
    corpus::fill(&workspace, LOOPS).expect("a corpus");
    let files: Vec<PathBuf> = (0..LOOPS).map(|n| workspace.join(corpus::file(n))).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let (mut reads, mut builds) = (vec![], vec![]);
    for round in 0..ROUNDS {
        reads.push(ms(read_all(&files, threads)));
        let runtime = opened(&folder.join(format!("data-{round}")), &workspace);
        let start = Instant::now();
        index(&runtime);
        builds.push(ms(start.elapsed()));
    }
    let (read, build) = (percentile(&mut reads, 0.5), percentile(&mut builds, 0.5));
    Report::note("search: index of 10,000 loops built", build, "ms");
    report.limit("search: index of 10,000 loops / reading the same bytes", build / read, 3.0, "x");
}

fn searching(report: &mut Report, folder: &Path) {
    let workspace = folder.join("workspace");
    corpus::fill(&workspace, LOGS).expect("a corpus");
    for n in 0..LOGS {
        let progress = workspace.join(corpus::file(n).replace(".json", ".progress"));
        fs::create_dir_all(&progress).expect("a folder");
        fs::write(progress.join("debug.log"), log(n)).expect("written");
    }
    let runtime = opened(&folder.join("data"), &workspace);
    let start = Instant::now();
    index(&runtime);
    Report::note("search: index of 1,000,000 log entries built", ms(start.elapsed()), "ms");
    for (name, text) in [
        ("a word of every entry", "request".to_owned()),
        ("a word of one entry", format!("trace{}", 777 * ENTRIES + 5)),
        ("two Chinese characters", "超时".to_owned()),
        ("two words that are never together", "retry timeout".to_owned()),
    ] {
        let mut times: Vec<f64> = (0..20)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(runtime.search(&text, 0).expect("an answer"));
                ms(start.elapsed())
            })
            .collect();
        let what = format!("search over 1,000,000 entries: {name}, first results p95");
        report.limit(&what, percentile(&mut times, 0.95), 100.0, "ms");
    }
}

fn opened(data: &Path, workspace: &Path) -> Runtime {
    let options = Options { polling: true, ..Options::new(data.to_path_buf()) };
    let runtime = Runtime::start(&options).expect("starts");
    runtime.open_workspace(workspace).expect("opens");
    runtime
}

fn index(runtime: &Runtime) {
    while runtime.search("", 0).expect("indexed").left > 0 {}
}

/// Entries as an agent writes them; each has a word that no other one has.
fn log(n: usize) -> String {
    let mut log = String::new();
    for entry in 0..ENTRIES {
        let at = n * ENTRIES + entry;
        let what = match entry % 3 {
            0 => "retry after a lost connection",
            1 => "timeout while the pool is full",
            _ => "连接超时，稍后重试",
        };
        let _ = writeln!(
            log,
            r#"{{"timestamp":"2026-11-20T05:00:00Z","hypothesis_id":"H{}","message":"request {what}","data":"trace{at}"}}"#,
            entry % 4
        );
    }
    log
}
