//! What a lead sees of all loops: counted from files, the most urgent first, and up to date.

use loopdeck_core::control::Verb;
use loopdeck_core::facts::{LoopOutcome, RiskKind};
use loopdeck_runtime::views::{LoopReport, Overview, SectionKind, Settings, VerbOptions};
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;
use std::time::{Duration, SystemTime};

const ROOT: &str = ".workflow/.loop";

fn id(number: u32) -> String {
    format!("loop-v2-20261120T0424{number:02}-d8ff7e62")
}

/// Workspaces with one loop in each of these states.
fn live(statuses: &[&str]) -> Live {
    let mut live = Live::with(|workspace| {
        for (number, status) in (10..).zip(statuses) {
            fs::write(workspace.join(format!("{ROOT}/{}.json", id(number))), loop_v2(&id(number), status))
                .unwrap();
        }
    });
    let names: Vec<String> = (10..).zip(statuses).map(|(number, _)| format!("{}.json", id(number))).collect();
    live.wait_for("every loop", |live| names.iter().all(|name| live.row(name).is_some()));
    live
}

fn overview(live: &Live) -> Overview {
    let mut overview = live.runtime.overview(50).unwrap();
    while overview.left > 0 {
        overview = live.runtime.overview(50).unwrap();
    }
    overview
}

fn reports(overview: &Overview, kind: SectionKind) -> Vec<&LoopReport> {
    let section = overview.sections.iter().find(|section| section.kind == kind);
    section.into_iter().flat_map(|section| &section.loops).collect()
}

#[test]
fn every_loop_is_in_one_section_and_the_sections_are_in_order() {
    let live = live(&["running", "paused", "failed", "completed", "created", "completed"]);
    let overview = overview(&live);
    let total: u32 = overview.sections.iter().map(|section| section.total).sum();
    assert_eq!((total, overview.totals.loops), (6, 6));
    let kinds: Vec<SectionKind> = overview.sections.iter().map(|section| section.kind).collect();
    assert!(kinds.is_sorted(), "{kinds:?}");
    assert_eq!(reports(&overview, SectionKind::Finished).len(), 2);
    assert_eq!(reports(&overview, SectionKind::NeedsPerson).len(), 1);
    assert_eq!(reports(&overview, SectionKind::Waiting).len(), 2);
    assert!(overview.sections.iter().flat_map(|section| &section.loops).all(|report| report.facts.is_some()));
}

#[test]
fn a_failed_loop_needs_the_person_until_it_is_opened() {
    let live = live(&["failed", "completed"]);
    let before = overview(&live);
    assert_eq!((before.totals.needs_person, live.runtime.needing()), (1, 1));
    let failed = reports(&before, SectionKind::NeedsPerson)[0];
    let opened = [(failed.key.clone(), failed.changed)].into();
    live.runtime.save_settings(Settings { opened, ..live.runtime.settings() }).unwrap();
    let after = overview(&live);
    assert_eq!((after.totals.needs_person, live.runtime.needing()), (0, 0));
    assert_eq!(reports(&after, SectionKind::Failed).len(), 1);
}

#[test]
fn facts_follow_the_file_and_only_news_is_new() {
    let mut live = live(&["failed", "completed"]);
    let before = overview(&live);
    assert_eq!((before.totals.needs_person, before.totals.finished_since, before.visited), (1, 1, None));
    live.runtime.visit_overview().unwrap();
    let seen = overview(&live);
    assert_eq!((seen.totals.failed_since, seen.totals.finished_since), (0, 0));
    let name = format!("{}.json", id(11));
    let text = live.read(&name).trim_end().trim_end_matches('}').to_owned()
        + r#", "skill_state": {"develop": {"total": 2, "completed": 1, "tasks": [
            {"id": "t1", "description": "x", "status": "completed", "files_changed": ["a.rs", "b.rs"]},
            {"id": "t2", "description": "y", "status": "failed"}]}}}"#;
    let known = live.row(&name).unwrap().changed;
    live.replace(&name, &text);
    // The file system's clock may be some milliseconds behind the one that visits are noted with.
    let later = SystemTime::now() + Duration::from_secs(1);
    fs::File::options().write(true).open(live.path(&name)).unwrap().set_modified(later).unwrap();
    live.wait_for("the new version", |live| live.row(&name).is_some_and(|row| row.changed > known + 500.0));
    let after = overview(&live);
    assert_eq!((after.totals.failed_since, after.totals.finished_since), (0, 1));
    let facts = reports(&after, SectionKind::Finished)[0].facts.clone().unwrap();
    assert_eq!(facts.tasks.map(|tasks| (tasks.done, tasks.total)), Some((1, 2)));
    assert!(facts.risks.iter().any(|risk| risk.kind == RiskKind::FailedWork && risk.count == 1), "{facts:?}");
}

#[test]
fn the_last_visit_is_remembered() {
    let live = live(&["completed"]);
    live.runtime.visit_overview().unwrap();
    let live = live.restarted();
    assert!(live.runtime.overview(9).unwrap().visited.is_some());
}

#[test]
fn a_damaged_file_needs_a_person_and_a_hostile_title_stays_text() {
    let mut live = live(&["running"]);
    let hostile = format!("<script>alert(1)</script>{}", "字".repeat(200_000));
    live.write("loop-v2-20261120T042477-d8ff7e62.json", "{\"loop_id\": \"loop-v2-torn");
    let text = loop_v2("loop-v2-20261120T042478-d8ff7e62", "paused").replacen("Title of", &hostile, 1);
    assert!(text.contains("<script>"));
    live.write("loop-v2-20261120T042478-d8ff7e62.json", text);
    live.wait_for("both", |live| live.rows.len() == 3 && live.rows.values().any(|row| row.errors > 0));
    let overview = overview(&live);
    let needs = reports(&overview, SectionKind::NeedsPerson);
    let damaged = needs.iter().find(|report| report.outcome == LoopOutcome::Failed).unwrap();
    assert!(damaged.need_since.is_some());
    let waiting = reports(&overview, SectionKind::Waiting);
    let title = &waiting[0].title;
    assert!(title.starts_with("<script>") && title.chars().count() <= 201, "{} {title}", title.len());
}

#[test]
fn a_section_is_shown_as_far_as_asked_and_counted_whole() {
    let live = live(&["completed", "completed", "completed"]);
    let part = live.runtime.overview(1).unwrap();
    assert_eq!((part.sections[0].total, part.sections[0].loops.len()), (3, 1));
}

#[test]
fn a_loop_that_is_started_here_moves_at_once() {
    let mut live = live(&["paused"]);
    let name = format!("{}.json", id(10));
    assert_eq!(reports(&overview(&live), SectionKind::Waiting).len(), 1);
    live.act(&name, Verb::Stop).unwrap();
    live.wait_for("the stop", |live| live.row(&name).is_some_and(|row| row.file_word == "failed"));
    let stopped = overview(&live);
    assert_eq!(reports(&stopped, SectionKind::Waiting)[0].outcome, LoopOutcome::Stopped);
}

#[test]
fn a_limit_that_a_person_raised_is_a_risk() {
    let mut live = live(&["paused"]);
    let name = format!("{}.json", id(10));
    let key = live.row(&name).unwrap().key.clone();
    assert_eq!(live.runtime.loop_report(&key).unwrap().runs, None);
    let options = VerbOptions { raise_limit_to: Some(40), ..VerbOptions::default() };
    live.runtime.act(&key, Verb::Resume, options).unwrap();
    live.wait_for("the resume", |live| live.row(&name).is_some_and(|row| row.file_word == "running"));
    let runs = live.runtime.loop_report(&key).unwrap().runs.unwrap();
    assert_eq!((runs.limits_raised, runs.runs), (1, 0));
}
