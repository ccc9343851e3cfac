//! JSON schemas of the answers, for programs that can be held to one. In the strict form that all of them take: every
//! member required, nothing beside them, optional ones may be null.

use super::AnswerKind;

/// The schema of an answer, one JSON object.
#[must_use]
pub fn schema(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Init => INIT,
        AnswerKind::Develop => DEVELOP,
        AnswerKind::Debug => DEBUG,
        AnswerKind::Worker => WORKER,
    }
}

const INIT: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["tasks", "needs"],
  "properties": {
    "tasks": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "description", "priority", "files"],
        "properties": {
          "id": { "type": "string" },
          "description": { "type": "string" },
          "priority": { "type": "integer" },
          "files": { "type": "array", "items": { "type": "string" } }
        }
      }
    },
    "needs": { "type": ["string", "null"] }
  }
}"#;

const DEVELOP: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["task_id", "status", "summary", "files_changed", "needs"],
  "properties": {
    "task_id": { "type": "string" },
    "status": { "type": "string", "enum": ["completed", "failed", "needs_input"] },
    "summary": { "type": "string" },
    "files_changed": { "type": "array", "items": { "type": "string" } },
    "needs": { "type": ["string", "null"] }
  }
}"#;

const DEBUG: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["hypotheses", "understanding", "confirmed", "fixed", "files_changed", "needs"],
  "properties": {
    "hypotheses": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "description", "testable_condition", "logging_point", "confirm", "reject", "likelihood", "status", "evidence", "verdict_reason"],
        "properties": {
          "id": { "type": "string" },
          "description": { "type": "string" },
          "testable_condition": { "type": "string" },
          "logging_point": { "type": "string" },
          "confirm": { "type": "string" },
          "reject": { "type": "string" },
          "likelihood": { "type": "integer" },
          "status": { "type": "string", "enum": ["pending", "confirmed", "rejected", "inconclusive"] },
          "evidence": { "type": ["string", "null"] },
          "verdict_reason": { "type": ["string", "null"] }
        }
      }
    },
    "understanding": { "type": "string" },
    "confirmed": { "type": ["string", "null"] },
    "fixed": { "type": "boolean" },
    "files_changed": { "type": "array", "items": { "type": "string" } },
    "needs": { "type": ["string", "null"] }
  }
}"#;

const WORKER: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["status", "summary", "files_changed", "completed_tasks", "next_suggestion", "loop_back_to", "detailed_output", "needs"],
  "properties": {
    "status": { "type": "string", "enum": ["success", "failed", "needs_input"] },
    "summary": { "type": "string" },
    "files_changed": { "type": "array", "items": { "type": "string" } },
    "completed_tasks": { "type": "array", "items": { "type": "string" } },
    "next_suggestion": { "type": ["string", "null"] },
    "loop_back_to": { "type": ["string", "null"] },
    "detailed_output": { "type": ["string", "null"] },
    "needs": { "type": ["string", "null"] }
  }
}"#;
