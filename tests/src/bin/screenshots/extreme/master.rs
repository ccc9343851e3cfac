//! A Loop v2 in which every list and every text is long.

use super::texts::{WORD, one_of, path, text, time};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

const HYPOTHESES: usize = 60;
const TASKS: usize = 300;
const EVENTS: usize = 5_000;

fn value(id: &str, status: &str) -> Value {
    let tags: Vec<String> =
        (0..40).map(|n| if n % 9 == 4 { WORD[..60].to_owned() } else { format!("label-{n}") }).collect();
    json!({
        "loop_id": id, "title": format!("{WORD} {}", text(0)), "description": format!("{}\n\n{}\n\n{}", text(0), WORD.repeat(3), text(3)),
        "max_iterations": 100, "status": status, "current_iteration": 97,
        "created_at": time(0), "updated_at": time(9_000), "tags": tags, "priority": "high",
        "notes": (0..12).map(text).collect::<Vec<_>>().join("\n\n"),
        "skill_state": {
            "current_action": "debug", "last_action": "DEBUG",
            "completed_actions": (0..400).map(|n| one_of(&["DEVELOP", "DEBUG", "VALIDATE"], n)).collect::<Vec<_>>(),
            "mode": "auto",
            "develop": { "total": TASKS, "completed": TASKS / 2, "current_task": "task-151", "tasks": (0..TASKS).map(task).collect::<Vec<_>>(),
                "last_progress_at": time(8_000) },
            "debug": { "active_bug": format!("{WORD} {}", text(0)), "hypotheses_count": HYPOTHESES, "confirmed_hypothesis": "H8",
                "hypotheses": (1..=HYPOTHESES).map(hypothesis).collect::<Vec<_>>(), "iteration": 30, "last_analysis_at": time(8_500) },
            "validate": { "pass_rate": 99.4, "coverage": 71.24, "passed": false,
                "failed_tests": (0..80).map(|n| format!("{}::{n}", text(n))).collect::<Vec<_>>(), "last_run_at": time(8_900),
                "test_results": (0..60).map(run).collect::<Vec<_>>() },
            "errors": (0..200).map(|n| json!({ "action": one_of(&["VALIDATE", "DEBUG", WORD], n), "message": text(n), "timestamp": time(n * 40) }))
                .collect::<Vec<_>>()
        }
    })
}

fn task(n: usize) -> Value {
    let done = n < TASKS / 2;
    json!({
        "id": format!("task-{n:03}"), "description": text(n), "tool": one_of(&["codex", "claude", "gemini", "a-tool-with-a-very-long-name"], n),
        "mode": one_of(&["write", "analysis", "review"], n),
        "status": if done { "completed" } else { one_of(&["pending", "in_progress", "failed", "waiting for the moon"], n) },
        "priority": n % 9, "files": [path(n)], "created_at": time(n),
        "completed_at": if done { Value::from(time(n * 20)) } else { Value::Null },
        "files_changed": (0..n % 30).map(path).collect::<Vec<_>>(),
    })
}

fn hypothesis(n: usize) -> Value {
    let entry = |k: usize| {
        json!({ "hid": format!("H{n}"), "ts": 1_795_140_252_204_u64 + k as u64 * 977, "func": WORD,
                "data": { "instance": "a", "key": text(k), "deep": { "deeper": { "deepest": [1, 2, { WORD: text(k + 1) }] } } } })
    };
    let status = if n == 8 {
        "confirmed"
    } else {
        one_of(&["pending", "rejected", "inconclusive", "pending", "weird"], n)
    };
    json!({
        "id": format!("H{n}"), "description": text(n), "testable_condition": text(n + 1), "logging_point": format!("{}:check:64", path(n)),
        "evidence_criteria": { "confirm": text(n + 2), "reject": text(n + 3) }, "likelihood": n % 12 + 1, "status": status,
        "evidence": (0..n % 40).map(entry).collect::<Vec<_>>(),
        "verdict_reason": if status == "pending" { Value::Null } else { text(n + 4).into() },
    })
}

fn run(n: usize) -> Value {
    let failed = (n * 7) % 40;
    json!({ "iteration": n + 1, "timestamp": time(n * 140), "tests": [],
        "summary": { "total": 12_000, "passed": 12_000 - failed, "failed": failed, "skipped": 0,
            "pass_rate": format!("{:.1}", 100.0 - failed as f64 / 120.0), "duration_ms": 481_000 + n * 900 },
        "coverage": { "statements": 40 + n % 40, "branches": 30 + n % 50, "functions": 60, "lines": 50 } })
}

/// The state file of loop `id`, as text.
pub(crate) fn state(id: &str, status: &str) -> String {
    serde_json::to_string_pretty(&value(id, status)).expect("plain values")
}

/// The files next to it: a task list, a document of a megabyte, logs with thousands of lines, coverage of
/// many files.
pub(crate) fn write_companion(root: &Path, id: &str) -> io::Result<()> {
    let progress = root.join(format!("{id}.progress"));
    fs::create_dir_all(&progress)?;
    fs::write(root.join(format!("{id}.tasks.jsonl")), task_list())?;
    fs::write(progress.join("develop.md"), develop())?;
    fs::write(progress.join("debug.md"), debug())?;
    fs::write(
        progress.join("validate.md"),
        format!("# Validation Report\n\n{}\n\n> {}\n", text(0), WORD.repeat(4)),
    )?;
    fs::write(progress.join("changes.log"), changes())?;
    fs::write(progress.join("debug.log"), log())?;
    fs::write(progress.join("coverage.json"), coverage().to_string())
}

fn task_list() -> String {
    let line = |n: usize| {
        json!({ "task_id": format!("task-1795137500043-{n:08x}"), "description": text(n), "tool": "codex", "mode": "write",
                "prompt_template": text(n + 1), "order": n, "created_at": time(n), "updated_at": time(n),
                "command": format!("tools/run.sh --{WORD} {n}"), "on_error": "pause" })
            .to_string()
    };
    (0..200).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn develop() -> String {
    let mut text_out =
        String::from("# Development Progress\n\n**Task**: everything\n\n---\n\n## Progress Timeline\n");
    let mut n = 0;
    while text_out.len() < 1 << 20 {
        let _ = write!(
            text_out,
            "\n### Iteration {} - {} ({})\n\n#### Task Details\n\n- **ID**: task-{n:03}\n- **Tool**: codex\n\n{}\n\n| File | What | {WORD} |\n|---|---|---|\n| `{}` | {} | 1 |\n\n```rust\nfn {}() {{ /* {} */ }}\n```\n\n1. one\n   1. two\n      1. three\n\n---\n",
            n + 1,
            text(n).replace('\n', " "),
            time(n * 9),
            text(n + 1),
            path(n),
            text(n + 2),
            &WORD[..40],
            text(n).repeat(3)
        );
        n += 1;
    }
    text_out
}

fn debug() -> String {
    let mut text_out = String::from("# Understanding Document\n\n## Exploration Timeline\n");
    for n in 1..=30 {
        let _ = write!(
            text_out,
            "\n### Iteration {n} - {} ({})\n\n#### Current Understanding\n\n{}\n",
            text(n),
            time(n * 200),
            text(n + 1)
        );
    }
    text_out + "\n## Current Consolidated Understanding\n\n" + &text(0).repeat(6) + "\n"
}

fn changes() -> String {
    let line = |n: usize| {
        json!({ "timestamp": time(n * 3), "task_id": format!("task-{:03}", n % TASKS), "description": text(n),
                "files_changed": (0..n % 12).map(path).collect::<Vec<_>>(), "result": "success" })
        .to_string()
    };
    (0..EVENTS).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn log() -> String {
    let line = |n: usize| {
        json!({ "hid": format!("H{}", n % HYPOTHESES), "ts": 1_795_140_252_204_u64 + n as u64 * 313, "func": "check", "data": { "n": n, "text": text(n) } })
            .to_string()
    };
    (0..3_000).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn coverage() -> Value {
    let file = |n: usize| json!({ "path": path(n), "statements": n % 101, "branches": (n * 7) % 101, "functions": 100, "lines": 12.345 });
    json!({ "files": (0..1_200).map(file).collect::<Vec<_>>(), "overall": { "statements": 50.0, "branches": 50.0, "functions": 100, "lines": 12.345 } })
}
