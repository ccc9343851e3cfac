//! AoT loops in the real window: the sample's loop from start to end, and a loop of the person's own from the form through
//! backtracking, a stall, a redirect and its checklist.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]
#![cfg(all(feature = "window", target_os = "linux"))]

use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{Place, summary};
use loopdeck_tests::live::AOT;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use loopdeck_tests::window::loops::{
    SOON, WHOLE, add_agent, answer, next, wait_for_card, wait_for_text, wait_for_word, wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::{Value, json};
use std::fs;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");

/// Opens a loop by its title with the palette.
fn open_by_palette(app: &App<'_>, title: &str) {
    app.page.press(&[keys::CONTROL, "k"]);
    app.page.find("[data-testid=palette-input]");
    app.page.type_text(title);
    app.page.press(&[keys::ENTER]);
}

/// Waits until so many atoms of the graph show that they are running.
fn wait_until_at_work(app: &App<'_>, count: u32) {
    let shown = format!("return document.querySelectorAll('[data-unit] .now[data-run]').length === {count}");
    app.page.wait_until(&shown, SOON);
}

#[test]
fn a_newcomer_runs_the_atoms_of_the_sample_without_an_account() {
    let stage = Stage::new("aot-sample");
    let app = stage.open(&[]);
    app.page.click("[data-testid=open-sample]");
    app.page.find("[data-testid=loop-row]");
    app.screenshot("0-list");
    open_by_palette(&app, "build a receipt");
    app.page.find("[data-testid=verb-start]");
    app.screenshot("1-overview");
    app.page.click("[data-testid=verb-start]");
    app.page.find("[data-testid=launch-dialog]");
    app.screenshot("2-asked");
    app.page.wait_until("return !document.querySelector('[data-testid=launch-confirm]').disabled", SOON);
    app.page.click("[data-testid=launch-confirm]");
    wait_until_gone(&app, "[data-testid=launch-dialog]");
    app.page.click("[data-testid=tab-work]");
    wait_until_at_work(&app, 2);
    app.screenshot("3-in-parallel");
    app.page.find("[data-unit=A3_printf] .now[data-run]");
    app.screenshot("4-switched");
    wait_for_card(&app, "question", WHOLE);
    app.screenshot("5-assertion");
    answer(&app, "question", "confirm");
    wait_for_word(&app, "Completed", SOON);
    for tab in ["overview", "work", "documents", "activity", "history"] {
        app.page.click(&format!("[data-testid=tab-{tab}]"));
        app.page.find(&format!("[data-testid=panel-{tab}]"));
        app.screenshot(&format!("6-{tab}"));
    }
}

/// What a worker answers; `more` replaces members.
fn worked(more: &Value) -> Value {
    let mut answer = json!({
        "status": "resolved", "summary": "Done", "artifacts": [], "children": [], "reason": null, "needs": null,
    });
    let (Some(members), Some(more)) = (answer.as_object_mut(), more.as_object()) else { panic!("objects") };
    members.extend(more.clone());
    answer
}

fn resolves(atom: &str) -> Rule {
    Rule::on("atom")
        .task(atom)
        .answers(worked(&json!({ "summary": format!("Did {atom}"), "artifacts": [format!("{atom}.txt")] })))
}

/// Says what it does, marks that it began, and waits for its gate.
fn gated(rule: Rule, mark: &str) -> Rule {
    let said = Step::Say(format!("working on {mark}"));
    rule.then(said).then(write(&format!("{mark}.begun"))).then(Step::WaitFor(format!("{mark}.gate").into()))
}

fn fails(atom: &str, why: &str) -> Rule {
    Rule::on("atom").task(atom).answers(worked(&json!({ "status": "failed", "summary": why, "reason": why })))
}

/// A1 and A2 in parallel; A3 fails and A4 takes its place; A5 makes no progress twice; A6 is the person's redirect.
fn script() -> Scripted {
    let scores = json!({ "scores": [{ "criterion": "Short functions", "score": 4, "evidence": "src/money.sh: one line" }] });
    let rules = vec![
        gated(resolves("A1"), "A1"),
        gated(resolves("A2"), "A2").then(write("receipt.txt")),
        fails("A3", "No such library"),
        gated(resolves("A4"), "A4"),
        fails("A5", "Nothing works yet").times(2),
        gated(resolves("A5").times(1), "A5"),
        resolves("A5"),
        resolves("A6"),
        Rule::on("judge").answers(scores),
    ];
    Scripted { output: Output::Text, rules }
}

/// The pages of the form up to the first atoms.
fn align(app: &App<'_>, shop: &Shop<'_>) {
    app.page.click("[data-testid=start-loop]");
    app.page.click("[data-testid=example-checklist]");
    app.page.fill("[data-testid=goal]", "Ship the receipt");
    app.page.fill("[data-testid=start-background_intent]", "Customers ask for it");
    app.page.fill("[data-testid=start-deliverables]", "A receipt");
    app.page.fill("[data-testid=start-definition_of_done]", "It can be printed");
    app.screenshot("1-goal");
    next(app, "where");
    app.page.click("[data-testid=folder]");
    app.page.find("[data-testid=folder-facts]");
    app.page.click("[data-testid=trust]");
    wait_until_gone(app, "[data-testid=trust-card]");
    next(app, "how");
    app.page.click("[data-testid=\"agent-custom:scripted\"]");
    app.page.click("[data-testid=level-edit_files]");
    app.screenshot("2-how");
    next(app, "checks");
    checks(app);
    next(app, "atoms");
    atoms(app);
    next(app, "review");
    app.screenshot("5-review");
    assert!(!shop.folder.join(AOT).exists(), "nothing is written before the person starts it");
}

/// A checklist with a command, a file, a quality item and an assertion.
fn checks(app: &App<'_>) {
    click_choice(app, "check-shape", "checklist");
    let items = [
        ("Its tests pass", "command", "test -e receipt.txt"),
        ("The receipt is there", "file", "receipt.txt"),
        ("It is readable", "quality", ""),
        ("You like it", "assertion", "The receipt looks right"),
    ];
    for (index, (name, part, value)) in items.into_iter().enumerate() {
        if index > 0 {
            app.page.click("[data-testid=check-items] > button");
        }
        let field = |what: &str| format!("[data-testid=check-0-{index}-{what}]");
        app.page.fill(&field("name"), name);
        choose(app, &field("part"), part);
        if part == "quality" {
            app.page.fill(&field("criteria"), "Short functions");
        } else {
            app.page.fill(&field("value"), value);
        }
    }
    app.screenshot("3-checks");
}

fn atoms(app: &App<'_>) {
    let atoms = [
        ("Lines", "", ""),
        ("Sum", "", ""),
        ("Align with a library", "A1 A2", "alignment"),
        ("Align by hand", "A1 A2", "alignment"),
        ("Write the guide", "A3", ""),
    ];
    for (index, (text, needs, group)) in atoms.into_iter().enumerate() {
        let atom = format!("A{}", index + 1);
        app.page.click("[data-testid=add-atom]");
        app.page.fill(&format!("[data-testid=atom-{atom}-text]"), text);
        if !needs.is_empty() {
            app.page.click(&format!("[data-testid=atom-{atom}-waits]"));
            for need in needs.split(' ') {
                pick(app, &format!("atom-{atom}-needs"), need);
            }
        }
        if !group.is_empty() {
            app.page.fill(&format!("[data-testid=atom-{atom}-group]"), group);
        }
    }
    app.page.fill("[data-testid=limit-max_parallel_agents]", "2");
    app.page.fill("[data-testid=limit-max_stall_count]", "4");
    app.screenshot("4-atoms");
}

/// Ticks the box of one of several.
fn pick(app: &App<'_>, testid: &str, id: &str) {
    let mark = "const [testid, id] = arguments;\
        for (const label of document.querySelectorAll(`[data-testid=\"${testid}\"] label`))\
            label.querySelector('input').toggleAttribute('data-meant', label.querySelector('code').textContent === id);";
    app.page.execute(mark, &[testid.into(), id.into()]);
    app.page.click(&format!("[data-testid=\"{testid}\"] [data-meant]"));
}

fn choose(app: &App<'_>, css: &str, value: &str) {
    app.page.click(&format!("{css} option[value={value}]"));
    app.page.wait_until(&format!("return document.querySelector('{css}').value === '{value}'"), SOON);
}

fn click_choice(app: &App<'_>, testid: &str, value: &str) {
    app.page.click(&format!("[data-testid={testid}] input[value={value}]"));
}

/// The state file in the shop, followed version by version.
struct Followed<'a> {
    shop: &'a Shop<'a>,
    last: String,
}

impl<'a> Followed<'a> {
    fn new(shop: &'a Shop<'a>) -> Self {
        let last = fs::read_to_string(shop.folder.join(AOT)).unwrap();
        Self { shop, last }
    }

    /// What changed since the last look: upstream's grammar holds, and nothing outside `fields` was touched.
    fn changed(&mut self, fields: &[&str]) {
        let text = fs::read_to_string(self.shop.folder.join(AOT)).unwrap();
        let facts = FileFacts { stem: "aot-loop-state", modified: 0, now: 0 };
        let summary = summary(Place::AotFile, text.as_bytes(), &facts).unwrap();
        assert_eq!(summary.problems, [], "{text}");
        let [before, after] = [&self.last, &text].map(|text| sections(text));
        assert_eq!(before.len(), after.len(), "{text}");
        for ((name, was), (_, is)) in before.iter().zip(&after) {
            assert!(was == is || fields.contains(name), "{name} changed:\n{was}\n->\n{is}");
        }
        self.last = text;
    }
}

/// The parts of the front matter by name, and the body as `---`.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<usize> = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|at| text[*at..].starts_with(|c: char| c.is_ascii_lowercase() || c == '-'))
        .collect();
    let body = text.rfind("\n---\n").unwrap() + 1;
    starts.retain(|at| *at <= body);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            (text[*start..].split(':').next().unwrap().get(..).unwrap_or("---"), &text[*start..end])
        })
        .map(|(name, part)| (name.lines().next().unwrap_or("---"), part))
        .collect()
}

#[test]
fn a_person_aligns_runs_redirects_and_completes_a_loop() {
    let stage = Stage::new("aot-own");
    let shop = Shop::new(&stage, "shop", &script());
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    align(&app, &shop);
    app.page.click("[data-testid=start-next]");
    shop.wait_for("A1.begun");
    shop.wait_for("A2.begun");
    let mut file = Followed::new(&shop);
    wait_for_word(&app, "Running", SOON);
    app.page.click("[data-testid=tab-work]");
    wait_until_at_work(&app, 2);
    app.page.find("[data-unit=A1] .now[data-run]");
    app.screenshot("6-in-parallel");
    shop.open("A1.gate");
    shop.open("A2.gate");

    // A3 fails, and A4 takes its place.
    shop.wait_for("A4.begun");
    app.page.find("[data-unit=A4] .now[data-run]");
    app.screenshot("7-switched");
    file.changed(&["control", "atoms", "or_groups", "bindings", "trail"]);
    assert!(file.last.contains("Auto-backtrack: A3 failed (No such library)"), "{}", file.last);
    shop.open("A4.gate");

    // A5 makes no progress twice; its third attempt is interrupted by a redirect.
    shop.wait_for("A5.begun");
    wait_for_text(&app, "[data-testid=stall]", "2 of 4");
    app.screenshot("8-stall");
    file.changed(&["control", "atoms", "bindings"]);
    app.page.click("[data-testid=redirect]");
    app.page.find("[data-testid=step-dialog]");
    app.page.click("[data-testid=hold]");
    app.page.wait_until("return document.querySelector('[data-testid=hold]') === null", SOON);
    click_choice(&app, "redirect-what", "add_atom");
    app.page.fill("[data-testid=redirect-atom-description]", "Print it");
    app.page.fill("[data-testid=redirect-description]", "Printing is wanted too");
    app.page.find("[data-testid=effects]");
    app.screenshot("9-redirect");
    app.page.click("[data-testid=step-confirm]");
    wait_until_gone(&app, "[data-testid=step-dialog]");

    wait_for_card(&app, "question", WHOLE);
    file.changed(&["control", "atoms", "bindings", "corrections"]);
    assert!(file.last.contains("type: dag_adjustment"), "{}", file.last);
    app.screenshot("10-assertion");
    answer(&app, "question", "confirm");
    wait_for_word(&app, "Completed", SOON);
    file.changed(&["control"]);
    app.page.click("[data-testid=tab-activity]");
    app.page.find("[data-testid=panel-activity]");
    wait_for_text(&app, "[data-testid=panel-activity]", "A5");
    app.screenshot("11-activity");
    app.page.click("[data-testid=tab-overview]");
    app.page.find("[data-testid=verification]");
    app.screenshot("12-verified");
    assert!(shop.processes().is_empty());
}
