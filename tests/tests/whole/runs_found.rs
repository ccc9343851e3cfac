//! A run outlives the app and is found again; processes left by a killed guardian are found and ended; no
//! others are harmed.
#![allow(clippy::disallowed_methods, reason = "the test starts itself as the app that is killed")]

use loopdeck_runtime::processes::{self as tree, ProcessId};
use loopdeck_runtime::runs::{
    Exit, FoundRun, IfAppEnds, Leftovers, RunNotice, RunRecord, StdinKind, StopReason, StopReport, attach,
    end_leftovers,
};
use loopdeck_tests::runs::{Stage, eventually, found_alive, hurried};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const RUNS: &str = "LOOPDECK_TEST_RUNS";
const MARK: &str = "LOOPDECK_TEST_RUNS_MARK";
const WORDS: &str = "LOOPDECK_TEST_RUNS_WORDS";
const END: &str = "LOOPDECK_TEST_RUNS_END";

fn stage() -> Stage {
    Stage::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_unruly"))
}

fn person() -> StopReason {
    StopReason::Person { name: "Ada".to_owned() }
}

fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

/// The app to be killed: starts a run, prints its location, and waits forever.
#[test]
fn app_that_starts_a_run() {
    let Some(runs) = std::env::var_os(RUNS).map(PathBuf::from) else { return };
    let mut stage = stage();
    stage.runs = runs;
    stage.mark = std::env::var(MARK).unwrap();
    let mut spec = stage.quick(&std::env::var(WORDS).unwrap());
    spec.plan.stdin = StdinKind::Stream;
    if let Ok(after) = std::env::var(END) {
        spec.plan.if_app_ends = IfAppEnds::End { after_ms: after.parse().unwrap() };
    }
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    println!("\nstarted {}", run.attached.run_dir().display());
    loop {
        std::thread::park();
    }
}

/// Starts that app; returns it and the folder of its run.
fn app(stage: &Stage, words: &str, end: Option<u32>) -> (Child, PathBuf) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "runs_found::app_that_starts_a_run", "--nocapture"]).stdout(Stdio::piped());
    command.env(RUNS, &stage.runs).env(MARK, &stage.mark).env(WORDS, words);
    if let Some(end) = end {
        command.env(END, end.to_string());
    }
    let mut app = command.spawn().unwrap();
    let lines = BufReader::new(app.stdout.take().unwrap()).lines();
    let run_dir = lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("started ")?.into()));
    (app, run_dir.unwrap())
}

#[test]
fn a_run_survives_the_kill_of_the_app_and_a_hang_up_and_is_found_again() {
    let stage = stage();
    let words = "say ready repeat-stdin say after-the-app spawn [ own-session ignore-term forever ] forever";
    let (mut app, run_dir) = app(&stage, words, None);
    app.kill().unwrap();
    app.wait().unwrap();
    // Nobody can answer on stdin any more, so it is closed; the run continues.
    let log = loopdeck_runtime::runs::log::LogReader::of_run(&run_dir);
    eventually("it goes on without an app", || {
        let said = loopdeck_tests::runs::output(&log, loopdeck_runtime::runs::log::Stream::Out);
        String::from_utf8(said).unwrap().contains("after-the-app").then_some(())
    });
    let guardian = RunRecord::read(&run_dir).unwrap().guardian.unwrap();
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT] {
        kill(guardian.pid, signal);
    }
    let mut run = found_alive(&run_dir);
    eventually("the grandchild is there", || (stage.alive().len() == 2).then_some(()));
    run.attached.stop(person(), true).unwrap();
    assert_eq!(run.wait_for_end(), StopReport::AllGone { ended: 2 });
    assert_eq!(stage.alive(), Vec::<u32>::new());
    let FoundRun::Ended(record) = attach(&run_dir).unwrap() else { panic!("ended") };
    assert_eq!(record.stop_request.unwrap().by, person());
}

#[test]
fn a_run_that_is_to_end_with_the_app_ends_after_its_kill() {
    let stage = stage();
    let words = "spawn [ own-session ignore-term say ready forever ] ignore-term forever";
    let (mut app, run_dir) = app(&stage, words, Some(50));
    assert_eq!(stage.alive().len(), 2);
    app.kill().unwrap();
    app.wait().unwrap();
    // From the disk: attaching to look would be an app that has come back.
    let record = eventually("it ends by itself", || {
        RunRecord::read(&run_dir).ok().filter(|record| record.ended.is_some())
    });
    assert_eq!(record.stop_request.unwrap().by, StopReason::AppEnded);
    assert_eq!(record.ended.unwrap().report, StopReport::AllGone { ended: 2 });
    assert_eq!(stage.alive(), Vec::<u32>::new());
}

#[test]
fn l1_5_what_a_killed_guardian_left_is_listed_and_ended() {
    let stage = stage();
    // Both nets: the marker, and for the process without it the record made while it was seen.
    let words =
        "ignore-term spawn [ clear-env spawn [ own-session ignore-term say ready forever ] exit 0 ] forever";
    let mut run = stage.start(&stage.quick(words));
    run.wait_for_text("ready");
    let run_dir = run.attached.run_dir().to_owned();
    eventually("all are written down", || {
        let text = std::fs::read(run_dir.join("tree.json")).unwrap_or_default();
        let tree: Vec<ProcessId> = serde_json::from_slice(&text).unwrap_or_default();
        let alive = stage.alive();
        let known = alive.iter().all(|pid| tree.iter().any(|id| id.pid == *pid));
        (alive.len() == 2 && known).then_some(())
    });
    kill(run.record().guardian.unwrap().pid, Signal::KILL);
    run.wait_for("the loss", |run| run.notices.contains(&RunNotice::Lost).then_some(()));
    let FoundRun::Lost(record, Leftovers::Processes(left)) = attach(&run_dir).unwrap() else {
        panic!("lost")
    };
    assert_eq!(record.ended, None);
    let mut pids: Vec<u32> = left.iter().map(|process| process.pid).collect();
    pids.sort_unstable();
    let mut alive = stage.alive();
    alive.sort_unstable();
    assert_eq!(pids, alive);
    assert!(left.iter().all(|process| process.name == "unruly"));
    assert_eq!(end_leftovers(&run_dir), StopReport::AllGone { ended: 2 });
    assert_eq!(stage.alive(), Vec::<u32>::new());
    let FoundRun::Ended(record) = attach(&run_dir).unwrap() else { panic!("ended") };
    assert!(!record.ended.unwrap().by_guardian);
}

#[test]
fn the_output_before_the_guardians_kill_is_there() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("say ready spam 100000000 1000"));
    run.wait_for("some output", |run| (run.attached.log().end().unwrap() > 1_000_000).then_some(()));
    kill(run.record().guardian.unwrap().pid, Signal::KILL);
    run.wait_for("the loss", |run| run.notices.contains(&RunNotice::Lost).then_some(()));
    let said = run.said();
    assert!(said.len() > 500_000 && said.starts_with("ready\nxxx"));
    assert!(said["ready\n".len()..].lines().rev().skip(1).all(|line| line.len() == 999), "nothing is torn");
    assert!(matches!(end_leftovers(run.attached.run_dir()), StopReport::AllGone { .. }));
}

/// A bystander: a process of ours that is not part of the run.
struct Bystander(Child);

impl Bystander {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn id(&self) -> ProcessId {
        tree::find_process(self.0.id()).unwrap().unwrap().id
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may already be dead, where a test fails
        let _ = self.0.wait();
    }
}

/// A run whose guardian was killed, with `children` in its record.
fn lost_run(stage: &Stage, child: ProcessId, others: &[ProcessId]) -> PathBuf {
    let spec = stage.quick("forever");
    let run_dir = stage.runs.join(&spec.plan.id);
    std::fs::create_dir_all(&run_dir).unwrap();
    let mut record = RunRecord::new(spec.plan);
    record.plan.pace = hurried();
    record.guardian = Some(ProcessId { pid: 1, start: 1 });
    record.child = Some(child);
    record.write(&run_dir).unwrap();
    std::fs::write(run_dir.join("tree.json"), serde_json::to_vec(others).unwrap()).unwrap();
    run_dir
}

#[test]
fn l1_4_a_pid_that_was_used_again_is_not_signalled() {
    let (stage, mut bystander) = (stage(), Bystander::new());
    let id = bystander.id();
    let before = ProcessId { start: id.start - 1, ..id };
    let run_dir = lost_run(&stage, before, &[before]);
    let FoundRun::Lost(_, left) = attach(&run_dir).unwrap() else { panic!("lost") };
    assert_eq!(left, Leftovers::Processes(Vec::new()));
    assert_eq!(end_leftovers(&run_dir), StopReport::AllGone { ended: 0 });
    assert_eq!(bystander.0.try_wait().unwrap(), None, "it lives");
    for kind in [tree::SignalKind::Interrupt, tree::SignalKind::Terminate, tree::SignalKind::Kill] {
        assert_eq!(tree::signal(before, kind).unwrap(), tree::Sent::Gone);
    }
    assert_eq!(bystander.0.try_wait().unwrap(), None, "it lives");
    // The same with its real start time: the record is believed.
    let run_dir = lost_run(&stage, id, &[]);
    let FoundRun::Lost(_, Leftovers::Processes(left)) = attach(&run_dir).unwrap() else { panic!("lost") };
    assert_eq!(left[0].pid, id.pid);
    let ending = std::thread::spawn(move || end_leftovers(&run_dir));
    bystander.0.wait().unwrap();
    assert_eq!(ending.join().unwrap(), StopReport::AllGone { ended: 1 });
}

#[test]
fn after_another_start_of_the_machine_nothing_is_left_and_nobody_is_signalled() {
    let (stage, mut bystander) = (stage(), Bystander::new());
    let run_dir = lost_run(&stage, bystander.id(), &[]);
    let mut record = RunRecord::read(&run_dir).unwrap();
    record.boot_id = "another".to_owned();
    record.write(&run_dir).unwrap();
    assert_eq!(end_leftovers(&run_dir), StopReport::AllGone { ended: 0 });
    assert_eq!(bystander.0.try_wait().unwrap(), None, "it lives");
}

#[test]
fn a_living_guardian_is_not_interfered_with() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("say ready forever"));
    run.wait_for_text("ready");
    let run_dir: &Path = run.attached.run_dir();
    assert!(matches!(end_leftovers(run_dir), StopReport::Unknown { .. }));
    assert_eq!(stage.alive().len(), 1);
    assert_eq!(run.record().ended, None);
}

#[test]
fn a_guardian_that_is_told_to_terminate_ends_its_run() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("spawn [ own-session ignore-term say ready forever ] forever"));
    run.wait_for_text("ready");
    kill(run.record().guardian.unwrap().pid, Signal::TERM);
    assert_eq!(run.wait_for_end(), StopReport::AllGone { ended: 2 });
    assert_eq!(run.record().stop_request.unwrap().by, StopReason::System);
    assert_eq!(stage.alive(), Vec::<u32>::new());
    assert_eq!(run.record().exit, Some(Exit::Signal { signal: 15 }));
}
