//! Search over all loops: found in what their files say now, at the place where it is shown.

use loopdeck_core::searched::TextKind;
use loopdeck_runtime::views::{SearchAnswer, SearchHit};
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;

const ROOT: &str = ".workflow/.loop";
const FIRST: &str = "loop-v2-20261120T042410-d8ff7e62";
const SECOND: &str = "loop-v2-20261120T042411-d8ff7e62";

fn with_state(id: &str, state: &str) -> String {
    loop_v2(id, "running").trim_end().trim_end_matches('}').to_owned()
        + &format!(r#", "skill_state": {state}}}"#)
}

/// A hypothesis written with escapes, as Python's `json.dump` does, and two files next to the loop.
fn live() -> Live {
    let mut live = Live::with(|workspace| {
        let state = r#"{"debug": {"hypotheses": [
            {"id": "H1", "description": "The session lock is released too early: \u767b\u5f55\u5931\u8d25", "status": "pending"}]},
            "develop": {"total": 1, "completed": 0, "tasks": [
            {"id": "t1", "description": "Rewrite parseConfig", "status": "pending"}]}}"#;
        fs::write(workspace.join(format!("{ROOT}/{FIRST}.json")), with_state(FIRST, state)).unwrap();
        fs::write(workspace.join(format!("{ROOT}/{SECOND}.json")), with_state(SECOND, "{}")).unwrap();
        let progress = workspace.join(format!("{ROOT}/{SECOND}.progress"));
        fs::create_dir_all(&progress).unwrap();
        fs::write(
            progress.join("debug.md"),
            "# Notes\n\nThe café's session\nends <script>alert(1)</script> early\n",
        )
        .unwrap();
        let log = "{\"message\": \"retry 1\"}\n{\"message\": \"deadlock in pool\"}\n";
        fs::write(progress.join("debug.log"), log).unwrap();
    });
    let names = [FIRST, SECOND].map(|id| format!("{id}.json"));
    live.wait_for("both loops", |live| names.iter().all(|name| live.row(name).is_some()));
    live
}

/// The whole answer: on a busy machine it comes in parts.
fn answer(live: &Live, text: &str) -> SearchAnswer {
    let mut whole = SearchAnswer::default();
    loop {
        let part = live.runtime.search(text, whole.next.unwrap_or(0)).unwrap();
        if part.left > 0 {
            continue; // not everything is in the index yet
        }
        whole.loops.extend(part.loops);
        whole.unread += part.unread;
        whole.next = part.next;
        if whole.next.is_none() {
            return whole;
        }
    }
}

/// Each place found: the loop's file, what it is, its item and line.
fn places(live: &Live, text: &str) -> Vec<(String, TextKind, Option<String>, Option<u32>)> {
    let loops = answer(live, text).loops.into_iter();
    let mut places: Vec<_> = loops
        .flat_map(|found| {
            let file = found.key.rsplit('/').next().unwrap().to_owned();
            found.hits.into_iter().map(move |hit| (file.clone(), hit.kind, hit.item, hit.line))
        })
        .collect();
    places.sort();
    places
}

fn hit(live: &Live, text: &str) -> SearchHit {
    answer(live, text).loops.remove(0).hits.remove(0)
}

#[test]
fn a_place_is_found_where_it_is_shown() {
    let live = live();
    let (first, second) = (format!("{FIRST}.json"), format!("{SECOND}.json"));
    let hypothesis = (first.clone(), TextKind::Hypothesis, Some("H1".to_owned()), None);
    let document = |line| (second.clone(), TextKind::Document, Some("debug.md".to_owned()), Some(line));
    let log = (second.clone(), TextKind::Document, Some("debug.log".to_owned()), Some(2));
    for (text, expected) in [
        ("LOCK released", vec![hypothesis.clone()]),
        ("登录", vec![hypothesis.clone()]),
        ("session", vec![hypothesis.clone(), document(3)]),
        ("cafe", vec![document(3)]),
        ("config", vec![(first, TextKind::Task, Some("t1".to_owned()), None)]),
        ("deadlock", vec![log]),
        ("lock café", vec![]),
        ("notThere", vec![]),
        ("  ", vec![]),
    ] {
        assert_eq!(places(&live, text), expected, "{text}");
    }
}

#[test]
fn what_was_found_is_marked_and_stays_text() {
    let live = live();
    let hit = hit(&live, "alert script");
    assert_eq!(hit.text, "ends <script>alert(1)</script> early");
    let marked: Vec<&str> =
        hit.marks.iter().map(|mark| &hit.text[mark.start as usize..mark.end as usize]).collect();
    assert_eq!(marked, ["script", "alert", "script"]);
}

#[test]
fn a_change_is_found_and_what_is_gone_is_not() {
    let mut live = live();
    assert_eq!(places(&live, "lock").len(), 1);
    let name = format!("{FIRST}.json");
    let known = live.row(&name).unwrap().changed;
    live.replace(
        &name,
        with_state(FIRST, r#"{"debug": {"hypotheses": [{"id": "H2", "description": "The clock drifts"}]}}"#),
    );
    live.wait_for("the new version", |live| live.row(&name).is_some_and(|row| row.changed > known));
    let hypotheses: Vec<_> = places(&live, "clock").into_iter().filter_map(|(_, _, item, _)| item).collect();
    assert_eq!((hypotheses, places(&live, "released")), (vec!["H2".to_owned()], vec![]));
    fs::remove_file(live.path(&name)).unwrap();
    live.wait_for("the removal", |live| live.row(&name).is_none());
    assert_eq!(places(&live, "clock"), vec![]);
}
