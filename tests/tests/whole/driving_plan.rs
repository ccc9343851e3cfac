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

/// A format with the files of a small plan and what an agent does to carry it out.
struct Case {
    plan: &'static str,
    files: &'static [(&'static str, &'static str)],
    done: &'static str,
}

const CASES: [Case; 9] = [
    Case {
        plan: "scripts/ralph/prd.json",
        files: &[(
            "scripts/ralph/prd.json",
            r#"{"userStories": [{"id": "US-1", "title": "Sow", "acceptanceCriteria": [], "priority": 1, "passes": false}]}"#,
        )],
        done: r#"sed -i 's/"passes": false/"passes": true/' scripts/ralph/prd.json"#,
    },
    Case {
        plan: "openspec/changes/cart/tasks.md",
        files: &[("openspec/changes/cart/tasks.md", "## 1. Garden\n\n- [ ] 1.1 Sow\n")],
        done: "sed -i 's/- \\[ \\] 1.1/- [x] 1.1/' openspec/changes/cart/tasks.md",
    },
    Case {
        plan: ".taskmaster/tasks/tasks.json",
        files: &[(
            ".taskmaster/tasks/tasks.json",
            r#"{"master": {"tasks": [{"id": 1, "title": "Sow", "status": "pending", "dependencies": [], "subtasks": []}]}}"#,
        )],
        done: "sed -i 's/pending/done/' .taskmaster/tasks/tasks.json",
    },
    Case {
        plan: "_bmad-output/implementation-artifacts/sprint-status.yaml",
        files: &[(
            "_bmad-output/implementation-artifacts/sprint-status.yaml",
            "project: garden\ndevelopment_status:\n  epic-1: in-progress\n  1-1-sow: ready-for-dev\n",
        )],
        done: "sed -i 's/: ready-for-dev/: done/; s/: in-progress/: done/' _bmad-output/implementation-artifacts/sprint-status.yaml",
    },
    Case {
        plan: ".ralph/fix_plan.md",
        files: &[
            (".ralph/fix_plan.md", "# Fix Plan\n\n## High Priority\n- [ ] Sow\n"),
            (".ralphrc", "PROJECT_NAME=garden\n"),
        ],
        done: "sed -i 's/- \\[ \\] Sow/- [x] Sow/' .ralph/fix_plan.md",
    },
    Case {
        plan: ".ralph/agent/tasks.jsonl",
        files: &[(
            ".ralph/agent/tasks.jsonl",
            r#"{"id":"task-1-a","title":"Sow","status":"open","priority":1,"blocked_by":[],"created":"2026-06-01T10:00:00Z"}"#,
        )],
        done: r#"sed -i 's/"open"/"closed"/' .ralph/agent/tasks.jsonl"#,
    },
    Case {
        plan: ".omo/boulder.json",
        files: &[
            (
                ".omo/boulder.json",
                r#"{"active_plan":"/elsewhere/plans/cart.md","started_at":"2026-06-02T08:00:00Z","session_ids":[],"plan_name":"cart"}"#,
            ),
            (".omo/plans/cart.md", "# Cart\n\n## TODOs\n\n- [ ] 1. Sow\n"),
        ],
        done: "sed -i 's/- \\[ \\] 1/- [x] 1/' .omo/plans/cart.md",
    },
    Case {
        plan: ".ralph/cart.state.json",
        files: &[
            (
                ".ralph/cart.state.json",
                r#"{"name":"cart","taskFile":".ralph/cart.md","iteration":1,"maxIterations":50,"itemsPerIteration":1,"reflectEvery":0,"active":false,"status":"paused","startedAt":"2026-06-02T08:00:00Z"}"#,
            ),
            (".ralph/cart.md", "# Cart\n\n- [ ] Sow\n"),
        ],
        done: "sed -i 's/- \\[ \\] Sow/- [x] Sow/' .ralph/cart.md",
    },
    Case {
        plan: ".planning/STATE.md",
        files: &[
            (
                ".planning/STATE.md",
                "# Project State\n\n## Current Position\n\nPhase: 1 of 1 (Garden)\nPlan: 0 of 1 in current phase\nStatus: Ready to execute\n",
            ),
            (
                ".planning/ROADMAP.md",
                "# Roadmap: Garden\n\n## Phases\n\n- [ ] **Phase 1: Garden** - Sow\n\n## Phase Details\n\n### Phase 1: Garden\n**Goal**: Sow\n\nPlans:\n- [ ] 01-01: Sow\n",
            ),
            (
                ".planning/phases/01-garden/01-01-PLAN.md",
                "---\nphase: 01-garden\nplan: 01\nwave: 1\ndepends_on: []\nfiles_modified: [bed.txt]\n---\n\n<objective>\nSow\n</objective>\n",
            ),
        ],
        done: "printf -- '---\\nphase: 01-garden\\nplan: 01\\n---\\n# Summary\\nSown.\\n' > .planning/phases/01-garden/01-01-SUMMARY.md; \
               sed -i 's/- \\[ \\]/- [x]/' .planning/ROADMAP.md",
    },
];

#[test]
fn a_plan_of_each_format_is_worked_off() {
    for Case { plan, files, done } in &CASES {
        let mut driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
        for (file, text) in *files {
            let path = driven.live.workspace.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let rules = vec![Rule::on("iterate").then(Step::Shell((*done).to_owned()))];
        driven.script(&Scripted { output: Output::Text, rules });
        let mut form = driven.form("custom:scripted");
        form.work = NewWork::of_plan(plan, "Cart");
        form.plan.test_command = String::new();
        let name = driven.start(&form);
        driven.wait_for_word(&name, StatusWord::Completed);
        assert_eq!(driven.ran(&name), ["iterate ok"], "{plan}");
        let phase = &driven.live.row(&name).unwrap().phase;
        assert!(
            matches!(phase, Some(Phase::Todo { done, total }) if done == total && *total > 0),
            "{plan}: {phase:?}"
        );
    }
}

#[test]
fn a_loop_that_is_a_prompt_becomes_one_of_ours_with_its_prompt_as_goal() {
    let mut driven = driven();
    let file = ".claude/ralph-loop.local.md";
    let text = "---\nactive: true\niteration: 2\nsession_id: a\nmax_iterations: 9\ncompletion_promise: \"SOWN\"\n---\n\nSow the garden. Say <promise>SOWN</promise> when it is true.\n";
    fs::create_dir_all(driven.live.path(".claude")).unwrap();
    fs::write(driven.live.path(file), text).unwrap();
    driven.wait(file, "is there", |row| row.format == Format::RalphLoop);
    let offered = driven.live.runtime.form_of(&driven.live.key(file)).unwrap();
    assert_eq!((offered.work.plan.as_deref(), offered.work.max_iterations), (None, Some(9)));
    let done = "sed -i 's/- \\[ \\]/- [x]/' .ralph/*/TODO.md".to_owned();
    driven
        .script(&Scripted { output: Output::Text, rules: vec![Rule::on("iterate").then(Step::Shell(done))] });
    let mut form = driven.form("custom:scripted");
    form.work = offered.work;
    form.plan.test_command = String::new();
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let list = driven.live.read(&name);
    assert!(list.contains("iteration=1 max=9 -->\n# Sow the garden."), "{list}");
    assert_eq!(driven.live.read(file), text, "the file of the other tool is as it was");
    // The command line names the file, and what becomes of it is found when the loop is written.
    form.work = NewWork::of_plan(file, "");
    let key = driven.live.runtime.create_loop(&form).unwrap();
    let other = driven.live.read(loopdeck_core::loop_id::file_of(&key));
    assert!(other.contains("iteration=0 max=9 -->\n# Sow the garden."), "{other}");
    // What a person says about it stays.
    form.work = NewWork { max_iterations: Some(4), ..NewWork::of_plan(file, "The garden") };
    form.work.goal.push_str("\n\nBegin with the beans.");
    let key = driven.live.runtime.create_loop(&form).unwrap();
    let file = loopdeck_core::loop_id::file_of(&key);
    let own = driven.live.read(file);
    assert!(own.contains("max=4 -->\n# The garden\n"), "{own}");
    let prompt = driven.live.read(&file.replace("TODO.md", "PROMPT.md"));
    assert!(prompt.contains("Sow the garden.") && prompt.contains("Begin with the beans."), "{prompt}");
}
