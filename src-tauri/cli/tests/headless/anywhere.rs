//! Whole loops with an agent that works on every system: to the end, stopped in the middle, and taken up after the program was killed.

use crate::place::{Answer, Place, said};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::driving::add_agent;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Spawn, Step};
use loopdeck_tests::tiny_project;
use loopdeck_tests::waiting::eventually;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use xtask::child::bound_command;

/// Tests that pass, in words that every shell understands.
const PASSING: &str = "echo TAP version 13&& echo 1..1&& echo ok 1 - all is well";

/// The scripted agent, which lies next to the program. On Windows as npm installs agents: a command file.
fn agent(place: &Place) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_loopdeck"))
        .with_file_name(format!("scripted_agent{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "cargo build -p loopdeck-tests --bin scripted_agent");
    if !cfg!(windows) {
        return program;
    }
    let program = std::path::absolute(program).unwrap(); // with its drive
    let file = place.folder.path().join("agent.cmd");
    fs::write(&file, format!("@\"{}\" %*\r\n", program.display())).unwrap();
    file
}

/// A workspace with the tiny project, and a loop that the scripted agent works on.
fn project(script: Option<&Scripted>) -> (Place, String) {
    let place = Place::empty();
    tiny_project::lay_out(&place.workspace());
    if let Some(script) = script {
        script.put_into(&place.workspace());
    }
    let window = Runtime::start(&Options::new(place.data())).unwrap();
    add_agent(&window, "scripted", agent(&place).to_str().unwrap(), "text");
    drop(window);
    let goal = "Make the tests of the tiny shop pass";
    let given = ["--goal", goal, "--agent", "custom:scripted", "--level", "full_access", "--test", PASSING];
    let made = place.json("new", &given);
    (place, made["id"].as_str().unwrap().to_owned())
}

/// Starts `loopdeck run`.
fn run(place: &Place, id: &str) -> Child {
    let mut command: Command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace());
    command.args([id, "--yes-trust", "--json"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// How it ended: its exit code and its last event.
fn end(run: Child) -> (i32, Value, Answer) {
    let answer = said(&run.wait_with_output().unwrap());
    let last = answer.out.lines().last().map(|line| serde_json::from_str(line).unwrap());
    (answer.code, last.unwrap_or_default(), answer)
}

fn starts(place: &Place) -> usize {
    let file = place.workspace().join(".scripted-agent.json.runs");
    fs::read_to_string(file).unwrap_or_default().lines().count()
}

#[test]
fn a_loop_runs_to_its_end_and_its_tasks_are_done() {
    let (place, id) = project(None);
    let (code, last, answer) = end(run(&place, &id));
    assert_eq!((code, &last["outcome"]), (0, &json!("completed")), "{answer:?}");
    let state: Value =
        serde_json::from_str(&place.read(&format!("{}/{id}.json", loopdeck_tests::live::ROOT))).unwrap();
    assert_eq!(state["status"], "completed");
    let tasks = state["skill_state"]["develop"]["tasks"].as_array().unwrap();
    assert!(tasks.len() == 3 && tasks.iter().all(|task| task["status"] == "completed"), "{tasks:?}");
    assert!(place.read("README.md").contains("# Tiny shop, repaired"));
    assert!(starts(&place) >= 4, "a plan and three tasks");
}

#[test]
fn a_stop_in_the_middle_leaves_no_process_and_says_so() {
    let pid_file = PathBuf::from("left.pid");
    let left =
        Spawn { seconds: 600, own_session: true, pid_file: Some(pid_file.clone()), ..Spawn::default() };
    let rule = Rule::default().then(Step::Spawn(left)).then(Step::Hang);
    let (place, id) = project(Some(&Scripted { output: Output::Text, rules: vec![rule] }));
    let running = run(&place, &id);
    let file = place.workspace().join(&pid_file);
    eventually("the agent works", || file.exists().then_some(()));
    let stopped = place.run("stop", &[&id]);
    assert_eq!(stopped.code, 0, "{stopped:?}");
    let (_, last, answer) = end(running);
    assert_eq!((&last["outcome"], &last["left"]), (&json!("stopped"), &json!([])), "{answer:?}");
    assert!(last["ended_processes"].as_u64() >= Some(2), "the agent and what it left: {last}");
}

#[test]
fn an_agent_works_on_when_the_program_is_killed_and_the_next_one_takes_it_up() {
    let gate = PathBuf::from("gate");
    let script = Scripted::tiny_project(Output::Text);
    let mut waits = script.rules[0].clone();
    waits.steps =
        vec![Step::Write { path: "begun".into(), text: String::new() }, Step::WaitFor(gate.clone())];
    let (place, id) =
        project(Some(&Scripted { rules: [vec![waits], script.rules[1..].to_vec()].concat(), ..script }));
    let mut killed = run(&place, &id);
    eventually("the agent works", || place.workspace().join("begun").exists().then_some(()));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let again = run(&place, &id);
    fs::write(place.workspace().join(gate), "").unwrap();
    let (code, last, answer) = end(again);
    assert_eq!((code, &last["outcome"]), (0, &json!("completed")), "{answer:?}");
    let planned = place.read(".scripted-agent.json.runs");
    assert_eq!(planned.matches("\"action\":\"init\"").count(), 1, "{planned}");
}
