//! When Loopdeck is killed in the middle of a step that writes several files, each of them is whole, and the
//! journal knows which writes landed. `LOOPDECK_KILLS` sets how often, as for `killed.rs`.
#![allow(clippy::disallowed_methods, reason = "the test starts itself as the program that is killed")]

use loopdeck_core::control::Verb;
use loopdeck_core::problem::ProblemCode;
use loopdeck_runtime::store::journal::{Journal, Retention};
use loopdeck_runtime::views::VerbOptions;
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::steps::{debug, hypothesis, init};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const FOLDER: &str = "LOOPDECK_TEST_KILLED_STEPS_FOLDER";

fn kills() -> u32 {
    std::env::var("LOOPDECK_KILLS").map_or(30, |asked| asked.parse::<u32>().unwrap() / 10)
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join("workspace").join(ROOT).join(format!("{ID}{name}"))
}

fn json(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: torn: {error}", path.display()))
}

fn runtime(folder: &Path) -> (Runtime, String) {
    let options = Options { polling: true, ..Options::new(folder.join("data")) };
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&folder.join("workspace")).unwrap();
    let key = runtime.changes(0).rows[0].key.clone();
    (runtime, key)
}

fn rounds(folder: &Path) -> u64 {
    json(&file(folder, ".json"))["skill_state"]["debug"]["iteration"].as_u64().unwrap_or(0)
}

/// The program to be killed: one round of debugging after the other.
#[test]
fn child_that_takes_steps() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let (runtime, key) = runtime(&folder);
    for n in rounds(&folder) + 1.. {
        runtime.change(&key, debug(vec![hypothesis(&format!("H{n}"), "pending")], None)).unwrap();
        println!("acknowledged {n}");
    }
}

#[test]
fn kills_leave_whole_files_and_no_write_undecided() {
    let folder = started();
    let folder = folder.path();
    for kill in 0..kills() {
        let acknowledged = run_and_kill(folder, kill);
        let there = rounds(folder);
        let half = !is_whole(folder, there);
        assert_eq!(is_reported(folder), half, "kill {kill}: a look says so and changes nothing");
        assert_eq!(is_whole(folder, there), !half, "kill {kill}");
        assert!(there == acknowledged || there == acknowledged + 1, "kill {kill}: {there}, {acknowledged}");
        // The texts follow the state file: they have the acknowledged round.
        let hypotheses = json(&file(folder, ".progress/hypotheses.json"));
        assert!(hypotheses.to_string().contains(&format!("\"H{acknowledged}\"")), "kill {kill}");
        let text = fs::read_to_string(file(folder, ".progress/debug.md")).unwrap();
        assert!(text.starts_with("# ") && text.ends_with('\n'), "kill {kill}");
        assert!(text.contains(&format!("H{acknowledged} leaks")), "kill {kill}");
        drop(runtime(folder));
        assert!(is_whole(folder, rounds(folder)) && !is_reported(folder), "kill {kill}: completed");
        let mut journal = Journal::open(&folder.join("data/journal.sqlite"), Retention::default());
        let workspace = folder.join("workspace").canonicalize().unwrap();
        for write in journal.unresolved_writes(&workspace.to_string_lossy()).unwrap() {
            let there = fs::read(workspace.join(&write.file)).unwrap_or_default();
            assert_ne!(there, write.bytes, "kill {kill}: {} landed and is not decided", write.file);
        }
    }
}

#[test]
fn what_was_cut_between_the_files_is_said_completed_and_undone_as_one() {
    let folder = started();
    let folder = folder.path();
    let mut halves = 0;
    for kill in 0..10 {
        let before = rounds(folder);
        kill_when(folder, || rounds_if_whole(folder).is_some_and(|there| there > before + kill % 3));
        let there = rounds(folder);
        let half = !is_whole(folder, there);
        halves += u32::from(half);
        assert_eq!(is_reported(folder), half, "kill {kill}");
        let (runtime, key) = runtime(folder);
        assert!(is_whole(folder, there) && !is_reported(folder), "kill {kill}: completed");
        runtime.undo(&key).unwrap();
        assert_eq!(rounds(folder), there - 1, "kill {kill}: undone");
        assert!(is_whole(folder, there - 1), "kill {kill}: with what was completed");
        runtime.undo(&key).unwrap();
        assert!(rounds(folder) == there && is_whole(folder, there), "kill {kill}: and back");
    }
    assert!(halves > 0, "no kill came between the files");
}

/// The state file's round, if the file is readable now.
fn rounds_if_whole(folder: &Path) -> Option<u64> {
    let text = fs::read(file(folder, ".json")).ok()?;
    let state: serde_json::Value = serde_json::from_slice(&text).ok()?;
    state["skill_state"]["debug"]["iteration"].as_u64()
}

/// Whether the files next to the loop have round `round` and none after it.
fn is_whole(folder: &Path, round: u64) -> bool {
    let (has, ahead) = (format!("\"H{round}\""), format!("\"H{}\"", round + 1));
    let hypotheses = json(&file(folder, ".progress/hypotheses.json")).to_string();
    let text = fs::read_to_string(file(folder, ".progress/debug.md")).unwrap();
    let told = |round: u64| text.contains(&format!("H{round} leaks"));
    hypotheses.contains(&has) && !hypotheses.contains(&ahead) && told(round) && !told(round + 1)
}

/// Whether `loopdeck check` would report an incomplete change.
fn is_reported(folder: &Path) -> bool {
    let runtime = Runtime::start(&Options::once(folder.join("data"), Traces::Nothing)).unwrap();
    runtime.open_workspace(&folder.join("workspace")).unwrap();
    let key = runtime.changes(0).rows[0].key.clone();
    let problems = runtime.read_loop(&key).unwrap().detail.problems;
    problems.iter().any(|problem| problem.code == ProblemCode::W13_unfinished_change)
}

/// A loop with one round of debugging, in its own folder.
fn started() -> tempfile::TempDir {
    let temp = tempfile::TempDir::with_prefix("loopdeck-killed-").unwrap();
    let folder = temp.path();
    fs::create_dir_all(file(folder, "").parent().unwrap()).unwrap();
    let text = loop_v2(ID, "created").replace("\"max_iterations\": 10", "\"max_iterations\": 1000000");
    fs::write(file(folder, ".json"), text).unwrap();
    let (first, key) = runtime(folder);
    first.act(&key, Verb::Start, VerbOptions::default()).unwrap();
    first.change(&key, init(&["task-001"])).unwrap();
    first.change(&key, debug(vec![hypothesis("H1", "pending")], None)).unwrap();
    temp
}

/// Starts the writer and kills it as soon as `now` returns true.
fn kill_when(folder: &Path, now: impl Fn() -> bool) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_steps::child_that_takes_steps", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !now() {
        assert!(child.try_wait().unwrap().is_none(), "the writer ended by itself");
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Starts the writer and kills it a little after some output; returns the last number it acknowledged.
fn run_and_kill(folder: &Path, kill: u32) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_steps::child_that_takes_steps", "--nocapture"])
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
    for _ in 0..=kill % 3 {
        last = numbers.next();
    }
    for n in 0..u64::from(kill) * 200_000 {
        std::hint::black_box(n); // a delay that differs from kill to kill
    }
    child.kill().unwrap();
    child.wait().unwrap();
    numbers.last().or(last).expect("a step was acknowledged")
}
