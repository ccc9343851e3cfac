//! From the start of the program to a window that shows 1,000 loops, compared with a window that shows nothing.

use crate::corpus;
use crate::report::{Report, percentile};
use loopdeck_tests::window::Stage;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ROUNDS: usize = 9;
const LOOPS: usize = 1_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures both in turns: a window of the same program with an empty page, and ours. The folder was open before, as it is for
/// a person who works with it.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let workspace = folder.join("opening");
    corpus::fill(&workspace, LOOPS).expect("a corpus");
    let stage = Stage::new("bench-opening");
    let watched = Watched::new(stage.folder(), stage.program());
    let data_dir = stage.data_dir();
    let (mut empty, mut list) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let nothing =
            watched.opened(&stage, &["--empty-window".as_ref()], "document.readyState === 'complete'");
        let mut args: Vec<&OsStr> = vec!["--data-dir".as_ref(), data_dir.as_os_str()];
        if round == 0 {
            args.push(workspace.as_os_str()); // from then on it is reopened
        }
        let shown = format!("document.querySelector('[data-loops]')?.dataset.loops === '{LOOPS}'");
        let loops = watched.opened(&stage, &args, &shown);
        if round > 0 {
            empty.push(nothing);
            list.push(loops);
        }
    }
    let (empty, list) = (percentile(&mut empty, 0.5), percentile(&mut list, 0.5));
    Report::note("an empty window of the same program painted, median", empty, "ms");
    Report::note("list of 1,000 loops painted, median", list, "ms");
    report.limit("list of 1,000 loops painted / an empty window", list / empty, 1.3, "x");
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
        fs::write(&script, text).expect("a script");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("its mode");
        Self { script, started }
    }

    /// Milliseconds from the start to the frame that the page marks last, once `condition` holds.
    fn opened(&self, stage: &Stage, args: &[&OsStr], condition: &str) -> f64 {
        let app = stage.open_program(&self.script, args);
        // Two frames later the last mark is there.
        let marked = format!("return {condition} && performance.getEntriesByName('painted').length === 1");
        app.page.wait_until(&marked, PATIENCE);
        let frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(\
            performance.timeOrigin + performance.getEntriesByName('painted')[0].startTime)));";
        let painted = app.page.execute_async(frames, &[]).as_f64().expect("a time");
        let started = fs::read_to_string(&self.started).expect("the time of the start");
        let started: f64 = started.trim().parse().expect("nanoseconds");
        painted - started / 1_000_000.0
    }
}
