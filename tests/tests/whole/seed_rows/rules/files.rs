//! Rows 108 to 118, 198 and 200: which files a loop has, and what is in them.

use super::{BOTH, ID};
use crate::seed_rows::Row;
use crate::seed_rows::stage::{Stage, with};
use crate::seed_rows::told::worked_on;
use loopdeck_tests::live::Live;
use serde_json::{Value, json};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = state_files();
    rows.extend(progress_texts());
    rows.extend(logs());
    rows
}

fn state_files() -> Vec<Row> {
    vec![
        Row(108, BOTH, "file {id}.json in .workflow/.loop", |s| {
            assert!(s.auto.page["row"]["file"].as_str().unwrap().starts_with(".workflow/.loop/"));
        }),
        Row(109, BOTH, "file {id}.json in .loop", |_| {
            let live = Live::with(|workspace| {
                std::fs::create_dir(workspace.join(".loop")).unwrap();
                let text = loopdeck_tests::live::loop_v2(ID, "paused");
                std::fs::write(workspace.join(".loop").join(format!("{ID}.json")), text).unwrap();
            });
            let row = &live.rows[&format!(".loop/{ID}.json")];
            live.runtime.act(&row.key, loopdeck_core::control::Verb::Stop, Default::default()).unwrap();
            let text =
                std::fs::read_to_string(live.workspace.join(".loop").join(format!("{ID}.json"))).unwrap();
            assert!(text.contains("\"status\": \"failed\""), "{text}");
        }),
        Row(110, BOTH, "file {id}.tasks.jsonl", |_| {
            let live = with(&format!("{ID}.json"), &loopdeck_tests::live::loop_v2(ID, "paused"));
            let line = "{\"task_id\":\"task-1\",\"description\":\"From the list\",\"tool\":\"codex\",\"mode\":\"write\",\"prompt_template\":\"\",\"order\":0,\"created_at\":\"2026-11-20T04:24:21.870Z\",\"updated_at\":\"2026-11-20T04:24:21.870Z\"}\n";
            live.write(&format!("{ID}.tasks.jsonl"), line);
            live.runtime.rescan().unwrap();
            let listed = live.detail(&format!("{ID}.json")).task_list;
            assert_eq!(listed[0].description, "From the list");
        }),
        Row(
            198,
            BOTH,
            "a task list stays where it is, and a new one begins where the seeds place it",
            a_task_list_stays_where_it_is,
        ),
        Row(115, BOTH, "file .workflow/.loop/{session}/state.json of a legacy session", |_| {
            let state = json!({ "session_id": "LOOP-x-2026-01-22", "task_description": "Old work", "status": "completed", "initialized": true, "iteration_count": 2 });
            let live = Live::with(|workspace| {
                let folder = workspace.join(".workflow/.loop/LOOP-x-2026-01-22");
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join("state.json"), state.to_string()).unwrap();
            });
            assert_eq!(live.rows.values().next().unwrap().title, "Old work");
        }),
    ]
}

fn a_task_list_stays_where_it_is(_: &Stage) {
    let live = with(&format!("{ID}.json"), &loopdeck_tests::live::loop_v2(ID, "paused"));
    let [seeds, server] = [format!("{ID}.tasks.jsonl"), format!("{ID}/tasks.jsonl")];
    let add = || {
        let task =
            json!({ "description": "Another", "tool": "codex", "mode": "write", "prompt_template": "" });
        let edit = json!({ "kind": "edit_tasks", "edit": { "edit": "add", "id": "task-2", "task": task } });
        live.change(&format!("{ID}.json"), serde_json::from_value(edit).unwrap()).unwrap();
    };
    add();
    assert!(live.read(&seeds).contains("Another") && !live.path(ID).exists());
    std::fs::remove_file(live.path(&seeds)).unwrap();
    // Upstream's server made its folder.
    std::fs::create_dir(live.path(ID)).unwrap();
    live.runtime.rescan().unwrap();
    add();
    assert!(live.read(&server).contains("Another") && !live.path(&seeds).exists());
    std::fs::rename(live.path(&server), live.path(&seeds)).unwrap();
    live.runtime.rescan().unwrap();
    let delete = json!({ "kind": "edit_tasks", "edit": { "edit": "delete", "id": "task-2" } });
    live.change(&format!("{ID}.json"), serde_json::from_value(delete).unwrap()).unwrap();
    assert!(live.path(&seeds).exists() && !live.path(&server).exists(), "nothing is moved");
}

fn progress_texts() -> Vec<Row> {
    vec![
        Row(111, BOTH, "file progress/develop.md", |s| {
            let text = s.auto.file("progress/develop.md");
            assert!(
                text.contains("# Development Progress")
                    && text.contains("Did task-001")
                    && text.contains("- `src/cart.txt`"),
                "{text}"
            );
        }),
        Row(112, BOTH, "file progress/debug.md", |s| {
            let text = s.auto.file("progress/debug.md");
            assert!(
                text.contains("**H1**: CONFIRMED") && text.contains("#### Root Cause Identified"),
                "{text}"
            );
        }),
        Row(
            200,
            BOTH,
            "the newest understanding of progress/debug.md is shown",
            the_newest_understanding_is_shown,
        ),
        Row(113, BOTH, "file progress/validate.md", |s| {
            let text = s.auto.file("progress/validate.md");
            assert!(
                text.contains("# Validation Report") && text.contains("**Overall Coverage**: 75"),
                "{text}"
            );
        }),
        Row(114, BOTH, "file progress/summary.md", |s| {
            let text = s.auto.file("progress/summary.md");
            assert!(text.contains("# CCW Loop Session Summary") && text.contains("**Duration**: "), "{text}");
        }),
    ]
}

fn the_newest_understanding_is_shown(s: &Stage) {
    let newest = |told: &Value| told["debug"]["understanding"].clone();
    assert_eq!(newest(&s.auto.page["detail"]), "The half that is added is too small.");
    let live = with(&format!("{ID}.json"), &loopdeck_tests::live::loop_v2(ID, "paused"));
    let progress = live.path(&format!("{ID}.progress"));
    std::fs::create_dir_all(&progress).unwrap();
    let first = "# Understanding Document\n\n## Exploration Timeline\n\n### Iteration 1 - Initial Exploration (2026-01-22T10:00:00Z)\n\n#### Hypotheses\n\n**H1**: x\n\n---\n\n## Current Consolidated Understanding\n\nIt is the cart\n\n";
    let second = "### Iteration 2 - Evidence Analysis (2026-01-22T11:00:00Z)\n\n#### Log Analysis Results\n\n**H1**: REJECTED\n\n#### Corrected Understanding\n\nIt is the till\n\n#### Next Steps\n\n- Test\n\n---\n";
    let third = "## Current Consolidated Understanding (Updated)\n\n### What We Know\n\nIt is the clock\n\n### Remaining Questions\n\nWhich one\n";
    for (text, understood) in [
        (first.to_owned(), "It is the cart"),
        (format!("{first}{second}"), "It is the till"),
        (
            format!("{first}{second}{third}"),
            "What We Know\nIt is the clock\n\nRemaining Questions\nWhich one",
        ),
    ] {
        std::fs::write(progress.join("debug.md"), &text).unwrap();
        live.runtime.rescan().unwrap();
        let detail = serde_json::to_value(live.detail(&format!("{ID}.json"))).unwrap();
        assert_eq!(newest(&detail), understood, "{text}");
    }
}

fn logs() -> Vec<Row> {
    vec![
        Row(116, BOTH, "file changes.log: one line for each change set", |s| {
            let lines: Vec<Value> = s
                .auto
                .file("progress/changes.log")
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let of = |line: &Value| (line["task_id"].clone(), line["result"].clone());
            let told: Vec<(Vec<&str>, (Value, Value))> =
                lines.iter().map(|line| (worked_on(&line["files_changed"]), of(line))).collect();
            let line =
                |files: &[&'static str], id: &str, result: &str| (files.to_vec(), (json!(id), json!(result)));
            let expected = [
                line(&["src/cart.txt"], "task-001", "success"),
                line(&["docs.txt"], "task-002", "success"),
                line(&["fixed"], "H1", "success"),
            ];
            assert_eq!(told, expected);
            let keys: Vec<&str> = lines[0].as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["description", "files_changed", "result", "task_id", "timestamp"]);
        }),
        Row(117, BOTH, "file debug.log: each line of the debug log", |s| {
            let text = s.auto.file("progress/debug.log");
            assert!(text.contains("\"hid\":\"H1\""), "{text}");
            assert_eq!(s.auto.detail("/debug/hypotheses/0/log_total"), 1);
            assert_eq!(s.auto.detail("/debug/log_foreign"), 1);
        }),
        Row(118, BOTH, "tasks.jsonl is a source of work", |s| {
            let ids: Vec<&str> = s
                .listed
                .at("/skill_state/develop/tasks")
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|task| task["id"].as_str())
                .collect();
            assert_eq!(ids, ["task-001", "task-002", "task-9"]);
            assert!(
                s.listed
                    .at("/skill_state/develop/tasks")
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|task| task["status"] == "completed")
            );
        }),
    ]
}
