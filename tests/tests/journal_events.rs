//! What happened to a loop, as its timeline shows it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::Verb;
use loopdeck_runtime::rows::{JournalEventKind as Kind, JournalState as State, WriteCause as Cause};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use loopdeck_tests::steps::{begin, init};
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

type Said = (Kind, Option<Cause>, Option<State>, String, Vec<String>);

fn events(live: &Live, limit: u32) -> Vec<Said> {
    let events = live.runtime.events(&live.key(NAME), limit).unwrap();
    assert!(events.iter().rev().is_sorted_by(|before, after| before.at <= after.at), "newest first");
    events.into_iter().map(|event| (event.kind, event.cause, event.state, event.file, event.beside)).collect()
}

#[test]
fn requests_writes_and_ends_newest_first_and_after_a_restart() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
    });
    assert_eq!(events(&live, 10), []);
    live.act(NAME, Verb::Start).unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    live.undo(NAME).unwrap();
    let (state, text) = (format!("{ROOT}/{NAME}"), format!("{ROOT}/{ID}.progress/develop.md"));
    let said = |kind, cause, state_is, beside: &[&String]| {
        (kind, cause, Some(state_is), state.clone(), beside.iter().map(|file| (*file).clone()).collect())
    };
    let expected: [Said; 5] = [
        said(Kind::Write, Some(Cause::Undo), State::Landed, &[&text]),
        said(Kind::Settled, None, State::Undone, &[]),
        said(Kind::Write, Some(Cause::Operate), State::Landed, &[&text]),
        said(Kind::Write, Some(Cause::Start), State::Landed, &[]),
        said(Kind::Requested, Some(Cause::Start), State::Undone, &[]),
    ];
    assert_eq!(events(&live, 10), expected);
    assert_eq!(events(&live, 3), expected[..2], "of the newest three writes and ends");
    let live = live.restarted();
    assert_eq!(events(&live, 10), expected);
}

#[test]
fn a_step_that_wrote_only_the_state_file_is_no_event_by_itself() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
    });
    live.act(NAME, Verb::Start).unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    live.change(NAME, begin("task-001")).unwrap();
    let versions = live.runtime.history(&live.key(NAME), 10).unwrap();
    let notable: Vec<_> = versions.iter().map(|version| (version.cause, version.notable)).collect();
    let (begun, planned) = ((Some(Cause::Operate), false), (Some(Cause::Operate), true));
    assert_eq!(notable, [begun, planned, (Some(Cause::Start), true), (None, false)]);
}
