//! Every view in the real window: axe-core finds nothing in any theme and language, and every part can be
//! reached with the keyboard alone.

use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use xtask::workspace::root;

/// In the order of their keys; a loop shows those with something in them.
const TABS: [&str; 7] = ["overview", "work", "debug", "tests", "activity", "output", "files"];
/// One of each kind, by a part of its key.
const LOOPS: [&str; 3] =
    ["loop-v2-20261120T091500-7c41e0aa", "loop-b-20261120T090000-k3v9x2ab", "aot-loop-state"];

fn open<'a>(stage: &'a Stage, theme: &str, language: &str) -> App<'a> {
    let settings = json!({ "settings": { "theme": theme, "language": language } });
    fs::create_dir_all(stage.data_dir()).unwrap();
    fs::write(stage.data_dir().join("settings.json"), settings.to_string()).unwrap();
    let app = stage.open(&[]);
    app.page.click("[data-testid=open-sample]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 5", SOON);
    app
}

fn open_loop(app: &App<'_>, id: &str) {
    app.page.click("[data-testid=nav-loops]");
    app.page.fill("[data-testid=filter]", id);
    app.page.click(&format!("[data-testid=loop-row][data-key*='{id}'] .title"));
    app.page.find("[data-testid=tab-overview]");
}

/// The tabs that the opened loop shows.
fn tabs_shown(app: &App<'_>) -> Vec<&'static str> {
    app.page.find("[data-testid=panel-overview]");
    let there = |tab: &&str| app.page.count(&format!("[data-testid=tab-{tab}]")) == 1;
    TABS.into_iter().filter(there).collect()
}

fn switch(app: &App<'_>, tab: &str) {
    app.page.click(&format!("[data-testid=tab-{tab}]"));
    settled(app, tab);
}

fn settled(app: &App<'_>, tab: &str) {
    let shown = format!(
        "return document.querySelector('[data-testid=tab-{tab}]')?.getAttribute('aria-selected') === 'true' \
         && document.querySelector('[data-testid=panel-{tab}]') !== null \
         && document.querySelector('[aria-busy=true]') === null && document.getAnimations().length === 0"
    );
    app.page.wait_until(&shown, SOON);
}

/// Injects axe-core into the page; it stays until the page is reloaded.
fn bring_axe(app: &App<'_>) {
    let axe = fs::read_to_string(root().join("ui/node_modules/axe-core/axe.min.js")).unwrap();
    app.page.execute(&axe, &[]);
    assert_eq!(app.page.execute("return typeof window.axe", &[]), "object");
}

/// What axe-core finds now, as `rule: where`.
fn findings(app: &App<'_>) -> Vec<String> {
    let script = "const done = arguments[0];\
        window.axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })\
          .then((result) => done(result.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} ${node.failureSummary}`))),\
                (error) => done([String(error)]));";
    let found = app.page.execute_async(script, &[]);
    found.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn nothing_found(theme: &str, language: &str) {
    let stage = Stage::new(&format!("axe-{theme}-{language}"));
    let app = open(&stage, theme, language);
    bring_axe(&app);
    let mut wrong: Vec<(String, Vec<String>)> = Vec::new();
    let mut look = |what: String| {
        let found = findings(&app);
        if !found.is_empty() {
            wrong.push((what, found));
        }
    };
    look("list".into());
    for (opener, dialog) in [("?", "keys-dialog"), ("palette", "palette"), ("settings", "settings-dialog")] {
        match opener {
            "palette" => app.page.press(&[keys::CONTROL, "k"]),
            "settings" => app.page.press(&[keys::CONTROL, ","]),
            _ => {
                app.page.execute("document.querySelector('[data-testid=loop-row]').focus()", &[]);
                app.page.press(&["?"]);
            }
        }
        app.page.find(&format!("[data-testid={dialog}]"));
        app.page.wait_until("return document.getAnimations().length === 0", SOON);
        look(dialog.into());
        app.page.press(&[keys::ESCAPE]);
        app.page
            .wait_until(&format!("return document.querySelector('[data-testid={dialog}]') === null"), SOON);
    }
    for id in LOOPS {
        open_loop(&app, id);
        for tab in tabs_shown(&app) {
            switch(&app, tab);
            look(format!("{id}: {tab}"));
        }
        app.page.click("[data-testid=state-file]");
        settled(&app, "files");
        look(format!("{id}: state file"));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn axe_finds_nothing_in_light_english() {
    nothing_found("light", "en");
}

#[test]
fn axe_finds_nothing_in_dark_chinese() {
    nothing_found("dark", "zh-CN");
}

#[test]
fn axe_finds_nothing_in_high_contrast_japanese() {
    nothing_found("contrast-light", "ja");
}

#[test]
fn axe_finds_nothing_in_dark_high_contrast() {
    nothing_found("contrast-dark", "en");
}

/// The focused element: enough of its path to distinguish it from all others, and whether its focus is
/// visible.
fn focused(app: &App<'_>) -> (String, bool) {
    // A list that keeps the focus shows it on its current row.
    let script = "let element = document.activeElement; const steps = [];\
        const style = getComputedStyle(document.getElementById(element.getAttribute('aria-activedescendant')) ?? element);\
        const seen = element === document.body || style.outlineStyle !== 'none' || style.boxShadow !== 'none'\
            || element.matches('input, textarea, select');\
        for (; element && element !== document.body; element = element.parentElement)\
          steps.push(`${element.tagName}${element.dataset.testid ?? ''}${[...(element.parentElement?.children ?? [])].indexOf(element)}`);\
        return [steps.join('<'), seen];";
    let answer = app.page.execute(script, &[]);
    (answer[0].as_str().unwrap().to_owned(), answer[1] == true)
}

/// Tabs through everything until it starts over; nothing traps the focus, and every focused element shows it.
fn walk(app: &App<'_>, what: &str) {
    const MOST: usize = 250;
    let mut seen = BTreeSet::new();
    app.page.execute("document.activeElement?.blur()", &[]);
    for step in 0..MOST {
        app.page.press(&[keys::TAB]);
        let (place, visible) = focused(app);
        assert!(visible, "{what}: nobody sees that {place} has the focus");
        if !seen.insert(place) {
            assert!(step > 5, "{what}: held after {step} steps: {seen:?}");
            return;
        }
    }
    panic!("{what}: more than {MOST} stops: lists are one stop each");
}

#[test]
fn every_view_is_walked_with_the_keyboard_alone() {
    let stage = Stage::new("keyboard-views");
    let app = open(&stage, "light", "en");
    walk(&app, "list");
    for id in LOOPS {
        app.page.execute("document.activeElement?.blur()", &[]);
        open_loop(&app, id);
        let shown = tabs_shown(&app);
        for (at, tab) in TABS.into_iter().enumerate().filter(|(_, tab)| shown.contains(tab)) {
            // Keys act where no text is being typed.
            app.page.execute("document.querySelector('[role=tab][aria-selected=true]').focus()", &[]);
            app.page.press(&[&*(at + 1).to_string()]);
            settled(&app, tab);
            walk(&app, &format!("{id}: {tab}"));
        }
    }
}
