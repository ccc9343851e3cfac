//! Limits while no process is running: between two runs, before a retry, and a provider's limit again and
//! again.

use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::NewFormat;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_tests::driving::{self, Driven, more, planned, small};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TEXT: &str = "custom:scripted";
const CLAUDE: &str = "custom:claude-like";

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

#[test]
fn time_that_is_up_between_two_runs_is_the_reason_and_starts_no_more() {
    // Every process may take a second; the limit is used up by then.
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), |options| {
            options.minute = Duration::from_millis(1);
        });
    driven.script(&small(Output::Text, Vec::new()));
    let mut form = driven.small_form(TEXT);
    form.plan.minutes = Some(1);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "time");
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
    assert!(driven.ran(&name).len() <= 1, "{:?}", driven.ran(&name));
    driven.answer(&need, more("time", 40_000));
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn time_that_is_up_is_the_reason_although_the_record_cannot_be_written_any_more() {
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), |options| {
            options.minute = Duration::from_secs(4);
        });
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    let hangs = Rule::on("develop").times(1).then(begun).then(Step::Hang);
    driven.script(&small(Output::Text, vec![hangs]));
    let mut form = driven.small_form(TEXT);
    form.plan.minutes = Some(1);
    let name = driven.start(&form);
    driven.wait_for_file("begun");
    let run = driven.live.runtime.runs(&driven.live.key(&name)).unwrap().remove(0);
    // As on a full disk: the record of the start exists, and no newer one comes.
    let newer = driven.live.data().runs().join(&run.id).join("run.json.tmp");
    eventually("the record of the start", || std::fs::create_dir(&newer).ok());
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!((need.args["limit"].as_str(), need.run), ("time", Some(run.id)));
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 budget"]);
}

#[test]
fn of_a_parallel_round_only_the_worker_that_the_provider_turned_away_runs_again() {
    let mut driven = driven();
    let does = |worker: &str| {
        Rule::on(worker).answers(json!({
            "status": "success", "summary": "done", "files_changed": [], "completed_tasks": ["task-001"],
            "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
        }))
    };
    let turned_away = Rule { action: Some("debug".into()), ..driving::turned_away(1) };
    driven.script(&Scripted {
        output: Output::ClaudeJsonl,
        rules: vec![planned(1), does("develop"), turned_away, does("debug")],
    });
    let mut form = driven.small_form(CLAUDE);
    form.plan.wait_for_limit = true;
    form.work.format = Some(NewFormat::LoopB);
    form.work.mode = Some(WorkMode::Parallel);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let mut ran: Vec<String> = driven.ran(&name).into_iter().filter(|run| run.starts_with("de")).collect();
    ran[..2].sort(); // both started at the same time
    assert_eq!(ran, ["debug limit", "develop task-001 ok", "debug ok"]);
}

#[test]
fn a_limit_that_is_used_up_holds_another_try_too() {
    let mut driven = driven();
    let babbles = Rule { says: "I did it!".into(), ..Rule::on("init").times(1) };
    driven.script(&small(Output::ClaudeJsonl, vec![babbles]));
    let mut form = driven.small_form(CLAUDE);
    form.plan.money_usd = Some(0.01); // what one run costs
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "money");
    assert_eq!(driven.ran(&name), ["init ok"], "its answer was no answer, and asking again costs money");
    driven.answer(&need, more("money", 1));
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn an_action_whose_agent_comes_to_no_end_is_tried_three_times_and_asked_about() {
    let mut driven = driven();
    let fails = Rule::on("init").times(4).then(Step::Complain("no room left".into())).then(Step::Exit(3));
    driven.script(&small(Output::Text, vec![fails]));
    let name = driven.start(&driven.small_form(TEXT));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["about"].as_str()), ("agent_fails", "init"));
    assert!(need.text.contains("no room left"), "{}", need.text);
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init task_failed"; 3]);
    // Retrying starts over, with as many attempts as before.
    driven.answer(&need, NeedAnswer::TryAgain);
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = driven.ran(&name);
    assert_eq!(ran[3..], ["init task_failed", "init ok", "develop task-001 ok", "validate ok"]);
}

/// An agent that the provider rejects this often.
fn turned_away(times: usize) -> Rule {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let info = json!({ "status": "rejected", "resetsAt": now, "rateLimitType": "five_hour" });
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": "s" });
    let result = json!({
        "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
        "result": "You've hit your limit",
    });
    Rule { result, ..Rule::on("develop").times(times).then(Step::Raw(format!("{event}\n"))) }
}

#[test]
fn a_provider_is_waited_for_twice_and_then_the_person_is_asked() {
    let mut driven = driven();
    driven.script(&small(Output::ClaudeJsonl, vec![turned_away(5)]));
    let mut form = driven.small_form(CLAUDE);
    form.plan.wait_for_limit = true;
    let name = driven.start(&form);
    let limits =
        |driven: &Driven| driven.ran(&name).iter().filter(|ran| *ran == "develop task-001 limit").count();
    for waited in [1, 2] {
        driven.wait(&name, "turned away", |row| row.word == StatusWord::UsageLimit);
        let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
        assert!(need.until.is_some(), "it goes on by itself: {need:?}");
        assert_eq!(limits(&driven), waited);
        driven.wait(&name, "it continues", |row| row.word != StatusWord::UsageLimit);
    }
    driven.wait_for_word(&name, StatusWord::Interrupted);
    let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
    assert_eq!((limits(&driven), driven.live.runtime.needs().running), (3, 0));
    driven.all_gone();
    // A new start has its own waits.
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::UsageLimit);
    let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
    assert_eq!(limits(&driven), 4);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait(&name, "turned away again", |row| row.word == StatusWord::UsageLimit);
    driven.wait_for_word(&name, StatusWord::Completed);
    let task = &driven.state(&name)["skill_state"]["develop"]["tasks"][0];
    assert_eq!(task["status"], "completed", "nobody failed");
    assert_eq!(driven.live.runtime.needs().needs, []);
}
