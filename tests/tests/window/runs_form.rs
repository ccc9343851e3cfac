//! A person's input survives a crash, and one loop is never started twice, however it is tried in the real
//! window.

use loopdeck_tests::driving::{PASSING, planned, small};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::window::Stage;
use loopdeck_tests::window::loops::{
    Form, SCRIPTED, SOON, WHOLE, add_agent, answer, next, open_loop, stop, wait_for_card, wait_for_text,
    wait_for_word, wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use serde_json::Value;
use std::fs;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

fn waiting() -> Scripted {
    small(Output::Text, vec![planned(1).then(write("begun")).then(Step::WaitFor("gate".into()))])
}

/// The draft on disk, once it has this goal.
fn wait_for_draft(stage: &Stage, goal: &str) -> Value {
    let file = stage.data_dir().join("choices.json");
    eventually("the draft", || {
        let choices: Value = serde_json::from_slice(&fs::read(&file).ok()?).ok()?;
        (choices["draft"]["work"]["goal"] == goal).then(|| choices["draft"].clone())
    })
}

#[test]
fn a_form_that_was_being_filled_is_there_again_after_a_crash() {
    let stage = Stage::new("form-draft");
    let shop = Shop::new(&stage, "shop", &waiting());
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    let goal = "Half of a sentence, \"quoted\" … and";
    Form::new("A sentence", &shop.folder).fill(&app);
    app.page.click("[data-testid=start-back]");
    app.page.find("[data-testid=start-page][data-page=work]");
    app.page.fill("[data-testid=goal]", goal);
    wait_for_draft(&stage, goal);
    app.screenshot("1-before");
    stage.kill_app();
    drop(app);
    assert!(shop.files().is_empty(), "nothing was started");

    let app = stage.open(&[]);
    app.page.click("[data-testid=start-loop]");
    let typed =
        format!("return document.querySelector('[data-testid=goal]')?.value === {}", Value::from(goal));
    app.page.wait_until(&typed, SOON);
    app.screenshot("2-after");
    next(&app, "run");
    app.page.find(&format!("[data-testid=\"agent-{SCRIPTED}\"]:checked"));
    app.page.find("[data-testid=level-edit_files]:checked");
    let tests = format!(
        "return document.querySelector('[data-testid=test-command]')?.value === {}",
        Value::from(PASSING)
    );
    app.page.wait_until(&tests, SOON);
    app.page.click("[data-testid=start-next]");
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);
    shop.open("gate");
    wait_for_word(&app, "Completed", WHOLE);
    assert_eq!(shop.state()["description"], goal);

    // A started form is no longer a draft.
    app.page.click("[data-testid=nav-loops]");
    app.page.click("[data-testid=start-loop]");
    let empty = "return document.querySelector('[data-testid=goal]')?.value === ''";
    app.page.wait_until(empty, SOON);
}

#[test]
fn what_was_used_last_is_chosen_and_starts_with_at_most_four_clicks() {
    let stage = Stage::new("form-clicks");
    let shop = Shop::new(&stage, "shop", &waiting());
    fs::write(shop.folder.join("test.sh"), PASSING).unwrap();
    shop.open("gate");
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    Form::new("The first", &shop.folder).start(&app);
    wait_for_word(&app, "Completed", WHOLE);
    app.page.click("[data-testid=nav-loops]");
    app.page.resize(1280, 800);

    let mut clicks = 0;
    let mut click = |css: &str| {
        clicks += 1;
        app.page.click(css);
    };
    click("[data-testid=start-loop]");
    app.page.find("[data-testid=folder-facts]");
    app.page.fill("[data-testid=goal]", "The second");
    click("[data-testid=start-next]");
    app.page.find(&format!("[data-testid=\"agent-{SCRIPTED}\"]:checked"));
    app.page.find("[data-testid=level-edit_files]:checked");
    // All permissions are seen without scrolling.
    let in_sight = "const page = document.querySelector('[data-testid=start-page]').getBoundingClientRect();\
        return [...document.querySelectorAll('[data-testid^=level-]')].every((one) => {\
            const { top, bottom } = one.closest('label, div').getBoundingClientRect();\
            return top >= page.top && bottom <= page.bottom;\
        })";
    app.page.wait_until(in_sight, SOON);
    app.screenshot("1-permissions");
    click("[data-testid=start-next]");
    wait_for_text(&app, "[data-pane=header] h1", "The second");
    wait_for_word(&app, "Completed", WHOLE);
    assert!(clicks <= 4, "{clicks} clicks");
}

#[test]
fn a_double_click_and_another_instance_start_one_loop_once() {
    let stage = Stage::new("form-twice");
    let shop = Shop::new(&stage, "shop", &waiting());
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    Form::new("Only once", &shop.folder).fill(&app);
    // Two clicks and the key, before the first has any effect.
    let thrice = "const button = document.querySelector('[data-testid=start-next]');\
        button.click(); button.click(); button.form.requestSubmit();";
    app.page.execute(thrice, &[]);
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);
    let again = stage.start_again(&[shop.folder.as_os_str()]);
    assert!(again.status.success(), "{again:?}");
    assert_eq!((shop.files().len(), shop.starts()), (1, vec!["init".to_owned()]));
    assert_eq!(stage.guardians().len(), 1);
    open_loop(&app, "Only once"); // the second start leads to the list
    stop(&app);
    wait_for_word(&app, "Stopped", SOON);
    shop.is_quiet();
}

#[test]
fn a_loop_that_is_there_is_launched_once_and_refused_elsewhere() {
    let stage = Stage::new("form-launch");
    let shop = Shop::new(&stage, "shop", &waiting());
    fs::write(shop.folder.join("test.sh"), PASSING).unwrap();
    fs::write(shop.folder.join(format!("{ROOT}/{ID}.json")), loop_v2(ID, "created")).unwrap();
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    app.page.click("[data-testid=loop-row]");
    app.page.click("[data-testid=verb-start]");
    app.page.click("[data-testid=trust]");
    wait_until_gone(&app, "[data-testid=trust]");
    app.page.click(&format!("[data-testid=\"agent-{SCRIPTED}\"]"));
    app.page.click("[data-testid=level-edit_files]");
    app.screenshot("1-asked");
    let twice =
        "const button = document.querySelector('[data-testid=start-next]'); button.click(); button.click();";
    app.page.execute(twice, &[]);
    wait_until_gone(&app, "[data-testid=start-view]");
    shop.wait_for("begun");
    wait_for_word(&app, "Running", SOON);
    wait_for_text(&app, "[data-testid=run-strip]", "The scripted agent");
    assert_eq!(app.page.count("[data-testid=verb-start]"), 0, "it is not offered again");
    assert_eq!(shop.starts(), ["init"]);

    // An independent Loopdeck sees the same file.
    let other = stage.open_next_to_it("other-data", &[shop.folder.as_os_str()]);
    other.page.click("[data-testid=loop-row]");
    wait_for_word(&other, "Running · in the window", SOON);
    assert_eq!(other.page.count("[data-testid=verb-start], [data-testid=verb-resume]"), 0);
    drop(other);
    assert_eq!((shop.starts(), stage.guardians().len()), (vec!["init".to_owned()], 1));
    shop.open("gate");
    wait_for_word(&app, "Completed", WHOLE);
}

#[test]
fn a_task_names_its_agent_in_the_form_and_the_person_allows_it_when_it_comes_to_it() {
    let stage = Stage::new("form-tools");
    let shop = Shop::new(&stage, "shop", &small(Output::Text, Vec::new()));
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    add_agent(&app, "second", AGENT, "text");
    let seen = |step: &str| {
        for theme in ["dark", "light"] {
            app.page.execute(&format!("document.documentElement.dataset.theme = '{theme}'"), &[]);
            app.screenshot(&format!("{step}-{theme}"));
        }
    };
    Form::new("Two agents", &shop.folder).fill(&app);
    app.page.click("[data-testid=start-back]");
    app.page.find("[data-testid=start-page][data-page=work]");
    for (number, text) in [(1, "Look at the prices"), (2, "Round them")] {
        app.page.click("[data-testid=add-start-task]");
        app.page.fill(&format!("[data-testid=task-{number}]"), text);
    }
    let pick = |field: &str, value: &str| {
        let there = format!(
            "return document.querySelector('[data-testid={field}] option[value=\"{value}\"]') !== null"
        );
        app.page.wait_until(&there, SOON);
        let choose = format!(
            "const field = document.querySelector('[data-testid={field}]'); field.value = '{value}';\
             field.dispatchEvent(new Event('change', {{ bubbles: true }}));"
        );
        app.page.execute(&choose, &[]);
    };
    pick("task-1-mode", "analysis");
    pick("task-2-tool", "custom:second");
    seen("1-tasks");
    next(&app, "run");
    app.page.find("[data-testid=further]");
    app.page.execute("document.querySelector('[data-testid=further]').open = true;", &[]);
    app.page.execute("document.querySelector('[data-testid=further]').scrollIntoView();", &[]);
    wait_for_text(&app, "[data-testid=further]", "aren’t allowed yet");
    seen("2-further");
    app.page.click("[data-testid=start-next]");
    wait_for_card(&app, "question", WHOLE);
    seen("3-asked");
    answer(&app, "question", "allow_tool");
    wait_for_word(&app, "Completed", WHOLE);
    let tasks = shop.state()["skill_state"]["develop"]["tasks"].clone();
    assert_eq!((&tasks[0]["mode"], &tasks[1]["tool"]), (&"analysis".into(), &"custom:second".into()));
    shop.is_quiet();
}
