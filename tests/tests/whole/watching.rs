//! Every write by anyone shows, bursts end in their last state, and nothing half-written is taken for damage.

use loopdeck_core::control::Verb;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{Live, aot, loop_v2, loop_v2_at};
use std::fs;
use std::io::Write as _;

const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

fn iteration(live: &Live) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
    live.row(NAME).and_then(|row| row.iteration).map(|bar| bar.current as u32)
}

fn every_kind_of_write_shows(live: &mut Live) {
    for round in 0..5 {
        let n = round * 10;
        live.write(NAME, loop_v2_at(ID, "paused", n + 1));
        live.wait_for("an in-place write", |live| iteration(live) == Some(n + 1));
        live.replace(NAME, loop_v2_at(ID, "paused", n + 2));
        live.wait_for("a rename over it", |live| iteration(live) == Some(n + 2));
        fs::remove_file(live.path(NAME)).unwrap();
        live.wait_for("a deletion", |live| live.row(NAME).is_none());
        live.write(NAME, loop_v2_at(ID, "paused", n + 3));
        live.wait_for("a re-creation", |live| iteration(live) == Some(n + 3));
        fs::remove_dir_all(live.workspace.join(".workflow")).unwrap();
        live.wait_for("the folder's deletion", |live| live.row(NAME).is_none());
        fs::create_dir_all(live.path("").as_path()).unwrap();
        live.write(NAME, loop_v2_at(ID, "paused", n + 4));
        live.wait_for("the folder's re-creation", |live| iteration(live) == Some(n + 4));
    }
}

#[test]
fn every_kind_of_write_shows_when_the_system_tells() {
    every_kind_of_write_shows(&mut Live::told_only());
}

#[test]
fn every_kind_of_write_shows_when_loopdeck_looks_by_itself() {
    let mut live = Live::polling(|_| {});
    let watching = live.runtime.changes(0).watching;
    assert_eq!((watching.polling, watching.reason.as_deref()), (Some(2), Some("asked")));
    live.write(NAME, loop_v2_at(ID, "paused", 1));
    live.wait_for("an in-place write", |live| iteration(live) == Some(1));
    live.replace(NAME, loop_v2_at(ID, "paused", 2));
    live.wait_for("a rename over it", |live| iteration(live) == Some(2));
    fs::remove_dir_all(live.workspace.join(".workflow")).unwrap();
    live.wait_for("the folder's deletion", |live| live.row(NAME).is_none());
}

#[test]
fn new_roots_of_every_kind_are_found() {
    let mut live = Live::told_only();
    fs::remove_dir_all(live.workspace.join(".workflow")).unwrap();
    let roots = [
        ".loop",
        ".workflow/.loop",
        ".workflow/active/WFS-a/.workflow/.loop",
        ".workflow/active/WFS-b/.loop",
    ];
    for root in roots {
        fs::create_dir_all(live.workspace.join(root)).unwrap();
        let file = format!("{root}/{NAME}");
        fs::write(live.workspace.join(&file), loop_v2(ID, "created")).unwrap();
        live.wait_for(&file, |live| live.rows.contains_key(&file));
    }
    fs::create_dir_all(live.workspace.join(".claude")).unwrap();
    fs::write(live.workspace.join(".claude/aot-loop-state.md"), aot("pending", 0)).unwrap();
    live.wait_for("the AoT file", |live| live.rows.contains_key(".claude/aot-loop-state.md"));
    assert_eq!(live.rows.len(), 5, "the same id in two roots is two loops");
}

#[test]
fn the_last_of_five_hundred_rapid_writes_is_shown() {
    let mut live = Live::told_only();
    for n in 1..=500 {
        live.replace(NAME, loop_v2_at(ID, "paused", n));
    }
    live.wait_for("the last write", |live| iteration(live) == Some(500));
}

#[test]
fn two_changes_at_once_end_in_the_second() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    live.write(NAME, loop_v2(ID, "completed"));
    live.wait_for_word(NAME, StatusWord::Completed);
}

#[test]
fn a_half_written_file_is_not_called_damaged() {
    let mut live = Live::new();
    live.write(NAME, loop_v2_at(ID, "paused", 1));
    live.wait_for("the first version", |live| iteration(live) == Some(1));
    let text = loop_v2_at(ID, "paused", 2);
    let mut file = fs::File::create(live.path(NAME)).unwrap();
    file.write_all(&text.as_bytes()[..60]).unwrap();
    file.sync_all().unwrap();
    // The other half comes when the first was certainly noticed: another loop's change has appeared.
    live.write("loop-v2-other.json", loop_v2("loop-v2-other", "created"));
    live.wait_for("the marker", |live| live.row("loop-v2-other.json").is_some());
    assert_eq!(live.row(NAME).unwrap().word, StatusWord::Paused);
    file.write_all(&text.as_bytes()[60..]).unwrap();
    drop(file);
    live.wait_for("the second version", |live| {
        assert_ne!(live.row(NAME).unwrap().word, StatusWord::CannotRead);
        iteration(live) == Some(2)
    });
}

#[test]
fn a_file_that_stays_torn_is_damaged_keeps_its_name_and_recovers() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "paused"));
    live.wait_for_word(NAME, StatusWord::Paused);
    live.write(NAME, &loop_v2(ID, "paused")[..60]);
    live.wait_for_word(NAME, StatusWord::CannotRead);
    let row = live.row(NAME).unwrap();
    assert_eq!(row.title, format!("Title of {ID}"));
    assert_eq!(row.problem.as_ref().map(|problem| problem.code), Some(ProblemCode::E1_not_json));
    live.write(NAME, loop_v2(ID, "completed"));
    live.wait_for_word(NAME, StatusWord::Completed);
}

#[test]
fn one_bad_file_hides_no_other() {
    let live = Live::with(|workspace| {
        for n in 0..99 {
            let id = format!("loop-v2-{n}");
            fs::write(workspace.join(format!(".workflow/.loop/{id}.json")), loop_v2(&id, "created")).unwrap();
        }
        fs::write(workspace.join(".workflow/.loop/loop-v2-bad.json"), "{\"loop_id\": ").unwrap();
    });
    assert_eq!(live.rows.len(), 100);
    assert_eq!(live.row("loop-v2-bad.json").unwrap().word, StatusWord::CannotRead);
}

#[test]
fn what_is_no_loop_is_not_listed() {
    let live = Live::with(|workspace| {
        let root = workspace.join(".workflow/.loop");
        fs::create_dir_all(root.join(".task")).unwrap();
        fs::write(root.join(".task/TASK-1.json"), "{}").unwrap();
        for (name, text) in [
            ("prep-package.json", r#"{"version":"1.0.0","target_skill":"ccw-loop","prep_status":"ready"}"#),
            ("undefined.json", "{}"),
            ("x.output.json", r#"{"action":"develop","status":"success","summary":"s"}"#),
            ("loop-v2-1.json.backup", "{}"),
            ("loop-v2-1.json.tmp.44", "{}"),
            ("loop-v2-1.tasks.jsonl", "{}"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
    });
    assert_eq!(live.rows.keys().collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn progress_is_a_sign_of_life_and_reaches_the_open_page() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    fs::File::options().write(true).open(live.path(NAME)).unwrap().set_modified(old).unwrap();
    live.wait_for_word(NAME, StatusWord::Interrupted);
    live.runtime.open_loop(&live.key(NAME)).unwrap();
    let progress = live.path(&format!("{ID}.progress"));
    fs::create_dir_all(&progress).unwrap();
    fs::write(progress.join("develop.md"), "# Development Progress\n").unwrap();
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    let page = live.runtime.open_loop(&live.key(NAME)).unwrap();
    assert_eq!(page.documents.len(), 1);
}

#[test]
fn a_folder_of_a_linux_in_windows_is_refused() {
    let live = Live::new();
    let refused =
        live.runtime.open_workspace(std::path::Path::new(r"\\wsl$\Ubuntu\home\ada\shop")).unwrap_err();
    assert_eq!(refused.kind, loopdeck_runtime::views::FailureKind::InWsl);
}

#[test]
fn a_workspace_out_of_reach_keeps_its_loops_and_comes_back() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "paused"));
    live.wait_for_word(NAME, StatusWord::Paused);
    let away = live.workspace.with_file_name("away");
    fs::rename(&live.workspace, &away).unwrap();
    live.wait_for("the folder is called unreachable", |live| {
        !live.runtime.changes(0).workspaces[0].reachable
    });
    assert!(live.row(NAME).is_some());
    let refused = live.act(NAME, Verb::Resume).unwrap_err();
    assert_eq!(refused.kind, loopdeck_runtime::views::FailureKind::NotAFolder);
    fs::rename(&away, &live.workspace).unwrap();
    live.wait_for("it is back", |live| live.runtime.changes(0).workspaces[0].reachable);
    live.write(NAME, loop_v2(ID, "completed"));
    live.wait_for_word(NAME, StatusWord::Completed);
}

#[test]
fn a_window_learns_that_folders_from_last_time_are_still_to_come() {
    let live = Live::with(|_| ());
    live.runtime.announce_reopening();
    let early = live.runtime.changes(0);
    assert!(early.reopening);
    live.runtime.reopen();
    let whole = live.runtime.changes(early.revision);
    assert!(!whole.reopening && whole.revision > early.revision, "{whole:?}");

    let fresh = tempfile::tempdir().unwrap();
    let without = Runtime::start(&Options::new(fresh.path().to_owned())).unwrap();
    without.announce_reopening();
    assert!(!without.changes(0).reopening, "no folder was open");
}

#[test]
fn a_folder_made_anew_at_once_is_watched_and_nothing_in_it_is_missed() {
    let mut live = Live::told_only();
    for round in 0..100 {
        let n = round * 2 + 1;
        // All of it while the first event is still being delayed.
        fs::remove_dir_all(live.workspace.join(".workflow")).unwrap();
        fs::create_dir_all(live.path("")).unwrap();
        live.write(NAME, loop_v2_at(ID, "paused", n));
        live.wait_for("the file in the new folder", |live| iteration(live) == Some(n));
        live.replace(NAME, loop_v2_at(ID, "paused", n + 1));
        live.wait_for("a later write there", |live| iteration(live) == Some(n + 1));
    }
}
