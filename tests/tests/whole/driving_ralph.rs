//! A Ralph loop that really runs (the Ralph contract §5): one agent after the other, with nothing but the prompt and the list, from the
//! start form until every box is ticked.

use loopdeck_core::control::Verb;
use loopdeck_core::format::Format;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::start::NewFormat;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::TaskState;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_tests::driving::{Driven, more};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use std::fs;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// A loop with two boxes.
fn form(driven: &Driven) -> StartForm {
    let mut form = driven.form("custom:scripted");
    form.work.format = Some(NewFormat::Ralph);
    form.work.title = "Two shops".into();
    form.work.tasks = vec!["Open the first".into(), "Open the second".into()];
    form.plan.test_command = String::new();
    form
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// Ticks the box with this text, wherever the list is.
fn tick(text: &str) -> Step {
    Step::Shell(format!("sed -i 's/^- \\[ \\] {text}$/- [x] {text}/' .ralph/*/TODO.md"))
}

/// An agent that does `rules`, and then ticks the second box.
fn agent(rules: Vec<Rule>) -> Scripted {
    let last = Rule::on("iterate").then(tick("Open the second"));
    Scripted { output: Output::Text, rules: rules.into_iter().chain([last]).collect() }
}

/// What the agents of a loop were told, in order.
fn prompts(driven: &Driven, name: &str) -> Vec<String> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let folder = driven.live.data().runs();
    runs.iter().rev().map(|run| fs::read_to_string(folder.join(&run.id).join("stdin.txt")).unwrap()).collect()
}

fn phase(done: u32) -> Option<Phase> {
    Some(Phase::Todo { done, total: 2 })
}

#[test]
fn a_loop_is_started_paused_resumed_and_runs_until_every_box_is_ticked() {
    let mut driven = driven();
    let gated = Rule::on("iterate").times(1).then(write("begun")).then(Step::WaitFor("gate".into()));
    driven.script(&agent(vec![gated.then(tick("Open the first"))]));
    let name = driven.start(&form(&driven));
    assert!(name.starts_with(".ralph/two-shops-") && name.ends_with("/TODO.md"), "{name}");
    driven.wait_for_file("begun");
    driven.wait(&name, "is shown while it runs", |row| {
        row.format == Format::Ralph && row.title == "Two shops" && row.phase == phase(0) && row.run.is_some()
    });
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Pausing);
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    // The iteration that was at work counts, and what it did stays.
    let text = driven.live.read(&name);
    assert!(text.starts_with("<!-- loop: status=paused iteration=1 max=20 -->\n"), "{text}");
    let detail = driven.live.detail(&name);
    let states: Vec<_> = detail.tasks.iter().map(|task| task.state).collect();
    assert_eq!((states, detail.problems), (vec![TaskState::Completed, TaskState::Pending], Vec::new()));

    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.wait(&name, "both are done", |row| row.phase == phase(2));
    let text = driven.live.read(&name);
    let expected = "<!-- loop: status=completed iteration=2 max=20 -->\n# Two shops\n\n\
                    - [x] Open the first\n- [x] Open the second\n";
    assert_eq!(text, expected);
    assert_eq!(driven.ran(&name), ["iterate ok", "iterate ok"], "each in a conversation of its own");
    driven.all_gone();
}

#[test]
fn a_stop_ends_the_agent_and_a_reopened_loop_does_the_iteration_again() {
    let mut driven = driven();
    let hangs = Rule::on("iterate").times(1).then(write("begun")).then(Step::Hang);
    driven.script(&agent(vec![hangs, Rule::on("iterate").times(1).then(tick("Open the first"))]));
    let name = driven.start(&form(&driven));
    driven.wait_for_file("begun");
    driven.live.act(&name, Verb::Stop).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
    assert!(
        driven.live.read(&name).contains("status=stopped iteration=0 "),
        "it was cut off: it does not count"
    );
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["iterate cancelled", "iterate ok", "iterate ok"]);
}

#[test]
fn a_pause_and_the_count_survive_an_agent_that_writes_the_whole_list_again() {
    let mut driven = driven();
    let list = "# Two shops\n\n- [x] Open the first\n- [ ] Open the second\n";
    let rewrites = Step::Shell(format!("printf '{}' > $(ls .ralph/*/TODO.md)", list.replace('\n', "\\n")));
    let gated = Rule::on("iterate").times(1).then(write("begun")).then(Step::WaitFor("gate".into()));
    driven.script(&agent(vec![gated.then(rewrites)]));
    let name = driven.start(&form(&driven));
    driven.wait_for_file("begun");
    driven.live.act(&name, Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Pausing);
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.all_gone();
    let text = eventually("the line is there again", || {
        Some(driven.live.read(&name)).filter(|text| text.contains("status=paused"))
    });
    assert!(text.ends_with(list), "{text}");
}

#[test]
fn the_limit_is_asked_about_and_a_person_may_raise_it() {
    let mut driven = driven();
    let idle = Rule::on("iterate").times(2);
    driven.script(&agent(vec![idle, Rule::on("iterate").times(1).then(tick("Open the first"))]));
    let mut form = form(&driven);
    form.work.max_iterations = Some(2);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::LimitReached);
    assert!(driven.live.read(&name).contains("status=running iteration=2 max=2"));
    driven.answer(&need, more("iterations", 5));
    driven.wait_for_word(&name, StatusWord::Completed);
    assert!(driven.live.read(&name).contains("status=completed iteration=4 max=7"));
}

#[test]
fn a_person_is_asked_when_agents_fail_and_the_next_one_knows_the_answer() {
    let mut driven = driven();
    let fails = Rule { exit: 9, ..Rule::on("iterate").times(2).then(Step::Say("no oven".into())) };
    driven.script(&agent(vec![fails, Rule::on("iterate").times(1).then(tick("Open the first"))]));
    let name = driven.start(&form(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert!(driven.live.read(&name).contains("iteration=2 "), "failed iterations count");
    driven.answer(&need, NeedAnswer::Say { text: "Buy an oven".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
    let prompts = prompts(&driven, &name);
    let own = fs::read_to_string(driven.live.path(&name.replace("TODO", "PROMPT"))).unwrap();
    assert!(prompts.iter().all(|prompt| prompt.starts_with(&own)), "{prompts:?}");
    assert!(prompts[1].contains("no oven") && prompts[2].contains("Buy an oven"), "{prompts:?}");
}

#[test]
fn a_list_that_others_made_is_found_and_without_a_prompt_no_agent_starts() {
    let mut driven = driven();
    driven.script(&agent(Vec::new()));
    let name = ".ralph/made/TODO.md";
    fs::create_dir_all(driven.live.workspace.join(".ralph/made")).unwrap();
    fs::write(driven.live.path(name), "# Theirs\r\n- [ ] Open the second\r\n").unwrap();
    driven.wait(name, "is found", |row| row.title == "Theirs" && row.word == StatusWord::NotStarted);
    let problems = driven.live.detail(name).problems;
    assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [ProblemCode::R1_no_prompt]);
    let key = driven.live.key(name);
    driven.live.runtime.launch(&key, Some(driven.plan("custom:scripted")), None).unwrap();
    driven.wait_for_need(name, NeedKind::Failed);
    assert_eq!(driven.ran(name), Vec::<String>::new());
}
