//! JSON schemas of the answers, for programs that can enforce one. In the strict form that all of them
//! accept: every member required, no additional ones, optional ones nullable.

use super::AnswerKind;

/// The schema of an answer, one JSON object.
#[must_use]
pub fn schema(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Init => INIT,
        AnswerKind::Develop => DEVELOP,
        AnswerKind::Debug => DEBUG,
        AnswerKind::Worker => WORKER,
        AnswerKind::Atom => ATOM,
        AnswerKind::Judge => JUDGE,
        AnswerKind::Probe => PROBE,
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
        "required": ["id", "description", "priority", "files", "tool", "mode"],
        "properties": {
          "id": { "type": "string" },
          "description": { "type": "string" },
          "priority": { "type": "integer" },
          "files": { "type": "array", "items": { "type": "string" } },
          "tool": { "type": ["string", "null"] },
          "mode": { "type": ["string", "null"], "enum": ["write", "analysis", null] }
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
  "required": ["status", "summary", "files_changed", "completed_tasks", "suggestions", "issues_found", "findings", "hypotheses", "confirmed", "fixed", "lines_added", "lines_removed", "next_suggestion", "loop_back_to", "detailed_output", "needs"],
  "properties": {
    "status": { "type": "string", "enum": ["success", "failed", "needs_input"] },
    "summary": { "type": "string" },
    "files_changed": { "type": "array", "items": { "type": "string" } },
    "completed_tasks": { "type": "array", "items": { "type": "string" } },
    "suggestions": { "type": "array", "items": { "type": "string" } },
    "issues_found": { "type": "array", "items": { "type": "string" } },
    "findings": { "type": "array", "items": { "type": "string" } },
    "hypotheses": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "description", "confidence", "testable", "mechanism", "status", "evidence", "verdict_reason"],
        "properties": {
          "id": { "type": "string" },
          "description": { "type": "string" },
          "confidence": { "type": "string", "enum": ["high", "medium", "low"] },
          "testable": { "type": "string" },
          "mechanism": { "type": "string" },
          "status": { "type": "string", "enum": ["pending", "confirmed", "rejected", "inconclusive"] },
          "evidence": { "type": ["string", "null"] },
          "verdict_reason": { "type": ["string", "null"] }
        }
      }
    },
    "confirmed": { "type": ["string", "null"] },
    "fixed": { "type": ["boolean", "null"] },
    "lines_added": { "type": ["integer", "null"] },
    "lines_removed": { "type": ["integer", "null"] },
    "next_suggestion": { "type": ["string", "null"] },
    "loop_back_to": { "type": ["string", "null"] },
    "detailed_output": { "type": ["string", "null"] },
    "needs": { "type": ["string", "null"] }
  }
}"#;

const ATOM: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["status", "summary", "artifacts", "children", "reason", "needs"],
  "properties": {
    "status": { "type": "string", "enum": ["resolved", "failed", "decomposed", "needs_input"] },
    "summary": { "type": "string" },
    "artifacts": { "type": "array", "items": { "type": "string" } },
    "children": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "description", "depends_on"],
        "properties": {
          "id": { "type": ["string", "null"] },
          "description": { "type": "string" },
          "depends_on": { "type": "array", "items": { "type": "string" } }
        }
      }
    },
    "reason": { "type": ["string", "null"] },
    "needs": { "type": ["string", "null"] }
  }
}"#;

const PROBE: &str = r#"{
  "type": "object",
  "properties": { "feasible": { "type": "boolean" }, "reason": { "type": "string" } },
  "required": ["feasible", "reason"],
  "additionalProperties": false
}"#;

const JUDGE: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["scores"],
  "properties": {
    "scores": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["criterion", "score", "evidence"],
        "properties": {
          "criterion": { "type": "string" },
          "score": { "type": "number" },
          "evidence": { "type": "string" }
        }
      }
    }
  }
}"#;
