//! Files that a loop names, opened from the real window in a program that records its arguments.

use loopdeck_tests::programs::write_program;
use loopdeck_tests::recorder::Recorder;
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::json;
use std::fs;

const LOOP: &str = "loop-v2-20261120T091500-7c41e0aa";

fn open<'a>(stage: &'a Stage, command: &[String]) -> App<'a> {
    let settings =
        json!({ "settings": { "language": "en", "editor": { "id": "custom", "command": command } } });
    fs::create_dir_all(stage.data_dir()).unwrap();
    fs::write(stage.data_dir().join("settings.json"), settings.to_string()).unwrap();
    let app = stage.open(&[]);
    app.page.click("[data-testid=open-sample]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 5", SOON);
    app
}

#[test]
fn a_click_on_a_logging_point_opens_the_editor_there() {
    let stage = Stage::new("editor");
    let editor = Recorder::new(stage.folder());
    let app = open(&stage, &editor.command(&["--at", "{line}", "{file}"]));
    let workspace = stage.data_dir().join("sample-workspace").canonicalize().unwrap();
    let detail = app.page.invoke("changes", &json!({ "since": 0 }));
    let rows = detail["rows"].as_array().unwrap();
    let key = rows.iter().filter_map(|row| row["key"].as_str()).find(|key| key.contains(LOOP)).unwrap();
    let page = app.page.invoke("open_loop", &json!({ "key": key }));
    let place = &page["detail"]["debug"]["hypotheses"][0]["place"];
    let (id, file) = (&page["detail"]["debug"]["hypotheses"][0]["id"], place["file"].as_str().unwrap());
    // The file exists from now on; it is executable, and must not be run.
    let path = workspace.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_program(&path, &format!("#!/bin/sh\ntouch '{}'\n", stage.folder().join("was-run").display()));

    app.page.fill("[data-testid=filter]", LOOP);
    app.page.click(&format!("[data-testid=loop-row][data-key*='{LOOP}'] .title"));
    app.page.click("[data-testid=tab-debug]");
    let location = format!("[data-card={id}] [data-testid=location]");
    app.page.wait_until(
        &format!("return document.querySelector(`{location}`).dataset.tip.includes('editor')"),
        SOON,
    );
    app.screenshot("board");
    app.page.click(&location);
    let expected = ["--at".to_owned(), place["line"].to_string(), path.to_str().unwrap().to_owned()];
    assert_eq!(editor.heard(), expected);
    assert!(!stage.folder().join("was-run").exists());

    app.page.press(&[keys::CONTROL, ","]);
    app.page.find("[data-testid=editor-command]");
    app.page.wait_until("return document.getAnimations().length === 0", SOON);
    app.page.click("[data-testid=try-editor]");
    app.page.find("[data-testid=editor-tried]");
    app.screenshot("settings");
    assert_eq!(editor.heard()[1], "3");
}

#[test]
fn a_file_that_is_not_there_says_so_and_a_missing_editor_offers_the_place() {
    let stage = Stage::new("no-editor");
    let app = open(&stage, &["/nowhere/editor".into(), "{file}".into()]);
    app.page.fill("[data-testid=filter]", LOOP);
    app.page.click(&format!("[data-testid=loop-row][data-key*='{LOOP}'] .title"));
    app.page.click("[data-testid=tab-debug]");
    app.page.click("[data-testid=card] .id");
    app.page.find("[data-testid=open-location][aria-disabled=true]");
    app.screenshot("missing");

    let file = stage.data_dir().join("sample-workspace/services/auth/src/rate_limit.rs");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for name in ["rate_limit.rs", "rate_limit/store.rs", "rate_limit/key.rs"] {
        let file = file.with_file_name("").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    app.page.execute("window.dispatchEvent(new Event('focus'))", &[]);
    app.page.click("[data-testid=open-location][aria-disabled=false]");
    app.page.find("[data-testid=editor-dialog] [data-kind=editor_missing]");
    app.page.wait_until("return document.getAnimations().length === 0", SOON);
    app.screenshot("dialog");
    app.page.click("[data-testid=set-editor]");
    app.page.find("[data-testid=settings-dialog]");
}
