//! A window that has nothing to do, compared with an empty one of the same program: its memory, its processor time and how often
//! it wakes up.

use crate::corpus;
use crate::processes::{self, Process};
use crate::report::{Report, percentile};
use loopdeck_tests::window::desk::Has;
use loopdeck_tests::window::{App, Stage};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOOPS: usize = 20;
const ROUNDS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);
/// A window that was just opened has more to do: the page keeps a picture of its list five seconds later.
const SETTLES: Duration = Duration::from_secs(12);
/// Processor time is counted in hundredths of a second: two thousandths of this are twelve of them.
const WATCHED: Duration = Duration::from_secs(60);

/// Memory without loops, then rest with twenty.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    measure_memory(report);
    let workspace = folder.join("quiet");
    corpus::fill(&workspace, LOOPS).expect("a corpus");
    measure_rest(report, &workspace);
}

fn measure_memory(report: &mut Report) {
    let stage = Stage::new("bench-resting");
    let (mut empty, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        empty.push(memory_of(&stage, &empty_window(&stage)));
        ours.push(memory_of(&stage, &stage.open(&[])));
    }
    let [empty, ours] = [&mut empty, &mut ours].map(|sizes| percentile(sizes, 0.5));
    Report::note("memory of an empty window of the same program, with its page", empty, "MB");
    Report::note("memory of the app without loops, with its page", ours, "MB");
    report.limit("memory of the app without loops / an empty window", ours / empty, 1.1, "x");
}

fn memory_of(stage: &Stage, app: &App<'_>) -> f64 {
    app.page.wait_until("return document.readyState === 'complete'", PATIENCE);
    settle();
    processes::of_program(stage.program()).iter().map(Process::resident_mb).sum()
}

fn measure_rest(report: &mut Report, workspace: &Path) {
    let stage = Stage::new("bench-resting");
    let empty = {
        let _app = empty_window(&stage);
        settle();
        Rest::of(&stage)
    };
    empty.note("an empty window");
    let app = stage.open(&[workspace.as_os_str()]);
    let shows_all = format!("return document.querySelector('[data-loops]')?.dataset.loops === '{LOOPS}'");
    app.page.wait_until(&shows_all, PATIENCE);
    settle();
    let shown = Rest::of(&stage);
    shown.note("20 quiet loops, shown");
    report.limit("20 quiet loops, shown: share of one core", shown.core, 0.5, "%");
    stage.desk(Has::default()).unmap_window();
    app.page.wait_until("return document.visibilityState === 'hidden'", PATIENCE);
    settle();
    let hidden = Rest::of(&stage);
    hidden.note("20 quiet loops, hidden");
    report.limit("20 quiet loops, hidden: share of one core", hidden.core, 0.2, "%");
}

fn empty_window(stage: &Stage) -> App<'_> {
    stage.open_program(stage.program(), &["--empty-window".as_ref()])
}

fn settle() {
    std::thread::sleep(SETTLES); // nothing tells that a window has nothing more to do
}

/// What all processes of a window do while nothing happens.
struct Rest {
    /// Percent of one core.
    core: f64,
    /// A second.
    wake_ups: f64,
}

impl Rest {
    fn of(stage: &Stage) -> Self {
        let now = || {
            let all = processes::of_program(stage.program());
            let busy: f64 = all.iter().map(Process::cpu_seconds).sum();
            (busy, all.iter().flat_map(Process::wake_ups).collect::<HashMap<_, _>>())
        };
        let before = now();
        std::thread::sleep(WATCHED); // this is what is measured
        let after = now();
        let seconds = WATCHED.as_secs_f64();
        let woken = |(thread, count): (&PathBuf, &f64)| count - before.1.get(thread).unwrap_or(&0.0);
        let wake_ups: f64 = after.1.iter().map(woken).sum();
        Self { core: 100.0 * (after.0 - before.0) / seconds, wake_ups: wake_ups / seconds }
    }

    fn note(&self, what: &str) {
        Report::note(&format!("{what}: share of one core"), self.core, "%");
        Report::note(&format!("{what}: wake-ups a second"), self.wake_ups, "");
    }
}
