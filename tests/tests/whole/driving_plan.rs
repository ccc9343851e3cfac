//! A plan of another tool that Loopdeck works off: one agent after the other, told which items are next, until the plan's own file says
//! that all of it is done.

use loopdeck_core::control::Verb;
use loopdeck_core::format::Format;
use loopdeck_core::phase::Phase;
use loopdeck_core::start::NewWork;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::TaskState;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::NeedKind;
use loopdeck_runtime::views::FailureKind;
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

#[test]
fn a_row_follows_the_files_that_it_is_read_from_also_one_that_was_replaced() {
    let mut driven = driven();
    let phase = |done, total| Some(Phase::Todo { done, total });
    // The work of a boulder is in the plan that it names; the plan comes later.
    let boulder = ".omo/boulder.json";
    let text = r#"{"active_plan":"/elsewhere/plans/kites.md","started_at":"2026-06-02T08:00:00Z","session_ids":[],"plan_name":"kites"}"#;
    fs::create_dir_all(driven.live.path(".omo")).unwrap();
    fs::write(driven.live.path(boulder), text).unwrap();
    driven.wait(boulder, "is there", |row| row.format == Format::Boulder);
    fs::create_dir_all(driven.live.path(".omo/plans")).unwrap();
    fs::write(driven.live.path(".omo/plans/kites.md"), "- [ ] 1. Cut\n- [ ] 2. Sew\n").unwrap();
    driven.wait(boulder, "has its plan", |row| row.phase == phase(0, 2));
    fs::write(driven.live.path(".omo/plans/new.md"), "- [x] 1. Cut\n- [ ] 2. Sew\n").unwrap();
    fs::rename(driven.live.path(".omo/plans/new.md"), driven.live.path(".omo/plans/kites.md")).unwrap();
    driven.wait(boulder, "follows its plan", |row| row.phase == phase(1, 2));
    // A loop of ours has the items of the plan that it is linked to.
    let list = ".ralph/cart/TODO.md";
    fs::create_dir_all(driven.live.path(".ralph/cart")).unwrap();
    let line = format!("<!-- loop: status=pending iteration=0 max=9 plan={PLAN} -->\n# Cart\n");
    fs::write(driven.live.path(list), line).unwrap();
    driven.wait(list, "counts the plan's items", |row| row.phase == phase(0, 2));
    let plan = driven.live.workspace.join(PLAN);
    let ticked = fs::read_to_string(&plan).unwrap().replace("- [ ] T001", "- [x] T001");
    fs::write(&plan, ticked).unwrap();
    driven.wait(list, "follows the plan", |row| row.phase == phase(1, 2));
}

#[test]
fn a_plan_in_which_nothing_can_be_begun_asks_a_person_and_starts_no_agent() {
    let mut driven = driven();
    let circle = "- [x] T001 Model\n- [ ] T002 Page (depends on T003)\n- [ ] T003 Total (depends on T002)\n";
    fs::write(driven.live.workspace.join(PLAN), circle).unwrap();
    driven.script(&Scripted { output: Output::Text, rules: vec![Rule::on("iterate")] });
    let name = driven.start(&form(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!(need.text, "nothing_ready");
    assert!(driven.ran(&name).is_empty());
}

#[test]
fn a_form_whose_plan_is_not_in_the_folder_makes_nothing() {
    let driven = driven();
    for missing in ["specs/002-gone/tasks.md", "README.md", "../elsewhere/specs/001-cart/tasks.md"] {
        let mut form = form(&driven);
        form.work.plan = Some(missing.to_owned());
        let failure = driven.live.runtime.create_loop(&form).unwrap_err();
        assert_eq!(
            (failure.kind, failure.args["field"].as_str()),
            (FailureKind::BadForm, "plan"),
            "{missing}"
        );
        let review = driven.live.runtime.review_start(&form);
        assert!(review.problems.iter().any(|problem| problem.field == "plan" && problem.blocks), "{missing}");
    }
    let review = driven.live.runtime.review_start(&form(&driven));
    assert!(review.problems.iter().all(|problem| problem.field != "plan"));
    assert!(
        review.prompt.contains("T001 Model"),
        "the prompt is the one that the agent gets: {}",
        review.prompt
    );
    assert!(!driven.live.path(".ralph").exists());
}
