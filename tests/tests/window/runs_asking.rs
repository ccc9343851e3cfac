//! Agents' questions during work, answered by click in the real window: permissions, questions, the menu of
//! an interactive loop.

use loopdeck_tests::driving::{develops, planned, small};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use loopdeck_tests::window::loops::{
    Form, SOON, WHOLE, add_agent, answer, card, wait_for_card, wait_for_text, wait_for_word, wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage};
use serde_json::json;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");

fn ask(tool: &str, what: &str) -> Step {
    Step::Ask { tool: tool.into(), input: json!({ "command": what }) }
}

fn asked(app: &App<'_>, what: &str) {
    wait_for_text(app, &format!("{} [data-testid=exact-input]", card("permission")), what);
    wait_for_word(app, "Needs you", SOON);
}

#[test]
fn permissions_are_given_and_denied_by_click_and_the_agent_obeys() {
    let stage = Stage::new("asking-permission");
    let rule = develops("task-001")
        .then(ask("Bash", "make once"))
        .then(write("once"))
        .then(ask("Bash", "make all"))
        .then(write("all"))
        .then(ask("Bash", "make more"))
        .then(write("more"))
        .then(ask("Write", "my secret"))
        .then(write("never"));
    let shop = Shop::new(&stage, "shop", &small(Output::ClaudeJsonl, vec![rule]));
    let there = |file: &str| shop.folder.join(file).exists();
    let app = stage.open(&[shop.folder.as_os_str()]);
    app.page.invoke("set_program", &json!({ "id": "claude", "program": AGENT }));
    Form { agent: "claude", asks: true, ..Form::new("Ask me first", &shop.folder) }.start(&app);

    asked(&app, "make once");
    assert!(!there("once"), "nothing happens before the answer");
    assert_eq!(app.page.text("[data-testid=needs-count]"), "1");
    app.screenshot("1-asked");
    answer(&app, "permission", "allow_once");
    asked(&app, "make all");
    assert!(there("once") && !there("all"), "once is once");
    answer(&app, "permission", "allow_for_run");
    // The same tool is not asked for again.
    asked(&app, "my secret");
    assert!(there("all") && there("more"));

    let css = card("permission");
    app.page.click(&format!("{css} [data-testid=answer-note]"));
    app.page.type_text("not that one");
    app.screenshot("2-denied");
    answer(&app, "permission", "deny");
    wait_for_word(&app, "Completed", WHOLE);
    assert!(!there("never"), "what was denied is not done");
    wait_until_gone(&app, "[data-testid=need]");
    shop.is_quiet();
}

#[test]
fn a_question_is_answered_in_the_window_and_the_agent_is_told() {
    let stage = Stage::new("asking-question");
    let asks =
        Rule::on("init").times(1).answers(json!({ "tasks": [], "needs": "Which colour shall it have?" }));
    let shop = Shop::new(&stage, "shop", &small(Output::Text, vec![asks]));
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    Form::new("Ask me something", &shop.folder).start(&app);

    let text = wait_for_card(&app, "question", SOON);
    assert!(text.contains("The scripted agent has a question.") && text.contains("Which colour"), "{text}");
    wait_for_word(&app, "Needs you", SOON);
    shop.is_quiet();
    app.screenshot("1-asked");
    // An empty answer does not count.
    app.page.click("[data-testid=answer-say]");
    assert_eq!(app.page.count(&card("question")), 1);
    app.page.type_into("[data-testid=say-text]", "A quiet green");
    answer(&app, "question", "say");
    wait_for_word(&app, "Completed", WHOLE);
    assert_eq!(shop.starts(), ["init", "init", "develop task-001"]);
    let prompts = stage.prompts();
    assert!(prompts.iter().any(|prompt| prompt.contains("A quiet green")), "{prompts:?}");
    app.screenshot("2-completed");
}

#[test]
fn the_menu_of_an_interactive_loop_is_a_panel_in_the_window() {
    let stage = Stage::new("asking-menu");
    let worker = Rule::on("develop").answers(json!({
        "status": "success", "summary": "did its part", "files_changed": [], "completed_tasks": ["task-001"],
        "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    }));
    let script = Scripted { output: Output::Text, rules: vec![planned(1), worker] };
    let shop = Shop::new(&stage, "shop", &script);
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    let form = Form::new("Let me choose", &shop.folder);
    Form { recipe: "build_feature", mode: Some(("loop_b", "interactive")), ..form }.start(&app);

    let id = || app.page.execute("return document.querySelector('[data-kind=menu]')?.dataset.need", &[]);
    for (name, starts) in [("Init", 0), ("Develop", 1), ("Validate", 2), ("Complete", 2)] {
        wait_for_card(&app, "menu", SOON);
        eventually("the worker before is done", || (shop.starts().len() == starts).then_some(()));
        wait_for_word(&app, "Needs you", SOON);
        app.screenshot(name);
        let (before, choices) = (id(), app.page.text("[data-kind=menu] ul"));
        let names: Vec<&str> = choices.lines().collect();
        let at = app.page.execute(
            "return [...document.querySelectorAll('[data-testid=choice] strong')].findIndex((one) => one.textContent === arguments[0])",
            &[name.into()],
        );
        let at = at.as_u64().and_then(|at| at.checked_add(1)).unwrap_or_else(|| panic!("{name}: {names:?}"));
        app.page.click(&format!("[data-kind=menu] li:nth-child({at}) [data-testid=choice]"));
        wait_until_gone(&app, &format!("[data-need={before}]"));
    }
    wait_for_word(&app, "Completed", WHOLE);
    assert_eq!(shop.starts(), ["init", "develop task-001"]);
    shop.is_quiet();
}

/// Clicks on an entry of the menu, which is then answered.
fn choose(app: &App<'_>, choice: &str) {
    wait_for_card(app, "menu", SOON);
    wait_for_word(app, "Needs you", SOON);
    let before = app.page.execute("return document.querySelector('[data-kind=menu]').dataset.need", &[]);
    app.page.click(&format!("[data-kind=menu] [data-choice={choice}]"));
    wait_until_gone(app, &format!("[data-need={before}]"));
}

#[test]
fn an_interactive_loop_v2_is_driven_left_and_reopened_by_its_menu() {
    let stage = Stage::new("asking-menu-v2");
    let script = Scripted { output: Output::Text, rules: vec![planned(1), develops("task-001")] };
    let shop = Shop::new(&stage, "shop", &script);
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    let form = Form::new("Let me choose", &shop.folder);
    Form { recipe: "build_feature", mode: Some(("loop_v2", "interactive")), ..form }.start(&app);

    wait_for_card(&app, "menu", SOON);
    wait_for_word(&app, "Needs you", SOON);
    app.screenshot("1-menu-light");
    let dark = "document.documentElement.dataset.theme = 'dark'; return true";
    let theme = app.page.execute("return document.documentElement.dataset.theme", &[]);
    app.page.execute(dark, &[]);
    app.screenshot("2-menu-dark");
    app.page.execute("document.documentElement.dataset.theme = arguments[0]; return true", &[theme]);
    choose(&app, "develop");
    wait_for_card(&app, "menu", SOON);
    let offered = app.page.text("[data-kind=menu] ul");
    assert!(!offered.contains("next open task"), "no task is open any more: {offered}");
    choose(&app, "exit");
    wait_for_word(&app, "Exited by user", SOON);
    app.screenshot("3-left");
    app.page.click("[data-testid=verb-reopen]");
    choose(&app, "validate");
    choose(&app, "complete");
    wait_for_word(&app, "Completed", WHOLE);
    app.page.find("[data-testid=follow-up-doc]");
    app.screenshot("4-follow-ups-light");
    app.page.execute(dark, &[]);
    app.screenshot("5-follow-ups-dark");
    assert_eq!(shop.starts(), ["init", "develop task-001"]);
    shop.is_quiet();
}
