//! From the start of the program to a window that shows its loops, compared with a window that shows nothing.

use crate::corpus;
use crate::report::{Report, percentile};
use loopdeck_tests::programs::write_program;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::window::Stage;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ROUNDS: usize = 9;
/// So many loops, and how many times the start of an empty window they may take to be seen.
const LISTS: [(usize, f64); 2] = [(1_000, 1.25), (10_000, 1.5)];
const PATIENCE: Duration = Duration::from_secs(60);

/// The folders were open before, as they are for a person who works with them.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    for (loops, limit) in LISTS {
        measure_list(report, folder, loops, limit);
    }
}

/// Measures both in turns: a window of the same program with an empty page, and ours, which shows the list as it was left and
/// then as it is.
fn measure_list(report: &mut Report, folder: &Path, loops: usize, limit: f64) {
    let workspace = folder.join(format!("opening-{loops}"));
    corpus::fill(&workspace, loops).expect("a corpus");
    let stage = Stage::new("bench-opening");
    let watched = Watched::new(stage.folder(), stage.program());
    let data_dir = stage.data_dir();
    let args: [&OsStr; 2] = ["--data-dir".as_ref(), data_dir.as_os_str()];
    let shown = format!("document.querySelector('[data-loops]')?.dataset.loops === '{loops}'");
    // From then on it is reopened.
    watched.leave(
        &stage,
        &[args[0], args[1], workspace.as_os_str()],
        &shown,
        &data_dir.join("last-list.json"),
    );
    let (mut empty, mut left, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        empty.push(
            watched.opened(&stage, &["--empty-window".as_ref()], "document.readyState === 'complete'").1,
        );
        let (as_left, as_read) = watched.opened(&stage, &args, &shown);
        left.push(as_left.expect("the list as it was left"));
        read.push(as_read);
    }
    let [empty, left, read] = [&mut empty, &mut left, &mut read].map(|times| percentile(times, 0.5));
    Report::note("an empty window of the same program painted, median", empty, "ms");
    Report::note(&format!("list of {loops} loops painted as it was left, median"), left, "ms");
    Report::note(&format!("list of {loops} loops painted as it is, median"), read, "ms");
    Report::note(&format!("list of {loops} loops painted as it is / an empty window"), read / empty, "x");
    report.limit(&format!("list of {loops} loops painted / an empty window"), left / empty, limit, "x");
}

/// The program, started through a script that notes when.
struct Watched {
    script: PathBuf,
    started: PathBuf,
}

impl Watched {
    fn new(folder: &Path, program: &Path) -> Self {
        let (script, started) = (folder.join("watched"), folder.join("started"));
        let text =
            format!("#!/bin/sh\ndate +%s%N > '{}'\nexec '{}' \"$@\"\n", started.display(), program.display());
        write_program(&script, &text);
        Self { script, started }
    }

    /// Opens a window until it has kept what its list looks like in `kept`.
    fn leave(&self, stage: &Stage, args: &[&OsStr], condition: &str, kept: &Path) {
        let app = stage.open_program(&self.script, args);
        app.page.wait_until(&format!("return {condition}"), PATIENCE);
        eventually("the list is kept", || kept.exists().then_some(()));
    }

    /// Milliseconds from the start to the frame that showed the list as it was left, if it was shown, and to the frame that the
    /// page marks last, once `condition` holds.
    fn opened(&self, stage: &Stage, args: &[&OsStr], condition: &str) -> (Option<f64>, f64) {
        let app = stage.open_program(&self.script, args);
        // Two frames later the last mark is there.
        let marked = format!("return {condition} && performance.getEntriesByName('painted').length === 1");
        app.page.wait_until(&marked, PATIENCE);
        let frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(\
            ['last-list', 'painted'].map((name) => performance.timeOrigin + \
                performance.getEntriesByName(name)[0]?.startTime))));";
        let times = app.page.execute_async(frames, &[]);
        let started = fs::read_to_string(&self.started).expect("the time of the start");
        let started: f64 = started.trim().parse().expect("nanoseconds");
        let since_start = |index: usize| Some(times[index].as_f64()? - started / 1_000_000.0);
        (since_start(0), since_start(1).expect("a time"))
    }
}
