//! Operations of Loop v2.

use super::{Family, ids};
use crate::door;
use loopdeck_core::formats::ccw::progress_docs::records::{
    ActionError, CoverageFigures, Hypothesis, PlannedTask, TestResult, ValidationRun,
};
use loopdeck_core::formats::ccw_v2::forms::InitMode;
use loopdeck_core::formats::ccw_v2::operate;
use loopdeck_core::formats::ccw_v2::operation::{
    Beginning, Debugged, Developed, ListedWork, LoopV2Operation,
};

/// The format with its operations.
pub(super) fn family(stem: &str) -> Family<'_, LoopV2Operation> {
    let grow = &["skill_state.completed_actions", "skill_state.errors", "skill_state.validate.test_results"];
    Family { stem, operate: operate::operate, ours, grow }
}

/// A whole loop from start to finish, with ids from this file.
pub(super) fn operations(bytes: &[u8]) -> Vec<LoopV2Operation> {
    let [quoted, markdown, tail, word] = door::texts(bytes);
    let tasks = ["T1", "T2"].map(|id| PlannedTask {
        id: id.to_owned(),
        description: if id == "T1" { markdown.clone() } else { quoted.clone() },
        tool: tail.clone(),
        files: vec![tail.clone(), markdown.clone()],
        ..PlannedTask::default()
    });
    let mut all = vec![LoopV2Operation::Init { mode: InitMode::Auto, tasks: tasks.to_vec() }];
    for id in ids(bytes, &["skill_state", "develop", "tasks"], "id").into_iter().chain(["T2".to_owned()]) {
        all.push(LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: id.clone() } });
        let failure = (id.len() % 2 == 1).then(|| markdown.clone());
        let files_changed = vec![quoted.clone(), tail.clone()];
        let developed = Developed { task_id: id, summary: markdown.clone(), files_changed, failure };
        all.push(LoopV2Operation::Develop(developed));
    }
    all.push(LoopV2Operation::Begin { beginning: Beginning::Debug });
    for id in ids(bytes, &["skill_state", "debug", "hypotheses"], "id") {
        all.push(LoopV2Operation::Debug(debugged(id, bytes)));
    }
    all.push(LoopV2Operation::Begin { beginning: Beginning::Validate });
    all.push(validate(&[quoted.clone(), markdown.clone(), tail.clone(), word]));
    let listed = |task: &PlannedTask| ListedWork {
        task: PlannedTask { id: format!("listed-{}", task.id), ..task.clone() },
        prompt: markdown.clone(),
        command: quoted.clone(),
    };
    all.push(LoopV2Operation::TakeUp { tasks: tasks.iter().map(listed).collect() });
    let error = ActionError {
        action: tail.clone(),
        message: markdown.clone(),
        at: loopdeck_core::times::Timestamp::from_millis(1_795_490_000_000),
    };
    all.push(LoopV2Operation::Failed { errors: vec![error] });
    all.push(LoopV2Operation::Complete {
        executive: markdown,
        recommendations: vec![quoted, tail],
        worked_ms: None,
    });
    all
}

fn debugged(id: String, bytes: &[u8]) -> Debugged {
    let [quoted, markdown, tail, _] = door::texts(bytes);
    let new = Hypothesis {
        id: "H-new".to_owned(),
        description: markdown.clone(),
        testable_condition: tail.clone(),
        status: "pending".to_owned(),
        likelihood: Some(1.0),
        ..Hypothesis::default()
    };
    let known = Hypothesis {
        id: id.clone(),
        description: tail,
        status: "confirmed".to_owned(),
        verdict_reason: Some(markdown),
        ..Hypothesis::default()
    };
    Debugged {
        hypotheses: vec![new, known],
        confirmed: Some(id),
        understanding: quoted,
        ..Debugged::default()
    }
}

fn validate(texts: &[String]) -> LoopV2Operation {
    let tests =
        texts.iter().zip(["passed", "failed", "skipped", "failed"]).map(|(text, status)| TestResult {
            name: text.clone(),
            suite: text.clone(),
            status: status.to_owned(),
            error_message: Some(text.clone()),
            stack_trace: Some(text.clone()),
            ..TestResult::default()
        });
    let figures = CoverageFigures { statements: Some(91.25), ..CoverageFigures::default() };
    let run = ValidationRun {
        passed: 1,
        failed: 2,
        skipped: 1,
        duration_ms: Some(1.5),
        tests: tests.collect(),
        coverage: Some(figures),
        ..ValidationRun::default()
    };
    LoopV2Operation::Validate { run, files: texts.iter().map(|text| (text.clone(), figures)).collect() }
}

/// The fields that each writes.
pub(super) fn ours(operation: &LoopV2Operation) -> &'static [&'static str] {
    match operation {
        LoopV2Operation::Init { .. } => &["updated_at", "skill_state"],
        LoopV2Operation::Begin { .. } => &[
            "updated_at",
            "skill_state.current_action",
            "skill_state.develop.current_task",
            "skill_state.develop.tasks",
        ],
        LoopV2Operation::Develop(_) => &[
            "updated_at",
            "current_iteration",
            "skill_state.current_action",
            "skill_state.last_action",
            "skill_state.completed_actions",
            "skill_state.develop.completed",
            "skill_state.develop.current_task",
            "skill_state.develop.last_progress_at",
            "skill_state.develop.tasks",
            "skill_state.errors",
        ],
        LoopV2Operation::Debug(_) => &[
            "updated_at",
            "current_iteration",
            "skill_state.current_action",
            "skill_state.last_action",
            "skill_state.completed_actions",
            "skill_state.debug",
        ],
        LoopV2Operation::Tested(_) | LoopV2Operation::Validate { .. } => &[
            "updated_at",
            "current_iteration",
            "skill_state.current_action",
            "skill_state.last_action",
            "skill_state.completed_actions",
            "skill_state.validate",
        ],
        LoopV2Operation::Complete { .. } => &[
            "updated_at",
            "status",
            "completed_at",
            "skill_state.current_action",
            "skill_state.last_action",
            "skill_state.completed_actions",
            "skill_state.summary",
        ],
        LoopV2Operation::TakeUp { .. } => &["updated_at", "skill_state.develop"],
        LoopV2Operation::Failed { .. } => &["updated_at", "skill_state.errors"],
        LoopV2Operation::Leave => &["updated_at", "status"],
        LoopV2Operation::PauseExit => &["updated_at", "skill_state.current_action"],
    }
}
