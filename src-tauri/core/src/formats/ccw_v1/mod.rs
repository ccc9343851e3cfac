//! v1 engine files, read-only (the CCW contract §10).
//!
//! `success_condition` is code from a file: shown, never evaluated.

use crate::format::FileFacts;
use crate::formats::ccw;
use crate::formats::ccw::read::clock::{Clock, Stamps};
use crate::formats::ccw::read::facts::{FactList, Findings, extras, optional, text};
use crate::formats::ccw_v2::check::warnings;
use crate::formats::ccw_v2::view::{document, metadata};
use crate::view::{Fact, HistoryView, LoopDetail, TaskView};
use loopdeck_text::json_span::tree::Node;

const TOP: &[&str] = &[
    "loop_id",
    "task_id",
    "title",
    "status",
    "current_iteration",
    "max_iterations",
    "current_cli_step",
    "cli_sequence",
    "success_condition",
    "error_policy",
    "created_at",
    "updated_at",
    "execution_history",
    "completed_at",
    "failure_reason",
];
const STEP: &[&str] = &["step_id", "tool", "mode", "command", "prompt_template"];

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(bytes: &[u8], facts: &FileFacts<'_>) -> LoopDetail {
    let Some(summary) = ccw::summary(bytes, facts) else { return LoopDetail::default() };
    let Some(root) = document(bytes) else {
        return LoopDetail { problems: summary.problems, ..LoopDetail::default() };
    };
    // The engine writes correct times; nothing here is skill-written.
    let clock = Clock::new(facts, std::iter::empty(), Stamps::default());
    let mut found = Findings::new(bytes, summary.problems.clone());
    warnings::all_times(&root, facts, &clock, &mut found);
    check_words(&root, &mut found);
    let mut extra = Vec::new();
    extras(&root, "", TOP, &mut extra);
    LoopDetail {
        facts: overview(&root),
        metadata: metadata(&root, &[]),
        tasks: root.get("cli_sequence").items().iter().map(step).collect(),
        history: root.get("execution_history").items().iter().map(history).collect(),
        extra,
        problems: found.finish(),
        ..LoopDetail::default()
    }
}

/// W7: the engine's action on a failure.
fn check_words(root: &Node<'_>, found: &mut Findings<'_>) {
    let policy = root.get("error_policy").get("on_failure");
    warnings::word(policy, "error_policy.on_failure", &["pause", "retry", "fail_fast"], found);
    for (index, step) in root.get("cli_sequence").items().iter().enumerate() {
        let path = format!("cli_sequence[{index}].on_error");
        warnings::word(step.get("on_error"), &path, &["continue", "pause", "fail_fast"], found);
    }
}

fn overview(root: &Node<'_>) -> Vec<Fact> {
    let mut facts = FactList::default();
    facts.code("task_id", root.get("task_id"));
    facts.code("loop_id", root.get("loop_id"));
    facts.code("status", root.get("status"));
    facts.text("failure_reason", root.get("failure_reason"));
    facts.number("current_cli_step", root.get("current_cli_step"));
    facts.code("success_condition", root.get("success_condition"));
    for (key, node) in root.get("error_policy").fields().iter().take(20) {
        facts.code(&format!("error_policy.{}", loopdeck_text::shorten(key, 60)), node);
    }
    for key in ["created_at", "updated_at", "completed_at"] {
        facts.time(key, root.get(key).text().map(Clock::server));
    }
    facts.0
}

fn step(node: &Node<'_>) -> TaskView {
    let mut extra = Vec::new();
    extras(node, "", STEP, &mut extra);
    TaskView {
        id: text(node, "step_id"),
        description: optional(node, "command")
            .or_else(|| optional(node, "prompt_template"))
            .unwrap_or_default(),
        tool: optional(node, "tool"),
        mode: optional(node, "mode"),
        extra,
        ..TaskView::default()
    }
}

fn history(node: &Node<'_>) -> HistoryView {
    HistoryView {
        iteration: node.get("iteration").lenient_number(),
        step: optional(node, "step_id").unwrap_or_else(|| text(node, "step_index")),
        tool: text(node, "tool"),
        exit_code: node.get("exit_code").lenient_number(),
        duration_ms: node.get("duration_ms").lenient_number(),
        time: node.get("timestamp").text().map(Clock::server),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Intent, Situation, Verb};
    use crate::format::Format;
    use crate::loops::{self, Place};
    use crate::refusal::RefusalCode;
    use crate::status::StatusWord;
    use crate::times::Timestamp;

    const TEXT: &str = r#"{"loop_id":"loop-T1-20260122","task_id":"T1","status":"paused","current_iteration":2,
        "max_iterations":3,"current_cli_step":0,"cli_sequence":[{"step_id":"s1","tool":"gemini","prompt_template":"Do it","on_error":"pause"}],
        "session_mapping":{"gemini_0":"x"},"success_condition":"process.exit()","error_policy":{"on_failure":"retry"},
        "created_at":"2026-01-22T02:00:00Z","execution_history":[{"iteration":1,"step_id":"s1","tool":"gemini","exit_code":1,"duration_ms":5}]}"#;

    #[test]
    fn words_that_the_engine_does_not_know_are_named() {
        let now = 1_795_148_661_870;
        let facts = FileFacts {
            stem: "loop-T1-20260122",
            modified: Timestamp::from_millis(now),
            now: Timestamp::from_millis(now),
        };
        let odd = TEXT
            .replace("\"retry\"", "\"explode\"")
            .replace("\"on_error\":\"pause\"", "\"on_error\":\"stop\"");
        let view = detail(odd.as_bytes(), &facts);
        let found: Vec<_> =
            view.problems.iter().map(|problem| (problem.code.name(), problem.path.as_str())).collect();
        let expected = ["error_policy.on_failure", "cli_sequence[0].on_error"];
        assert_eq!(found, expected.map(|path| ("W7_unknown_word", path)));
    }

    #[test]
    fn an_engine_file_is_shown_and_never_controlled() {
        let now = 1_795_148_661_870;
        let facts = FileFacts {
            stem: "loop-T1-20260122",
            modified: Timestamp::from_millis(now),
            now: Timestamp::from_millis(now),
        };
        let situation = Situation { shown: StatusWord::Paused, now: Timestamp::from_millis(now) };
        let summary = loops::summary(Place::CcwFile, TEXT.as_bytes(), &facts).expect("listed");
        assert_eq!((summary.format, summary.problems.len()), (Format::V1, 0));
        let view = loops::detail(summary.format, TEXT.as_bytes(), &facts, &situation, &[]);
        assert_eq!((view.tasks[0].id.as_str(), view.tasks[0].description.as_str()), ("s1", "Do it"));
        assert_eq!(view.history[0].exit_code, Some(1.0));
        assert!(view.facts.iter().any(|fact| fact.name == "success_condition"));
        assert_eq!(view.extra[0].path, "session_mapping");
        assert!(view.controls.is_empty() && view.problems.is_empty());
        assert!(loops::refuse(&summary, Verb::Delete, &situation).is_none());
        let refusal = loops::carry_out(&summary, TEXT.as_bytes(), &facts, &Intent::Pause, &situation);
        assert_eq!(refusal.map_err(|refusal| refusal.code), Err(RefusalCode::ReadOnlyFormat));
        // Even when the wrong format is asked.
        let refusal = crate::formats::ccw_v2::edit(TEXT.as_bytes(), &facts, &Intent::Pause, &situation);
        assert_eq!(refusal.map_err(|refusal| refusal.code), Err(RefusalCode::ReadOnlyFormat));
    }
}
