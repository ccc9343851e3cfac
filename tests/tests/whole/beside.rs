//! The files next to a loop when the disk, a link or another writer is in the way: all of a step or nothing
//! of it.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_tests::faults::SmallDisk;
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use loopdeck_tests::steps::{debug, develop, edit_tasks, fields, hypothesis, init};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::{Duration, Instant};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

fn progress(workspace: &Path) -> PathBuf {
    workspace.join(ROOT).join(format!("{ID}.progress"))
}

/// A loop that a person has just started, with the files from `fill` next to it.
fn started(fill: impl FnOnce(&Path)) -> Live {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
        fill(workspace);
    });
    live.act(NAME, Verb::Start).unwrap();
    live.wait_for_word(NAME, StatusWord::Interrupted);
    live
}

/// INIT fails, gives the reason, and leaves everything unchanged; the app keeps working.
fn refused(live: &mut Live) -> Failure {
    let before = live.files();
    let failure = live.change(NAME, init(&["task-001"])).unwrap_err();
    assert!(!failure.args["path"].is_empty() && !failure.args["reason"].is_empty(), "{failure:?}");
    assert_eq!(live.files(), before, "all or nothing");
    // Undo applies to what was done before, not to half of a step.
    live.undo(NAME).unwrap();
    assert!(live.read(NAME).contains("\"created\""));
    live.undo(NAME).unwrap();
    assert_eq!(live.files(), before);
    live.write("loop-v2-other.json", loop_v2("loop-v2-other", "paused"));
    live.wait_for("another loop", |live| live.row("loop-v2-other.json").is_some());
    failure
}

#[test]
fn a_link_out_of_the_workspace_is_not_followed() {
    let outside = tempfile::TempDir::with_prefix("loopdeck-outside-").unwrap();
    fs::write(outside.path().join("develop.md"), "theirs").unwrap();
    for target in [outside.path().to_owned(), outside.path().join("nowhere")] {
        let mut live = started(|workspace| symlink(&target, progress(workspace)).unwrap());
        refused(&mut live);
        fs::remove_file(progress(&live.workspace)).unwrap();
        live.change(NAME, init(&["task-001"])).unwrap();
    }
    let there: Vec<_> =
        fs::read_dir(outside.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(there, ["develop.md"]);
    assert_eq!(fs::read_to_string(outside.path().join("develop.md")).unwrap(), "theirs");
}

#[test]
fn a_file_that_is_a_link_out_of_the_workspace_is_not_followed() {
    let outside = tempfile::TempDir::with_prefix("loopdeck-outside-").unwrap();
    let theirs = outside.path().join("theirs.md");
    fs::write(&theirs, "theirs").unwrap();
    let mut live = started(|workspace| {
        fs::create_dir(progress(workspace)).unwrap();
        symlink(&theirs, progress(workspace).join("develop.md")).unwrap();
    });
    assert_eq!(refused(&mut live).kind, FailureKind::Unreadable);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
}

#[test]
fn task_lists_behind_a_link_are_not_followed() {
    let outside = tempfile::TempDir::with_prefix("loopdeck-outside-").unwrap();
    let list = "{\"task_id\":\"a\",\"description\":\"x\"}{\"task_id\":\"b\"}";
    fs::write(outside.path().join("tasks.jsonl"), list).unwrap();
    let live = started(|workspace| symlink(outside.path(), workspace.join(ROOT).join(ID)).unwrap());
    let edit = TaskEdit::Edit { id: "a".into(), task: fields("ours") };
    assert_eq!(live.change(NAME, edit_tasks(edit)).unwrap_err().kind, FailureKind::Unreadable);
    assert_eq!(fs::read_to_string(outside.path().join("tasks.jsonl")).unwrap(), list);
}

#[test]
fn a_file_in_place_of_the_folder_is_said() {
    let mut live = started(|workspace| fs::write(progress(workspace), "a file").unwrap());
    assert_eq!(refused(&mut live).kind, FailureKind::Disk);
}

#[test]
fn a_read_only_or_full_folder_is_said_and_recovers() {
    let mut disk = None;
    let mut live = started(|workspace| {
        fs::create_dir(progress(workspace)).unwrap();
        disk = Some(SmallDisk::mount_at(&progress(workspace), 64));
    });
    let disk = disk.unwrap();
    disk.read_only(true);
    assert_eq!(refused(&mut live).kind, FailureKind::Disk);
    disk.read_only(false);
    let filler = disk.fill();
    assert_eq!(refused(&mut live).kind, FailureKind::Disk);
    fs::remove_file(filler).unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    live.change(NAME, develop("task-001")).unwrap();
}

#[test]
fn what_fails_half_way_takes_back_what_was_done() {
    // The first text fits on the disk, the second does not.
    let mut disk = None;
    let live = started(|workspace| {
        fs::create_dir(progress(workspace)).unwrap();
        disk = Some(SmallDisk::mount_at(&progress(workspace), 64));
    });
    let disk = disk.unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    let filler = disk.fill();
    fs::File::options().write(true).open(&filler).unwrap().set_len(44 * 1024).unwrap();
    let huge = hypothesis(&"H".repeat(90), "pending");
    let many: Vec<_> = (0..40)
        .map(|n| loopdeck_core::formats::ccw::progress_docs::records::Hypothesis {
            id: format!("H{n}"),
            ..huge.clone()
        })
        .collect();
    let before = live.files();
    let failure = live.change(NAME, debug(many, None)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Disk, "{failure:?}");
    assert!(failure.args["path"].ends_with("hypotheses.json"), "the second one: {failure:?}");
    assert_eq!(live.files(), before, "all or nothing");
    live.undo(NAME).unwrap();
    assert!(!live.read(NAME).contains("skill_state"), "INIT is what can be undone");
}

#[test]
fn new_files_and_folders_have_the_usual_permissions_and_old_ones_keep_theirs() {
    let live = started(|_| {});
    live.change(NAME, init(&["task-001"])).unwrap();
    let mode = |name: &str| fs::metadata(progress(&live.workspace).join(name)).unwrap().permissions().mode();
    assert_eq!((mode("") & 0o777, mode("develop.md") & 0o777), (0o755, 0o644));
    let own = fs::Permissions::from_mode(0o640);
    fs::set_permissions(progress(&live.workspace).join("develop.md"), own).unwrap();
    live.change(NAME, develop("task-001")).unwrap();
    assert_eq!(mode("develop.md") & 0o777, 0o640);
    let left: Vec<_> =
        live.files().into_keys().filter(|name| name.to_string_lossy().contains(".loopdeck-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

// --- other writers --------------------------------------------------------------------------------------------------

#[test]
fn lines_that_others_add_while_we_do_are_not_lost() {
    const OURS: usize = 60;
    /// Their writes per write of ours: fewer than our attempts.
    const THEIRS: usize = 3;
    let live = started(|_| {});
    let add = |id: String| edit_tasks(TaskEdit::Add { id, task: fields("ours") });
    live.change(NAME, add("ours-0".into())).unwrap();
    let list = live.path(&format!("{ID}.tasks.jsonl"));
    let both = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..OURS {
                both.wait();
                for number in 0..THEIRS {
                    // Like a shell's `>>`: opened, written a little later, closed.
                    let mut file = fs::File::options().append(true).open(&list).unwrap();
                    std::thread::yield_now();
                    let line = format!("{{\"task_id\": \"theirs-{round}-{number}\"}}\n");
                    file.write_all(line.as_bytes()).unwrap();
                }
                both.wait();
            }
        });
        let changed: Vec<_> = (1..OURS)
            .map(|round| {
                both.wait();
                let changed = live.change(NAME, add(format!("ours-{round}")));
                both.wait();
                changed
            })
            .collect();
        assert!(changed.iter().all(Result::is_ok), "{changed:?}");
    });
    let text = fs::read_to_string(&list).unwrap();
    let theirs = (OURS - 1) * THEIRS;
    let lines: BTreeSet<&str> = text.lines().collect();
    let said = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!((said("\"theirs-"), said("\"ours-"), lines.len()), (theirs, OURS, theirs + OURS), "{text}");
    assert_eq!(text.lines().count(), lines.len(), "none twice");
}

#[test]
fn who_has_a_log_open_goes_on_writing_into_it_and_that_is_not_ours_to_undo() {
    for name in ["changes.log", "develop.md"] {
        let live = started(|_| {});
        live.change(NAME, init(&["task-001", "task-002"])).unwrap();
        live.change(NAME, develop("task-001")).unwrap();
        let log = progress(&live.workspace).join(name);
        let mut held = fs::File::options().append(true).open(&log).unwrap();
        live.change(NAME, develop("task-002")).unwrap();
        let ours = fs::read_to_string(&log).unwrap();
        held.write_all(b"{\"late\": 1}\n").unwrap();
        let whole = format!("{ours}{{\"late\": 1}}\n");
        assert_eq!(fs::read_to_string(&log).unwrap(), whole);
        assert_eq!(live.undo(NAME).unwrap_err().kind, FailureKind::ChangedSince);
        assert_eq!(fs::read_to_string(&log).unwrap(), whole);
    }
}

#[test]
fn what_is_written_into_versions_that_we_replaced_comes_into_the_newest_and_is_not_ours_to_undo() {
    let live = started(|_| {});
    let (id, list) = ("ours".to_owned(), live.path(&format!("{ID}.tasks.jsonl")));
    live.change(NAME, edit_tasks(TaskEdit::Add { id: id.clone(), task: fields("as it was") })).unwrap();
    for number in 0..20 {
        let mut held = fs::File::options().append(true).open(&list).unwrap();
        let edit = TaskEdit::Edit { id: id.clone(), task: fields(&format!("for the {number}th time")) };
        live.change(NAME, edit_tasks(edit)).unwrap();
        held.write_all(format!("{{\"task_id\": \"late-{number}\"}}\n").as_bytes()).unwrap();
    }
    let text = || fs::read_to_string(&list).unwrap();
    let all = |text: &str| (0..20).all(|number| text.contains(&format!("\"late-{number}\"}}\n")));
    wait_until("the late lines", || all(&text()));
    let text = text();
    assert_eq!((text.matches("late-").count(), text.contains("for the 19th time")), (20, true), "{text}");
    assert_eq!(live.undo(NAME).unwrap_err().kind, FailureKind::ChangedSince);
    assert_eq!(fs::read_to_string(&list).unwrap(), text);
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

// --- signs of life --------------------------------------------------------------------------------------------------

#[test]
fn what_we_write_beside_a_loop_is_no_sign_of_life() {
    let mut live = started(|_| {});
    live.detail(NAME); // on screen: its folders are watched
    for change in [init(&["task-001", "task-002"]), develop("task-001")] {
        live.change(NAME, change).unwrap();
        settle(&mut live);
        assert_eq!(live.row(NAME).unwrap().word, StatusWord::Interrupted);
    }
    live.change(NAME, edit_tasks(TaskEdit::Add { id: "a".into(), task: fields("x") })).unwrap();
    live.undo(NAME).unwrap();
    live.undo(NAME).unwrap();
    settle(&mut live);
    assert_eq!(live.row(NAME).unwrap().word, StatusWord::Interrupted, "what was removed too");
    let mut live = live.restarted();
    settle(&mut live);
    assert_eq!(live.row(NAME).unwrap().word, StatusWord::Interrupted, "after a restart");
    fs::write(progress(&live.workspace).join("develop.md"), "theirs").unwrap();
    live.runtime.rescan().unwrap();
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
}

/// Waits until everything announced before has been checked: another loop's file came through the same
/// watcher.
fn settle(live: &mut Live) {
    let name = "loop-v2-marker.json";
    let next = live.row(name).and_then(|row| row.iteration).map_or(1.0, |bar| bar.current + 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
    live.write(name, loopdeck_tests::live::loop_v2_at("loop-v2-marker", "paused", next as u32));
    live.wait_for("the marker", |live| {
        live.row(name).and_then(|row| row.iteration).is_some_and(|bar| bar.current >= next)
    });
    live.runtime.rescan().unwrap();
    live.pull();
}

#[test]
fn what_is_added_to_a_text_with_crlf_ends_its_lines_so() {
    let live = started(|_| {});
    live.change(NAME, init(&["task-001"])).unwrap();
    let (text, log) =
        (progress(&live.workspace).join("develop.md"), progress(&live.workspace).join("changes.log"));
    let theirs = fs::read_to_string(&text).unwrap().replace('\n', "\r\n");
    fs::write(&text, &theirs).unwrap();
    fs::write(&log, "{\"task_id\":\"task-000\"}\r\n").unwrap();
    live.change(NAME, develop("task-001")).unwrap();
    for (file, before) in [(&text, theirs.as_str()), (&log, "{\"task_id\":\"task-000\"}\r\n")] {
        let after = fs::read_to_string(file).unwrap();
        let new = after.strip_prefix(before).unwrap();
        assert!(
            new.contains("task-001") && new.matches('\n').count() == new.matches("\r\n").count(),
            "{after:?}"
        );
    }
}
