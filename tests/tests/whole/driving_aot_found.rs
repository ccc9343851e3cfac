//! Loopdeck is killed while atoms run in parallel: the next one processes each worker's result once.
#![allow(clippy::disallowed_methods, reason = "the tests start the Loopdeck that is killed")]

use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::RunPlan;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_runtime::runs::RunRecord;
use loopdeck_tests::atoms::{FILE_CHECK, fails, gated, loop_with, resolves, status, text};
use loopdeck_tests::driving::{Driven, more};
use loopdeck_tests::live::AOT;
use loopdeck_tests::repository::git;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const GUARDIAN: &str = env!("CARGO_BIN_EXE_guardian");
/// Milliseconds of a minute of a limit in the Loopdeck that is killed.
const MINUTE: &str = "8000";
const NO_GROUPS: &str = " {}";

/// Another Loopdeck runs this loop until `dies`; returns the next one, which finds it.
fn elsewhere(text: &str, rules: Vec<Rule>, plan: &RunPlan, dies: impl FnOnce(&mut Child, &Path)) -> Driven {
    killed(lay_out(text, rules), plan, dies)
}

fn lay_out(text: &str, rules: Vec<Rule>) -> Driven {
    let driven = Driven::new(GUARDIAN, env!("CARGO_BIN_EXE_scripted_agent"));
    driven.script(&Scripted { output: Output::Text, rules });
    fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
    fs::write(driven.live.workspace.join(AOT), text).unwrap();
    driven
}

fn killed(driven: Driven, plan: &RunPlan, dies: impl FnOnce(&mut Child, &Path)) -> Driven {
    let live = driven.live.restarted_after(|data, workspace| {
        let mut app = app(data, Some(plan));
        dies(&mut app, workspace);
        app.wait().unwrap();
    });
    Driven { live }
}

/// Another Loopdeck, which launches the loop by `plan`, or only opens its workspace.
fn app(data: &Path, plan: Option<&RunPlan>) -> Child {
    let file = data.join("plan.json");
    fs::write(&file, serde_json::to_vec(&plan).unwrap()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_driver_app"));
    let command =
        command.arg(data).arg(GUARDIAN).arg(file).arg(MINUTE).stdin(Stdio::piped()).stdout(Stdio::null());
    command.spawn().unwrap()
}

fn plan(keep_going: bool) -> RunPlan {
    RunPlan {
        agent: "custom:scripted".into(),
        level: Some(loopdeck_agents::Level::FullAccess),
        keep_going,
        ..RunPlan::default()
    }
}

/// Kills it once both workers are working.
fn kill_at_work(app: &mut Child, workspace: &Path) {
    for mark in ["A1.begun", "A2.begun"] {
        eventually(mark, || workspace.join(mark).exists().then_some(()));
    }
    app.kill().unwrap();
}

/// Waits until this many runs have ended.
fn wait_for_ended(workspace: &Path, count: usize) {
    let runs = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") }.runs();
    let is_over =
        |run: &fs::DirEntry| RunRecord::read(&run.path()).is_ok_and(|record| record.ended.is_some());
    let ended = || fs::read_dir(&runs).unwrap().flatten().filter(is_over).count();
    eventually("runs are over", || (ended() >= count).then_some(()));
}

/// Reports that the worker of `atom` is working.
fn begun(atom: &str) -> Step {
    Step::Write { path: format!("{atom}.begun").into(), text: String::new() }
}

fn two_gates() -> Vec<Rule> {
    let gate = |atom: &str| {
        let rule = resolves(atom);
        let wait = [begun(atom), Step::WaitFor(format!("{atom}.gate").into())];
        Rule { steps: wait.into_iter().chain(rule.steps).collect(), ..rule }
    };
    vec![gate("A1"), gate("A2"), resolves("A3")]
}

fn two_and_one() -> String {
    loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", ""), ("A3", "A1, A2", "")], NO_GROUPS)
}

/// The runs, each atom once; the two of the first round started at the same time.
fn ran(driven: &Driven) -> Vec<String> {
    let mut ran = driven.ran(AOT);
    ran[..2].sort();
    ran
}

const ONCE_EACH: [&str; 3] = ["atom A1 ok", "atom A2 ok", "atom A3 ok"];

#[test]
fn one_worker_ended_and_the_other_still_runs() {
    let mut driven = elsewhere(&two_and_one(), two_gates(), &plan(false), |app, workspace| {
        kill_at_work(app, workspace);
        fs::write(workspace.join("A1.gate"), "").unwrap();
        wait_for_ended(workspace, 1);
    });
    driven.wait_for_word(AOT, StatusWord::Running);
    assert_eq!(status(&driven, "A2"), "in_progress");
    driven.open("A2.gate");
    finish(&mut driven);
    assert_eq!(ran(&driven), ONCE_EACH);
}

/// Resumes whenever the loop waits for it, until it is completed.
fn finish(driven: &mut Driven) {
    let over = |driven: &Driven| driven.live.row(AOT).is_some_and(|row| row.word == StatusWord::Completed);
    driven.wait(AOT, "it waits or is over", |row| {
        row.word == StatusWord::Interrupted || row.word == StatusWord::Completed
    });
    if !over(driven) {
        let need = driven.wait_for_need(AOT, NeedKind::Interrupted);
        driven.answer(&need, NeedAnswer::Resume);
    }
    driven.wait_for_word(AOT, StatusWord::Completed);
    for atom in ["A1", "A2", "A3"] {
        assert_eq!(status(driven, atom), "resolved", "{}", text(driven));
        assert_eq!(text(driven).matches(&format!("\n  {atom}:\n")).count(), 1, "one binding");
    }
    assert_eq!(driven.live.detail(AOT).problems, [], "{}", text(driven));
    driven.all_gone();
}

#[test]
fn both_ended_meanwhile_and_the_person_resumes() {
    let mut driven = elsewhere(&two_and_one(), two_gates(), &plan(false), |app, workspace| {
        kill_at_work(app, workspace);
        for gate in ["A1.gate", "A2.gate"] {
            fs::write(workspace.join(gate), "").unwrap();
        }
        wait_for_ended(workspace, 2);
    });
    let need = driven.wait_for_need(AOT, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    finish(&mut driven);
    assert_eq!(ran(&driven), ONCE_EACH);
}

/// Waits until this many atoms are resolved in the file.
fn wait_for_resolved(workspace: &Path, count: usize) {
    eventually("results are in the file", || {
        let text = fs::read_to_string(workspace.join(AOT)).unwrap_or_default();
        (text.matches("    status: resolved\n").count() >= count).then_some(())
    });
}

#[test]
fn a_kill_in_the_middle_of_taking_results_up_loses_none_and_takes_none_twice() {
    let text_of = loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", ""), ("A3", "", "")], NO_GROUPS);
    let text_of = text_of.replace("max_parallel_agents: 2", "max_parallel_agents: 3");
    let gate = |atom: &str| {
        let rule = resolves(atom);
        let wait = [begun(atom), Step::WaitFor("gate".into())];
        Rule { steps: wait.into_iter().chain(rule.steps).collect(), ..rule }
    };
    let rules = vec![gate("A1"), gate("A2"), gate("A3")];
    let driven = lay_out(&text_of, rules);
    let live = driven.live.restarted_after(|data, workspace| {
        let mut first = app(data, Some(&plan(false)));
        // Killed earlier, the third would be noted and never start.
        eventually("A3", || workspace.join("A3.begun").exists().then_some(()));
        kill_at_work(&mut first, workspace);
        first.wait().unwrap();
        fs::write(workspace.join("gate"), "").unwrap();
        wait_for_ended(workspace, 3);
        let mut second = app(data, None);
        wait_for_resolved(workspace, 1);
        second.kill().unwrap();
        second.wait().unwrap();
    });
    let mut driven = Driven { live };
    finish(&mut driven);
    let mut ran = driven.ran(AOT);
    ran.sort();
    assert_eq!(ran, ONCE_EACH);
}

#[test]
fn a_loop_that_keeps_going_takes_both_up_by_itself() {
    let mut driven = elsewhere(&two_and_one(), two_gates(), &plan(true), |app, workspace| {
        kill_at_work(app, workspace);
        for gate in ["A1.gate", "A2.gate"] {
            fs::write(workspace.join(gate), "").unwrap();
        }
        wait_for_ended(workspace, 2);
    });
    driven.live.runtime.keep_going().unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    finish(&mut driven);
    assert_eq!(ran(&driven), ONCE_EACH);
}

#[test]
fn a_choice_that_failed_meanwhile_is_switched_once() {
    let groups = "\n  way:\n    choices: [A2, A3]\n    selected: A2\n    failed: []";
    let text_of = loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", "way"), ("A3", "", "way")], groups);
    let rules = vec![gated(resolves("A1"), "A1"), gated(fails("A2", "no"), "A2"), resolves("A3")];
    let mut driven = elsewhere(&text_of, rules, &plan(false), |app, workspace| {
        kill_at_work(app, workspace);
        fs::write(workspace.join("gate"), "").unwrap();
        wait_for_ended(workspace, 2);
    });
    let need = driven.wait_for_need(AOT, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(text(&driven).matches("Auto-backtrack: A2 failed").count(), 1, "{}", text(&driven));
    assert_eq!(status(&driven, "A3"), "resolved");
    assert_eq!(ran(&driven), ["atom A1 ok", "atom A2 ok", "atom A3 ok"]);
}

#[test]
fn a_check_that_ran_when_loopdeck_was_killed_decides_once() {
    let checks =
        "    type: command\n    value: \"touch checking; until test -e gate; do sleep 0.05; done\"\n";
    let text_of = loop_with(checks, &[("A1", "", "")], NO_GROUPS);
    let mut driven = elsewhere(&text_of, vec![resolves("A1")], &plan(false), |app, workspace| {
        eventually("checking", || workspace.join("checking").exists().then_some(()));
        app.kill().unwrap();
        fs::write(workspace.join("gate"), "").unwrap();
        wait_for_ended(workspace, 2);
    });
    let need = driven.wait_for_need(AOT, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT)[0], "atom A1 ok");
    let key = driven.live.key(AOT);
    assert_eq!(driven.live.runtime.verifications(&key).unwrap().len(), 1);
}

#[test]
fn a_limit_that_ended_one_worker_meanwhile_keeps_what_the_other_finished() {
    let hangs = Rule { steps: vec![begun("A1"), Step::Hang], ..resolves("A1").times(1) };
    let mut finishes = resolves("A2");
    finishes.steps.insert(0, begun("A2"));
    let rules = vec![hangs, resolves("A1"), finishes, resolves("A3")];
    let plan = RunPlan { minutes: Some(1), ..plan(true) };
    let mut driven = elsewhere(&two_and_one(), rules, &plan, |app, workspace| {
        kill_at_work(app, workspace);
        wait_for_ended(workspace, 2);
    });
    let need = driven.wait_for_need(AOT, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "time");
    assert_eq!([status(&driven, "A1"), status(&driven, "A2")], ["in_progress", "resolved"]);
    driven.answer(&need, more("time", 10));
    finish(&mut driven);
    assert_eq!(ran(&driven), ["atom A1 budget", "atom A2 ok", "atom A1 ok", "atom A3 ok"]);
}

// --- worktrees ------------------------------------------------------------------------------------------------------

/// The loop in a repository. A1 and A2 create their files, each in its own worktree, and wait for their gates
/// in the workspace.
fn in_worktrees() -> Driven {
    let driven = lay_out(&two_and_one(), Vec::new());
    let folder = driven.live.workspace.clone();
    let gate = |atom: &str| {
        let gate = folder.join(atom).to_string_lossy().into_owned();
        resolves(atom)
            .then(Step::Shell(format!("touch {gate}.begun; until test -e {gate}.gate; do sleep 0.05; done")))
    };
    driven.script(&Scripted { output: Output::Text, rules: vec![gate("A1"), gate("A2"), resolves("A3")] });
    fs::write(folder.join(".gitignore"), "*.runs\n*.gate\n*.begun\n").unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "x"]);
    driven
}

fn worktrees_are_removed(driven: &Driven) {
    eventually("the worktrees are removed", || {
        let listed = git(&driven.live.workspace, &["worktree", "list"]);
        (listed.lines().count() == 1).then_some(())
    });
}

fn references(driven: &Driven) -> Vec<String> {
    let listed = git(&driven.live.workspace, &["for-each-ref", "--format=%(refname)", "refs/loopdeck"]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn what_workers_did_in_worktrees_is_merged_by_the_next_loopdeck() {
    let plan = RunPlan { worktrees: true, ..plan(false) };
    let mut driven = killed(in_worktrees(), &plan, |app, workspace| {
        kill_at_work(app, workspace);
        fs::write(workspace.join("A1.gate"), "").unwrap();
        wait_for_ended(workspace, 1);
    });
    driven.wait_for_word(AOT, StatusWord::Running);
    assert!(!driven.live.workspace.join("A1.txt").exists(), "all of a round are merged together");
    driven.open("A2.gate");
    finish(&mut driven);
    assert_eq!(ran(&driven), ONCE_EACH);
    assert!(["A1.txt", "A2.txt"].iter().all(|file| driven.live.workspace.join(file).exists()));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    assert_eq!(runs.iter().filter(|run| run.worktree.is_some()).count(), 2, "A1 and A2 worked apart");
    worktrees_are_removed(&driven);
    assert_eq!(references(&driven), Vec::<String>::new());
}

#[test]
fn what_a_worker_left_in_its_worktree_when_it_was_killed_is_kept() {
    let plan = RunPlan { worktrees: true, ..plan(false) };
    let mut driven = killed(in_worktrees(), &plan, |app, workspace| {
        kill_at_work(app, workspace);
        fs::write(workspace.join("A1.gate"), "").unwrap();
        wait_for_ended(workspace, 1);
        kill(eventually("the other is recorded", || at_work(workspace)));
        wait_for_ended(workspace, 2);
    });
    let kept = eventually("told where it is", || {
        let needs = driven.live.runtime.needs().needs;
        needs.into_iter().find(|need| need.args.get("code").is_some_and(|code| code == "work_kept"))
    });
    let need = driven.wait_for_need(AOT, NeedKind::Interrupted);
    assert_eq!([status(&driven, "A1"), status(&driven, "A2")], ["resolved", "pending"]);
    assert!(driven.live.workspace.join("A1.txt").exists() && !driven.live.workspace.join("A2.txt").exists());
    assert_eq!(references(&driven), [&*kept.text]);
    assert_eq!(git(&driven.live.workspace, &["show", &format!("{}:A2.txt", kept.text)]), "done");
    worktrees_are_removed(&driven);
    driven.open("A2.gate");
    driven.answer(&need, NeedAnswer::Resume);
    finish(&mut driven);
    assert_eq!(ran(&driven), ["atom A1 ok", "atom A2 crashed", "atom A2 ok", "atom A3 ok"]);
}

/// The process of the run that has not ended, once it is recorded.
fn at_work(workspace: &Path) -> Option<u32> {
    let runs = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") }.runs();
    let records = fs::read_dir(runs).unwrap().flatten().filter_map(|run| RunRecord::read(&run.path()).ok());
    records.into_iter().find(|record| record.ended.is_none())?.child.map(|child| child.pid)
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}
