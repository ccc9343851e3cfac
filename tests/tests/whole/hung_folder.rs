//! A workspace on a file system whose server is stopped: it holds up no other workspace, it is named, and it continues when the
//! server does.

use loopdeck_core::control::Verb;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{Changes, FailureKind, VerbOptions};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use loopdeck_tests::mount::Mount;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const HERE: &str = "loop-v2-20261120T0424-here0000";
const AWAY: &str = "loop-v2-20261120T0424-away0000";
const PATIENCE: Duration = Duration::from_secs(30);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn add(folder: &Path, id: &str) {
    let root = folder.join(ROOT);
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join(format!("{id}.json")), loop_v2(id, "running")).unwrap();
}

fn is_silent(changes: &Changes, id: &str) -> bool {
    changes.workspaces.iter().any(|workspace| workspace.id == id && workspace.silent)
}

#[test]
fn a_folder_that_does_not_answer_holds_up_no_other_one() {
    let Some(mount) = Mount::new(|behind| add(behind, AWAY)) else { return };
    let mut live = Live::with(|workspace| add(workspace, HERE));
    let here = format!("{HERE}.json");
    live.wait_for_word(&here, StatusWord::RunningElsewhere);
    let away = live.runtime.open_workspace(&mount.folder).unwrap();
    let key = format!("{away}:{ROOT}/{AWAY}.json");

    mount.hang();
    std::thread::scope(|scope| {
        let runtime = &live.runtime;
        let paused = scope.spawn(|| runtime.act(&key, Verb::Pause, VerbOptions::default()));
        // Read by the worker only: it hangs as soon as it looks at its folder.
        until("the worker hangs", || !paused.is_finished());
        live.act(&here, Verb::Pause).unwrap();
        live.act(&here, Verb::Stop).unwrap();
        assert!(
            live.read(&here).contains("\"failed\"") || live.read(&here).contains("stop"),
            "{}",
            live.read(&here)
        );
        assert_eq!(runtime.changes(0).rows.len(), 2, "the list has both");
        assert!(!paused.is_finished(), "the other folder hangs still");

        let refused = paused.join().unwrap().unwrap_err();
        assert_eq!(refused.kind, FailureKind::FolderDoesNotAnswer, "{refused:?}");
        assert!(refused.args["path"].ends_with("mounted"), "{refused:?}");
        until("the folder is named", || is_silent(&runtime.changes(0), &away));
        let page = runtime.open_loop(&key).unwrap_err();
        assert_eq!(page.kind, FailureKind::FolderDoesNotAnswer, "a page is not waited for");
        let another = runtime.open_workspace(&mount.folder.join("below")).unwrap_err();
        assert_eq!(another.kind, FailureKind::FolderDoesNotAnswer, "nor a folder in it");
    });

    mount.answer();
    until("it answers again", || !is_silent(&live.runtime.changes(0), &away));
    live.runtime.act(&key, Verb::Stop, VerbOptions::default()).unwrap();
    let file = mount.folder.join(ROOT).join(format!("{AWAY}.json"));
    let stopped = fs::read_to_string(file).unwrap();
    assert!(!stopped.contains("\"running\""), "{stopped}");
}

#[test]
fn a_folder_that_does_not_answer_can_be_closed_and_keeps_nobody_from_ending() {
    let Some(mount) = Mount::new(|behind| add(behind, AWAY)) else { return };
    let live = Live::with(|workspace| add(workspace, HERE));
    let away = live.runtime.open_workspace(&mount.folder).unwrap();
    let key = format!("{away}:{ROOT}/{AWAY}.json");
    mount.hang();
    let refused = live.runtime.act(&key, Verb::Pause, VerbOptions::default()).unwrap_err();
    assert_eq!(refused.kind, FailureKind::FolderDoesNotAnswer);
    live.runtime.close_workspace(&away).unwrap();
    until("it is closed", || live.runtime.changes(0).workspaces.len() == 1);
    let unknown = live.runtime.open_loop(&key).unwrap_err();
    assert_eq!(unknown.kind, FailureKind::UnknownLoop);
    live.runtime.stop_all().unwrap();
    drop(live); // ends, although a worker hangs

    mount.answer();
    until("the worker has ended", || !has_worker(&away));
    let file = mount.folder.join(ROOT).join(format!("{AWAY}.json"));
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        loop_v2(AWAY, "running"),
        "what was given up is not written"
    );
}

/// Whether the thread of a workspace still runs in this process.
fn has_worker(workspace: &str) -> bool {
    let name = format!("ws-{workspace}\n");
    let threads = fs::read_dir("/proc/self/task").unwrap();
    threads
        .flatten()
        .any(|thread| fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm == name))
}

#[test]
fn a_disk_below_the_workspace_that_hangs_is_noticed_too() {
    let Some(mount) = Mount::below(".workflow", |behind| {
        let root = behind.join(".loop");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join(format!("{AWAY}.json")), loop_v2(AWAY, "running")).unwrap();
    }) else {
        return;
    };
    let live = Live::new();
    let away = live.runtime.open_workspace(&mount.folder).unwrap();
    let key = format!("{away}:{ROOT}/{AWAY}.json");
    mount.hang();
    let refused = live.runtime.act(&key, Verb::Pause, VerbOptions::default()).unwrap_err();
    assert_eq!(refused.kind, FailureKind::FolderDoesNotAnswer);
    mount.answer();
    until("it answers again", || !is_silent(&live.runtime.changes(0), &away));
}
