//! Steps of the Loop-B coordinator.

use super::{Family, ids};
use crate::door;
use loopdeck_core::formats::ccw::progress_docs::records::PlannedTask;
use loopdeck_core::formats::loop_b::operate::{self, DebugFindings, WorkerOutput};
use loopdeck_core::formats::loop_b::operation::LoopBOperation;
use loopdeck_core::formats::loop_b::read::report::WorkerReport;
use loopdeck_text::json_span::json::Json;

/// The format with its operations.
pub(super) fn family(stem: &str) -> Family<'_, LoopBOperation> {
    let grow = &["skill_state.workers_completed", "skill_state.completed_tasks", "skill_state.findings"];
    Family { stem, operate: operate::operate, ours, grow }
}

/// A whole loop from start to finish, with ids from this file.
pub(super) fn operations(bytes: &[u8]) -> Vec<LoopBOperation> {
    let [quoted, markdown, tail, _] = door::texts(bytes);
    let output = |action: &str, completed_tasks: Vec<String>| WorkerOutput {
        action: action.to_owned(),
        status: "success".to_owned(),
        summary: markdown.clone(),
        files_changed: vec![quoted.clone(), tail.clone()],
        loop_back_to: Some(tail.clone()),
        detailed_output: Json::text(&markdown),
        completed_tasks,
        findings: vec![markdown.clone(), tail.clone()],
        report: Some(Box::new(WorkerReport {
            suggestions: vec![markdown.clone()],
            issues_found: vec![tail.clone()],
            lines_added: Some(1),
            ..WorkerReport::default()
        })),
        debugged: (action == "debug").then(Box::<DebugFindings>::default),
        ..WorkerOutput::default()
    };
    let task = PlannedTask { id: "T1".to_owned(), description: markdown.clone(), ..PlannedTask::default() };
    let mut all = vec![LoopBOperation::Planned { output: output("init", vec![]), tasks: vec![task] }];
    let open = ids(bytes, &["skill_state", "pending_tasks"], "id");
    for (at, phase) in ["develop", "debug", "validate", "complete"].into_iter().enumerate() {
        all.push(LoopBOperation::Enter { phase: phase.to_owned() });
        let done = open.get(at).filter(|_| at < 2).cloned().into_iter().collect();
        all.push(LoopBOperation::WorkerDone { output: output(phase, done) });
    }
    all.push(LoopBOperation::WorkerDone { output: output("debug", vec!["T1".to_owned()]) });
    all.push(LoopBOperation::Merge { outputs: vec![output("develop", vec![]), output("validate", vec![])] });
    all.push(LoopBOperation::Complete {
        executive: markdown.clone(),
        recommendations: vec![quoted, tail],
        worked_ms: None,
    });
    all.push(LoopBOperation::Fail { reason: markdown });
    all
}

/// The fields that each writes.
pub(super) fn ours(operation: &LoopBOperation) -> &'static [&'static str] {
    match operation {
        LoopBOperation::Enter { .. } => &["updated_at", "skill_state.phase", "skill_state.action_index"],
        LoopBOperation::Planned { .. } => &["updated_at", "skill_state"],
        LoopBOperation::WorkerDone { .. } => &[
            "updated_at",
            "current_iteration",
            "skill_state.workers_completed",
            "skill_state.pending_tasks",
            "skill_state.completed_tasks",
            "skill_state.findings",
        ],
        LoopBOperation::Merge { .. } => &[
            "updated_at",
            "current_iteration",
            "skill_state.parallel_results",
            "skill_state.workers_completed",
            "skill_state.pending_tasks",
            "skill_state.completed_tasks",
            "skill_state.findings",
        ],
        LoopBOperation::Fail { .. } => &["updated_at", "status", "completed_at", "failure_reason"],
        LoopBOperation::Leave => &["updated_at", "status", "completed_at", "failure_reason"],
        LoopBOperation::Complete { .. } => {
            &["updated_at", "status", "completed_at", "skill_state.phase", "skill_state.workers_completed"]
        }
    }
}
