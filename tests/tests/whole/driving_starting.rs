//! The moment in which a run is started: a second simultaneous start, a stale view of the loop, and an end
//! that is requested before the process can be reached.

use loopdeck_core::control::Verb;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::StopView;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, develops, planned, small};
use loopdeck_tests::live::loop_v2;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Step};
use std::path::{Path, PathBuf};
use std::time::Duration;

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), AGENT)
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

#[test]
fn nothing_begins_in_a_repository_that_changed_before_the_person_trusts_it_again() {
    let mut driven = driven();
    driven.script(&small(Output::Text, vec![develops("task-001")]));
    let (workspace, folder) = (driven.live.workspace.clone(), driven.folder());
    commit_all(&workspace);
    driven.live.runtime.trust(&folder, true).unwrap();
    let form = driven.small_form("custom:scripted");
    let kept = driven.live.runtime.create_loop(&form).unwrap();
    let files = || driven.live.runtime.rows().len();
    let before = files();
    git(&workspace, &["config", "filter.x.clean", "false"]);
    for failure in [
        driven.live.runtime.start_loop(&form).unwrap_err(),
        driven.live.runtime.launch(&kept, Some(form.plan.clone()), None).unwrap_err(),
    ] {
        assert_eq!(
            (failure.kind, &*failure.args["what"]),
            (FailureKind::RepositoryChanged, "filter.x.clean")
        );
    }
    assert_eq!(files(), before, "nothing was written");
    driven.live.runtime.trust(&folder, true).unwrap();
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn a_second_start_beside_an_agent_at_work_is_refused() {
    let mut driven = driven();
    let waits = develops("task-001").then(write("begun")).then(Step::WaitFor("gate".into()));
    driven.script(&small(Output::ClaudeJsonl, vec![waits]));
    let name = driven.start(&driven.small_form("custom:claude-like"));
    driven.wait_for_file("begun");
    driven.wait_for_word(&name, StatusWord::Running);
    let before = driven.processes();
    let refusal = driven.launch(&name).unwrap_err().refusal.unwrap();
    assert_eq!(refusal.code, RefusalCode::AlreadyRunning);
    let refusal = driven.live.act(&name, Verb::Resume).unwrap_err().refusal.unwrap();
    assert_eq!(refusal.code, RefusalCode::AlreadyRunning);
    assert_eq!(driven.processes(), before);
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok", "validate ok"]);
}

#[test]
fn a_start_is_refused_by_what_the_person_sees_although_the_file_has_changed_since() {
    // Changes are reported only by the operating system, which does not report those through a second name of
    // the file elsewhere.
    let mut driven = Driven::with(env!("CARGO_BIN_EXE_guardian"), AGENT, |options| {
        options.floor = Duration::from_secs(86_400);
    });
    driven.script(&small(Output::Text, Vec::new()));
    let text = |status| loop_v2("loop-v2-20261120T042421-d8ff7e62", status);
    driven.live.write(NAME, text("running"));
    driven.live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    let elsewhere = tempfile::tempdir_in(driven.live.workspace.parent().unwrap()).unwrap();
    let unseen = elsewhere.path().join("unseen.json");
    std::fs::hard_link(driven.live.path(NAME), &unseen).unwrap();
    std::fs::write(&unseen, text("paused")).unwrap();
    assert_eq!(driven.live.read(NAME), text("paused"));
    // The working agent has not read the pause yet: another one would be a second agent on one loop.
    let plan = driven.small_form("custom:scripted").plan;
    let failure = driven.live.runtime.launch(&driven.live.key(NAME), Some(plan), None).unwrap_err();
    assert_eq!(failure.refusal.unwrap().code, RefusalCode::ForeignOwner);
    assert_eq!((driven.live.read(NAME), driven.ran(NAME)), (text("paused"), Vec::new()));
    driven.live.runtime.rescan().unwrap();
    driven.live.wait_for_word(NAME, StatusWord::Paused);
    driven.launch(NAME).unwrap();
    driven.wait_for_word(NAME, StatusWord::Completed);
}

/// A guardian that reports that it was started, and begins when it may.
fn hesitant(folder: &Path) -> PathBuf {
    let program = folder.join("guardian");
    let script = format!(
        "#!/bin/sh\n: > {0}/asked\nwhile [ ! -e {0}/may ]; do sleep 0.02; done\nexec {1} \"$@\"\n",
        folder.display(),
        env!("CARGO_BIN_EXE_guardian")
    );
    write_program(&program, &script);
    program
}

#[test]
fn a_stop_or_a_pause_at_once_before_the_guardian_has_answered_leaves_nothing() {
    for stops in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut driven = Driven::new(hesitant(folder.path()).to_str().unwrap(), AGENT);
        driven.script(&small(Output::Text, vec![Rule::on("init").times(1).then(Step::Hang), planned(1)]));
        let name = driven.start(&driven.small_form("custom:scripted"));
        eventually("the guardian is asked", || folder.path().join("asked").exists().then_some(()));
        let key = driven.live.key(&name);
        if stops {
            driven.live.act(&name, Verb::Stop).unwrap();
        } else {
            driven.live.runtime.pause_now(&key).unwrap();
        }
        driven.live.pull();
        let row = driven.live.row(&name).unwrap();
        assert!(row.run.as_ref().unwrap().alive, "nobody knows yet that nothing runs");
        std::fs::write(folder.path().join("may"), "").unwrap();
        driven.wait_for_word(&name, if stops { StatusWord::Stopped } else { StatusWord::Paused });
        driven.all_gone();
        let run = driven.live.row(&name).unwrap().run.clone().unwrap();
        assert!(!run.alive && matches!(run.stop, Some(StopView::AllGone { .. })), "{run:?}");
        assert_eq!(driven.ran(&name), ["init cancelled"]);
        let facts = driven.live.runtime.stop_facts(&key).unwrap();
        assert_eq!((facts.runs, facts.processes, driven.live.runtime.needs().running), (0, Some(0), 0));
        assert_eq!(driven.live.runtime.needs().needs, []);
        driven.script(&small(Output::Text, Vec::new()));
        driven.launch(&name).unwrap();
        driven.wait_for_word(&name, StatusWord::Completed);
    }
}

#[test]
fn a_guardian_that_never_answers_a_stop_is_told_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let program = hesitant(folder.path());
    let mut driven = Driven::new(program.to_str().unwrap(), AGENT);
    driven.script(&small(Output::Text, Vec::new()));
    // It ends without a word when it may.
    let script = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, script.replace("exec ", "exit 3; exec ")).unwrap();
    let name = driven.start(&driven.small_form("custom:scripted"));
    eventually("the guardian is asked", || folder.path().join("asked").exists().then_some(()));
    driven.live.act(&name, Verb::Stop).unwrap();
    std::fs::write(folder.path().join("may"), "").unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.wait(&name, "over", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["init cancelled"]);
    assert_eq!(driven.live.runtime.needs().needs, [], "what was stopped did not fail");
}

#[test]
fn a_goal_that_is_too_long_is_a_problem_of_its_field_and_stays_as_it_was_typed() {
    let driven = driven();
    let mut form = driven.small_form("custom:scripted");
    form.work.goal = "字".repeat(20_001);
    let problems = driven.live.runtime.review_start(&form).problems;
    let found: Vec<_> = problems.iter().filter(|problem| problem.field == "goal").collect();
    assert_eq!(found.len(), 1, "{problems:?}");
    assert_eq!((found[0].code.as_str(), found[0].blocks), ("too_long", true));
    let before = driven.live.files();
    driven.live.runtime.save_draft(Some(form.clone())).unwrap();
    let failure = driven.live.runtime.start_loop(&form).unwrap_err();
    let named = (failure.args["field"].as_str(), failure.args["code"].as_str());
    assert_eq!((failure.kind, named), (FailureKind::BadForm, ("goal", "too_long")));
    assert_eq!((driven.live.files(), driven.live.runtime.draft()), (before, Some(form.clone())));
    form.work.goal = "字".repeat(20_000);
    assert_eq!(driven.live.runtime.review_start(&form).problems.iter().find(|one| one.field == "goal"), None);
}

#[test]
fn a_draft_or_a_choice_that_cannot_be_kept_is_said() {
    let driven = driven();
    let form = driven.small_form("custom:scripted");
    driven.live.runtime.save_draft(Some(form.clone())).unwrap();
    // A folder is where the file should go.
    let kept = driven.live.data().data.join("choices.json");
    std::fs::remove_file(&kept).unwrap();
    std::fs::create_dir_all(kept.join("in the way")).unwrap();
    let mut newer = form.clone();
    newer.work.goal = "Something else".into();
    for failure in [
        driven.live.runtime.save_draft(Some(newer.clone())).unwrap_err(),
        driven.live.runtime.set_program("claude", Some(AGENT.into())).unwrap_err(),
    ] {
        assert_eq!(failure.kind, FailureKind::DamagedData);
        assert!(!failure.args["reason"].is_empty(), "{failure:?}");
    }
    assert_eq!(driven.live.runtime.draft(), Some(newer), "nothing typed is lost while the app runs");
}
