//! Interactive loops that really run: the menu before each action, exiting through it, and a pause while it
//! is open.

use loopdeck_core::control::Verb;
use loopdeck_core::driver::MenuChoice as C;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedKind};
use loopdeck_tests::driving::{Driven, PASSING, develops, planned};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};

/// An interactive loop and its answered menus.
struct Table {
    driven: Driven,
    name: String,
    last: String,
}

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn form(driven: &Driven, rules: Vec<Rule>) -> StartForm {
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.small_form("custom:scripted");
    (form.work.recipe, form.work.mode) = (Recipe::BuildFeature, Some(WorkMode::Interactive));
    form
}

impl Table {
    fn start(mut driven: Driven, form: &StartForm) -> Self {
        let name = driven.start(form);
        Self { driven, name, last: String::new() }
    }

    /// The next menu, once the action before it is done.
    fn menu(&mut self) -> Need {
        self.driven.wait(&self.name, "a menu", |row| row.word == StatusWord::NeedsYou);
        let (runtime, last) = (&self.driven.live.runtime, &self.last);
        let need = eventually("another menu", || {
            let needs = runtime.needs().needs;
            needs.into_iter().find(|need| need.kind == NeedKind::Menu && need.id != *last)
        });
        self.last.clone_from(&need.id);
        need
    }

    fn choose(&mut self, choice: C) -> Vec<C> {
        let need = self.menu();
        let at = need.choices.iter().position(|offered| *offered == choice);
        let at = at.unwrap_or_else(|| panic!("{choice:?} of {:?}", need.choices));
        self.driven.answer(&need, NeedAnswer::Choose { index: u32::try_from(at).unwrap() });
        need.choices
    }

    fn state(&self) -> Value {
        self.driven.state(&self.name)
    }

    fn wait_for(&mut self, word: StatusWord) {
        self.driven.wait_for_word(&self.name, word);
    }
}

#[test]
fn a_loop_v2_does_what_is_chosen_and_nothing_else() {
    let driven = driven();
    let fixed =
        Rule::on("debug").then(Step::Write { path: "fixed".into(), text: String::new() }).answers(json!({
            "hypotheses": [], "understanding": "a file was missing", "confirmed": null, "fixed": true,
            "files_changed": ["fixed"], "needs": null,
        }));
    let mut form = form(&driven, vec![planned(1), develops("task-001"), fixed]);
    let fails = "printf 'TAP version 13\\n1..1\\nnot ok 1 - it is there\\n'; exit 1";
    form.plan.test_command = format!("if test -e fixed; then {PASSING}; else {fails}; fi");
    let mut table = Table::start(driven, &form);
    let whole = [C::Develop, C::Debug, C::Validate, C::Complete, C::Exit];
    assert_eq!(table.choose(C::Develop), whole);
    assert_eq!(table.state()["skill_state"]["mode"], "interactive");
    assert_eq!(table.choose(C::Validate), whole[1..], "no task is open any more");
    assert_eq!(table.menu().choices, whole[1..]);
    assert_eq!(table.state()["skill_state"]["validate"]["passed"], false);
    table.last.clear(); // it was only read
    table.choose(C::Debug);
    table.choose(C::Validate);
    table.choose(C::Complete);
    table.wait_for(StatusWord::Completed);
    table.driven.all_gone();
    let ran: Vec<String> = table.driven.ran(&table.name);
    let actions: Vec<&str> = ran.iter().filter_map(|run| run.split(' ').next()).collect();
    assert_eq!(actions, ["init", "develop", "validate", "debug", "validate"]);
    let state = table.state();
    let done = ["DEVELOP", "VALIDATE", "DEBUG", "VALIDATE", "COMPLETE"];
    assert_eq!(state["skill_state"]["completed_actions"], json!(done));
    assert_eq!(state["skill_state"]["summary"]["validate"]["runs"], 2);
}

#[test]
fn a_loop_v2_that_is_left_can_be_reopened() {
    let driven = driven();
    let mut form = form(&driven, vec![develops("task-001"), develops("task-002")]);
    form.work.tasks = vec!["Part 1".into(), "Part 2".into()];
    let mut table = Table::start(driven, &form);
    table.choose(C::Develop);
    table.choose(C::Exit);
    table.wait_for(StatusWord::LeftByUser);
    let left = table.state();
    assert_eq!(
        (&left["status"], left.get("failure_reason"), left.get("completed_at")),
        (&json!("user_exit"), None, None)
    );
    assert_eq!(left["skill_state"]["mode"], "interactive", "typed tasks are taken in with the mode");
    assert_eq!(table.driven.live.runtime.needs().needs, [], "nobody is asked any more");
    table.driven.all_gone();
    let control = table.driven.live.detail(&table.name).controls;
    let reopen = control.into_iter().find(|control| control.verb == Verb::Reopen).unwrap();
    assert_eq!((reopen.refusal, reopen.confirm), (None, false));

    table.driven.launch(&table.name).unwrap();
    assert_eq!(table.choose(C::Develop)[0], C::Develop, "the second task waits");
    table.choose(C::Validate);
    table.choose(C::Complete);
    table.wait_for(StatusWord::Completed);
    let actions: Vec<String> = table.driven.ran(&table.name);
    assert_eq!(actions, ["develop task-001 ok", "develop task-002 ok", "validate ok"]);
}

#[test]
fn a_pause_at_the_menu_is_written_down_and_the_next_action_takes_its_place() {
    let driven = driven();
    let form = form(&driven, vec![planned(1), develops("task-001").then(Step::WaitFor("gate".into()))]);
    let mut table = Table::start(driven, &form);
    table.menu();
    table.driven.live.act(&table.name, Verb::Pause).unwrap();
    table.wait_for(StatusWord::Paused);
    // The status is a person's write, the action the driver's when it leaves: the second one follows the first.
    let paused = |table: &Table| {
        eventually("paused", || {
            let state = table.state();
            let words = (&state["status"], &state["skill_state"]["current_action"]);
            (words == (&json!("paused"), &json!("paused"))).then_some(())
        });
    };
    paused(&table);
    assert_eq!(table.driven.live.runtime.needs().needs, []);
    let facts = table.driven.live.detail(&table.name).facts;
    assert!(
        facts
            .iter()
            .any(|fact| fact.name == "current_action" && format!("{:?}", fact.value).contains("paused"))
    );
    // Nothing undoes it, not even the guard of the request.
    table.driven.wait(&table.name, "in effect", |row| {
        row.request
            .as_ref()
            .is_none_or(|request| request.state == loopdeck_runtime::views::RequestState::InEffect)
    });
    paused(&table);

    table.driven.launch(&table.name).unwrap();
    table.choose(C::Develop);
    eventually("develop", || (table.state()["skill_state"]["current_action"] == "develop").then_some(()));
    // A pause in the middle of an action: its result is kept, then the driver exits.
    table.driven.live.act(&table.name, Verb::Pause).unwrap();
    table.wait_for(StatusWord::Pausing);
    table.driven.open("gate");
    table.wait_for(StatusWord::Paused);
    paused(&table);
    assert_eq!(table.state()["skill_state"]["develop"]["completed"], 1);
    table.driven.all_gone();
}

#[test]
fn a_pause_of_another_tool_at_the_menu_is_written_down_too() {
    let driven = driven();
    let form = form(&driven, vec![planned(1)]);
    let mut table = Table::start(driven, &form);
    table.menu();
    let pause = |text: &str| text.replace("\"status\": \"running\"", "\"status\": \"paused\"");
    // As long as our own start is still guarded against it.
    eventually("paused", || {
        let text = table.driven.live.read(&table.name);
        if text != pause(&text) {
            table.driven.live.replace(&table.name, pause(&text));
        }
        let state: Value = serde_json::from_str(&text).ok()?;
        (state["status"] == "paused" && state["skill_state"]["current_action"] == "paused").then_some(())
    });
    table.wait_for(StatusWord::Paused);
    eventually("nobody is asked", || table.driven.live.runtime.needs().needs.is_empty().then_some(()));
    table.driven.all_gone();
}

#[test]
fn a_mode_that_is_changed_by_hand_counts_from_the_next_action_on() {
    let driven = driven();
    let form = form(&driven, vec![planned(2), develops("task-001"), develops("task-002")]);
    let mut table = Table::start(driven, &form);
    let need = table.menu();
    let text = table.driven.live.read(&table.name);
    table.driven.live.replace(&table.name, text.replace("\"interactive\"", "\"auto\""));
    let debug = need.choices.iter().position(|choice| *choice == C::Debug).unwrap();
    table.driven.answer(&need, NeedAnswer::Choose { index: u32::try_from(debug).unwrap() });
    table.wait_for(StatusWord::Completed);
    let ran = table.driven.ran(&table.name);
    assert_eq!(ran, ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"]);
}

#[test]
fn without_a_test_command_validate_asks() {
    let driven = driven();
    let mut form = form(&driven, vec![planned(1), develops("task-001")]);
    form.plan.test_command.clear();
    let mut table = Table::start(driven, &form);
    table.choose(C::Validate);
    let need = table.driven.wait_for_need(&table.name, NeedKind::Question);
    assert_eq!(need.args["question"], "tests_cannot_run");
    table.driven.answer(&need, NeedAnswer::GoOn);
    table.wait_for(StatusWord::Completed);
}

#[test]
fn a_loop_b_is_left_by_its_menu_too() {
    let driven = driven();
    let mut form = form(&driven, vec![planned(1)]);
    form.work.format = Some(NewFormat::LoopB);
    let mut table = Table::start(driven, &form);
    assert_eq!(table.choose(C::Init), [C::Init, C::Exit]);
    assert_eq!(table.choose(C::Exit), [C::Develop, C::Exit]);
    table.wait_for(StatusWord::LeftByUser);
    let state = table.state();
    assert_eq!((&state["status"], &state["skill_state"]["phase"]), (&json!("user_exit"), &json!("init")));
    table.driven.all_gone();
}
