//! The CCW contract §5.1, byte for byte.

use super::*;
use crate::status::StatusWord;
use loopdeck_text::text_edit;

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
const PAUSED: &str = include_str!(
    "../../../../../tests/fixtures/ccw/paused-with-metadata/loop-v2-20261120T042421-d8ff7e62.json"
);
const STOPPED: &str =
    include_str!("../../../../../tests/fixtures/ccw/stopped/loop-v2-20261120T042421-d8ff7e62.json");

fn carry_out(text: &str, intent: &Intent, shown: StatusWord, now: &str) -> Result<String, Refusal> {
    let now = times::parse(now).expect("time");
    let facts = FileFacts { stem: STEM, modified: now, now };
    let edits = edit(text.as_bytes(), &facts, intent, &Situation { shown, now })?;
    let bytes = text_edit::apply(text.as_bytes(), &edits).expect("edits do not overlap");
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

const LATER: &str = "2026-11-20T04:24:21.927Z";
const RESUME: Intent = Intent::Resume { raise_limit_to: None };

#[test]
fn stop_writes_what_the_server_writes() {
    let stopped = carry_out(PAUSED, &Intent::Stop { reason: Some("x".into()) }, StatusWord::Paused, LATER);
    assert_eq!(stopped.as_deref(), Ok(STOPPED));
}

#[test]
fn reopening_takes_the_end_away() {
    let reopen = Intent::Reopen { raise_limit_to: None };
    let running = carry_out(STOPPED, &reopen, StatusWord::Stopped, "2026-11-20T05:00:00Z");
    let expected = PAUSED
        .replace("\"paused\"", "\"running\"")
        .replace("2026-11-20T04:24:21.915Z", "2026-11-20T05:00:00.000Z");
    assert_eq!(running.as_deref(), Ok(expected.as_str()));
}

#[test]
fn pause_and_resume_touch_two_values() {
    let running = carry_out(PAUSED, &RESUME, StatusWord::Paused, LATER).expect("legal");
    let expected = PAUSED.replace("\"paused\"", "\"running\"").replace("2026-11-20T04:24:21.915Z", LATER);
    assert_eq!(running, expected);
    let paused = carry_out(&running, &Intent::Pause, StatusWord::Interrupted, LATER);
    assert_eq!(paused.as_deref(), Ok(expected.replace("\"running\"", "\"paused\"").as_str()));
}

#[test]
fn the_limit_is_raised_in_the_same_write() {
    let at_limit = PAUSED.replace("\"current_iteration\": 0", "\"current_iteration\": 10");
    assert!(carry_out(&at_limit, &RESUME, StatusWord::Paused, LATER).is_err());
    let raised =
        carry_out(&at_limit, &Intent::Resume { raise_limit_to: Some(15) }, StatusWord::Paused, LATER);
    assert!(raised.is_ok_and(|text| text.contains("\"max_iterations\": 15,\n  \"status\": \"running\"")));
}

fn patched(text: &str, patch: MetadataPatch) -> Result<String, Refusal> {
    carry_out(text, &Intent::EditMetadata(patch), StatusWord::Paused, LATER)
}

#[test]
fn metadata_is_written_removed_and_inserted_in_its_place() {
    let patch = MetadataPatch {
        title: Some("  New \"title\" ".into()),
        max_iterations: Some(100),
        tags: Some(vec![]),
        notes: Some(String::new()),
        ..MetadataPatch::default()
    };
    let edited = patched(PAUSED, patch).expect("legal");
    let expected = PAUSED
        .replace("Refactor logger", "New \\\"title\\\"")
        .replace("\"max_iterations\": 10", "\"max_iterations\": 100")
        .replace("2026-11-20T04:24:21.915Z", LATER)
        .replace(",\n  \"tags\": [\n    \"infra\",\n    \"q1\"\n  ]", "")
        .replace(",\n  \"notes\": \"ask Li before resuming\"", "");
    assert_eq!(edited, expected);
    let skill = edited.replace(",\n  \"priority\": \"high\"", ",\n  \"skill_state\": null");
    let patch = MetadataPatch {
        tags: Some(vec!["a".into()]),
        priority: Some("low".into()),
        notes: Some("n".into()),
        ..MetadataPatch::default()
    };
    let labelled = patched(&skill, patch).expect("legal");
    let labels =
        ",\n  \"tags\": [\n    \"a\"\n  ],\n  \"priority\": \"low\",\n  \"notes\": \"n\",\n  \"skill_state\"";
    assert_eq!(labelled, skill.replace(",\n  \"skill_state\"", labels));
}

#[test]
fn bad_values_are_refused_by_field() {
    let bad = |patch: MetadataPatch| {
        patched(PAUSED, patch).err().and_then(|refusal| {
            assert_eq!(refusal.code, RefusalCode::BadValue);
            refusal.args.get("field").cloned()
        })
    };
    let none = MetadataPatch::default();
    assert_eq!(bad(MetadataPatch { title: Some(" ".into()), ..none.clone() }).as_deref(), Some("title"));
    assert_eq!(bad(MetadataPatch { title: Some("x".repeat(101)), ..none.clone() }).as_deref(), Some("title"));
    assert_eq!(bad(MetadataPatch { title: Some("漢".repeat(100)), ..none.clone() }), None);
    for limit in [0, 101] {
        let patch = MetadataPatch { max_iterations: Some(limit), ..none.clone() };
        assert_eq!(bad(patch).as_deref(), Some("max_iterations"));
    }
    assert_eq!(
        bad(MetadataPatch { priority: Some("urgent".into()), ..none.clone() }).as_deref(),
        Some("priority")
    );
    assert_eq!(bad(MetadataPatch { tags: Some(vec![" ".into()]), ..none.clone() }).as_deref(), Some("tags"));
    assert_eq!(patched(PAUSED, none).as_deref(), Ok(PAUSED), "nothing to change, nothing written");
}

#[test]
fn ambiguous_and_foreign_files_are_not_written() {
    let twice = PAUSED.replace("\"priority\"", "\"status\": \"paused\",\n  \"priority\"");
    let refusal = carry_out(&twice, &RESUME, StatusWord::Paused, LATER).expect_err("ambiguous");
    assert_eq!(refusal.code, RefusalCode::NotEditable);
    let v1 = PAUSED.replace("\"priority\"", "\"cli_sequence\": [],\n  \"priority\"");
    let refusal = carry_out(&v1, &RESUME, StatusWord::Paused, LATER).expect_err("v1");
    assert_eq!(refusal.code, RefusalCode::ReadOnlyFormat);
    let prep = PAUSED.replace("\"priority\"", "\"target_skill\": \"ccw-loop\",\n  \"priority\"");
    assert!(carry_out(&prep, &RESUME, StatusWord::Paused, LATER).is_err());
}
