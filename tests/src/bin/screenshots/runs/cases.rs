//! Loops that end up waiting for the person, one for each kind of need.

use super::forms::form;
use super::home::Home;
use crate::extreme::texts;
use crate::look::Amount;
use loopdeck_agents::Level;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_runtime::drivers::plan::{Driver, StartForm};
use loopdeck_tests::driving::{develops, planned};
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long the provider rejects the agent.
const TURNED_AWAY: Duration = Duration::from_secs(95 * 60 + 30);

/// A loop, and its need.
pub(crate) struct Case {
    /// The need, by its name on the page.
    pub(crate) need: &'static str,
    /// Starts it.
    pub(crate) form: StartForm,
}

/// A loop for each need that a run reaches by itself.
pub(crate) fn all(home: &Home, amount: Amount) -> Vec<Case> {
    let long = |text: &str| if amount == Amount::Extreme { longer(text) } else { text.to_owned() };
    vec![
        permission(home, &long),
        question(home, &long),
        menu(home, &long),
        limit(home, &long),
        usage(home, &long),
        sign_in(home, &long),
        failed(home, &long),
    ]
}

/// A text of a few thousand letters that starts with `text`.
fn longer(text: &str) -> String {
    let more: Vec<&str> = (0..16).map(texts::text).collect();
    format!("{text}\n{}", more.join("\n"))
}

type Long<'a> = &'a dyn Fn(&str) -> String;

fn case(home: &Home, need: &'static str, place: (&str, &str), agent: &str, script: &Scripted) -> Case {
    let folder = home.project(place.0, script);
    Case { need, form: form(place.1, &folder, agent) }
}

/// The rules, then a plan of two tasks.
fn claude(rules: Vec<Rule>) -> Scripted {
    let rest = [planned(2), develops("task-001"), develops("task-002")];
    Scripted { output: Output::ClaudeJsonl, rules: rules.into_iter().chain(rest).collect() }
}

fn permission(home: &Home, long: Long<'_>) -> Case {
    let command = long("npm test -- --run src/ledger.test.ts && git push --force origin main");
    let input = json!({ "command": command, "description": "Run the tests of the ledger, then publish" });
    let asks = develops("task-001").then(Step::Ask { tool: "Bash".into(), input });
    let place = ("ledger", "Close the books of October to the cent");
    let mut case = case(home, "permission", place, "claude", &claude(vec![asks]));
    (case.form.plan.ask, case.form.plan.level) = (true, Some(Level::EditFiles));
    case
}

fn question(home: &Home, long: Long<'_>) -> Case {
    let asks =
        long("Two branches are equally near. Should the map show both, or the one that is open longer?");
    let rule = Rule::on("init").answers(json!({ "tasks": [], "needs": asks }));
    case(home, "question", ("atlas", "Show the nearest branch on the map"), "claude", &claude(vec![rule]))
}

fn menu(home: &Home, long: Long<'_>) -> Case {
    let place = ("storefront", "Let people pay with the account that they have");
    let mut case = case(home, "menu", place, "claude", &claude(Vec::new()));
    case.form.work.goal = long(place.1);
    case.form.work.recipe = Recipe::BuildFeature;
    (case.form.work.format, case.form.work.mode) = (Some(NewFormat::LoopB), Some(WorkMode::Interactive));
    case
}

fn limit(home: &Home, long: Long<'_>) -> Case {
    let place = ("warehouse", "Count the stock of every shelf once a night");
    let mut case = case(home, "limit_reached", place, "claude", &claude(Vec::new()));
    case.form.work.goal = long(place.1);
    case.form.work.max_iterations = Some(2);
    case
}

fn usage(home: &Home, long: Long<'_>) -> Case {
    let until = SystemTime::now() + TURNED_AWAY;
    let until = until.duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let info = json!({ "status": "rejected", "resetsAt": until, "rateLimitType": "five_hour" });
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": "s" });
    let result = json!({
        "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
        "result": long("You've hit your limit"),
    });
    let rule = Rule { result, ..Rule::on("develop").then(Step::Raw(format!("{event}\n"))) };
    let place = ("search", "Find what people meant when they mistype");
    let mut case = case(home, "usage_limit", place, "claude", &claude(vec![rule]));
    case.form.plan.wait_for_limit = true;
    case
}

fn sign_in(home: &Home, long: Long<'_>) -> Case {
    let result = json!({ "is_error": true, "api_error_status": 401, "result": long("Invalid API key · Please run /login") });
    let rule = Rule { result, ..Rule::on("develop") };
    case(
        home,
        "sign_in",
        ("newsletter", "Send the letter in the language of its reader"),
        "claude",
        &claude(vec![rule]),
    )
}

fn failed(home: &Home, long: Long<'_>) -> Case {
    let says = long("ENOSPC: no space left on device, write '/var/cache/invoices/2026-11.pdf'");
    let rule = Rule::default().then(Step::Complain(says)).then(Step::Exit(3));
    let script = Scripted { output: Output::Text, rules: vec![rule] };
    let place = ("invoices", "Print every invoice on one page");
    let mut case = case(home, "failed", place, "custom:house", &script);
    case.form.plan.driver = Driver::Skill { command: "/own {id}".into() };
    case
}

/// A loop whose agent has started a task and waits at the file `gate` in its folder; it writes `begun` there.
pub(crate) fn at_the_gate(home: &Home, need: &'static str, place: (&str, &str)) -> Case {
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    let rule = develops("task-001").then(begun).then(Step::WaitFor("gate".into()));
    let script = Scripted { output: Output::Text, rules: vec![rule, planned(2), develops("task-002")] };
    case(home, need, place, "custom:house", &script)
}

/// The name of the loop with this key in the list: the name of its state file, without extension.
pub(crate) fn id_of(key: &str) -> String {
    let name = key.rsplit('/').next().unwrap_or(key);
    name.trim_end_matches(".json").to_owned()
}
