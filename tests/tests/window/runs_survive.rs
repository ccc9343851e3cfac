//! Loopdeck is killed while a loop runs, and opened again: the work is found, and nothing is shown as running
//! that is not.

use loopdeck_tests::driving::{develops, planned};
use loopdeck_tests::runs::{end_all, eventually};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::window::loops::{
    Form, SOON, WHOLE, add_agent, answer, card, open_loop, wait_for_card, wait_for_text, wait_for_word,
    wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage};

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const TITLE: &str = "Outlive the window";
const ROWS: &str = "[data-testid=output-rows]";

/// A loop in the middle of the first of two tasks.
fn begun<'a>(stage: &'a Stage, shop: &Shop<'_>) -> App<'a> {
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    Form::new(TITLE, &shop.folder).start(&app);
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);
    app.page.click("[data-testid=tab-output]");
    wait_for_text(&app, ROWS, "before the crash");
    app
}

fn shop(stage: &Stage) -> Shop<'_> {
    let gated = develops("task-001")
        .then(Step::Say("before the crash".into()))
        .then(write("begun"))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Say("after the crash".into()));
    let rules = vec![planned(2), gated, develops("task-002")];
    Shop::new(stage, "shop", &Scripted { output: Output::Text, rules })
}

/// The app is killed; it remembers what was open.
fn killed_and_opened<'a>(stage: &'a Stage, app: App<'a>, meanwhile: impl FnOnce()) -> App<'a> {
    stage.kill_app();
    drop(app);
    meanwhile();
    let app = stage.open(&[]);
    open_loop(&app, TITLE);
    app
}

#[test]
fn an_agent_that_goes_on_is_found_again_and_its_output_too() {
    let stage = Stage::new("survive-found");
    let shop = shop(&stage);
    let app = begun(&stage, &shop);
    let agent = shop.agent();
    let app =
        killed_and_opened(&stage, app, || assert!(shop.processes().contains(&agent), "it outlives the app"));
    wait_for_word(&app, "Running", SOON);
    app.page.click("[data-testid=tab-output]");
    wait_for_text(&app, ROWS, "before the crash");
    app.screenshot("1-found");
    assert_eq!(shop.agent(), agent, "no second one was started");

    shop.open("gate");
    wait_for_text(&app, ROWS, "after the crash");
    wait_for_card(&app, "interrupted", SOON);
    wait_for_word(&app, "Interrupted", SOON);
    app.screenshot("2-interrupted");
    shop.is_quiet();
    assert_eq!(shop.tasks(), ["completed", "pending"], "what it did counts");

    answer(&app, "interrupted", "resume");
    wait_for_word(&app, "Completed", WHOLE);
    app.screenshot("3-completed");
    assert_eq!(shop.starts(), ["init", "develop task-001", "develop task-002"]);
    assert_eq!(shop.tasks(), ["completed", "completed"]);
    shop.is_quiet();
}

/// What is shown and done about an agent that died while no Loopdeck was running.
fn taken_up(app: &App<'_>, shop: &Shop<'_>) {
    wait_for_card(app, "interrupted", SOON);
    wait_for_word(app, "Interrupted", SOON);
    app.page.click("[data-testid=tab-output]");
    wait_for_text(app, ROWS, "before the crash");
    wait_until_gone(app, "[data-testid=run-list] .active");
    app.screenshot("1-interrupted");
    assert_eq!(shop.starts(), ["init", "develop task-001"], "nothing starts by itself");
    assert_eq!(shop.tasks(), ["in_progress", "pending"]);

    shop.open("gate");
    answer(app, "interrupted", "resume");
    wait_for_word(app, "Completed", WHOLE);
    assert_eq!(app.page.count(&card("interrupted")), 0);
    assert_eq!(shop.starts(), ["init", "develop task-001", "develop task-001", "develop task-002"]);
    shop.is_quiet();
}

#[test]
fn an_agent_that_died_meanwhile_is_interrupted_and_never_running() {
    let stage = Stage::new("survive-died");
    let shop = shop(&stage);
    let app = begun(&stage, &shop);
    let app = killed_and_opened(&stage, app, || {
        end_all(&[shop.agent()]);
        eventually("nothing of it", || stage.guardians().is_empty().then_some(()));
        shop.is_quiet();
    });
    taken_up(&app, &shop);
}

#[test]
fn when_everything_died_at_once_nothing_says_running() {
    let stage = Stage::new("survive-power");
    let shop = shop(&stage);
    let app = begun(&stage, &shop);
    let app = killed_and_opened(&stage, app, || {
        end_all(&stage.guardians());
        end_all(&shop.processes());
        eventually("nothing of it", || {
            (stage.guardians().is_empty() && shop.processes().is_empty()).then_some(())
        });
    });
    taken_up(&app, &shop);
}
