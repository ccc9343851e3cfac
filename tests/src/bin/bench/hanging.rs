//! Stop in one workspace while the disk of another one hangs, compared with the same while it answers.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::VerbOptions;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::mount::Mount;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

/// Stops on either side.
const ROUNDS: usize = 50;
/// What a hung disk may cost the other workspaces, in milliseconds.
const LIMIT: f64 = 100.0;

/// Measures on a real file system whose server is stopped. Nothing where the machine has no FUSE.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let Some(mount) = Mount::new(|behind| add(behind, &corpus::id(0))) else { return };
    let workspace = folder.join("answers");
    (0..ROUNDS * 2).for_each(|number| add(&workspace, &corpus::id(number)));
    let runtime = Runtime::start(&Options::new(folder.join("data-hanging"))).expect("starts");
    let here = runtime.open_workspace(&workspace).expect("opened");
    let away = runtime.open_workspace(&mount.folder).expect("opened");

    let mut healthy: Vec<f64> = (0..ROUNDS).map(|number| stop(&runtime, &here, number)).collect();
    mount.hang();
    let mut hanging = thread::scope(|scope| {
        let asked = scope.spawn(|| stop_one(&runtime, &away, 0));
        let hanging: Vec<f64> = (ROUNDS..ROUNDS * 2).map(|number| stop(&runtime, &here, number)).collect();
        assert!(!asked.is_finished(), "the other disk hangs meanwhile");
        mount.answer();
        drop(asked.join());
        hanging
    });
    let (healthy, hanging) = (percentile(&mut healthy, 0.95), percentile(&mut hanging, 0.95));
    Report::note("Stop, another workspace answers: p95", healthy, "ms");
    Report::note("Stop, the disk of another workspace hangs: p95", hanging, "ms");
    report.limit("what a disk that hangs costs Stop in another workspace", hanging - healthy, LIMIT, "ms");
}

fn add(workspace: &Path, id: &str) {
    let root = workspace.join(ROOT);
    fs::create_dir_all(&root).expect("a folder");
    fs::write(root.join(format!("{id}.json")), loop_v2(id, "running")).expect("written");
}

fn stop(runtime: &Runtime, workspace: &str, number: usize) -> f64 {
    let start = Instant::now();
    stop_one(runtime, workspace, number).expect("stopped");
    ms(start.elapsed())
}

fn stop_one(
    runtime: &Runtime,
    workspace: &str,
    number: usize,
) -> Result<(), loopdeck_runtime::views::Failure> {
    let key = format!("{workspace}:{}", corpus::file(number));
    runtime.act(&key, Verb::Stop, VerbOptions::default())
}
