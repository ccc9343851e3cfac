//! Many loops in parallel, much output, and everything that is started from the form.
#![allow(clippy::disallowed_methods, reason = "git makes the repository that a worktree is of")]

use loopdeck_core::formats::aot::{AotWork, BaseCase, Check, CheckKind};
use loopdeck_core::start::Recipe;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::OutputSearch;
use loopdeck_runtime::views::{FailureKind, LoopRow};
use loopdeck_tests::alone::alone;
use loopdeck_tests::atoms::{FILE_CHECK, loop_with, resolves};
use loopdeck_tests::driving::{Driven, develops, planned, small};
use loopdeck_tests::faults::SmallDisk;
use loopdeck_tests::live::{AOT, ROOT};
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use std::fs;
use std::path::Path;
use std::process::Command;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// A number of `/proc/self/status`.
fn own(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Bytes that this process has read so far, from anywhere.
fn bytes_read() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    text.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[test]
fn twenty_loops_on_twenty_workspaces_come_to_their_end() {
    alone("driving_many::twenty_loops_on_twenty_workspaces_come_to_their_end", twenty_loops);
}

fn twenty_loops() {
    let mut driven = driven();
    let begun = |rule: Rule| rule.then(Step::WaitFor("gate".into()));
    let mut keys = Vec::new();
    let workspaces: Vec<_> =
        (0..20).map(|number| driven.live.workspace.join(format!("shop-{number}"))).collect();
    for workspace in &workspaces {
        fs::create_dir(workspace).unwrap();
        small(Output::Text, vec![begun(planned(2))]).put_into(workspace);
        let mut form = driven.small_form("custom:scripted");
        form.folder = workspace.to_string_lossy().into_owned();
        driven.live.runtime.trust(&form.folder, true).unwrap();
        keys.push(driven.live.runtime.start_loop(&form).unwrap());
    }
    assert_eq!(driven.live.runtime.needs().running, 20);
    let threads = own("Threads:");
    assert!(threads < 20 * 4 + 40, "{threads}");
    for workspace in &workspaces {
        fs::write(workspace.join("gate"), "").unwrap();
    }
    for key in &keys {
        let file = key.split_once(':').unwrap().1.to_owned();
        let done = |row: &LoopRow| row.word == StatusWord::Completed;
        driven.wait_at(&file, "completed", done);
    }
    assert!(workspaces.iter().all(|workspace| loopdeck_tests::driving::processes_in(workspace).is_empty()));
    assert_eq!(driven.live.runtime.needs().running, 0);
    let memory = own("VmHWM:");
    assert!(memory < 600_000, "{memory} kB");
}

#[test]
fn two_hundred_megabytes_of_output_stay_bounded_and_quick() {
    alone("driving_many::two_hundred_megabytes_of_output_stay_bounded_and_quick", much_output);
}

fn much_output() {
    let mut driven = driven();
    let text = "x".repeat(100);
    let spams = develops("task-001").then(Step::Spam { lines: 1_900_000, text });
    driven.script(&small(Output::Text, vec![spams]));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_word(&name, StatusWord::Completed);
    let key = driven.live.key(&name);
    let run =
        driven.live.runtime.runs(&key).unwrap().into_iter().find(|run| run.action == "develop").unwrap();
    let page = driven.live.runtime.output(&key, Some(&run.id), 0, 100).unwrap();
    assert!(page.total >= 1_900_000 && !page.rows.is_empty(), "{} {}", page.total, page.dropped);
    let rows = driven.live.data().runs().join(&run.id).join("rows");
    let size: u64 = fs::read_dir(rows).unwrap().flatten().map(|entry| entry.metadata().unwrap().len()).sum();
    assert!(size <= 220 << 20, "{size}");
    let memory = own("VmHWM:");
    assert!(memory < 800_000, "{memory} kB");
    // After a restart the same rows are there.
    let driven = Driven { live: driven.live.restarted() };
    let last = page.total - 5;
    let before = bytes_read();
    let again = driven.live.runtime.output(&key, Some(&run.id), last, 100).unwrap();
    assert_eq!((again.total, again.first), (page.total, last));
    // The first look after a restart counts only the newest rows; every later one reads what it shows.
    let read = bytes_read() - before;
    assert!(read < size / 8, "{read} of {size} bytes were read for the first look");
    let before = bytes_read();
    driven.live.runtime.output(&key, Some(&run.id), page.dropped + 7, 100).unwrap();
    let seen =
        OutputSearch { text: "\"task_id\"".into(), from: page.total - 1, backwards: true, errors: false };
    assert!(driven.live.runtime.find_output(&key, &run.id, &seen).unwrap().is_some());
    let read = bytes_read() - before;
    assert!(read < size / 8, "{read} of {size} bytes were read for two looks");
}

#[test]
fn ids_of_runs_lead_nowhere_else() {
    let mut driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_word(&name, StatusWord::Completed);
    let key = driven.live.key(&name);
    for id in ["..", "../runs", "/etc", ".", "", "a/b", "..\\x", "\0"] {
        let runtime = &driven.live.runtime;
        let kinds = [
            runtime.output(&key, Some(id), 0, 9).unwrap_err().kind,
            runtime.output_text(&key, id, 0).unwrap_err().kind,
            runtime.find_output(&key, id, &OutputSearch::default()).unwrap_err().kind,
        ];
        assert_eq!(kinds, [FailureKind::UnknownRun; 3], "{id:?}");
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_loop_gets_a_worktree_of_its_own_or_nothing_is_left_of_it() {
    let mut driven = driven();
    let workspace = driven.live.workspace.clone();
    driven.script(&small(Output::Text, Vec::new()));
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-qm", "x"]);
    let mut form = driven.small_form("custom:scripted");
    form.worktree = "loops/mend".into();
    let key = driven.live.runtime.start_loop(&form).unwrap();
    let id = key.split_once(':').unwrap().0;
    let root = driven.live.runtime.workspace_path(id).unwrap();
    assert!(root.starts_with(driven.live.data().worktrees().canonicalize().unwrap()));
    driven.live.wait_for("completed", |live| {
        live.rows.values().any(|row| row.key == key && row.word == StatusWord::Completed)
    });
    // A worktree is trusted as long as the folder it was made from.
    let runtime = &driven.live.runtime;
    assert_eq!(runtime.trusted().len(), 2);
    runtime.trust(&driven.folder(), false).unwrap();
    assert_eq!(
        (runtime.trusted(), runtime.launch(&key, None, None).unwrap_err().kind),
        (vec![], FailureKind::Untrusted)
    );
    for folder in [driven.folder(), root.to_string_lossy().into_owned()] {
        runtime.trust(&folder, true).unwrap();
    }
    // The same branch again: git refuses, and nothing is left.
    let (before, branches) = (driven.live.files(), git(&workspace, &["branch"]));
    assert_eq!(driven.live.runtime.start_loop(&form).unwrap_err().kind, FailureKind::CannotStart);
    // No loop can be created in a worktree where its folder is a file.
    fs::remove_dir_all(workspace.join(".workflow")).unwrap();
    fs::write(workspace.join(".workflow"), "in the way").unwrap();
    git(&workspace, &["add", "-f", ".workflow"]);
    git(&workspace, &["commit", "-qam", "y"]);
    form.worktree = "loops/other".into();
    assert_eq!(driven.live.runtime.start_loop(&form).unwrap_err().kind, FailureKind::Disk);
    assert_eq!(git(&workspace, &["branch"]), branches);
    assert_eq!(git(&workspace, &["worktree", "list"]).lines().count(), 2);
    assert_eq!(driven.live.runtime.trusted().len(), 2);
    drop(before);
}

#[test]
fn a_worktree_of_a_folder_in_a_repository_is_that_folder_again() {
    let mut driven = driven();
    let workspace = driven.live.workspace.clone();
    let inner = workspace.join("packages/api");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("kept"), "").unwrap();
    small(Output::Text, Vec::new()).put_into(&inner);
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-qm", "x"]);
    let mut form = driven.small_form("custom:scripted");
    form.folder = inner.to_string_lossy().into_owned();
    form.worktree = "loops/api".into();
    // Only the folder above is trusted, and nothing below it.
    assert_eq!(driven.live.runtime.start_loop(&form).unwrap_err().kind, FailureKind::BadForm);
    driven.live.runtime.trust(&form.folder, true).unwrap();
    let key = driven.live.runtime.start_loop(&form).unwrap();
    let root = driven.live.runtime.workspace_path(key.split_once(':').unwrap().0).unwrap();
    assert!(root.ends_with("api-loops-api/packages/api"), "{}", root.display());
    assert!(root.starts_with(driven.live.data().worktrees().canonicalize().unwrap()));
    driven.live.wait_for("completed", |live| {
        live.rows.values().any(|row| row.key == key && row.word == StatusWord::Completed)
    });
    // An uncommitted folder is not in the worktree: nothing is left of it.
    let new = workspace.join("packages/new");
    fs::create_dir(&new).unwrap();
    driven.live.runtime.trust(&new.to_string_lossy(), true).unwrap();
    (form.folder, form.worktree) = (new.to_string_lossy().into_owned(), "loops/new".into());
    assert_eq!(driven.live.runtime.start_loop(&form).unwrap_err().kind, FailureKind::NotAFolder);
    assert_eq!(git(&workspace, &["worktree", "list"]).lines().count(), 2);
    assert!(!git(&workspace, &["branch"]).contains("loops/new"));
}

/// A form for an AoT loop whose completion check is a command.
fn checklist_form(driven: &Driven, command: &str) -> StartForm {
    let mut form = driven.small_form("custom:scripted");
    form.work.recipe = Recipe::Checklist;
    form.work.base_case = Some(BaseCase::Single(Check { kind: CheckKind::Command, value: command.into() }));
    form.work.aot = AotWork {
        background_intent: "People wait outside".into(),
        deliverables: "An open shop".into(),
        definition_of_done: "Its tests pass".into(),
        ..AotWork::default()
    };
    form
}

#[test]
fn a_checklist_becomes_an_aot_loop_that_runs() {
    let mut driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: vec![Rule::on("atom").then(Step::Hang)] });
    let form = checklist_form(&driven, "sh test.sh");
    let name = driven.start(&form);
    driven.wait(&name, "its first atom is worked on", |row| {
        row.run.as_ref().is_some_and(|run| run.workers.iter().any(|one| one.task.as_deref() == Some("A1")))
    });
    let again = driven.live.runtime.start_loop(&form).unwrap_err();
    assert_eq!(again.kind, FailureKind::BadForm, "the folder has an AoT loop already");
    driven.live.runtime.stop_now(&driven.live.key(&name)).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
}

#[test]
fn a_second_aot_loop_starts_in_a_worktree_although_the_first_is_in_the_repository() {
    let mut driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: vec![resolves("A1")] });
    let workspace = driven.live.workspace.clone();
    fs::create_dir_all(workspace.join(".claude")).unwrap();
    fs::write(workspace.join(AOT), loop_with(FILE_CHECK, &[("B7", "", "")], " {}")).unwrap();
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "-f", "."]);
    git(&workspace, &["commit", "-qm", "x"]);
    let mut form = checklist_form(&driven, "test -e A1.txt");
    form.worktree = "loops/second".into();
    let key = driven.live.runtime.start_loop(&form).unwrap();
    driven.live.wait_for("completed", |live| {
        live.rows.values().any(|row| row.key == key && row.word == StatusWord::Completed)
    });
    let first = fs::read_to_string(workspace.join(AOT)).unwrap();
    assert!(first.contains("id: B7") && first.contains("status: pending"), "the first loop is as it was");
}

#[test]
fn a_worktree_whose_folder_is_a_link_out_leaves_the_file_behind_it() {
    let driven = driven();
    driven.script(&Scripted { output: Output::Text, rules: vec![resolves("A1")] });
    let workspace = driven.live.workspace.clone();
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("aot-loop-state.md");
    fs::write(&file, "of another loop").unwrap();
    std::os::unix::fs::symlink(outside.path(), workspace.join(".claude")).unwrap();
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "-f", "."]);
    git(&workspace, &["commit", "-qm", "x"]);
    let mut form = checklist_form(&driven, "test -e A1.txt");
    form.worktree = "loops/second".into();
    driven.live.runtime.start_loop(&form).unwrap_err();
    assert_eq!(fs::read_to_string(&file).unwrap(), "of another loop");
}

#[test]
fn a_start_that_fails_before_the_file_leaves_nothing() {
    let driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    let mut form = driven.small_form("custom:scripted");
    form.plan.minutes = Some(0);
    let before = driven.live.files();
    let failure = driven.live.runtime.start_loop(&form).unwrap_err();
    assert_eq!((failure.kind, failure.args["field"].as_str()), (FailureKind::BadForm, "minutes"));
    assert!(!failure.args.contains_key("key"));
    assert_eq!(driven.live.files(), before);
}

#[test]
fn a_start_that_fails_after_the_file_names_the_loop() {
    let mut driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    // There is room for the file, but not for its next version.
    let disk = SmallDisk::mount_at(&driven.live.workspace.join(ROOT), 64);
    let filler = disk.fill();
    fs::File::options().write(true).open(&filler).unwrap().set_len(60 * 1024).unwrap();
    let form = driven.small_form("custom:scripted");
    let failure = driven.live.runtime.start_loop(&form).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Disk, "{failure:?}");
    let name = failure.args["key"].rsplit('/').next().unwrap().to_owned();
    driven.wait_for_word(&name, StatusWord::NotStarted);
    assert_eq!(driven.live.key(&name), failure.args["key"]);
    assert_eq!((driven.ran(&name).len(), driven.live.runtime.needs().running), (0, 0));
    // How to run it is known, so it is started when there is room.
    fs::remove_file(filler).unwrap();
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
}
