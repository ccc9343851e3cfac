//! `new`, `run`, `edit` and `delete`: whole loops without a window, by the real program.

use crate::place::Place;
use loopdeck_tests::live::ROOT;
use loopdeck_tests::tiny_project;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Stdio};
use xtask::child::bound_command;

/// The agent of the tiny project, without the pauses for people.
const AGENT: &str = "TINY_SHOP_PAUSE=0 sh agent.sh";

/// A workspace with the tiny project and a loop in it that `shell` runs and `test` tests.
fn project(shell: &str, test: &str) -> (Place, String) {
    let place = Place::empty();
    tiny_project::lay_out(&place.workspace());
    let goal = "Make the tests of the tiny shop pass";
    let made = place.json("new", &["--goal", goal, "--shell", shell, "--test", test]);
    (place, made["id"].as_str().unwrap().to_owned())
}

fn events(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn state(place: &Place, id: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{ROOT}/{id}.json"))).unwrap()
}

#[test]
fn a_new_loop_is_written_and_runs_to_its_end() {
    let (place, id) = project(AGENT, tiny_project::TEST_COMMAND);
    assert_eq!(state(&place, &id)["status"], "created");
    let listed = place.json("list", &[]);
    assert_eq!(listed[0]["title"], "Make the tests of the tiny shop pass");
    place.refused("run", &[&id], "run_untrusted");
    let ran = place.run("run", &[&id, "--yes-trust", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let events = events(&ran.out);
    for event in &events {
        place.documents("run", event);
    }
    let named = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    let actions: Vec<&str> = named("run_ended").iter().filter_map(|event| event["action"].as_str()).collect();
    assert_eq!(actions.first(), Some(&"init"), "{actions:?}");
    assert!(actions.contains(&"develop") && actions.contains(&"validate"), "{actions:?}");
    assert_eq!(named("run_started").len(), actions.len());
    let end = json!({ "event": "ended", "outcome": "completed", "limit": null, "exit_code": 0, "ended_processes": 0, "left": [] });
    assert_eq!(events.last(), Some(&end));
    assert!(ran.err.trim_end().ends_with("Completed."), "{}", ran.err);
    assert_eq!(state(&place, &id)["status"], "completed");
    // Trust was given for this run only, and a finished loop is not run again by accident.
    place.refused("run", &[&id, "--yes-trust"], "run_has_ended");
    place.refused("run", &[&id, "--reopen"], "run_untrusted");
}

/// Starts `loopdeck run` and waits for an event.
fn started(place: &Place, id: &str, until: &str) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace());
    command.args([id, "--yes-trust", "--json"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(until) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "it ended before {until}");
    }
    (child, lines)
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_loop_and_proves_that_nothing_is_left() {
    let (place, id) = project("echo $$ >agent.pid; exec sleep 600", "true");
    let (mut child, mut rest) = started(&place, &id, "run_started");
    let pid_file = place.workspace().join("agent.pid");
    let agent = loopdeck_tests::runs::eventually("the agent", || {
        let text = std::fs::read_to_string(&pid_file).ok()?;
        text.trim().parse::<u32>().ok()
    });
    let pid = i32::try_from(child.id()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::INT)
        .unwrap();
    let mut out = String::new();
    rest.read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{out}");
    let last = events(&out).pop().unwrap();
    assert_eq!((&last["outcome"], &last["left"]), (&json!("stopped"), &json!([])), "{out}");
    assert!(last["ended_processes"].as_u64() >= Some(1), "{out}");
    assert!(!Path::new(&format!("/proc/{agent}")).exists());
    let state = state(&place, &id);
    assert_eq!(
        (&state["status"], &state["failure_reason"]),
        (&json!("failed"), &json!("Manually stopped by user"))
    );
}

#[test]
fn what_needs_a_person_ends_the_run_unless_it_is_answered() {
    let silent = "echo nothing to see";
    let (place, id) = project(AGENT, silent);
    let ran = place.run("run", &[&id, "--yes-trust", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let asked = events(&ran.out).into_iter().find(|event| event["event"] == "needs").unwrap();
    assert_eq!(asked["need"]["args"]["question"], "tests_cannot_run", "{asked}");
    assert_eq!(state(&place, &id)["status"], "paused", "it waits for a person");
    let again = place.run("run", &[&id, "--yes-trust", "--answer", "tests_cannot_run=go_on"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(state(&place, &id)["status"], "completed");
}

#[test]
fn a_limit_ends_the_run_with_a_code_of_its_own_and_can_be_raised() {
    let (place, id) = project(AGENT, tiny_project::TEST_COMMAND);
    place.json("edit", &[&id, "--max-iterations", "1"]);
    let ran = place.run("run", &[&id, "--yes-trust"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    let more = place.run("run", &[&id, "--yes-trust", "--raise-limit", "20"]);
    assert_eq!(more.code, 0, "{more:?}");
}

/// How upstream's server creates a loop: no mode, not initialised.
const OF_UPSTREAM: &str = r#"{
  "loop_id": "loop-v2-20260101T000000-aaaa0001", "title": "Shop", "description": "Make the tests pass",
  "status": "created", "current_iteration": 0, "max_iterations": 10,
  "created_at": "2026-01-01T00:00:00+08:00", "updated_at": "2026-01-01T00:00:00+08:00"
}"#;

#[test]
fn a_loop_of_another_tool_gets_its_mode_when_it_is_run_first() {
    let id = "loop-v2-20260101T000000-aaaa0001";
    let place = Place::with(id, OF_UPSTREAM);
    tiny_project::lay_out(&place.workspace());
    let how = ["--shell", AGENT, "--test", tiny_project::TEST_COMMAND, "--yes-trust"];
    let run = |more: &[&str]| place.run("run", &[&[id][..], &how, more].concat());
    let by_skill = ["--mode", "interactive", "--driver", "skill"];
    place.refused("run", &[&[id][..], &how, &by_skill].concat(), "run_takes_no_mode");
    assert_eq!(run(&["--mode", "parallel"]).code, 2, "only a Loop-B has workers");
    let left = run(&["--mode", "interactive", "--answer", "menu=choose:exit"]);
    assert_eq!(left.code, 5, "{left:?}");
    let state = state(&place, id);
    assert_eq!(
        (&state["skill_state"]["mode"], &state["status"]),
        (&json!("interactive"), &json!("user_exit"))
    );
    place.refused("run", &[&[id][..], &how, &["--mode", "auto", "--reopen"]].concat(), "run_has_mode");
}

#[test]
fn options_that_do_not_fit_are_named() {
    let place = Place::empty();
    for (options, said) in [
        (&["--title", "t"][..], "--goal"),
        (&["--goal", "g", "--format", "aot"], "--check"),
        (&["--goal", "g", "--format", "x"], "aot"),
    ] {
        let refused = place.run("new", options);
        assert!(refused.code == 2 && refused.err.contains(said), "{options:?}: {refused:?}");
    }
    place.refused("new", &["--goal", " "], "bad_option");
    place.refused("new", &["--goal", "g", "--agent", "claude"], "bad_option");
    place.refused("new", &["--goal", "g", "--minutes", "0"], "bad_option");
    let made = place.json("new", &["--goal", "g"]);
    let id = made["id"].as_str().unwrap();
    place.promises("new", &made, &["id", "format", "file", "title", "agent"]);
    place.refused("run", &[id, "--yes-trust"], "run_no_agent");
    place.refused("edit", &[id, "--title", ""], "bad_value");
}

#[test]
fn who_runs_a_new_loop_may_be_named_later() {
    let place = Place::empty();
    tiny_project::lay_out(&place.workspace());
    let test = tiny_project::TEST_COMMAND;
    let work = ["--goal", "Make the tests pass", "--task", "Fix the shop", "--mode", "interactive"];
    let made = place.json("new", &[&work[..], &["--test", test]].concat());
    assert_eq!(made["agent"], Value::Null);
    let id = made["id"].as_str().unwrap();
    place.refused("run", &[id, "--yes-trust"], "run_no_agent");
    let answers = ["--answer", "menu=choose:validate", "--answer", "menu=choose:exit"];
    let ran = place.run("run", &[&[id, "--shell", AGENT, "--yes-trust", "--json"], &answers[..]].concat());
    assert_eq!(ran.code, 5, "{ran:?}");
    let state = state(&place, id);
    let tasks = state["skill_state"]["develop"]["tasks"].as_array().unwrap();
    assert_eq!(tasks.iter().map(|task| &task["description"]).collect::<Vec<_>>(), ["Fix the shop"]);
    assert_eq!(state["skill_state"]["mode"], "interactive");
    let validated = events(&ran.out).into_iter().any(|event| event["action"] == "validate");
    assert!(validated && state["skill_state"]["validate"]["test_results"] != json!([]), "{state}");
}

#[test]
fn an_aot_loop_is_written_with_its_check_and_atoms() {
    let place = Place::empty();
    let made = place.json(
        "new",
        &[
            "--goal",
            "Ship it",
            "--format",
            "aot",
            "--check",
            "test -f done",
            "--task",
            "One",
            "--task",
            "Two",
        ],
    );
    assert_eq!(made["file"], ".claude/aot-loop-state.md");
    let shown = place.json("show", &["aot-loop-state"]);
    assert_eq!(shown["detail"]["atoms"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["detail"]["problems"], json!([]));
    place.refused("new", &["--goal", "Again", "--format", "aot", "--check", "true"], "exists");
}

#[test]
fn labels_change_and_a_deleted_loop_is_gone_with_its_files() {
    let (place, id) = project("true", "true");
    let before = place.read(&format!("{ROOT}/{id}.json"));
    let done =
        place.json("edit", &[&id, "--title", "Shop", "--tag", "a", "--tag", "b", "--priority", "high"]);
    assert_eq!(done["change"]["fields"], json!({ "title": "Shop", "tags": ["a", "b"], "priority": "high" }));
    let edited = state(&place, &id);
    assert_eq!((&edited["title"], &edited["tags"]), (&json!("Shop"), &json!(["a", "b"])));
    place.json("undo", &[&id]);
    assert_eq!(place.read(&format!("{ROOT}/{id}.json")), before);
    std::fs::create_dir_all(place.workspace().join(ROOT).join(format!("{id}.progress"))).unwrap();
    place.write(&format!("{ROOT}/{id}.progress/develop.md"), "# Development Progress\n");
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("delete").arg(place.workspace()).args([&id, "--json"]);
    // A separate trash, not a person's real one.
    let trash = command.env("XDG_DATA_HOME", place.folder.path().join("share")).output().unwrap();
    assert!(trash.status.success(), "{trash:?}");
    let gone: Value = serde_json::from_slice(&trash.stdout).unwrap();
    place.promises("delete", &gone, &["id", "file", "files"]);
    assert_eq!(std::fs::read_dir(place.workspace().join(ROOT)).unwrap().count(), 0);
}

/// A case of `tests/fixtures/field` in a workspace of its own, with a loop whose test command is the case's.
fn field_case(case: &str) -> (Place, String) {
    let place = Place::empty();
    tiny_project::lay_out(&place.workspace());
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/field");
    let mut cases = std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path());
    let folder =
        cases.find(|path| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{case}-")));
    let folder = folder.unwrap();
    std::fs::create_dir(place.workspace().join("fixture")).unwrap();
    for file in std::fs::read_dir(folder.join("ws/fixture")).unwrap().flatten() {
        std::fs::copy(file.path(), place.workspace().join("fixture").join(file.file_name())).unwrap();
    }
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap().trim().to_owned();
    let work = ["--goal", "g", "--task", "t", "--mode", "interactive", "--shell", AGENT];
    let made =
        place.json("new", &[&work[..], &["--test", &text("cmd"), "--results", &text("results")]].concat());
    (place, made["id"].as_str().unwrap().to_owned())
}

#[test]
fn a_report_that_was_found_and_not_read_is_named() {
    let choose =
        ["--answer", "menu=choose:validate", "--answer", "menu=choose:exit", "--yes-trust", "--json"];
    let names = ["ctrf.json", "mocha.json", "n.xml", "pw.json", "r.trx", "x.xml"];
    let (place, id) = field_case("64");
    let ran = place.run("run", &[&[&*id], &choose[..]].concat());
    let events = events(&ran.out);
    let unread: Vec<&Value> = events.iter().filter(|event| event["event"] == "unread").collect();
    unread.iter().for_each(|event| place.documents("run", event));
    let run = &state(&place, &id)["skill_state"]["validate"]["test_results"][0];
    assert_eq!((&run["summary"]["passed"], &run["summary"]["failed"]), (&json!(0), &json!(1)), "{run}");
    for (name, event) in names.iter().zip(&unread) {
        let file = format!("out/{name}");
        assert_eq!(event["report"], json!({ "source": file, "why": { "reason": "unknown_format" } }));
        assert!(
            ran.err.contains(&format!("{file} wasn’t read: Loopdeck doesn’t know its format.")),
            "{}",
            ran.err
        );
        assert!(run.to_string().contains(&format!("{file}: unknown format")), "{run}");
    }
    assert_eq!(unread.len(), names.len());

    // A command that succeeds is no proof: the question names the file.
    let (place, id) = field_case("65");
    let ran = place.run("run", &[&[&*id], &choose[..]].concat());
    let asked = ran.out.lines().filter(|line| line.contains("tests_cannot_run")).collect::<String>();
    assert!(asked.contains("out/r.trx: unknown format"), "{ran:?}");
    assert!(ran.err.contains("out/r.trx wasn’t read: Loopdeck doesn’t know its format."), "{}", ran.err);
    assert_eq!(state(&place, &id)["skill_state"]["validate"]["passed"], false);
}

#[test]
fn a_menu_names_its_choices_and_leaving_it_is_said() {
    let place = Place::empty();
    let work = ["--goal", "g", "--task", "t", "--mode", "interactive", "--shell", "true", "--test", "false"];
    let made = place.json("new", &work);
    let id = made["id"].as_str().unwrap();
    let run = |more: &[&str]| place.run("run", &[&[id, "--yes-trust"][..], more].concat());
    let once = run(&["--answer", "menu=choose:develop"]);
    assert_eq!(once.code, 3, "an answer is used once: {once:?}");
    for said in
        ["Which action is next?", "choose:develop, ", "choose:exit, stop", "DEVELOP task-001 finished"]
    {
        assert!(once.err.contains(said), "{said}: {}", once.err);
    }
    assert!(!once.err.contains("succeeded"), "{}", once.err);
    let wrong = run(&["--answer", "menu=choose:dance"]);
    assert!(wrong.code == 2 && wrong.err.contains("develop, debug, validate"), "{wrong:?}");
    let not_now = run(&["--answer", "menu=choose:init"]);
    assert_eq!(not_now.code, 3, "{not_now:?}");
    assert!(not_now.err.contains("Not possible now: --answer menu=choose:init"), "{}", not_now.err);
    let left = run(&["--answer", "menu=choose:exit", "--answer", "menu=choose:develop"]);
    assert_eq!(left.code, 5, "{left:?}");
    assert!(
        left.err.contains("Not used, because nothing asked for it: --answer menu=choose:develop"),
        "{}",
        left.err
    );
    let again = format!("To continue: loopdeck run {} {id} --reopen", place.workspace().display());
    assert!(left.err.contains("Left by its menu.") && left.err.contains(&again), "{}", left.err);
}

#[test]
fn every_time_is_said_with_another_option() {
    let (place, id) = project(AGENT, "echo nothing to see");
    let ran = place.run("run", &[&id, "--yes-trust", "--always", "tests_cannot_run=try_again"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.err.matches("Answered: try_again").count(), 20, "{}", ran.err);
}

#[test]
fn messages_name_what_is_wrong_and_commands_can_be_copied() {
    let place = Place::empty();
    let many: Vec<&str> = (0..21).flat_map(|_| ["--task", "t"]).collect();
    let refused = place.run("new", &[&["--goal", "g"][..], &many].concat());
    assert!(refused.code == 2 && refused.err.contains("--task: More than 20 tasks."), "{refused:?}");
    let refused = place.run("new", &["--goal", "g", "--task", " "]);
    assert!(refused.code == 2 && refused.err.contains("--task: A task is empty"), "{refused:?}");
    let made = place.run("new", &["--goal", "g", "--task", "t", "--shell", "true"]);
    let shown = place.json("list", &[]);
    let id = shown[0]["id"].as_str().unwrap();
    let command = format!("loopdeck run {} {id} --yes-trust\n", place.workspace().display());
    assert!(made.out.ends_with(&command), "{made:?}");
    // A loop with an agent of its own is run by Loopdeck, not by a skill.
    place.json("start", &[id]);
    place.json("pause", &[id]);
    let resumed = place.run("resume", &[id]);
    let command = format!("To run it in this terminal: loopdeck run {} {id}\n", place.workspace().display());
    assert!(resumed.out.contains(&command) && !resumed.out.contains("/ccw-loop"), "{resumed:?}");
}

#[test]
fn a_change_names_the_file_that_changed_or_says_that_nothing_did() {
    let place = Place::empty();
    let made = place.json("new", &["--goal", "g", "--task", "t"]);
    let id = made["id"].as_str().unwrap();
    let task = json!({ "description": "Two", "tool": "", "mode": "write", "prompt_template": "", "command": null, "on_error": null });
    let edit = |edit: Value| json!({ "kind": "edit_tasks", "edit": edit }).to_string();
    let change = |edit: &str| place.run("change", &[id, "--json-change", edit]);
    let added = change(&edit(json!({ "edit": "add", "id": "", "task": task })));
    assert!(added.code == 0 && added.out.contains("tasks.jsonl"), "{added:?}");
    let shown = place.json("show", &[id]);
    let added = shown["detail"]["task_list"][0]["id"].as_str().unwrap();
    let same = change(&edit(json!({ "edit": "reorder", "ids": [added] })));
    assert!(same.code == 0 && same.out.contains("nothing was written"), "{same:?}");
}

#[test]
fn a_list_of_checks_is_taken_as_the_help_says() {
    let place = Place::empty();
    let list = r#"[{"item":"Builds","part":{"part":"check","of":{"kind":"command","value":"make"}}},
        {"item":"Reads well","part":{"part":"quality","of":{"criteria":{"shape":"rubric","of":[{"criterion":"Clear"}]},"pass_threshold":350}}}]"#;
    place.json("new", &["--goal", "g", "--format", "aot", "--checks", list]);
    let shown = place.json("show", &["aot-loop-state"]);
    assert_eq!(shown["detail"]["problems"], json!([]), "{shown}");
}
