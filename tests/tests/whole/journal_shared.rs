//! Many processes share one journal: each request is recorded, and none is refused because another one
//! writes.
#![allow(
    clippy::disallowed_methods,
    reason = "the test starts itself as the processes that share the journal"
)]

use loopdeck_core::control::Intent;
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::fingerprint::Fingerprint;
use loopdeck_runtime::store::journal::{
    Journal, LoopRef, Outcome, Plan, RequestLink, Retention, UndoGroup, holder,
};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const JOURNAL: &str = "LOOPDECK_TEST_SHARED_JOURNAL";
const NUMBER: &str = "LOOPDECK_TEST_SHARED_NUMBER";
const PROCESSES: u32 = 8;
const ROUNDS: u32 = 15;
const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "shared.json" };

/// The records of one headless command.
fn command(journal: &mut Journal, number: u32, round: u32) {
    let at = i64::from(number * 1_000 + round);
    let text = format!("{number} {round}");
    let plan = |ask| Plan {
        of: OF,
        word: "pause",
        ask,
        before: (b"what stood there", Timestamp::from_millis(1), true),
        after: (text.as_bytes(), true),
        life: Timestamp::from_millis(0),
        at: Timestamp::from_millis(at),
        group: UndoGroup::begin(),
    };
    let asked = journal.plan(&plan(RequestLink::New(&Intent::Pause))).unwrap();
    journal.mark_landed(&asked, Fingerprint::at(Path::new("/")).unwrap()).unwrap();
    // Starts with a look, which provides the version below.
    let again = journal.plan(&plan(RequestLink::None)).unwrap();
    journal.mark_lost(&again).unwrap();
    journal.keep_foreign(OF, format!("foreign {text}").as_bytes(), Timestamp::from_millis(at), true).unwrap();
    let me = holder(Timestamp::from_millis(at));
    if journal.hold_lease(OF, &me, Timestamp::from_millis(at)).unwrap() {
        journal.give_lease_back(OF, &me).unwrap();
    }
    journal.settle(asked.request.as_ref().unwrap(), Outcome::Settled, Timestamp::from_millis(at)).unwrap();
    journal.note(OF, "deleted", "delete", Timestamp::from_millis(at)).unwrap();
}

/// One of the processes: half of its commands reopen the journal, like separate commands.
#[test]
fn child_that_records() {
    let Some(path) = std::env::var_os(JOURNAL).map(PathBuf::from) else { return };
    let number: u32 = std::env::var(NUMBER).unwrap().parse().unwrap();
    let mut kept = Journal::open(&path, Retention::default());
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            command(&mut kept, number, round);
        } else {
            let mut fresh = Journal::open(&path, Retention::default());
            fresh.check().unwrap();
            command(&mut fresh, number, round);
        }
    }
}

fn process(journal: &Path, number: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "journal_shared::child_that_records", "--nocapture"])
        .env(JOURNAL, journal)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn nobody_is_refused_because_somebody_else_writes() {
    let folder = tempfile::TempDir::with_prefix("loopdeck-shared-").unwrap();
    // It does not even exist yet: all of them create it at the same time.
    let path = folder.path().join("journal.sqlite");
    let processes: Vec<Child> = (0..PROCESSES).map(|number| process(&path, number)).collect();
    for child in processes {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut journal = Journal::open(&path, Retention::default());
    let none = ["a", "b/", "c/", "d/"].map(str::to_owned);
    let events = journal.events(OF, &none, 10_000).unwrap();
    let count = |kind: &str, state: Option<&str>| {
        events.iter().filter(|event| event.kind == kind && event.state.as_deref() == state).count()
    };
    let all = (PROCESSES * ROUNDS) as usize;
    let asked = count("requested", Some("settled")) + count("requested", Some("superseded"));
    assert_eq!((asked, count("deleted", None)), (all, all));
    assert_eq!(journal.unresolved_writes("/w").unwrap(), [], "every write is decided");
    let versions = journal.versions(OF, 10_000).unwrap();
    let ours = versions.iter().filter(|version| version.word.is_some()).count();
    assert_eq!(ours, all, "one landed version of each");
}
