//! What a team lead does, in the real window: overview, rules, notes, search, trends, comparison, report.

use loopdeck_tests::live::loop_v2;
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use std::fs;
use std::path::PathBuf;

const ROOT: &str = ".workflow/.loop";

fn id(number: usize) -> String {
    format!("loop-v2-20261120T0424{number:02}-d8ff7e62")
}

/// Three loops: one runs, one failed, one is completed.
fn workspace(stage: &Stage) -> PathBuf {
    let workspace = stage.folder().join("shop");
    fs::create_dir_all(workspace.join(ROOT)).unwrap();
    for (number, status) in ["running", "failed", "completed"].iter().enumerate() {
        let state = format!(
            r#", "skill_state": {{"debug": {{"hypotheses": [{{"id": "H1",
            "description": "needle{number} in the haystack", "status": "pending"}}]}}}}}}"#
        );
        let text = loop_v2(&id(number), status).trim_end().trim_end_matches('}').to_owned() + &state;
        fs::write(workspace.join(format!("{ROOT}/{}.json", id(number))), text).unwrap();
    }
    workspace
}

fn wait_for_text(app: &App<'_>, css: &str, text: &str) {
    let (css, text) = (serde_json::json!(css), serde_json::json!(text));
    app.page.wait_until(&format!("return document.querySelector({css})?.textContent.includes({text})"), SOON);
}

/// Clicks the button of this name.
fn click_named(app: &App<'_>, within: &str, name: &str) {
    let script = format!(
        "return [...document.querySelectorAll('{within} button')].find((one) => one.textContent.trim() === '{name}')"
    );
    app.page.wait_until(&format!("{script} !== undefined"), SOON);
    app.page
        .execute(&format!("{script}?.setAttribute('data-named', '{name}')").replacen("return ", "", 1), &[]);
    app.page.click(&format!("[data-named='{name}']"));
}

#[test]
fn a_lead_sees_all_loops_makes_a_rule_and_looks_at_trends() {
    let stage = Stage::new("leading");
    let workspace = workspace(&stage);
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.find("[data-testid=loop-row]");
    app.page.click("[data-testid=nav-overview]");
    wait_for_text(&app, "[data-testid=overview-totals]", "1 needs you");
    assert_eq!(app.page.count("[data-testid=report-row]"), 3);
    app.screenshot("overview");
    click_named(&app, "[data-testid=overview-page]", "Attention rules");
    click_named(&app, "[data-testid=rules-dialog]", "Add a rule");
    wait_for_text(&app, "[data-testid=rules-dialog]", "in the last 7 days: ");
    app.screenshot("rules");
    click_named(&app, "[data-testid=rules-dialog]", "Save rules");
    app.page.wait_until("return document.querySelector('dialog') === null", SOON);
    click_named(&app, "[data-testid=overview-page]", "Trends");
    wait_for_text(&app, "[data-testid=overview-page]", "Loops: 1 of 2");
    app.screenshot("trends");
}

#[test]
fn a_word_is_searched_noted_and_compared() {
    let stage = Stage::new("searching");
    let workspace = workspace(&stage);
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.find("[data-testid=loop-row]");
    app.page.click("[data-testid=nav-search]");
    app.page.type_into("[data-testid=search-all]", "needle1");
    wait_for_text(&app, "[data-testid=found-loop] mark", "needle1");
    assert_eq!(app.page.count("[data-testid=found-loop]"), 1);
    app.screenshot("found");
    app.page.click("[data-testid=found-loop] li button");
    app.page.find("[data-testid=panel-debug]");
    app.page.click("[data-testid=tab-overview]");
    click_named(&app, "[data-testid=panel-overview]", "Edit notes and labels");
    app.page.wait_until("return document.activeElement.tagName === 'TEXTAREA'", SOON);
    app.page.type_text("Ask Ana <b>first</b>");
    app.page.press(&[keys::CONTROL, keys::ENTER]);
    wait_for_text(&app, "p.note", "Ask Ana <b>first</b>");
    assert_eq!(app.page.count("p.note b"), 0);
    app.page.click("[data-testid=nav-search]");
    app.page.fill("[data-testid=search-all]", "ana");
    wait_for_text(&app, "[data-testid=found-loop] mark", "Ana");
    app.page.click("[data-testid=nav-loops]");
    app.page.execute(
        "document.querySelector('[data-testid=loop-row]').dispatchEvent(new MouseEvent('contextmenu', \
         { bubbles: true, cancelable: true, clientX: 300, clientY: 200 }))",
        &[],
    );
    app.page.click("[data-testid=menu-more]");
    app.page.click("[data-testid=menu-compare]");
    wait_for_text(&app, "[data-testid=compare-dialog]", "Hypotheses");
    app.screenshot("compared");
}
