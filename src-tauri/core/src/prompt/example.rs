//! The end of a prompt: the JSON to give back, with an example.

use super::Matter;
use crate::ccw::driver::Action;
use crate::json_span::tree::quote;

/// The last line of every prompt.
pub(super) const END: &str = "The JSON object must be the last thing you write.\n";

pub(super) fn answer(action: &Action, matter: &Matter) -> String {
    let (example, remarks) = match action {
        Action::Init => (INIT.to_owned(), INIT_REMARKS),
        Action::Develop { task_id } => (DEVELOP.replace("\"task-001\"", &quote(task_id)), DEVELOP_REMARKS),
        Action::Debug { .. } => (DEBUG.to_owned(), DEBUG_REMARKS),
        Action::Worker { .. } => {
            let tasks = matter.tasks.iter().find(|task| task.status == "pending");
            (WORKER.replace("\"T1\"", &quote(tasks.map_or("T1", |task| &task.id))), WORKER_REMARKS)
        }
    };
    format!(
        "\n## Your answer\nWhen you are done, give back one JSON object in this form:\n```json\n{example}\n```\n{remarks}{END}"
    )
}

const INIT: &str = r#"{
  "tasks": [
    { "id": "task-001", "description": "Add a login form; it posts to /login", "priority": 1, "files": ["src/login.ts"] },
    { "id": "task-002", "description": "Cover the login form with unit tests", "priority": 2, "files": ["src/login.test.ts"] }
  ],
  "needs": null
}"#;

const INIT_REMARKS: &str = "- id: unique, one word. priority: 1 is first. files: planned files, relative to the folder.\n- needs: null, or your question to the person.\n";

const DEVELOP: &str = r#"{
  "task_id": "task-001",
  "status": "completed",
  "summary": "Added the form and its submit handler.",
  "files_changed": ["src/login.ts"],
  "needs": null
}"#;

const DEVELOP_REMARKS: &str = "- status: completed, failed (say why in summary), or needs_input.\n- files_changed: relative to the folder. needs: null, or your question to the person.\n";

const DEBUG: &str = r#"{
  "hypotheses": [
    {
      "id": "H1",
      "description": "The session expires before the token is refreshed",
      "testable_condition": "expires_at lies before the refresh",
      "logging_point": "src/session.ts:refresh:42",
      "confirm": "expires_at < now at the first call",
      "reject": "expires_at > now at the first call",
      "likelihood": 1,
      "status": "confirmed",
      "evidence": "expires_at=1000, now=1500",
      "verdict_reason": "The log shows an expired session at the first call"
    }
  ],
  "understanding": "The refresh runs too late; it now runs at start.",
  "confirmed": "H1",
  "fixed": true,
  "files_changed": ["src/session.ts"],
  "needs": null
}"#;

const DEBUG_REMARKS: &str = "- status: pending, confirmed, rejected, inconclusive. likelihood: 1 is the most likely.\n- confirmed: null, or the id of the root cause, which must have the status confirmed.\n- fixed: true only if you removed the cause in this run. needs: null, or your question to the person.\n";

const WORKER: &str = r#"{
  "status": "success",
  "summary": "Added the form and its tests.",
  "files_changed": ["src/login.ts"],
  "completed_tasks": ["T1"],
  "next_suggestion": "validate",
  "loop_back_to": null,
  "detailed_output": "What was done, and what the next worker should know.",
  "needs": null
}"#;

const WORKER_REMARKS: &str = "- status: success, failed (say why in summary), or needs_input.\n- completed_tasks: ids of tasks that are done. next_suggestion and loop_back_to: null, develop, debug, validate or complete.\n- files_changed: relative to the folder. needs: null, or your question to the person.\n";
