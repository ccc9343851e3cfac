//! Opening a workspace of 10,000 loops, compared with reading the same bytes and with one stat per file.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_runtime::{Options, Runtime};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LOOPS: usize = 10_000;
const ROUNDS: usize = 7;

/// Measures opening and sweeping.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let workspace = folder.join("ten-thousand");
    corpus::fill(&workspace, LOOPS).expect("a corpus");
    let files: Vec<PathBuf> = (0..LOOPS).map(|n| workspace.join(corpus::file(n))).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    // Interleaved, so that a slow moment of the machine affects both sides.
    let (mut reads, mut opens, mut stats, mut sweeps) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        reads.push(ms(read_all(&files, threads)));
        let (open, sweep) = open_and_sweep(folder, &workspace, round);
        opens.push(ms(open));
        stats.push(ms(stat_all(&files)));
        sweeps.push(ms(sweep));
    }
    let median = |values: &mut Vec<f64>| percentile(values, 0.5);
    let (read, open) = (median(&mut reads), median(&mut opens));
    let (stat, sweep) = (median(&mut stats), median(&mut sweeps));
    Report::note(&format!("10,000 loops: reading the same bytes, {threads} threads"), read, "ms");
    Report::note("10,000 loops: list complete, cold", open, "ms");
    report.limit("10,000 loops: list complete / reading the same bytes", open / read, 1.7, "x");
    Report::note("10,000 loops: one stat of each file", stat, "ms");
    Report::note("10,000 loops: complete again after one change", sweep, "ms");
    report.limit("10,000 loops: complete again after one change / one stat of each", sweep / stat, 2.0, "x");
}

fn open_and_sweep(folder: &Path, workspace: &Path, round: usize) -> (Duration, Duration) {
    let options = Options { polling: true, ..Options::new(folder.join(format!("data-{round}"))) };
    let runtime = Runtime::start(&options).expect("starts");
    let start = Instant::now();
    runtime.open_workspace(workspace).expect("opens");
    let open = start.elapsed();
    assert_eq!(runtime.changes(0).workspaces[0].loops as usize, LOOPS);
    let changed = workspace.join(corpus::file(round));
    fs::write(&changed, corpus::state(&corpus::id(round), &format!("Changed in round {round}"), 5, 0))
        .expect("written");
    let start = Instant::now();
    runtime.rescan().expect("sweeps");
    (open, start.elapsed())
}

pub(crate) fn read_all(files: &[PathBuf], threads: usize) -> Duration {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut buffer = Vec::new();
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    buffer.clear();
                    let mut file = fs::File::open(file).expect("opens");
                    let size = file.metadata().expect("a size").len();
                    buffer.reserve(usize::try_from(size).expect("fits") + 1);
                    file.read_to_end(&mut buffer).expect("reads");
                    std::hint::black_box(buffer.iter().filter(|byte| **byte == b'\n').count());
                }
            });
        }
    });
    start.elapsed()
}

fn stat_all(files: &[PathBuf]) -> Duration {
    let start = Instant::now();
    for file in files {
        std::hint::black_box(fs::metadata(file).expect("a stat"));
    }
    start.elapsed()
}
