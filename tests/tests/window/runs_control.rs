//! Pause, resume and stop by click, in the real window: the processes, the file and the window's messages
//! match the request.

use loopdeck_tests::driving::{develops, planned};
use loopdeck_tests::scripted::{Output, Rule, Scripted, Spawn, Step};
use loopdeck_tests::window::loops::{
    Form, SOON, WHOLE, add_agent, open_loop, press, stop, wait_for_text, wait_for_word, wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage};
use serde_json::json;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");

/// Two tasks, the first of which waits for its gate.
fn two_tasks() -> Scripted {
    let gated = develops("task-001").then(write("begun")).then(Step::WaitFor("gate".into()));
    Scripted { output: Output::Text, rules: vec![planned(2), gated, develops("task-002")] }
}

fn open<'a>(stage: &'a Stage, shops: &[&Shop<'_>]) -> App<'a> {
    let folders: Vec<_> = shops.iter().map(|shop| shop.folder.as_os_str()).collect();
    let app = stage.open(&folders);
    add_agent(&app, "scripted", AGENT, "text");
    app
}

#[test]
fn a_pause_waits_for_the_action_and_a_resume_goes_on_behind_it() {
    let stage = Stage::new("control-pause");
    let shop = Shop::new(&stage, "shop", &two_tasks());
    let app = open(&stage, &[&shop]);
    Form::new("Pause me", &shop.folder).start(&app);
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);

    app.page.click("[data-testid=verb-pause]");
    wait_for_word(&app, "Pausing…", SOON);
    wait_for_text(&app, "[data-testid=run-waits]", "");
    assert_eq!(shop.state()["status"], "paused", "it is asked for in the file");
    assert!(!shop.processes().is_empty(), "the action goes on");
    app.screenshot("1-pausing");

    shop.open("gate");
    wait_for_word(&app, "Paused", SOON);
    shop.is_quiet();
    assert_eq!(shop.tasks(), ["completed", "pending"]);
    wait_until_gone(&app, "[data-testid=run-waits]");
    app.screenshot("2-paused");

    app.page.click("[data-testid=verb-resume]");
    wait_for_word(&app, "Completed", WHOLE);
    app.screenshot("3-completed");
    assert_eq!(shop.starts(), ["init", "develop task-001", "develop task-002"], "nothing is done twice");
    assert_eq!(shop.state()["status"], "completed");
    shop.is_quiet();
}

#[test]
fn a_pause_at_once_interrupts_and_a_resume_does_the_action_again() {
    let stage = Stage::new("control-pause-now");
    let shop = Shop::new(&stage, "shop", &two_tasks());
    let app = open(&stage, &[&shop]);
    Form::new("Pause me now", &shop.folder).start(&app);
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);

    app.page.click("[data-testid=verb-pause]");
    app.page.click("[data-testid=run-pause_now]");
    wait_for_word(&app, "Paused", SOON);
    shop.is_quiet();
    assert_eq!(shop.tasks(), ["in_progress", "pending"], "interrupted, not done");
    app.screenshot("1-paused");

    shop.open("gate");
    app.page.click("[data-testid=verb-resume]");
    wait_for_word(&app, "Completed", WHOLE);
    assert_eq!(shop.starts(), ["init", "develop task-001", "develop task-001", "develop task-002"]);
    assert_eq!(shop.tasks(), ["completed", "completed"]);
}

#[test]
fn a_stop_leaves_no_process_of_agents_that_hang_ignore_it_or_hide() {
    let stage = Stage::new("control-stop");
    let hang = || Rule::on("init").then(write("begun")).then(Step::Hang);
    let deaf = Rule { ignore_signals: true, ..hang() };
    let hidden = Spawn {
        seconds: 4_711,
        own_session: true,
        without_environment: true,
        holds_output: true,
        pid_file: Some("hidden.pid".into()),
    };
    let hiding = Rule::on("init").then(Step::Spawn(hidden)).then(write("begun")).then(Step::Hang);
    let script = |rule| Scripted { output: Output::Text, rules: vec![rule] };
    let shops = [("hangs", hang()), ("ignores", deaf), ("hides", hiding)]
        .map(|(name, rule)| (name, Shop::new(&stage, name, &script(rule))));
    let app = open(&stage, &shops.each_ref().map(|(_, shop)| shop));
    for (name, shop) in &shops {
        Form::new(&format!("An agent that {name}"), &shop.folder).start(&app);
        shop.wait_for("begun");
        assert!(!shop.processes().is_empty());
    }
    for (name, _) in &shops {
        open_loop(&app, &format!("An agent that {name}"));
        stop(&app);
    }
    for (name, shop) in &shops {
        open_loop(&app, &format!("An agent that {name}"));
        wait_for_word(&app, "Stopped", WHOLE);
        wait_for_text(&app, "[data-pane=header] [data-testid=stop-result]", "0 left");
        app.screenshot(name);
        shop.is_quiet();
        let state = shop.state();
        assert_eq!(
            (&state["status"], &state["failure_reason"]),
            (&json!("failed"), &json!("Manually stopped by user"))
        );
    }
    let pid = std::fs::read_to_string(shops[2].1.folder.join("hidden.pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "the one that hid");
    assert_eq!(stage.guardians(), [0; 0]);
}

#[test]
fn a_message_waits_for_the_next_run_and_is_delivered() {
    const SAYING: &str = "main [aria-label='Say something to the agent']";
    let stage = Stage::new("control-message");
    let next = develops("task-002").then(write("next")).then(Step::WaitFor("next.gate".into()));
    let gated = develops("task-001").then(write("begun")).then(Step::WaitFor("gate".into()));
    let script = Scripted { output: Output::Text, rules: vec![planned(2), gated, next] };
    let shop = Shop::new(&stage, "shop", &script);
    let app = open(&stage, &[&shop]);
    Form::new("Listen to me", &shop.folder).start(&app);
    shop.wait_for("begun");
    for text in ["Use the port from the settings", "Never mind"] {
        app.page.fill(&format!("{SAYING} input"), text);
        press(&app, SAYING, "Say it");
        wait_for_text(&app, SAYING, text);
    }
    app.screenshot("1-waiting");
    app.page.click(&format!("{SAYING} li:last-of-type button"));
    wait_until_gone(&app, &format!("{SAYING} li + li"));

    shop.open("gate");
    shop.wait_for("next");
    wait_for_text(&app, SAYING, "Delivered");
    app.screenshot("2-delivered");
    shop.open("next.gate");
    wait_for_word(&app, "Completed", WHOLE);
    app.page.click("[data-testid=tab-activity]");
    wait_for_text(&app, "main", "Use the port from the settings");
    app.screenshot("3-activity");
    shop.is_quiet();
}
