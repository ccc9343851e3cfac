//! The tiny project: its tests fail as they should, its agent repairs it in three pieces of work, and the sample workspace
//! has the same one.
#![allow(clippy::disallowed_methods, reason = "the project is a program of the shell")]

use loopdeck_runtime::sample;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const FILES: [&str; 5] = ["README.md", "agent.sh", "src/cart.sh", "src/money.sh", "test.sh"];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    loopdeck_tests::tiny_project::lay_out(folder.path());
    folder
}

fn shell(folder: &Path, script: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.arg(script).current_dir(folder).env("TINY_SHOP_PAUSE", "0").envs(environment.iter().copied());
    command.output().unwrap()
}

fn failing(folder: &Path) -> Vec<String> {
    let output = shell(folder, "test.sh", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let failing: Vec<String> =
        text.lines().filter_map(|line| Some(line.strip_prefix("not ok ")?.to_owned())).collect();
    assert_eq!(output.status.success(), failing.is_empty(), "{text}");
    failing
}

fn act(folder: &Path, action: &str, task: &str) -> serde_json::Value {
    let environment = [("LOOPDECK_ACTION", action), ("LOOPDECK_TASK_ID", task), ("LOOPDECK_ITERATION", "1")];
    let output = shell(folder, "agent.sh", &environment);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let block = text.split("```json").nth(1).unwrap().split("```").next().unwrap();
    serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"))
}

#[test]
fn the_agent_repairs_it_in_three_pieces_of_work() {
    let folder = project();
    let folder = folder.path();
    let (cents, rounding) = ("2 - money writes two digits of cents", "6 - half a cent is rounded up");
    assert_eq!(failing(folder), [cents, rounding]);
    let plan = act(folder, "init", "");
    let tasks: Vec<&str> =
        plan["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert_eq!(failing(folder).len(), 2, "a plan changes nothing");
    assert_eq!(act(folder, "develop", tasks[0])["status"], "completed");
    assert_eq!(failing(folder), [rounding]);
    assert_eq!(act(folder, "develop", tasks[1])["task_id"], tasks[1]);
    assert_eq!(failing(folder), [rounding], "the first try is not right");
    let debug = act(folder, "debug", "");
    assert_eq!((&debug["confirmed"], &debug["fixed"]), (&"H1".into(), &true.into()));
    assert!(failing(folder).is_empty());
    assert_eq!(act(folder, "debug", "")["fixed"], false, "there is nothing left to repair");
}

#[test]
fn an_unknown_action_is_an_error() {
    let folder = project();
    let output = shell(folder.path(), "agent.sh", &[("LOOPDECK_ACTION", "dance")]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn the_sample_workspace_has_the_same_project() {
    let (ours, sample_folder) = (project(), tempfile::tempdir().unwrap());
    sample::lay_out(sample_folder.path()).unwrap();
    let read = |folder: &Path| -> BTreeMap<&str, String> {
        FILES.iter().map(|file| (*file, fs::read_to_string(folder.join(file)).unwrap())).collect()
    };
    assert_eq!(read(ours.path()), read(sample_folder.path()));
    assert_eq!(failing(sample_folder.path()).len(), 2);
}
