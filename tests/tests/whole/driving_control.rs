//! Pause, resume and stop of loops that really run: the processes do what the person requested.
#![allow(clippy::disallowed_methods, reason = "a test needs a process that is alive and not ours")]

use loopdeck_core::control::Verb;
use loopdeck_core::problem::{Problem, ProblemCode};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedKind, StopView};
use loopdeck_runtime::store::journal::{Journal, LoopRef, Retention, holder_of};
use loopdeck_runtime::views::{Failure, FailureKind, VerbOptions};
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_tests::driving::{Driven, develops, done, planned, small};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Spawn, Step};
use serde_json::json;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// DEVELOP that starts, waits for its gate and then does `steps`.
fn gated(task: &str, steps: Vec<Step>) -> Rule {
    let rule = Rule::on("develop").task(task).then(write("begun")).then(Step::WaitFor("gate".into()));
    done(steps.into_iter().fold(rule, Rule::then), task)
}

fn two_tasks(first: Rule) -> Scripted {
    Scripted { output: Output::Text, rules: vec![planned(2), first, develops("task-002")] }
}

/// A loop in the middle of its first task.
fn begun(driven: &mut Driven, script: &Scripted) -> String {
    driven.script(script);
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_file("begun");
    driven.wait(&name, "develops", |row| {
        row.run.as_ref().is_some_and(|run| run.action.as_deref() == Some("develop"))
    });
    name
}

fn refusal(result: Result<(), Failure>) -> RefusalCode {
    result.unwrap_err().refusal.unwrap().code
}

fn status_of(driven: &Driven, name: &str, task: usize) -> String {
    driven.state(name)["skill_state"]["develop"]["tasks"][task]["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_pause_lets_the_action_end_and_resume_goes_on_where_it_was() {
    let mut driven = driven();
    let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Pausing);
    assert!(!driven.processes().is_empty());
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    assert_eq!(
        (status_of(&driven, &name, 0), status_of(&driven, &name, 1)),
        ("completed".into(), "pending".into())
    );
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"];
    assert_eq!(driven.ran(&name), ran);
    driven.all_gone();
}

#[test]
fn pausing_at_once_interrupts_and_the_action_is_done_again() {
    let mut driven = driven();
    let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    assert_eq!(status_of(&driven, &name, 0), "in_progress");
    let is_orphan = |problem: &Problem| problem.code == ProblemCode::W11_orphaned_task;
    let detail = driven.live.detail(&name);
    assert!(!detail.problems.iter().any(is_orphan), "it is gone on with: {:?}", detail.problems);
    assert!(!detail.repairs.iter().any(|repair| repair.code == RepairCode::ResetOrphans));
    driven.open("gate");
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = [
        "init ok",
        "develop task-001 cancelled",
        "develop task-001 ok",
        "develop task-002 ok",
        "validate ok",
    ];
    assert_eq!(driven.ran(&name), ran);
}

#[test]
fn a_task_that_somebody_else_leaves_begun_after_our_pause_is_an_orphan() {
    let mut driven = driven();
    let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    let mut edits = 0;
    // An edit that comes before the end of the run is noted counts as part of it, so there is another.
    eventually("both tasks without an agent", || {
        edits += 1;
        let theirs = format!("Theirs {edits}");
        edited(&driven, &name, |state| {
            state["skill_state"]["develop"]["tasks"][1]["status"] = json!("in_progress");
            state["title"] = json!(theirs);
        });
        driven.wait(&name, "seen", |row| row.title == theirs);
        let problems = driven.live.detail(&name).problems;
        let orphans = problems.iter().filter(|problem| problem.code == ProblemCode::W11_orphaned_task);
        (orphans.count() == 2).then_some(())
    });
}

#[test]
fn a_pause_comes_before_another_try() {
    let mut driven = driven();
    let babbles = Rule { says: "I did it!".into(), ..Rule::on("init").times(1) };
    let babbles = babbles.then(write("begun")).then(Step::WaitFor("gate".into()));
    driven.script(&small(Output::ClaudeJsonl, vec![babbles]));
    let name = driven.start(&driven.small_form("custom:claude-like"));
    driven.wait_for_file("begun");
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    assert_eq!((driven.ran(&name), driven.live.runtime.needs().running), (vec!["init ok".to_owned()], 0));
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    // The level of a similar loop is chosen again: full access is not copied.
    assert_eq!(driven.live.runtime.form_of(&driven.live.key(&name)).unwrap().plan.level, None);
}

#[test]
fn a_pause_that_the_agent_writes_over_is_sent_again_and_holds() {
    let mut driven = driven();
    let over = Step::Shell(format!("sed -i 's/\"paused\"/\"running\"/' {ROOT}/*.json"));
    let name = begun(&mut driven, &two_tasks(gated("task-001", vec![over, Step::WaitFor("end".into())])));
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Pausing);
    driven.open("gate");
    driven
        .wait(&name, "sent again", |row| row.request.as_ref().is_some_and(|request| request.sent_again > 0));
    driven.open("end");
    driven.wait_for_word(&name, StatusWord::Paused);
    assert_eq!(status_of(&driven, &name, 0), "completed", "what it did is kept");
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
}

#[test]
fn a_pause_written_over_with_the_last_breath_starts_nothing_more() {
    let mut driven = driven();
    let over = Step::Shell(format!("sed -i 's/\"paused\"/\"running\"/' {ROOT}/*.json"));
    let name = begun(&mut driven, &two_tasks(gated("task-001", vec![over])));
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Pausing);
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
}

#[test]
fn a_stop_ends_the_whole_tree_and_says_how_many() {
    let mut driven = driven();
    let far = Spawn {
        seconds: 600,
        own_session: true,
        without_environment: true,
        holds_output: true,
        pid_file: Some("far.pid".into()),
    };
    let near = Spawn { seconds: 600, ..Spawn::default() };
    let rule = Rule::on("develop")
        .then(Step::Spawn(far))
        .then(Step::Spawn(near))
        .then(write("begun"))
        .then(Step::Hang);
    let stubborn = Rule { ignore_signals: true, ..rule };
    let name = begun(&mut driven, &two_tasks(stubborn));
    let pid = std::fs::read_to_string(driven.live.workspace.join("far.pid")).unwrap();
    // Its arguments are empty once it has ended, even before its exit code has been collected.
    let far = std::path::PathBuf::from(format!("/proc/{}/cmdline", pid.trim()));
    let is_alive = || std::fs::read(&far).is_ok_and(|arguments| !arguments.is_empty());
    assert!(is_alive());
    driven.live.act(&name, Verb::Stop).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopping);
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
    assert!(!is_alive());
    let stop = driven.live.row(&name).unwrap().run.as_ref().unwrap().stop.clone();
    assert!(matches!(stop, Some(StopView::AllGone { ended: 3.. })), "{stop:?}");
    let state = driven.state(&name);
    assert_eq!(
        (&state["status"], &state["failure_reason"]),
        (&json!("failed"), &json!("Manually stopped by user"))
    );
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 cancelled"]);
}

/// Ends the tree of a stubborn agent after `stops`, and reports it like the window's own Stop.
fn stopped_from_outside(stops: impl FnOnce(&mut Driven, &str)) {
    let mut driven = driven();
    let near = Spawn { seconds: 600, own_session: true, ..Spawn::default() };
    let rule =
        Rule::on("develop").task("task-001").then(Step::Spawn(near)).then(write("begun")).then(Step::Hang);
    let name = begun(&mut driven, &two_tasks(rule));
    stops(&mut driven, &name);
    driven.wait(&name, "ended", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
    let stop = driven.live.row(&name).unwrap().run.as_ref().unwrap().stop.clone();
    assert!(matches!(stop, Some(StopView::AllGone { ended: 2.. })), "{stop:?}");
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 cancelled"]);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn a_stop_of_a_script_ends_the_tree() {
    stopped_from_outside(|driven, name| {
        let script = Runtime::start(&Options::once(driven.live.data().data.clone(), Traces::All)).unwrap();
        script.open_workspace(&driven.live.workspace).unwrap();
        script.act(&driven.live.key(name), Verb::Stop, VerbOptions::default()).unwrap();
    });
}

/// The file as an editor would save it.
fn edited(driven: &Driven, name: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let mut state = driven.state(name);
    change(&mut state);
    driven.live.replace(name, serde_json::to_string_pretty(&state).unwrap());
}

#[test]
fn a_stop_written_by_hand_ends_the_tree() {
    stopped_from_outside(|driven, name| {
        edited(driven, name, |state| {
            state["status"] = json!("failed");
            state["failure_reason"] = json!("Manually stopped by user");
        });
    });
}

#[test]
fn a_failure_written_by_hand_is_the_persons_to_judge() {
    for stops in [true, false] {
        let mut driven = driven();
        let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
        edited(&driven, &name, |state| state["status"] = json!("failed"));
        let need = driven.wait_for_need(&name, NeedKind::Failed);
        assert_eq!((need.args["code"].as_str(), need.answers.len()), ("marked_failed", 2));
        assert!(!driven.processes().is_empty(), "nothing is ended unasked");
        if stops {
            driven.answer(&need, NeedAnswer::Stop);
        } else {
            driven.open("gate");
        }
        driven.wait_for_word(&name, StatusWord::Failed);
        driven.all_gone();
        let last = if stops { "develop task-001 cancelled" } else { "develop task-001 ok" };
        assert_eq!(driven.ran(&name), ["init ok", last]);
        let marked = |need: &Need| need.args.get("code").is_some_and(|code| code == "marked_failed");
        assert!(!driven.live.runtime.needs().needs.iter().any(marked), "it is over");
    }
}

#[test]
fn a_pause_written_by_hand_lets_the_action_end() {
    let mut driven = driven();
    let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
    edited(&driven, &name, |state| state["status"] = json!("paused"));
    driven.wait(&name, "pausing", |row| row.word != StatusWord::Running);
    assert!(!driven.processes().is_empty());
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    assert_eq!(status_of(&driven, &name, 0), "completed", "what it did is kept");
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
}

#[test]
fn a_stop_right_after_the_start_and_a_second_one_leave_nothing() {
    let mut driven = driven();
    driven.script(&small(Output::Text, vec![Rule::on("init").then(Step::Hang)]));
    let name = driven.start(&driven.small_form("custom:scripted"));
    let key = driven.live.key(&name);
    driven.live.runtime.stop_now(&key).unwrap();
    driven.live.runtime.stop_now(&key).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init cancelled"]);
    assert_eq!(driven.live.runtime.needs().needs, []);
    assert_eq!(driven.live.runtime.stop_now(&key), Ok(()), "again, with nothing left to do");
}

#[test]
fn a_stop_or_a_pause_while_a_question_is_open_takes_it_back() {
    for stops in [true, false] {
        let mut driven = driven();
        let asks = Rule::on("init").answers(json!({ "tasks": [], "needs": "Which colour?" }));
        driven.script(&small(Output::Text, vec![asks]));
        let name = driven.start(&driven.small_form("custom:scripted"));
        let need = driven.wait_for_need(&name, NeedKind::Question);
        assert_eq!((need.text.as_str(), need.args["question"].as_str()), ("Which colour?", "agent_asks"));
        driven.wait_for_word(&name, StatusWord::NeedsYou);
        // Answers that this need does not offer change nothing.
        for other in [NeedAnswer::Dismiss, NeedAnswer::AllowOnce, NeedAnswer::Resume] {
            assert_eq!(
                driven.live.runtime.answer(&need.id, other).unwrap_err().kind,
                FailureKind::UnknownNeed
            );
        }
        if stops {
            driven.answer(&need, NeedAnswer::Stop);
            driven.wait_for_word(&name, StatusWord::Stopped);
        } else {
            driven.live.act(&name, Verb::Pause).unwrap();
            driven.wait_for_word(&name, StatusWord::Paused);
        }
        assert_eq!(driven.live.runtime.needs().needs, []);
    }
}

/// Another living Loopdeck: any living process, with the lease.
fn takes_over(driven: &Driven, name: &str) -> std::process::Child {
    let other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let mut journal = Journal::open(&driven.live.data().journal(), Retention::default());
    let now = loopdeck_runtime::clock::now();
    let of = LoopRef { workspace: &driven.folder(), file: &format!("{ROOT}/{name}") };
    journal.take_lease(of, &holder_of(other.id(), now), Timestamp::from_millis(now.millis())).unwrap();
    other
}

#[test]
fn whoever_lost_the_lease_drives_no_more() {
    let mut driven = driven();
    let name = begun(&mut driven, &two_tasks(gated("task-001", Vec::new())));
    let mut other = takes_over(&driven, &name);
    driven.live.runtime.rescan().unwrap();
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(need.args["by"], "another");
    driven.wait(&name, "over", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 cancelled"]);
    let again = driven.live.runtime.answer(&need.id, NeedAnswer::Resume);
    assert_eq!(refusal(again), RefusalCode::ForeignOwner);
    other.kill().unwrap();
    other.wait().unwrap();
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn two_starts_at_once_are_one() {
    let mut driven = driven();
    let name = "loop-v2-20261120T042421-d8ff7e62.json";
    driven.live.write(name, loop_v2("loop-v2-20261120T042421-d8ff7e62", "created"));
    driven.live.wait_for_word(name, StatusWord::NotStarted);
    driven.script(&small(
        Output::Text,
        vec![planned(1).then(write("begun")).then(Step::WaitFor("gate".into()))],
    ));
    let plan = driven.small_form("custom:scripted").plan;
    let key = driven.live.key(name);
    let runtime = &driven.live.runtime;
    let launch = || runtime.launch(&key, Some(plan.clone()), None);
    let results: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..4).map(|_| scope.spawn(launch)).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for refused in results.into_iter().filter(Result::is_err) {
        assert_eq!(refusal(refused), RefusalCode::AlreadyRunning);
    }
    driven.wait_for_file("begun");
    assert_eq!(driven.ran(name), ["init -"]);
    assert_eq!(refusal(driven.live.runtime.delete_loop(&key).map(drop)), RefusalCode::Running);
    let workspace = driven.live.row(name).unwrap().workspace.clone();
    assert_eq!(refusal(driven.live.runtime.close_workspace(&workspace)), RefusalCode::Running);
    driven.open("gate");
    driven.wait_for_word(name, StatusWord::Completed);
    driven.live.runtime.close_workspace(&workspace).unwrap();
}

#[test]
fn a_start_that_is_not_possible_writes_nothing() {
    let mut driven = driven();
    let name = "loop-v2-20261120T042421-d8ff7e62.json";
    driven.live.write(name, loop_v2("loop-v2-20261120T042421-d8ff7e62", "created"));
    driven.live.wait_for_word(name, StatusWord::NotStarted);
    let (key, before) = (driven.live.key(name), driven.live.files());
    let runtime = &driven.live.runtime;
    let kind = |plan| runtime.launch(&key, plan, None).unwrap_err().kind;
    assert_eq!(kind(None), FailureKind::NoPlan);
    let good = driven.small_form("custom:scripted").plan;
    let mut plan = good.clone();
    plan.agent = "custom:nobody".into();
    assert_eq!(kind(Some(plan)), FailureKind::NoAgent);
    runtime.set_program("claude", Some(env!("CARGO_BIN_EXE_scripted_agent").into())).unwrap();
    let mut plan = good.clone();
    (plan.agent, plan.extra_args) = ("claude".into(), vec!["--dangerously-skip-permissions".into()]);
    assert_eq!(kind(Some(plan)), FailureKind::CannotStart);
    let mut plan = good.clone();
    plan.level = None;
    assert_eq!(kind(Some(plan)), FailureKind::BadForm);
    runtime.trust(&driven.folder(), false).unwrap();
    assert_eq!(kind(Some(good.clone())), FailureKind::Untrusted);
    runtime.trust(&driven.folder(), true).unwrap();
    // Another living Loopdeck has it: any living process.
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let of = LoopRef { workspace: &driven.folder(), file: &format!("{ROOT}/{name}") };
    let mut journal = Journal::open(&driven.live.data().journal(), Retention::default());
    let now = loopdeck_runtime::clock::now();
    journal.take_lease(of, &holder_of(other.id(), now), Timestamp::from_millis(now.millis())).unwrap();
    assert_eq!(refusal(runtime.launch(&key, Some(good.clone()), None)), RefusalCode::ForeignOwner);
    assert_eq!((driven.live.files(), driven.ran(name)), (before, Vec::new()));
    other.kill().unwrap();
    other.wait().unwrap();
    driven.script(&small(Output::Text, Vec::new()));
    driven.live.runtime.launch(&key, Some(good), None).unwrap();
    driven.wait_for_word(name, StatusWord::Completed);
    eventually("the lease is free again", || {
        let now = loopdeck_runtime::clock::now();
        journal
            .hold_lease(of, &holder_of(1, now), Timestamp::from_millis(now.millis()))
            .unwrap()
            .then_some(())
    });
}
