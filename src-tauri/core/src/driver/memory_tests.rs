//! What older versions wrote down is read, and what is written now is what they would have written.

use super::*;
use crate::driver::{ActionError, Worked};
use crate::phase::CcwPhase;
use serde_json::Value;
use std::collections::BTreeSet;

/// As version 0.1.0 kept it for a Loop-B with every field filled: one flat object, and `aot` in it.
const OLD: &str = r#"{
  "policy": {"ask": true, "task_tries": 2, "answer_tries": 3, "debug_rounds": 3, "same_failures": 3, "tool": "codex",
    "mode": "interactive", "tools": ["bash"], "probes": "alternatives"},
  "question": {"code": "task_failed", "about": "task-001", "text": "why", "count": 2, "replies": ["text", "go_on"],
    "wrong": [], "lines": []},
  "notes": [{"about": "Which one?", "text": "The blue one"}],
  "summaries": [{"about": "task-001", "text": "Done"}],
  "failures": {"task-002": {"tries": 1, "why": "no"}},
  "left": ["task-003"],
  "unread": 1,
  "debug_rounds": 2,
  "fixed": false,
  "excused_runs": 4,
  "without_tests": true,
  "run_again": true,
  "without_tasks": true,
  "interrupted": true,
  "conversations": [{"action": "develop", "task": "task-001", "agent": "codex", "id": "c1", "cut": "crash", "crashes": 1}],
  "used_up": "money",
  "waiting": {"until": 1795148661870, "run": "r1", "said": "later"},
  "waits": 1,
  "keeps_going": true,
  "worker": {"action": "develop", "next": "debug"},
  "failing": [{"name": "refund", "suite": "shop", "message": "boom"}],
  "passed": true,
  "issues": ["leak"],
  "hypotheses": [],
  "same_failures": 5,
  "chosen": "debug",
  "instead": ["gemini"],
  "without_look_only": true,
  "debug_log": "loop.progress/debug.log",
  "touched": {"about": "debug", "files": ["a.rs"], "unknown": true},
  "untested": true,
  "instrumented": ["a.rs"],
  "told_instrumented": ["b.rs"],
  "errors": [{"action": "DEBUG", "message": "late", "at": 1795148661870}],
  "worked_ms": 12.5,
  "aot": {"done": 3, "verification": null, "verified": "x", "cut_off": ["A1"], "unread": {"A2": 1},
    "agreed_commands": "p", "conflicts": [], "probed": ["A3"]}
}"#;

fn read(text: &str) -> Memory {
    serde_json::from_str(text).expect("a record of an older version")
}

#[test]
fn a_record_of_an_older_version_is_read_whole_and_written_as_it_was() {
    let memory = read(OLD);
    assert_eq!((memory.v2.debug_rounds, memory.v2.fixed, memory.v2.excused_runs), (2, Some(false), 4));
    assert_eq!(
        memory.v2.errors,
        [ActionError {
            action: "DEBUG".into(),
            message: "late".into(),
            at: Timestamp::from_millis(1_795_148_661_870)
        }]
    );
    assert_eq!(memory.v2.instrumented, BTreeSet::from(["a.rs".to_owned()]));
    assert_eq!(memory.b.worker, Some(WorkerEnd::after(CcwPhase::Develop, CcwPhase::Debug)));
    assert_eq!((memory.b.passed, memory.b.same_failures, memory.b.issues.len()), (true, 5, 1));
    assert_eq!((memory.aot.done, memory.policy.same_failures), (Some(3), 3));
    let written = serde_json::to_value(&memory).expect("a record");
    assert_eq!(written, serde_json::from_str::<Value>(OLD).expect("JSON"));
}

#[test]
fn a_record_without_the_fields_of_a_format_is_read() {
    assert_eq!(read("{}"), Memory::default());
    let merged = read(r#"{"worker": {"action": "merge", "next": "validate"}}"#).b.worker;
    assert_eq!(merged, Some(WorkerEnd::merged()));
    for phase in CcwPhase::ALL {
        let word = phase.word();
        let worker = read(&format!(r#"{{"worker":{{"action":"{word}","next":"{word}"}}}}"#)).b.worker;
        assert_eq!(worker.map(|worker| (worker.action, worker.next)), Some((Worked::Phase(phase), phase)));
    }
}
