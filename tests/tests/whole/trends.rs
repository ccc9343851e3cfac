//! Trends: loops that ended and runs of the journal, day by day.

use loopdeck_core::facts::TrendQuery;
use loopdeck_core::format::Format;
use loopdeck_core::phase::CcwPhase;
use loopdeck_core::start::Recipe;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::preferences::plan::RunPlan;
use loopdeck_execution::run::{Run, RunAction};
use loopdeck_runtime::store::journal::{Journal, LoopRef, Retention};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;
use std::time::{Duration, SystemTime};

const ROOT: &str = ".workflow/.loop";
const DAY: f64 = 86_400_000.0;

fn id(number: usize) -> String {
    format!("loop-v2-20261120T0424{number:02}-d8ff7e62")
}

/// Loops with these statuses, each a day older than the one before.
fn live(statuses: &[&str]) -> Live {
    let mut live = Live::with(|workspace| {
        for (number, status) in statuses.iter().enumerate() {
            let path = workspace.join(format!("{ROOT}/{}.json", id(number)));
            let state = r#", "skill_state": {"validate": {"test_results": [{"iteration": 3,
                "timestamp": "2026-11-20T05:00:00Z",
                "summary": {"total": 4, "passed": 3, "failed": 1, "skipped": 0}, "tests": []}]}}}"#;
            let text = loop_v2(&id(number), status).trim_end().trim_end_matches('}').to_owned() + state;
            fs::write(&path, text).unwrap();
            let days = u64::try_from(number).unwrap() * 86_400;
            let then = SystemTime::now() - Duration::from_secs(days);
            fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        }
    });
    live.wait_for("every loop", |live| live.rows.len() == statuses.len());
    live
}

/// The last three days, each of 24 hours that end now.
fn query(now: f64) -> TrendQuery {
    let days = [3.0, 2.0, 1.0].map(|back| now - back * DAY + 60_000.0).to_vec();
    TrendQuery { days, until: now + 60_000.0, ..TrendQuery::default() }
}

fn now() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64() * 1_000.0
}

#[test]
fn what_ended_and_what_ran_is_counted_on_its_day() {
    let live = live(&["completed", "failed", "running", "completed"]);
    let mut journal = Journal::open(&live.data().journal(), Retention::default());
    let workspace = live.workspace.to_string_lossy().into_owned();
    let file = format!("{ROOT}/{}.json", id(0));
    let (begin, minute) = (now() - 600_000.0, 60_000);
    let started = Timestamp::from_number(begin);
    let run = Run {
        id: "run-1".into(),
        action: RunAction::Phase(CcwPhase::Develop),
        agent: "Codex".into(),
        started,
        ended: Some(Timestamp::from_millis(started.millis() + minute)),
        cost_usd: Some(0.5),
        ..Run::default()
    };
    let of = LoopRef { workspace: &workspace, file: &file };
    journal.keep_run(of, &run).unwrap();
    let plan = RunPlan { recipe: Some(Recipe::BuildFeature), ..RunPlan::default() };
    journal.keep_plan(of, &plan, started).unwrap();
    let mut trends = live.runtime.trends(&query(now())).unwrap();
    while trends.left > 0 {
        trends = live.runtime.trends(&query(now())).unwrap();
    }
    let ended: Vec<_> = trends.days.iter().map(|day| (day.sum.ended, day.sum.succeeded)).collect();
    assert_eq!(ended, [(0, 0), (1, 0), (1, 1)]);
    let last = &trends.days[2];
    assert_eq!((last.sum.tests_passed, last.sum.tests_total), (3, 4));
    assert_eq!((last.sum.cost_usd, last.sum.worked_ms, last.actions.len()), (Some(0.5), 60_000.0, 1));
    let agents: Vec<_> = trends.agents.iter().map(|group| (group.name.as_str(), group.sum.ended)).collect();
    assert_eq!(agents, [("Codex", 1)]);
    let recipes =
        trends.recipes.iter().map(|group| (group.name.as_str(), group.sum.ended, group.sum.cost_usd));
    assert_eq!(recipes.collect::<Vec<_>>(), [("build_feature", 1, Some(0.5))]);
    let fixes = live.runtime.trends(&TrendQuery { recipe: Some(Recipe::FixBug), ..query(now()) }).unwrap();
    assert!(fixes.days.iter().all(|day| day.sum.ended == 0 && day.sum.cost_usd.is_none()));
    let of_aot = live.runtime.trends(&TrendQuery { format: Some(Format::Aot), ..query(now()) }).unwrap();
    assert!(of_aot.days.iter().all(|day| day.sum.ended == 0 && day.sum.cost_usd.is_none()));
}

#[test]
fn days_out_of_order_are_refused() {
    let live = live(&[]);
    for days in [vec![], vec![2.0, 1.0], vec![f64::NAN], vec![1.0; 400]] {
        let query = TrendQuery { days, ..query(now()) };
        assert_eq!(live.runtime.trends(&query).unwrap_err().kind, FailureKind::BadForm);
    }
}
