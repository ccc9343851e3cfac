//! Rows 136 to 197: Loop-B, its master, its workers, its progress files and its parallel results (seed 003).

use crate::seed_rows::Row;
use crate::seed_rows::loop_v2::{is_iso, shown, timed};
use crate::seed_rows::stage::{Stage, with};
use crate::seed_rows::told::{Told, same, worked_on};
use loopdeck_core::control::Verb;
use loopdeck_core::status::StatusWord;
use loopdeck_tests::live::Live;
use serde_json::{Value, json};

const SEED: &str = "003";
const ID: &str = "loop-b-20260122T100000-k3v9x2ab";

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(is_iso)
}

/// The output of a worker, from the file.
fn output(told: &Told, worker: &str) -> Value {
    serde_json::from_str(told.file(&format!("workers/{worker}.output.json"))).unwrap()
}

/// What the page shows of a worker.
fn lane<'t>(told: &'t Told, worker: &str) -> &'t Value {
    let lanes = told.detail("/workers").as_array().unwrap();
    lanes.iter().find(|lane| lane["action"] == worker).unwrap_or_else(|| panic!("no lane of {worker}"))
}

fn both(told: &Told, worker: &str, field: &str, is: fn(&Value) -> bool) {
    let value = output(told, worker)[field].clone();
    assert!(is(&value), "{worker}.{field}: {value}");
    let under = if field == "timestamp" { "time" } else { field };
    let shown = &lane(told, worker)[under];
    assert!(same(shown, &value), "{worker}.{field}: {value}, and its lane has {shown}");
}

/// Some version was in this phase, and the page knows that it was reached.
fn phase(told: &Told, word: &str) {
    assert!(told.was("/skill_state/phase", &json!(word)), "never in {word}");
}

/// Some version went from one phase to the other.
fn went(told: &Told, from: &str, to: &str) {
    let at = |state: &Value| {
        state.pointer("/skill_state/phase").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let found = told.states.windows(2).any(|pair| at(&pair[0]) == from && at(&pair[1]) == to);
    let way: Vec<String> = told.states.iter().map(at).collect();
    assert!(found, "never from {from} to {to}: {way:?}");
}

fn master(status: &str, mode: &str) -> Live {
    let text = json!({
        "loop_id": ID, "title": "T", "description": "D", "mode": mode, "status": status, "current_iteration": 3,
        "max_iterations": 10, "created_at": "2026-01-22T10:00:00.000Z", "updated_at": "2026-01-22T10:30:00.000Z",
        "skill_state": { "phase": "develop", "action_index": 2, "workers_completed": ["init", "develop"],
            "parallel_results": null, "pending_tasks": [], "completed_tasks": [], "findings": [] },
    });
    with(&format!("{ID}.json"), &text.to_string())
}

fn word(live: &Live) -> StatusWord {
    live.row(&format!("{ID}.json")).unwrap().word
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = core_fields();
    rows.extend(skill_fields());
    rows.extend(worker_fields());
    rows.extend(files());
    rows.extend(progress_texts());
    rows.extend(transitions());
    rows.extend(parallel());
    rows
}

fn core_fields() -> Vec<Row> {
    vec![
        Row(136, SEED, "loop_id", |s| shown(&s.b_auto, "/loop_id", "loop_id", is_text)),
        Row(137, SEED, "title, at most 100 characters", |s| {
            shown(&s.b_auto, "/title", "/row/title", is_text);
            assert!(s.b_auto.at("/title").as_str().unwrap().chars().count() <= 100);
        }),
        Row(138, SEED, "description", |s| shown(&s.b_auto, "/description", "description", is_text)),
        Row(139, SEED, "mode interactive", |s| {
            shown(&s.b_menu, "/mode", "mode", |mode| mode == "interactive");
        }),
        Row(140, SEED, "mode auto", |s| shown(&s.b_auto, "/mode", "mode", |mode| mode == "auto")),
        Row(141, SEED, "mode parallel", |s| shown(&s.b_parallel, "/mode", "mode", |mode| mode == "parallel")),
        Row(142, SEED, "status running", |s| assert!(s.b_auto.was("/status", &json!("running")))),
        Row(143, SEED, "status completed", |s| {
            assert_eq!(s.b_auto.at("/status"), "completed");
            assert_eq!(s.b_auto.page["row"]["word"], "completed");
        }),
        Row(144, SEED, "current_iteration", |s| {
            shown(&s.b_auto, "/current_iteration", "/row/iteration/current", Value::is_u64);
        }),
        Row(145, SEED, "max_iterations", |s| {
            shown(&s.b_auto, "/max_iterations", "/row/iteration/limit", Value::is_u64);
        }),
        Row(146, SEED, "created_at", |s| timed(&s.b_auto, "/created_at", "created_at")),
        Row(147, SEED, "updated_at", |s| timed(&s.b_auto, "/updated_at", "updated_at")),
        Row(148, SEED, "status paused; refused while workers run in parallel †", |_| {
            assert_eq!(word(&master("paused", "auto")), StatusWord::Paused);
            let live = master("running", "auto");
            live.act(&format!("{ID}.json"), Verb::Pause).unwrap();
            // The CCW contract §8: in parallel mode the status is not checked, so Stop is offered and Pause
            // is not.
            let live = master("running", "parallel");
            let refused = live.act(&format!("{ID}.json"), Verb::Pause).unwrap_err();
            assert_eq!(serde_json::to_value(refused.refusal.unwrap().code).unwrap(), "parallel_cannot_pause");
        }),
        Row(149, SEED, "status failed", |s| {
            assert_eq!(word(&master("failed", "auto")), StatusWord::Failed);
            assert_eq!(
                (s.b_failed.at("/status"), s.b_failed.place("/row/word")),
                (&json!("failed"), &json!("failed"))
            );
            let reason = "The develop worker failed and no task was completed: The compiler was missing";
            shown(&s.b_failed, "/failure_reason", "/row/reason", is_text);
            assert_eq!(s.b_failed.at("/failure_reason"), reason);
        }),
    ]
}

fn skill_fields() -> Vec<Row> {
    vec![
        Row(150, SEED, "phase develop", |s| phase(&s.b_auto, "develop")),
        Row(151, SEED, "phase debug", |s| phase(&s.b_auto, "debug")),
        Row(152, SEED, "phase validate", |s| phase(&s.b_auto, "validate")),
        Row(153, SEED, "phase complete", |s| assert_eq!(s.b_auto.at("/skill_state/phase"), "complete")),
        Row(154, SEED, "action_index", |s| {
            shown(&s.b_auto, "/skill_state/action_index", "action_index", Value::is_u64);
        }),
        Row(155, SEED, "workers_completed", |s| {
            let done = s.b_auto.at("/skill_state/workers_completed").as_array().unwrap();
            for worker in ["init", "develop", "debug", "validate", "complete"] {
                assert!(done.contains(&json!(worker)), "{worker}: {done:?}");
            }
        }),
        Row(156, SEED, "pending_tasks", |s| {
            let held = |state: &Value| state.pointer("/skill_state/pending_tasks/0/id") == Some(&json!("T1"));
            assert!(s.b_auto.states.iter().any(held));
            assert_eq!(s.b_auto.at("/skill_state/pending_tasks"), &json!([]));
        }),
        Row(157, SEED, "completed_tasks", |s| {
            assert_eq!(s.b_auto.at("/skill_state/completed_tasks/0/id"), "T1");
            assert_eq!(s.b_auto.detail("/tasks/0/id"), "T1");
        }),
        Row(158, SEED, "findings", |s| {
            let findings = s.b_auto.at("/skill_state/findings").to_string();
            assert!(
                findings.contains("Rounding is done in two places")
                    && findings.contains("The half is too small"),
                "{findings}"
            );
            assert!(s.b_auto.detail("/findings").to_string().contains("The half is too small"));
        }),
    ]
}

fn worker_fields() -> Vec<Row> {
    vec![
        Row(159, SEED, "worker output.action", |s| {
            both(&s.b_auto, "develop", "action", |action| action == "develop");
        }),
        Row(160, SEED, "worker output.status", |s| {
            both(&s.b_auto, "develop", "status", |status| status == "success");
        }),
        Row(161, SEED, "worker output.summary", |s| both(&s.b_auto, "develop", "summary", is_text)),
        Row(162, SEED, "worker output.files_changed", |s| {
            assert_eq!(worked_on(&output(&s.b_auto, "develop")["files_changed"]), ["src/cart.txt"]);
            assert_eq!(worked_on(&lane(&s.b_auto, "develop")["files_changed"]), ["src/cart.txt"]);
        }),
        Row(163, SEED, "worker output.next_suggestion", |s| {
            both(&s.b_auto, "develop", "next_suggestion", |next| next == "validate");
        }),
        Row(164, SEED, "worker output.loop_back_to", |s| {
            assert!(output(&s.b_auto, "develop").as_object().unwrap().contains_key("loop_back_to"));
        }),
        Row(165, SEED, "worker output.timestamp", |s| both(&s.b_auto, "develop", "timestamp", is_time)),
        Row(166, SEED, "next_suggestion drives the next phase", |s| {
            // develop suggests validate; debug would otherwise come first.
            went(&s.b_auto, "develop", "validate");
        }),
        Row(167, SEED, "worker detailed_output.tasks_completed[]", |s| {
            let tasks = output(&s.b_auto, "develop")["detailed_output"]["tasks_completed"].clone();
            assert_eq!(tasks, json!([{ "id": "T1", "description": "Write the rounding" }]));
            assert!(lane(&s.b_auto, "develop").to_string().contains("Write the rounding"));
        }),
        Row(168, SEED, "worker detailed_output.metrics", |s| {
            let metrics = output(&s.b_auto, "develop")["detailed_output"]["metrics"].clone();
            assert!(metrics["lines_added"].is_u64() && metrics["lines_removed"].is_u64(), "{metrics}");
            assert!(lane(&s.b_auto, "develop").to_string().contains("lines_added"));
        }),
    ]
}

fn files() -> Vec<Row> {
    vec![
        Row(169, SEED, "file workers/init.output.json", |s| {
            assert_eq!(output(&s.b_auto, "init")["action"], "init");
        }),
        Row(170, SEED, "file workers/develop.output.json", |s| {
            assert_eq!(output(&s.b_auto, "develop")["action"], "develop");
        }),
        Row(171, SEED, "file workers/debug.output.json", |s| {
            assert_eq!(output(&s.b_auto, "debug")["action"], "debug");
        }),
        Row(172, SEED, "file workers/validate.output.json", |s| {
            assert_eq!(output(&s.b_auto, "validate")["action"], "validate");
        }),
        Row(173, SEED, "its own validate.output.json is read back", |s| {
            assert_eq!(s.b_auto.detail("/validation/coverage").as_f64(), Some(75.0));
            assert!(!s.b_auto.tests.as_array().unwrap().is_empty(), "{}", s.b_auto.tests);
            let failed = |told: &Told| told.file("workers/validate.output.json").contains("failed_tests");
            assert!(failed(&s.b_auto));
        }),
        Row(174, SEED, "file workers/complete.output.json", |s| {
            let complete = output(&s.b_auto, "complete");
            assert_eq!((&complete["action"], &complete["status"]), (&json!("complete"), &json!("success")));
        }),
    ]
}

fn progress_texts() -> Vec<Row> {
    vec![
        Row(175, SEED, "file progress/develop.md", |s| {
            let text = s.b_auto.file("progress/develop.md");
            assert!(text.contains("T1") && text.contains("src/cart.txt"), "{text}");
        }),
        Row(199, SEED, "a develop worker that fails leaves its entry in progress/develop.md", |s| {
            let text = s.b_failed.file("progress/develop.md");
            let entry = text.split("## Progress Timeline").nth(1).unwrap();
            for said in [
                "**Task**: Write the rounding",
                "**Task ID**: T1",
                "The compiler was missing",
                "**Status**: Failed",
            ] {
                assert!(entry.contains(said), "{said}: {text}");
            }
            assert_eq!(s.b_failed.at("/skill_state/completed_tasks"), &json!([]), "it is still to do");
        }),
        Row(176, SEED, "file progress/debug.md", |s| {
            assert!(s.b_auto.file("progress/debug.md").contains("H1"));
        }),
        Row(177, SEED, "file progress/validate.md", |s| {
            let text = s.b_auto.file("progress/validate.md");
            assert!(text.contains("75"), "{text}");
        }),
        Row(178, SEED, "file progress/summary.md", |s| {
            let text = s.b_auto.file("progress/summary.md");
            assert!(text.contains("# CCW Loop-B Session Summary") && !text.contains("N/A%"), "{text}");
        }),
        Row(179, SEED, "develop.md in the seed's own headings", |_| {
            let live = master("paused", "auto");
            let folder = live.path(&format!("{ID}.progress"));
            std::fs::create_dir_all(&folder).unwrap();
            let text = format!(
                "# Develop Progress\n\n## Session: {ID}\n\n### Iteration 1 (2026-01-22 10:15)\n\n**Task**: Implement auth module\n\n**Changes**:\n- Created `src/auth.ts` with login/logout functions\n\n**Status**: Success\n\n---\n"
            );
            std::fs::write(folder.join("develop.md"), text).unwrap();
            live.runtime.rescan().unwrap();
            let events = serde_json::to_value(live.detail(&format!("{ID}.json")).events).unwrap().to_string();
            assert!(events.contains("Implement auth module"), "{events}");
        }),
    ]
}

fn transitions() -> Vec<Row> {
    vec![
        Row(180, SEED, "transition init to develop", |s| went(&s.b_auto, "init", "develop")),
        Row(181, SEED, "transition develop to debug", |_| follows("develop", "debug")),
        Row(182, SEED, "transition develop to validate", |s| went(&s.b_auto, "develop", "validate")),
        Row(183, SEED, "transition validate to debug", |s| went(&s.b_auto, "validate", "debug")),
        Row(184, SEED, "transition: needs fix, to develop", |_| {
            follows("debug", "develop");
            follows("validate", "develop");
        }),
        Row(185, SEED, "transition: no fix, to complete", |s| went(&s.b_auto, "validate", "complete")),
        Row(186, SEED, "debug leads to the fork: a fix is validated before the end †", |s| {
            // Real tests decide whether a fix is needed, so a repaired cause is validated once more.
            went(&s.b_auto, "debug", "validate");
            follows("debug", "complete");
        }),
    ]
}

/// A person, or a driver, may go from one phase to the other.
fn follows(from: &str, to: &str) {
    let live = master("running", "auto");
    let name = format!("{ID}.json");
    let text = live.read(&name).replace("\"phase\":\"develop\"", &format!("\"phase\":\"{from}\""));
    live.replace(&name, text);
    live.age(&name);
    live.runtime.rescan().unwrap();
    let enter = json!({ "kind": "operate", "operation": { "format": "loop_b", "step": { "op": "enter", "phase": to } } });
    let done = live.change(&name, serde_json::from_value(enter).unwrap());
    assert_eq!(done, Ok(()), "{from} to {to}");
}

fn parallel() -> Vec<Row> {
    fn result(s: &Stage, pointer: &str) -> Value {
        s.b_parallel.at(&format!("/skill_state/parallel_results/{pointer}")).clone()
    }
    vec![
        Row(187, SEED, "parallel_results.develop: status, summary", |s| {
            assert_eq!(
                (result(s, "develop/status"), result(s, "develop/summary")),
                (json!("success"), json!("Did develop"))
            );
        }),
        Row(188, SEED, "parallel_results.debug: status, summary", |s| {
            assert_eq!(
                (result(s, "debug/status"), result(s, "debug/summary")),
                (json!("success"), json!("Did debug"))
            );
        }),
        Row(189, SEED, "parallel_results.validate: status, summary", |s| {
            assert!(is_text(&result(s, "validate/status")) && is_text(&result(s, "validate/summary")));
        }),
        Row(190, SEED, "parallel_results.merged_at", |s| {
            timed(&s.b_parallel, "/skill_state/parallel_results/merged_at", "/detail/merged_at");
        }),
        Row(191, SEED, "parallel_results.develop.suggestions", |s| {
            assert_eq!(result(s, "develop/suggestions"), json!(["Round in one place"]));
            assert!(s.b_parallel.shows(&json!("Round in one place")));
        }),
        Row(192, SEED, "parallel_results.debug.suggestions", |s| {
            assert_eq!(result(s, "debug/suggestions"), json!(["Test negative amounts"]));
            assert!(s.b_parallel.shows(&json!("Test negative amounts")));
        }),
        Row(193, SEED, "parallel_results.debug.issues_found", |s| {
            assert_eq!(result(s, "debug/issues_found"), json!(["discounted adds 5 instead of 50"]));
            assert!(s.b_parallel.shows(&json!("discounted adds 5 instead of 50")));
        }),
        Row(194, SEED, "parallel_results.validate.test_results", |s| {
            let results = result(s, "validate/test_results");
            assert!(results.is_object() && results.to_string().contains("3"), "{results}");
        }),
        Row(195, SEED, "parallel_results.validate.coverage", |s| {
            assert!(result(s, "validate/coverage").is_object());
        }),
        Row(196, SEED, "true UTC times later than updated_at stay as written", true_times_stay_as_written),
        Row(197, SEED, "hypotheses of the debug worker", |s| {
            assert_eq!(s.b_auto.detail("/debug/hypotheses/0/id"), "H1");
            assert_eq!(s.b_auto.detail("/debug/hypotheses/0/verdict"), "confirmed");
        }),
    ]
}

fn true_times_stay_as_written(_: &Stage) {
    let live = master("paused", "parallel");
    let name = format!("{ID}.json");
    let text = live.read(&name).replace(
        "\"parallel_results\":null",
        "\"parallel_results\":{\"merged_at\":\"2026-01-22T10:45:00.000Z\"}",
    );
    live.replace(&name, text);
    live.runtime.rescan().unwrap();
    let detail = live.detail(&name);
    assert!(!detail.times_shifted);
    assert_eq!(detail.merged_at.and_then(|time| time.ms), Some(1_769_078_700_000.0));
}
