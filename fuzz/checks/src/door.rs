//! The entry point of the core, as the runtime uses it: every read and every intent on one file.

use loopdeck_core::control::{Intent, MetadataPatch, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_text::json_span::tree::Node;

/// A time like those in the fixtures.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
/// Nobody is running the loop, another program is, or we are: the legal verbs depend on it.
const SHOWN: [StatusWord; 3] = [StatusWord::Interrupted, StatusWord::RunningElsewhere, StatusWord::Running];

/// Facts of a file named `stem`.
pub(crate) fn facts(stem: &str) -> FileFacts<'_> {
    FileFacts { stem, modified: NOW, now: NOW }
}

/// A CCW file's name is its identity, and most verbs are refused under another one, so the name comes from
/// the file.
pub(crate) fn stem(bytes: &[u8]) -> String {
    let node = Node::parse(bytes).ok();
    let id = node.as_ref().and_then(|node| node.get("loop_id").text());
    id.filter(|id| id.starts_with("loop-")).unwrap_or("loop-v2-20261120T042421-d8ff7e62").to_owned()
}

/// The errors in a file: while it has any, nothing else is written to it.
pub(crate) fn errors(place: Place, stem: &str, bytes: &[u8]) -> Vec<ProblemCode> {
    let summary = loops::summary(place, bytes, &facts(stem)).expect("a loop");
    let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.code).collect()
}

/// The file with the loop set to running; `None` when no verb does that.
pub(crate) fn running(place: Place, stem: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let facts = facts(stem);
    let summary = loops::summary(place, bytes, &facts)?;
    if summary.status == FileStatus::Running {
        return Some(bytes.to_vec());
    }
    let situation = Situation { shown: StatusWord::Interrupted, now: NOW };
    let intents = [
        Intent::Start,
        Intent::Resume { raise_limit_to: Some(99) },
        Intent::Reopen { raise_limit_to: Some(99) },
    ];
    let carried =
        |intent| loops::carry_out(&summary, bytes, &facts, intent, &situation).map(|done| done.bytes).ok();
    intents.iter().find_map(carried)
}

/// Texts with a meaning in JSON, YAML and Markdown, and one as arbitrary as the file.
pub(crate) fn texts(bytes: &[u8]) -> [String; 4] {
    let tail = &bytes[bytes.len().saturating_sub(40)..];
    [
        "It's \"done\": #1 \\ {}[]".to_owned(),
        "# H1\n---\n\n**Status**: x\r\n```\n- [ ] a\n### Iteration 3 - y (t)\n  status: stopped\n- id: A1"
            .to_owned(),
        String::from_utf8_lossy(tail).into_owned(),
        "w".to_owned(),
    ]
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

/// Reads the file in every way, applies every intent, and passes each legal edit to `edited` with the
/// resulting bytes. The result must be readable.
pub(crate) fn exercise(place: Place, stem: &str, bytes: &[u8], edited: impl Fn(&Summary, &[u8])) {
    let facts = facts(stem);
    let Some(summary) = loops::summary(place, bytes, &facts) else { return };
    for run in 0..2 {
        let _ = loops::test_rows(summary.format, bytes, run, &[]);
    }
    for shown in SHOWN {
        let situation = Situation { shown, now: NOW };
        let _ = loops::detail(summary.format, bytes, &facts, &situation, &[]);
        let _ = loops::controls(&summary, &facts, &situation);
        for intent in intents() {
            let _ = intent.verb().map(|verb| loops::request_standing(&summary, verb));
            let Ok(carried) = loops::carry_out(&summary, bytes, &facts, &intent, &situation) else {
                continue;
            };
            let after = carried.bytes;
            let again = loops::summary(place, &after, &facts).expect("still a loop");
            assert_eq!(again.format, summary.format, "{intent:?}");
            assert_ne!(again.status, FileStatus::Unreadable, "{intent:?} damaged the file");
            if errors(place, stem, bytes).is_empty() {
                assert_eq!(errors(place, stem, &after), [], "{intent:?} brought an error");
            }
            edited(&again, &after);
        }
    }
}
