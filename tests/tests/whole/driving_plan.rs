//! A plan of another tool that Loopdeck works off: one agent after the other, told which items are next, until the plan's own file says
//! that all of it is done.

use loopdeck_core::control::Verb;
use loopdeck_core::phase::Phase;
use loopdeck_core::start::NewWork;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::TaskState;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::NeedKind;
use loopdeck_tests::driving::Driven;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use std::fs;

const PLAN: &str = "specs/001-cart/tasks.md";

fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let file = driven.live.workspace.join(PLAN);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let tasks = "# Tasks: Cart\n\n## Phase 1: Setup\n\n- [ ] T001 Model\n- [ ] T002 Page (depends on T001)\n";
    fs::write(file, tasks).unwrap();
    driven
}

fn form(driven: &Driven) -> StartForm {
    let mut form = driven.form("custom:scripted");
    form.work = NewWork::of_plan(PLAN, "Cart");
    form.plan.test_command = String::new();
    form
}

/// Ticks the box of a task in the plan.
fn tick(id: &str) -> Step {
    Step::Shell(format!("sed -i 's/^- \\[ \\] {id} /- [x] {id} /' {PLAN}"))
}

#[test]
fn a_plan_is_worked_off_until_its_own_file_says_that_it_is_done() {
    let mut driven = driven();
    let rules = vec![Rule::on("iterate").times(1).then(tick("T001")), Rule::on("iterate").then(tick("T002"))];
    driven.script(&Scripted { output: Output::Text, rules });
    let name = driven.start(&form(&driven));
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.wait(&name, "its row counts the plan's items", |row| {
        row.phase == Some(Phase::Todo { done: 2, total: 2 })
    });
    assert_eq!(driven.ran(&name), ["iterate ok", "iterate ok"]);
    let text = driven.live.read(&name);
    assert!(
        text.starts_with(&format!("<!-- loop: status=completed iteration=2 max=20 plan={PLAN} -->\n")),
        "{text}"
    );
    let detail = driven.live.detail(&name);
    let tasks: Vec<_> = detail.tasks.iter().map(|task| (task.id.as_str(), task.state)).collect();
    assert_eq!(tasks, [("T001", TaskState::Completed), ("T002", TaskState::Completed)]);
    // Each agent was told what is next, in the order of the plan's dependencies.
    let folder = driven.live.data().runs();
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    let prompts: Vec<String> = runs
        .iter()
        .rev()
        .map(|run| fs::read_to_string(folder.join(&run.id).join("stdin.txt")).unwrap())
        .collect();
    assert!(prompts[0].contains("T001 Model") && !prompts[0].contains("T002 Page"), "{}", prompts[0]);
    assert!(prompts[1].contains("T002 Page") && !prompts[1].contains("T001 Model"), "{}", prompts[1]);
}

#[test]
fn a_plan_that_is_gone_is_no_plan_that_is_done() {
    let mut driven = driven();
    driven.script(&Scripted {
        output: Output::Text,
        rules: vec![Rule::on("iterate").then(Step::Shell(format!("rm {PLAN}")))],
    });
    let name = driven.start(&form(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!(need.args["code"], "refused");
    assert_eq!(driven.ran(&name), ["iterate ok"], "nothing is started without the plan");
    assert!(driven.live.read(&name).contains("status=running iteration=1 "));
}

#[test]
fn a_stop_that_a_tool_waits_for_is_a_file_and_its_tasks_stay_as_they_are() {
    let mut driven = driven();
    let tasks = ".ralph/agent/tasks.jsonl";
    let task = r#"{"id":"task-1-a","title":"Do it","status":"in_progress","priority":1,"blocked_by":[],"created":"2026-06-01T10:00:00Z"}"#;
    fs::create_dir_all(driven.live.path(tasks).parent().unwrap()).unwrap();
    fs::write(driven.live.path(tasks), task).unwrap();
    driven.wait_for_word(tasks, StatusWord::RunningElsewhere);
    driven.live.act(tasks, Verb::Stop).unwrap();
    assert!(driven.live.path(".ralph/stop-requested").is_file());
    assert_eq!(driven.live.read(tasks), task);
}
