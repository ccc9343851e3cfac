//! Agents that spam, crash, lie, babble and hang, in parallel in the real window: each ends in the promised
//! card, and the answers on the cards do what they say. They share one window because one of them has to use
//! up a whole minute, the shortest time limit.

use loopdeck_tests::driving::{develops, small};
use loopdeck_tests::scripted::{Output, Rule, Step};
use loopdeck_tests::tiny_project::TEST_COMMAND;
use loopdeck_tests::window::loops::{
    Form, SOON, WHOLE, add_agent, answer, card, open_loop, wait_for_card, wait_for_text, wait_for_word,
};
use loopdeck_tests::window::shop::Shop;
use loopdeck_tests::window::{App, Stage};
use serde_json::json;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const LINES: u32 = 200_000;

fn shop<'a>(stage: &'a Stage, name: &str, rules: Vec<Rule>) -> Shop<'a> {
    Shop::new(stage, name, &small(Output::Text, rules))
}

fn spamming(stage: &Stage) -> Shop<'_> {
    let spam = Step::Spam { lines: LINES.into(), text: "and so on".into() };
    shop(stage, "spams", vec![develops("task-001").then(spam)])
}

fn crashing(stage: &Stage) -> Shop<'_> {
    let killed = Rule::on("develop").times(1).then(Step::Shell("while kill -SEGV $PPID; do :; done".into()));
    let exits = Rule::on("develop").times(1).then(Step::Complain("no room left".into())).then(Step::Exit(3));
    shop(stage, "crashes", vec![killed, exits])
}

fn lying(stage: &Stage) -> Shop<'_> {
    let boasts = develops("task-001").then(Step::Say("All 120 tests pass.".into()));
    let debugged = json!({
        "hypotheses": [], "understanding": "All tests pass now.", "confirmed": null, "fixed": true,
        "files_changed": [], "needs": null,
    });
    shop(stage, "lies", vec![boasts, Rule::on("debug").answers(debugged)])
}

fn babbling(stage: &Stage) -> Shop<'_> {
    // An agent that reports events must answer in the agreed form.
    let babble = Rule { says: "I did it!".into(), ..Rule::on("init").times(6) };
    Shop::new(stage, "babbles", &small(Output::ClaudeJsonl, vec![babble]))
}

fn hanging(stage: &Stage) -> Shop<'_> {
    shop(stage, "hangs", vec![Rule::on("develop").times(1).then(Step::Hang)])
}

#[test]
fn what_agents_do_wrong_ends_in_the_card_that_is_promised() {
    let stage = Stage::new("failing");
    let [hangs, spams, crashes, lies, babbles] =
        [hanging(&stage), spamming(&stage), crashing(&stage), lying(&stage), babbling(&stage)];
    let all = [&hangs, &spams, &crashes, &lies, &babbles];
    let app = stage.open(&all.map(|shop| shop.folder.as_os_str()));
    add_agent(&app, "scripted", AGENT, "text");
    add_agent(&app, "claude-like", AGENT, "claude-jsonl");
    Form { minutes: Some(1), ..Form::new("It hangs", &hangs.folder) }.start(&app);
    output_is_bounded(&app, &spams);
    a_crash_is_tried_again(&app, &crashes);
    tests_are_believed_and_not_the_agent(&app, &lies);
    babble_is_asked_about_and_stopped(&app, &babbles);
    the_limit_of_time_ends_it(&app, &hangs);
    for shop in all {
        shop.is_quiet();
    }
    app.page.click("[data-testid=nav-loops]");
    app.page.find("[data-testid=loop-row]");
    app.screenshot("list");
    assert_eq!(app.page.invoke("needs", &json!({}))["needs"], json!([]), "nothing waits any more");
}

fn output_is_bounded(app: &App<'_>, spams: &Shop<'_>) {
    Form::new("It spams", &spams.folder).start(app);
    app.page.click("[data-testid=tab-output]");
    wait_for_word(app, "Completed", WHOLE);
    // The run of the agent, not the test command after it.
    app.page.click("[data-testid=run][aria-posinset=\"2\"]");
    let rows = "[data-testid=output-rows]";
    app.page.wait_until(
        &format!("return Number(document.querySelector('{rows}').getAttribute('aria-rowcount')) >= {LINES}"),
        SOON,
    );
    app.page.click(rows);
    app.page.press(&[loopdeck_tests::window::keys::END]);
    wait_for_text(app, rows, &format!("{} and so on", LINES - 1));
    assert!(app.page.count("[data-testid=output-row]") < 500, "only what is in sight is drawn");
    app.screenshot("spam");
    assert_eq!(spams.tasks(), ["completed"]);
}

fn a_crash_is_tried_again(app: &App<'_>, crashes: &Shop<'_>) {
    Form::new("It crashes", &crashes.folder).start(app);
    let text = wait_for_card(app, "question", WHOLE);
    assert!(
        text.contains("Task task-001 keeps failing. Attempts: 2.") && text.contains("no room left"),
        "{text}"
    );
    wait_for_word(app, "Needs you", SOON);
    crashes.is_quiet();
    assert_eq!(crashes.starts(), ["init", "develop task-001", "develop task-001"]);
    app.page.click("[data-testid=tab-output]");
    wait_for_text(app, "[data-testid=run-list]", "Crashed");
    app.screenshot("crash");
    answer(app, "question", "try_again");
    wait_for_word(app, "Completed", WHOLE);
    assert_eq!(crashes.tasks(), ["completed"]);
}

fn tests_are_believed_and_not_the_agent(app: &App<'_>, lies: &Shop<'_>) {
    Form { tests: TEST_COMMAND, ..Form::new("It lies", &lies.folder) }.start(app);
    let text = wait_for_card(app, "question", WHOLE);
    assert!(text.contains("The same tests keep failing"), "{text}");
    assert!(text.contains("half a cent"), "the real failure: {text}");
    app.page.click("[data-testid=tab-tests]");
    wait_for_text(app, "[data-testid=panel-tests]", "half a cent");
    app.screenshot("lie");
    assert_ne!(lies.state()["skill_state"]["validate"]["passed"], true);
    answer(app, "question", "stop");
    wait_for_word(app, "Stopped", SOON);
    assert_eq!(lies.state()["status"], "failed");
}

fn babble_is_asked_about_and_stopped(app: &App<'_>, babbles: &Shop<'_>) {
    Form { agent: "custom:claude-like", ..Form::new("It babbles", &babbles.folder) }.start(app);
    let text = wait_for_card(app, "question", WHOLE);
    assert!(text.contains("Couldn’t read The claude-like agent’s answer to “init”."), "{text}");
    assert_eq!(babbles.starts(), ["init"; 3], "asked twice more by itself");
    app.screenshot("babble");
    app.page.type_into("[data-testid=say-text]", "Answer in JSON");
    answer(app, "question", "say");
    wait_for_card(app, "question", WHOLE);
    assert_eq!(babbles.starts(), ["init"; 6]);
    answer(app, "question", "try_again");
    wait_for_word(app, "Completed", WHOLE);
}

fn the_limit_of_time_ends_it(app: &App<'_>, hangs: &Shop<'_>) {
    open_loop(app, "It hangs");
    let text = wait_for_card(app, "limit_reached", WHOLE);
    wait_for_word(app, "Interrupted", SOON);
    hangs.is_quiet();
    assert_eq!(hangs.tasks(), ["in_progress"], "the time was up, the task did not fail");
    app.screenshot("hang");
    assert!(text.contains("The time limit is used up."), "{text}");
    app.page.fill(&format!("{} [data-testid=extend-amount]", card("limit_reached")), "5");
    answer(app, "limit_reached", "extend");
    wait_for_word(app, "Completed", WHOLE);
    assert_eq!(hangs.starts(), ["init", "develop task-001", "develop task-001"]);
}
