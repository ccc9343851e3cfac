//! Many short runs leave nothing in the app.

use loopdeck_runtime::processes::Snapshot;
use loopdeck_runtime::runs::{Exit, StopReport};
use loopdeck_tests::alone::alone;
use loopdeck_tests::runs::{Stage, eventually};

#[test]
fn l1_6_a_thousand_short_runs_leave_no_zombie_no_thread_and_nothing_open() {
    alone("runs_many::l1_6_a_thousand_short_runs_leave_no_zombie_no_thread_and_nothing_open", thousand_runs);
}

fn thousand_runs() {
    let stage = Stage::new(env!("CARGO_BIN_EXE_guardian"), "/bin/sh");
    one(&stage);
    settled();
    let before = (open_files(), threads());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..250).for_each(|_| one(&stage)));
        }
    });
    settled();
    eventually("everything is closed", || (open_files() <= before.0 && threads() <= before.1).then_some(()));
}

fn one(stage: &Stage) {
    let mut spec = stage.quick("");
    spec.plan.argv = ["/bin/sh", "-c", "echo hello"].map(str::to_owned).to_vec();
    let mut run = stage.start(&spec);
    assert_eq!(run.wait_for_end(), StopReport::AllGone { ended: 0 });
    assert_eq!(run.record().exit, Some(Exit::Code { code: 0 }));
    assert_eq!(run.said(), "hello\n");
    std::fs::remove_dir_all(run.attached.run_dir()).unwrap();
}

/// Guardians exit a moment after they report the end of the run, and are then reaped.
fn settled() {
    let me = std::process::id();
    eventually("no child is left, dead or alive", || {
        Snapshot::take().unwrap().below(&[me]).is_empty().then_some(())
    });
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}
