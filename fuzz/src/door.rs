//! The door of the core, as the runtime uses it: every read and every intent on one file.

use loopdeck_core::control::{Intent, MetadataPatch, Situation};
use loopdeck_core::format::{FileFacts, Summary};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::{FileStatus, StatusWord};

/// A time like those in the fixtures.
pub(crate) const NOW: i64 = 1_795_148_661_870;
/// Nobody works, somebody else does, ours does: which verbs are legal depends on it.
const SHOWN: [StatusWord; 3] = [StatusWord::Interrupted, StatusWord::RunningElsewhere, StatusWord::Running];

/// Facts of a file named `stem`.
pub(crate) fn facts(stem: &str) -> FileFacts<'_> {
    FileFacts { stem, modified: NOW, now: NOW }
}

fn intents() -> Vec<Intent> {
    let patch = MetadataPatch {
        title: Some("New \"title\"".to_owned()),
        tags: Some(vec!["a".to_owned(), "\u{e9}\\".to_owned()]),
        priority: Some(String::new()),
        ..MetadataPatch::default()
    };
    vec![
        Intent::Start,
        Intent::Pause,
        Intent::Resume { raise_limit_to: Some(150) },
        Intent::Stop { reason: Some("It's \"enough\": #1\n---".to_owned()) },
        Intent::Reopen { raise_limit_to: None },
        Intent::Finalise,
        Intent::EditMetadata(patch),
    ]
}

/// Reads the file every way there is, applies every intent, and hands each legal edit to `edited`
/// with the bytes after it. What was written must be readable again.
pub(crate) fn exercise(place: Place, stem: &str, bytes: &[u8], edited: impl Fn(&Summary, &[u8])) {
    let facts = facts(stem);
    let Some(summary) = loops::summary(place, bytes, &facts) else { return };
    for run in 0..2 {
        let _ = loops::test_rows(summary.format, bytes, run);
    }
    for shown in SHOWN {
        let situation = Situation { shown, now: NOW };
        let _ = loops::detail(summary.format, bytes, &facts, &situation, &[]);
        let _ = loops::controls(&summary, &facts, &situation);
        for intent in intents() {
            let _ = intent.verb().map(|verb| loops::standing(&summary, verb));
            let Ok(carried) = loops::carry_out(&summary, bytes, &facts, &intent, &situation) else { continue };
            let after = carried.bytes;
            let again = loops::summary(place, &after, &facts).expect("still a loop");
            assert_eq!(again.format, summary.format, "{intent:?}");
            assert_ne!(again.status, FileStatus::Unreadable, "{intent:?} damaged the file");
            edited(&again, &after);
        }
    }
}
