//! The events of a loop, as its timeline shows them.

use loopdeck_core::control::Verb;
use loopdeck_core::past::{RequestOutcome as Outcome, WriteCause as Cause, WriteState as State};
use loopdeck_core::timeline::{EntryContent as Content, EntryKind, TimelineEntry};
use loopdeck_tests::live::{Live, ROOT, loop_v2, loop_v2_at};
use loopdeck_tests::steps::init;
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

/// The whole timeline of Loopdeck's own actions, oldest first, without the files' own events.
fn ours(live: &Live) -> Vec<TimelineEntry> {
    let mut page = live.runtime.timeline(&live.key(NAME)).unwrap();
    while page.more {
        page = live.runtime.timeline(&live.key(NAME)).unwrap();
    }
    assert_eq!(page.failure, None);
    assert!(page.entries.iter().filter_map(|entry| entry.ms).is_sorted(), "oldest first");
    page.entries.into_iter().filter(|entry| entry.kind == EntryKind::Loopdeck).collect()
}

/// Cause and end of each, and the files written with it.
type Said = (&'static str, Option<Cause>, Option<State>, Option<Outcome>, Vec<String>);

fn said(entries: &[TimelineEntry]) -> Vec<Said> {
    let one = |entry: &TimelineEntry| match entry.content {
        Content::Version { cause, write, .. } => ("version", cause, write, None, entry.files.clone()),
        Content::Write { cause, state } => ("write", cause, state, None, entry.files.clone()),
        Content::Request { cause, outcome } => ("request", cause, None, outcome, entry.files.clone()),
        _ => panic!("{entry:?}"),
    };
    entries.iter().map(one).collect()
}

#[test]
fn requests_and_writes_with_their_ends_oldest_first_and_after_a_restart() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
    });
    assert_eq!(ours(&live), []);
    live.act(NAME, Verb::Start).unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    live.undo(NAME).unwrap();
    let text = vec![format!("{ROOT}/{ID}.progress/develop.md")];
    let landed =
        |cause, files: &[String]| ("version", Some(cause), Some(State::Landed), None, files.to_vec());
    let expected: [Said; 4] = [
        landed(Cause::Start, &[]),
        ("request", Some(Cause::Start), None, Some(Outcome::Undone), Vec::new()),
        landed(Cause::Operate, &text),
        landed(Cause::Undo, &text),
    ];
    let told = ours(&live);
    assert_eq!(said(&told), expected);
    assert!(told[1].took_ms.is_some(), "a request that ended lasted: {told:?}");
    let live = live.restarted();
    assert_eq!(ours(&live), told);
}

#[test]
fn a_request_that_gives_way_to_another_ends_with_it() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
    });
    live.act(NAME, Verb::Start).unwrap();
    live.act(NAME, Verb::Pause).unwrap();
    let requests = |live: &Live| -> Vec<(Said, bool)> {
        let told = ours(live);
        let lasted = told.iter().map(|entry| entry.took_ms.is_some());
        said(&told).into_iter().zip(lasted).filter(|((what, ..), _)| *what == "request").collect()
    };
    let ((_, start, _, outcome, _), lasted) = requests(&live).remove(0);
    assert_eq!((start, outcome, lasted), (Some(Cause::Start), Some(Outcome::Superseded), true));
}

#[test]
fn the_file_says_which_iteration_things_belong_to() {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2_at(ID, "running", 1)).unwrap();
    });
    let key = live.key(NAME);
    live.runtime.open_loop(&key).unwrap();
    assert!(live.runtime.timeline(&key).unwrap().entries.is_empty());
    live.replace(NAME, loop_v2_at(ID, "running", 4).replace("Title of", "Now"));
    live.wait_for("the new title", |live| live.row(NAME).is_some_and(|row| row.title.starts_with("Now")));
    live.act(NAME, Verb::Pause).unwrap();
    let page = live.runtime.timeline(&key).unwrap();
    assert!(!page.entries.is_empty());
    for entry in page.entries {
        assert_eq!(entry.iteration, Some(4.0), "{entry:?}");
    }
}
