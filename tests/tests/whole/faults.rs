//! The disk refuses, disappears or turns into something else: each time a clear answer, the app keeps
//! working, and the request takes effect by itself when the fault is gone (L10).
//!
//! Needs the right to mount (root, as in CI's containers); without it these tests fail and say so.
#![allow(clippy::disallowed_methods, reason = "the test mounts, and starts itself as another user")]

use loopdeck_core::control::Verb;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, ROOT, loop_v2, loop_v2_at};
use loopdeck_tests::programs::copy_program;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const OTHER: &str = "loop-v2-other.json";

/// A small separate file system, for as long as it lives.
struct Mounted(PathBuf);

impl Mounted {
    fn new(folder: &Path) -> Self {
        let target = folder.to_str().unwrap();
        mount(&["-t", "tmpfs", "-o", "size=256k,mode=755", "loopdeck-test", target]);
        Self(folder.to_owned())
    }

    fn remount(&self, options: &str) {
        mount(&["-o", &format!("remount,{options}"), self.0.to_str().unwrap()]);
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: the runtime may still watch it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn mount(args: &[&str]) {
    let status = Command::new("mount").args(args).status().expect("mount is there");
    assert!(status.success(), "mount {args:?} failed: this test needs the right to mount");
}

/// A loop on a small file system.
fn mounted(status: &str) -> (Live, Mounted) {
    let mut small = None;
    let live = Live::with(|workspace| {
        small = Some(Mounted::new(&workspace.join(".workflow")));
        fs::create_dir_all(workspace.join(ROOT)).unwrap();
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, status)).unwrap();
    });
    assert!(live.row(NAME).is_some());
    (live, small.unwrap())
}

/// Checks that the runtime still works.
fn lives_on(live: &mut Live, n: u32) {
    live.write(OTHER, loop_v2_at("loop-v2-other", "paused", n));
    live.wait_for("another loop's change", |live| {
        live.row(OTHER)
            .and_then(|row| row.iteration)
            .is_some_and(|bar| (bar.current - f64::from(n)).abs() < 0.1)
    });
}

fn refused_by_disk(live: &Live, before: &str) {
    let failure = live.act(NAME, Verb::Pause).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Disk, "{failure:?}");
    assert!(!failure.args["reason"].is_empty() && failure.args["path"].ends_with(NAME), "{failure:?}");
    assert_eq!(live.read(NAME), before, "nothing is half done");
}

fn pause_works(live: &mut Live) {
    live.act(NAME, Verb::Pause).unwrap();
    live.wait_for_word(NAME, StatusWord::Paused);
    let left = fs::read_dir(live.path(""))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with(".loopdeck-"));
    assert_eq!(left.count(), 0, "no temporary file is left");
}

/// Fills the file system to the last byte.
fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("filler");
    fs::write(&path, []).unwrap();
    let mut filler = fs::File::options().append(true).open(&path).unwrap();
    while std::io::Write::write_all(&mut filler, &[0; 4_096]).is_ok() {}
    path
}

#[test]
fn a_full_disk_is_said_and_nothing_is_half_done() {
    let (mut live, small) = mounted("running");
    let before = live.read(NAME);
    let filler = fill(&small.0);
    refused_by_disk(&live, &before);
    fs::remove_file(filler).unwrap();
    lives_on(&mut live, 1);
    pause_works(&mut live);
}

#[test]
fn a_request_that_the_full_disk_kept_from_being_sent_again_is_sent_when_there_is_room() {
    let (mut live, small) = mounted("running");
    pause_works(&mut live);
    // The agent's stale copy goes into blocks it already has; ours would need new ones.
    let stale = loop_v2_at(ID, "running", 2);
    let filler = fill(&small.0);
    live.write(NAME, &stale);
    live.wait_for("the stale copy shows", |live| {
        live.row(NAME).is_some_and(|row| row.file_word == "running")
    });
    assert_eq!(live.read(NAME), stale);
    fs::remove_file(filler).unwrap();
    live.wait_for("paused again, by itself", |live| {
        live.row(NAME).is_some_and(|row| row.file_word == "paused")
    });
    assert!(live.read(NAME).contains("\"current_iteration\": 2"));
}

#[test]
fn a_request_that_failed_leaves_the_older_one_in_force() {
    let (mut live, small) = mounted("running");
    pause_works(&mut live);
    let filler = fill(&small.0);
    assert_eq!(live.act(NAME, Verb::Resume).unwrap_err().kind, FailureKind::Disk);
    fs::remove_file(filler).unwrap();
    live.write(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for("paused again", |live| {
        live.row(NAME).is_some_and(|row| row.request.as_ref().is_some_and(|request| request.sent_again > 0))
    });
    assert!(live.read(NAME).contains("\"paused\""));
}

#[test]
fn a_read_only_folder_is_said_and_recovers() {
    let (mut live, small) = mounted("running");
    let before = live.read(NAME);
    small.remount("ro");
    refused_by_disk(&live, &before);
    small.remount("rw");
    lives_on(&mut live, 1);
    pause_works(&mut live);
}

#[test]
fn a_removed_folder_takes_its_loops_along_and_comes_back() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    let key = live.key(NAME);
    fs::remove_dir_all(live.workspace.join(".workflow")).unwrap();
    let failure = live.runtime.act(&key, Verb::Pause, Default::default()).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::Unreadable | FailureKind::UnknownLoop), "{failure:?}");
    live.wait_for("the row goes", |live| live.row(NAME).is_none());
    fs::create_dir_all(live.path("")).unwrap();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for("the row comes back", |live| live.row(NAME).is_some());
    lives_on(&mut live, 1);
    pause_works(&mut live);
}

/// `make` puts something that is not a file at the path of the state file.
fn replaced_by(make: impl Fn(&Path)) {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    fs::remove_file(live.path(NAME)).unwrap();
    make(&live.path(NAME));
    live.wait_for("what it is now", |live| {
        let problem = live.row(NAME).and_then(|row| row.problem.as_ref());
        problem.is_some_and(|problem| problem.code == ProblemCode::F2_not_a_file)
    });
    let failure = live.act(NAME, Verb::Pause).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::Refused | FailureKind::Unreadable), "{failure:?}");
    lives_on(&mut live, 1);
    let path = live.path(NAME);
    fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for("a file again", |live| live.row(NAME).is_some_and(|row| row.file_word == "running"));
    pause_works(&mut live);
}

#[test]
fn a_file_that_became_a_folder_is_said_and_recovers() {
    replaced_by(|path| fs::create_dir(path).unwrap());
}

#[test]
fn a_file_that_became_a_fifo_blocks_nothing_and_recovers() {
    replaced_by(|path| {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    });
}

// --- permission denied: root may do everything, so the test runs once more as nobody --------------------------------

const AS_NOBODY: &str = "LOOPDECK_TEST_AS_NOBODY";
const NOBODY: u32 = 65_534;

#[test]
fn what_may_not_be_read_or_written_is_said_and_recovers() {
    // A copy of this program where any user may start it, with its own folder for temporary files.
    let folder = tempfile::TempDir::with_prefix("loopdeck-nobody-").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("faults");
    copy_program(&std::env::current_exe().unwrap(), &program);
    let temp = folder.path().join("tmp");
    fs::create_dir(&temp).unwrap();
    chown(&temp, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&program)
        .args(["--exact", "faults::child_without_permission", "--nocapture"])
        .current_dir(&temp)
        .env(AS_NOBODY, "1")
        .env("TMPDIR", &temp)
        .env("HOME", &temp)
        .output()
        .expect("setpriv is there");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("permissions were checked"), "{said}");
}

/// The part that runs as nobody.
#[test]
fn child_without_permission() {
    if std::env::var_os(AS_NOBODY).is_none() {
        return;
    }
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    let before = live.read(NAME);
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&live.path(""), 0o555);
    refused_by_disk(&live, &before);
    mode(&live.path(""), 0o755);
    mode(&live.path(NAME), 0o000);
    live.wait_for("what may not be read", |live| {
        let problem = live.row(NAME).and_then(|row| row.problem.as_ref());
        problem.is_some_and(|problem| problem.code == ProblemCode::F4_not_readable)
    });
    mode(&live.path(NAME), 0o644);
    live.wait_for("readable again", |live| live.row(NAME).is_some_and(|row| row.file_word == "running"));
    lives_on(&mut live, 1);
    pause_works(&mut live);
    println!("permissions were checked");
}
