//! From the form to the summary in the real window: a person without an account starts a loop, sees it work, stops one and
//! believes it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on must stop loudly"
)]

use loopdeck_tests::driving::processes_in;
use loopdeck_tests::repository::commit_all;
use loopdeck_tests::tiny_project;
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// A whole loop of a shell agent that pauses between its lines.
const WHOLE: Duration = Duration::from_secs(150);

fn shop(stage: &Stage) -> PathBuf {
    let workspace = stage.folder().join("shop");
    tiny_project::lay_out(&workspace);
    fs::create_dir_all(workspace.join(".workflow/.loop")).unwrap();
    workspace.canonicalize().unwrap()
}

/// What each run changed is on the first tab of the loop: both versions of a file, next to each other.
fn sees_changes(app: &App<'_>) {
    app.page.click("[data-testid=tab-overview]");
    app.page.click("[data-testid=changes-by-run] button");
    app.page.find("[data-testid=changes-dialog] [data-testid=diff]");
    app.page.wait_until("return document.querySelector('[data-testid=diff] .sign') !== null", SOON);
    app.screenshot("8-changes");
    app.page.press(&[keys::ESCAPE]);
    app.page.wait_until("return document.querySelector('[data-testid=changes-dialog]') === null", SOON);
}

/// Fills the form for the shell agent and goes to its last page.
fn fill(app: &App<'_>, command: &str) {
    app.page.click("[data-testid=start-loop]");
    app.page.click("[data-testid=recipe-fix_bug]");
    app.page.click("[data-testid=folder]");
    app.page.find("[data-testid=folder-facts]");
    app.page.click("[data-testid=trust]");
    app.page.wait_until("return document.querySelector('[data-testid=trust-card]') === null", SOON);
    app.page.fill("[data-testid=goal]", "Make the tests of the tiny shop pass");
    app.screenshot("1-work");
    app.page.click("[data-testid=start-next]");
    app.page.click("[data-testid=agent-shell]");
    app.page.fill("[data-testid=shell-command]", command);
    if app.page.count("[data-testid=test-other]") > 0 {
        app.page.click("[data-testid=test-other]");
    }
    app.page.fill("[data-testid=test-command]", "sh test.sh");
    app.page.wait_until("return document.querySelector('[data-testid=command-line]') !== null", SOON);
    app.screenshot("2-run");
}

#[test]
fn a_person_starts_a_loop_from_the_form_and_sees_it_completed() {
    let stage = Stage::new("form");
    let workspace = shop(&stage);
    commit_all(&workspace);
    let app = stage.open(&[workspace.as_os_str()]);
    fill(&app, tiny_project::AGENT_COMMAND);
    app.page.click("[data-testid=start-next]");
    app.page.find("[data-testid=tab-output]");
    app.page.click("[data-testid=tab-output]");
    app.page.wait_until("return document.body.textContent.includes('looking around')", SOON);
    app.screenshot("5-running");
    app.page.wait_until("return document.querySelector('main').textContent.includes('Completed')", WHOLE);
    app.screenshot("6-completed");
    for tab in ["overview", "work", "debug", "tests", "activity"] {
        app.page.click(&format!("[data-testid=tab-{tab}]"));
        app.page.find(&format!("[data-testid=panel-{tab}]"));
        app.screenshot(&format!("7-{tab}"));
    }
    sees_changes(&app);
    assert!(processes_in(&workspace).is_empty());
    let said = std::process::Command::new("sh").arg("test.sh").current_dir(&workspace).output().unwrap();
    assert!(said.status.success(), "the project is repaired");
}

#[test]
fn a_stop_in_the_window_ends_every_process_and_says_so() {
    let stage = Stage::new("stop");
    let workspace = shop(&stage);
    let app = stage.open(&[workspace.as_os_str()]);
    fill(&app, "trap '' TERM; setsid sleep 4711 & echo at work; sleep 4712");
    app.page.click("[data-testid=start-next]");
    app.page.find("[data-testid=tab-output]");
    app.page.click("[data-testid=tab-output]");
    app.page.wait_until("return document.body.textContent.includes('at work')", SOON);
    assert!(!processes_in(&workspace).is_empty());
    app.page.click("[data-testid=control-stop], [data-testid=verb-stop]");
    app.page.find("[data-testid=verb-dialog]");
    app.screenshot("1-asked");
    app.page.click("[data-testid=confirm]");
    app.page.wait_until("return document.querySelector('[data-testid=stop-result]') !== null", SOON);
    app.screenshot("2-stopped");
    assert!(processes_in(&workspace).is_empty(), "{:?}", processes_in(&workspace));
}

#[test]
fn a_newcomer_starts_the_loop_of_the_sample_without_an_account() {
    let stage = Stage::new("sample-run");
    let app = stage.open(&[]);
    app.page.click("[data-testid=open-sample]");
    app.page.find("[data-testid=loop-row]");
    app.page.press(&[keys::CONTROL, "k"]);
    app.page.find("[data-testid=palette-input]");
    app.page.type_text("repair the tiny shop");
    app.page.press(&[keys::ENTER]);
    // The sample has its own plan, so there is nothing to ask.
    app.page.click("[data-testid=verb-start]");
    app.page.click("[data-testid=tab-output]");
    app.page.wait_until("return document.body.textContent.includes('looking around')", SOON);
    app.screenshot("2-running");
    app.page.wait_until("return document.querySelector('main').textContent.includes('Completed')", WHOLE);
    app.screenshot("3-completed");
}
