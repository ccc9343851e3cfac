//! The sample workspace shows a newcomer every format and most statuses, without a problem that is not meant.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::format::Format;
use loopdeck_core::problem::Severity;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::{Options, Runtime};
use std::collections::BTreeSet;

#[test]
fn the_sample_shows_every_format_and_most_statuses() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_sample().unwrap();
    let changes = runtime.changes(0);
    assert!(changes.workspaces[0].sample);
    let formats: BTreeSet<Format> = changes.rows.iter().map(|row| row.format).collect();
    assert_eq!(formats.len(), 5, "{formats:?}");
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
        let orphans_only = bad
            .iter()
            .all(|problem| ["W11_orphaned_task", "V16_orphaned_atom"].contains(&problem.code.name()));
        assert!(meant || orphans_only, "{}: {bad:#?}", row.title);
    }
}
