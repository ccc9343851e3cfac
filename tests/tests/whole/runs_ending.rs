//! F1, F7: whatever a run's processes do, they are gone after its end, or the report names those that are
//! not.
#![allow(clippy::disallowed_methods, reason = "the tests look at what programs leave behind")]

use loopdeck_runtime::runs::{
    Exit, GuardianProgram, RunSpec, StdinKind, StepName, StopReason, StopReport, spawn,
};
use loopdeck_tests::programs::copy_program;
use loopdeck_tests::runs::{Run, Stage};
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

fn stage() -> Stage {
    Stage::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_unruly"))
}

fn person() -> StopReason {
    StopReason::Person { name: "Ada".to_owned() }
}

/// Starts `words`, waits for `ready`, stops, and expects that nothing of it is left; returns the report's
/// count.
fn stopped(words: &str) -> u32 {
    let stage = stage();
    let mut run = stage.start(&stage.quick(words));
    run.wait_for_text("ready");
    assert!(!stage.alive().is_empty());
    run.attached.stop(person(), true).unwrap();
    all_gone(&stage, &mut run)
}

fn all_gone(stage: &Stage, run: &mut Run) -> u32 {
    let report = run.wait_for_end();
    assert_eq!(stage.alive(), Vec::<u32>::new(), "{report:?} {:?}", run.record());
    let StopReport::AllGone { ended } = report else { panic!("{report:?} {:?}", run.record()) };
    assert_eq!(run.record().ended.unwrap().report, StopReport::AllGone { ended });
    ended
}

#[test]
fn l1_1_a_tool_in_its_own_session_that_forks_while_being_killed_is_gone_in_20_seconds() {
    let stage = stage();
    // With the real pace, including asking and SIGINT.
    let mut spec = stage.spec("ignore-term spawn [ own-session breed ] forever");
    spec.plan.stop.interrupt_first = true;
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    let began = Instant::now();
    run.attached.stop(person(), true).unwrap();
    let ended = all_gone(&stage, &mut run);
    assert!(began.elapsed().as_secs() < 20);
    assert!(ended >= 6, "agent, tool and at least four that it forked: {ended}");
}

#[test]
fn l1_2_the_same_after_a_normal_exit() {
    let stage = stage();
    let mut spec = stage.quick("spawn [ own-session breed ] repeat-a-byte exit 0");
    spec.plan.stdin = StdinKind::Stream;
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    run.attached.send_stdin("x").unwrap();
    assert_eq!(run.wait_for_exit(), Exit::Code { code: 0 });
    let StopReport::AllGone { ended } = run.wait_for_end() else { panic!("{:?}", run.record()) };
    assert!(ended >= 5, "{ended}");
    assert_eq!(run.record().stop_request, None);
}

#[test]
fn who_stopped_it_first_is_who_stopped_it() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("ignore-term say ready forever"));
    run.wait_for_text("ready");
    run.attached.stop(person(), true).unwrap();
    run.attached.stop(StopReason::System, false).unwrap();
    all_gone(&stage, &mut run);
    assert_eq!(run.record().stop_request.unwrap().by, person());
}

#[test]
fn one_that_ends_when_asked() {
    assert_eq!(stopped("say ready forever"), 1);
}

#[test]
fn one_that_ignores_termination() {
    assert_eq!(stopped("ignore-term say ready forever"), 1);
}

#[test]
fn a_grandchild_in_its_own_session() {
    assert_eq!(stopped("spawn [ own-session say ready forever ] forever"), 2);
}

#[test]
fn a_double_fork_that_ignores_termination() {
    assert_eq!(stopped("spawn [ spawn [ own-session ignore-term say ready forever ] exit 0 ] forever"), 2);
}

#[test]
fn one_that_answers_termination_with_new_processes() {
    assert!(stopped("spawn [ own-session forever ] fork-on-term") >= 2);
}

#[test]
fn one_that_cleared_its_environment_and_left_its_parent() {
    let words = "spawn [ clear-env spawn [ own-session ignore-term say ready forever ] exit 0 ] forever";
    assert_eq!(stopped(words), 2);
}

#[test]
fn one_that_holds_the_pipe_after_a_normal_exit() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("spawn [ own-session ignore-term forever ] say done exit 3"));
    assert_eq!(all_gone(&stage, &mut run), 1);
    assert_eq!(run.record().exit, Some(Exit::Code { code: 3 }));
    assert_eq!(run.said(), "done\n");
}

#[test]
fn l7_1_a_final_event_then_lingering_with_a_held_pipe_is_over_in_12_seconds() {
    let stage = stage();
    let mut run =
        stage.start(&stage.spec("spawn [ own-session ignore-term forever ] ignore-term say result forever"));
    run.wait_for_text("result");
    let began = Instant::now();
    run.attached.final_seen().unwrap();
    assert_eq!(all_gone(&stage, &mut run), 2);
    let took = began.elapsed().as_millis();
    assert!((10_000..12_000).contains(&took), "{took} ms");
    assert_eq!(run.record().stop_request.unwrap().by, StopReason::Lingered);
    assert!(run.record().final_seen_at.is_some());
}

#[test]
fn a_process_that_ends_within_the_grace_is_not_stopped() {
    let stage = stage();
    let mut spec = stage.quick("say result repeat-stdin say bye exit 0");
    spec.plan.stdin = StdinKind::Stream;
    spec.plan.pace.final_grace_ms = 60_000;
    let mut run = stage.start(&spec);
    run.wait_for_text("result");
    run.attached.final_seen().unwrap(); // closes stdin
    assert_eq!(all_gone(&stage, &mut run), 0);
    assert_eq!(run.record().stop_request, None);
    assert!(run.said().ends_with("bye\n"));
}

#[test]
fn a_wall_limit_within_the_grace_does_not_make_a_finished_run_a_limited_one() {
    let stage = stage();
    let mut spec = stage.quick("ignore-term say result forever");
    spec.plan.limits.wall_ms = Some(8_000);
    spec.plan.pace.final_grace_ms = 11_000;
    let mut run = stage.start(&spec);
    run.wait_for_text("result");
    run.attached.final_seen().unwrap();
    assert_eq!(all_gone(&stage, &mut run), 1);
    assert_eq!(run.record().stop_request.unwrap().by, StopReason::Lingered);
}

#[test]
fn the_wall_limit_ends_a_run_and_says_so() {
    let stage = stage();
    let mut spec = stage.quick("spawn [ own-session forever ] say ready forever");
    spec.plan.limits.wall_ms = Some(500);
    let mut run = stage.start(&spec);
    assert_eq!(all_gone(&stage, &mut run), 2);
    assert_eq!(run.record().stop_request.unwrap().by, StopReason::WallLimit);
}

#[test]
fn the_steps_are_asking_interrupting_terminating_killing() {
    let stage = stage();
    let mut spec = stage.quick("ignore-term say ready interrupted repeat-stdin forever");
    spec.plan.stdin = StdinKind::Stream;
    spec.plan.stop.ask = Some("please".to_owned());
    spec.plan.stop.interrupt_first = true;
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    run.attached.stop(person(), true).unwrap();
    assert_eq!(all_gone(&stage, &mut run), 1);
    let record = run.record();
    let steps: Vec<StepName> = record.steps.iter().map(|step| step.step).collect();
    assert_eq!(
        steps,
        [StepName::Ask, StepName::Interrupt, StepName::Terminate, StepName::Kill, StepName::Over]
    );
    assert_eq!(run.said(), "ready\nready\ninterrupted\nplease\n");
    let request = record.stop_request.unwrap();
    assert_eq!(request.by, person());
    assert!(request.at <= record.steps[0].at);
    assert_eq!(record.steps[0].alive, Some(1));
    assert_eq!(record.exit, Some(Exit::Signal { signal: 9 }));
}

#[test]
fn an_interrupt_alone_ends_nothing() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("interrupted forever"));
    run.wait_for_text("ready");
    run.attached.interrupt().unwrap();
    run.wait_for_text("interrupted");
    assert_eq!(run.record().exit, None);
    run.attached.stop(person(), true).unwrap();
    all_gone(&stage, &mut run);
}

#[test]
fn l1_3_what_cannot_be_ended_is_named() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can make a process that its guardian may not signal");
        return;
    }
    // The guardian runs as nobody; the child becomes root through a setuid program.
    let mut stage = stage();
    let elevated = stage.runs.join("elevated");
    fs::create_dir_all(&stage.runs).unwrap();
    copy_program(Path::new("/usr/bin/setpriv"), &elevated);
    open_to_everybody(&stage, &elevated);
    let guardian = copied(&stage, env!("CARGO_BIN_EXE_guardian"));
    let unruly = copied(&stage, env!("CARGO_BIN_EXE_unruly"));
    stage.guardian.program = "setpriv".into();
    stage.guardian.args = ["--reuid", "65534", "--clear-groups", guardian.as_str()].map(Into::into).to_vec();
    let mut spec = stage.quick("say ready forever");
    spec.plan.pace.kill_ms = 100;
    spec.plan.argv[0] = unruly;
    spec.plan.argv.splice(0..0, [elevated.display().to_string(), "--reuid".to_owned(), "0".to_owned()]);
    spec.plan.argv.insert(0, "/usr/bin/env".to_owned());
    let run_dir = stage.runs.join(&spec.plan.id);
    fs::create_dir_all(&run_dir).unwrap();
    std::os::unix::fs::chown(&run_dir, Some(65534), None).unwrap();
    let mut run = start_as_nobody(&stage, &run_dir, &spec);
    run.wait_for_text("ready");
    run.attached.stop(person(), true).unwrap();
    let StopReport::Left { processes, .. } = run.wait_for_end() else { panic!("{:?}", run.record()) };
    assert_eq!(stage.alive(), processes.iter().map(|process| process.pid).collect::<Vec<u32>>());
    assert_eq!(processes[0].name, "unruly");
}

/// Starts the run with everything in its folder given to nobody.
fn start_as_nobody(stage: &Stage, run_dir: &Path, spec: &RunSpec) -> Run {
    let script = format!("chown -R 65534 '{}' && exec \"$@\"", run_dir.display());
    let program = stage.guardian.program.clone();
    let mut args: Vec<OsString> = vec!["-c".into(), script.into(), "sh".into(), program.into()];
    args.extend(stage.guardian.args.iter().cloned());
    Run::of(spawn(&GuardianProgram { program: "sh".into(), args }, run_dir, spec).unwrap())
}

fn open_to_everybody(stage: &Stage, elevated: &Path) {
    fs::set_permissions(elevated, Permissions::from_mode(0o4755)).unwrap();
    for folder in [stage.runs.as_path(), stage.runs.parent().unwrap()] {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
}

fn copied(stage: &Stage, program: &str) -> String {
    let to = stage.runs.join(Path::new(program).file_name().unwrap());
    copy_program(Path::new(program), &to);
    to.display().to_string()
}

#[test]
fn l1_3_what_cannot_be_seen_is_unknown() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can hide the list of processes from a guardian");
        return;
    }
    let mut stage = stage();
    let script = "mount -t tmpfs none /proc && exec \"$@\"";
    let guardian = stage.guardian.program.clone();
    stage.guardian.program = "unshare".into();
    stage.guardian.args = ["--mount", "sh", "-c", script, "sh"].map(Into::into).to_vec();
    stage.guardian.args.push(guardian.into());
    let mut spec = stage.quick("spawn [ own-session say ready forever ] forever");
    spec.plan.pace.kill_ms = 100;
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    run.attached.stop(person(), true).unwrap();
    let StopReport::Unknown { why } = run.wait_for_end() else { panic!("{:?}", run.record()) };
    assert!(why.contains("/proc"), "{why}");
    assert_eq!(stage.alive().len(), 1, "the group is gone, the tool is not");
}
