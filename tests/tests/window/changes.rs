//! Changes beyond the verbs, in the real window: repairs, recovery, the past, a new direction, steps, the task list.

use loopdeck_tests::live::{aot, loop_v2};
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ROOT: &str = ".workflow/.loop";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const AOT: &str = ".claude/aot-loop-state.md";

fn workspace(stage: &Stage, file: &str, text: &str) -> PathBuf {
    let workspace = stage.folder().join("shop");
    let file = workspace.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
    workspace
}

fn master() -> String {
    format!("{ROOT}/{ID}.json")
}

fn read(workspace: &Path, file: &str) -> String {
    fs::read_to_string(workspace.join(file)).unwrap()
}

fn open_first(app: &App<'_>) {
    app.page.click("[data-testid=loop-row] .title");
    app.page.find("[data-testid=tab-overview]");
}

fn wait_for_text(app: &App<'_>, css: &str, text: &str) {
    let (css, text) = (serde_json::json!(css), serde_json::json!(text));
    app.page.wait_until(&format!("return document.querySelector({css})?.textContent.includes({text})"), SOON);
}

fn wait_until_gone(app: &App<'_>, css: &str) {
    let css = serde_json::json!(css);
    app.page.wait_until(&format!("return document.querySelector({css}) === null"), SOON);
}

/// Opens the palette and runs the first command found by `words`.
fn command(app: &App<'_>, words: &str) {
    app.page.press(&[keys::CONTROL, "k"]);
    app.page.find("[data-testid=palette-input]");
    app.page.type_text(words);
    app.page.press(&[keys::ENTER]);
}

fn undo(app: &App<'_>) {
    command(app, "undo loopdeck");
}

#[test]
fn a_problem_is_repaired_with_one_click_and_taken_back() {
    let stage = Stage::new("repair");
    let before = loop_v2(ID, "paused")
        .replace("\"updated_at\"", "\"completed_at\": \"2026-11-20T04:25:00.000Z\",\n  \"updated_at\"");
    let workspace = workspace(&stage, &master(), &before);
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    app.screenshot("offered");
    app.page.click("[data-testid=repair-clear_stale_end]");
    wait_until_gone(&app, "[data-testid=repair-clear_stale_end]");
    assert!(!read(&workspace, &master()).contains("completed_at"));
    app.screenshot("repaired");
    undo(&app);
    app.page.find("[data-testid=repair-clear_stale_end]");
    assert_eq!(read(&workspace, &master()), before);
}

#[test]
fn a_damaged_file_is_set_aside_and_replaced_only_when_the_person_agrees() {
    let stage = Stage::new("recover");
    let good = loop_v2(ID, "paused");
    let workspace = workspace(&stage, &master(), &good);
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    let torn = &good[..good.len() / 2];
    fs::write(workspace.join(master()), torn).unwrap();
    app.page.click("[data-testid=recover]");
    app.page.find("[data-testid=recover-dialog] [data-testid=write]");
    app.screenshot("proposals");
    assert_eq!(read(&workspace, &master()), torn, "looking writes nothing");
    app.page.click("[data-testid=way-prefix]");
    app.page.find("[data-testid=type-in]");
    app.screenshot("fields-to-type-in");
    app.page.click("[data-testid=way-last_good]");
    app.page.click("[data-testid=write]");
    wait_until_gone(&app, "[data-testid=recover-dialog]");
    wait_until_gone(&app, "[data-testid=unreadable]");
    assert_eq!(read(&workspace, &master()), good, "the last good copy, byte for byte");
    let folder = fs::read_dir(workspace.join(ROOT)).unwrap();
    let aside: Vec<_> = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".damaged-"))
        .collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(fs::read_to_string(&aside[0]).unwrap(), torn);
    app.screenshot("recovered");
}

#[test]
fn an_older_version_is_looked_at_and_restored() {
    let stage = Stage::new("history");
    let first = loop_v2(ID, "paused");
    let workspace = workspace(&stage, &master(), &first);
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    command(&app, "edit");
    app.page.fill("[data-testid=meta-title]", "Another title");
    app.page.click("[data-testid=save]");
    wait_until_gone(&app, "[data-testid=metadata-dialog]");
    app.page.click("[data-testid=tab-files]");
    app.page.click("[data-testid=state-file]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=version]').length === 2", SOON);
    app.page.click("[data-testid=version]:nth-of-type(2)");
    app.page.find("[data-testid=as-it-was]");
    app.screenshot("as-it-was");
    app.page.click("[data-testid=restore]");
    app.page.click("[data-testid=restore-dialog] [data-testid=confirm]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=version]').length === 3", SOON);
    assert_eq!(read(&workspace, &master()), first);
}

#[test]
fn the_direction_of_a_loop_is_changed_with_a_correction() {
    let stage = Stage::new("redirect");
    let workspace = workspace(&stage, AOT, &aot("stopped", 3));
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    command(&app, "redirect");
    app.page.fill("[data-testid=redirect-goal]", "Ship it in two steps");
    app.page.fill("[data-testid=redirect-description]", "One step was too large");
    app.screenshot("form");
    app.page.click("[data-testid=step-confirm]");
    wait_until_gone(&app, "[data-testid=step-dialog]");
    wait_for_text(&app, "main", "Ship it in two steps");
    let after = read(&workspace, AOT);
    assert!(
        after.contains("goal: \"Ship it in two steps\"") && after.contains("type: objective_change"),
        "{after}"
    );
    undo(&app);
    wait_for_text(&app, "main", "Ship it");
    app.page.wait_until("return !document.querySelector('main').textContent.includes('in two steps')", SOON);
    assert_eq!(read(&workspace, AOT), aot("stopped", 3));
}

#[test]
fn a_step_is_recorded_with_its_progress_file_and_both_are_undone() {
    let stage = Stage::new("step");
    let before = loop_v2(ID, "running").replace("2026-11-20T04:24", "2026-11-19T04:24");
    let workspace = workspace(&stage, &master(), &before);
    let old = fs::File::open(workspace.join(master())).unwrap();
    old.set_modified(std::time::SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    app.page.click("[data-testid=tab-work]");
    app.page.click("[data-testid=record-step]");
    app.page.click("[data-testid=record-v2_init]");
    app.page.find("[data-testid=step-dialog]");
    app.page.fill("[data-testid=plan-1-description]", "Write the badge");
    app.screenshot("form");
    app.page.click("[data-testid=step-confirm]");
    wait_until_gone(&app, "[data-testid=step-dialog]");
    wait_for_text(&app, "[data-testid=tasks]", "Write the badge");
    app.screenshot("recorded");
    let develop = format!("{ROOT}/{ID}.progress/develop.md");
    assert!(read(&workspace, &develop).contains("Write the badge"));
    undo(&app);
    wait_until_gone(&app, "[data-testid=tasks]");
    assert_eq!(read(&workspace, &master()), before);
    assert!(!workspace.join(&develop).exists(), "what the step made is gone with it");
}

#[test]
fn the_task_list_is_changed_where_it_stands() {
    let stage = Stage::new("tasks");
    let workspace = workspace(&stage, &master(), &loop_v2(ID, "paused"));
    let list = format!("{ROOT}/{ID}.tasks.jsonl");
    let app = stage.open(&[workspace.as_os_str()]);
    open_first(&app);
    app.page.click("[data-testid=tab-work]");
    app.page.click("[data-testid=task-add]");
    app.page.fill("[data-testid=task-description]", "Look at the logs");
    app.page.click("[data-testid=step-confirm]");
    wait_for_text(&app, "[data-testid=task-list]", "Look at the logs");
    let text = read(&workspace, &list);
    assert!(text.contains("\"description\":\"Look at the logs\"") && text.ends_with('\n'), "{text}");
    app.screenshot("added");
}
