//! A person's actions on loops that really run, step by step: the form, the page of a loop, the cards.

use super::{App, keys};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// For everything that needs no agent.
pub const SOON: Duration = Duration::from_secs(60);
/// For a whole loop, or for ending a stubborn process.
pub const WHOLE: Duration = Duration::from_secs(150);
/// The scripted agent as a custom agent.
pub const SCRIPTED: &str = "custom:scripted";

/// A person's input in the form.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// The goal, which becomes the loop's title.
    pub goal: &'a str,
    /// Path of the folder.
    pub folder: &'a Path,
    /// `fix_bug`, `build_feature`.
    pub recipe: &'a str,
    /// Id of the agent.
    pub agent: &'a str,
    /// `look_only`, `edit_files`, `full_access`.
    pub level: &'a str,
    /// Test command.
    pub tests: &'a str,
    /// Limit of time.
    pub minutes: Option<u32>,
    /// Format and mode, chosen in the expert settings; otherwise the recipe's.
    pub mode: Option<(&'a str, &'a str)>,
    /// The agent asks in the window.
    pub asks: bool,
    /// Another machine that runs it, by its seat.
    pub on: Option<&'a str>,
}

impl<'a> Form<'a> {
    /// Work of the scripted agent whose tests pass.
    #[must_use]
    pub fn new(goal: &'a str, folder: &'a Path) -> Self {
        Self {
            goal,
            folder,
            recipe: "fix_bug",
            agent: SCRIPTED,
            level: "edit_files",
            tests: crate::driving::PASSING,
            minutes: None,
            mode: None,
            asks: false,
            on: None,
        }
    }

    /// Fills in the form page by page, up to the last one.
    pub fn fill(&self, app: &App<'_>) {
        app.page.click("[data-testid=nav-loops]");
        app.page.click("[data-testid=start-loop]");
        self.work(app);
        self.run(app);
        if let Some(minutes) = self.minutes {
            app.page.fill("[data-testid=limit-minutes]", &minutes.to_string());
        }
        if self.on.is_none() {
            let reviewed = "return document.querySelector('[data-testid=command-line]') !== null";
            app.page.wait_until(reviewed, SOON);
        }
    }

    /// The same, then starts it and shows the page of the loop.
    pub fn start(&self, app: &App<'_>) {
        self.fill(app);
        app.page.click("[data-testid=start-next]");
        app.page.find("[data-testid=tab-overview]");
    }

    fn work(&self, app: &App<'_>) {
        app.page.click(&format!("[data-testid=\"recipe-{}\"]", self.recipe));
        let name = self.folder.file_name().expect("a name").to_string_lossy();
        app.page.find("[data-testid=folder]");
        click_titled(app, "folder", &name);
        app.page.find("[data-testid=folder-facts]");
        if app.page.count("[data-testid=trust]") > 0 {
            app.page.click("[data-testid=trust]");
            let gone = "return document.querySelector('[data-testid=trust-card]') === null";
            app.page.wait_until(gone, SOON);
        }
        if let Some(machine) = self.on {
            app.page.click(&format!("[data-testid=\"run-on-{machine}\"]"));
            app.screenshot("where");
        }
        app.page.fill("[data-testid=goal]", self.goal);
        next(app, "run");
    }

    fn run(&self, app: &App<'_>) {
        app.page.click(&format!("[data-testid=\"agent-{}\"]", self.agent));
        app.page.click(&format!("[data-testid=\"level-{}\"]", self.level));
        self.tests(app);
        if self.mode.is_some() || self.asks {
            app.page.click("[data-testid=expert] summary");
        }
        if let Some((format, mode)) = self.mode {
            choose(app, "start-format", format);
            choose(app, "start-mode", mode);
        }
        if self.asks && app.page.count("[data-testid=ask]:checked") == 0 {
            app.page.type_into("[data-testid=ask]", " ");
            app.page.find("[data-testid=ask]:checked");
        }
    }

    fn tests(&self, app: &App<'_>) {
        if self.on.is_some() {
            // Another machine runs only what its owner allowed.
            return app.page.click("[data-testid=test-0]");
        }
        if app.page.count("[data-testid=test-command]") == 0 {
            app.page.click("[data-testid=test-other]");
        }
        app.page.fill("[data-testid=test-command]", self.tests);
    }
}

/// Continues in the form and waits for its next page.
pub fn next(app: &App<'_>, page: &str) {
    app.page.click("[data-testid=start-next]");
    let shown =
        format!("return document.querySelector('[data-testid=start-page]').dataset.page === '{page}'");
    app.page.wait_until(&shown, SOON);
}

/// Chooses from a list, with the key that a person would press.
pub fn choose(app: &App<'_>, testid: &str, value: &str) {
    let css = format!("[data-testid={testid}]");
    app.page.click(&format!("{css} option[value={value}]"));
    app.page.wait_until(&format!("return document.querySelector('{css}').value === '{value}'"), SOON);
}

/// Clicks the card with this title.
fn click_titled(app: &App<'_>, testid: &str, title: &str) {
    let mark = "const [testid, title] = arguments;\
        for (const node of document.querySelectorAll(`[data-testid=${testid}]`)) {\
            const own = node.labels[0].querySelector('.title').textContent.trim();\
            node.toggleAttribute('data-meant', own === title);\
        }";
    app.page.execute(mark, &[testid.into(), title.into()]);
    app.page.click(&format!("[data-testid={testid}][data-meant]"));
}

/// Adds the custom agent `custom:<id>`.
pub fn add_agent(app: &App<'_>, id: &str, program: &str, output: &str) {
    let none: [&str; 0] = [];
    let agent = json!({
        "id": id, "name": format!("The {id} agent"), "program": program, "args": none, "prompt_in_file": false,
        "output": output, "look_only": none, "edit_files": none, "full_access": none, "resume": none,
        "version": none, "environment": {},
    });
    let problems = app.page.invoke("save_agent", &json!({ "agent": agent }));
    assert_eq!(problems, json!([]));
}

/// Presses the button, or chooses the menu entry, with these words within `css`.
pub fn press(app: &App<'_>, css: &str, name: &str) {
    let mark = format!(
        "const name = {};\
         const all = [...document.querySelectorAll({}.split(',').map((one) => one + ' button, ' + one + ' [role=menuitem]').join(','))];\
         const meant = all.find((one) => !one.disabled && one.getClientRects().length > 0 && (one.ariaLabel ?? one.textContent).trim().startsWith(name));\
         document.querySelectorAll('[data-meant]').forEach((one) => one.removeAttribute('data-meant'));\
         meant?.toggleAttribute('data-meant', true);\
         return meant !== undefined;",
        Value::from(name),
        Value::from(css)
    );
    assert!(app.page.holds_within(&mark, SOON), "no {name:?}: {}", app.page.text(css));
    app.page.click("[data-meant]");
}

/// Waits until the page of the loop shows this status.
pub fn wait_for_word(app: &App<'_>, word: &str, patience: Duration) {
    let shown =
        format!("return document.querySelector('[data-pane=header] .status')?.dataset.tip === '{word}'");
    if !app.page.holds_within(&shown, patience) {
        panic!("not {word:?} but {:?}", app.page.text("[data-pane=header]"));
    }
}

/// Waits until the element exists with this text.
pub fn wait_for_text(app: &App<'_>, css: &str, text: &str) {
    let shown = format!(
        "return document.querySelector({})?.textContent.includes({})",
        Value::from(css),
        Value::from(text)
    );
    assert!(app.page.holds_within(&shown, SOON), "{css} does not say {text:?}");
}

/// Waits until no element matches.
pub fn wait_until_gone(app: &App<'_>, css: &str) {
    app.page.wait_until(&format!("return document.querySelector({}) === null", Value::from(css)), SOON);
}

/// Opens the page of the loop with this title, from the list.
pub fn open_loop(app: &App<'_>, title: &str) {
    app.page.click("[data-testid=nav-loops]");
    app.page.find("[data-testid=loop-row]");
    app.page.click(&row(title));
    wait_for_text(app, "[data-pane=header] h1", title);
}

/// The row of the loop with this title.
#[must_use]
pub fn row(title: &str) -> String {
    format!("[data-testid=loop-row]:has(.title[data-tip=\"{title}\"])")
}

/// The card of this kind on the page of a loop.
#[must_use]
pub fn card(kind: &str) -> String {
    format!("[data-testid=loop-needs] [data-testid=need][data-kind={kind}]")
}

/// Waits for a card on the page of a loop; returns its text.
pub fn wait_for_card(app: &App<'_>, kind: &str, patience: Duration) -> String {
    let css = card(kind);
    let there = format!("return document.querySelector('{css}') !== null");
    if !app.page.holds_within(&there, patience) {
        panic!("no {kind}: {:?}", app.page.text("main"));
    }
    app.page.text(&css)
}

/// Clicks an answer on the card of this kind and waits until the card is gone.
pub fn answer(app: &App<'_>, kind: &str, answer: &str) {
    let css = card(kind);
    let id =
        app.page.execute("return document.querySelector(arguments[0]).dataset.need", &[css.clone().into()]);
    app.page.click(&format!("{css} [data-testid=answer-{answer}]"));
    wait_until_gone(app, &format!("[data-need=\"{}\"]", id.as_str().expect("an id")));
}

/// Requests a stop, confirms it, and waits until the window reports that nothing is left.
pub fn stop(app: &App<'_>) {
    app.page.click("[data-pane=header] [data-testid=verb-stop]");
    app.page.find("[data-testid=verb-dialog]");
    app.page.press(&[keys::ENTER]);
    wait_until_gone(app, "[data-testid=verb-dialog]");
}
