//! Loops that a person selects, archives, snoozes and pins in the real window, and views of the list that have a name.

use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::window::loops::{SOON, press, wait_for_text, wait_until_gone};
use loopdeck_tests::window::{App, Stage, keys};
use std::fs;

const ROW: &str = "[data-testid=loop-row]";

/// Three paused loops.
fn open(stage: &Stage) -> App<'_> {
    let workspace = stage.folder().join("shop");
    fs::create_dir_all(workspace.join(ROOT)).unwrap();
    for id in ["one", "two", "three"] {
        fs::write(workspace.join(format!("{ROOT}/{id}.json")), loop_v2(id, "paused")).unwrap();
    }
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.resize(1280, 800);
    wait_for_rows(&app, 3);
    app
}

fn wait_for_rows(app: &App<'_>, count: u32) {
    app.page.wait_until(&format!("return document.querySelectorAll('{ROW}').length === {count}"), SOON);
}

/// Selects the first `count` rows by the keyboard.
fn select(app: &App<'_>, count: u32) {
    app.page.execute("document.querySelector('[role=grid]').focus()", &[]);
    app.page.press(&[keys::HOME]);
    for place in 1..=count {
        app.page.type_text("x");
        wait_for_text(app, "[data-testid=choice-bar] .count", &place.to_string());
        app.page.press(&[keys::DOWN]);
    }
}

#[test]
fn several_loops_are_archived_and_come_back_with_one_key() {
    let stage = Stage::new("put-aside");
    let app = open(&stage);
    select(&app, 2);
    app.screenshot("1-selected");
    press(&app, "[data-testid=choice-bar]", "Archive");
    wait_for_rows(&app, 1);
    wait_until_gone(&app, "[data-testid=choice-bar]");
    app.screenshot("2-archived");
    press(&app, "nav", "Archived");
    wait_for_rows(&app, 2);
    app.screenshot("3-archive");
    app.page.click("[data-testid=nav-loops]");
    app.page.type_text("u");
    wait_for_rows(&app, 3);

    select(&app, 1);
    press(&app, "[data-testid=choice-bar]", "Pin");
    wait_until_gone(&app, "[data-testid=choice-bar]");
    select(&app, 1);
    press(&app, "[data-testid=choice-bar]", "Snooze");
    app.page.find("[data-testid=snooze-dialog]");
    app.screenshot("4-snooze");
    press(&app, "[data-testid=snooze-dialog]", "Tomorrow");
    wait_for_rows(&app, 2);
    app.screenshot("5-snoozed");
}

#[test]
fn a_view_of_the_list_gets_a_name_and_a_key() {
    let stage = Stage::new("saved-view");
    let app = open(&stage);
    app.page.fill("[role=search] input, input[role=combobox]", "two");
    wait_for_rows(&app, 1);
    press(&app, "main", "Save");
    app.page.fill("[data-testid=view-dialog] input", "The second");
    app.screenshot("1-name");
    app.page.press(&[keys::ENTER]);
    wait_for_text(&app, "nav", "The second");
    app.page.click("[data-testid=nav-loops]");
    wait_for_rows(&app, 3);
    app.page.press(&[keys::ALT, "1"]);
    wait_for_rows(&app, 1);
    app.screenshot("2-shown");
}
