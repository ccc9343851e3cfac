//! The path of a Loop-B, from every kind of trace.

use super::*;
use crate::times::TimeView;
use CcwPhase::{Complete, Debug, Develop, Init, Validate};

/// `worker develop`, or the kind of a round: `debug`.
fn event(said: &str) -> EventView {
    let (kind, subject) = match said.split_once(' ') {
        Some((_, action)) => (EventKind::Worker, Some(action.to_owned())),
        None => (
            match said {
                "develop" => EventKind::DevelopEntry,
                "debug" => EventKind::DebugEntry,
                "validate" => EventKind::ValidateEntry,
                "summary" => EventKind::SummaryEntry,
                _ => EventKind::Error,
            },
            None,
        ),
    };
    EventView { kind, subject, time: Some(TimeView::read("2026-01-22", false)), ..EventView::default() }
}

fn worker(action: &str, next: Option<CcwPhase>, back: Option<CcwPhase>) -> WorkerView {
    let phase = CcwPhase::from_word(action);
    WorkerView { action: action.to_owned(), phase, next, back, ..WorkerView::default() }
}

/// The path of a loop at `phase`, without merged results.
fn told(phase: &str, traces: &[&str], completed: &[&str], workers: &[WorkerView], mode: &str) -> WayView {
    let events: Vec<_> = traces.iter().map(|said| event(said)).collect();
    let completed: Vec<_> = completed.iter().map(|&word| word.to_owned()).collect();
    let (mode, phase) = (Some(mode), Some(phase));
    way(&Traces { mode, phase, completed: &completed, events: &events, workers, merged: false })
}

fn phases(way: &WayView) -> Vec<CcwPhase> {
    way.visits.iter().map(|visit| visit.phase).collect()
}

/// Where it stands, its traces, what is listed as done, and the visits.
type Told = (&'static str, &'static [&'static str], &'static [&'static str], &'static [CcwPhase]);

#[test]
fn visits_follow_traces_and_end_where_the_loop_stands() {
    let table: [Told; 14] = [
        (
            "develop",
            &["worker init", "develop", "develop", "validate"],
            &[],
            &[Init, Develop, Validate, Develop],
        ),
        ("DEVELOP", &["worker Develop"], &[], &[Develop]),
        ("develop", &[], &["init"], &[Init, Develop]),
        ("develop", &["develop"], &["INIT", "odd"], &[Init, Develop]),
        ("complete", &["develop", "validate"], &["complete"], &[Develop, Validate, Complete]),
        ("complete", &["develop", "summary"], &["init", "complete"], &[Init, Develop, Complete]),
        (
            "develop",
            &["develop", "validate", "complete"],
            &["init", "complete"],
            &[Init, Develop, Validate, Complete, Develop],
        ),
        // Only init and complete get their positions from the list; for the others the time is unknown.
        ("debug", &[], &["develop", "validate"], &[Debug]),
        ("init", &[], &[], &[Init]),
        // Some coordinators leave the phase at init forever.
        ("init", &["develop"], &[], &[Develop]),
        ("init", &["worker init"], &[], &[Init]),
        ("odd", &["develop", "other"], &[], &[Develop]),
        ("", &[], &[], &[]),
        ("toString", &["worker __proto__"], &["constructor"], &[]),
    ];
    for (phase, traces, completed, expected) in table {
        assert_eq!(phases(&told(phase, traces, completed, &[], "auto")), expected, "{phase} {traces:?}");
    }
    let way = told("develop", &["worker init"], &[], &[], "auto");
    let timed: Vec<bool> = way.visits.iter().map(|visit| visit.time.is_some()).collect();
    assert_eq!(timed, [true, false], "where it stands now it has left no trace");
    // A worker without a time also counts as a start.
    assert_eq!(phases(&told("init", &[], &[], &[worker("develop", None, None)], "auto")), []);
}

#[test]
fn lines_are_taken_between_neighbours_that_the_diagram_knows() {
    use Transition as Line;
    let table: [(&[&str], &[Transition], bool); 7] = [
        (
            &["worker init", "develop", "debug", "validate"],
            &[Line::InitDevelop, Line::DevelopDebug, Line::DebugValidate],
            false,
        ),
        (&["develop", "validate", "debug"], &[Line::DevelopValidate, Line::ValidateDebug], false),
        (
            &["develop", "validate", "develop", "validate", "develop"],
            &[Line::DevelopValidate, Line::ValidateCheck, Line::CheckDevelop],
            true,
        ),
        (&["debug", "develop"], &[Line::DebugCheck, Line::CheckDevelop], true),
        (&["debug", "summary"], &[Line::DebugCheck, Line::CheckComplete], true),
        (&["validate", "summary"], &[Line::ValidateCheck, Line::CheckComplete], true),
        (&["worker init", "summary", "validate"], &[], false),
    ];
    for (traces, taken, fork_passed) in table {
        let way = told("", traces, &[], &[], "auto");
        assert_eq!((way.taken, way.fork_passed), (taken.to_vec(), fork_passed), "{traces:?}");
    }
}

#[test]
fn a_step_leads_back_where_a_fix_was_needed() {
    let way = told(
        "",
        &["develop", "validate", "develop", "debug", "develop", "validate", "summary"],
        &[],
        &[],
        "auto",
    );
    let back: Vec<bool> = way.visits.iter().map(|visit| visit.heading == Heading::Back).collect();
    assert_eq!(back, [false, false, true, false, true, false, false]);
}

#[test]
fn the_last_worker_asks_until_the_loop_has_moved_on() {
    let asks = |action: &str, next, back| vec![worker(action, next, back)];
    let wish = |phase: &str, workers: &[WorkerView]| {
        told(phase, &["develop", "worker debug"], &[], workers, "auto").wish
    };
    use Transition as Line;
    let back = asks("debug", Some(Validate), Some(Develop));
    let lines = vec![Line::DebugCheck, Line::CheckDevelop];
    assert_eq!(wish("debug", &back), Some(Wish { from: Debug, to: Develop, heading: Heading::Back, lines }));
    let on = asks("debug", Some(Validate), None);
    let lines = vec![Line::DebugValidate];
    assert_eq!(wish("debug", &on), Some(Wish { from: Debug, to: Validate, heading: Heading::On, lines }));
    for (phase, workers) in [
        ("develop", &back),
        ("odd", &back),
        ("debug", &asks("debug", None, None)),
        ("debug", &asks("debug", Some(Debug), None)),
        ("debug", &asks("develop", Some(Validate), None)),
    ] {
        assert_eq!(wish(phase, workers), None, "{phase} {workers:?}");
    }
    assert_eq!(told("debug", &["worker debug"], &[], &back, "Parallel").wish, None);
}

#[test]
fn phases_are_counted_and_know_their_worker() {
    let workers = [worker("develop", None, None), worker("odd", None, None), worker("Develop", None, None)];
    let way = told("validate", &["worker init", "develop", "debug", "develop"], &[], &workers, "interactive");
    let shown: Vec<_> = way.phases.iter().map(|one| (one.phase, one.result, one.times, one.worker)).collect();
    use PhaseResult::{HandedIn, Missing, NotReached};
    assert_eq!(
        shown,
        [
            (Init, Missing, 1, None),
            (Develop, HandedIn, 2, Some(2)),
            (Debug, Missing, 1, None),
            (Validate, Missing, 1, None),
            (Complete, NotReached, 0, None),
        ]
    );
}

#[test]
fn workers_at_once_are_no_sequence_and_meet_in_the_merge() {
    use Transition as Line;
    let workers = [worker("init", None, None), worker("develop", None, None), worker("validate", None, None)];
    let events = [event("develop"), event("validate")];
    let at_once = |merged: bool, completed: &[String], mode: Option<&str>| {
        let (phase, workers, events) = (Some("init"), &workers[..], &events[..]);
        way(&Traces { mode, phase, completed, events, workers, merged })
    };
    let open = at_once(false, &[], Some("PARALLEL"));
    assert_eq!((phases(&open), open.fork_passed), (vec![], false));
    assert_eq!(open.taken, [Line::InitDevelop, Line::InitValidate]);
    assert!(open.phases.iter().all(|phase| phase.times == 0));
    let merged = at_once(true, &[], Some("parallel"));
    let both = [Line::InitDevelop, Line::DevelopMerge, Line::InitValidate, Line::ValidateMerge];
    assert_eq!((&merged.taken[..], merged.fork_passed), (&both[..], true));
    let ended = at_once(true, &["complete".to_owned()], Some("parallel"));
    assert_eq!(ended.taken.last(), Some(&Line::MergeComplete));
    assert_eq!(at_once(false, &["complete".to_owned()], Some("parallel")).taken.len(), 2);
    let words = [(None, ""), (Some("swarm"), "swarm")];
    for (mode, word) in words {
        let way = at_once(true, &[], mode);
        assert_eq!((way.mode, way.mode_word.as_str(), way.visits.len()), (None, word, 2));
    }
}
