//! Rows 89 to 118 and 127 to 135: control signals, transitions, derived fields, files, checks of a state, and
//! how the driver follows the pattern of the seeds.

mod files;

use crate::seed_rows::Row;
use crate::seed_rows::loop_v2::is_iso;
use crate::seed_rows::stage::{Stage, with};
use crate::seed_rows::told::Told;
use loopdeck_core::driver::{Action, EndReason, Memory};
use loopdeck_core::format::FileFacts;
use loopdeck_core::formats::ccw_v2::drive::{LoopV2Next, next};
use loopdeck_core::problem::{Problem, Severity};
use loopdeck_core::times::Timestamp;
use loopdeck_tests::live::Live;
use serde_json::{Value, json};

const BOTH: &str = "000/001/004";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

/// What the driver does with the first initialised version of the loop when its status says `word`.
fn signal(told: &Told, word: &str) -> LoopV2Next {
    let mut state = initialised(told).clone();
    state["status"] = json!(word);
    state["loop_id"] = json!(ID);
    step(&state, &Memory::default())
}

fn step(state: &Value, memory: &Memory) -> LoopV2Next {
    let facts = FileFacts {
        stem: ID,
        modified: Timestamp::from_millis(1_795_490_000_000),
        now: Timestamp::from_millis(1_795_490_000_000),
    };
    next(state.to_string().as_bytes(), &facts, memory)
}

fn initialised(told: &Told) -> &Value {
    told.states.iter().find(|state| state["skill_state"].is_object()).unwrap()
}

/// The write that ended an action: the versions before and after it.
fn ended<'t>(told: &'t Told, action: &str) -> (&'t Value, &'t Value) {
    let at = |state: &Value| state.pointer("/skill_state/last_action") == Some(&json!(action));
    let pairs: Vec<(&Value, &Value)> = told.states.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
    pairs.into_iter().find(|(before, after)| !at(before) && at(after)).unwrap()
}

fn number(state: &Value, pointer: &str) -> i64 {
    state.pointer(pointer).and_then(Value::as_f64).map_or(-1, |number| number as i64)
}

/// One more iteration than before the action, and a newer time.
fn counted(told: &Told, action: &str) {
    let (_, after) = ended(told, action);
    let at = told.states.iter().position(|state| state == after).unwrap();
    let begun = told.states[..at].iter().rposition(|state| {
        state.pointer("/current_iteration") != after.pointer("/current_iteration")
            && number(state, "/current_iteration") < number(after, "/current_iteration")
    });
    let before = &told.states[begun.unwrap()];
    assert_eq!(number(after, "/current_iteration"), number(before, "/current_iteration") + 1, "{action}");
    assert!(after["updated_at"].as_str() > before["updated_at"].as_str());
}

fn progress(told: &Told) -> (f64, bool, bool, f64) {
    let tasks = told.at("/skill_state/develop/tasks").as_array().unwrap();
    let done = tasks.iter().filter(|task| task["status"] == "completed").count();
    #[allow(clippy::cast_precision_loss)] // a handful
    let develop = if tasks.is_empty() { 0.0 } else { done as f64 / tasks.len() as f64 * 100.0 };
    let debugged = !told.at("/skill_state/debug/confirmed_hypothesis").is_null();
    let runs = told.at("/skill_state/validate/test_results").as_array().unwrap();
    let validated = told.at("/skill_state/validate/passed") == true && !runs.is_empty();
    let overall = develop * 0.5 + if debugged { 25.0 } else { 0.0 } + if validated { 25.0 } else { 0.0 };
    (develop, debugged, validated, overall)
}

fn each(s: &Stage, holds: impl Fn(&Told, &Value)) {
    for told in [&s.auto, &s.menu] {
        holds(told, told.detail("/progress"));
    }
}

/// The page of a state file with these fields changed.
fn page_of(change: impl FnOnce(&mut Value)) -> Vec<(String, Severity)> {
    let mut state = json!({
        "loop_id": ID, "title": "T", "description": "D", "max_iterations": 10, "status": "paused",
        "current_iteration": 1, "created_at": "2026-11-20T04:24:21.870Z", "updated_at": "2026-11-20T04:24:21.915Z",
    });
    change(&mut state);
    problems(&with(&format!("{ID}.json"), &state.to_string()), &format!("{ID}.json"))
}

/// The page of a legacy session without this field.
fn page_of_legacy(without: &str) -> Vec<(String, Severity)> {
    let mut state = json!({
        "session_id": "LOOP-x-2026-01-22", "task_description": "Old work", "status": "paused",
        "created_at": "2026-01-22T10:00:00Z", "updated_at": "2026-01-22T11:00:00Z",
    });
    state.as_object_mut().unwrap().remove(without);
    let live = Live::with(|workspace| {
        let folder = workspace.join(".loop/LOOP-x-2026-01-22");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("state.json"), state.to_string()).unwrap();
    });
    let key = live.rows.values().next().unwrap().key.clone();
    found(&live.runtime.read_loop(&key).unwrap().detail.problems)
}

fn problems(live: &Live, name: &str) -> Vec<(String, Severity)> {
    found(&live.detail(name).problems)
}

fn found(problems: &[Problem]) -> Vec<(String, Severity)> {
    problems.iter().map(|problem| (problem.code.name().to_owned(), problem.severity)).collect()
}

fn has(found: &[(String, Severity)], code: &str, severity: Severity) {
    assert!(found.iter().any(|(name, of)| name.starts_with(code) && *of == severity), "{code}: {found:?}");
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = signals();
    rows.extend(transitions());
    rows.extend(later_transitions());
    rows.extend(derived());
    rows.extend(files::rows());
    rows.extend(checks());
    rows.extend(pattern());
    rows
}

fn signals() -> Vec<Row> {
    vec![
        Row(89, BOTH, "control signal paused: pause_exit", |s| {
            assert_eq!(signal(&s.auto, "paused"), LoopV2Next::End(EndReason::Paused));
        }),
        Row(90, BOTH, "control signal failed: stop_exit", |s| {
            assert_eq!(signal(&s.auto, "failed"), LoopV2Next::End(EndReason::Failed));
        }),
        Row(91, BOTH, "control signal running: continue", |s| {
            let LoopV2Next::Agent { task, .. } = signal(&s.auto, "running") else { panic!("no agent") };
            assert_eq!(task.action, Action::Develop { task_id: "task-001".into() });
        }),
        Row(92, BOTH, "control signal of any other word: stop_exit", |s| {
            assert_eq!(signal(&s.auto, "created"), LoopV2Next::End(EndReason::NotStarted));
            assert_eq!(signal(&s.auto, "user_exit"), LoopV2Next::End(EndReason::Left));
            assert_eq!(signal(&s.auto, "dancing"), LoopV2Next::End(EndReason::Damaged));
        }),
        Row(93, BOTH, "the signal is looked at before every action", |s| {
            for state in s.auto.states.iter().filter(|state| state["skill_state"].is_object()) {
                let mut state = state.clone();
                (state["status"], state["loop_id"]) = (json!("paused"), json!(ID));
                assert_eq!(step(&state, &Memory::default()), LoopV2Next::End(EndReason::Paused));
            }
        }),
        Row(94, "001", "the reason of an exit is told", |s| {
            let told = [&s.menu_paused, &s.stopped, &s.menu, &s.auto]
                .map(|told| ["/row/word", "/row/reason"].map(|place| told.place(place).clone()));
            let expected = [
                [json!("paused"), Value::Null],
                [json!("stopped"), json!("Manually stopped by user")],
                [json!("left_by_user"), Value::Null],
                [json!("completed"), Value::Null],
            ];
            assert_eq!(told, expected);
            assert_eq!(s.stopped.place("failure_reason"), "Manually stopped by user");
            let done = s.stopped.at("/skill_state/completed_actions").as_array().map(Vec::len);
            assert!(done <= Some(1), "nothing began after the stop");
        }),
    ]
}

fn transitions() -> Vec<Row> {
    vec![
        Row(95, BOTH, "INIT: created becomes running", |s| {
            assert_eq!(s.auto.states[0]["status"], "created");
            assert_eq!(initialised(&s.auto)["status"], "running");
            assert_eq!(initialised(&s.auto)["skill_state"]["current_action"], "init");
        }),
        Row(96, BOTH, "INIT: tasks, total, completed 0", |s| {
            let develop = &initialised(&s.auto)["skill_state"]["develop"];
            assert_eq!((&develop["total"], &develop["completed"]), (&json!(2), &json!(0)));
            assert_eq!(develop["tasks"].as_array().unwrap().len(), 2);
        }),
        Row(97, BOTH, "DEVELOP: iteration, last_action, completed_actions", |s| {
            counted(&s.auto, "DEVELOP");
            let (_, after) = ended(&s.auto, "DEVELOP");
            assert_eq!(after["skill_state"]["current_action"], "develop");
            assert_eq!(after["skill_state"]["completed_actions"], json!(["DEVELOP"]));
        }),
        Row(98, BOTH, "DEVELOP: completed, last_progress_at", |s| {
            let done = s.auto.changes("/skill_state/develop/completed", &json!(1));
            let (before, after) = done[0];
            assert_eq!(number(before, "/skill_state/develop/completed"), 0);
            assert!(after["skill_state"]["develop"]["last_progress_at"].as_str().is_some_and(is_iso));
        }),
    ]
}

fn later_transitions() -> Vec<Row> {
    vec![
        Row(99, BOTH, "DEBUG: bug, hypotheses, count, iteration, last_analysis_at", |s| {
            counted(&s.auto, "DEBUG");
            let (before, after) = ended(&s.auto, "DEBUG");
            let (old, new) = (&before["skill_state"]["debug"], &after["skill_state"]["debug"]);
            assert_eq!(number(new, "/iteration"), number(old, "/iteration") + 1);
            assert_eq!(
                new["hypotheses_count"].as_u64(),
                new["hypotheses"].as_array().map(|all| all.len() as u64)
            );
            assert!(new["active_bug"].is_string() && new["last_analysis_at"].is_string());
        }),
        Row(100, BOTH, "VALIDATE: results, rate, coverage, passed, failed, last_run_at", |s| {
            counted(&s.auto, "VALIDATE");
            let (_, after) = ended(&s.auto, "VALIDATE");
            let validate = &after["skill_state"]["validate"];
            assert_eq!(
                (&validate["passed"], validate["failed_tests"].as_array().map(Vec::len)),
                (&json!(false), Some(1))
            );
            assert!(validate["pass_rate"].as_f64().is_some_and(|rate| (0.0..100.0).contains(&rate)));
            assert!(validate["last_run_at"].as_str().is_some_and(is_iso) && validate["coverage"].is_number());
        }),
        Row(101, BOTH, "COMPLETE: status, completed_at, summary", |s| {
            let (before, after) = ended(&s.auto, "COMPLETE");
            assert_eq!((&before["status"], &after["status"]), (&json!("running"), &json!("completed")));
            assert_eq!(after["completed_at"], after["updated_at"]);
            assert!(after["skill_state"]["summary"].is_object());
        }),
        Row(102, "001", "last_action in the words of both flavours", |_| {
            let live = with(&format!("{ID}.json"), &json!({
                "loop_id": ID, "title": "T", "description": "D", "max_iterations": 10, "status": "paused",
                "current_iteration": 1, "created_at": "2026-11-20T04:24:21.870Z", "updated_at": "2026-11-20T04:24:21.915Z",
                "skill_state": { "current_action": null, "last_action": "action-develop-with-file", "mode": "auto",
                    "completed_actions": ["action-init", "action-develop-with-file"] },
            }).to_string());
            let detail = live.detail(&format!("{ID}.json"));
            let told = serde_json::to_value(&detail.facts).unwrap().to_string();
            assert!(told.contains("action-develop-with-file"), "{told}");
            assert!(
                detail.problems.iter().all(|problem| problem.code.name() != "W7_unknown_word"),
                "{:?}",
                detail.problems
            );
        }),
    ]
}

fn derived() -> Vec<Row> {
    vec![
        Row(103, "001", "derived developProgress", |s| {
            each(s, |told, shown| assert_eq!(shown["develop"].as_f64(), Some(progress(told).0)));
        }),
        Row(104, "001", "derived debugCompleted", |s| {
            each(s, |told, shown| assert_eq!(shown["debug_completed"], progress(told).1));
        }),
        Row(105, "001", "derived validationPassed", |s| {
            each(s, |told, shown| assert_eq!(shown["validation_passed"], progress(told).2));
        }),
        Row(106, "001", "derived overallProgress", |s| {
            each(s, |told, shown| assert_eq!(shown["overall"].as_f64(), Some(progress(told).3)));
        }),
        Row(107, "001", "derived hasPendingDevelop", |s| {
            each(s, |told, shown| {
                let tasks = told.at("/skill_state/develop/tasks").as_array().unwrap();
                let pending = tasks.iter().any(|task| task["status"] == "pending");
                assert_eq!(shown["has_pending_develop"], pending, "{shown}");
            });
            assert_eq!(s.menu.detail("/progress/has_pending_develop"), true);
        }),
    ]
}

fn checks() -> Vec<Row> {
    vec![
        Row(127, "001", "validateState: missing id is an error", |_| {
            has(
                &page_of(|state| drop(state.as_object_mut().unwrap().remove("loop_id"))),
                "E2",
                Severity::Error,
            );
            has(&page_of_legacy("session_id"), "E2", Severity::Error);
        }),
        Row(128, "001", "validateState: missing description is an error", |_| {
            has(&page_of_legacy("task_description"), "E3", Severity::Error);
            let sound = page_of_legacy("nothing of it");
            assert!(sound.iter().all(|(_, severity)| *severity < Severity::Error), "{sound:?}");
        }),
        Row(129, "001", "validateState: initialised and pending, a warning †", |_| {
            let state = json!({ "session_id": "LOOP-x-2026-01-22", "task_description": "Old work", "status": "pending", "initialized": true });
            let live = Live::with(|workspace| {
                let folder = workspace.join(".loop/LOOP-x-2026-01-22");
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join("state.json"), state.to_string()).unwrap();
            });
            let key = live.rows.values().next().unwrap().key.clone();
            let found = live.runtime.read_loop(&key).unwrap().detail.problems;
            assert!(
                found
                    .iter()
                    .any(|problem| problem.code.name().starts_with("W3")
                        && problem.severity == Severity::Warning),
                "{found:?}"
            );
        }),
        Row(130, "001", "validateState: completed without a passing validation, a warning †", |_| {
            has(
                &page_of(|state| {
                    (state["status"], state["completed_at"]) =
                        (json!("completed"), json!("2026-11-20T04:24:21.915Z"));
                    state["skill_state"] =
                        json!({ "current_action": null, "mode": "auto", "validate": { "passed": false } });
                }),
                "W2",
                Severity::Warning,
            );
        }),
        Row(131, "001", "validateState: completed_count mismatch, a warning †", |_| {
            has(
                &page_of(|state| {
                    state["skill_state"] = json!({ "mode": "auto", "develop": { "total": 1, "completed": 3, "tasks": [{ "id": "task-001", "description": "d", "status": "pending" }] } });
                }),
                "W1",
                Severity::Warning,
            );
        }),
    ]
}

fn pattern() -> Vec<Row> {
    const CODEX: &str = "000/004";
    vec![
        Row(132, CODEX, "the state is read at the start of an action", |s| {
            // The text of the first task is changed from outside: the next action works on the new one.
            let mut state = initialised(&s.auto).clone();
            state["loop_id"] = json!(ID);
            state["skill_state"]["develop"]["tasks"][0]["description"] = json!("Another text entirely");
            let LoopV2Next::Agent { task, .. } = step(&state, &Memory::default()) else { panic!("no agent") };
            assert!(task.prompt.contains("Another text entirely"));
        }),
        Row(133, CODEX, "the state is written after an action", |s| {
            for action in ["DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] {
                let (before, after) = ended(&s.auto, action);
                assert_ne!(before["updated_at"], after["updated_at"], "{action}");
            }
        }),
        Row(134, CODEX, "the orchestrator counts the iterations", |s| {
            let counted = s.auto.states.iter().map(|state| number(state, "/current_iteration"));
            let steps: Vec<i64> = counted.collect();
            assert!(steps.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1), "{steps:?}");
            let actions = s.auto.at("/skill_state/completed_actions").as_array().unwrap().len() as i64;
            assert_eq!(*steps.last().unwrap(), actions - 1, "every action but COMPLETE is one");
        }),
        Row(135, CODEX, "what an action came to is known to the next one †", |s| {
            // One conversation for each action; the results of earlier ones are passed on in words.
            let state = s.auto.states.iter().find(|state| {
                state.pointer("/skill_state/develop/completed") == Some(&json!(1))
                    && state.pointer("/skill_state/last_action") == Some(&json!("DEVELOP"))
            });
            let mut state = state.unwrap().clone();
            state["loop_id"] = json!(ID);
            let mut memory = Memory::default();
            memory.add_remark("What is the rate?", "Eight percent");
            let LoopV2Next::Agent { task, .. } = step(&state, &memory) else { panic!("no agent") };
            assert!(task.prompt.contains("Eight percent"), "{}", task.prompt);
        }),
    ]
}
