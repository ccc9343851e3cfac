//! `run` when its state file is lost while it works, and when the `run` before it was killed.
#![cfg(target_os = "linux")]

use crate::place::Place;
use loopdeck_tests::runs::eventually;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use xtask::child::bound_command;

/// An agent that notes each of its starts, and waits for a gate in the action `LOOPDECK_ACTION` = `at`.
fn agent(at: &str) -> String {
    format!(
        "echo \"$LOOPDECK_ACTION $LOOPDECK_TASK_ID\" >> starts; \
         if [ \"$LOOPDECK_ACTION\" = {at} ]; then touch begun; until [ -e gate ]; do sleep 0.02; done; \
         echo hi > note.txt; fi; echo did it"
    )
}

/// Tests that note each of their starts.
const TESTS: &str = "echo tests >> starts; printf 'TAP version 13\\n1..1\\nok 1 - all is well\\n'";

/// A loop of two tasks in `format`, and its state file.
fn project(format: &str, at: &str) -> (Place, String, PathBuf) {
    let place = Place::empty();
    let shell = agent(at);
    let work = ["--goal", "Write a note", "--task", "Write it", "--task", "Again", "--shell", &shell];
    let rest: &[&str] = match format {
        "aot" => &["--check", "test -e note.txt"],
        "ralph" => &[],
        _ => &["--test", TESTS],
    };
    let made = place.json("new", &[&work[..], &["--format", format], rest].concat());
    let file = place.workspace().join(made["file"].as_str().unwrap());
    (place, made["id"].as_str().unwrap().to_owned(), file)
}

fn start(place: &Place, id: &str) -> Child {
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace());
    command.args([id, "--yes-trust", "--json"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Starts `run` and waits until its agent waits for the gate.
fn begun(place: &Place, id: &str) -> Child {
    let run = start(place, id);
    eventually("the agent works", || place.workspace().join("begun").exists().then_some(()));
    run
}

fn open_gate(place: &Place) {
    fs::write(place.workspace().join("gate"), "").unwrap();
}

/// The exit code of a run that ends by itself, and the name of its end.
fn end(run: Child) -> (Option<i32>, String) {
    let output = run.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let is_told = |of: &str| out.matches(&format!("\"event\":\"{of}\"")).count();
    assert_eq!(is_told("run_started"), is_told("run_ended"), "{out}");
    let last: Value = serde_json::from_str(out.lines().last().unwrap_or("null")).unwrap();
    (output.status.code(), last["outcome"].as_str().unwrap_or_default().to_owned())
}

fn starts(place: &Place) -> Vec<String> {
    let mut starts: Vec<String> = place.read("starts").lines().map(|line| line.trim().to_owned()).collect();
    starts.sort();
    starts
}

fn nothing_works_in(place: &Place) {
    assert_eq!(loopdeck_tests::driving::processes_in(&place.workspace()), Vec::<u32>::new());
}

const FORMATS: [(&str, &str); 4] =
    [("loop_v2", "develop"), ("loop_b", "develop"), ("aot", "atom"), ("ralph", "iterate")];

/// What becomes of a state file.
type Loss = fn(&Path);

#[test]
fn a_run_ends_whatever_becomes_of_its_file() {
    let losses: [(&str, Loss); 7] = [
        ("removed", |file| fs::remove_file(file).unwrap()),
        ("its folder removed", |file| fs::remove_dir_all(file.parent().unwrap()).unwrap()),
        ("garbage", |file| fs::write(file, b"\0\x01garbage {").unwrap()),
        ("empty", |file| fs::write(file, "").unwrap()),
        ("another value", |file| fs::write(file, "[1, 2]").unwrap()),
        ("a folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
        ("a pipe", |file| {
            fs::remove_file(file).unwrap();
            let made = bound_command("mkfifo").arg(file).status().unwrap();
            assert!(made.success());
        }),
    ];
    for (format, at) in FORMATS {
        for (how, lose) in losses {
            // A list without its status line is the list of a loop that hasn't started; agents write such ones.
            if format == "ralph" && ["garbage", "another value"].contains(&how) {
                continue;
            }
            let (place, id, file) = project(format, at);
            let run = begun(&place, &id);
            lose(&file);
            open_gate(&place);
            assert_eq!(end(run), (Some(1), "failed".to_owned()), "{format}: {how}");
            nothing_works_in(&place);
        }
    }
}

#[test]
fn a_run_whose_loop_is_paused_and_then_removed_ends() {
    for (format, at) in FORMATS {
        let (place, id, file) = project(format, at);
        let run = begun(&place, &id);
        place.run("pause", &[&id]);
        eventually("the run has seen it", || {
            let shown = place.json("list", &[])[0]["shown_status"].clone();
            (shown != "running").then_some(())
        });
        fs::remove_file(&file).unwrap();
        open_gate(&place);
        let (code, outcome) = end(run);
        assert!(
            matches!(code, Some(1 | 5)) && ["failed", "paused"].contains(&&*outcome),
            "{format}: {outcome}"
        );
        nothing_works_in(&place);
    }
}

#[test]
fn signals_end_a_run_whose_file_is_gone() {
    for signal in [Signal::INT, Signal::TERM] {
        let (place, id, file) = project("loop_v2", "develop");
        let run = begun(&place, &id);
        fs::remove_file(&file).unwrap();
        kill_process(Pid::from_raw(run.id().cast_signed()).unwrap(), signal).unwrap();
        assert_eq!(end(run), (Some(130), "stopped".to_owned()));
        nothing_works_in(&place);
    }
}

#[test]
fn a_run_that_holds_for_a_redirect_ends_when_its_file_is_lost() {
    let losses: [Loss; 2] =
        [|file| fs::remove_file(file).unwrap(), |file| fs::write(file, "garbage").unwrap()];
    for lose in losses {
        let (place, id, file) = project("aot", "atom");
        let run = begun(&place, &id);
        let held = fs::read_to_string(&file)
            .unwrap()
            .replace("redirect_requested: false", "redirect_requested: true");
        fs::write(&file, held).unwrap();
        open_gate(&place);
        eventually("both workers have ended", || {
            loopdeck_tests::driving::processes_in(&place.workspace()).is_empty().then_some(())
        });
        lose(&file);
        let (code, _) = end(run);
        assert!(matches!(code, Some(1 | 130)), "{code:?}");
    }
}

#[test]
fn the_next_run_takes_over_at_once_after_a_kill() {
    for (format, at) in FORMATS {
        for is_over in [false, true] {
            let (place, id, _) = project(format, at);
            let mut run = begun(&place, &id);
            run.kill().unwrap();
            run.wait().unwrap();
            if is_over {
                open_gate(&place);
                eventually("its agent ends", || {
                    loopdeck_tests::driving::processes_in(&place.workspace()).is_empty().then_some(())
                });
            }
            let next = start(&place, &id);
            open_gate(&place);
            let told = (format, is_over);
            let (code, outcome) = end(next);
            if format == "ralph" {
                // Nobody ticks its boxes: it works until its limit.
                assert_eq!((code, &*outcome), (Some(4), "limit"), "{told:?}");
                assert_eq!(starts(&place).len(), 20, "{told:?}");
            } else {
                assert_eq!((code, &*outcome), (Some(0), "completed"), "{told:?}: {:?}", starts(&place));
                let mut once = starts(&place);
                once.dedup();
                assert_eq!(starts(&place), once, "{told:?}: each was done once");
            }
            nothing_works_in(&place);
        }
    }
}

#[test]
fn a_run_that_takes_over_does_again_what_was_cut_off() {
    let (place, id, _) = project("loop_v2", "develop");
    let mut run = begun(&place, &id);
    run.kill().unwrap();
    run.wait().unwrap();
    // Guardian and agent too, as in a crash of the whole session.
    for pid in
        guardians_of(&place).into_iter().chain(loopdeck_tests::driving::processes_in(&place.workspace()))
    {
        let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL);
    }
    let next = start(&place, &id);
    open_gate(&place);
    assert_eq!(end(next), (Some(0), "completed".to_owned()));
    assert_eq!(starts(&place), ["develop task-001", "develop task-001", "develop task-002", "tests"]);
}

/// Processes whose command names a run's folder in our data.
fn guardians_of(place: &Place) -> Vec<u32> {
    let runs = place.data().canonicalize().unwrap().join("runs");
    let runs = runs.to_string_lossy();
    let is_it = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&*runs)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_it).collect()
}
