//! The diagnostics that a person copies into a problem report are sufficient, and contain nothing private.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban protects the app's users; this test starts itself again"
)]

use loopdeck_core::control::{MetadataPatch, Verb};
use loopdeck_execution::rows::CustomAgentForm;
use loopdeck_runtime::views::{LoopNotes, VerbOptions};
use loopdeck_runtime::{Options, Runtime, log};
use loopdeck_tests::live::{Live, loop_v2};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
/// A variable of the environment in which the test runs again, and its value.
const VARIABLE: (&str, &str) = ("SHOP_API_TOKEN", "planted-in-the-environment");

#[test]
fn it_has_counts_and_the_end_of_the_log_without_secrets_titles_and_the_home_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let workspace = folder.path().join("workspace");
    let loops = workspace.join(".workflow/.loop");
    fs::create_dir_all(&loops).unwrap();
    fs::write(
        loops.join("loop-v2-20260101T000000-abc.json"),
        r#"{"loop_id":"loop-v2-20260101T000000-abc","title":"Private title","status":"paused","current_iteration":1,"max_iterations":5}"#,
    )
    .unwrap();
    let home = std::env::home_dir().unwrap();
    let key = "sk-ant-api03-Ab1Cd2Ef3Gh4Ij5Kl6Mn7";
    let options = Options::new(data);
    fs::create_dir_all(options.dirs.logs()).unwrap();
    let shown = workspace.canonicalize().unwrap();
    let line = format!(
        "WARN something failed in {}/work with {key}\nWARN no answer from {}\n",
        home.display(),
        shown.display()
    );
    fs::write(options.dirs.logs().join("loopdeck.2026-01-01.log"), line).unwrap();

    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&workspace).unwrap();
    let text = runtime.diagnostics("Loopdeck 9.9.9");

    assert!(text.starts_with("Loopdeck 9.9.9\n"), "{text}");
    assert!(text.contains("Workspaces: 1 (1 reachable)"), "{text}");
    assert!(text.contains("Loops: 1 LoopV2"), "{text}");
    assert!(text.contains("Agent claude: "), "{text}");
    assert!(text.contains("WARN something failed in ~/work"), "{text}");
    assert!(text.contains("WARN no answer from <workspace 1>"), "{text}");
    assert!(!text.contains(key) && !text.contains("Private title"), "{text}");
    assert!(!text.contains(&*workspace.to_string_lossy()), "{text}");
}

/// Runs again in a process of its own, which has a secret in its environment and may have a log.
#[test]
fn nothing_planted_anywhere_is_in_it() {
    if std::env::var(VARIABLE.0).is_ok() {
        return look_for_what_is_planted();
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .args(["--exact", "diagnostics::nothing_planted_anywhere_is_in_it", "--nocapture"])
        .env(VARIABLE.0, VARIABLE.1);
    assert!(again.status().unwrap().success());
}

fn look_for_what_is_planted() {
    let seed = format!("SUA{}", "M2Q7".repeat(13));
    let mut live = Live::start(
        |options| log::start(&options.dirs).unwrap(),
        |workspace| plant_in_workspace(workspace, &seed),
    );
    let name = format!("{ID}.json");
    live.wait_for("the loop", |live| live.row(&name).is_some());
    let key = live.key(&name);
    // Into the journal.
    let reason = Some("planted-reason".to_owned());
    live.runtime.act(&key, Verb::Pause, VerbOptions { reason, ..VerbOptions::default() }).unwrap();
    let patch = MetadataPatch { title: Some("planted-new-title".into()), ..MetadataPatch::default() };
    live.runtime.edit_metadata(&key, patch).unwrap();
    let notes = LoopNotes { note: "planted-note".into(), labels: vec!["planted-label".into()] };
    live.runtime.keep_notes(&key, notes).unwrap();
    // Into what a person chose.
    let environment = BTreeMap::from([("HOUSE_PASSWORD".to_owned(), "planted-for-an-agent".to_owned())]);
    let agent = CustomAgentForm {
        id: "house".into(),
        name: "House".into(),
        program: "cat".into(),
        output: "text".into(),
        edit_files: Some(Vec::new()),
        environment,
        ..CustomAgentForm::default()
    };
    assert_eq!(live.runtime.save_agent(agent).unwrap(), []);
    // And into the log, as a failure would that has all of them in its reason.
    let day = fs::read_dir(live.data().logs()).unwrap().next().unwrap().unwrap().path();
    let mut logged = fs::read_to_string(&day).unwrap();
    logged.push_str(&format!(
        "WARN {} planted-for-an-agent {seed} https://ana:planted-password@host/x {}\n",
        VARIABLE.1,
        live.workspace.join(".env").display()
    ));
    fs::write(&day, logged).unwrap();

    let text = live.runtime.diagnostics("Loopdeck");
    assert!(text.contains("WARN ••••"), "the line itself is there: {text}");
    let planted = text.lines().find(|line| line.contains("planted"));
    assert_eq!(planted, None, "{text}");
    assert!(!text.contains(&seed) && !text.contains(&*live.workspace.to_string_lossy()), "{text}");
}

/// A loop that is readable, one that is not, a progress file, and what the workspace keeps for itself.
fn plant_in_workspace(workspace: &Path, seed: &str) {
    let root = workspace.join(".workflow/.loop");
    let state = loop_v2(ID, "running").replacen(r#""title""#, r#""goal":"planted-goal","title""#, 1);
    fs::write(root.join(format!("{ID}.json")), state).unwrap();
    let torn = root.join("loop-v2-20261120T042421-d8ff7e63.json");
    fs::write(torn, r#"{"loop_id":7,"title":"planted-in-a-torn-file","status":["#).unwrap();
    let progress = root.join(format!("{ID}.progress"));
    fs::create_dir_all(&progress).unwrap();
    fs::write(progress.join("develop.md"), "planted-in-progress").unwrap();
    fs::write(workspace.join(".env"), format!("TOKEN=planted-in-env\nSEED={seed}\n")).unwrap();
}
