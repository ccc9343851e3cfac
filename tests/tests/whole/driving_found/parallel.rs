//! Rounds of a Loop-B whose workers ran side by side: each is found, and none does its work twice.

use super::*;

/// A Loop-B worker that did its part.
fn worker(worker: &str) -> Rule {
    Rule::on(worker).answers(json!({
        "status": "success", "summary": "done", "files_changed": [], "completed_tasks": ["task-001"],
        "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    }))
}

/// The same, once it may continue.
fn waits(name: &str, gate: &str) -> Rule {
    let rule = worker(name);
    let steps = vec![write(name), Step::WaitFor(gate.into())];
    Rule { steps, ..rule }
}

fn in_parallel(driven: &Driven, rules: Vec<Rule>) -> StartForm {
    let rules = [planned(1)].into_iter().chain(rules).collect();
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.small_form("custom:scripted");
    form.work.format = Some(loopdeck_core::start::NewFormat::LoopB);
    form.work.mode = Some(loopdeck_core::formats::loop_b::create::WorkMode::Parallel);
    form
}

/// How the runs of an action ended, oldest first.
fn ends_of(driven: &Driven, name: &str, action: &str) -> Vec<String> {
    let mut runs = driven.ran(name);
    runs.retain(|run| run.starts_with(action));
    runs.iter().filter_map(|run| run.rsplit(' ').next()).map(str::to_owned).collect()
}

#[test]
fn workers_that_ran_side_by_side_are_all_found() {
    let mut driven = driven();
    let form = in_parallel(&driven, vec![waits("develop", "gate"), waits("debug", "gate")]);
    let name = driven.start(&form);
    driven.wait_for_file("develop");
    driven.wait_for_file("debug");
    let mut driven = Driven { live: driven.live.restarted() };
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert!(
        driven.ran(&name).iter().all(|run| !run.ends_with('-')),
        "no run stays open: {:?}",
        driven.ran(&name)
    );
    // Not at once: Loopdeck starts programs of its own here, which are no agents.
    eventually("nothing works here", || driven.processes().is_empty().then_some(()));
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!([ends_of(&driven, &name, "develop"), ends_of(&driven, &name, "debug")], [["ok"], ["ok"]]);
}

/// Killed while both workers are working. Develop then finishes, and so do the tests; the process of debug is
/// answered.
fn killed_before_debug_ends(app: &mut Child, workspace: &Path) -> u32 {
    eventually("develop", || workspace.join("develop").exists().then_some(()));
    let runs = loopdeck_runtime::dirs::Dirs { data: workspace.parent().unwrap().join("data") }.runs();
    // Killed earlier, the validation of this round would be noted and never start.
    eventually("init and all three of the round have begun", || {
        let records = std::fs::read_dir(&runs).unwrap().flatten();
        let begun = records.filter(|run| RunRecord::read(&run.path()).is_ok_and(|it| it.child.is_some()));
        (begun.count() == 4).then_some(())
    });
    killed_at("debug")(app, workspace);
    std::fs::write(workspace.join("develop.gate"), "").unwrap();
    eventually("only debug is at work", || {
        let records = std::fs::read_dir(&runs).unwrap().flatten();
        let open = records.filter(|run| RunRecord::read(&run.path()).is_ok_and(|it| it.ended.is_none()));
        (open.count() == 1).then(|| agent_at_work(&runs)).flatten()
    })
}

#[test]
fn of_a_parallel_round_only_the_worker_that_was_cut_off_runs_again() {
    for keep_going in [false, true] {
        let driven = driven();
        let mut form =
            in_parallel(&driven, vec![waits("develop", "develop.gate"), waits("debug", "debug.gate")]);
        form.plan.keep_going = keep_going;
        let (mut driven, name) = elsewhere(driven, &form, |app, workspace| {
            kill(killed_before_debug_ends(app, workspace));
            finished(workspace);
        });
        let need = driven.wait_for_need(&name, NeedKind::Interrupted);
        assert_eq!(left(&need), ["cut_off", "debug", ""]);
        assert_eq!(driven.state(&name)["skill_state"]["parallel_results"], json!(null));
        driven.open("debug.gate");
        driven.answer(&need, NeedAnswer::Resume);
        driven.wait_for_word(&name, StatusWord::Completed);
        assert_eq!(ends_of(&driven, &name, "develop"), ["ok"], "it is not done twice");
        assert_eq!(ends_of(&driven, &name, "debug"), ["crashed", "ok"]);
        assert_eq!(ends_of(&driven, &name, "validate").len(), 2, "in the round and after it");
        let results = &driven.state(&name)["skill_state"]["parallel_results"];
        for action in ["develop", "debug"] {
            assert_eq!(results[action]["summary"], "done", "{results:#}");
        }
        let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
        assert!(runs.iter().all(|run| !run.unconcluded), "{runs:#?}");
        assert_eq!(driven.live.runtime.needs().needs, []);
    }
}

#[test]
fn of_a_parallel_round_only_the_worker_that_failed_meanwhile_runs_again_also_after_another_restart() {
    let driven = driven();
    let fails = waits("debug", "debug.gate").times(1).then(Step::Exit(3));
    let again = Rule { steps: vec![write("again"), Step::WaitFor("again.gate".into())], ..worker("debug") };
    let form = in_parallel(&driven, vec![waits("develop", "develop.gate"), fails, again]);
    let (mut driven, name) = elsewhere(driven, &form, |app, workspace| {
        killed_before_debug_ends(app, workspace);
        std::fs::write(workspace.join("debug.gate"), "").unwrap();
        finished(workspace);
    });
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    assert_eq!(left(&need), ["failed", "debug", ""]);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_file("again");
    let mut driven = Driven { live: driven.live.restarted() };
    driven.wait_for_word(&name, StatusWord::Running);
    driven.open("again.gate");
    let need = driven.wait_for_need(&name, NeedKind::Interrupted);
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(ends_of(&driven, &name, "develop"), ["ok"]);
    assert_eq!(ends_of(&driven, &name, "debug"), ["task_failed", "ok"]);
}
