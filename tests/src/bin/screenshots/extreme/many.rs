//! Ten thousand loops of all statuses.

use super::texts::{self, one_of};
use serde_json::json;
use std::fs;
use std::io;
use std::path::Path;

const STATUS: [&str; 8] =
    ["completed", "failed", "paused", "created", "running", "user_exit", "completed", "waiting for the moon"];

pub(crate) fn write(root: &Path, count: usize) -> io::Result<()> {
    for n in 0..count {
        let id = format!("loop-v2-20261119T{:02}{:02}00-{n:08x}", n / 60 % 24, n % 60);
        let title = if n % 11 == 3 {
            texts::text(n).to_owned()
        } else {
            format!("Move form {n} to the shared validation")
        };
        let master = json!({
            "loop_id": id, "title": title, "description": "", "max_iterations": 10 + n % 90, "status": STATUS[n % STATUS.len()],
            "current_iteration": n % 12, "created_at": texts::time(n), "updated_at": texts::time(n + 60),
            "skill_state": { "current_action": one_of(&["develop", "debug", "validate"], n), "last_action": null, "completed_actions": [],
                "mode": "auto", "develop": { "total": n % 40, "completed": n % 7, "tasks": [] } }
        });
        fs::write(root.join(format!("{id}.json")), master.to_string())?;
    }
    Ok(())
}
