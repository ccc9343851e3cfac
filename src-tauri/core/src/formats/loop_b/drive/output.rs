//! The result of a worker or a test run, as the output to write (seed 003, "Worker Output Structure").

use crate::driver::{ChangedLines, Memory, ObservedFiles};
use crate::formats::ccw::progress_docs::loop_b::WorkerHypothesis;
use crate::formats::ccw::progress_docs::records::{CoverageFigures, Hypothesis, ValidationRun};
use crate::formats::ccw_v2::drive::prompt_context::counted;
use crate::formats::loop_b::operate::files::finished;
use crate::formats::loop_b::operate::{DebugFindings, Tested, WorkerOutput};
use crate::formats::loop_b::read::report;
use crate::formats::loop_b::read::report::{TestTally, WorkerReport};
use crate::formats::loop_b::read::state::LoopBState;
use crate::phase::CcwPhase;
use loopdeck_agents::answers::{WorkStatus, WorkerAnswer};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;

/// The runtime's observations of a worker's changes; both win over its claims.
pub(crate) struct ObservedChanges {
    /// Changed files, over all attempts of the worker.
    pub(crate) files: ObservedFiles,
    /// Lines in them.
    pub(crate) lines: Option<ChangedLines>,
}

/// The output to write: status in the skill's words, finished tasks only if the file knows them. A debug
/// worker's statements about hypotheses are added to the remembered ones.
pub(crate) fn output(
    worker: CcwPhase,
    answer: WorkerAnswer,
    seen: &ObservedChanges,
    bytes: &[u8],
    memory: &mut Memory,
) -> WorkerOutput {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = LoopBState::new(&root);
    let named = |id: &String| {
        state.pending.iter().chain(state.completed).find(|task| task.get("id").text() == Some(id))
    };
    let tasks: Vec<&Node<'_>> = answer.completed_tasks.iter().filter_map(named).collect();
    let status = match answer.status {
        WorkStatus::Completed => "success",
        WorkStatus::Failed => "failed",
        WorkStatus::NeedsInput => "needs_input",
    };
    let report = WorkerReport {
        tasks_completed: tasks.iter().map(|task| finished(task)).collect(),
        lines_added: seen.lines.map(|lines| lines.added).or(answer.lines_added),
        lines_removed: seen.lines.map(|lines| lines.removed).or(answer.lines_removed),
        suggestions: answer.suggestions,
        issues_found: answer.issues_found,
        ..WorkerReport::default()
    };
    let debugged = (worker == CcwPhase::Debug).then(|| {
        let bug = memory.b.failing.first().map(|test| test.name.clone());
        Box::new(debugged(bug, answer.hypotheses, answer.confirmed, &mut memory.b.hypotheses))
    });
    WorkerOutput {
        action: worker.word().to_owned(),
        status: status.to_owned(),
        summary: answer.summary,
        files_changed: seen.files.changed(&answer.files_changed),
        next_suggestion: answer.next_suggestion,
        loop_back_to: answer.loop_back_to,
        detailed_output: report::noted(answer.detailed_output),
        completed_tasks: tasks.iter().filter_map(|task| task.get("id").text().map(str::to_owned)).collect(),
        report: Some(Box::new(report)),
        findings: answer.findings,
        debugged,
        tested: None,
    }
}

/// Fields that an agent leaves out of a known hypothesis stay unchanged. One without a claim does not count;
/// a root cause must be a known one.
fn debugged(
    bug: Option<String>,
    hypotheses: Vec<WorkerHypothesis>,
    confirmed: Option<String>,
    known: &mut Vec<Hypothesis>,
) -> DebugFindings {
    let mut all: Vec<WorkerHypothesis> = hypotheses
        .into_iter()
        .map(|new| filled(new, known))
        .filter(|new| !new.description.is_empty())
        .collect();
    let is_listed = |id: &String| all.iter().any(|new| new.id == *id);
    if let Some(id) = confirmed.as_ref().filter(|id| !is_listed(id))
        && let Some(cause) = known.iter().find(|known| known.id == *id)
    {
        let cause = WorkerHypothesis { id: cause.id.clone(), ..WorkerHypothesis::default() };
        all.push(filled(WorkerHypothesis { status: "confirmed".to_owned(), ..cause }, known));
    }
    for new in &all {
        match known.iter_mut().find(|known| known.id == new.id) {
            Some(old) => *old = new.record(),
            None => known.push(new.record()),
        }
    }
    let old = known.len().saturating_sub(loopdeck_agents::answers::MOST_HYPOTHESES);
    known.drain(..old);
    let confirmed = confirmed.filter(|id| all.iter().any(|new| new.id == *id));
    DebugFindings { bug, hypotheses: all, confirmed }
}

fn filled(new: WorkerHypothesis, known: &[Hypothesis]) -> WorkerHypothesis {
    let Some(old) = known.iter().find(|old| old.id == new.id) else { return new };
    let or = |new: String, old: &String| if new.is_empty() { old.clone() } else { new };
    WorkerHypothesis {
        description: or(new.description, &old.description),
        testable: or(new.testable, &old.testable_condition),
        verdict_reason: new.verdict_reason.or_else(|| old.verdict_reason.clone()),
        ..new
    }
}

/// The output of a test run, in the form of a worker's. `next`: the action after it, if known.
pub(crate) fn tested(
    run: &ValidationRun,
    files: &[(String, CoverageFigures)],
    next: Option<CcwPhase>,
) -> WorkerOutput {
    let counts =
        TestTally { total: run.total(), passed: run.passed, failed: run.failed, skipped: run.skipped };
    let report = WorkerReport {
        tests: Some(counts),
        failed_tests: run.failed_tests().into_iter().map(str::to_owned).collect(),
        coverage: run.coverage.and_then(|figures| figures.overall()),
        ..WorkerReport::default()
    };
    let next = next.or((run.failed > 0).then_some(CcwPhase::Debug));
    let word = |phase: CcwPhase| phase.word().to_owned();
    WorkerOutput {
        action: CcwPhase::Validate.word().to_owned(),
        status: if run.is_pass() { "success" } else { "failed" }.to_owned(),
        summary: format!("{} of {} passed", run.passed, counted(run.total() as usize, "test")),
        loop_back_to: next.filter(|next| *next != CcwPhase::Complete).map(word),
        next_suggestion: next.map(word),
        detailed_output: report::noted(Json::Null),
        report: Some(Box::new(report)),
        tested: Some(Box::new(Tested { run: run.clone(), files: files.to_vec() })),
        ..WorkerOutput::default()
    }
}

/// The output for tests that could not be run.
pub(crate) fn untested(why: &str) -> WorkerOutput {
    WorkerOutput {
        action: CcwPhase::Validate.word().to_owned(),
        status: "unknown".to_owned(),
        summary: loopdeck_text::shorten(why, 2_000),
        detailed_output: report::noted(Json::Null),
        report: Some(Box::default()),
        ..WorkerOutput::default()
    }
}
