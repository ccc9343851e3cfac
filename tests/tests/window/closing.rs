//! Closing the window while loops run, and the notifications meanwhile: real runs, a real window, the real
//! protocols.

use loopdeck_tests::live::loop_v2;
use loopdeck_tests::runs::{end_all, eventually, with_mark};
use loopdeck_tests::window::desk::{Desk, Has};
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

const ROOT: &str = ".workflow/.loop";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

/// One loop whose shell agent does `command`.
struct Scene<'a> {
    app: App<'a>,
    desk: Desk,
    workspace: PathBuf,
    key: String,
}

fn scene<'a>(stage: &'a Stage, has: Has, command: &str) -> Scene<'a> {
    let workspace = stage.folder().join("shop");
    fs::create_dir_all(workspace.join(ROOT)).unwrap();
    let file = format!("{ROOT}/{ID}.json");
    fs::write(workspace.join(&file), loop_v2(ID, "created")).unwrap();
    let desk = stage.desk(has);
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.find("[data-testid=loop-row]");
    let rows = app.page.invoke("changes", &json!({ "since": 0 }));
    let key = rows["rows"][0]["key"].as_str().unwrap().to_owned();
    app.page.invoke("trust", &json!({ "path": workspace, "trusted": true }));
    let plan =
        json!({ "agent": "shell", "level": "full_access", "shell_command": command, "test_command": "true" });
    app.page.invoke("launch", &json!({ "key": key, "plan": plan, "raiseLimitTo": null }));
    Scene { app, desk, workspace, key }
}

/// A duration to sleep that no other process of this machine uses; a failed test leaves none behind.
struct ForEver(String);

impl ForEver {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        Self(format!("{}{:08}", COUNT.fetch_add(1, Ordering::Relaxed), std::process::id()))
    }

    fn pids(&self) -> Vec<u32> {
        with_mark(&self.0)
    }
}

impl Drop for ForEver {
    fn drop(&mut self) {
        end_all(&self.pids());
    }
}

impl std::fmt::Display for ForEver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Scene<'_> {
    fn close(&self) {
        self.desk.close_window();
        self.app.page.find("[data-testid=closing-dialog]");
    }

    fn status(&self) -> String {
        let text = fs::read_to_string(self.workspace.join(format!("{ROOT}/{ID}.json"))).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["status"].as_str().unwrap().to_owned()
    }

    fn wait_for_title(&self, title: &str) {
        eventually(title, || (self.desk.title() == title).then_some(()));
    }

    fn is_asked(&self) -> bool {
        self.app.page.count("[data-testid=closing-dialog]") > 0
    }
}

fn wait_for_one(mark: &ForEver) -> u32 {
    eventually("a process at work", || mark.pids().first().copied())
}

#[test]
fn without_a_tray_runs_go_on_hidden_and_the_window_comes_back_with_another_start() {
    let stage = Stage::new("closing");
    let mark = ForEver::new();
    let scene = scene(&stage, Has::default(), &format!("exec sleep {mark}"));
    let pid = wait_for_one(&mark);

    scene.close();
    assert!(scene.app.page.text("[data-testid=closing-dialog] h2").contains("Active runs: 1"));
    assert!(scene.app.page.text("[data-testid=closing-dialog]").contains("start Loopdeck again"));
    let focused = "return document.activeElement?.dataset.testid === 'closing-keep'";
    scene.app.page.wait_until(focused, SOON);
    scene.app.screenshot("asks");
    scene.app.page.click("[data-testid=closing-cancel]");
    assert!(!scene.is_asked());
    assert!(scene.desk.is_visible(), "staying hides nothing");
    assert_eq!(mark.pids(), [pid]);

    scene.close();
    scene.app.page.click_and_leave("[data-testid=closing-keep]");
    eventually("a hidden window", || (!scene.desk.is_visible()).then_some(()));
    assert_eq!(mark.pids(), [pid], "the run goes on");

    let second = stage.start_again(&[]);
    assert!(second.status.success(), "{second:?}");
    eventually("the window again", || scene.desk.is_visible().then_some(()));
    assert_eq!(mark.pids(), [pid], "and was not started twice");
    scene.app.page.find("[data-testid=loop-row]");
    scene.app.screenshot("back");

    scene.close();
    scene.app.page.click_and_leave("[data-testid=closing-stop]");
    eventually("the end of the app", || (!stage.is_open()).then_some(()));
    assert_eq!(mark.pids(), [0; 0], "the app waits for the end of what it stops");
    eventually("no process of ours", || stage.processes().is_empty().then_some(()));
    assert_eq!(scene.status(), "failed", "stopped by the person, as the format says it");
}

#[test]
fn what_ignores_every_request_to_end_is_ended_before_the_app() {
    let stage = Stage::new("closing-stubborn");
    let mark = ForEver::new();
    // Both the shell and its child ignore requests to end.
    let command = format!("trap '' TERM INT HUP; (sleep {mark} & wait); sleep {mark}");
    let scene = scene(&stage, Has::default(), &command);
    wait_for_one(&mark);
    scene.close();
    scene.app.page.click("[data-testid=closing-stop]");
    let stopping =
        "return document.querySelector('[data-testid=closing-dialog] h2')?.textContent === 'Stopping…'";
    scene.app.page.wait_until(stopping, SOON);
    scene.app.screenshot("stopping");
    eventually("the end of the app", || (!stage.is_open()).then_some(()));
    assert_eq!(mark.pids(), [0; 0], "the app waits for the end of what it stops");
    eventually("no process of ours", || stage.processes().is_empty().then_some(()));
}

#[test]
fn the_tray_brings_the_window_back_stops_all_and_quits() {
    let stage = Stage::new("closing-tray");
    let mark = ForEver::new();
    let has = Has { tray: true, notifications: false };
    let scene = scene(&stage, has, &format!("exec sleep {mark}"));
    wait_for_one(&mark);
    eventually("the menu", || {
        (scene.desk.tray_menu() == ["Show Loopdeck", "Stop all runs…", "Quit"]).then_some(())
    });

    scene.close();
    assert!(scene.app.page.text("[data-testid=closing-keep]").contains("in the tray"));
    scene.app.screenshot("asks");
    scene.app.page.click_and_leave("[data-testid=closing-keep]");
    eventually("a hidden window", || (!scene.desk.is_visible()).then_some(()));
    scene.desk.choose_in_tray("Show Loopdeck");
    eventually("the window again", || scene.desk.is_visible().then_some(()));

    scene.desk.choose_in_tray("Stop all runs…");
    scene.app.page.find("[data-testid=closing-dialog]");
    scene.app.screenshot("stop-all");
    scene.app.page.click("[data-testid=closing-stop]");
    eventually("the end of the run", || mark.pids().is_empty().then_some(()));
    let gone = "return document.querySelector('[data-testid=closing-dialog]') === null";
    scene.app.page.wait_until(gone, SOON);
    assert!(scene.desk.is_visible(), "Loopdeck stays");

    scene.desk.choose_in_tray("Quit");
    eventually("no process of ours", || stage.processes().is_empty().then_some(()));
}

#[test]
fn a_failure_is_notified_counted_and_opened_with_a_click() {
    let stage = Stage::new("closing-notified");
    let gate = stage.folder().join("gate");
    let has = Has { notifications: true, tray: true };
    let folder = stage.folder().display(); // a failed test removes it, and the run ends with it
    let command = format!("while [ -d {folder} ] && [ ! -e {folder}/gate ]; do sleep 0.05; done; exit 3");
    let scene = scene(&stage, has, &command);
    eventually("the run", || (scene.app.page.invoke("needs", &json!({}))["running"] == 1).then_some(()));
    assert_eq!(scene.desk.title(), "Loopdeck");
    assert_eq!(scene.desk.notifications(), [], "work in progress is no news");
    scene.close();
    scene.app.page.click_and_leave("[data-testid=closing-keep]");
    eventually("a hidden window", || (!scene.desk.is_visible()).then_some(()));

    fs::write(&gate, "").unwrap();
    let shown = scene.desk.wait_for_notification(|shown| shown.title == format!("Title of {ID}"));
    assert_eq!(shown.actions, ["default", "Open"]);
    scene.wait_for_title("(1) Loopdeck");
    eventually("the count in the tray", || {
        scene.desk.tray_menu().contains(&"1 needs you".into()).then_some(())
    });

    scene.desk.click_notification(shown.id);
    eventually("the window again", || scene.desk.is_visible().then_some(()));
    scene.app.page.find("[data-testid=tab-overview]");
    scene.app.screenshot("opened");

    let needs = scene.app.page.invoke("needs", &json!({}));
    assert_eq!(needs["needs"][0]["key"], scene.key.as_str());
    for need in needs["needs"].as_array().unwrap() {
        scene.app.page.invoke("answer", &json!({ "id": need["id"], "answer": { "answer": "stop" } }));
    }
    scene.wait_for_title("Loopdeck");
    assert!(scene.desk.wait_for_notification(|known| known.id == shown.id && known.taken_back).taken_back);
    scene.desk.close_window();
    eventually("no process of ours", || stage.processes().is_empty().then_some(()));
}
