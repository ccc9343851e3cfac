use super::*;
use crate::format::Format;
use crate::problem::{Problem, ProblemCode};
use crate::status::{FileStatus, StatusWord};
use crate::view::{DebugView, TaskView, ValidationView, WorkerView};

fn facts(summary: &Summary, detail: &LoopDetail) -> LoopFacts {
    LoopFacts::from_detail(summary, detail)
}

fn running() -> Summary {
    Summary::empty(Format::LoopV2, "x", FileStatus::Running)
}

fn run(passed: u32, failed: u32, skipped: u32) -> RunView {
    RunView { passed, failed, skipped, total: passed + failed + skipped, ..RunView::default() }
}

fn kinds(facts: &LoopFacts) -> Vec<(RiskKind, u32)> {
    facts.risks.iter().map(|risk| (risk.kind, risk.count)).collect()
}

#[test]
fn tests_are_those_of_the_first_and_the_last_run() {
    let validation =
        ValidationView { runs: vec![run(3, 5, 0), run(6, 2, 0), run(7, 0, 1)], ..Default::default() };
    let facts = facts(&running(), &LoopDetail { validation: Some(validation), ..LoopDetail::default() });
    let tests = facts.tests.expect("three runs");
    assert_eq!((tests.first.passed, tests.first.failed, tests.runs), (3, 5, 3));
    assert_eq!((tests.last.passed, tests.last.total), (7, 8));
    assert_eq!(kinds(&facts), [(RiskKind::SkippedTests, 1)]);
    let none = LoopDetail { validation: Some(ValidationView::default()), ..LoopDetail::default() };
    assert_eq!(LoopFacts::from_detail(&running(), &none).tests, None);
}

#[test]
fn the_root_cause_is_the_one_the_state_names_or_the_confirmed_one() {
    let hypothesis = |id: &str, verdict| HypothesisView {
        id: id.into(),
        description: format!("Cause {id}"),
        verdict,
        ..HypothesisView::default()
    };
    let all = vec![
        hypothesis("H1", HypothesisVerdict::Rejected),
        hypothesis("H2", HypothesisVerdict::Confirmed),
        hypothesis("H3", HypothesisVerdict::Pending),
    ];
    let cause = |confirmed: Option<&str>, hypotheses: &[HypothesisView]| {
        let debug = DebugView {
            confirmed: confirmed.map(str::to_owned),
            hypotheses: hypotheses.to_vec(),
            ..DebugView::default()
        };
        facts(&running(), &LoopDetail { debug: Some(debug), ..LoopDetail::default() }).root_cause
    };
    assert_eq!(cause(None, &all).map(|cause| cause.text).as_deref(), Some("Cause H2"));
    assert_eq!(cause(Some("H3"), &all).map(|cause| cause.id).as_deref(), Some("H3"));
    assert_eq!(cause(Some("H9"), &all[..1]), None, "an id that nothing has is no cause");
}

#[test]
fn a_file_counts_once_whoever_changed_it() {
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let tasks = vec![
        TaskView {
            files_changed: files(&["a.rs", "b.rs"]),
            state: TaskState::Completed,
            ..TaskView::default()
        },
        TaskView { files_changed: files(&["b.rs", " "]), state: TaskState::Failed, ..TaskView::default() },
    ];
    let workers = vec![WorkerView { files_changed: files(&["a.rs", "c.rs"]), ..WorkerView::default() }];
    let facts = facts(&running(), &LoopDetail { tasks, workers, ..LoopDetail::default() });
    assert_eq!(facts.files_changed, 3);
    assert_eq!(facts.tasks, Some(Portion { done: 1, total: 2 }));
    assert_eq!(kinds(&facts), [(RiskKind::FailedWork, 1)]);
}

#[test]
fn risks_come_by_weight_and_only_when_there_are_any() {
    let problems = vec![
        Problem::new(ProblemCode::W2_completed_unvalidated, ""),
        Problem::new(ProblemCode::W6_totals_disagree, ""),
    ];
    let found = facts(&running(), &LoopDetail { problems, ..LoopDetail::default() });
    assert_eq!(kinds(&found), [(RiskKind::TestsContradict, 1), (RiskKind::NotValidated, 1)]);
    assert_eq!(kinds(&facts(&running(), &LoopDetail::default())), []);
}

#[test]
fn only_a_loop_that_may_go_on_is_near_its_limit() {
    let at = |current: f64, status| {
        let iteration = Some(IterationBar { current, limit: 10.0 });
        kinds(&facts(&Summary { iteration, status, ..running() }, &LoopDetail::default()))
    };
    assert_eq!(at(7.0, FileStatus::Running), []);
    assert_eq!(at(8.0, FileStatus::Running), [(RiskKind::NearLimit, 2)]);
    assert_eq!(at(10.0, FileStatus::Paused), [(RiskKind::NearLimit, 1)]);
    assert_eq!(at(9.0, FileStatus::Completed), []);
}

#[test]
fn a_cause_of_any_length_is_cut_and_stays_text() {
    let text = format!("<script>{}\u{fffd}", "字".repeat(200_000));
    let debug = DebugView {
        hypotheses: vec![HypothesisView {
            description: text,
            verdict: HypothesisVerdict::Confirmed,
            ..HypothesisView::default()
        }],
        ..DebugView::default()
    };
    let cause = facts(&running(), &LoopDetail { debug: Some(debug), ..LoopDetail::default() }).root_cause;
    let text = cause.expect("confirmed").text;
    assert!(
        text.starts_with("<script>字") && text.chars().count() <= CAUSE_CHARS + 1,
        "{}",
        text.chars().count()
    );
}

#[test]
fn every_status_has_one_outcome() {
    for (word, outcome) in [
        (StatusWord::NeedsYou, LoopOutcome::NeedsPerson),
        (StatusWord::CannotRead, LoopOutcome::Failed),
        (StatusWord::LimitReached, LoopOutcome::Interrupted),
        (StatusWord::RunningElsewhere, LoopOutcome::Running),
        (StatusWord::LeftByUser, LoopOutcome::Stopped),
        (StatusWord::CompletedWithWarnings, LoopOutcome::Succeeded),
        (StatusWord::AgentUnknown, LoopOutcome::Unknown),
    ] {
        assert_eq!(LoopOutcome::from_word(word), outcome, "{word:?}");
    }
}
