//! Plans of other tools: a file that holds several, and the tool that runs one.

use crate::ID;
use crate::place::{Answer, Place, answer, wait_for};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::Runtime;
use loopdeck_tests::live::loop_v2;
use loopdeck_tests::programs::write_program;
use serde_json::{Value, json};
use std::fs;
use xtask::child::bound_command;

const FILE: &str = ".taskmaster/tasks/tasks.json";
const UI: &str = ".taskmaster/tasks/tasks.json#ui";
const TASKS: &str = r#"{"master": {"tasks": [{"id": 1, "title": "Model", "status": "done"}]},
"ui": {"tasks": [{"id": 1, "title": "Page", "status": "pending"},
{"id": 2, "title": "Form", "status": "pending", "dependencies": [9]}]}}
"#;

/// A workspace with a file of two tags, which nobody changed for an hour.
fn two_tags() -> Place {
    let place = Place::empty();
    place.write(FILE, TASKS);
    place.age(FILE);
    place
}

/// File, title and status of each loop.
fn listed(place: &Place) -> Vec<(String, String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let row = |row: &Value| (text(row, "file"), text(row, "title"), text(row, "shown_status"));
    let mut rows: Vec<_> = place.json("list", &[]).as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

fn expected(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    rows.iter().map(|(file, title, word)| ((*file).into(), (*title).into(), (*word).into())).collect()
}

#[test]
fn each_tag_is_a_loop_of_its_own() {
    let place = two_tags();
    let rows = [(FILE, "master", "completed"), (UI, "ui", "not_started")];
    assert_eq!(listed(&place), expected(&rows));
    let tasks = |id: &str| place.json("show", &[id])["detail"]["tasks"].as_array().unwrap().len();
    assert_eq!((tasks(FILE), tasks(UI)), (1, 2));
    let codes = |id: &str| {
        let problems = place.json("check", &[id]).as_array().unwrap().clone();
        problems.into_iter().map(|problem| problem["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((codes(FILE), codes(UI)), (vec![], vec!["P6_never_ready".to_owned()]));
    place.refused("show", &[".taskmaster/tasks/tasks.json#gone"], "unknown_id");
    // A change is of one tag and of no other byte, and can be undone.
    let mark = json!({ "op": "mark", "at": 0, "text": "Page", "to": "completed" });
    let change = json!({ "kind": "operate", "operation": { "format": "plan", "step": mark } }).to_string();
    place.json("change", &[UI, "--json-change", &change]);
    assert_eq!(place.read(FILE), TASKS.replacen("pending", "done", 1));
    place.refused("change", &[FILE, "--json-change", &change], "no_such_task");
    place.json("undo", &[UI]);
    assert_eq!(place.read(FILE), TASKS);
    // What an agent does to a tag while a window is open is seen, and a tag may come and go.
    let window = place.window();
    let word = |file: &str| {
        let row = window.rows().into_iter().find(|row| row.file == file);
        row.map(|row| (row.title, row.errors))
    };
    wait_for("both tags", || word(FILE).is_some() && word(UI).is_some());
    place.write(FILE, "hello");
    wait_for("both are damaged", || [FILE, UI].iter().all(|file| word(file).unwrap().1 > 0));
    place.write(FILE, &TASKS.replace("\"ui\"", "\"api\""));
    let api = ".taskmaster/tasks/tasks.json#api";
    wait_for("another tag", || word(UI).is_none() && word(api) == Some(("api".to_owned(), 0)));
}

const LOOP: &str = ".claude/ralph-loop.local.md";

/// A ralph-loop in its `iteration` of nine.
fn ralph_loop(iteration: u32) -> String {
    format!(
        "---\nactive: true\niteration: {iteration}\nmax_iterations: 9\ncompletion_promise: null\nsession_id: s\n---\nTidy up.\n"
    )
}

#[test]
fn a_loop_whose_tool_removed_its_file_stays_in_the_list_until_it_is_deleted() {
    let place = Place::empty();
    let state = |window: &Runtime| {
        let row = window.rows().into_iter().find(|row| row.file == LOOP);
        row.map(|row| (row.word, row.iteration.map(|bar| bar.current)))
    };
    let wait = |window: &Runtime, what: &str, expected| wait_for(what, || state(window) == expected);
    let end = |iteration: u32, word| {
        place.write(LOOP, &ralph_loop(1));
        let window = place.window();
        wait(&window, "it runs", Some((StatusWord::RunningElsewhere, Some(1.0))));
        place.write(LOOP, &ralph_loop(iteration));
        let now = Some(f64::from(iteration));
        wait(&window, "its iteration", Some((StatusWord::RunningElsewhere, now)));
        fs::remove_file(place.workspace().join(LOOP)).unwrap();
        wait(&window, "it has ended", Some((word, now)));
        // The next start knows it too.
        drop(window);
        wait(&place.window(), "it has ended before", Some((word, now)));
    };
    end(4, StatusWord::Stopped);
    let shown = place.json("show", &[LOOP]);
    assert_eq!((&shown["shown_status"], &shown["detail"]["prompt"]), (&json!("stopped"), &json!("Tidy up.")));
    assert_eq!(shown["detail"]["problems"][0]["code"], "P20_ended");
    place.refused("pause", &[LOOP], "not_running");
    let window = place.window();
    let ended = Some((StatusWord::Stopped, Some(4.0)));
    wait(&window, "it is there", ended);
    let key = window.rows().into_iter().find(|row| row.file == LOOP).unwrap().key;
    assert!(window.deletion(&key).unwrap().files.is_empty());
    window.delete_loop(&key).unwrap();
    wait(&window, "it was deleted", None);
    window.restore_deleted(&key).unwrap();
    wait(&window, "the deletion was undone", ended);
    drop(window);
    place.json("delete", &[LOOP]);
    assert!(listed(&place).is_empty());
    wait(&place.window(), "it was deleted", None);
    end(9, StatusWord::LimitReached);
}

/// Runs `loopdeck run` on a loop, with the programs of this place on PATH.
fn run(place: &Place, id: &str, rest: &[&str]) -> Answer {
    let programs = place.folder.path().join("programs");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path))).unwrap();
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace()).arg(id).args(rest);
    answer(command.env("PATH", path).env("SHELL", "/bin/true").env_remove("DISPLAY"))
}

#[test]
fn the_own_tool_of_a_plan_runs_in_the_terminal() {
    let place = two_tags();
    fs::create_dir(place.folder.path().join("programs")).unwrap();
    let tool = "#!/bin/sh\necho \"$*\" >called\n[ -e todo ] && sed -i s/pending/done/ .taskmaster/tasks/tasks.json\n\
                [ ! -e broken ]\n";
    write_program(&place.folder.path().join("programs/task-master"), tool);
    let untrusted = run(&place, UI, &["--own-tool"]);
    assert_eq!(untrusted.code, 2, "{untrusted:?}");
    assert!(untrusted.err.contains("run_untrusted") && !place.workspace().join("called").exists());
    let outcome = |id: &str| {
        let ran = run(&place, id, &["--own-tool", "--yes-trust", "--json"]);
        let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(events.iter().filter(|event| event["event"] == "run_started").count(), 1, "{ran:?}");
        (ran.code, events.last().unwrap()["outcome"].as_str().unwrap().to_owned())
    };
    assert_eq!(outcome(UI), (0, "tool_ended".to_owned()));
    assert_eq!(place.read("called"), "loop -n 10 --tag ui\n");
    place.write("broken", "");
    assert_eq!(outcome(UI), (1, "failed".to_owned()));
    fs::remove_file(place.workspace().join("broken")).unwrap();
    place.write("todo", "");
    assert_eq!(outcome(UI), (0, "completed".to_owned()));
    assert_eq!(outcome(FILE), (0, "completed".to_owned()), "a plan that is done may have more to do");
    assert_eq!(place.read("called"), "loop -n 10\n");
}

#[test]
fn a_loop_without_a_tool_of_its_own_refuses_it() {
    let place = Place::with(ID, &loop_v2(ID, "paused"));
    place.refused("run", &[ID, "--own-tool", "--yes-trust"], "not_in_format");
    let both = place.run("run", &[ID, "--own-tool", "--agent", "claude"]);
    assert!(both.code == 2 && both.err.contains("--own-tool"), "{both:?}");
}
