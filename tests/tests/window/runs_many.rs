//! Twenty loops in parallel in one window, which stays responsive.

use loopdeck_tests::driving::{PASSING, planned, small};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::scripted::{Output, Step};
use loopdeck_tests::window::loops::{SOON, WHOLE, add_agent, row, wait_until_gone};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::json;
use std::fs;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const LOOPS: usize = 20;

/// Records the longest time for which the page did nothing.
const WATCH: &str = "\
window.longest = 0; let last = performance.now();\
setInterval(() => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; }, 20);";

fn id(number: usize) -> String {
    format!("loop-v2-20261120T0424{number:02}-d8ff7e62")
}

fn shop(stage: &Stage, number: usize) -> Shop<'_> {
    let waits = planned(2).then(write("begun")).then(Step::WaitFor("gate".into()));
    let shop = Shop::new(stage, &format!("shop-{number:02}"), &small(Output::Text, vec![waits]));
    fs::write(shop.folder.join("test.sh"), PASSING).unwrap();
    let id = id(number);
    fs::write(shop.folder.join(format!("{ROOT}/{id}.json")), loop_v2(&id, "created")).unwrap();
    shop
}

/// Starts the loop in its row, with the plan of the one before, which the person only confirms.
fn start(app: &App<'_>, number: usize) {
    let row = row(&format!("Title of {}", id(number)));
    app.page.click(&format!("{row} [data-testid=verb-start]"));
    app.page.find("[data-testid=start-view]");
    let ready = "return document.querySelector('[data-testid=start-next]')?.disabled === false \
        && document.querySelector('[data-testid=\"agent-custom:scripted\"]') !== null";
    app.page.wait_until(ready, SOON);
    if number == 0 {
        app.page.click("[data-testid=\"agent-custom:scripted\"]");
        app.page.click("[data-testid=level-edit_files]");
    }
    app.page.click("[data-testid=start-next]");
    wait_until_gone(app, "[data-testid=start-view]");
}

fn all_are(app: &App<'_>, word: &str) {
    let all = format!(
        "const rows = [...document.querySelectorAll('[data-testid=loop-row]')];\
         return rows.length === {LOOPS} && rows.every((row) => row.dataset.word === '{word}')"
    );
    if !app.page.holds_within(&all, WHOLE) {
        let words =
            "return [...document.querySelectorAll('[data-testid=loop-row]')].map((row) => row.dataset.word)";
        panic!("not all are {word}: {}", app.page.execute(words, &[]));
    }
}

#[test]
fn twenty_loops_run_at_once_and_the_window_answers() {
    let stage = Stage::new("many");
    let shops: Vec<_> = (0..LOOPS).map(|number| shop(&stage, number)).collect();
    let folders: Vec<_> = shops.iter().map(|shop| shop.folder.as_os_str()).collect();
    let app = stage.open(&folders);
    add_agent(&app, "scripted", AGENT, "text");
    for shop in &shops {
        let folder = shop.folder.canonicalize().unwrap();
        app.page.invoke("trust", &json!({ "path": folder, "trusted": true }));
    }
    app.page.resize(1920, 1200);
    all_are(&app, "not_started");
    app.page.execute(WATCH, &[]);
    for number in 0..LOOPS {
        start(&app, number);
    }
    for shop in &shops {
        shop.wait_for("begun");
    }
    all_are(&app, "running");
    assert_eq!(stage.guardians().len(), LOOPS);
    app.screenshot("1-running");

    // While all of them run, the window responds.
    app.page.press(&[keys::CONTROL, "k"]);
    app.page.find("[data-testid=palette-input]");
    app.page.type_text("shop-07");
    app.page.press(&[keys::ESCAPE]);
    wait_until_gone(&app, "[data-testid=palette-input]");

    for shop in &shops {
        shop.open("gate");
    }
    all_are(&app, "completed");
    app.screenshot("2-completed");
    let longest = app.page.execute("return window.longest", &[]).as_f64().unwrap();
    assert!(longest < 5_000.0, "the page stood still for {longest} ms");

    for shop in &shops {
        shop.is_quiet();
        assert_eq!(shop.state()["status"], "completed", "{:?}", shop.folder);
        assert_eq!(shop.tasks(), ["completed", "completed"]);
        assert_eq!(shop.starts(), ["init", "develop task-001", "develop task-002"]);
    }
    let rows = app.page.invoke("changes", &json!({ "since": 0 }));
    let rows = rows["rows"].as_array().unwrap();
    assert_eq!(rows.len(), LOOPS);
    assert!(rows.iter().all(|row| row["errors"] == 0 && row["problem"].is_null()), "no file is damaged");
}
