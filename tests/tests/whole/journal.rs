//! The past of a loop: every write of ours can be undone, older versions can be restored, and none of it
//! grows forever.

use loopdeck_agents::outcome::Outcome;
use loopdeck_core::control::{Intent, MetadataPatch, Verb};
use loopdeck_core::driver::{Memory, QuestionCode};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_runtime::clock;
use loopdeck_runtime::fingerprint::Fingerprint;
use loopdeck_runtime::store::journal::{Journal, LoopRef, Plan, RequestLink, Retention, UndoGroup};
use loopdeck_runtime::views::{FailureKind, LoopRow, VersionView, VersionWriter, WriteCause};
use loopdeck_tests::live::{Live, loop_v2, loop_v2_at};
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const FILE: &str = ".workflow/.loop/loop-v2-20261120T042421-d8ff7e62.json";

fn live_with(text: &str) -> Live {
    live_started(Retention::default(), text)
}

fn live_started(retention: Retention, text: &str) -> Live {
    let mut live = Live::start(
        |options| options.retention = retention,
        |workspace| fs::write(workspace.join(FILE), text).unwrap(),
    );
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    live
}

fn history(live: &Live) -> Vec<VersionView> {
    live.runtime.history(&live.key(NAME), 100).unwrap()
}

fn rename(live: &Live, title: &str) {
    let patch = MetadataPatch { title: Some(title.into()), ..Default::default() };
    live.runtime.edit_metadata(&live.key(NAME), patch).unwrap();
}

/// The whole text of a version.
fn text_of(live: &Live, version: &VersionView) -> String {
    live.runtime.version_source(&live.key(NAME), version.id, 1, 100).unwrap().lines.join("\n")
}

#[test]
fn undo_restores_the_bytes_and_can_be_undone() {
    let before = loop_v2(ID, "running");
    let mut live = live_with(&before);
    live.act(NAME, Verb::Pause).unwrap();
    let paused = live.read(NAME);
    live.runtime.undo(&live.key(NAME)).unwrap();
    assert_eq!(live.read(NAME), before);
    live.wait_for("the request is gone", |live| live.row(NAME).is_some_and(|row| row.request.is_none()));
    live.runtime.undo(&live.key(NAME)).unwrap();
    assert_eq!(live.read(NAME), paused, "undone twice");
    let undone: Vec<_> = history(&live).iter().map(|version| version.cause).collect();
    assert_eq!(undone, [Some(WriteCause::Undo), Some(WriteCause::Undo), Some(WriteCause::Pause), None]);
}

#[test]
fn what_was_undone_is_not_sent_again() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Pause).unwrap();
    live.runtime.undo(&live.key(NAME)).unwrap();
    live.replace(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for("the agent's write", |live| {
        live.row(NAME).is_some_and(|row| row.iteration.is_some_and(|bar| bar.current > 1.0))
    });
    let live = live.restarted();
    assert!(live.row(NAME).unwrap().request.is_none());
    assert!(live.read(NAME).contains("\"running\""));
}

#[test]
fn undo_is_refused_after_a_foreign_change_and_without_a_write_of_ours() {
    let live = live_with(&loop_v2(ID, "paused"));
    let refused = live.runtime.undo(&live.key(NAME)).unwrap_err();
    assert_eq!(refused.kind, FailureKind::NothingToUndo);
    rename(&live, "Ours");
    let theirs = live.read(NAME).replace("Ours", "Theirs");
    live.write(NAME, &theirs);
    let refused = live.runtime.undo(&live.key(NAME)).unwrap_err();
    assert_eq!(refused.kind, FailureKind::ChangedSince);
    assert_eq!(live.read(NAME), theirs);
    // Their version is in the history, and so is ours.
    let writers: Vec<_> = history(&live).iter().map(|version| (version.who, version.current)).collect();
    let (ours, foreign) = (VersionWriter::Ours, VersionWriter::Foreign);
    assert_eq!(writers, [(foreign, true), (ours, false), (foreign, false)]);
}

#[test]
fn the_past_can_be_read_and_survives_a_restart() {
    let before = loop_v2(ID, "paused");
    let live = live_with(&before);
    for n in 1..=3 {
        rename(&live, &format!("Version {n}"));
    }
    let live = live.restarted();
    let versions = history(&live);
    assert_eq!(versions.len(), 4);
    assert_eq!(versions.iter().filter(|version| version.current).count(), 1);
    assert!(versions[0].current && text_of(&live, &versions[1]).contains("Version 2"));
    assert_eq!(text_of(&live, &versions[3]), before);
    let page = live.runtime.version(&live.key(NAME), versions[2].id).unwrap();
    assert!(page.detail.controls.is_empty() && page.row.verbs.is_empty());
    let unknown = live.runtime.version(&live.key(NAME), 99_999).unwrap_err();
    assert_eq!(unknown.kind, FailureKind::UnknownVersion);
    live.runtime.undo(&live.key(NAME)).unwrap();
    assert!(live.read(NAME).contains("Version 2"), "undone after a restart");
}

#[test]
fn a_past_version_tells_what_was_true_then() {
    let mut live = live_with(&loop_v2(ID, "paused"));
    rename(&live, "Renamed");
    live.replace(NAME, loop_v2_at(ID, "completed", 7).replace("Title of", "New title of"));
    live.wait_for_word(NAME, StatusWord::Completed);
    let versions = history(&live);
    let row_of = |version: &VersionView| live.runtime.version(&live.key(NAME), version.id).unwrap().row;
    let (then, now) = (row_of(versions.last().unwrap()), row_of(&versions[0]));
    assert_eq!((then.word, then.file_word.as_str()), (StatusWord::Paused, "paused"));
    assert_eq!((now.word, now.file_word.as_str()), (StatusWord::Completed, "completed"));
    let iteration = |row: &LoopRow| row.iteration.map(|bar| bar.current.to_string());
    assert_eq!((iteration(&then).as_deref(), iteration(&now).as_deref()), (Some("1"), Some("7")));
    assert!(then.title.starts_with("Title") && now.title.starts_with("New title"));
    assert_eq!(then.changed.to_bits(), versions.last().unwrap().at.to_bits());
}

#[test]
fn a_damaged_file_shows_its_last_good_version_and_can_be_restored() {
    for damage in ["{\"loop_id\": \"loop-v2-torn", "", "{}{}"] {
        let live = live_with(&loop_v2(ID, "paused"));
        rename(&live, "Known");
        let good = live.read(NAME);
        live.write(NAME, damage);
        // A start that has never seen a complete version.
        let mut live = live.restarted();
        live.wait_for_word(NAME, StatusWord::CannotRead);
        assert_eq!(live.row(NAME).unwrap().title, "Known", "{damage}");
        let page = live.runtime.open_loop(&live.key(NAME)).unwrap();
        assert!(page.last_good.is_some());
        let newest = history(&live)[0].clone();
        assert!(!newest.current);
        live.runtime.restore(&live.key(NAME), newest.id).unwrap();
        assert_eq!(live.read(NAME), good);
        live.wait_for_word(NAME, StatusWord::Paused);
        live.runtime.undo(&live.key(NAME)).unwrap();
        assert_eq!(live.read(NAME), damage, "the damaged bytes are kept too");
    }
}

#[test]
fn foreign_versions_of_an_open_loop_are_kept_at_most_one_a_second_and_the_last_always() {
    let mut live = live_with(&loop_v2(ID, "paused"));
    live.runtime.open_loop(&live.key(NAME)).unwrap();
    for n in 1..=40 {
        live.replace(NAME, loop_v2_at(ID, "paused", n));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    // Not kept by reading: the last state is overwritten before anyone requests it.
    live.replace(NAME, loop_v2_at(ID, "paused", 90));
    live.wait_for("the last one", |live| {
        live.row(NAME).is_some_and(|row| row.iteration.is_some_and(|bar| bar.current > 89.0))
    });
    let versions = history(&live);
    assert!(versions.len() <= 8, "{}", versions.len());
    assert!(versions.iter().any(|version| text_of(&live, version).contains("\"current_iteration\": 40")));
}

#[test]
fn the_past_is_bounded_and_the_file_shrinks() {
    let retention = Retention { bytes: 300_000, ..Retention::default() };
    let long = format!("\"description\": \"{}\"", "x".repeat(100_000));
    let live = live_started(retention, &loop_v2(ID, "paused").replace("\"description\": \"\"", &long));
    for n in 1..=30 {
        rename(&live, &format!("Version {n}"));
    }
    let journal = live.workspace.parent().unwrap().join("data/journal.sqlite");
    // Housekeeping comes two seconds after the last write.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let size = fs::metadata(&journal).unwrap().len();
        let versions = history(&live).len();
        if versions <= 6 && size < 900_000 {
            // Twice the bound: the last ten do not fit.
            assert!(versions >= 5, "{versions}");
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{size} bytes, {versions} versions");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(fs::metadata(journal.with_extension("sqlite-wal")).unwrap().len() < 5 << 20);
}

/// A write that has to make the log longer waits for the disk once more than one that overwrites.
#[test]
fn the_log_keeps_its_place_on_the_disk_and_what_is_in_it() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("journal.sqlite");
    let mut journal = Journal::open(&path, Retention::default());
    let plan = |journal: &mut Journal, n: i64| {
        let (at, text) = (clock::now(), format!("{n:0>20000}"));
        let plan = Plan {
            of: LoopRef { workspace: "/w", file: FILE },
            word: "pause",
            ask: RequestLink::New(&Intent::Pause),
            before: (b"old", at, true),
            after: (text.as_bytes(), true),
            life: at,
            at,
            group: UndoGroup::begin(),
        };
        journal.plan(&plan).unwrap();
    };
    (1..=20).for_each(|n| plan(&mut journal, n));
    let length = || fs::metadata(path.with_extension("sqlite-wal")).unwrap().len();
    journal.checkpoint_and_prune().unwrap();
    let before = length();
    (21..=30).for_each(|n| plan(&mut journal, n));
    assert_eq!(length(), before);
    let mut seen = Journal::open_for_reading(&path, Retention::default()).unwrap();
    assert_eq!(seen.unresolved_writes("/w").unwrap().len(), 30);
}

#[test]
fn our_own_last_write_is_no_sign_of_life_after_a_restart() {
    let mut live = live_with(&loop_v2(ID, "paused"));
    live.act(NAME, Verb::Resume).unwrap();
    live.wait_for_word(NAME, StatusWord::Interrupted);
    rename(&live, "Renamed by us");
    let mut live = live.restarted();
    assert_eq!(live.row(NAME).unwrap().word, StatusWord::Interrupted, "only we wrote");
    live.replace(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
}

/// Written by the last Loopdeck whose journal had no version: a pause, a resume, an edit, its undo, and a stop.
const OLDER: &[u8] = include_bytes!("../../fixtures/journal/before-migrations.sqlite");

#[test]
fn a_journal_from_before_versions_opens_with_everything_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    fs::write(&path, OLDER).unwrap();
    let mut journal = Journal::open(&path, Retention::default());
    let workspace = "/home/ana/code/shop";
    let file = ".workflow/.loop/loop-v2-20261120T042421-fixture1.json";
    let of = LoopRef { workspace, file };
    let open = journal.open_requests(workspace).unwrap();
    assert_eq!(
        open.iter().map(|request| &request.intent).collect::<Vec<_>>(),
        [&Intent::Stop { reason: None }]
    );
    let versions = journal.versions(of, 100).unwrap();
    assert_eq!(versions.len(), 6);
    for version in versions {
        let (_, bytes) = journal.version(of, version.id).unwrap().unwrap();
        assert!(String::from_utf8(bytes).unwrap().contains("A journal of an older version opens."));
    }
}

/// Written by the last Loopdeck whose runs, records and views were one type: a task that failed once and was done, another
/// one, a test run that left nothing to read, and the question about it.
const WITH_RUNS: &[u8] = include_bytes!("../../fixtures/journal/with-runs.sqlite");

#[test]
fn runs_and_the_memory_of_a_driver_that_an_older_version_kept_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    fs::write(&path, WITH_RUNS).unwrap();
    let mut journal = Journal::open(&path, Retention::default());
    let of = LoopRef {
        workspace: "/home/ana/code/shop",
        file: ".workflow/.loop/loop-v2-20261125T161349-ee79f38a.json",
    };
    let runs = journal.runs(of, 9).unwrap();
    let told: Vec<_> = runs
        .iter()
        .rev()
        .map(|run| (run.action.word(), run.task.as_deref(), run.outcome, run.exit_code, run.is_tests()))
        .collect();
    assert_eq!(
        told,
        [
            ("develop", Some("task-001"), Some(Outcome::TaskFailed), Some(1), false),
            ("develop", Some("task-001"), Some(Outcome::Ok), Some(0), false),
            ("develop", Some("task-002"), Some(Outcome::Ok), Some(0), false),
            ("validate", None, Some(Outcome::Ok), Some(0), true),
        ]
    );
    let first = runs.last().unwrap();
    let took = first.ended.unwrap().since(first.started);
    assert_eq!((first.started.millis(), took.num_milliseconds()), (1_795_623_238_885, 31));
    assert_eq!(journal.spent(of).unwrap().worked, Some(TimeDelta::milliseconds(83)));
    assert_eq!(journal.plan_of(of).unwrap().unwrap().agent, "shell");
    let memory: Memory = serde_json::from_str(&journal.memory(of).unwrap().unwrap()).unwrap();
    assert_eq!(memory.question.unwrap().code, QuestionCode::TestsCannotRun);
    assert!(memory.v2.untested && memory.v2.debug_log.ends_with("/debug.log"));
    assert_eq!(memory.worked_ms, Some(83.0));
}

fn companions_of(stem: &str) -> [String; 4] {
    [".tasks.jsonl", ".progress/", ".workers/", "/"].map(|end| format!(".workflow/.loop/{stem}{end}"))
}

#[test]
fn what_an_older_version_wrote_together_is_still_undone_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    fs::write(&path, WITH_RUNS).unwrap();
    let mut journal = Journal::open(&path, Retention::default());
    let stem = "loop-v2-20261125T161349-ee79f38a";
    let file = format!(".workflow/.loop/{stem}.json");
    let of = LoopRef { workspace: "/home/ana/code/shop", file: &file };
    // The last four changes wrote the state only; the one before them three files.
    for at in [1_795_623_239_144, 1_795_623_239_137, 1_795_623_239_132, 1_795_623_239_081] {
        let last = journal.last_group(of, &companions_of(stem)).unwrap();
        assert_eq!(last.iter().map(|write| write.at.millis()).collect::<Vec<_>>(), [at]);
        journal.taken_back(&last[0]).unwrap();
    }
    let last = journal.last_group(of, &companions_of(stem)).unwrap();
    let files: Vec<&str> = last.iter().map(|write| write.file.rsplit('/').next().unwrap()).collect();
    assert_eq!(files, [&format!("{stem}.json"), "develop.md", "changes.log"]);
}

#[test]
fn changes_of_two_programs_in_one_millisecond_are_undone_apart() {
    let mut journal = Journal::in_memory(Retention::default()).unwrap();
    let mut landed = |file: &str, group| {
        let plan = Plan {
            of: LoopRef { workspace: "/w", file },
            word: "operate",
            ask: RequestLink::None,
            before: (b"old", Timestamp::from_millis(1), true),
            after: (b"new", true),
            life: Timestamp::from_millis(0),
            at: Timestamp::from_millis(7),
            group,
        };
        let planned = journal.plan(&plan).unwrap();
        journal.mark_landed(&planned, Fingerprint::GONE).unwrap();
    };
    let (ours, theirs) = (UndoGroup::begin(), UndoGroup::begin());
    landed(FILE, theirs);
    landed(FILE, ours);
    landed(&FILE.replace(".json", ".progress/develop.md"), ours);
    let last = journal.last_group(LoopRef { workspace: "/w", file: FILE }, &companions_of(ID)).unwrap();
    assert_eq!(last.iter().map(|write| write.group).collect::<Vec<_>>(), [ours, ours]);
}
