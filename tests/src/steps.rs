//! Steps of the work as a person records them, for tests.

use loopdeck_core::formats::aot;
use loopdeck_core::formats::ccw::progress_docs::records::{
    CoverageFigures, Hypothesis, PlannedTask, TestResult, ValidationRun,
};
use loopdeck_core::formats::ccw_v2::edit::task_list::{TaskEdit, TaskFields};
use loopdeck_core::formats::ccw_v2::forms::InitMode;
use loopdeck_core::formats::ccw_v2::operation as v2;
use loopdeck_core::formats::ccw_v2::operation::{Beginning, Debugged, Developed};
use loopdeck_core::formats::loop_b::operate::WorkerOutput;
use loopdeck_core::formats::loop_b::operation as loop_b;
use loopdeck_core::step::{Operation, RepairCode};
use loopdeck_runtime::views::LoopChange;

/// A step of a Loop v2.
#[must_use]
pub fn v2(step: v2::LoopV2Operation) -> LoopChange {
    LoopChange::Operate { operation: Operation::LoopV2 { step } }
}

/// A step of a Loop-B.
#[must_use]
pub fn loop_b(step: loop_b::LoopBOperation) -> LoopChange {
    LoopChange::Operate { operation: Operation::LoopB { step } }
}

/// A step of an AoT loop.
#[must_use]
pub fn aot(step: aot::AotOperation) -> LoopChange {
    LoopChange::Operate { operation: Operation::Aot { step } }
}

/// A repair.
#[must_use]
pub fn repair(repair: RepairCode) -> LoopChange {
    LoopChange::Repair { repair }
}

/// A change of the task list.
#[must_use]
pub fn edit_tasks(edit: TaskEdit) -> LoopChange {
    LoopChange::EditTasks { edit }
}

/// A task to plan.
#[must_use]
pub fn task(id: &str) -> PlannedTask {
    PlannedTask {
        id: id.into(),
        description: format!("do {id}"),
        tool: "codex".into(),
        mode: "write".into(),
        priority: 1,
        files: Vec::new(),
    }
}

/// INIT with these tasks.
#[must_use]
pub fn init(ids: &[&str]) -> LoopChange {
    let tasks = ids.iter().map(|id| task(id)).collect();
    v2(v2::LoopV2Operation::Init { mode: InitMode::Auto, tasks })
}

/// A task begins.
#[must_use]
pub fn begin(task_id: &str) -> LoopChange {
    v2(v2::LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: task_id.into() } })
}

/// A task is done.
#[must_use]
pub fn develop(task_id: &str) -> LoopChange {
    v2(v2::LoopV2Operation::Develop(Developed {
        task_id: task_id.into(),
        summary: format!("{task_id} is done"),
        files_changed: vec!["src/a.rs".into()],
        failure: None,
    }))
}

/// A hypothesis.
#[must_use]
pub fn hypothesis(id: &str, status: &str) -> Hypothesis {
    Hypothesis {
        id: id.into(),
        description: format!("{id} leaks"),
        status: status.into(),
        likelihood: Some(1.0),
        ..Hypothesis::default()
    }
}

/// A round of debugging.
#[must_use]
pub fn debug(hypotheses: Vec<Hypothesis>, confirmed: Option<&str>) -> LoopChange {
    let confirmed = confirmed.map(str::to_owned);
    v2(v2::LoopV2Operation::Debug(Debugged { hypotheses, confirmed, ..Debugged::default() }))
}

/// A run with these numbers of passed and failed tests.
#[must_use]
pub fn validate(passed: u32, failed: u32) -> LoopChange {
    let row = |status: &str, index: u32| TestResult {
        name: format!("{status} {index}"),
        status: status.into(),
        ..TestResult::default()
    };
    let tests = (0..passed).map(|n| row("passed", n)).chain((0..failed).map(|n| row("failed", n)));
    let coverage = Some(CoverageFigures { statements: Some(71.4), ..CoverageFigures::default() });
    let run = ValidationRun { passed, failed, tests: tests.collect(), coverage, ..ValidationRun::default() };
    v2(v2::LoopV2Operation::Validate { run, files: Vec::new() })
}

/// The loop is done.
#[must_use]
pub fn complete() -> LoopChange {
    v2(v2::LoopV2Operation::Complete {
        executive: "Good".into(),
        recommendations: vec!["ship".into()],
        worked_ms: None,
    })
}

/// The output of a Loop-B worker.
#[must_use]
pub fn output(action: &str, done: &[&str]) -> WorkerOutput {
    WorkerOutput {
        action: action.into(),
        status: "success".into(),
        summary: "done".into(),
        files_changed: vec!["src/a.rs".into()],
        completed_tasks: done.iter().map(|&id| id.to_owned()).collect(),
        ..WorkerOutput::default()
    }
}

/// Fields of a task of the list.
#[must_use]
pub fn fields(description: &str) -> TaskFields {
    TaskFields {
        description: description.into(),
        tool: "bash".into(),
        mode: "write".into(),
        ..TaskFields::default()
    }
}
