//! When Loopdeck is killed while it writes several loops at once, each file has its old or its new bytes, and no request that was
//! acknowledged is lost. `LOOPDECK_KILLS` sets how often.
#![allow(clippy::disallowed_methods, reason = "the test starts itself as the program that is killed")]

use loopdeck_core::control::Verb;
use loopdeck_core::past::WriteCause;
use loopdeck_runtime::views::{LoopRow, VerbOptions};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LOOPS: usize = 8;
const FOLDER: &str = "LOOPDECK_TEST_KILLED_FOLDER";
/// A resumed loop has this limit and the number of the request.
const LIMIT: u32 = 1_000;

fn kills() -> u32 {
    let asked = std::env::var("LOOPDECK_KILLS").ok().map(|asked| asked.parse::<u32>().unwrap());
    asked.unwrap_or(300) / 4
}

fn id(number: usize) -> String {
    format!("loop-v2-20261120T042421-{number:08x}")
}

fn file(folder: &Path, number: usize) -> PathBuf {
    folder.join("workspace").join(ROOT).join(format!("{}.json", id(number)))
}

fn runtime(folder: &Path) -> Runtime {
    let options = Options { polling: true, ..Options::new(folder.join("data")) };
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&folder.join("workspace")).unwrap();
    runtime
}

fn rows(runtime: &Runtime) -> Vec<LoopRow> {
    let mut rows = runtime.rows();
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    assert_eq!(rows.len(), LOOPS);
    rows
}

fn verb(round: u32) -> Verb {
    if round.is_multiple_of(2) { Verb::Pause } else { Verb::Resume }
}

/// The number of the last request in a file.
fn asked(folder: &Path, number: usize) -> u32 {
    let text = fs::read_to_string(file(folder, number)).unwrap();
    let state: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("torn: {error}"));
    let limit = u32::try_from(state["max_iterations"].as_u64().unwrap()).unwrap();
    limit.checked_sub(LIMIT).map_or(0, |resumed| resumed + u32::from(state["status"] == "paused"))
}

/// The program to be killed: pauses (even) and resumes (odd) all loops at once, forever.
#[test]
fn child_that_asks_of_all() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let runtime = runtime(&folder);
    let rows = rows(&runtime);
    let ask = |row: &LoopRow, round: u32| {
        let raise_limit_to = (verb(round) == Verb::Resume).then_some(LIMIT + round);
        runtime.act(&row.key, verb(round), VerbOptions { raise_limit_to, reason: None }).unwrap();
    };
    // The kill before may have come between two files.
    let first = (0..LOOPS).map(|number| asked(&folder, number)).max().unwrap();
    for (number, row) in rows.iter().enumerate() {
        (asked(&folder, number) + 1..=first).for_each(|round| ask(row, round));
    }
    for round in first + 1.. {
        thread::scope(|scope| rows.iter().for_each(|row| drop(scope.spawn(move || ask(row, round)))));
        println!("acknowledged {round}");
    }
}

#[test]
fn kills_leave_each_of_several_files_whole_and_lose_no_acknowledged_request() {
    let temp = tempfile::TempDir::with_prefix("loopdeck-killed-").unwrap();
    let folder = temp.path();
    fs::create_dir_all(file(folder, 0).parent().unwrap()).unwrap();
    let long = format!("\"description\": \"{}\"", "x".repeat(100_000));
    for number in 0..LOOPS {
        let text = loop_v2(&id(number), "paused").replace("\"description\": \"\"", &long);
        fs::write(file(folder, number), text).unwrap();
    }
    for kill in 0..kills() {
        let acknowledged = run_and_kill(folder, kill);
        let runtime = runtime(folder);
        let deadline = Instant::now() + Duration::from_secs(10);
        for number in 0..LOOPS {
            // A recorded request that was not written yet is written by the next start.
            loop {
                let row = rows(&runtime).swap_remove(number);
                let (there, open) = (asked(folder, number), row.request.map(|request| request.verb));
                if open == WriteCause::of_verb(verb(there)) {
                    let known = there == acknowledged || there == acknowledged + 1;
                    assert!(known, "kill {kill}: {there} in the file, {acknowledged} acknowledged");
                    break;
                }
                assert!(Instant::now() < deadline, "kill {kill}: {open:?} is open, {there} in the file");
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Starts the writer and kills it a little after some of its output; returns the last number it acknowledged.
fn run_and_kill(folder: &Path, kill: u32) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_together::child_that_asks_of_all", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut numbers = lines
        .map_while(Result::ok)
        .filter_map(|line| line.split("acknowledged ").nth(1)?.parse::<u32>().ok());
    let mut last = None;
    for _ in 0..=kill % 3 {
        last = numbers.next();
    }
    // A delay that differs from kill to kill, up to about the time of one round.
    for n in 0..u64::from(kill % 40) * 200_000 {
        std::hint::black_box(n);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    numbers.last().or(last).expect("a round was acknowledged")
}
