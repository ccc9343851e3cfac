//! A Loop-B with fifty workers that conflict in fifty files.

use super::texts::{WORD, one_of, path, text, time};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::Path;

const WORKERS: usize = 50;
const CONFLICTS: usize = 50;

pub(crate) fn write(root: &Path, id: &str) -> io::Result<()> {
    let folder = root.join(format!("{id}.workers"));
    fs::create_dir_all(&folder)?;
    for n in 0..WORKERS {
        fs::write(folder.join(format!("{}.output.json", action(n))), output(n).to_string())?;
    }
    fs::write(
        root.join(format!("{id}.json")),
        serde_json::to_string_pretty(&master(id)).expect("plain values"),
    )
}

fn action(n: usize) -> String {
    match ["init", "develop", "debug", "validate", "complete"].get(n) {
        Some(action) => (*action).to_owned(),
        None if n.is_multiple_of(9) => format!("{}-{n}", &WORD[..70]),
        None => format!("develop-{n:02}"),
    }
}

fn output(n: usize) -> Value {
    json!({
        "action": action(n), "status": one_of(&["success", "needs_fix", "failed", "waiting for the moon"], n), "summary": text(n),
        "files_changed": (0..n % 40).map(path).collect::<Vec<_>>(), "next_suggestion": text(n + 1),
        "loop_back_to": if n.is_multiple_of(3) { text(n + 2) } else { "null" }, "detailed_output": format!("{}\n{}", text(n), WORD.repeat(8)).repeat(9),
        "timestamp": time(n * 11),
    })
}

fn master(id: &str) -> Value {
    let task = |n: usize| {
        json!({ "id": format!("T{n}"), "description": text(n), "priority": n % 5, "status": if n < 90 { "completed" } else { "pending" },
                "files": [path(n)] })
    };
    let conflict = |n: usize| {
        json!({ "file": path(n), "workers": (0..2 + n % 6).map(|k| action(n + k)).collect::<Vec<_>>(),
                "resolution": one_of(&["manual", "last writer", WORD], n) })
    };
    json!({
        "loop_id": id, "title": format!("Fifty workers on {WORD}"), "description": text(0), "mode": "parallel", "status": "running",
        "current_iteration": 38, "max_iterations": 40, "created_at": time(0), "updated_at": time(800),
        "skill_state": {
            "phase": "validate", "action_index": 3, "workers_completed": (0..WORKERS).map(action).collect::<Vec<_>>(),
            "parallel_results": { "conflicts": (0..CONFLICTS).map(conflict).collect::<Vec<_>>(), "merged_at": time(700) },
            "completed_tasks": (0..90).map(task).collect::<Vec<_>>(), "pending_tasks": (90..200).map(task).collect::<Vec<_>>(),
            "findings": (0..100).map(text).collect::<Vec<_>>(),
        }
    })
}
