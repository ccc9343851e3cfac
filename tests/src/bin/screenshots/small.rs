//! A workspace with almost nothing: loops that were only created, and loops with one of each thing.

use crate::parts;
use crate::walk::Visit;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::Path;

const ROOT: &str = ".workflow/.loop";
const CREATED: &str = "loop-v2-20261120T010000-5a000000";
const ONE: &str = "loop-v2-20261120T010000-5a000001";
const ONE_B: &str = "loop-b-20261120T010000-5a000002";

/// How many loops there are.
pub(crate) const LOOPS: usize = 4;

pub(crate) const VISITS: &[Visit] = &[
    ("created", CREATED, parts::every_part),
    ("loop-v2", ONE, parts::every_part),
    ("loop-b", ONE_B, parts::every_part),
    ("aot", "aot-loop-state", parts::every_part),
    ("dialogs", ONE, parts::dialogs),
];

/// Writes the loops below `workspace`.
pub(crate) fn fill(workspace: &Path) -> io::Result<()> {
    let root = workspace.join(ROOT);
    fs::create_dir_all(root.join(format!("{ONE}.progress")))?;
    fs::create_dir_all(workspace.join(".claude"))?;
    fs::write(root.join(format!("{CREATED}.json")), pretty(&created(CREATED, "created")))?;
    fs::write(root.join(format!("{ONE}.json")), pretty(&one()))?;
    fs::write(root.join(format!("{ONE}.progress/develop.md")), "# Development Progress\n\nOne line.\n")?;
    fs::write(root.join(format!("{ONE_B}.json")), pretty(&one_b()))?;
    fs::write(workspace.join(".claude/aot-loop-state.md"), AOT)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("plain values")
}

fn created(id: &str, status: &str) -> Value {
    json!({
        "loop_id": id, "title": "Fix the typo", "description": "", "max_iterations": 10, "status": status,
        "current_iteration": 0, "created_at": "2026-11-20T01:00:00.000Z", "updated_at": "2026-11-20T01:00:00.000Z"
    })
}

/// One task, one hypothesis, one test.
fn one() -> Value {
    let mut master = created(ONE, "paused");
    master["title"] = "One of each".into();
    master["current_iteration"] = 1.into();
    master["skill_state"] = json!({
        "current_action": "develop", "last_action": null, "completed_actions": ["INIT"], "mode": "interactive",
        "develop": { "total": 1, "completed": 0, "current_task": null, "tasks": [{
            "id": "task-001", "description": "Fix it", "tool": "codex", "mode": "write", "status": "pending",
            "files_changed": [], "created_at": "2026-11-20T01:02:00.000Z", "completed_at": null }] },
        "debug": { "active_bug": "typo", "hypotheses_count": 1, "confirmed_hypothesis": null, "iteration": 1, "hypotheses": [{
            "id": "H1", "description": "The word is wrong", "testable_condition": "read it", "logging_point": "a.rs:1",
            "evidence_criteria": { "confirm": "it is", "reject": "it is not" }, "likelihood": 1, "status": "pending",
            "evidence": null, "verdict_reason": null }] },
        "validate": { "pass_rate": 0, "coverage": 0, "passed": false, "failed_tests": ["spells"], "last_run_at": "2026-11-20T01:03:00.000Z",
            "test_results": [{ "iteration": 1, "timestamp": "2026-11-20T01:03:00.000Z",
                "summary": { "total": 1, "passed": 0, "failed": 1, "skipped": 0, "pass_rate": "0.0", "duration_ms": 3 },
                "tests": [{ "test_name": "spells", "suite": "", "status": "failed", "duration_ms": 3, "error_message": "no",
                    "stack_trace": null }] }] },
        "errors": []
    });
    master
}

fn one_b() -> Value {
    let mut master = created(ONE_B, "running");
    master["title"] = "One worker".into();
    master["current_iteration"] = 1.into();
    master["mode"] = "parallel".into();
    master["skill_state"] = json!({
        "phase": "init", "action_index": 0, "workers_completed": [], "pending_tasks": [], "completed_tasks": [], "findings": [],
        "parallel_results": { "init": { "action": "init", "status": "success", "summary": "Ready", "files_changed": [],
            "next_suggestion": "develop", "loop_back_to": null, "detailed_output": "" } }
    });
    master
}

const AOT: &str = "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: command\n    value: \"npm test\"\n  \
background_intent: \"Because\"\n  deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    \
max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n\ncontrol:\n  status: running\n  iteration: 1\n  \
stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\natoms:\n  \
- id: A1\n    description: \"Do it\"\n    status: pending\n    depends_on: []\n\ndecompositions: []\n\nor_groups: {}\n\n\
bindings: {}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n";
