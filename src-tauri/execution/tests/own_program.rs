//! Runs on every system, with this program as guardian and as agent: to the end, stopped, found again, with a guardian that is killed.
//! A program without test threads, because it is started again with other arguments.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on must stop loudly"
)]
#![allow(clippy::disallowed_methods, reason = "it does what agents do: it starts programs")]

use loopdeck_execution::runs::log::LogReader;
use loopdeck_execution::runs::{
    Attached, Exit, FoundRun, GuardianProgram, Pace, RunNotice, RunSpec, StopReason, StopReport, attach,
    end_leftovers, guardian_main, spawn,
};
use loopdeck_system::processes::{SignalKind, is_alive, signal};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

/// Far longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A test by its name.
type Test = (&'static str, fn(&Path));

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--guardian", run_dir] => return guardian_main(Path::new(run_dir)),
        ["--agent", way] => agent(way),
        ["--sleeper"] => thread::sleep(PATIENCE * 10),
        _ => {
            let tests: [Test; 4] = [
                ("what_is_said_is_kept_and_the_end_is_known", says_and_ends),
                ("a_stop_ends_what_was_left_behind_too", is_stopped),
                ("a_run_is_found_again", is_found_again),
                ("nothing_outlives_a_guardian_that_is_killed", guardian_is_killed),
            ];
            for (name, test) in tests {
                let folder = tempfile::tempdir().unwrap();
                test(folder.path());
                println!("test {name} ... ok");
            }
            println!(
                "\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
                tests.len()
            );
        }
    }
    ExitCode::SUCCESS
}

/// Repeats its stdin, and leaves a process behind unless it only `says`.
fn agent(way: &str) {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    println!("heard {text}");
    std::io::stdout().flush().unwrap();
    if way == "says" {
        std::process::exit(7);
    }
    let mut sleeper = Command::new(std::env::current_exe().unwrap());
    sleeper.arg("--sleeper").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(sleeper.spawn().unwrap());
    println!("left one");
    thread::sleep(PATIENCE * 10);
}

fn start(way: &str, folder: &Path) -> Attached {
    let me = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let mut spec =
        RunSpec::new(vec![me, "--agent".into(), way.into()], folder.to_owned()).with_stdin("grüße");
    spec.plan.pace = Pace { terminate_ms: 300, ..Pace::default() };
    spawn(&GuardianProgram::this_program().unwrap(), &folder.join("run"), &spec).unwrap()
}

fn said(folder: &Path) -> String {
    let window = LogReader::of_run(&folder.join("run")).read(0, 1 << 20).unwrap();
    window.pieces.iter().map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect()
}

/// Starts an agent, and returns when it has left a process behind.
fn started(folder: &Path) -> Attached {
    let run = start("stays", folder);
    let notices = run.events();
    while !said(folder).contains("left one") {
        notices.recv_timeout(PATIENCE).unwrap();
    }
    run
}

fn stopped(run: &Attached) -> StopReport {
    run.stop(StopReason::Person { name: "a test".into() }, true).unwrap();
    end(run)
}

fn end(run: &Attached) -> StopReport {
    let notices = run.events();
    loop {
        match notices.recv_timeout(PATIENCE).unwrap() {
            RunNotice::Ended(report) => return report,
            RunNotice::Lost => panic!("it has no owner"),
            _ => {}
        }
    }
}

fn says_and_ends(folder: &Path) {
    let run = start("says", folder);
    assert_eq!(end(&run), StopReport::AllGone { ended: 0 });
    assert_eq!(run.record().unwrap().exit, Some(Exit::Code { code: 7 }));
    assert!(said(folder).contains("heard grüße"), "{}", said(folder));
}

fn is_stopped(folder: &Path) {
    let run = started(folder);
    assert_eq!(run.processes(PATIENCE), Some(2));
    assert_eq!(stopped(&run), StopReport::AllGone { ended: 2 });
    assert!(!is_alive(run.record().unwrap().child.unwrap()).unwrap());
}

fn is_found_again(folder: &Path) {
    let first = started(folder);
    first.leave();
    drop(first);
    let FoundRun::Alive(again) = attach(&folder.join("run")).unwrap() else { panic!("its guardian lives") };
    assert_eq!(stopped(&again), StopReport::AllGone { ended: 2 });
    assert!(matches!(attach(&folder.join("run")).unwrap(), FoundRun::Ended(_)));
}

/// On Windows, a job ends with its guardian. Elsewhere, the app finds the processes that are left and ends them.
fn guardian_is_killed(folder: &Path) {
    let run = started(folder);
    let record = run.record().unwrap();
    let notices = run.events();
    signal(record.guardian.unwrap(), SignalKind::Kill).unwrap();
    while !matches!(notices.recv_timeout(PATIENCE).unwrap(), RunNotice::Lost) {}
    assert!(matches!(end_leftovers(&folder.join("run")), StopReport::AllGone { .. }));
    assert!(!is_alive(record.child.unwrap()).unwrap());
}
