//! DEBUG with log statements: their output becomes evidence, remaining ones are reported, and a fix is
//! believed only when a file changed.
#![allow(clippy::disallowed_methods, reason = "a repository is made with git")]

use loopdeck_core::status::StatusWord;
use loopdeck_core::view::FactValue;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind, RunView};
use loopdeck_tests::driving::{Driven, PASSING, develops, planned, small};
use loopdeck_tests::programs::write_program;
use loopdeck_tests::scripted::{IN_WORKSPACE, Output, Rule, SCRIPT, Scripted, Step};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const AGENT: &str = "custom:scripted";

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// An agent whose script is outside of the workspace, so that its records next to that are not changes of the
/// work.
fn agent_outside(driven: &Driven, script: &Scripted, folder: &Path) {
    script.put_into(folder);
    let (program, file) = (folder.join("agent"), folder.join(IN_WORKSPACE));
    let agent = env!("CARGO_BIN_EXE_scripted_agent");
    let text = format!("#!/bin/sh\n{SCRIPT}='{}' exec '{agent}' \"$@\"\n", file.display());
    write_program(&program, &text);
    driven.add_agent("outside", &program.to_string_lossy(), "text");
}

fn git(folder: &Path) {
    let run = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args).current_dir(folder);
        assert!(git.status().unwrap().success());
    };
    run(&["init", "-q"]);
    std::fs::write(folder.join(".gitignore"), ".workflow/\n").unwrap();
    run(&["add", "."]);
    run(&["commit", "-qm", "x"]);
}

fn shell(command: &str) -> Step {
    Step::Shell(command.into())
}

/// A round of debugging; `status` of H1.
fn answer(status: &str, evidence: &Value, fixed: bool) -> Value {
    let hypothesis = |id: &str, status: &str, evidence: &Value| {
        json!({
            "id": id, "description": format!("{id} is why"), "testable_condition": "", "logging_point": "src/cart.sh:discounted:1",
            "confirm": "", "reject": "", "likelihood": 1, "status": status, "evidence": evidence, "verdict_reason": null,
        })
    };
    let confirmed = (status == "confirmed").then_some("H1");
    json!({
        "hypotheses": [hypothesis("H1", status, evidence), hypothesis("H2", "rejected", &json!({ "seen": [1, 2] }))],
        "understanding": "The half is too small.", "confirmed": confirmed, "fixed": fixed,
        "files_changed": ["src/cart.sh"], "needs": null,
    })
}

/// Four rounds: log, claim a fix with the log statements still in, claim one with nothing changed, repair.
fn rounds() -> Vec<Rule> {
    let round = || Rule::on("debug").times(1);
    let line = r#"printf '{"hid":"H1","ts":1795148661000,"func":"discounted","data":{"sum":895}}\nfree text\n' >> "$LOOPDECK_DEBUG_LOG""#;
    vec![
        round().then(shell("echo ': # loopdeck:debug H1' >> src/cart.sh")).then(shell(line)).answers(answer(
            "inconclusive",
            &Value::Null,
            false,
        )),
        round().answers(answer("confirmed", &Value::Null, true)),
        round().answers(answer("confirmed", &Value::Null, true)),
        round()
            .then(shell(
                "grep -v loopdeck:debug src/cart.sh > new; cat new > src/cart.sh; rm new; touch repaired",
            ))
            .answers(answer("confirmed", &Value::Null, true)),
    ]
}

fn checked<'r>(runs: &'r [RunView], action: &str) -> Vec<&'r RunView> {
    runs.iter().rev().filter(|run| run.action == action).collect()
}

#[test]
fn log_statements_become_evidence_and_a_fix_is_believed_when_a_file_changed() {
    for with_git in [true, false] {
        let mut driven = driven();
        let script = tempfile::tempdir().unwrap();
        agent_outside(&driven, &small(Output::Text, rounds()), script.path());
        if with_git {
            git(&driven.live.workspace);
        }
        let mut form = driven.small_form("custom:outside");
        form.plan.test_command = format!(
            "if test -e repaired; then {PASSING}; else printf 'TAP version 13\\n1..1\\nnot ok 1 - half a cent\\n'; exit 1; fi"
        );
        let name = driven.start(&form);
        driven.wait_for_word(&name, StatusWord::Completed);
        let (failed, passed) = ("validate task_failed", "validate ok");
        assert_eq!(
            driven.ran(&name)[2..],
            [failed, "debug ok", "debug ok", failed, "debug ok", "debug ok", passed],
            "the third round changed nothing and was not tested"
        );
        the_file_has_the_evidence(&driven, &name);
        the_page_shows_the_log(&driven, &name);
        the_runs_show_what_was_checked(&driven, &name);
        the_summary_counts_the_work(&driven, &name);
        driven.all_gone();
    }
}

#[track_caller]
fn the_file_has_the_evidence(driven: &Driven, name: &str) {
    let state = driven.state(name);
    let skill = &state["skill_state"];
    let evidence = &skill["debug"]["hypotheses"][0]["evidence"];
    let entry = json!({"hid": "H1", "ts": 1_795_148_661_000_u64, "func": "discounted", "data": {"sum": 895}});
    assert_eq!(evidence, &json!([entry]));
    assert_eq!(skill["debug"]["hypotheses"][1]["evidence"], json!({ "seen": [1, 2] }));
    let errors: Vec<String> = skill["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{} {}", error["action"].as_str().unwrap(), error["message"].as_str().unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            "DEBUG Log statements marked loopdeck:debug are still in: src/cart.sh",
            "DEBUG The answer says that the cause was removed, but no file changed.",
        ]
    );
    let changes = driven.live.read(&name.replace(".json", ".progress/changes.log"));
    let changes: Vec<Value> = changes.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: &str| changes.iter().filter(|line| line["task_id"] == id).collect::<Vec<_>>();
    assert_eq!(of("debug").len(), 1);
    assert_eq!(of("H1").len(), 1, "{changes:?}");
    assert_eq!(of("H1")[0]["files_changed"], json!(["repaired", "src/cart.sh"]));
    assert_eq!(
        (&of("debug")[0]["result"], &of("H1")[0]["result"]),
        (&json!("inconclusive"), &json!("success"))
    );
}

#[track_caller]
fn the_page_shows_the_log(driven: &Driven, name: &str) {
    let text = driven.live.read(&name.replace(".json", ".progress/debug.md"));
    assert!(text.contains("#### Fix Applied") && text.contains("- `repaired`"), "{text}");
    let detail = driven.live.detail(name);
    assert_eq!(detail.problems, []);
    let board = detail.debug.unwrap();
    assert_eq!((board.hypotheses[0].log_total, board.log_foreign), (1, 1));
    assert!(board.hypotheses[0].log[0].values.contains("895"));
}

#[track_caller]
fn the_runs_show_what_was_checked(driven: &Driven, name: &str) {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let debugs = checked(&runs, "debug");
    let of = |at: usize| debugs[at].checked.clone().unwrap_or_default();
    assert_eq!((of(0).log_entries, of(0).log_foreign), (1, 1));
    assert_eq!(of(0).instrumented, ["src/cart.sh"]);
    assert!(of(0).unchanged.is_empty() && !of(0).nothing_changed);
    assert_eq!((of(1).unchanged, of(1).nothing_changed), (vec!["src/cart.sh".to_owned()], false));
    assert_eq!((of(2).unchanged, of(2).nothing_changed), (vec!["src/cart.sh".to_owned()], true));
    assert!(of(3).instrumented.is_empty() && of(3).unchanged.is_empty());
    assert!(debugs.iter().all(|run| run.environment.contains(&"LOOPDECK_DEBUG_LOG".to_owned())));
    let prompt = |run: &RunView| {
        std::fs::read_to_string(driven.live.data().runs().join(&run.id).join("stdin.txt")).unwrap()
    };
    let log = format!(".workflow/.loop/{}", name.replace(".json", ".progress/debug.log"));
    assert!(prompt(debugs[0]).contains(&log) && !prompt(debugs[0]).contains("still in the code"));
    assert!(prompt(debugs[1]).contains("Log statements are still in the code"));
    assert!(prompt(debugs[3]).contains("but no file changed"));
    for run in checked(&runs, "develop") {
        assert!(run.checked.as_ref().unwrap().nothing_changed, "shown, and no failure");
        assert!(!run.environment.contains(&"LOOPDECK_DEBUG_LOG".to_owned()));
    }
}

#[track_caller]
fn the_summary_counts_the_work(driven: &Driven, name: &str) {
    let state = driven.state(name);
    let skill = &state["skill_state"];
    let detail = driven.live.detail(name);
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let worked: f64 = runs.iter().map(|run| run.ended.unwrap() - run.started).sum();
    let said = skill["summary"]["duration"].as_f64().unwrap();
    assert!((said - worked).abs() <= 1.0 && said > 0.0, "{said} {worked}");
    let coverage = detail.summary.iter().find(|fact| fact.name == "summary.validate.coverage").unwrap();
    assert_eq!(coverage.value, FactValue::NotMeasured);
    assert_eq!(skill["validate"]["coverage"], json!(0));
    let summary = driven.live.read(&name.replace(".json", ".progress/summary.md"));
    assert!(summary.contains("### Files Changed\n\n- `src/cart.sh`\n- `repaired`\n"), "{summary}");
    assert!(
        summary.contains("| Coverage | not measured |") && !summary.contains("since created"),
        "{summary}"
    );
    assert_eq!(skill["develop"]["current_task"], json!("task-001"));
}

#[test]
fn actions_that_fail_are_errors_of_the_loop_and_what_a_person_ends_is_none() {
    let mut driven = driven();
    let fails = |action: &str| {
        Rule::on(action).times(1).then(Step::Complain(format!("{action} broke"))).then(Step::Exit(3))
    };
    let hangs = Rule::on("develop").times(1).then(shell("touch begun")).then(Step::Hang);
    driven.script(&small(
        Output::Text,
        vec![fails("init"), planned(1), hangs, fails("develop"), develops("task-001")],
    ));
    let mut form = driven.small_form(AGENT);
    form.plan.test_command = " ".into();
    let name = driven.start(&form);
    driven.wait_for_file("begun");
    driven.live.runtime.pause_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.launch(&name).unwrap();
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(need.args["question"], "tests_cannot_run");
    let state = driven.state(&name);
    let errors = state["skill_state"]["errors"].as_array().unwrap();
    let actions: Vec<_> = errors.iter().map(|error| error["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["INIT", "DEVELOP", "VALIDATE"]);
    assert!(errors.iter().all(|error| !error["message"].as_str().unwrap().is_empty()), "{errors:?}");
    assert!(errors[0]["timestamp"].as_str() < errors[1]["timestamp"].as_str());
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.live.detail(&name).errors.len(), 3);
}
