//! Workspaces for measuring: many loops with realistic sizes.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

const ROOT: &str = ".workflow/.loop";
/// Tasks and tests of a file of about 26 KB.
const LARGE: (usize, usize) = (20, 80);

/// Fills `workspace` with `count` Loop v2 files: every second one about 2 KB, the others about 26 KB.
pub(crate) fn fill(workspace: &Path, count: usize) -> io::Result<()> {
    fill_with(workspace, count, |n| if n.is_multiple_of(2) { (4, 0) } else { LARGE })
}

/// Fills `workspace` with `count` Loop v2 files of about 26 KB.
pub(crate) fn fill_large(workspace: &Path, count: usize) -> io::Result<()> {
    fill_with(workspace, count, |_| LARGE)
}

fn fill_with(workspace: &Path, count: usize, numbers: fn(usize) -> (usize, usize)) -> io::Result<()> {
    let root = workspace.join(ROOT);
    fs::create_dir_all(&root)?;
    for n in 0..count {
        let id = id(n);
        let (tasks, tests) = numbers(n);
        fs::write(root.join(format!("{id}.json")), state(&id, &format!("Loop number {n}"), tasks, tests))?;
    }
    Ok(())
}

/// Name of loop number `n`, without `.json`.
pub(crate) fn id(n: usize) -> String {
    format!("loop-v2-20261120T042421-{n:08x}")
}

/// Path of loop number `n` below its workspace.
pub(crate) fn file(n: usize) -> String {
    format!("{ROOT}/{}.json", id(n))
}

/// A state file with these numbers of develop tasks and of tests in two runs.
pub(crate) fn state(id: &str, title: &str, tasks: usize, tests: usize) -> String {
    let status = ["paused", "completed", "failed", "created", "running"][title.len() % 5];
    let task = |n: usize| {
        format!(
            r#"        {{ "id": "task-{n:03}", "description": "Move the validation of field {n} to the shared module", "tool": "codex", "mode": "write", "status": "{}", "files_changed": ["src/form/field{n}.ts"], "created_at": "2026-11-20T04:30:00.000Z", "completed_at": null }}"#,
            if n.is_multiple_of(3) { "pending" } else { "completed" }
        )
    };
    let test = |n: usize| {
        format!(
            r#"            {{ "test_name": "field_{n}_rejects_empty_values", "suite": "form::field{}", "status": "passed", "duration_ms": {n}, "error_message": null, "stack_trace": null }}"#,
            n % 7
        )
    };
    let join = |lines: Vec<String>| lines.join(",\n");
    let mut runs = String::new();
    for run in 1..=usize::from(tests > 0) * 2 {
        let comma = if run == 2 { ",\n" } else { "" };
        let _ = write!(
            runs,
            "{comma}        {{ \"iteration\": {run}, \"timestamp\": \"2026-11-20T05:00:00.000Z\", \"summary\": {{ \"total\": {tests}, \"passed\": {tests}, \"failed\": 0, \"skipped\": 0, \"pass_rate\": \"100.0\", \"duration_ms\": 900 }}, \"tests\": [\n{}\n        ], \"failures\": [], \"coverage\": null }}",
            join((0..tests / 2).map(test).collect())
        );
    }
    format!(
        r#"{{
  "loop_id": "{id}",
  "title": "{title}",
  "description": "Every form of the shop validates its fields in one place, with one set of messages.",
  "max_iterations": 10,
  "status": "{status}",
  "current_iteration": 3,
  "created_at": "2026-11-20T04:24:21.870Z",
  "updated_at": "2026-11-20T06:24:21.915Z",
  "skill_state": {{
    "current_action": "develop",
    "last_action": "DEVELOP",
    "completed_actions": ["DEVELOP"],
    "mode": "auto",
    "develop": {{
      "total": {tasks},
      "completed": {},
      "current_task": null,
      "tasks": [
{}
      ],
      "last_progress_at": null
    }},
    "debug": {{ "active_bug": null, "hypotheses_count": 0, "hypotheses": [], "confirmed_hypothesis": null, "iteration": 0, "last_analysis_at": null }},
    "validate": {{ "pass_rate": 100, "coverage": 0, "test_results": [
{runs}
      ], "passed": true, "failed_tests": [], "last_run_at": null }},
    "errors": []
  }}
}}"#,
        (0..tasks).filter(|n| !n.is_multiple_of(3)).count(),
        join((0..tasks).map(task).collect()),
    )
}
