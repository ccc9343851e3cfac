//! What a person sees of the files next to a loop.

use super::*;
use crate::status::StatusWord;
use crate::view::{CompanionKind as Kind, DebugView, EventKind, EventSays};

const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
macro_rules! sample {
    ($below:literal) => {
        include_str!(concat!(
            "../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/2-debugging/loop-v2-20260122T020000-3fa91c0e",
            $below
        ))
    };
}
const MASTER: &str = sample!(".json");
const DEVELOP: &str = sample!(".progress/develop.md");
const DEBUG: &str = sample!(".progress/debug.md");
const VALIDATE: &str = sample!(".progress/validate.md");
const CHANGES: &str = sample!(".progress/changes.log");
const LOG: &str = sample!(".progress/debug.log");
const COVERAGE: &str = sample!(".progress/coverage.json");
const SUMMARY: &str = include_str!(
    "../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/3-completed/loop-v2-20260122T020000-3fa91c0e.progress/summary.md"
);

fn file(kind: Kind, text: &str) -> Companion {
    Companion { kind, file: format!("{kind:?}"), bytes: text.as_bytes().to_vec(), cut: false }
}

fn read(master: &str, companions: &[Companion]) -> LoopDetail {
    let at = |text| crate::times::parse(text).expect("time");
    let facts =
        FileFacts { stem: STEM, modified: at("2026-01-22T02:36:00Z"), now: at("2026-01-22T03:36:00Z") };
    detail(
        master.as_bytes(),
        &facts,
        &Situation { shown: StatusWord::Interrupted, now: facts.now },
        companions,
    )
}

fn lost() -> String {
    format!(
        "{{\"loop_id\":\"{STEM}\",\"title\":\"T\",\"status\":\"paused\",\"current_iteration\":1,\"max_iterations\":10,\"skill_state\":null}}"
    )
}

#[test]
fn the_tests_of_a_lost_section_are_those_of_the_file_beside_it() {
    let results = file(Kind::TestResults, sample!(".progress/test-results.json"));
    let beside = std::slice::from_ref(&results);
    let run = read(&lost(), beside).validation.expect("a section").runs.pop().expect("a run");
    let rows = |master: &str| test_runs(master.as_bytes(), beside, |runs| 0..runs);
    let [found] = &rows(&lost())[..] else { panic!("one run") };
    assert!(!found.is_empty() && found.len() == run.rows as usize);
    assert_eq!(rows(MASTER), test_runs(MASTER.as_bytes(), &[], |runs| 0..runs), "the master's own count");
}

#[test]
fn the_log_is_evidence_by_hypothesis() {
    let log = format!("{LOG}listening on 8080\n{{\"hid\":\"H1\",\"ts\":1769049600001,\"msg\":\"late\"}}\n");
    let DebugView { hypotheses, log_foreign, .. } =
        read(MASTER, &[file(Kind::DebugLog, &log)]).debug.expect("a section");
    let counts: Vec<_> = hypotheses.iter().map(|h| (h.id.as_str(), h.log_total, h.evidence_count)).collect();
    assert_eq!(counts, [("H1", 3, 0), ("H2", 2, 0), ("H3", 2, 0)]);
    assert_eq!(log_foreign, 1, "what the program printed is counted");
    let seen: Vec<_> = hypotheses[0]
        .log
        .iter()
        .map(|entry| (entry.location.as_str(), entry.message.as_str(), entry.values.as_str()))
        .collect();
    let [first, third] = ["{\"before\":4,\"after\":0}", "{\"before\":1,\"after\":0}"];
    assert_eq!(seen, [("handleLogin", "", first), ("", "late", ""), ("handleLogin", "", third)], "by time");
    let time = hypotheses[0].log[0].time.as_ref().expect("a time");
    assert_eq!((time.ms, time.shifted), (Some(1_769_049_600_000.0), false), "true UTC, never shifted");
}

#[test]
fn evidence_of_the_master_counts_and_long_logs_show_their_end() {
    let judged = MASTER.replacen("\"evidence\": null", "\"evidence\": {\"a\": 1}", 1);
    let log: String = (0..450).map(|n| format!("{{\"hid\":\"H1\",\"ts\":{n},\"data\":{n}}}\n")).collect();
    let debug = read(&judged, &[file(Kind::DebugLog, &log)]).debug.expect("a section");
    let first = &debug.hypotheses[0];
    assert_eq!((first.evidence_count, first.log_total, first.log.len()), (1, 450, 200));
    assert_eq!((first.log[0].values.as_str(), first.log[199].values.as_str()), ("250", "449"));
}

#[test]
fn texts_stand_in_for_sections_that_the_master_lost() {
    let files = [
        file(Kind::DebugDoc, DEBUG),
        file(Kind::ValidateDoc, VALIDATE),
        file(Kind::DebugLog, LOG),
        file(Kind::SummaryDoc, SUMMARY),
    ];
    let view = read(&lost(), &files);
    let debug = view.debug.expect("a section");
    assert_eq!(debug.active_bug.as_deref(), Some("locks after 5 failed attempts"));
    assert_eq!(debug.hypotheses.iter().map(|h| h.id.as_str()).collect::<Vec<_>>(), ["H1", "H2", "H3"]);
    assert_eq!(debug.hypotheses[0].logging_point, "src/auth/login.ts:handleLogin:42");
    assert_eq!(debug.hypotheses[0].log_total, 2);
    assert_eq!(debug.understanding.as_deref(), Some("The counter is lost somewhere between attempts."));
    let validation = view.validation.expect("a section");
    let run = &validation.runs[0];
    assert_eq!((run.iteration, run.passed, run.total, run.pass_rate), (Some(1.0), 2, 4, Some(50.0)));
    assert_eq!(validation.failed_tests, ["locks after 5 failed attempts"]);
    assert_eq!((validation.coverage, validation.coverage_files.len()), (Some(71.4), 2));
    let fact = |name: &str| view.summary.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
    assert_eq!(fact("summary.duration"), Some(&FactValue::Duration(3_240_000.0)));
    assert_eq!(fact("summary.debug.root_cause_found"), Some(&FactValue::Flag(true)));
}

#[test]
fn coverage_is_shown_by_file() {
    let validation = read(MASTER, &[file(Kind::Coverage, COVERAGE)]).validation.expect("a section");
    let files: Vec<_> = validation
        .coverage_files
        .iter()
        .map(|file| (file.path.as_str(), file.statements, file.lines))
        .collect();
    assert_eq!(
        files,
        [("src/auth/login.ts", Some(88.0), Some(88.0)), ("src/auth/lockout.ts", Some(54.8), Some(56.2))]
    );
}

#[test]
fn everything_with_a_time_is_one_timeline() {
    let files = [
        file(Kind::DevelopDoc, DEVELOP),
        file(Kind::DebugDoc, DEBUG),
        file(Kind::ChangesLog, CHANGES),
        file(Kind::DebugLog, LOG),
    ];
    let view = read(MASTER, &files);
    assert!(view.times_shifted);
    let kinds: Vec<_> = view.events.iter().map(|event| event.kind).collect();
    let of = |kind| kinds.iter().filter(|known| **known == kind).count();
    assert_eq!((of(EventKind::DevelopEntry), of(EventKind::ChangeLog), of(EventKind::DebugLog)), (4, 4, 6));
    assert_eq!((of(EventKind::DebugEntry), of(EventKind::ValidateEntry)), (1, 1));
    assert_eq!(view.events_total as usize, view.events.len());
    let times: Vec<_> = view.events.iter().filter_map(|event| event.time.as_ref()?.ms).collect();
    assert!(times.len() == view.events.len() && times.is_sorted(), "{times:?}");
    let done = view.events.iter().find(|event| event.kind == EventKind::ChangeLog && event.files.len() == 3);
    let done = done.expect("there");
    assert_eq!((done.subject.as_deref(), done.file.as_str()), (Some("task-002"), "ChangesLog"));
    assert!(done.time.as_ref().is_some_and(|time| time.shifted), "the skill's clock is eight hours ahead");
    let entry = view.events.iter().find(|event| event.kind == EventKind::DevelopEntry).expect("there");
    assert_eq!((entry.iteration, entry.subject.as_deref()), (Some(1.0), Some("task-001")));
    let run = view.events.iter().find(|event| event.kind == EventKind::ValidateEntry).expect("there");
    assert_eq!((run.text.as_str(), run.iteration, run.file.as_str()), ("2/4", Some(1.0), ""));
    let took = view.validation.as_ref().and_then(|validation| validation.runs[0].duration_ms);
    assert_eq!(run.says, EventSays::TestRun { passed: 2, total: 4, duration_ms: took });
}

#[test]
fn of_a_cut_log_the_window_is_told() {
    let log = Companion { cut: true, ..file(Kind::DebugLog, LOG) };
    assert_eq!(read(MASTER, &[log, file(Kind::ChangesLog, CHANGES)]).cut_files, ["DebugLog"]);
}
