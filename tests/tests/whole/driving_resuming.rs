//! An interrupted action continues in its agent's conversation; a new action starts a new one.

use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_agents::table::LaunchNote;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan, StartForm};
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedKind, OutputKind, Resumed, RunView};
use loopdeck_tests::driving::{Driven, develops, more, planned};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The scripted agent as Claude Code.
fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let program = env!("CARGO_BIN_EXE_scripted_agent");
    driven.live.runtime.set_program("claude", Some(program.into())).unwrap();
    driven
}

fn form(driven: &Driven) -> StartForm {
    let mut form = driven.small_form("claude");
    form.plan.level = Some(Level::EditFiles);
    form
}

fn script(driven: &Driven, rules: Vec<Rule>) {
    let rules = rules.into_iter().chain([planned(2), develops("task-001"), develops("task-002")]).collect();
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// The first task, started and never finished, once.
fn begun() -> Rule {
    develops("task-001").times(1).then(write("begun")).then(Step::Hang)
}

/// Runs of the agent on the first task, oldest first.
fn tries(driven: &Driven, name: &str) -> Vec<RunView> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    runs.into_iter().rev().filter(|run| run.task.as_deref() == Some("task-001")).collect()
}

/// How a run was told its conversation.
fn told<'a>(run: &'a RunView, flag: &str) -> Option<&'a str> {
    run.argv.windows(2).find(|pair| pair[0] == flag).map(|pair| pair[1].as_str())
}

fn prompt(driven: &Driven, run: &RunView) -> String {
    std::fs::read_to_string(driven.live.data().runs().join(&run.id).join("stdin.txt")).unwrap()
}

/// The first row of a run that Loopdeck itself wrote.
fn note(driven: &Driven, name: &str, run: &RunView) -> Option<(String, String)> {
    let key = driven.live.key(name);
    let rows = driven.live.runtime.output(&key, Some(&run.id), 0, 100).unwrap().rows;
    rows.into_iter().find(|row| row.kind == OutputKind::Note).map(|row| (row.name, row.text))
}

/// Expects that the second attempt continued the conversation of the first one.
fn one_conversation(driven: &Driven, name: &str) {
    let tries = tries(driven, name);
    let [first, second] = tries.as_slice() else { panic!("{}", driven.told(name)) };
    let id = told(first, "--session-id").unwrap();
    assert_eq!((first.session.as_deref(), &first.resumed), (Some(id), &None));
    assert_eq!((told(second, "--resume"), told(second, "--session-id")), (Some(id), None));
    assert_eq!(second.resumed, Some(Resumed::GoesOn { session: id.to_owned() }));
    assert_eq!(second.session.as_deref(), Some(id), "{}", driven.told(name));
    assert_eq!(note(driven, name, second), Some(("goes_on".to_owned(), id.to_owned())));
    let (whole, short) = (prompt(driven, first), prompt(driven, second));
    assert!(short.contains("Go on where you were") && short.contains("Task task-001"), "{short}");
    assert!(short.len() < whole.len(), "{short}");
}

#[test]
fn pause_now_and_resume_are_one_conversation_and_the_next_task_is_another() {
    let mut driven = driven();
    script(&driven, vec![begun()]);
    let name = driven.start(&form(&driven));
    driven.wait_for_file("begun");
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    // The person is told beforehand, and it is not promised for another agent.
    let key = driven.live.key(&name);
    let plan = driven.live.runtime.plan_of(&key).unwrap();
    let says_so = |driven: &Driven, plan: &RunPlan| {
        driven.live.runtime.review_launch(&key, plan).unwrap().notes.contains(&LaunchNote::GoesOn)
    };
    assert!(says_so(&driven, &plan));
    assert!(!says_so(&driven, &RunPlan { agent: "custom:claude-like".into(), ..plan.clone() }));
    assert!(!says_so(&driven, &RunPlan { driver: Driver::Skill { command: String::new() }, ..plan.clone() }));
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    assert!(!says_so(&driven, &plan), "nothing is cut off any more");
    one_conversation(&driven, &name);
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    let next = runs.iter().find(|run| run.task.as_deref() == Some("task-002")).unwrap();
    assert_eq!((&next.resumed, told(next, "--resume")), (&None, None));
    assert_eq!(note(&driven, &name, next), None);
    assert_ne!(next.session, runs[2].session);
}

#[test]
fn an_agent_that_crashes_goes_on_once_and_then_anew() {
    let mut driven = driven();
    script(
        &driven,
        vec![Rule::on("develop").task("task-001").times(2).then(write("begun")).then(Step::Crash)],
    );
    let name = driven.start(&form(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    one_conversation(&driven, &name);
    let asked_of = tries(&driven, &name)[1].id.clone();
    assert_eq!(need.run, Some(asked_of), "the question stems from the newest try");
    driven.answer(&need, NeedAnswer::TryAgain);
    driven.wait_for_word(&name, StatusWord::Completed);
    let last = tries(&driven, &name).remove(2);
    assert_eq!((last.resumed, last.outcome), (None, Some(Outcome::Ok)));
}

#[test]
fn after_a_usage_limit_that_was_waited_for_the_conversation_goes_on() {
    let mut driven = driven();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let info = json!({ "status": "rejected", "resetsAt": now + 1, "rateLimitType": "five_hour" });
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": "s" });
    let result = json!({
        "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
        "result": "You've hit your limit",
    });
    let limited = Rule::on("develop").task("task-001").times(1).then(Step::Raw(format!("{event}\n")));
    script(&driven, vec![Rule { result, ..limited }]);
    let mut form = form(&driven);
    form.plan.wait_for_limit = true;
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
    assert_eq!(need.run, Some(tries(&driven, &name)[0].id.clone()));
    driven.wait_for_word(&name, StatusWord::Completed);
    one_conversation(&driven, &name);
}

#[test]
fn after_a_limit_that_was_extended_the_conversation_goes_on() {
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), |options| {
            // The first run has to end within it, on a busy machine too.
            options.minute = Duration::from_secs(6);
        });
    let program = env!("CARGO_BIN_EXE_scripted_agent");
    driven.live.runtime.set_program("claude", Some(program.into())).unwrap();
    script(&driven, vec![begun()]);
    let mut form = form(&driven);
    form.plan.minutes = Some(1);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.run, tries(&driven, &name).first().map(|run| run.id.clone()));
    driven.answer(&need, more("time", 500));
    driven.wait_for_word(&name, StatusWord::Completed);
    one_conversation(&driven, &name);
}

#[test]
fn a_conversation_that_the_agent_does_not_know_any_more_begins_anew_and_the_output_says_so() {
    let mut driven = driven();
    let forgets = Rule { forgets: true, ..Rule::on("develop") };
    let rules = vec![planned(1), forgets, begun(), develops("task-001")];
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
    let name = driven.start(&form(&driven));
    driven.wait_for_file("begun");
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(
        driven.ran(&name),
        [
            "init ok",
            "develop task-001 cancelled",
            "develop task-001 unknown",
            "develop task-001 ok",
            "validate ok"
        ]
    );
    let tries = tries(&driven, &name);
    let old = tries[0].session.clone().unwrap();
    assert_eq!(tries[1].resumed, Some(Resumed::GoesOn { session: old.clone() }));
    assert_eq!(tries[2].resumed, Some(Resumed::BeganAnew { session: old.clone() }));
    assert_eq!(told(&tries[2], "--session-id"), Some(tries[2].id.as_str()));
    assert_eq!(note(&driven, &name, &tries[2]), Some(("began_anew".to_owned(), old)));
    assert!(prompt(&driven, &tries[2]).contains("## Rules"), "it is told everything");
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn what_an_agent_deferred_is_asked_and_answered_in_its_conversation() {
    let mut driven = driven();
    let questions = json!({ "questions": [{ "question": "Which colour?", "header": "Colour" }] });
    let result = json!({
        "terminal_reason": "tool_deferred", "stop_reason": "tool_deferred", "result": "",
        "deferred_tool_use": { "id": "toolu_1", "name": "AskUserQuestion", "input": questions },
    });
    script(&driven, vec![Rule { result, ..Rule::on("develop").task("task-001").times(1) }]);
    let name = driven.start(&form(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.text.as_str()), ("agent_asks", "Which colour?"));
    assert_eq!(need.run, Some(tries(&driven, &name)[0].id.clone()));
    driven.answer(&need, NeedAnswer::Say { text: "The blue one".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
    one_conversation(&driven, &name);
    let second = tries(&driven, &name).remove(1);
    assert!(prompt(&driven, &second).contains("To \"Which colour?\": The blue one"));
}

/// A worker of a parallel round.
fn worker(word: &str) -> Rule {
    Rule::on(word).answers(json!({
        "status": "success", "summary": "done", "files_changed": [], "completed_tasks": ["task-001"],
        "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    }))
}

fn side_by_side(driven: &Driven, rules: Vec<Rule>) -> StartForm {
    let rules = [planned(1)].into_iter().chain(rules).collect();
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
    let mut form = form(driven);
    form.work.recipe = Recipe::BuildFeature;
    (form.work.format, form.work.mode) = (Some(NewFormat::LoopB), Some(WorkMode::Parallel));
    form
}

/// Runs of a worker, oldest first.
fn of_worker(driven: &Driven, name: &str, worker: &str) -> Vec<RunView> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    runs.into_iter().rev().filter(|run| run.action == worker).collect()
}

#[test]
fn workers_that_were_cut_off_side_by_side_go_on_each_in_its_own_conversation() {
    let mut driven = driven();
    let hangs = |word: &str| worker(word).times(1).then(write(word)).then(Step::Hang);
    let rules = vec![hangs("develop"), hangs("debug"), worker("develop"), worker("debug")];
    let name = driven.start(&side_by_side(&driven, rules));
    driven.wait_for_file("develop");
    driven.wait_for_file("debug");
    driven.live.runtime.stop_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    for word in ["develop", "debug"] {
        let runs = of_worker(&driven, &name, word);
        assert_eq!(runs.len(), 2, "{}", driven.told(&name));
        assert_eq!(told(&runs[1], "--resume"), runs[0].session.as_deref(), "{word}");
    }
}

fn asks(driven: &mut Driven, what: &str) -> Need {
    eventually(what, || {
        let needs = driven.live.runtime.needs().needs;
        needs.into_iter().find(|need| need.input.as_ref().is_some_and(|input| input.contains(what)))
    })
}

#[test]
fn two_workers_that_ask_under_one_name_are_answered_and_withdrawn_each_by_its_run() {
    let mut driven = driven();
    let ask = |what: &str| Step::Ask { tool: "Bash".into(), input: json!({ "command": what }) };
    let request = |what: &str| {
        let request = json!({
            "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": what }, "tool_use_id": "t",
        });
        json!({ "type": "control_request", "request_id": "same", "request": request })
    };
    let raw = |event: Value| Step::Raw(format!("{event}\n"));
    let cancel = json!({ "type": "control_cancel_request", "request_id": "same" });
    let rules = vec![
        worker("develop")
            .then(raw(request("develops")))
            .then(Step::WaitFor("gate".into()))
            .then(raw(cancel))
            .then(ask("more"))
            .then(write("allowed")),
        worker("debug").then(raw(request("debugs"))).then(Step::WaitFor("end".into())),
    ];
    let mut form = side_by_side(&driven, rules);
    form.plan.ask = true;
    let name = driven.start(&form);
    let (one, other) = (asks(&mut driven, "develops"), asks(&mut driven, "debugs"));
    assert_eq!(one.run, Some(of_worker(&driven, &name, "develop")[0].id.clone()));
    assert_eq!(other.run, Some(of_worker(&driven, &name, "debug")[0].id.clone()));
    driven.open("gate");
    let more = asks(&mut driven, "more");
    let needs = driven.live.runtime.needs().needs;
    let inputs: Vec<bool> = needs.iter().map(|need| need.id == other.id || need.id == more.id).collect();
    assert_eq!(inputs, [true, true], "only the one that was withdrawn is gone: {needs:#?}");
    driven.answer(&more, NeedAnswer::AllowOnce);
    driven.wait_for_file("allowed");
    driven.open("end");
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn an_agent_that_cannot_resume_begins_anew() {
    let mut driven = driven();
    let rules = vec![planned(1), begun(), develops("task-001")];
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
    let name = driven.start(&driven.small_form("custom:claude-like"));
    driven.wait_for_file("begun");
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    let tries = tries(&driven, &name);
    assert_eq!((tries.len(), &tries[1].resumed), (2, &None));
    assert!(prompt(&driven, &tries[1]).contains("was cut off"));
}
