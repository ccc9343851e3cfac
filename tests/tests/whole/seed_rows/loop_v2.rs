//! Rows 1 to 88: the fields of `LoopState`, with their words, as written by a driven loop and shown on its
//! page.

use crate::seed_rows::Row;
use crate::seed_rows::stage::{Stage, with};
use crate::seed_rows::told::{Told, same, worked_on};
use loopdeck_core::status::StatusWord;
use loopdeck_tests::live::{Live, loop_v2};
use serde_json::{Value, json};

const BOTH: &str = "000/001/004";
const CODEX: &str = "000/004";

/// The value exists, is of the `kind`, and the page shows it at `place` (see [`Told::place`]).
pub(crate) fn shown(told: &Told, pointer: &str, place: &str, kind: fn(&Value) -> bool) {
    let value = told.at(pointer);
    assert!(kind(value), "{pointer}: {value}");
    assert!(same(told.place(place), value), "{pointer}: {value}, and {place} is {}", told.place(place));
}

/// The value is a time, and the page has its text.
pub(crate) fn timed(told: &Told, pointer: &str, place: &str) {
    shown(told, pointer, place, |value| value.as_str().is_some_and(is_iso));
}

/// ISO 8601 in UTC: `2026-01-22T10:00:00.000Z`.
pub(crate) fn is_iso(text: &str) -> bool {
    text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T'
}

/// The status shown for a loop with this status word.
fn shows_word(status: &str, word: StatusWord) {
    let live = aged(&loop_v2("loop-v2-20261120T042421-d8ff7e62", status));
    let row = live.row("loop-v2-20261120T042421-d8ff7e62.json").unwrap();
    assert_eq!((row.word, row.file_word.as_str()), (word, status));
}

fn aged(text: &str) -> Live {
    let mut live = with("loop-v2-20261120T042421-d8ff7e62.json", text);
    live.age("loop-v2-20261120T042421-d8ff7e62.json");
    live.runtime.rescan().unwrap();
    live.pull();
    live
}

/// The driver wrote the word at some time.
fn was(told: &Told, pointer: &str, word: &str) {
    assert!(told.was(pointer, &json!(word)), "{pointer} was never {word}");
}

fn task(told: &Told, id: &str) -> Value {
    let tasks = told.at("/skill_state/develop/tasks").as_array().unwrap();
    tasks.iter().find(|task| task["id"] == id).unwrap().clone()
}

/// A field of a task in the file is of the `kind` and shown on the page.
fn task_field(told: &Told, field: &str, kind: fn(&Value) -> bool) {
    let value = task(told, "task-001")[field].clone();
    assert!(kind(&value), "{field}: {value}");
    let shown = told.detail("/tasks/0");
    let under = field.trim_end_matches("_at"); // a time without its suffix
    assert!(same(&shown[under], &value), "{field}: {value} in {shown}");
}

/// Some version had a task with this status.
fn task_was(told: &Told, status: &str) {
    let tasks = |state: &Value| state.pointer("/skill_state/develop/tasks").cloned().unwrap_or_default();
    let is_it = |state: &Value| {
        tasks(state).as_array().is_some_and(|tasks| tasks.iter().any(|task| task["status"] == status))
    };
    assert!(told.states.iter().any(is_it), "no task was ever {status}");
}

fn hypothesis(told: &Told, id: &str) -> Value {
    let all = told.at("/skill_state/debug/hypotheses").as_array().unwrap();
    all.iter().find(|hypothesis| hypothesis["id"] == id).unwrap().clone()
}

fn hypothesis_field(told: &Told, pointer: &str) {
    let value = hypothesis(told, "H1").pointer(pointer).unwrap().clone();
    let shown = told.detail("/debug/hypotheses/0");
    let under = pointer.rsplit('/').next().unwrap();
    assert!(!value.is_null() && same(&shown[under], &value), "{pointer}: {value} in {shown}");
}

fn verdict(told: &Told, id: &str, status: &str) {
    assert_eq!(hypothesis(told, id)["status"], status);
    let shown = told.detail("/debug/hypotheses").as_array().unwrap();
    assert!(shown.iter().any(|one| one["id"] == id && one["verdict"] == status), "{shown:?}");
}

fn test_row(told: &Told, name: &str, run: usize) -> Value {
    let rows = told.at(&format!("/skill_state/validate/test_results/{run}/tests")).as_array().unwrap();
    rows.iter().find(|row| row["test_name"] == name).unwrap().clone()
}

fn test_field(told: &Told, name: &str, field: &str) {
    let value = test_row(told, name, 0)[field].clone();
    let rows = told.tests[0].as_array().unwrap();
    let shown = rows.iter().find(|row| row["name"] == name).unwrap();
    let under = if field == "test_name" { "name" } else { field };
    assert!(!value.is_null() && same(&shown[under], &value), "{field}: {value} in {shown}");
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = state_rows();
    rows.extend(action_rows());
    rows.extend(develop_rows());
    rows.extend(debug_rows());
    rows.extend(validate_rows());
    rows.extend(test_rows());
    rows.extend(error_rows());
    rows.extend(end_rows());
    rows
}

fn state_rows() -> Vec<Row> {
    vec![
        Row(1, BOTH, "LoopState.loop_id", |s| {
            shown(&s.auto, "/loop_id", "loop_id", is_text);
            assert_eq!(s.auto.at("/loop_id"), &json!(s.auto.id));
        }),
        Row(2, BOTH, "LoopState.title", |s| {
            assert_eq!(s.auto.at("/title"), "Round half a cent up");
            shown(&s.auto, "/title", "/row/title", is_text);
        }),
        Row(3, BOTH, "LoopState.description", |s| shown(&s.auto, "/description", "description", is_text)),
        Row(4, BOTH, "LoopState.max_iterations", |s| {
            shown(&s.auto, "/max_iterations", "/row/iteration/limit", Value::is_u64);
        }),
        Row(5, BOTH, "LoopState.current_iteration", |s| {
            shown(&s.auto, "/current_iteration", "/row/iteration/current", Value::is_u64);
        }),
        Row(6, BOTH, "LoopState.created_at", |s| timed(&s.auto, "/created_at", "created_at")),
        Row(7, BOTH, "LoopState.updated_at", |s| timed(&s.auto, "/updated_at", "updated_at")),
        Row(8, BOTH, "LoopState.completed_at", |s| {
            timed(&s.auto, "/completed_at", "completed_at");
            assert!(s.menu.states.iter().all(|state| state["completed_at"].is_null()));
        }),
        Row(9, BOTH, "LoopState.failure_reason", |_| {
            let live = aged(&loop_v2("loop-v2-20261120T042421-d8ff7e62", "running"));
            let name = "loop-v2-20261120T042421-d8ff7e62.json";
            live.act(name, loopdeck_core::control::Verb::Stop).unwrap();
            assert!(live.read(name).contains("\"failure_reason\": \"Manually stopped by user\""));
            live.act(name, loopdeck_core::control::Verb::Reopen).unwrap();
            assert!(!live.read(name).contains("failure_reason"));
        }),
        Row(10, BOTH, "status created", |s| {
            assert_eq!(s.auto.states[0]["status"], "created");
            shows_word("created", StatusWord::NotStarted);
        }),
        Row(11, BOTH, "status running", |s| {
            was(&s.auto, "/status", "running");
            shows_word("running", StatusWord::Interrupted);
        }),
        Row(12, BOTH, "status paused", |s| {
            was(&s.menu, "/status", "paused");
            shows_word("paused", StatusWord::Paused);
        }),
        Row(13, BOTH, "status completed", |s| {
            assert_eq!(s.auto.at("/status"), "completed");
            shows_word("completed", StatusWord::Completed);
        }),
        Row(14, BOTH, "status failed", |_| shows_word("failed", StatusWord::Failed)),
        Row(15, CODEX, "status user_exit", |s| {
            assert_eq!(s.menu.at("/status"), "user_exit");
            assert!(s.menu.at("/failure_reason").is_null());
            shows_word("user_exit", StatusWord::LeftByUser);
            let verbs = s.menu.page["row"]["verbs"].as_array().unwrap().clone();
            assert!(verbs.contains(&json!("reopen")), "{verbs:?}");
        }),
    ]
}

fn action_rows() -> Vec<Row> {
    vec![
        Row(16, BOTH, "current_action init", |s| was(&s.auto, "/skill_state/current_action", "init")),
        Row(17, BOTH, "current_action develop", |s| was(&s.auto, "/skill_state/current_action", "develop")),
        Row(18, BOTH, "current_action debug", |s| was(&s.auto, "/skill_state/current_action", "debug")),
        Row(19, BOTH, "current_action validate", |s| was(&s.auto, "/skill_state/current_action", "validate")),
        Row(20, BOTH, "current_action complete", |s| was(&s.auto, "/skill_state/current_action", "complete")),
        Row(21, BOTH, "current_action null", |_| {
            let text = loop_v2("loop-v2-20261120T042421-d8ff7e62", "paused");
            let with = text.replace("\n}", ",\n  \"skill_state\": {\"current_action\": null, \"last_action\": null, \"completed_actions\": [], \"mode\": \"auto\"}\n}");
            let live = aged(&with);
            let row = live.row("loop-v2-20261120T042421-d8ff7e62.json").unwrap();
            assert_eq!((row.word, row.errors), (StatusWord::Paused, 0));
        }),
        Row(22, "001", "current_action paused on pause_exit", |s| {
            assert_eq!(s.menu_paused.at("/status"), "paused");
            assert_eq!(s.menu_paused.at("/skill_state/current_action"), "paused");
        }),
        Row(23, BOTH, "last_action", |s| {
            for action in ["DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] {
                was(&s.auto, "/skill_state/last_action", action);
            }
            assert!(s.auto.was("/skill_state/last_action", &Value::Null));
            shown(&s.auto, "/skill_state/last_action", "last_action", is_text);
        }),
        Row(24, BOTH, "completed_actions", |s| {
            let done = s.auto.at("/skill_state/completed_actions").as_array().unwrap();
            assert_eq!(done.iter().filter(|action| *action == "DEVELOP").count(), 3, "{done:?}"); // one of them failed
            assert_eq!(s.auto.place("completed_actions"), &json!(done));
        }),
        Row(25, BOTH, "mode auto", |s| shown(&s.auto, "/skill_state/mode", "mode", |mode| mode == "auto")),
        Row(26, BOTH, "mode interactive", |s| {
            shown(&s.menu, "/skill_state/mode", "mode", |mode| mode == "interactive");
            let runs = s.menu.at("/skill_state/completed_actions").as_array().unwrap();
            assert_eq!(runs, &[json!("DEVELOP")], "nothing ran that nobody chose");
        }),
    ]
}

fn develop_rows() -> Vec<Row> {
    vec![
        Row(27, BOTH, "develop.total", |s| {
            assert_eq!(s.auto.at("/skill_state/develop/total"), 2);
            shown(&s.auto, "/skill_state/develop/total", "tasks_total", Value::is_u64);
        }),
        Row(28, BOTH, "develop.completed", |s| {
            assert_eq!(s.auto.at("/skill_state/develop/completed"), 2);
            assert!((0..=2).all(|count| s.auto.was("/skill_state/develop/completed", &json!(count))));
            assert_eq!(s.auto.place("tasks_completed").as_f64(), Some(2.0));
        }),
        Row(29, BOTH, "develop.tasks", |s| {
            assert_eq!(s.auto.at("/skill_state/develop/tasks").as_array().unwrap().len(), 2);
            assert_eq!(s.auto.detail("/tasks").as_array().unwrap().len(), 2);
        }),
        Row(30, BOTH, "develop.last_progress_at", |s| {
            assert!(s.auto.was("/skill_state/develop/last_progress_at", &Value::Null));
            timed(&s.auto, "/skill_state/develop/last_progress_at", "last_progress_at");
        }),
        Row(31, BOTH, "develop.current_task", |s| {
            was(&s.auto, "/skill_state/develop/current_task", "task-001");
            assert_eq!(s.auto.at("/skill_state/develop/current_task"), "task-002", "it stays after DEVELOP");
        }),
        Row(32, BOTH, "DevelopTask.id", |s| task_field(&s.auto, "id", is_text)),
        Row(33, BOTH, "DevelopTask.description", |s| task_field(&s.auto, "description", is_text)),
        Row(34, BOTH, "DevelopTask.status pending", |s| task_was(&s.auto, "pending")),
        Row(35, BOTH, "DevelopTask.status in_progress", |s| task_was(&s.auto, "in_progress")),
        Row(36, BOTH, "DevelopTask.status completed", |s| task_was(&s.auto, "completed")),
        Row(37, BOTH, "DevelopTask.status failed", |s| task_was(&s.auto, "failed")),
        Row(38, BOTH, "DevelopTask.files_changed", |s| {
            assert_eq!(worked_on(&task(&s.auto, "task-001")["files_changed"]), ["src/cart.txt"]);
            assert_eq!(worked_on(s.auto.detail("/tasks/0/files_changed")), ["src/cart.txt"]);
        }),
        Row(39, BOTH, "DevelopTask.created_at", |s| {
            task_field(&s.auto, "created_at", |at| at.as_str().is_some_and(is_iso));
        }),
        Row(40, BOTH, "DevelopTask.completed_at", |s| {
            task_field(&s.auto, "completed_at", |at| at.as_str().is_some_and(is_iso));
        }),
        Row(41, BOTH, "DevelopTask.files_changed is there from the beginning", |s| {
            let planned = |state: &&Value| state.pointer("/skill_state/develop/tasks").is_some();
            let first = s.auto.states.iter().find(planned).unwrap();
            assert_eq!(first["skill_state"]["develop"]["tasks"][0]["files_changed"], json!([]));
        }),
        Row(42, BOTH, "DevelopTask.tool", |s| task_field(&s.auto, "tool", is_text)),
        Row(43, BOTH, "DevelopTask.mode", |s| task_field(&s.auto, "mode", |mode| mode == "write")),
    ]
}

fn debug_rows() -> Vec<Row> {
    vec![
        Row(44, BOTH, "debug.active_bug", |s| {
            shown(&s.auto, "/skill_state/debug/active_bug", "/detail/debug/active_bug", is_text);
        }),
        Row(45, BOTH, "debug.hypotheses_count", |s| {
            shown(&s.auto, "/skill_state/debug/hypotheses_count", "hypotheses_count", |count| count == 4);
        }),
        Row(46, BOTH, "debug.hypotheses", |s| {
            assert_eq!(s.auto.at("/skill_state/debug/hypotheses").as_array().unwrap().len(), 4);
            assert_eq!(s.auto.detail("/debug/hypotheses").as_array().unwrap().len(), 4);
        }),
        Row(47, BOTH, "debug.confirmed_hypothesis", |s| {
            assert!(s.auto.was("/skill_state/debug/confirmed_hypothesis", &Value::Null));
            assert_eq!(s.auto.at("/skill_state/debug/confirmed_hypothesis"), "H1");
            assert_eq!(s.auto.detail("/debug/confirmed"), "H1");
        }),
        Row(48, BOTH, "debug.iteration", |s| {
            assert!(s.auto.was("/skill_state/debug/iteration", &json!(0)));
            assert_eq!(s.auto.at("/skill_state/debug/iteration"), 1);
            assert_eq!(s.auto.detail("/debug/iteration").as_f64(), Some(1.0));
        }),
        Row(49, BOTH, "debug.last_analysis_at", |s| {
            timed(&s.auto, "/skill_state/debug/last_analysis_at", "/detail/debug/last_analysis");
        }),
        Row(50, BOTH, "Hypothesis.id", |s| hypothesis_field(&s.auto, "/id")),
        Row(51, BOTH, "Hypothesis.description", |s| hypothesis_field(&s.auto, "/description")),
        Row(52, BOTH, "Hypothesis.testable_condition", |s| hypothesis_field(&s.auto, "/testable_condition")),
        Row(53, BOTH, "Hypothesis.logging_point", |s| hypothesis_field(&s.auto, "/logging_point")),
        Row(54, BOTH, "Hypothesis.evidence_criteria.confirm", |s| {
            hypothesis_field(&s.auto, "/evidence_criteria/confirm");
        }),
        Row(55, BOTH, "Hypothesis.evidence_criteria.reject", |s| {
            hypothesis_field(&s.auto, "/evidence_criteria/reject");
        }),
        Row(56, BOTH, "Hypothesis.likelihood", |s| hypothesis_field(&s.auto, "/likelihood")),
        Row(57, BOTH, "Hypothesis.status pending", |s| verdict(&s.auto, "H4", "pending")),
        Row(58, BOTH, "Hypothesis.status confirmed", |s| verdict(&s.auto, "H1", "confirmed")),
        Row(59, BOTH, "Hypothesis.status rejected", |s| verdict(&s.auto, "H2", "rejected")),
        Row(60, BOTH, "Hypothesis.status inconclusive", |s| verdict(&s.auto, "H3", "inconclusive")),
        Row(61, BOTH, "Hypothesis.verdict_reason", |s| hypothesis_field(&s.auto, "/verdict_reason")),
        Row(62, BOTH, "Hypothesis.evidence, a record or null", |s| {
            assert_eq!(hypothesis(&s.auto, "H1")["evidence"], json!({ "half": 5, "seen": ["a", "b"] }));
            assert!(hypothesis(&s.auto, "H4")["evidence"].is_null());
            assert!(
                s.auto
                    .detail("/debug/hypotheses/0/evidence")
                    .as_str()
                    .is_some_and(|text| text.contains("seen"))
            );
        }),
    ]
}

fn validate_rows() -> Vec<Row> {
    vec![
        Row(63, BOTH, "validate.pass_rate", |s| {
            shown(
                &s.auto,
                "/skill_state/validate/pass_rate",
                "/detail/validation/pass_rate",
                Value::is_number,
            );
        }),
        Row(64, BOTH, "validate.coverage", |s| {
            assert_eq!(s.auto.at("/skill_state/validate/coverage").as_f64(), Some(75.0));
            assert_eq!(s.auto.detail("/validation/coverage").as_f64(), Some(75.0));
        }),
        Row(65, BOTH, "validate.test_results", |s| {
            assert_eq!(s.auto.at("/skill_state/validate/test_results").as_array().unwrap().len(), 2);
            assert_eq!(s.auto.detail("/validation/runs").as_array().unwrap().len(), 2);
        }),
        Row(66, BOTH, "validate.passed", |s| {
            assert_eq!(s.auto.at("/skill_state/validate/passed"), true);
            assert_eq!(s.auto.detail("/validation/passed"), true);
        }),
        Row(67, BOTH, "validate.failed_tests", |s| {
            let failed = |state: &Value| {
                state
                    .pointer("/skill_state/validate/failed_tests")
                    .is_some_and(|names| names.to_string().contains("rounds"))
            };
            assert!(s.auto.states.iter().any(failed), "the failed test was named");
            assert_eq!(s.auto.at("/skill_state/validate/failed_tests"), &json!([]));
        }),
        Row(68, BOTH, "validate.last_run_at", |s| {
            timed(&s.auto, "/skill_state/validate/last_run_at", "/detail/validation/last_run");
        }),
        Row(69, BOTH, "validate.test_results: TestResult[] †", |s| {
            // The CCW contract §2: run records, whose rows are the seed's TestResult; flat rows are read as one run.
            let run = s.auto.at("/skill_state/validate/test_results/0");
            let keys: Vec<&str> = run.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["coverage", "failures", "iteration", "summary", "tests", "timestamp"]);
            let text = loop_v2("loop-v2-20261120T042421-d8ff7e62", "paused");
            let flat = text.replace("\n}", ",\n  \"skill_state\": {\"validate\": {\"test_results\": [{\"test_name\": \"adds\", \"suite\": \"cart\", \"status\": \"passed\", \"duration_ms\": 1, \"error_message\": null, \"stack_trace\": null}]}}\n}");
            let live = aged(&flat);
            let name = "loop-v2-20261120T042421-d8ff7e62.json";
            assert_eq!(live.runtime.test_runs(&live.key(name)).unwrap()[0][0].name, "adds");
        }),
    ]
}

fn test_rows() -> Vec<Row> {
    vec![
        Row(70, BOTH, "TestResult.test_name", |s| test_field(&s.auto, "rounds", "test_name")),
        Row(71, BOTH, "TestResult.suite", |s| test_field(&s.auto, "rounds", "suite")),
        Row(72, BOTH, "TestResult.status passed", |s| {
            assert_eq!(test_row(&s.auto, "adds", 0)["status"], "passed");
        }),
        Row(73, BOTH, "TestResult.status failed", |s| {
            assert_eq!(test_row(&s.auto, "rounds", 0)["status"], "failed");
        }),
        Row(74, BOTH, "TestResult.status skipped", |s| {
            assert_eq!(test_row(&s.auto, "later", 0)["status"], "skipped");
        }),
        Row(75, BOTH, "TestResult.duration_ms", |s| test_field(&s.auto, "rounds", "duration_ms")),
        Row(76, BOTH, "TestResult.error_message", |s| test_field(&s.auto, "rounds", "error_message")),
        Row(77, BOTH, "TestResult.stack_trace", |s| test_field(&s.auto, "rounds", "stack_trace")),
    ]
}

fn error_rows() -> Vec<Row> {
    fn error(s: &Stage) -> Value {
        s.auto.at("/skill_state/errors/0").clone()
    }
    vec![
        Row(78, BOTH, "errors[].action", |s| {
            assert_eq!(error(s)["action"], "DEVELOP");
            assert_eq!(s.auto.detail("/errors/0/action"), "DEVELOP");
        }),
        Row(79, BOTH, "errors[].message", |s| {
            assert!(error(s)["message"].as_str().unwrap().contains("The compiler was missing"));
            assert!(
                s.auto.detail("/errors/0/message").as_str().unwrap().contains("The compiler was missing")
            );
        }),
        Row(80, BOTH, "errors[].timestamp", |s| assert!(error(s)["timestamp"].as_str().is_some_and(is_iso))),
        Row(81, BOTH, "errors[] of INIT, DEBUG, VALIDATE", |s| {
            let actions = |told: &Told| {
                let errors = told.at("/skill_state/errors").as_array().into_iter().flatten();
                let mut actions: Vec<String> =
                    errors.filter_map(|error| error["action"].as_str()).map(str::to_owned).collect();
                actions.dedup();
                actions
            };
            let found: Vec<Vec<String>> = s.broken.iter().map(actions).collect();
            assert_eq!(found, [["INIT", "DEBUG"], ["INIT", "VALIDATE"]]);
        }),
    ]
}

/// What the API writes when it creates a loop.
const API_FIELDS: [&str; 8] = [
    "loop_id",
    "title",
    "description",
    "max_iterations",
    "status",
    "current_iteration",
    "created_at",
    "updated_at",
];

fn end_rows() -> Vec<Row> {
    vec![
        Row(82, CODEX, "summary.duration", |s| {
            let took = s.auto.at("/skill_state/summary/duration");
            // One that equals the loop's age is shown under another name.
            let names = ["summary.duration", "summary.duration_since_created"];
            assert!(
                took.as_u64() > Some(0) && names.iter().any(|name| same(s.auto.place(name), took)),
                "{took}"
            );
        }),
        Row(83, CODEX, "summary.iterations", |s| {
            assert_eq!(s.auto.at("/skill_state/summary/iterations"), s.auto.at("/current_iteration"));
        }),
        Row(84, CODEX, "summary.develop", |s| {
            assert_eq!(s.auto.at("/skill_state/summary/develop/total_tasks"), 2);
            assert!(s.auto.detail("/summary").to_string().contains("summary.develop.total_tasks"));
        }),
        Row(85, CODEX, "summary.debug", |s| {
            assert_eq!(s.auto.at("/skill_state/summary/debug/root_cause_found"), true);
            assert!(s.auto.detail("/summary").to_string().contains("summary.debug.root_cause_found"));
        }),
        Row(86, CODEX, "summary.validate", |s| {
            assert_eq!(s.auto.at("/skill_state/summary/validate/runs"), 2);
            assert!(s.auto.detail("/summary").to_string().contains("summary.validate.runs"));
        }),
        Row(87, BOTH, "initial state by the API", |s| {
            let keys: Vec<&str> = s.auto.states[0].as_object().unwrap().keys().map(String::as_str).collect();
            let mut seed = API_FIELDS;
            seed.sort_unstable();
            assert_eq!(keys, seed);
        }),
        Row(88, BOTH, "state after INIT", |s| {
            let first = s.auto.states.iter().find(|state| state["skill_state"].is_object()).unwrap();
            let skill = &first["skill_state"];
            let seed = json!({
                "active_bug": null, "hypotheses_count": 0, "hypotheses": [], "confirmed_hypothesis": null, "iteration": 0,
                "last_analysis_at": null,
            });
            assert_eq!(skill["debug"], seed);
            let seed = json!({ "pass_rate": 0, "coverage": 0, "test_results": [], "passed": false, "failed_tests": [], "last_run_at": null });
            assert_eq!(skill["validate"], seed);
            assert_eq!(
                (&skill["current_action"], &skill["last_action"], &skill["errors"]),
                (&json!("init"), &Value::Null, &json!([]))
            );
            assert_eq!(
                (&skill["completed_actions"], &skill["develop"]["completed"]),
                (&json!([]), &json!(0))
            );
        }),
    ]
}
