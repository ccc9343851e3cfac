//! Tasks that choose their agent and its permissions, and tasks of the list next to a running loop.

use loopdeck_agents::Level;
use loopdeck_core::compare::ChangedWhat;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::start::{NewTask, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_core::timeline::EntryContent;
use loopdeck_runtime::drivers::plan::{FurtherAgent, RunPlan};
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedAnswerKind, NeedKind};
use loopdeck_tests::driving::{Driven, develops, done, planned, small};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");

fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), AGENT);
    for id in ["second", "third"] {
        driven.add_agent(id, AGENT, "text");
    }
    driven
}

fn task(tool: &str, mode: &str) -> NewTask {
    NewTask { description: format!("Do it: {tool} {mode}"), tool: tool.into(), mode: mode.into() }
}

fn further(agent: &str, level: Level) -> FurtherAgent {
    FurtherAgent { agent: agent.into(), level: Some(level) }
}

/// DEVELOP of this many tasks, each done immediately.
fn does(tasks: u32) -> Vec<Rule> {
    (1..=tasks).map(|number| develops(&format!("task-{number:03}"))).collect()
}

/// Runs of tasks, oldest first: task, agent, level.
fn staff(driven: &Driven, name: &str) -> Vec<String> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let said = |run: &loopdeck_runtime::drivers::rows::RunView| {
        let level = run.level.map(|level| serde_json::to_value(level).unwrap());
        let level = level.as_ref().and_then(Value::as_str).unwrap_or("-");
        format!("{} {} {level}", run.task.clone().unwrap_or_default(), run.agent_id)
    };
    runs.iter().rev().filter(|run| run.action == "develop").map(said).collect()
}

/// Two for each of four agents, of which one is not allowed and one is not there.
fn eight_tasks() -> Vec<NewTask> {
    vec![
        task("", ""),
        task("custom:scripted", "analysis"),
        task("custom:second", "write"),
        task("custom:second", "analysis"),
        task("custom:third", "write"),
        task("custom:third", "write"),
        task("custom:vim", "write"),
        task("custom:vim", "write"),
    ]
}

#[test]
fn each_task_has_the_agent_and_the_level_that_it_names_and_the_person_is_asked_once() {
    let mut driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: does(8) });
    let mut form = driven.small_form("custom:scripted");
    form.work.tasks = eight_tasks();
    form.plan.further = vec![further("custom:second", Level::EditFiles)];
    let review = driven.live.runtime.review_start(&form);
    let told: Vec<_> = review.problems.iter().map(|problem| problem.code.as_str()).collect();
    assert!(told.contains(&"tool_not_allowed") && !review.problems.iter().any(|problem| problem.blocks));
    let name = driven.start(&form);

    let need = driven.wait_for_need(&name, NeedKind::Question);
    let args = ["question", "about", "tool", "instead"].map(|arg| need.args[arg].as_str());
    assert_eq!(args, ["tool_not_allowed", "task-005", "third", "The scripted agent"]);
    let offered = [NeedAnswerKind::GoOn, NeedAnswerKind::AllowTool, NeedAnswerKind::Stop];
    assert_eq!(need.answers, offered);
    assert_eq!(driven.ran(&name).len(), 4, "nothing is begun before the answer");
    assert_eq!(driven.state(&name)["skill_state"]["develop"]["tasks"][4]["status"], "pending");
    driven.answer(&need, NeedAnswer::AllowTool);

    driven.wait(&name, "asks again", |row| row.word == StatusWord::NeedsYou);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["tool"].as_str()), ("tool_missing", "vim"));
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Completed);
    let expected = [
        "task-001 custom:scripted full_access",
        "task-002 custom:scripted look_only",
        "task-003 custom:second edit_files",
        "task-004 custom:second look_only",
        "task-005 custom:third edit_files",
        "task-006 custom:third edit_files",
        "task-007 custom:scripted full_access",
        "task-008 custom:scripted full_access",
    ];
    assert_eq!(staff(&driven, &name), expected);
    // The choice is kept with the loop, as is the kind of work, and the file is unchanged.
    let plan = driven.live.runtime.plan_of(&driven.live.key(&name)).unwrap();
    assert_eq!(plan.recipe, Some(Recipe::FixBug));
    let kept: Vec<_> = plan.further.iter().map(|one| (one.agent.as_str(), one.level)).collect();
    assert_eq!(kept, [("custom:second", Some(Level::EditFiles)), ("custom:third", Some(Level::EditFiles))]);
    assert_eq!(driven.live.runtime.plan_of("").unwrap().further, [], "and with no other one");
    let state = driven.state(&name);
    let tools: Vec<_> = state["skill_state"]["develop"]["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["tool"])
        .collect();
    assert_eq!(tools[0], "scripted");
    assert_eq!((tools[4], tools[7]), (&json!("custom:third"), &json!("custom:vim")));
}

#[test]
fn a_tool_that_is_not_allowed_is_never_started_and_stop_ends_the_loop() {
    let mut driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: does(2) });
    let mut form = driven.small_form("custom:scripted");
    form.work.tasks = vec![task("bash", "write")];
    form.plan.shell_command = "touch never".into();
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(need.args["question"], "tool_not_allowed");
    driven.answer(&need, NeedAnswer::Stop);
    driven.wait_for_word(&name, StatusWord::Stopped);
    assert!(!driven.live.workspace.join("never").exists());
    assert_eq!(driven.ran(&name), Vec::<String>::new());
    // With another agent for the loop, its tasks' tools are still asked about.
    let plan = RunPlan { agent: "custom:second".into(), ..form.plan.clone() };
    driven.live.runtime.launch(&driven.live.key(&name), Some(plan), None).unwrap();
    let need = driven.wait_for_need(&name, NeedKind::Question);
    driven.answer(&need, NeedAnswer::AllowTool);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(staff(&driven, &name), ["task-001 shell -"]);
}

fn listed(id: &str, order: u32, tool: &str) -> String {
    let task = json!({
        "task_id": id, "description": format!("Listed {id}"), "tool": tool, "mode": "write", "prompt_template": "",
        "order": order, "created_at": "2026-11-20T04:20:21.870Z", "updated_at": "2026-11-20T04:20:21.870Z",
    });
    format!("{task}\n")
}

#[test]
fn tasks_that_are_listed_while_an_action_runs_are_developed_in_their_order_once() {
    let mut driven = driven();
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    let first = develops("task-001").then(begun).then(Step::WaitFor("gate".into()));
    let rules = ["late", "b", "a"].map(|id| done(Rule::on("develop").task(id), id));
    let rules = std::iter::once(first).chain(rules).collect();
    driven.script(&small(Output::Text, rules));
    let mut form = driven.small_form("custom:scripted");
    form.plan.further = vec![further("custom:second", Level::EditFiles)];
    let name = driven.start(&form);
    driven.wait_for_file("begun");
    // Another program writes to both locations of the list; its last line is incomplete.
    let id = name.strip_suffix(".json").unwrap();
    let root = driven.live.workspace.join(ROOT);
    std::fs::create_dir_all(root.join(id)).unwrap();
    let torn = "{\"task_id\":\"late\",\"descr";
    std::fs::write(root.join(format!("{id}/tasks.jsonl")), listed("b", 1, "") + torn).unwrap();
    std::fs::write(root.join(format!("{id}.tasks.jsonl")), listed("a", 0, "second")).unwrap();
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(
        driven.ran(&name),
        ["init ok", "develop task-001 ok", "develop a ok", "develop b ok", "validate ok"]
    );
    assert_eq!(staff(&driven, &name)[1..], ["a custom:second edit_files", "b custom:scripted full_access"]);
    let state = driven.state(&name);
    let develop = &state["skill_state"]["develop"];
    assert_eq!((&develop["total"], &develop["completed"]), (&json!(3), &json!(3)));
    assert_eq!(develop["tasks"][1]["_source"], "tasks.jsonl");
    // Shown as such; the unreadable part is reported and still there.
    let detail = driven.live.detail(&name);
    let shown: Vec<_> = detail.tasks.iter().map(|task| (task.id.as_str(), task.listed)).collect();
    assert_eq!(shown, [("task-001", false), ("a", true), ("b", true)]);
    assert!(detail.task_list.iter().all(|task| task.taken));
    assert!(detail.problems.iter().any(|problem| problem.code == ProblemCode::W10_bad_line));
    assert!(std::fs::read_to_string(root.join(format!("{id}/tasks.jsonl"))).unwrap().ends_with(torn));
    let key = driven.live.key(&name);
    let timeline = eventually("the whole timeline", || {
        let page = driven.live.runtime.timeline(&key).unwrap();
        (!page.more).then_some(page)
    });
    let of_list = |content: &EntryContent| match content {
        EntryContent::Version { changes, .. } => {
            changes.iter().filter(|change| change.what == ChangedWhat::ListedTask).count()
        }
        _ => 0,
    };
    assert_eq!(timeline.entries.iter().map(|entry| of_list(&entry.content)).sum::<usize>(), 2);

    // The incomplete line is done when the loop is reopened, and nothing else again.
    std::fs::write(root.join(format!("{id}/tasks.jsonl")), listed("b", 1, "") + &listed("late", 2, ""))
        .unwrap();
    driven.launch(&name).unwrap();
    driven.wait(&name, "the late one", |row| row.word == StatusWord::Completed);
    assert_eq!(driven.ran(&name)[5..], ["develop late ok", "validate ok"]);
    driven.all_gone();
}

#[test]
fn tasks_that_are_listed_before_the_start_follow_those_of_init() {
    let mut driven = driven();
    let rules = ["x", "y"].map(|id| done(Rule::on("develop").task(id), id));
    driven.script(&small(Output::Text, rules.into_iter().chain([planned(1)]).collect()));
    let name = "loop-v2-20261120T042421-d8ff7e62.json";
    let id = name.strip_suffix(".json").unwrap();
    let file = json!({
        "loop_id": id, "title": "T", "description": "", "max_iterations": 10, "status": "created", "current_iteration": 0,
        "created_at": "2026-11-20T04:20:21.870Z", "updated_at": "2026-11-20T04:20:21.870Z",
    });
    std::fs::create_dir_all(driven.live.path(id)).unwrap();
    driven.live.write(&format!("{id}/tasks.jsonl"), listed("y", 1, "") + &listed("x", 0, ""));
    driven.live.write(name, file.to_string());
    driven.wait(name, "is there", |row| row.word == StatusWord::NotStarted);
    let plan = driven.small_form("custom:scripted").plan;
    driven.live.runtime.launch(&driven.live.key(name), Some(plan), None).unwrap();
    driven.wait_for_word(name, StatusWord::Completed);
    assert_eq!(
        driven.ran(name),
        ["init ok", "develop task-001 ok", "develop x ok", "develop y ok", "validate ok"]
    );
}
