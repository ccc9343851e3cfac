//! The own tool of a plan, run by Loopdeck: its command is confirmed, its output and end are kept, it can be stopped, and nobody works on
//! one plan twice.
#![allow(clippy::disallowed_methods, reason = "a process that has ended is needed")]

use loopdeck_core::control::Verb;
use loopdeck_core::phase::Phase;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::start::NewWork;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::Driver;
use loopdeck_runtime::drivers::rows::{NeedAnswerKind, NeedKind, RunView, StopView};
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_tests::alone::alone_with_programs;
use loopdeck_tests::driving::Driven;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use std::fs;
use std::path::Path;
use std::process::Command;

const PLAN: &str = ".taskmaster/tasks/tasks.json";
const TASKS: &str = r#"{"master":{"tasks":[{"id":1,"title":"Model","status":"pending"}]}}"#;
const STORIES: &str = ".ralph/prd.json";
const COMMAND: [&str; 4] = ["task-master", "loop", "-n", "10"];
/// Says how it was called, works until the gate is open, and ends with 3.
const WORKS: &str = "#!/bin/sh\necho \"called with $*\"\npwd\necho oops >&2\n: > begun\n\
    while [ ! -e gate ]; do sleep 0.05; done\nsed -i s/pending/done/ .taskmaster/tasks/tasks.json\nexit $(cat gate)\n";

/// A workspace with a plan whose tool is on PATH.
fn with_plan() -> Driven {
    let mut driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let file = driven.live.path(PLAN);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, TASKS).unwrap();
    driven.wait(PLAN, "is there", |row| row.word == StatusWord::NotStarted);
    driven
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn run(driven: &Driven, command: &[&str]) -> Result<(), Failure> {
    driven.live.runtime.run_own_tool(&driven.live.key(PLAN), words(command))
}

fn newest(driven: &Driven) -> RunView {
    driven.live.runtime.runs(&driven.live.key(PLAN)).unwrap().swap_remove(0)
}

fn refused(asked: Result<(), Failure>) -> RefusalCode {
    asked.unwrap_err().refusal.expect("a refusal").code
}

/// What the newest run printed.
fn printed(driven: &Driven) -> Vec<String> {
    let page = driven.live.runtime.output(&driven.live.key(PLAN), None, 0, 200).unwrap();
    page.rows.into_iter().map(|row| row.text).collect()
}

/// The tool at work, until the gate is opened.
fn at_work(programs: &Path) -> Driven {
    write_program(&programs.join("task-master"), WORKS);
    let mut driven = with_plan();
    run(&driven, &COMMAND).unwrap();
    driven.wait_for_file("begun");
    driven.wait_for_word(PLAN, StatusWord::Running);
    driven
}

#[test]
fn the_command_runs_in_the_folder_and_its_output_and_end_are_kept() {
    alone_with_programs(
        "own_tool::the_command_runs_in_the_folder_and_its_output_and_end_are_kept",
        |programs| {
            let mut driven = at_work(programs);
            let detail = driven.live.detail(PLAN);
            assert_eq!(detail.own_command, words(&COMMAND));
            assert!(detail.own_command_runs);
            let row = driven.live.row(PLAN).unwrap().run.clone().unwrap();
            assert!(row.alive && row.agent == "task-master", "{row:?}");
            assert_eq!(refused(run(&driven, &COMMAND)), RefusalCode::AlreadyRunning);
            // Whatever its file says.
            fs::write(driven.live.path(PLAN), TASKS.replace("pending", "done")).unwrap();
            let all = Some(Phase::Todo { done: 1, total: 1 });
            driven.wait(PLAN, "is running", |row| row.phase == all && row.word == StatusWord::Running);
            fs::write(driven.live.workspace.join("gate"), "0").unwrap();
            driven.wait_for_word(PLAN, StatusWord::Completed);
            driven.wait(PLAN, "has ended", |row| row.run.as_ref().is_some_and(|run| !run.alive));
            let ended = newest(&driven);
            assert_eq!(
                (ended.action.as_str(), ended.exit_code, ended.agent.as_str()),
                ("own_tool", Some(0), "task-master")
            );
            assert_eq!(ended.argv[1..], COMMAND[1..]);
            let printed = printed(&driven);
            for line in ["called with loop -n 10", &driven.folder(), "oops"] {
                assert!(printed.iter().any(|row| row.contains(line)), "{line}: {printed:?}");
            }
            assert!(driven.live.runtime.needs().needs.is_empty());
            driven.all_gone();
            // A loop that is made of the plan later is not run by it.
            assert_eq!(driven.live.runtime.plan_of(&driven.live.key(PLAN)).unwrap().driver, Driver::Loopdeck);
        },
    );
}

#[test]
fn a_failure_is_told_with_its_exit_code_and_is_not_repeated_without_a_look_at_the_command() {
    let name =
        "own_tool::a_failure_is_told_with_its_exit_code_and_is_not_repeated_without_a_look_at_the_command";
    alone_with_programs(name, |programs| {
        let mut driven = at_work(programs);
        fs::write(driven.live.workspace.join("gate"), "3").unwrap();
        let need = driven.wait_for_need(PLAN, NeedKind::Failed);
        assert_eq!(need.answers, [NeedAnswerKind::Dismiss]);
        assert_eq!(newest(&driven).exit_code, Some(3));
    });
}

#[test]
fn stop_ends_it_although_the_plan_has_no_stop_and_writes_nothing() {
    alone_with_programs(
        "own_tool::stop_ends_it_although_the_plan_has_no_stop_and_writes_nothing",
        |programs| {
            for now in [false, true] {
                let mut driven = at_work(programs);
                let stop = driven.live.detail(PLAN).controls.into_iter().find(|one| one.verb == Verb::Stop);
                assert_eq!(stop.unwrap().refusal, None);
                match now {
                    true => driven.live.runtime.stop_now(&driven.live.key(PLAN)).unwrap(),
                    false => driven.live.act(PLAN, Verb::Stop).unwrap(),
                }
                driven.wait(PLAN, "has ended", |row| row.run.as_ref().is_some_and(|run| !run.alive));
                assert!(
                    matches!(newest(&driven).stop, Some(StopView::AllGone { .. })),
                    "{:?}",
                    newest(&driven).stop
                );
                driven.all_gone();
                assert_eq!(driven.live.read(PLAN), TASKS);
                driven.wait_for_word(PLAN, StatusWord::NotStarted);
                assert_eq!(
                    refused(driven.live.act(PLAN, Verb::Stop)),
                    RefusalCode::NotInFormat,
                    "only while it runs"
                );
            }
        },
    );
}

#[test]
fn nothing_starts_without_its_program_with_another_command_or_in_a_folder_that_is_not_trusted() {
    let name = "own_tool::nothing_starts_without_its_program_with_another_command_or_in_a_folder_that_is_not_trusted";
    alone_with_programs(name, |programs| {
        let driven = with_plan();
        let missing = run(&driven, &COMMAND).unwrap_err();
        assert_eq!(
            (missing.kind, missing.args["program"].as_str()),
            (FailureKind::ProgramMissing, "task-master")
        );
        write_program(&programs.join("task-master"), WORKS);
        // The file leads to another command than the one that was confirmed.
        fs::write(driven.live.path(PLAN), TASKS.replace("master", "ui")).unwrap();
        for other in [&COMMAND[..], &["task-master", "loop", "-n", "10", "--tag", "x"], &["sh"], &[]] {
            assert_eq!(refused(run(&driven, other)), RefusalCode::CommandChanged, "{other:?}");
        }
        driven.live.runtime.trust(&driven.folder(), false).unwrap();
        let with_tag = ["task-master", "loop", "-n", "10", "--tag", "ui"];
        assert_eq!(run(&driven, &with_tag).unwrap_err().kind, FailureKind::Untrusted);
        assert!(driven.live.runtime.runs(&driven.live.key(PLAN)).unwrap().is_empty());
        assert!(!driven.live.workspace.join("begun").exists());
        driven.live.runtime.trust(&driven.folder(), true).unwrap();
        run(&driven, &with_tag).unwrap();
        driven.wait_for_file("begun");
        driven.live.runtime.stop_all().unwrap();
    });
}

#[test]
fn a_script_of_the_folder_is_shown_and_never_run() {
    alone_with_programs("own_tool::a_script_of_the_folder_is_shown_and_never_run", |_| {
        let mut driven = with_plan();
        fs::create_dir_all(driven.live.path(".ralph")).unwrap();
        write_program(&driven.live.path(".ralph/ralph.sh"), "#!/bin/sh\n: > begun\n");
        fs::write(driven.live.path(STORIES), stories()).unwrap();
        driven.wait(STORIES, "is there", |_| true);
        let detail = driven.live.detail(STORIES);
        assert_eq!((detail.own_command[0].as_str(), detail.own_command_runs), ("./.ralph/ralph.sh", false));
        let asked = driven.live.runtime.run_own_tool(&driven.live.key(STORIES), detail.own_command);
        assert_eq!(refused(asked), RefusalCode::CommandChanged);
        assert!(!driven.live.workspace.join("begun").exists());
    });
}

#[test]
fn a_loopdeck_that_ends_leaves_it_running_and_the_next_one_listens_and_sees_its_end() {
    let name = "own_tool::a_loopdeck_that_ends_leaves_it_running_and_the_next_one_listens_and_sees_its_end";
    alone_with_programs(name, |programs| {
        let Driven { live } = at_work(programs);
        let mut driven = Driven { live: live.restarted() };
        driven.wait_for_word(PLAN, StatusWord::Running);
        assert_eq!(refused(run(&driven, &COMMAND)), RefusalCode::AlreadyRunning);
        fs::write(driven.live.workspace.join("gate"), "0").unwrap();
        driven.wait(PLAN, "has ended", |row| row.run.as_ref().is_some_and(|run| !run.alive));
        assert_eq!(newest(&driven).exit_code, Some(0));
        assert!(driven.live.runtime.needs().needs.is_empty());
        // One that ends while no Loopdeck is there.
        fs::remove_file(driven.live.workspace.join("gate")).unwrap();
        fs::remove_file(driven.live.workspace.join("begun")).unwrap();
        run(&driven, &COMMAND).unwrap();
        driven.wait_for_file("begun");
        let id = newest(&driven).id;
        let live = driven.live.restarted_after(|data, workspace| {
            fs::write(workspace.join("gate"), "4").unwrap();
            let record = data.join("runs").join(&id);
            loopdeck_tests::runs::eventually("its end", || {
                let record = loopdeck_runtime::runs::RunRecord::read(&record).ok()?;
                record.ended.is_some().then_some(())
            });
        });
        let mut driven = Driven { live };
        driven.wait_for_need(PLAN, NeedKind::Failed);
        assert_eq!(newest(&driven).exit_code, Some(4));
    });
}

/// A list that works off the plan, and its prompt.
fn list(driven: &mut Driven, name: &str, plan: &str) -> String {
    let file = format!(".ralph/{name}/TODO.md");
    let folder = driven.live.workspace.join(format!(".ralph/{name}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("PROMPT.md"), "Do it.\n").unwrap();
    let line = format!("<!-- loop: status=pending iteration=0 max=9 plan={plan} -->\n# {name}\n");
    fs::write(folder.join("TODO.md"), line).unwrap();
    driven.wait(&file, "is there", |row| row.word == StatusWord::NotStarted);
    file
}

fn launch(driven: &Driven, file: &str) -> Result<(), Failure> {
    let mut plan = driven.plan("custom:scripted");
    plan.test_command = String::new();
    driven.live.runtime.launch(&driven.live.key(file), Some(plan), None)
}

#[test]
fn a_plan_is_not_worked_off_twice() {
    alone_with_programs("own_tool::a_plan_is_not_worked_off_twice", |programs| {
        write_program(&programs.join("task-master"), WORKS);
        let mut driven = with_plan();
        let gated = Rule::on("iterate").then(Step::Write { path: "iterates".into(), text: String::new() });
        let rules = vec![gated.then(Step::WaitFor("go".into()))];
        driven.script(&Scripted { output: Output::Text, rules });
        let (one, other) = (list(&mut driven, "one", PLAN), list(&mut driven, "other", PLAN));
        launch(&driven, &one).unwrap();
        driven.wait_for_file("iterates");
        // Another loop of ours works it off.
        let taken = launch(&driven, &other).unwrap_err().refusal.unwrap();
        assert_eq!((taken.code, taken.args["by"].as_str()), (RefusalCode::PlanTaken, one.as_str()));
        assert_eq!(taken.args["field"], PLAN);
        assert!(driven.live.read(&other).contains("status=pending"), "nothing was written");
        assert_eq!(refused(run(&driven, &COMMAND)), RefusalCode::PlanTaken);
        driven.live.runtime.stop_now(&driven.live.key(&one)).unwrap();
        driven.wait_for_word(&one, StatusWord::Stopped);
        // Its own tool runs under Loopdeck.
        run(&driven, &COMMAND).unwrap();
        driven.wait_for_file("begun");
        assert_eq!(refused(launch(&driven, &other)), RefusalCode::PlanToolRuns);
        driven.live.runtime.stop_now(&driven.live.key(PLAN)).unwrap();
        driven.wait(PLAN, "has ended", |row| row.run.as_ref().is_some_and(|run| !run.alive));
        // Nobody is at work any longer.
        launch(&driven, &other).unwrap();
        driven.live.runtime.stop_all().unwrap();
    });
}

fn stories() -> &'static str {
    r#"{"project":"Cart","userStories":[{"id":"US-1","title":"Model","passes":false,"priority":1}]}"#
}

/// A session of ralph-tui on the stories, with the lock of this process.
fn session(driven: &Driven, pid: u32) {
    let folder = driven.live.path(".ralph/.ralph-tui");
    fs::create_dir_all(&folder).unwrap();
    let session = r#"{"status":"running","currentIteration":1,"maxIterations":5,"cwd":"/elsewhere","trackerState":{"prdPath":"/elsewhere/prd.json"}}"#;
    fs::write(folder.join("session.json"), session).unwrap();
    fs::write(folder.join("ralph.lock"), format!("{{\"pid\":{pid}}}")).unwrap();
}

#[test]
fn a_lock_counts_as_long_as_its_process_lives() {
    alone_with_programs("own_tool::a_lock_counts_as_long_as_its_process_lives", |_| {
        let mut driven = with_plan();
        driven.script(&Scripted { output: Output::Text, rules: vec![Rule::on("iterate")] });
        fs::create_dir_all(driven.live.path(".ralph")).unwrap();
        fs::write(driven.live.path(STORIES), stories()).unwrap();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        session(&driven, child.id());
        // The files themselves rest.
        driven.live.age(STORIES);
        driven.live.age(".ralph/.ralph-tui/session.json");
        driven.wait_for_word(STORIES, StatusWord::RunningElsewhere);
        let file = list(&mut driven, "cart", STORIES);
        assert_eq!(refused(launch(&driven, &file)), RefusalCode::PlanToolRuns);
        // It ends, and no file changes.
        child.kill().unwrap();
        child.wait().unwrap();
        driven.wait_for_word(STORIES, StatusWord::Interrupted);
        // The number belongs to another process now: one that is younger than the lock.
        session(&driven, std::process::id());
        driven.wait_for_word(STORIES, StatusWord::RunningElsewhere);
        driven.live.age(".ralph/.ralph-tui/ralph.lock");
        driven.wait_for_word(STORIES, StatusWord::Interrupted);
        launch(&driven, &file).unwrap();
        driven.live.runtime.stop_all().unwrap();
    });
}

#[test]
fn a_form_never_names_the_own_tool_as_a_runner() {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let mut form = driven.form("custom:scripted");
    form.work = NewWork::of_plan(PLAN, "Cart");
    form.plan.driver = Driver::OwnTool { command: words(&["sh", "-c", ": > begun"]) };
    fs::create_dir_all(driven.live.path(PLAN).parent().unwrap()).unwrap();
    fs::write(driven.live.path(PLAN), TASKS).unwrap();
    assert_eq!(driven.live.runtime.start_loop(&form).unwrap_err().kind, FailureKind::BadForm);
    assert!(!driven.live.workspace.join("begun").exists());
    let key = driven.live.runtime.create_loop(&driven.small_form("custom:scripted")).unwrap();
    let failure = driven.live.runtime.launch(&key, Some(form.plan), None).unwrap_err();
    assert_eq!((failure.kind, failure.args["field"].as_str()), (FailureKind::BadForm, "driver"));
}
