//! Agents that crash, lie, babble and hang; our limits and the provider's: every loop ends in a matching
//! state, and continues when the person wants it.

use loopdeck_agents::answers::AnswerErrorCode;
use loopdeck_core::control::Verb;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::timeline::EntryContent;
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedAnswerKind, NeedKind, StopView};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, develops, more, planned, small, turned_away};
use loopdeck_tests::programs::copy_program;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, SystemTime};

const TEXT: &str = "custom:scripted";
const CLAUDE: &str = "custom:claude-like";

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn hurried() -> Driven {
    Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), |options| {
        options.minute = Duration::from_secs(4);
    })
}

fn question(need: &Need) -> &str {
    &need.args["question"]
}

fn gated(task: &str) -> Rule {
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    develops(task).then(begun).then(Step::WaitFor("gate".into()))
}

fn starts(driven: &Driven, output: Output, rules: Vec<Rule>) {
    driven.script(&small(output, rules));
}

#[test]
fn a_record_that_cannot_be_written_any_more_does_not_spoil_a_clean_end() {
    for stops in [false, true] {
        let mut driven = driven();
        starts(&driven, Output::Text, vec![gated("task-001")]);
        let name = driven.start(&driven.small_form(TEXT));
        driven.wait_for_file("begun");
        let key = driven.live.key(&name);
        let run = driven.live.runtime.runs(&key).unwrap().remove(0);
        // As on a full disk: the record of the start exists, and no newer one comes.
        let newer = driven.live.data().runs().join(&run.id).join("run.json.tmp");
        eventually("the record of the start", || std::fs::create_dir(&newer).ok());
        if stops {
            driven.live.act(&name, Verb::Stop).unwrap();
            driven.wait_for_word(&name, StatusWord::Stopped);
            let stop = driven.live.row(&name).unwrap().run.as_ref().unwrap().stop.clone();
            assert!(matches!(stop, Some(StopView::AllGone { ended: 1.. })), "{stop:?}");
        } else {
            driven.open("gate");
            driven.wait_for_word(&name, StatusWord::Completed);
            assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok", "validate ok"]);
        }
        assert_eq!(driven.live.runtime.needs().needs, []);
        driven.all_gone();
    }
}

#[test]
fn a_process_that_cannot_be_started_is_no_try_of_the_task() {
    let folder = tempfile::tempdir().unwrap();
    let guardian = folder.path().join("guardian");
    copy_program(Path::new(env!("CARGO_BIN_EXE_guardian")), &guardian);
    let mut driven = Driven::new(guardian.to_str().unwrap(), env!("CARGO_BIN_EXE_scripted_agent"));
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    starts(&driven, Output::Text, vec![planned(1).then(begun).then(Step::WaitFor("gate".into()))]);
    let name = driven.start(&driven.small_form(TEXT));
    driven.wait_for_file("begun");
    let away = folder.path().join("away");
    std::fs::rename(&guardian, &away).unwrap();
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!((need.args["code"].as_str(), need.text.is_empty()), ("cannot_start", false));
    driven.wait_for_word(&name, StatusWord::Failed);
    let state = driven.state(&name);
    assert_eq!(state["failure_reason"], format!("Skill execution failed: {}", need.text));
    assert!(state["completed_at"].is_string() && state["completed_at"] == state["updated_at"]);
    let task = &state["skill_state"]["develop"]["tasks"][0];
    assert!(task["status"] != "failed", "{task}");
    assert_eq!(driven.live.runtime.needs().needs.len(), 1);
    std::fs::rename(&away, &guardian).unwrap();
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = driven.ran(&name);
    assert_eq!(ran.iter().filter(|run| run.ends_with(" ok")).count(), 3, "{ran:?}");
}

#[test]
fn trust_that_is_taken_back_holds_the_next_program() {
    let mut driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: vec![planned(1), gated("task-001")] });
    let name = driven.start(&driven.small_form(TEXT));
    driven.wait_for_file("begun");
    let folder = driven.folder();
    driven.live.runtime.trust(&folder, false).unwrap();
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!(need.args["code"], "untrusted");
    driven.wait_for_word(&name, StatusWord::Interrupted);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"], "the tests are a program too");
    let again = driven.live.runtime.answer(&need.id, NeedAnswer::Resume).unwrap_err();
    assert_eq!(again.kind, FailureKind::Untrusted);
    driven.live.runtime.trust(&folder, true).unwrap();
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok", "validate ok"]);
}

#[test]
fn trust_that_is_taken_back_while_a_question_waits_holds_what_the_answer_would_start() {
    let mut driven = driven();
    let asks = Rule::on("init").times(1).answers(json!({ "tasks": [], "needs": "Which colour?" }));
    driven.script(&small(Output::Text, vec![asks]));
    let name = driven.start(&driven.small_form(TEXT));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    driven.live.runtime.trust(&driven.folder(), false).unwrap();
    driven.answer(&need, NeedAnswer::Say { text: "blue".into() });
    driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!(driven.ran(&name), ["init ok"]);
    driven.all_gone();
}

#[test]
fn a_task_whose_agent_crashes_is_tried_again_then_asked_about() {
    let mut driven = driven();
    let killed = Rule::on("develop").times(1).then(Step::Shell("kill -9 $PPID".into()));
    let exits = Rule::on("develop").times(1).then(Step::Complain("no room left".into())).then(Step::Exit(3));
    starts(&driven, Output::Text, vec![killed, exits]);
    let name = driven.start(&driven.small_form(TEXT));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((question(&need), need.args["count"].as_str()), ("task_failed", "2"));
    assert!(need.text.contains("no room left"), "{}", need.text);
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 crashed", "develop task-001 task_failed"]);
    driven.answer(&need, NeedAnswer::TryAgain);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn going_on_without_a_task_and_saying_something_work() {
    let mut driven = driven();
    let fails = Rule::on("develop").task("task-001").then(Step::Exit(3));
    starts(&driven, Output::Text, vec![planned(2), fails]);
    let name = driven.start(&driven.small_form(TEXT));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    driven.answer(&need, NeedAnswer::Say { text: "Mind the gap".into() });
    let again = driven.wait_for_need(&name, NeedKind::Question);
    assert_ne!(need.id, again.id);
    let blank = driven.live.runtime.answer(&again.id, NeedAnswer::Say { text: " ".into() });
    assert!(blank.is_err());
    driven.answer(&again, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Completed);
    let tasks = &driven.state(&name)["skill_state"]["develop"]["tasks"];
    assert_eq!((&tasks[0]["status"], &tasks[1]["status"]), (&json!("failed"), &json!("completed")));
    let prompts = prompts(&driven, &name);
    assert!(prompts.iter().any(|prompt| prompt.contains("Mind the gap")));
}

#[test]
fn a_message_waits_for_the_next_run_and_is_in_its_prompt() {
    let mut driven = driven();
    let fails = Rule::on("develop").task("task-001").then(Step::Exit(3));
    starts(&driven, Output::Text, vec![planned(2), fails]);
    let name = driven.start(&driven.small_form(TEXT));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    let key = driven.live.key(&name);
    let runtime = &driven.live.runtime;
    assert!(
        runtime.add_message(&key, " ").is_err() && runtime.add_message(&key, &"x".repeat(2_001)).is_err()
    );
    let [said, _, unsaid] =
        ["Mind the step", "And the door", "Forget it"].map(|text| runtime.add_message(&key, text).unwrap());
    runtime.withdraw_message(&key, unsaid).unwrap();
    assert_eq!(runtime.messages(&key).unwrap().iter().filter(|told| told.run.is_none()).count(), 2);
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Completed);
    let runtime = &driven.live.runtime;
    let told = runtime.messages(&key).unwrap();
    let first = told[0].run.as_deref().expect("it is delivered");
    assert_eq!((told.len(), told[1].run.as_deref()), (2, Some(first)));
    let folder = driven.live.data().runs();
    let prompt = std::fs::read_to_string(folder.join(first).join("stdin.txt")).unwrap();
    assert!(
        prompt.contains("Mind the step") && prompt.contains("And the door") && !prompt.contains("Forget it")
    );
    assert!(runtime.withdraw_message(&key, said).is_err(), "a run has it");
    let entries = runtime.timeline(&key).unwrap().entries;
    let messages = entries.iter().filter_map(|entry| match &entry.content {
        EntryContent::Message { text, delivered, .. } => {
            Some((text.as_str(), *delivered, entry.took_ms.is_some()))
        }
        _ => None,
    });
    assert_eq!(messages.collect::<Vec<_>>(), [("Mind the step", true, true), ("And the door", true, true)]);
}

/// The prompts of a loop's agents.
fn prompts(driven: &Driven, name: &str) -> Vec<String> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let folder = driven.live.data().runs();
    runs.iter()
        .rev()
        .map(|run| std::fs::read_to_string(folder.join(&run.id).join("stdin.txt")).unwrap_or_default())
        .collect()
}

#[test]
fn what_an_agent_says_of_tests_counts_for_nothing() {
    let mut driven = driven();
    let boasts = develops("task-001").then(Step::Say("All 120 tests pass.".into()));
    let debugged = json!({
        "hypotheses": [], "understanding": "All tests pass now.", "confirmed": null, "fixed": true,
        "files_changed": [], "needs": null,
    });
    starts(&driven, Output::Text, vec![boasts, Rule::on("debug").answers(debugged)]);
    let mut form = driven.small_form(TEXT);
    form.plan.test_command = "sh test.sh".into();
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(question(&need), "tests_keep_failing");
    assert!(need.text.contains("half a cent"), "{}", need.text);
    assert_ne!(driven.state(&name)["skill_state"]["validate"]["passed"], json!(true));
    driven.answer(&need, NeedAnswer::Stop);
    driven.wait_for_word(&name, StatusWord::Stopped);
}

#[test]
fn answers_that_cannot_be_read_are_asked_for_again_with_what_is_wrong() {
    let mut driven = driven();
    let babbles = Rule { says: "I did it!".into(), ..Rule::on("init").times(3) };
    starts(&driven, Output::ClaudeJsonl, vec![babbles]);
    let name = driven.start(&driven.small_form(CLAUDE));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(question(&need), "answer_unreadable");
    let codes: Vec<AnswerErrorCode> = need.wrong.iter().map(|error| error.code).collect();
    assert_eq!(codes, [AnswerErrorCode::NoObject]);
    let prompts = prompts(&driven, &name);
    assert_eq!(prompts.len(), 3);
    assert!(prompts[1].len() > prompts[0].len() && prompts[1].starts_with(&prompts[0][..200]));
    driven.answer(&need, NeedAnswer::Say { text: "Answer in JSON".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn a_hanging_agent_meets_the_limit_of_time_and_extending_goes_on() {
    let mut driven = hurried();
    starts(&driven, Output::Text, vec![Rule::on("develop").times(1).then(Step::Hang)]);
    let mut form = driven.small_form(TEXT);
    form.plan.minutes = Some(1);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "time");
    driven.all_gone();
    driven.wait_for_word(&name, StatusWord::Interrupted);
    let task = &driven.state(&name)["skill_state"]["develop"]["tasks"][0];
    assert_eq!(task["status"], "in_progress", "the time was up, the task did not fail");
    let none = more("time", 0);
    assert!(driven.live.runtime.answer(&need.id, none).is_err());
    driven.answer(&need, more("time", 90));
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = ["init ok", "develop task-001 budget", "develop task-001 ok", "validate ok"];
    assert_eq!(driven.ran(&name), ran);
}

#[test]
fn used_up_iterations_are_asked_about_and_raised_in_the_file() {
    let mut driven = driven();
    starts(&driven, Output::Text, vec![planned(2)]);
    let mut form = driven.small_form(TEXT);
    form.work.max_iterations = Some(2);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "iterations");
    driven.wait_for_word(&name, StatusWord::LimitReached);
    eventually("a loop that asks stays among those that need attention, opened or not", || {
        driven.live.row(&name).filter(|row| !row.until_opened).map(drop)
    });
    driven.all_gone();
    driven.answer(&need, more("iterations", 7));
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.state(&name)["max_iterations"], 9);
}

#[test]
fn money_is_counted_and_its_limit_holds() {
    let mut driven = driven();
    starts(&driven, Output::ClaudeJsonl, vec![planned(2)]);
    let mut form = driven.small_form(CLAUDE);
    form.plan.money_usd = Some(0.02);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "money");
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
    let run = driven.live.row(&name).unwrap().run.clone().unwrap();
    assert_eq!((run.cost_usd, run.tokens), (Some(0.02), Some(240.0)));
    driven.answer(&need, more("money", 1));
    driven.wait_for_word(&name, StatusWord::Completed);
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    let tokens: Vec<Option<f64>> = runs.iter().rev().map(|run| run.tokens).collect();
    assert_eq!(tokens, [Some(120.0), Some(120.0), Some(120.0), None], "a test command reports none");
}

#[test]
fn tokens_are_counted_and_their_limit_holds() {
    let mut driven = driven();
    starts(&driven, Output::ClaudeJsonl, vec![planned(2)]);
    let mut form = driven.small_form(CLAUDE);
    form.plan.tokens = Some(240); // each run reports 120
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "tokens");
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
    assert!(driven.live.runtime.answer(&need.id, more("tokens", 0)).is_err());
    driven.answer(&need, more("tokens", 500));
    driven.wait_for_word(&name, StatusWord::Completed);
    let key = driven.live.key(&name);
    assert_eq!(driven.live.runtime.plan_of(&key).unwrap().tokens, Some(500));
}

#[test]
fn used_up_turns_are_a_limit_and_no_failed_try() {
    let mut driven = driven();
    let result = json!({ "subtype": "error_max_turns", "is_error": true, "terminal_reason": "max_turns", "result": null });
    let tired = Rule { result, ..Rule::on("develop").times(2) };
    starts(&driven, Output::ClaudeJsonl, vec![tired]);
    let mut form = driven.small_form(CLAUDE);
    form.plan.turns = Some(3);
    let name = driven.start(&form);
    for turns in [5, 8] {
        let need = driven.wait_for_need(&name, NeedKind::LimitReached);
        assert_eq!(need.args["limit"], "turns");
        driven.wait_for_word(&name, StatusWord::Interrupted);
        let task = &driven.state(&name)["skill_state"]["develop"]["tasks"][0];
        assert_eq!(task["status"], "in_progress", "the turns were up, the task did not fail");
        driven.answer(&need, more("turns", turns));
    }
    driven.wait_for_word(&name, StatusWord::Completed);
    let budget = "develop task-001 budget";
    assert_eq!(driven.ran(&name), ["init ok", budget, budget, "develop task-001 ok", "validate ok"]);
    assert_eq!(driven.live.runtime.plan_of(&driven.live.key(&name)).unwrap().turns, Some(8));
}

#[test]
fn a_providers_limit_is_waited_for_when_the_person_wants_that() {
    let mut driven = driven();
    starts(&driven, Output::ClaudeJsonl, vec![turned_away(3)]);
    let mut form = driven.small_form(CLAUDE);
    form.plan.wait_for_limit = true;
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
    assert!(need.until.is_some() && need.text.contains("hit your limit"), "{need:?}");
    driven.wait_for_word(&name, StatusWord::UsageLimit);
    driven.all_gone();
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(
        driven.ran(&name),
        ["init ok", "develop task-001 limit", "develop task-001 ok", "validate ok"]
    );
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn a_long_limit_can_be_tried_again_at_once_and_without_opting_in_nothing_waits() {
    for waits in [true, false] {
        let mut driven = driven();
        starts(&driven, Output::ClaudeJsonl, vec![turned_away(7_200)]);
        let mut form = driven.small_form(CLAUDE);
        form.plan.wait_for_limit = waits;
        let name = driven.start(&form);
        let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
        driven.wait_for_word(&name, if waits { StatusWord::UsageLimit } else { StatusWord::Interrupted });
        driven.answer(&need, NeedAnswer::Resume);
        driven.wait_for_word(&name, StatusWord::Completed);
    }
}

#[test]
fn a_wait_for_the_provider_can_be_stopped() {
    let mut driven = driven();
    starts(&driven, Output::ClaudeJsonl, vec![turned_away(7_200)]);
    let mut form = driven.small_form(CLAUDE);
    form.plan.wait_for_limit = true;
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
    driven.answer(&need, NeedAnswer::Stop);
    driven.wait_for_word(&name, StatusWord::Stopped);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn an_agent_that_is_not_signed_in_asks_for_that_and_goes_on_after() {
    let mut driven = driven();
    let result = json!({ "is_error": true, "api_error_status": 401, "result": "Please run /login" });
    starts(&driven, Output::ClaudeJsonl, vec![Rule { result, ..Rule::on("develop").times(1) }]);
    let name = driven.start(&driven.small_form(CLAUDE));
    let need = driven.wait_for_need(&name, NeedKind::SignIn);
    assert_eq!((need.args["code"].as_str(), need.text.as_str()), ("auth", "Please run /login"));
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn a_transcript_full_of_bad_words_changes_no_outcome() {
    let mut driven = driven();
    let words = "rate limit exceeded, 429, 5-hour limit, error, authentication_failed, out of memory";
    let talks = develops("task-001").then(Step::Say(words.into())).then(Step::Complain(words.into()));
    starts(&driven, Output::ClaudeJsonl, vec![talks]);
    let name = driven.start(&driven.small_form(CLAUDE));
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok", "validate ok"]);
}

#[test]
fn a_loop_whose_file_its_agent_removed_stays_can_be_stopped_and_is_put_back() {
    for stops in [true, false] {
        let mut driven = driven();
        let removes = Step::Shell("rm -r .workflow; : > begun".into());
        starts(
            &driven,
            Output::Text,
            vec![develops("task-001").then(removes).then(Step::WaitFor("gate".into()))],
        );
        let name = driven.start(&driven.small_form(TEXT));
        driven.wait_for_file("begun");
        driven.live.runtime.rescan().unwrap();
        driven.wait(&name, "says so", |row| {
            row.problem.as_ref().is_some_and(|problem| problem.code == ProblemCode::F9_file_gone)
        });
        let row = driven.live.row(&name).unwrap();
        assert!(row.run.as_ref().unwrap().alive && row.verbs.contains(&Verb::Stop), "{row:?}");
        if stops {
            driven.live.act(&name, Verb::Stop).unwrap();
        } else {
            driven.open("gate");
        }
        let find = || {
            let needs = driven.live.runtime.needs();
            needs.needs.into_iter().find(|need| need.args.get("code").is_some_and(|code| code == "file_gone"))
        };
        let need = eventually("the card", find);
        let ended = SystemTime::now();
        assert_eq!(need.answers, [NeedAnswerKind::Restore, NeedAnswerKind::Dismiss]);
        driven.all_gone();
        // The file is newer than the end of the work, but still not someone else's.
        eventually("a later moment", || {
            (SystemTime::now() > ended + Duration::from_millis(20)).then_some(())
        });
        driven.answer(&need, NeedAnswer::Restore);
        driven.wait_for_word(&name, StatusWord::Interrupted);
        assert_eq!(driven.state(&name)["skill_state"]["develop"]["tasks"][0]["status"], "in_progress");
        assert_eq!(driven.live.runtime.needs().needs, []);
        driven.open("gate");
        driven.script(&small(Output::Text, Vec::new()));
        driven.launch(&name).unwrap();
        driven.wait_for_word(&name, StatusWord::Completed);
    }
}

#[test]
fn a_state_file_that_is_damaged_or_deleted_in_the_middle_is_said() {
    for deleted in [true, false] {
        let mut driven = driven();
        let begun = Step::Write { path: "begun".into(), text: String::new() };
        let waits = develops("task-001").then(begun).then(Step::WaitFor("gate".into()));
        starts(&driven, Output::Text, vec![waits]);
        let name = driven.start(&driven.small_form(TEXT));
        driven.wait_for_file("begun");
        let path = driven.live.path(&name);
        if deleted {
            std::fs::remove_file(&path).unwrap();
        } else {
            std::fs::write(&path, "{\"loop_id\": ").unwrap();
        }
        driven.open("gate");
        let needs = || driven.live.runtime.needs();
        eventually("said", || needs().needs.iter().any(|need| need.kind == NeedKind::Failed).then_some(()));
        eventually("over", || (needs().running == 0).then_some(()));
        driven.all_gone();
        assert_eq!(path.exists(), !deleted, "nothing was written over it");
    }
}
