//! When Loopdeck is killed at any moment of a write, the file has the old or the new bytes, never others, and
//! the journal knows which. `LOOPDECK_KILLS` sets how often, for both tests.
#![allow(clippy::disallowed_methods, reason = "the test starts itself as the program that is killed")]

use loopdeck_core::control::{MetadataPatch, Verb};
use loopdeck_runtime::views::{VerbOptions, VersionWriter};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const FOLDER: &str = "LOOPDECK_TEST_KILLED_FOLDER";

/// Number of kills in one test.
fn kills() -> u32 {
    let asked = std::env::var("LOOPDECK_KILLS").ok().map(|asked| asked.parse::<u32>().unwrap());
    asked.unwrap_or(300) / 2
}

fn file(folder: &Path) -> PathBuf {
    folder.join("workspace").join(ROOT).join(format!("{ID}.json"))
}

fn state(folder: &Path) -> serde_json::Value {
    let text = fs::read_to_string(file(folder)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("torn: {error}"))
}

fn title(folder: &Path) -> u64 {
    state(folder)["title"].as_str().unwrap().trim_start_matches("Version ").parse().unwrap()
}

fn runtime(folder: &Path) -> (Runtime, String) {
    let options = Options { polling: true, ..Options::new(folder.join("data")) };
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&folder.join("workspace")).unwrap();
    let key = runtime.changes(0).rows[0].key.clone();
    (runtime, key)
}

/// The program to be killed: counts in the title forever, and prints each number when its write was
/// acknowledged.
#[test]
fn child_that_writes() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let (runtime, key) = runtime(&folder);
    for n in title(&folder) + 1.. {
        let patch = MetadataPatch { title: Some(format!("Version {n}")), ..MetadataPatch::default() };
        runtime.edit_metadata(&key, patch).unwrap();
        println!("acknowledged {n}");
    }
}

/// Another one: pauses (even) and resumes (odd) forever; resuming writes its number as the limit.
#[test]
fn child_that_asks() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let (runtime, key) = runtime(&folder);
    for n in asked(&folder) + 1.. {
        let raise_limit_to = (verb(n) == Verb::Resume).then(|| LIMIT + u32::try_from(n).unwrap());
        runtime.act(&key, verb(n), VerbOptions { raise_limit_to, reason: None }).unwrap();
        println!("acknowledged {n}");
    }
}

const LIMIT: u32 = 1_000;

fn verb(n: u64) -> Verb {
    if n.is_multiple_of(2) { Verb::Pause } else { Verb::Resume }
}

/// The number of the last request in the file.
fn asked(folder: &Path) -> u64 {
    let state = state(folder);
    let resumed = state["max_iterations"].as_u64().unwrap().checked_sub(u64::from(LIMIT));
    let paused = state["status"] == "paused";
    resumed.map_or(0, |resumed| resumed + u64::from(paused))
}

/// A workspace with one loop, large enough that a write takes a while.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::TempDir::with_prefix("loopdeck-killed-").unwrap();
    fs::create_dir_all(folder.path().join("workspace").join(ROOT)).unwrap();
    let long = format!("\"description\": \"{}\"", "x".repeat(400_000));
    let big = loop_v2(ID, "paused").replace("\"description\": \"\"", &long);
    fs::write(file(folder.path()), big.replace(&format!("Title of {ID}"), "Version 0")).unwrap();
    folder
}

#[test]
fn kills_leave_whole_files_and_a_journal_that_can_undo() {
    let folder = folder();
    let folder = folder.path();
    for kill in 0..kills() {
        let acknowledged = run_and_kill(folder, "child_that_writes", kill);
        let there = title(folder);
        // The write after the last acknowledged one may have landed too.
        assert!(
            there == acknowledged || there == acknowledged + 1,
            "kill {kill}: {there}, acknowledged {acknowledged}"
        );
        let (runtime, key) = runtime(folder);
        no_temporary_file_stays(folder);
        let newest = runtime.history(&key, 1).unwrap()[0].clone();
        assert!(newest.current && newest.who == VersionWriter::Ours, "kill {kill}: {newest:?}");
        if kill % 10 == 0 {
            let bytes = fs::read(file(folder)).unwrap();
            runtime.undo(&key).unwrap();
            assert_eq!(title(folder), there - 1, "kill {kill}");
            runtime.undo(&key).unwrap();
            assert_eq!(fs::read(file(folder)).unwrap(), bytes, "kill {kill}");
        }
    }
}

/// The next start removes files left by the killed one.
fn no_temporary_file_stays(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    let left = || fs::read_dir(file(folder).parent().unwrap()).unwrap().count() - 1;
    while left() > 0 {
        assert!(Instant::now() < deadline, "{} temporary files", left());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn kills_lose_no_acknowledged_request() {
    let folder = folder();
    let folder = folder.path();
    for kill in 0..kills() {
        let acknowledged = run_and_kill(folder, "child_that_asks", kill);
        let (runtime, _) = runtime(folder);
        // A recorded request that was not written yet is written by the next start.
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let request = runtime.changes(0).rows.remove(0).request.expect("the last request is open");
            let there = asked(folder);
            if request.verb == verb(there) {
                let known = there == acknowledged || there == acknowledged + 1;
                assert!(known, "kill {kill}: {there} in the file, {acknowledged} acknowledged");
                break;
            }
            assert!(Instant::now() < deadline, "kill {kill}: {request:?}, {there} in the file");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Starts the writer and kills it a little after some of its output; returns the last number it acknowledged.
fn run_and_kill(folder: &Path, child: &str, kill: u32) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("killed::{child}"), "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut numbers = lines
        .map_while(Result::ok)
        .filter_map(|line| line.split("acknowledged ").nth(1)?.parse::<u64>().ok());
    let mut last = None;
    // One to three complete writes, then in the middle of the next one.
    for _ in 0..=kill % 3 {
        last = numbers.next();
    }
    spin(kill);
    child.kill().unwrap();
    child.wait().unwrap();
    let acknowledged = numbers.last().or(last).expect("a write was acknowledged");
    // Windows exchanges files in two steps: the next start completes what was cut in between.
    if cfg!(windows) && !file(folder).exists() {
        drop(runtime(folder));
    }
    acknowledged
}

/// A delay that differs from kill to kill; far shorter than a write.
fn spin(kill: u32) {
    for n in 0..u64::from(kill) * 20_000 {
        std::hint::black_box(n);
    }
}
