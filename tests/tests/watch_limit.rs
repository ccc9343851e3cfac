//! The system's limit of watchers is used up: Loopdeck polls, says so, and recovers.
//!
//! A program of its own: the limit is one for all programs of a user, and other tests need watchers at the same time.

use loopdeck_tests::live::{Live, loop_v2_at};

const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

/// More than the usual limit of 128, fewer than the files a process may have open (1,024 by default).
const MANY: usize = 900;

fn iteration(live: &Live) -> Option<f64> {
    live.row(NAME).and_then(|row| row.iteration).map(|bar| bar.current)
}

#[test]
fn used_up_watchers_are_said_and_the_changes_show_all_the_same() {
    // All of this user's watchers: the next one is refused, as on a machine with many editors open.
    let mut taken: Vec<rustix::fd::OwnedFd> = Vec::new();
    while let Ok(watcher) = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC) {
        taken.push(watcher);
        if taken.len() == MANY {
            println!("not tried: this system allows more than {MANY} watchers");
            return;
        }
    }
    let mut live = Live::new();
    let watching = live.runtime.changes(0).watching;
    assert_eq!((watching.polling, watching.reason.as_deref()), (Some(2), Some("limit")));
    live.write(NAME, loop_v2_at(ID, "paused", 1));
    live.wait_for("a change without a watcher", |live| iteration(live) == Some(1.0));
    // It recovers by itself.
    drop(taken);
    live.wait_for("a watcher again", |live| live.runtime.changes(0).watching.polling.is_none());
    live.replace(NAME, loop_v2_at(ID, "paused", 2));
    live.wait_for("a change with a watcher", |live| iteration(live) == Some(2.0));
}
