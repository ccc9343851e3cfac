//! What each run changed in a repository: kept with the run, counted by action, shown with both versions.

use loopdeck_core::driver::ChangedLines;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::RunView;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, develops, planned};
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use std::fs;

/// A loop of one task, in a repository or not; its agent changes a committed file, a dirty one, and makes a new one.
fn ran(in_repository: bool) -> (Driven, String) {
    let mut driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let folder = driven.live.workspace.clone();
    fs::write(folder.join("clean.txt"), "1\n2\n3\n").unwrap();
    if in_repository {
        fs::write(folder.join(".gitignore"), "*.runs\n*.gate\n").unwrap();
        commit_all(&folder);
    }
    fs::write(folder.join("dirty.txt"), "a\n").unwrap();
    let write = |path: &str, text: &str| Step::Write { path: path.into(), text: text.into() };
    let develop = develops("task-001")
        .then(write("clean.txt", "1\ntwo\n3\n"))
        .then(write("dirty.txt", "a\nb\n"))
        .then(write("new.txt", "<script>alert(1)</script>\n"));
    driven.script(&Scripted { output: Output::Text, rules: vec![planned(1), develop] });
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_word(&name, StatusWord::Completed);
    (driven, name)
}

fn runs(driven: &Driven, name: &str) -> Vec<RunView> {
    driven.live.runtime.runs(&driven.live.key(name)).unwrap()
}

#[test]
fn what_a_run_changed_is_counted_and_shown_with_both_versions() {
    let (driven, name) = ran(true);
    let runs = runs(&driven, &name);
    let develop = runs.iter().find(|run| run.action == "develop").unwrap();
    let lines = ChangedLines { added: 3, removed: 1 };
    let totals = develop.changes.unwrap();
    assert_eq!(
        (totals.files, totals.lines),
        (3, lines),
        "{:?}",
        driven.live.runtime.run_changes(&develop.id)
    );
    let init = runs.iter().find(|run| run.action == "init").unwrap();
    assert_eq!(init.changes.map(|totals| totals.files), Some(0), "state files are no work of an agent");
    // The repository moves on; what the run changed stays.
    git(&driven.live.workspace, &["checkout", "-q", "--", "clean.txt"]);
    let files = driven.live.runtime.run_changes(&develop.id).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["clean.txt", "dirty.txt", "new.txt"]);
    let texts = driven.live.runtime.run_change(&develop.id, 0).unwrap();
    assert_eq!((texts.before.join(" "), texts.after.join(" ")), ("1 2 3".into(), "1 two 3".into()));
    let texts = driven.live.runtime.run_change(&develop.id, 2).unwrap();
    assert_eq!((texts.before.len(), texts.after[0].as_str()), (0, "<script>alert(1)</script>"));
    for (run, file) in [(develop.id.as_str(), 9), ("../..", 0), ("00-none", 0)] {
        let failure = driven.live.runtime.run_change(run, file).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NoChanges, "{run}");
    }
    let facts = driven.live.runtime.loop_summary(&driven.live.key(&name)).unwrap().report.runs.unwrap();
    let by_action = facts.actions.iter().find(|cost| cost.action == "develop").unwrap();
    assert_eq!(by_action.lines, Some(lines));
    let changed: Vec<_> = facts.changes.iter().map(|change| (change.run.as_str(), change.files)).collect();
    assert_eq!(changed, [(develop.id.as_str(), 3)]);
}

#[test]
fn without_a_repository_nothing_is_claimed() {
    let (driven, name) = ran(false);
    for run in runs(&driven, &name) {
        assert_eq!(run.changes, None, "{}", run.action);
        assert_eq!(driven.live.runtime.run_changes(&run.id).unwrap_err().kind, FailureKind::NoChanges);
    }
}
