//! Killed at any moment of a write, Loopdeck leaves the old or the new bytes, never others (L3.6).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]
#![allow(clippy::disallowed_methods, reason = "the test starts itself as the program that is killed")]

use loopdeck_core::control::MetadataPatch;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const KILLS: u32 = 200;
const FOLDER: &str = "LOOPDECK_TEST_KILLED_FOLDER";

fn file(folder: &Path) -> PathBuf {
    folder.join("workspace").join(ROOT).join(format!("{ID}.json"))
}

fn title(folder: &Path) -> u64 {
    let text = fs::read_to_string(file(folder)).unwrap();
    let state: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("torn: {error}"));
    state["title"].as_str().unwrap().trim_start_matches("Version ").parse().unwrap()
}

/// The program that is killed: counts in the title for ever, saying each number when its write was acknowledged.
#[test]
fn child_that_writes() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let runtime = Runtime::start(&Options { polling: true, ..Options::new(folder.join("data")) }).unwrap();
    runtime.open_workspace(&folder.join("workspace")).unwrap();
    let key = runtime.changes(0).rows[0].key.clone();
    for n in title(&folder) + 1.. {
        let patch = MetadataPatch { title: Some(format!("Version {n}")), ..MetadataPatch::default() };
        runtime.edit_metadata(&key, patch).unwrap();
        println!("acknowledged {n}");
    }
}

#[test]
fn two_hundred_kills_leave_whole_files_and_no_acknowledged_write_is_lost() {
    let folder = tempfile::TempDir::with_prefix("loopdeck-killed-").unwrap();
    fs::create_dir_all(folder.path().join("workspace").join(ROOT)).unwrap();
    // Large enough that a write takes a while.
    let long = format!("\"description\": \"{}\"", "x".repeat(400_000));
    let big = loop_v2(ID, "paused").replace("\"description\": \"\"", &long);
    fs::write(file(folder.path()), big.replace(&format!("Title of {ID}"), "Version 0")).unwrap();
    for kill in 0..KILLS {
        let acknowledged = run_and_kill(folder.path(), kill);
        let there = title(folder.path());
        // The write after the last acknowledged one may have landed too.
        assert!(
            there == acknowledged || there == acknowledged + 1,
            "kill {kill}: {there}, acknowledged {acknowledged}"
        );
    }
}

/// Starts the writer and kills it a little after some of its words; the last number it acknowledged.
fn run_and_kill(folder: &Path, kill: u32) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_writes", "--nocapture"])
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
    // Between one and three whole writes, then in the middle of the next one.
    for _ in 0..=kill % 3 {
        last = numbers.next();
    }
    spin(kill);
    child.kill().unwrap();
    child.wait().unwrap();
    numbers.last().or(last).expect("a write was acknowledged")
}

/// A moment that differs from kill to kill; far shorter than a write.
fn spin(kill: u32) {
    for n in 0..u64::from(kill) * 20_000 {
        std::hint::black_box(n);
    }
}
