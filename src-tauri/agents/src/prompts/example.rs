//! The end of a prompt: the JSON to return, with an example.

use super::{Action, PromptContext, WorkerKind};
use loopdeck_text::json_span::tree::quote;

/// The last line of every prompt.
pub(super) const END: &str = "The JSON object must be the last thing you write.\n";

pub(super) fn answer(action: &Action, context: &PromptContext) -> String {
    let (example, remarks) = match action {
        Action::Init => (INIT.to_owned(), init_remarks(&context.tools)),
        Action::Develop { task_id } => {
            (DEVELOP.replace("\"task-001\"", &quote(task_id)), DEVELOP_REMARKS.to_owned())
        }
        Action::Debug { .. } => (DEBUG.to_owned(), DEBUG_REMARKS.to_owned()),
        Action::Worker { worker: WorkerKind::Debug } => {
            (worker_debug(), [WORKER_DEBUG_REMARKS, WORKER_REMARKS].concat())
        }
        Action::Worker { worker: WorkerKind::Develop } => {
            let tasks = context.tasks.iter().find(|task| task.status == "pending");
            (WORKER.replace("\"T1\"", &quote(tasks.map_or("T1", |task| &task.id))), WORKER_REMARKS.to_owned())
        }
        Action::Atom { .. } => (ATOM.to_owned(), ATOM_REMARKS.to_owned()),
        Action::Judge { .. } => (judge(context), JUDGE_REMARKS.to_owned()),
        Action::Probe { .. } => (PROBE.to_owned(), PROBE_REMARKS.to_owned()),
        Action::Iterate { .. } => return String::new(),
    };
    format!(
        "\n## Your answer\nWhen you are done, give back one JSON object in this form:\n```json\n{example}\n```\n{remarks}{END}"
    )
}

const PROBE: &str = r#"{
  "feasible": false,
  "reason": "The library it relies on has no function for this."
}"#;

const PROBE_REMARKS: &str = "- feasible: true or false. reason: what you saw, in one or two sentences.\n";

const INIT: &str = r#"{
  "tasks": [
    { "id": "task-001", "description": "Add a login form; it posts to /login", "priority": 1, "files": ["src/login.ts"], "tool": null, "mode": "write" },
    { "id": "task-002", "description": "Cover the login form with unit tests", "priority": 2, "files": ["src/login.test.ts"], "tool": null, "mode": "write" }
  ],
  "needs": null
}"#;

fn init_remarks(tools: &[String]) -> String {
    let tool = match tools {
        [usual, _, ..] => format!(
            "- tool: null, or which agent is to do the task: {}. Without one {usual} does it.\n",
            tools.join(", ")
        ),
        _ => "- tool: null.\n".to_owned(),
    };
    format!(
        "- id: unique, one word. priority: 1 is first. files: planned files, relative to the folder.\n{tool}- mode: write, or analysis for a task that only looks and changes no file.\n- needs: null, or your question to the person.\n"
    )
}

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

const DEBUG_REMARKS: &str = "- status: pending, confirmed, rejected, inconclusive. likelihood: 1 is the most likely.\n- evidence: what you saw, as text or as JSON in a text; null for the newest entries of the debug log with this id.\n- confirmed: null, or the id of the root cause, which must have the status confirmed.\n- fixed: true only if you removed the cause in this run. needs: null, or your question to the person.\n";

const WORKER: &str = r#"{
  "status": "success",
  "summary": "Added the form and its tests.",
  "files_changed": ["src/login.ts"],
  "completed_tasks": ["T1"],
  "suggestions": ["Limit the number of tries"],
  "issues_found": [],
  "findings": ["Sessions are kept in Redis, not in the database"],
  "hypotheses": [],
  "confirmed": null,
  "fixed": null,
  "lines_added": 48,
  "lines_removed": 3,
  "next_suggestion": null,
  "loop_back_to": null,
  "detailed_output": "What was done, and what the next worker should know.",
  "needs": null
}"#;

const WORKER_HYPOTHESIS: &str = r#"[
    {
      "id": "H1",
      "description": "The session expires before the token is refreshed",
      "confidence": "high",
      "testable": "expires_at is before the first refresh",
      "mechanism": "The refresh runs after the first call",
      "status": "confirmed",
      "evidence": "expires_at=1000, now=1500",
      "verdict_reason": "The log shows an expired session at the first call"
    }
  ]"#;

/// The example for a debug worker: the same members.
fn worker_debug() -> String {
    let mut example = WORKER.to_owned();
    for (member, develop, debug) in [
        (
            "summary",
            r#""Added the form and its tests.""#,
            r#""The refresh ran too late; it now runs at start.""#,
        ),
        ("files_changed", r#"["src/login.ts"]"#, r#"["src/session.ts"]"#),
        ("completed_tasks", r#"["T1"]"#, "[]"),
        ("issues_found", "[]", r#"["The logout keeps the old token"]"#),
        ("hypotheses", "[]", WORKER_HYPOTHESIS),
        ("confirmed", "null", r#""H1""#),
        ("fixed", "null", "true"),
    ] {
        example = example.replace(&format!("\"{member}\": {develop}"), &format!("\"{member}\": {debug}"));
    }
    example
}

const WORKER_DEBUG_REMARKS: &str = "- hypotheses: confidence is high, medium or low; status is pending, confirmed, rejected or inconclusive.\n- confirmed: null, or the id of the root cause, which must have the status confirmed.\n- fixed: true only if you removed the cause in this run, false if it is still there.\n";

const WORKER_REMARKS: &str = "- status: success, failed (say why in summary), or needs_input.\n- completed_tasks: ids of tasks that are done. issues_found: what is wrong and you did not fix. suggestions: what else could be done. findings: what everyone who works on this should know.\n- next_suggestion: null for the usual order, or develop, debug, validate or complete. loop_back_to: null, or the action to go back to.\n- lines_added, lines_removed: null if you did not count them. files_changed: relative to the folder.\n- needs: null, or your question to the person.\n";

const ATOM: &str = r#"{
  "status": "resolved",
  "summary": "Added the login form and its handler; tokens come from src/token.ts.",
  "artifacts": ["src/login.ts", "src/login.test.ts"],
  "children": [],
  "reason": null,
  "needs": null
}"#;

const ATOM_REMARKS: &str = "- status: resolved (it is done), failed (it cannot be done this way; say why in reason), decomposed (it is to be done as the smaller atoms in children; say why in reason), or needs_input.\n- summary: what came out of it, for the agents that build on it, at most 1,000 characters. artifacts: files and globs, relative to the folder.\n- children: empty unless decomposed; then 1 to 20 like { \"id\": \"form\", \"description\": \"...\", \"depends_on\": [] }. depends_on names other children by id, or atoms of the loop.\n- needs: null, or your question to the person.\n";

/// One score for each criterion of the check.
fn judge(context: &PromptContext) -> String {
    let judged = context.atom.as_ref().and_then(|atom| atom.judged.as_ref());
    let names = judged.map(|judged| judged.criteria_names()).unwrap_or_default();
    let score = |name: &&str| {
        let name = quote(&super::parts::cut(name, 300));
        format!("    {{ \"criterion\": {name}, \"score\": 3.5, \"evidence\": \"What you saw, and where\" }}")
    };
    let scores: Vec<String> = names.iter().take(crate::answers::MOST_CRITERIA).map(score).collect();
    format!("{{\n  \"scores\": [\n{}\n  ]\n}}", scores.join(",\n"))
}

const JUDGE_REMARKS: &str = "- One entry for each criterion, with its name as given. score: a number from 1 to 5. evidence: must not be empty.\n";
