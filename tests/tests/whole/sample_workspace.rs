//! The sample workspace shows a newcomer every format and most statuses, without unintended problems.

use loopdeck_core::format::Format;
use loopdeck_core::problem::Severity;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::LoopRow;
use loopdeck_runtime::{Options, Runtime};
use std::collections::BTreeSet;

#[test]
fn the_sample_shows_every_format_and_most_statuses() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_sample().unwrap();
    let changes = runtime.changes(0);
    assert!(changes.workspaces.iter().all(|workspace| workspace.sample));
    let formats: BTreeSet<Format> = changes.rows.iter().map(|row| row.format).collect();
    assert_eq!(formats.len(), 15, "{formats:?}");
    let words: BTreeSet<StatusWord> = changes.rows.iter().map(|row| row.word).collect();
    for word in [
        StatusWord::RunningElsewhere,
        StatusWord::Interrupted,
        StatusWord::LimitReached,
        StatusWord::Paused,
        StatusWord::Stopped,
        StatusWord::Failed,
        StatusWord::Completed,
        StatusWord::NotStarted,
        StatusWord::LeftByUser,
        StatusWord::CannotRead,
    ] {
        assert!(words.contains(&word), "{word:?} is missing: {words:?}");
    }
    for row in &changes.rows {
        let page = runtime.open_loop(&row.key).unwrap();
        let meant = row.word == StatusWord::CannotRead;
        let bad: Vec<_> =
            page.detail.problems.iter().filter(|problem| problem.severity > Severity::Info).collect();
        let meant_to_be = bad.iter().all(|problem| {
            ["W11_orphaned_task", "V16_orphaned_atom", "V17_not_verified"].contains(&problem.code.name())
        });
        assert!(meant || meant_to_be, "{}: {bad:#?}", row.title);
    }
}

#[test]
fn its_loops_can_be_started_without_an_account_and_its_trust_is_the_persons() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let runtime = Runtime::start(&options).unwrap();
    let id = runtime.open_sample().unwrap();
    let is_new = |row: &LoopRow| row.word == StatusWord::NotStarted;
    let created: Vec<_> = runtime.changes(0).rows.into_iter().filter(is_new).collect();
    let formats: BTreeSet<Format> = created.iter().map(|row| row.format).collect();
    assert_eq!(formats, BTreeSet::from([Format::LoopV2, Format::Aot]));
    for row in &created {
        let plan = runtime.plan_of(&row.key).unwrap();
        let programs = [plan.agent.as_str(), plan.shell_command.as_str(), plan.test_command.as_str()];
        assert_eq!(programs, ["shell", "sh agent.sh", "sh test.sh"]);
        let path = runtime.workspace_path(&row.workspace).unwrap();
        assert!(runtime.folder_facts(&path.to_string_lossy()).trusted, "everything in it is ours");
    }
    let path = runtime.workspace_path(&id).unwrap();
    let path = path.to_string_lossy();
    // Trust that the person withdrew is not restored when the sample is opened again.
    runtime.trust(&path, false).unwrap();
    runtime.open_sample().unwrap();
    assert!(!runtime.folder_facts(&path).trusted);
    // No other folder brings programs, whatever it contains.
    let other = folder.path().join("other");
    std::fs::create_dir_all(other.join(".workflow/.loop")).unwrap();
    std::fs::write(other.join("agent.sh"), "exit 1").unwrap();
    let text = loopdeck_tests::live::loop_v2("loop-v2-20261120T042421-d8ff7e62", "created");
    std::fs::write(other.join(".workflow/.loop/loop-v2-20261120T042421-d8ff7e62.json"), text).unwrap();
    let id = runtime.open_workspace(&other).unwrap();
    let row = runtime.changes(0).rows.into_iter().find(|row| row.workspace == id).unwrap();
    let plan = runtime.plan_of(&row.key).unwrap();
    assert_eq!((plan.agent.as_str(), plan.shell_command.as_str(), plan.test_command.as_str()), ("", "", ""));
}
