//! Notes and labels: kept in Loopdeck's own data, in the row, found by search, and in a report when asked for.

use loopdeck_core::searched::TextKind;
use loopdeck_reports::{Format, Options};
use loopdeck_runtime::views::LoopNotes;
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;

const ID: &str = "loop-v2-20261120T042410-d8ff7e62";

fn live() -> (Live, String) {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(format!(".workflow/.loop/{ID}.json")), loop_v2(ID, "paused")).unwrap();
    });
    let name = format!("{ID}.json");
    live.wait_for("the loop", |live| live.row(&name).is_some());
    let key = live.row(&name).unwrap().key.clone();
    (live, key)
}

fn notes() -> LoopNotes {
    LoopNotes { note: "Ask Ana <b>first</b>".into(), labels: vec!["release 2".into(), "登录".into()] }
}

#[test]
fn they_are_shown_found_and_reported_and_the_state_file_stays() {
    let (mut live, key) = live();
    let name = format!("{ID}.json");
    let file = live.read(&name);
    live.runtime.keep_notes(&key, notes()).unwrap();
    live.wait_for("the labels", |live| live.row(&name).is_some_and(|row| row.labels == notes().labels));
    assert_eq!((live.runtime.notes(&key).unwrap(), live.read(&name)), (notes(), file));
    assert_eq!(live.runtime.loop_report(&key).unwrap().notes, notes());
    for text in ["ana first", "登录", "release"] {
        let answer = live.runtime.search(text, 0).unwrap();
        assert_eq!(answer.loops[0].hits[0].kind, TextKind::Note, "{text}");
    }
    let report = |notes| {
        let options = Options { notes, ..Options::default() };
        live.runtime.report((None, None), &options, Format::Html).unwrap()
    };
    assert!(report(true).contains("Ask Ana &lt;b&gt;first&lt;/b&gt;"));
    assert!(!report(false).contains("Ask Ana"));
    live.runtime.keep_notes(&key, LoopNotes::default()).unwrap();
    assert!(live.runtime.search("ana", 0).unwrap().loops.is_empty());
}

#[test]
fn they_are_there_after_the_next_start() {
    let (live, key) = live();
    live.runtime.keep_notes(&key, notes()).unwrap();
    let live = live.restarted();
    assert_eq!(live.runtime.notes(&key).unwrap(), notes());
}
