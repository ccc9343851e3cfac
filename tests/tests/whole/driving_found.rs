//! Loopdeck ends or is killed while loops run: the next one finds what is still running, shows the truth, and
//! loses no work.
#![allow(clippy::disallowed_methods, reason = "the tests start the Loopdeck that is killed")]

mod left;
mod parallel;

use loopdeck_core::control::Verb;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedKind, RunView, StopView};
use loopdeck_runtime::runs::RunRecord;
use loopdeck_tests::driving::{Driven, PASSING, develops, planned, small, turned_away};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The runs of a loop with two tasks in which nothing is done twice.
const ONCE_EACH: [&str; 4] = ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"];
const GUARDIAN: &str = env!("CARGO_BIN_EXE_guardian");

fn driven() -> Driven {
    Driven::new(GUARDIAN, env!("CARGO_BIN_EXE_scripted_agent"))
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

fn gated(task: &str) -> Rule {
    develops(task).then(write("begun")).then(Step::WaitFor("gate".into()))
}

fn two_tasks(first: Rule) -> Scripted {
    Scripted { output: Output::Text, rules: vec![planned(2), first, develops("task-002")] }
}

/// Another Loopdeck runs the form until `dies`; returns the state file's name.
fn elsewhere(driven: Driven, form: &StartForm, dies: impl FnOnce(&mut Child, &Path)) -> (Driven, String) {
    let text = serde_json::to_vec(form).unwrap();
    let live = driven.live.restarted_after(|data, workspace| {
        let file = data.join("form.json");
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_driver_app"));
        let command = command.arg(data).arg(GUARDIAN).arg(file).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut app = command.spawn().unwrap();
        dies(&mut app, workspace);
        app.wait().unwrap();
    });
    let name = live.rows.values().next().map(|row| row.file.rsplit('/').next().unwrap().to_owned());
    (Driven { live }, name.unwrap())
}

/// Killed as soon as the script has created this file.
fn killed_at(file: &str) -> impl FnOnce(&mut Child, &Path) {
    move |app, workspace| {
        eventually(file, || workspace.join(file).exists().then_some(()));
        app.kill().unwrap();
    }
}

/// An agent of ours at the first of two tasks, until the gate is opened; returns the state file's name.
fn at_work() -> (Driven, String) {
    let mut driven = driven();
    driven.script(&two_tasks(gated("task-001")));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_file("begun");
    (driven, name)
}

/// The same for another Loopdeck, until it `dies`.
fn two_tasks_elsewhere(dies: impl FnOnce(&mut Child, &Path)) -> (Driven, String) {
    let driven = driven();
    driven.script(&two_tasks(gated("task-001")));
    let form = driven.small_form("custom:scripted");
    elsewhere(driven, &form, dies)
}

/// Killed in the middle of an action, which finishes before the next Loopdeck starts.
fn killed_and_finished(app: &mut Child, workspace: &Path) {
    killed_at("begun")(app, workspace);
    std::fs::write(workspace.join("gate"), "").unwrap();
    finished(workspace);
}

/// Waits until every run has ended.
fn finished(workspace: &Path) {
    let runs = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") }.runs();
    let is_over = |run: std::fs::DirEntry| RunRecord::read(&run.path()).unwrap().ended.is_some();
    eventually("it is over", || std::fs::read_dir(&runs).unwrap().flatten().all(is_over).then_some(()));
}

/// The process of the run that has not ended, once it is recorded.
fn agent_at_work(runs: &Path) -> Option<u32> {
    let mut records =
        std::fs::read_dir(runs).unwrap().flatten().map(|run| RunRecord::read(&run.path()).unwrap());
    records.find(|record| record.ended.is_none())?.child.map(|child| child.pid)
}

/// How the loop was left, in which action and on which task.
fn left(need: &Need) -> [&str; 3] {
    ["left", "action", "task"].map(|name| need.args.get(name).map_or("", String::as_str))
}

fn first_task(driven: &Driven, name: &str) -> serde_json::Value {
    driven.state(name)["skill_state"]["develop"]["tasks"][0]["status"].clone()
}

/// The message of an agent that gives its reason for ending, after its gate.
const SAID: &str = r"DEVELOP: Write: wrote begun\nno compiler";

/// Errors of the loop from its file.
fn errors(driven: &Driven, name: &str) -> Vec<String> {
    let state = driven.state(name);
    let errors = state["skill_state"]["errors"].as_array().unwrap().iter();
    let told =
        |error: &serde_json::Value| format!("{}: {}", error["action"], error["message"]).replace('"', "");
    errors.map(told).collect()
}

fn last_run(driven: &Driven, name: &str) -> RunView {
    driven.live.runtime.runs(&driven.live.key(name)).unwrap().remove(0)
}

fn record(driven: &Driven, run: &RunView) -> RunRecord {
    RunRecord::read(&driven.live.data().runs().join(&run.id)).unwrap()
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_run_that_goes_on_is_found_concluded_and_resumed() {
    let (mut driven, name) = two_tasks_elsewhere(killed_at("begun"));
    driven.wait_for_word(&name, StatusWord::Running);
    let run = driven.live.row(&name).unwrap().run.clone().unwrap();
    assert_eq!(
        (run.alive, run.action.as_deref(), driven.live.runtime.needs().running),
        (true, Some("develop"), 1)
    );
    assert!(driven.live.runtime.launch(&driven.live.key(&name), None, None).is_err(), "it runs already");
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["recorded", "develop", "task-001"]);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
    assert_eq!(first_task(&driven, &name), "completed", "what it did is not lost");
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"];
    assert_eq!(driven.ran(&name), ran);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn a_run_that_ended_meanwhile_is_taken_up_when_the_person_resumes() {
    let (mut driven, name) = two_tasks_elsewhere(killed_and_finished);
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["finished", "develop", "task-001"]);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    assert_eq!(first_task(&driven, &name), "in_progress", "the file is the person's until they choose");
    driven.live.runtime.rescan().unwrap();
    assert_eq!(driven.live.runtime.needs().needs.len(), 1, "told once");
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ONCE_EACH);
}

#[test]
fn what_ended_meanwhile_is_taken_up_after_two_restarts_too() {
    let (mut driven, name) = two_tasks_elsewhere(killed_and_finished);
    driven.wait_for_need(&name, NeedKind::Interrupted);
    let run = last_run(&driven, &name);
    assert!(run.unconcluded && run.ended.is_some(), "{run:#?}");
    let mut driven = Driven { live: driven.live.restarted() };
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["finished", "develop", "task-001"]);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ONCE_EACH);
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    assert!(runs.iter().all(|run| !run.unconcluded), "{runs:#?}");
}

#[test]
fn a_loop_that_keeps_going_continues_after_what_ended_meanwhile() {
    let driven = driven();
    driven.script(&two_tasks(gated("task-001")));
    let mut form = driven.small_form("custom:scripted");
    form.plan.keep_going = true;
    let (mut driven, name) = elsewhere(driven, &form, killed_and_finished);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ONCE_EACH);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn a_loop_that_keeps_going_continues_after_what_ends_before_its_eyes() {
    let (driven, name) = at_work();
    // The window was closed, and the person kept the runs going.
    driven.live.runtime.keep_going().unwrap();
    let mut driven = Driven { live: driven.live.restarted() };
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ONCE_EACH);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn a_loop_that_keeps_going_asks_again_what_it_had_asked() {
    let mut driven = driven();
    let asks = Rule::on("init").answers(json!({ "tasks": [], "needs": "Which colour?" }));
    driven.script(&small(Output::Text, vec![asks]));
    let mut form = driven.small_form("custom:scripted");
    form.plan.keep_going = true;
    let name = driven.start(&form);
    driven.wait_for_need(&name, NeedKind::Question);
    let mut driven = Driven { live: driven.live.restarted() };
    driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(driven.live.runtime.needs().needs.len(), 1);
    assert_eq!(driven.ran(&name), ["init ok"], "nothing ran again");
}

#[test]
fn what_was_cut_off_is_said_to_be_done_again_even_where_the_loop_keeps_going() {
    for keep_going in [false, true] {
        let driven = driven();
        driven.script(&two_tasks(gated("task-001")));
        let mut form = driven.small_form("custom:scripted");
        form.plan.keep_going = keep_going;
        let (mut driven, name) = elsewhere(driven, &form, |app, workspace| {
            killed_at("begun")(app, workspace);
            let data = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") };
            // The agent may start before its guardian has recorded it.
            kill(eventually("the agent is recorded", || agent_at_work(&data.runs())));
            finished(workspace);
        });
        let need = driven.wait_for_need(&name, NeedKind::Interrupted);
        assert_eq!(left(&need), ["cut_off", "develop", "task-001"]);
        driven.open("gate");
        driven.answer(&need, NeedAnswer::Resume);
        driven.wait_for_word(&name, StatusWord::Completed);
        let ran = ["init ok", "develop task-001 crashed", "develop task-001 ok", "develop task-002 ok"];
        assert_eq!(driven.ran(&name)[..4], ran);
    }
}

#[test]
fn tests_that_failed_meanwhile_are_a_result_too() {
    let driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    let mut form = driven.small_form("custom:scripted");
    form.plan.test_command =
        "touch begun; while ! test -e gate; do sleep 0.05; done; echo 'TAP version 13\n1..1\nnot ok 1 - sums'; exit 1".into();
    let (mut driven, name) = elsewhere(driven, &form, killed_and_finished);
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["finished", "validate", ""]);
    driven.answer(&need, NeedAnswer::Resume);
    eventually("its result is in the file", || {
        (driven.state(&name)["skill_state"]["validate"]["passed"] == json!(false)).then_some(())
    });
    driven.live.runtime.stop_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
}

#[test]
fn an_agent_that_crashed_meanwhile_is_done_again() {
    let driven = driven();
    let dies = gated("task-001").times(1).then(Step::Say("no compiler".into())).then(Step::Exit(3));
    driven.script(&Scripted { output: Output::Text, rules: vec![planned(1), dies, develops("task-001")] });
    let form = driven.small_form("custom:scripted");
    let (mut driven, name) = elsewhere(driven, &form, killed_at("begun"));
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["failed", "develop", "task-001"]);
    assert_eq!(errors(&driven, &name), [SAID]);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(
        driven.ran(&name),
        ["init ok", "develop task-001 task_failed", "develop task-001 ok", "validate ok"]
    );
    assert_eq!(errors(&driven, &name), [SAID], "once");
}

#[test]
fn a_failure_that_nobody_saw_is_in_the_file_and_counts_as_a_try() {
    let driven = driven();
    let fails = |rule: Rule| rule.then(Step::Say("no compiler".into())).then(Step::Exit(3));
    let rules = vec![planned(1), fails(gated("task-001").times(1)), fails(develops("task-001"))];
    driven.script(&Scripted { output: Output::Text, rules });
    let form = driven.small_form("custom:scripted");
    let (mut driven, name) = elsewhere(driven, &form, killed_and_finished);
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["failed", "develop", "task-001"]);
    assert_eq!(errors(&driven, &name), [SAID]);
    driven.answer(&need, NeedAnswer::Resume);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["count"].as_str()), ("task_failed", "2"));
    assert_eq!(errors(&driven, &name), [SAID, "DEVELOP: no compiler"]);
}

#[test]
fn an_answer_of_a_found_run_that_cannot_be_used_is_an_error_of_the_loop() {
    let driven = driven();
    let babbles = Rule { says: "I did it!".into(), ..gated("task-001").times(1) };
    let babbles = Rule { answer: serde_json::Value::Null, ..babbles };
    let rules = vec![planned(1), babbles, develops("task-001")];
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
    let form = driven.small_form("custom:claude-like");
    let (mut driven, name) = elsewhere(driven, &form, killed_at("begun"));
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["failed", "develop", "task-001"]);
    let [error] = errors(&driven, &name).try_into().unwrap();
    assert!(error.starts_with("DEVELOP: The answer could not be used"), "{error}");
}

#[test]
fn a_found_run_can_be_stopped_and_paused() {
    for verb in [Verb::Stop, Verb::Pause] {
        let (mut driven, name) = two_tasks_elsewhere(killed_at("begun"));
        driven.wait_for_word(&name, StatusWord::Running);
        driven.live.act(&name, verb).unwrap();
        if verb == Verb::Pause {
            driven.wait_for_word(&name, StatusWord::Pausing);
            driven.open("gate");
            driven.wait_for_word(&name, StatusWord::Paused);
        } else {
            driven.wait_for_word(&name, StatusWord::Stopped);
        }
        driven.all_gone();
        assert_eq!(driven.live.runtime.needs().needs, []);
        if verb == Verb::Pause {
            driven.launch(&name).unwrap();
            driven.wait_for_word(&name, StatusWord::Completed);
            let ran = ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"];
            assert_eq!(driven.ran(&name), ran, "what it did before the pause is taken up");
        }
    }
}

#[test]
fn tests_that_run_when_loopdeck_is_killed_count() {
    let driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    let mut form = driven.small_form("custom:scripted");
    form.plan.test_command = format!("touch begun; while ! test -e gate; do sleep 0.05; done; {PASSING}");
    let (mut driven, name) = elsewhere(driven, &form, killed_at("begun"));
    driven.wait_for_word(&name, StatusWord::Running);
    assert_eq!(last_run(&driven, &name).action, "validate");
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(driven.state(&name)["skill_state"]["validate"]["passed"], json!(true));
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name).iter().filter(|run| run.starts_with("validate")).count(), 1);
}

#[test]
fn killed_between_the_step_and_the_process_the_loop_is_interrupted() {
    // As if it had been killed a moment earlier: the row and the step exist, the run does not.
    let (mut driven, name) = two_tasks_elsewhere(|app, workspace| {
        killed_and_finished(app, workspace);
        let runs = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") }.runs();
        let newest = std::fs::read_dir(runs)
            .unwrap()
            .flatten()
            .map(|run| run.path())
            .max_by_key(|run| RunRecord::read(run).unwrap().ended.unwrap().at);
        std::fs::remove_dir_all(newest.unwrap()).unwrap();
    });
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["between", "", ""]);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn after_a_normal_end_agents_go_on_and_are_found() {
    let (driven, name) = at_work();
    let live = driven.live.restarted_after(|_, workspace| {
        assert!(!loopdeck_tests::driving::processes_in(workspace).is_empty(), "it continues");
    });
    let mut driven = Driven { live };
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok", "develop task-002 ok", "validate ok"]);
}

#[test]
fn a_loop_that_waited_for_an_answer_is_interrupted_after_a_restart_and_asks_again() {
    let mut driven = driven();
    let asks = Rule::on("init").answers(json!({ "tasks": [], "needs": "Which colour?" }));
    driven.script(&small(Output::Text, vec![asks]));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_need(&name, NeedKind::Question);
    let mut driven = Driven { live: driven.live.restarted() };
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    assert_eq!(driven.live.runtime.needs().needs.len(), 1);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_need(&name, NeedKind::Question);
}

#[test]
fn a_wait_for_the_provider_goes_on_after_a_restart() {
    for seconds in [600, 15] {
        let mut driven = driven();
        driven.script(&small(Output::ClaudeJsonl, vec![turned_away(seconds)]));
        let mut form = driven.small_form("custom:claude-like");
        form.plan.wait_for_limit = true;
        let name = driven.start(&form);
        let before = driven.wait_for_need(&name, NeedKind::UsageLimit);
        let mut driven = Driven { live: driven.live.restarted() };
        let need = driven.wait_for_need(&name, NeedKind::UsageLimit);
        assert_eq!((need.until, &need.run, &need.text), (before.until, &before.run, &before.text));
        assert_eq!((&need.answers, &need.agent), (&before.answers, &before.agent));
        if seconds > 60 {
            driven.wait_for_word(&name, StatusWord::UsageLimit);
            assert_eq!(driven.live.runtime.needs().needs.len(), 1, "not interrupted too");
            driven.answer(&need, NeedAnswer::Resume);
        }
        driven.wait_for_word(&name, StatusWord::Completed);
        let ran = ["init ok", "develop task-001 limit", "develop task-001 ok", "validate ok"];
        assert_eq!(driven.ran(&name), ran);
    }
}
