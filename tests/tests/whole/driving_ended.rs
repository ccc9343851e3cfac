//! Another tool ends a loop while an action of ours runs: what the action did is recorded all the same, the status stays, and the driver ends.

use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_tests::atoms::{FILE_CHECK, gated as gated_atom, loop_with, resolves};
use loopdeck_tests::driving::{Driven, develops, planned};
use loopdeck_tests::live::AOT;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};
use std::fs;

fn driven(rules: Vec<Rule>) -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    driven.script(&Scripted { output: Output::Text, rules });
    driven
}

/// An action that begins, waits for its gate, and writes a note.
fn gated(action: &str) -> Rule {
    let write = |path: &str| Step::Write { path: path.into(), text: "A note".into() };
    Rule::on(action).then(write("begun")).then(Step::WaitFor("gate".into())).then(write("note.txt"))
}

/// The file after `old` in it became `new` like in an editor, and after the action that works on it has ended.
fn ended_elsewhere(driven: &mut Driven, name: &str, (old, new): (&str, &str)) -> String {
    driven.wait_for_file("begun");
    let text = driven.live.read(name);
    assert!(text.contains(old), "{text}");
    driven.live.replace(name, text.replacen(old, new, 1));
    driven.open("gate");
    driven.wait(name, "its driver ends", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    driven.all_gone();
    let text = driven.live.read(name);
    assert!(text.contains(new), "the status stays: {text}");
    assert_eq!(driven.live.runtime.needs().running, 0);
    text
}

const ENDS: [(&str, StatusWord); 3] = [
    ("completed", StatusWord::Completed),
    ("failed", StatusWord::Failed),
    ("user_exit", StatusWord::LeftByUser),
];

fn status(word: &str) -> String {
    format!("\"status\": \"{word}\"")
}

#[test]
fn what_a_task_of_a_loop_v2_did_is_recorded() {
    for (word, shown) in ENDS {
        let done = json!({
            "task_id": "task-001", "status": "completed", "summary": "Wrote the note", "files_changed": ["note.txt"], "needs": null,
        });
        let mut driven = driven(vec![planned(2), gated("develop").answers(done), develops("task-002")]);
        let name = driven.start(&driven.small_form("custom:scripted"));
        let text = ended_elsewhere(&mut driven, &name, (&status("running"), &status(word)));
        driven.wait_for_word(&name, shown);
        let state: Value = serde_json::from_str(&text).unwrap();
        let tasks = &state["skill_state"]["develop"]["tasks"];
        assert_eq!(
            (&tasks[0]["status"], &tasks[1]["status"]),
            (&json!("completed"), &json!("pending")),
            "{word}: {text}"
        );
        let files = tasks[0]["files_changed"].as_array().unwrap();
        assert!(files.contains(&json!("note.txt")), "{word}: {text}");
        assert_eq!((&state["status"], &state["current_iteration"]), (&json!(word), &json!(1)), "{text}");
        let log = driven.live.read(&name.replace(".json", ".progress/develop.md"));
        assert!(log.contains("Wrote the note") && log.contains("note.txt"), "{word}: {log}");
        assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"], "nothing starts after it");
    }
}

#[test]
fn a_failed_task_and_the_result_of_tests_are_recorded_too() {
    let failed = json!({
        "task_id": "task-001", "status": "failed", "summary": "No pen", "files_changed": [], "needs": null,
    });
    let mut driven = driven(vec![planned(1), gated("develop").answers(failed)]);
    let name = driven.start(&driven.small_form("custom:scripted"));
    let text = ended_elsewhere(&mut driven, &name, (&status("running"), &status("user_exit")));
    let state: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["skill_state"]["develop"]["tasks"][0]["status"], "failed", "{text}");
    assert!(
        state["skill_state"]["errors"][0]["message"].as_str().is_some_and(|said| said.contains("No pen")),
        "{text}"
    );

    let mut driven = self::driven(vec![planned(1), develops("task-001")]);
    let mut form = driven.small_form("custom:scripted");
    let tests = form.plan.test_command;
    form.plan.test_command = format!("touch begun; until [ -e gate ]; do sleep 0.02; done; {tests}");
    let name = driven.start(&form);
    let text = ended_elsewhere(&mut driven, &name, (&status("running"), &status("failed")));
    let state: Value = serde_json::from_str(&text).unwrap();
    let validated = &state["skill_state"]["validate"];
    assert_eq!((&validated["passed"], &validated["pass_rate"]), (&json!(true), &json!(100)), "{text}");
}

#[test]
fn an_agent_that_asks_or_babbles_at_the_end_holds_nothing_up() {
    let asks = json!({
        "task_id": "task-001", "status": "completed", "summary": "", "files_changed": [], "needs": "Which colour?",
    });
    for answer in [asks, json!({ "nothing": "of use" })] {
        let mut driven = driven(Vec::new());
        let rules = vec![planned(1), gated("develop").answers(answer)];
        driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
        let name = driven.start(&driven.small_form("custom:claude-like"));
        ended_elsewhere(&mut driven, &name, (&status("running"), &status("failed")));
        assert_eq!(driven.ran(&name).len(), 2, "it isn't asked again");
    }
}

#[test]
fn what_a_worker_of_a_loop_b_did_is_recorded() {
    for (word, shown) in ENDS {
        let worked = json!({
            "status": "success", "summary": "Wrote the note", "files_changed": ["note.txt"], "completed_tasks": ["task-001"],
            "suggestions": [], "issues_found": [], "findings": [], "hypotheses": [], "confirmed": null, "fixed": null,
            "lines_added": null, "lines_removed": null, "next_suggestion": null, "loop_back_to": null,
            "detailed_output": null, "needs": null,
        });
        let mut driven = driven(vec![planned(2), gated("develop").answers(worked)]);
        let mut form = driven.small_form("custom:scripted");
        form.work.recipe = Recipe::BuildFeature;
        (form.work.format, form.work.mode) = (Some(NewFormat::LoopB), Some(WorkMode::Auto));
        let name = driven.start(&form);
        let text = ended_elsewhere(&mut driven, &name, (&status("running"), &status(word)));
        driven.wait_for_word(&name, shown);
        let state: Value = serde_json::from_str(&text).unwrap();
        let skill = &state["skill_state"];
        assert_eq!(
            (&skill["completed_tasks"][0]["id"], &skill["workers_completed"]),
            (&json!("task-001"), &json!(["init", "develop"])),
            "{word}: {text}"
        );
        let output = driven.live.read(&name.replace(".json", ".workers/develop.output.json"));
        assert!(output.contains("Wrote the note"), "{word}: {output}");
        assert_eq!(driven.ran(&name), ["init ok", "develop task-001 ok"]);
    }
}

#[test]
fn what_the_workers_of_an_aot_round_did_is_recorded() {
    let ends = [
        ("completed", StatusWord::Completed, "null"),
        ("stopped", StatusWord::Paused, "\"Paused by user\""),
        ("stopped", StatusWord::LimitReached, "\"Max iterations reached\""),
    ];
    for (word, shown, reason) in ends {
        let mut driven = driven(vec![gated_atom(resolves("A1"), "A1"), resolves("A2")]);
        fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
        let text = loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", "")], " {}");
        fs::write(driven.live.workspace.join(AOT), text).unwrap();
        driven.live.wait_for("it is listed", |live| live.row(AOT).is_some());
        driven
            .live
            .runtime
            .launch(&driven.live.key(AOT), Some(driven.plan("custom:scripted")), None)
            .unwrap();
        driven.wait_for_file("A1.begun");
        fs::write(driven.live.workspace.join("begun"), "").unwrap();
        let text = driven.live.read(AOT).replacen("stop_reason: null", &format!("stop_reason: {reason}"), 1);
        driven.live.replace(AOT, text);
        let text = ended_elsewhere(&mut driven, AOT, ("  status: running", &format!("  status: {word}")));
        driven.wait_for_word(AOT, shown);
        for atom in ["A1", "A2"] {
            assert_eq!(loopdeck_tests::atoms::status(&driven, atom), "resolved", "{word}: {text}");
            assert!(text.contains(&format!("Did {atom}")), "{word}: {text}");
        }
        let mut ran = driven.ran(AOT);
        ran.sort();
        assert_eq!(ran, ["atom A1 ok", "atom A2 ok"]);
    }
}

/// A Ralph loop with two boxes.
fn ralph(driven: &Driven) -> StartForm {
    let mut form = driven.form("custom:scripted");
    form.work.format = Some(NewFormat::Ralph);
    form.work.tasks = vec!["Open the first".into(), "Open the second".into()];
    form.plan.test_command = String::new();
    form
}

#[test]
fn an_iteration_of_a_ralph_loop_is_counted() {
    for (word, shown) in [("completed", StatusWord::Completed), ("failed", StatusWord::Failed)] {
        let mut driven = driven(vec![gated("iterate")]);
        let name = driven.start(&ralph(&driven));
        let end = format!("status={word}");
        let text = ended_elsewhere(&mut driven, &name, ("status=running", &end));
        driven.wait_for_word(&name, shown);
        assert!(text.contains("iteration=1 "), "{word}: {text}");
        assert_eq!(driven.ran(&name), ["iterate ok"]);
    }
}

#[test]
fn a_loop_whose_file_becomes_something_else_stays_in_sight_and_can_be_stopped() {
    let mut driven = driven(vec![planned(1), gated("develop")]);
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_file("begun");
    driven.live.replace(&name, "{ \"target_skill\": \"ccw-loop\" }"); // a package for the skill
    driven.wait_for_word(&name, StatusWord::CannotRead);
    assert!(driven.live.row(&name).unwrap().run.as_ref().is_some_and(|run| run.alive));
    let key = driven.live.key(&name);
    driven.live.runtime.stop_now(&key).unwrap();
    driven.live.wait_for("it is no loop", |live| live.row(&name).is_none());
    driven.all_gone();
    assert_eq!(driven.live.runtime.needs().running, 0);
}
