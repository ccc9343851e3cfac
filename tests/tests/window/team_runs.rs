//! A run on another machine: sent from the form of the real window, followed and taken in there. Real servers, git and guardians.

use loopdeck_team::seat::Role;
use loopdeck_team::{Home, NodeRules};
use loopdeck_tests::driving::{develops, planned};
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::team::{Programs, Server};
use loopdeck_tests::window::Stage;
use loopdeck_tests::window::loops::{self, Form, WHOLE, wait_for_text};
use loopdeck_tests::window::shop::Shop;
use std::fs;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");

#[test]
fn a_run_is_sent_from_the_form_and_followed_and_its_work_comes_back_as_a_branch() {
    let mut server = Server::start();
    let stage = Stage::new("team-runs");
    let write = Step::Write { path: "note.txt".into(), text: "noted".into() };
    let gate = stage.folder().join("gate");
    let says = develops("task-001").then(Step::Say("looking around in the garden".into()));
    let rules = vec![planned(1), says.then(Step::WaitFor(gate.clone())).then(write)];
    let shop = Shop::new(&stage, "garden", &Scripted { output: Output::Text, rules });
    let garden = shop.folder.clone();
    fs::write(garden.join(".gitignore"), ".workflow/\n").unwrap();
    commit_all(&garden);
    let programs = Programs { guardian: env!("CARGO_BIN_EXE_guardian").into(), agent: AGENT.into() };
    let _node = server.node("ada.tower", &programs, &garden, NodeRules::default());
    let file = stage.folder().join("bob.json");
    server.invite("bob.laptop", Role::Member, None).write(&file).unwrap();
    Home::new(&stage.data_dir()).join(&file).unwrap();

    let app = stage.open(&[garden.as_os_str()]);
    loops::add_agent(&app, "scripted", AGENT, "text");
    Form { on: Some("ada.tower"), ..Form::new("Write a note", &garden) }.fill(&app);
    app.screenshot("review");
    app.page.click("[data-testid=start-next]");
    // The page of the team shows what was sent. Its loop is in the list like any other, and its output comes while it works.
    app.page.find("[data-testid=sent-run]");
    app.page.click("[data-testid=nav-loops]");
    let is_there = format!("return document.querySelector('{}') !== null", loops::row("Write a note"));
    app.page.wait_until(&is_there, WHOLE);
    loops::open_loop(&app, "Write a note");
    app.page.click("#tab-output");
    wait_for_text(&app, "[data-testid=panel-output]", "looking around in the garden");
    app.screenshot("output");
    fs::write(&gate, "").unwrap();
    wait_for_text(&app, "[data-testid=run-bar]", "Succeeded");
    app.screenshot("output-ended");

    app.page.click("[data-testid=nav-team]");
    let has_ended = "return document.querySelector('[data-testid=sent-run]')?.innerText.includes('Create a branch from the result')";
    app.page.wait_until(has_ended, WHOLE);
    app.screenshot("ended");
    let take_in = "[...document.querySelectorAll('[data-testid=sent-run] button')]\
        .find((one) => one.textContent.trim() === 'Create a branch from the result').click()";
    app.page.execute(take_in, &[]);
    wait_for_text(&app, "[data-testid=sent-run] .branch", "loopdeck/");
    app.screenshot("taken-in");
    let branch = app.page.text("[data-testid=sent-run] .branch code");
    assert_eq!(git(&garden, &["show", &format!("{branch}:note.txt")]), "noted");
    assert!(!garden.join("note.txt").exists(), "nothing is checked out");
}
