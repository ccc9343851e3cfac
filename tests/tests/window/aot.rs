//! AoT loops in the real window: the sample's loop from start to end, and a new loop from the form through
//! backtracking, a stall, a redirect and its checklist.

use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops;
use loopdeck_core::problem::Problem;
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
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

/// Waits until this many atoms of the graph show that they are running.
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
    // The sample has its own plan, so there is nothing to ask.
    app.page.click("[data-testid=verb-start]");
    app.page.click("[data-testid=tab-work]");
    wait_until_at_work(&app, 2);
    app.screenshot("3-in-parallel");
    app.page.find("[data-unit=A3_printf] .now[data-run]");
    app.screenshot("4-switched");
    wait_for_card(&app, "question", WHOLE);
    app.screenshot("5-assertion");
    answer(&app, "question", "confirm");
    wait_for_word(&app, "Completed", SOON);
    for tab in ["overview", "work", "files", "activity"] {
        app.page.click(&format!("[data-testid=tab-{tab}]"));
        app.page.find(&format!("[data-testid=panel-{tab}]"));
        app.screenshot(&format!("6-{tab}"));
    }
}

/// A worker's answer; `more` replaces members.
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

/// Reports its work, creates a marker file, and waits for its gate.
fn gated(rule: Rule, mark: &str) -> Rule {
    let said = Step::Say(format!("working on {mark}"));
    rule.then(said).then(write(&format!("{mark}.begun"))).then(Step::WaitFor(format!("{mark}.gate").into()))
}

fn fails(atom: &str, why: &str) -> Rule {
    Rule::on("atom").task(atom).answers(worked(&json!({ "status": "failed", "summary": why, "reason": why })))
}

/// A1 and A2 in parallel; A3 fails and A4 replaces it; A5 makes no progress twice; A6 is the person's
/// redirect.
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
    app.page.click("[data-testid=recipe-checklist]");
    app.page.fill("[data-testid=goal]", "Ship the receipt");
    app.page.fill("[data-testid=start-background_intent]", "Customers ask for it");
    app.page.fill("[data-testid=start-deliverables]", "A receipt");
    app.page.fill("[data-testid=start-definition_of_done]", "It can be printed");
    app.page.click("[data-testid=folder]");
    app.page.find("[data-testid=folder-facts]");
    app.page.click("[data-testid=trust]");
    wait_until_gone(app, "[data-testid=trust-card]");
    app.screenshot("1-work");
    next(app, "checks");
    checks(app);
    next(app, "atoms");
    atoms(app);
    next(app, "run");
    app.page.click("[data-testid=\"agent-custom:scripted\"]");
    app.page.click("[data-testid=level-edit_files]");
    app.screenshot("5-run");
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

/// Ticks one of several boxes.
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

/// The state file in the shop, version by version.
struct Followed<'a> {
    shop: &'a Shop<'a>,
    last: String,
}

impl<'a> Followed<'a> {
    fn new(shop: &'a Shop<'a>) -> Self {
        let last = fs::read_to_string(shop.folder.join(AOT)).unwrap();
        assert_eq!(problems(&last), [], "{last}");
        Self { shop, last }
    }

    /// Since the last look exactly these lines changed, the others are unchanged byte for byte, and
    /// upstream's grammar and layout are kept. `control iteration: 1 -> 2` is a line with another value,
    /// `- …` a removed one, `+ …` a new one; `…` at the end matches anything.
    fn changed(&mut self, expected: &[&str]) {
        let text = fs::read_to_string(self.shop.folder.join(AOT)).unwrap();
        assert_eq!(problems(&text), [], "{text}");
        let mut changed = changed_lines(&self.last, &text);
        for one in expected.iter().flat_map(|line| gone_and_new(line)) {
            let fits = |line: &String| match one.strip_suffix('…') {
                Some(start) => line.starts_with(start),
                None => *line == one,
            };
            match changed.iter().position(fits) {
                Some(at) => drop(changed.remove(at)),
                None => panic!("{one:?} is not among {changed:#?}"),
            }
        }
        assert!(changed.is_empty(), "not expected: {changed:#?}\n{text}");
        self.last = text;
    }
}

/// Violations of upstream's grammar and layout, without problems about the state of the work.
fn problems(text: &str) -> Vec<Problem> {
    let facts = FileFacts {
        stem: "aot-loop-state",
        modified: Timestamp::from_millis(0),
        now: Timestamp::from_millis(0),
    };
    let situation = Situation { shown: StatusWord::Running, now: Timestamp::from_millis(0) };
    let found = loops::detail(Format::Aot, text.as_bytes(), &facts, &situation, &[]).problems;
    let is_work = |problem: &Problem| ["V16_", "V17_"].iter().any(|of| problem.code.name().starts_with(of));
    found.into_iter().filter(|problem| !is_work(problem)).collect()
}

/// A line as written, with its section and entry before it.
#[derive(Clone, PartialEq)]
struct Line<'t> {
    label: String,
    written: &'t str,
}

/// Lines that only one of the versions has, each with its place: `- atoms.A1 status: pending`,
/// `+ bindings.A1:`. One that moved, or changed its indent, counts as removed and new.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let (old, new) = (placed_lines(before), placed_lines(after));
    // The longest common subsequence of lines, from each place to the end.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for (i, gone) in old.iter().enumerate().rev() {
        for (j, here) in new.iter().enumerate().rev() {
            common[i][j] =
                if gone == here { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut changed) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            changed.push(format!("- {}", old[i].label));
            i += 1;
        } else {
            changed.push(format!("+ {}", new[j].label));
            j += 1;
        }
    }
    changed
}

fn placed_lines(text: &str) -> Vec<Line<'_>> {
    let (mut section, mut entry) = ("", "");
    let mut lines = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let depth = line.len() - words.len();
        let words = words.strip_prefix("- ").unwrap_or(words);
        let (key, value) = words.split_once(':').unwrap_or((words, ""));
        if depth == 0 {
            if !words.is_empty() {
                (section, entry) = (key, "");
            }
            lines.push(Line { label: line.to_owned(), written: line });
            continue;
        }
        if depth == 2 {
            entry = match (key, value) {
                ("id", id) => id.trim(),
                (name, "") => name,
                _ => "",
            };
        }
        let label = match entry {
            "" => format!("{section} {words}"),
            entry if depth == 2 => format!("{section}.{entry}:"),
            entry => format!("{section}.{entry} {words}"),
        };
        lines.push(Line { label, written: line });
    }
    lines
}

/// `control iteration: 1 -> 2` as the removed line and the new one.
fn gone_and_new(expected: &str) -> Vec<String> {
    let Some((old, value)) = expected.split_once(" -> ") else { return vec![expected.to_owned()] };
    let (key, _) = old.split_once(": ").unwrap();
    vec![format!("- {old}"), format!("+ {key}: {value}")]
}

/// The failed choice is struck out on the graph, and the trail names it next to its replacement.
fn sees_the_switch(app: &App<'_>) {
    app.page.find("[data-unit=A3].failed");
    wait_for_text(app, "[data-unit=A3] .state", "Tried, failed");
    wait_for_text(app, "[data-unit=A4] .turns", "2");
    app.page.click("[data-testid=choices]");
    wait_for_text(app, "[data-testid=graph-trail] li:nth-child(1)", "A3");
    let second = "[data-testid=graph-trail] li:nth-child(2)";
    wait_for_text(app, second, "A4");
    wait_for_text(app, second, "Auto-backtrack: A3 failed (No such library)");
    app.screenshot("7-trail");
    app.page.click("[data-testid=choices]");
    wait_until_gone(app, "[data-testid=choices-drawer]");
}

/// The four checks with the text next to each result.
const PASSED: [(&str, &[&str]); 4] = [
    ("Its tests pass", &["checked by Loopdeck", "exit code 0"]),
    ("The receipt is there", &["checked by Loopdeck"]),
    ("It is readable", &["judged by an agent", "4 of 5"]),
    ("You like it", &["confirmed by you"]),
];

/// Each check is shown as passed, in the list and in the only verification of the history, with who decided
/// it.
fn sees_passed_checks(app: &App<'_>) {
    let outcomes = "[data-testid=checklist] > ul > li [data-testid=check-outcome]";
    let all = format!("return document.querySelectorAll('{outcomes}').length === {}", PASSED.len());
    app.page.wait_until(&all, SOON);
    let results = "const [rows, result] = arguments;\
        return [...document.querySelectorAll(rows)].map((row) =>\
            [row.querySelector('.item').textContent, row.querySelector(result).textContent]);";
    let expected: Vec<[&str; 2]> = PASSED.iter().map(|(name, _)| [*name, "passed"]).collect();
    let shown = |rows: &str, result: &str| app.page.execute(results, &[rows.into(), result.into()]);
    let list = shown("[data-testid=checklist] > ul > li", ".result.pass .word > span");
    assert_eq!(list, json!(expected));
    for (at, (_, facts)) in PASSED.iter().enumerate() {
        let outcome =
            format!("[data-testid=checklist] > ul > li:nth-child({}) [data-testid=check-outcome]", at + 1);
        for fact in *facts {
            wait_for_text(app, &outcome, fact);
        }
    }
    assert_eq!(app.page.count("[data-testid=verdict-old]"), 0, "it is about the file as it is");
    assert_eq!(app.page.count("[data-testid=verification]"), 1);
    wait_for_text(app, "[data-testid=verification]", "4 of 4 passed");
    app.page.click("[data-testid=verification]");
    let history = shown("[data-testid=verifications] li.result > p", ".word > span");
    assert_eq!(history, json!(expected));
}

/// Two atoms are done, and A4 took the place of A3.
const AFTER_THE_SWITCH: [&str; 20] = [
    "control iteration: 1 -> 3",
    "control stall_count: 0 -> 1",
    "control prev_pending_count: -1 -> 3",
    "atoms.A1 status: in_progress -> resolved",
    "atoms.A2 status: in_progress -> resolved",
    "atoms.A4 status: pending -> in_progress",
    "or_groups.alignment selected: A3 -> A4",
    "or_groups.alignment failed: [] -> [A3]",
    "- bindings: {}",
    "+ bindings:",
    "+ bindings.A1:",
    "+ bindings.A1 summary: \"Did A1\"",
    "+ bindings.A1 artifacts: [\"A1.txt\"]",
    "+ bindings.A2:",
    "+ bindings.A2 summary: \"Did A2\"",
    "+ bindings.A2 artifacts: [\"A2.txt\"]",
    "+ trail or_group: alignment",
    "+ trail selected: A4",
    "+ trail reason: \"Auto-backtrack: A3 failed (No such library)\"",
    "+ trail timestamp: …",
];

/// A4 is done, and A5 was tried twice.
const AFTER_THE_STALL: [&str; 8] = [
    "control iteration: 3 -> 6",
    "control stall_count: 1 -> 2",
    "control prev_pending_count: 3 -> 2",
    "atoms.A4 status: in_progress -> resolved",
    "atoms.A5 status: pending -> in_progress",
    "+ bindings.A4:",
    "+ bindings.A4 summary: \"Did A4\"",
    "+ bindings.A4 artifacts: [\"A4.txt\"]",
];

/// The redirect, and all atoms done.
const AFTER_THE_REDIRECT: [&str; 18] = [
    "control prev_pending_count: 2 -> -1",
    "atoms.A5 status: in_progress -> resolved",
    "+ atoms.A6:",
    "+ atoms.A6 description: \"Print it\"",
    "+ atoms.A6 status: resolved",
    "+ atoms.A6 depends_on: []",
    "+ bindings.A5:",
    "+ bindings.A5 summary: \"Did A5\"",
    "+ bindings.A5 artifacts: [\"A5.txt\"]",
    "+ bindings.A6:",
    "+ bindings.A6 summary: \"Did A6\"",
    "+ bindings.A6 artifacts: [\"A6.txt\"]",
    "- corrections: []",
    "+ corrections:",
    "+ corrections timestamp: …",
    "+ corrections type: dag_adjustment",
    "+ corrections description: \"Printing is wanted too\"",
    "+ corrections trail_cleared: false",
];

fn add_an_atom_by_a_redirect(app: &App<'_>) {
    app.page.click("[data-testid=redirect]");
    app.page.find("[data-testid=step-dialog]");
    app.page.click("[data-testid=hold]");
    app.page.wait_until("return document.querySelector('[data-testid=hold]') === null", SOON);
    click_choice(app, "redirect-what", "add_atom");
    app.page.fill("[data-testid=redirect-atom-description]", "Print it");
    app.page.fill("[data-testid=redirect-description]", "Printing is wanted too");
    app.page.find("[data-testid=effects]");
    app.screenshot("9-redirect");
    app.page.click("[data-testid=step-confirm]");
    wait_until_gone(app, "[data-testid=step-dialog]");
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

    // A3 fails, and A4 replaces it.
    shop.wait_for("A4.begun");
    app.page.find("[data-unit=A4] .now[data-run]");
    app.screenshot("7-switched");
    file.changed(&AFTER_THE_SWITCH);
    sees_the_switch(&app);
    shop.open("A4.gate");

    // A5 makes no progress twice; its third attempt is interrupted by a redirect.
    shop.wait_for("A5.begun");
    wait_for_text(&app, "[data-testid=stall]", "2 of 4");
    app.screenshot("8-stall");
    file.changed(&AFTER_THE_STALL);
    add_an_atom_by_a_redirect(&app);
    wait_for_card(&app, "question", WHOLE);
    file.changed(&AFTER_THE_REDIRECT);
    app.screenshot("10-assertion");
    answer(&app, "question", "confirm");
    wait_for_word(&app, "Completed", SOON);
    file.changed(&["control status: running -> completed"]);
    app.page.click("[data-testid=tab-activity]");
    app.page.find("[data-testid=panel-activity]");
    wait_for_text(&app, "[data-testid=panel-activity]", "A5");
    app.screenshot("11-activity");
    app.page.click("[data-testid=tab-overview]");
    sees_passed_checks(&app);
    app.screenshot("12-verified");
    assert!(shop.processes().is_empty());
}
