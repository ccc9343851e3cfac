//! A journal in trouble: nothing is written that cannot be recorded and undone, and it recovers by itself.

use loopdeck_core::control::Verb;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::faults::SmallDisk;
use loopdeck_tests::live::{Live, loop_v2, loop_v2_at};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const FILE: &str = ".workflow/.loop/loop-v2-20261120T042421-d8ff7e62.json";

fn live_on(disk: &SmallDisk) -> Live {
    let data = disk.path().join("data");
    let mut live = Live::start(
        |options| options.dirs.data = data,
        |workspace| fs::write(workspace.join(FILE), loop_v2(ID, "running")).unwrap(),
    );
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    live
}

fn refused_without_a_trace(live: &Live, verb: Verb) {
    let before = live.read(NAME);
    let failure = live.act(NAME, verb).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::OwnData | FailureKind::NoUndo), "{failure:?}");
    assert!(!failure.args["reason"].is_empty());
    assert_eq!(live.read(NAME), before);
    assert_eq!(fs::read_dir(live.path("")).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn on_a_full_disk_nothing_is_written_and_it_goes_on_when_there_is_room() {
    let disk = SmallDisk::mount(1_024);
    let live = live_on(&disk);
    live.act(NAME, Verb::Pause).unwrap();
    let filler = disk.fill();
    for _ in 0..3 {
        refused_without_a_trace(&live, Verb::Resume);
    }
    // Earlier records are still there, and readable.
    assert_eq!(live.runtime.history(&live.key(NAME), 10).unwrap().len(), 2);
    fs::remove_file(filler).unwrap();
    live.act(NAME, Verb::Resume).unwrap();
    assert!(live.read(NAME).contains("\"running\""));
    let live = live.restarted();
    assert!(live.runtime.history(&live.key(NAME), 10).unwrap().len() >= 3);
}

#[test]
fn a_request_undone_while_the_disk_is_full_is_sent_again_when_there_is_room() {
    let disk = SmallDisk::mount(1_024);
    let mut live = live_on(&disk);
    live.act(NAME, Verb::Pause).unwrap();
    let filler = disk.fill();
    live.replace(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for("the agent's write", |live| live.row(NAME).is_some_and(|row| row.file_word == "running"));
    fs::remove_file(filler).unwrap();
    live.wait_for("sent again", |live| {
        live.row(NAME).is_some_and(|row| row.request.as_ref().is_some_and(|request| request.sent_again == 1))
    });
    assert!(live.read(NAME).contains("\"paused\""));
}

#[test]
fn a_restart_on_a_full_disk_keeps_the_past() {
    let disk = SmallDisk::mount(1_024);
    let live = live_on(&disk);
    live.act(NAME, Verb::Pause).unwrap();
    let filler = disk.fill();
    let live = live.restarted();
    refused_without_a_trace(&live, Verb::Resume);
    fs::remove_file(filler).unwrap();
    let live = live.restarted();
    assert_eq!(live.runtime.history(&live.key(NAME), 10).unwrap().len(), 2);
    live.act(NAME, Verb::Resume).unwrap();
}

#[test]
fn with_a_read_only_data_folder_loops_are_shown_and_writes_refused() {
    let disk = SmallDisk::mount(1_024);
    disk.read_only(true);
    let live = live_on(&disk);
    refused_without_a_trace(&live, Verb::Pause);
    disk.read_only(false);
    live.act(NAME, Verb::Pause).unwrap();
    assert!(live.read(NAME).contains("\"paused\""));
}

#[test]
fn a_data_folder_removed_under_us_is_made_anew() {
    let disk = SmallDisk::mount(1_024);
    let live = live_on(&disk);
    live.act(NAME, Verb::Pause).unwrap();
    fs::remove_dir_all(disk.path().join("data")).unwrap();
    live.act(NAME, Verb::Resume).unwrap();
    assert!(disk.path().join("data/journal.sqlite").exists(), "the request must be where a restart finds it");
}

#[test]
fn a_journal_that_is_none_is_set_aside() {
    let disk = SmallDisk::mount(1_024);
    let data = disk.path().join("data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("journal.sqlite"), "no database ".repeat(1_000)).unwrap();
    let live = live_on(&disk);
    live.act(NAME, Verb::Pause).unwrap();
    let mode = fs::metadata(data.join("journal.sqlite")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "copies of private files stay private");
    assert!(data.join("journal.sqlite.unreadable").exists());
    assert_eq!(live.runtime.history(&live.key(NAME), 10).unwrap().len(), 2);
    // One that comes after it does not take its place.
    drop(live);
    ["-wal", "-shm"]
        .iter()
        .for_each(|ending| drop(fs::remove_file(data.join(format!("journal.sqlite{ending}")))));
    fs::write(data.join("journal.sqlite"), "none either ".repeat(1_000)).unwrap();
    drop(live_on(&disk));
    let first = fs::read_to_string(data.join("journal.sqlite.unreadable")).unwrap();
    let second = fs::read_to_string(data.join("journal.sqlite.unreadable-2")).unwrap();
    assert!(first.starts_with("no database") && second.starts_with("none either"));
}
