//! Properties of every file: an edit changes only what it should, and no bytes make the core panic.

use loopdeck_core::control::{Intent, MetadataPatch, Situation};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind};
use loopdeck_text::json_span::change::{Change, NewValue};
use loopdeck_text::json_span::splice::edit_object;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);

/// How a file is laid out.
#[derive(Clone, Debug)]
struct Layout {
    indent: &'static str,
    newline: &'static str,
    colon: &'static str,
    bom: bool,
    final_newline: bool,
}

fn layouts() -> impl Strategy<Value = Layout> {
    let indents = prop::sample::select(vec!["", "  ", "    ", "\t"]);
    let colons = prop::sample::select(vec![":", ": ", " :  "]);
    (indents, any::<bool>(), colons, any::<bool>(), any::<bool>()).prop_map(
        |(indent, crlf, colon, bom, final_newline)| Layout {
            indent,
            newline: match (indent.is_empty(), crlf) {
                (true, _) => "",
                (_, true) => "\r\n",
                (_, false) => "\n",
            },
            colon,
            bom,
            final_newline,
        },
    )
}

/// JSON scalars in spellings that a rewrite would lose.
fn scalars() -> impl Strategy<Value = String> {
    let spellings = [
        "50.0",
        "1e3",
        "1E+3",
        "-0",
        "123456789012345678901234567890",
        "\"\\u00e9\\/\"",
        "\"\\ud83d\\ude00\"",
        "null",
        "true",
        "[]",
        "{}",
        "[1, 2 ,3]",
        "{ \"id\": \"x\", \"id\": \"y\" }",
        "\"}{,:\"",
    ];
    prop_oneof![
        prop::sample::select(spellings.map(str::to_owned).to_vec()),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
    ]
}

/// Unknown members between the known ones.
fn members() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[a-z]{1,3}x", scalars()), 0..6)
}

fn document(layout: &Layout, members: &[(String, String)]) -> String {
    let mut text = String::from(if layout.bom { "\u{feff}{" } else { "{" });
    for (index, (key, value)) in members.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(text, "{comma}{}{}\"{key}\"{}{value}", layout.newline, layout.indent, layout.colon)
            .expect("text");
    }
    write!(text, "{}}}{}", layout.newline, if layout.final_newline { "\n" } else { "" }).expect("text");
    text
}

fn master(status: &str, unknown: &[(String, String)]) -> Vec<(String, String)> {
    let known = [
        ("loop_id", format!("\"{STEM}\"")),
        ("title", "\"T\"".to_owned()),
        ("max_iterations", "10".to_owned()),
        ("status", format!("\"{status}\"")),
        ("current_iteration", "1".to_owned()),
        ("updated_at", "\"2026-11-20T04:24:21.870Z\"".to_owned()),
        ("completed_at", "\"2026-11-20T04:24:21.870Z\"".to_owned()),
        ("failure_reason", "\"x\"".to_owned()),
    ];
    let mut members: Vec<_> = known.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    for (index, member) in unknown.iter().enumerate() {
        members.insert((index * 3).min(members.len()), member.clone());
    }
    members
}

/// Names with the exact text of their values, in order.
fn raw_members(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let node = Node::parse(text.as_bytes()).expect("valid JSON");
    node.fields().iter().map(|(key, node)| (key.to_string(), node.json(None, 100_000))).collect()
}

fn situation(shown: StatusWord) -> Situation {
    Situation { shown, now: NOW }
}

fn intents() -> Vec<(Intent, &'static str, StatusWord, &'static [&'static str])> {
    vec![
        (Intent::Pause, "running", StatusWord::Interrupted, &["status", "updated_at"]),
        (
            Intent::Resume { raise_limit_to: Some(20) },
            "paused",
            StatusWord::Paused,
            &["status", "updated_at", "max_iterations", "completed_at", "failure_reason"],
        ),
        (
            Intent::Stop { reason: None },
            "paused",
            StatusWord::Paused,
            &["status", "updated_at", "completed_at", "failure_reason"],
        ),
        (
            Intent::EditMetadata(MetadataPatch {
                description: Some("d\n\"é".into()),
                tags: Some(vec!["a".into(), "b".into()]),
                ..MetadataPatch::default()
            }),
            "paused",
            StatusWord::Paused,
            &["description", "tags", "updated_at"],
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn an_edit_changes_only_the_intended_fields(layout in layouts(), unknown in members()) {
        for (intent, status, shown, keys) in intents() {
            let text = document(&layout, &master(status, &unknown));
            let facts = FileFacts { stem: STEM, modified: NOW, now: NOW };
            let summary = loops::summary(Place::CcwFile, text.as_bytes(), &facts).expect("a loop");
            let situation = situation(shown);
            let edited = loops::carry_out(&summary, text.as_bytes(), &facts, &intent, &situation).expect("legal").bytes;
            let edited = String::from_utf8(edited).expect("UTF-8");
            let others = |text: &str| {
                let mut members = raw_members(text);
                members.retain(|(key, _)| !keys.contains(&key.as_str()));
                members
            };
            prop_assert_eq!(others(&text), others(&edited));
            prop_assert_eq!(text.starts_with('\u{feff}'), edited.starts_with('\u{feff}'));
            prop_assert_eq!(text.ends_with('\n'), edited.ends_with('\n'));
            prop_assert_eq!(text.contains("\r\n"), edited.contains("\r\n"));
            // Everything outside the edited members is there byte for byte, in order.
            let mut rest = edited.as_str();
            for (key, value) in master(status, &unknown).iter().filter(|(key, _)| !keys.contains(&key.as_str())) {
                let member = format!("\"{key}\"{}{value}", layout.colon);
                let at = rest.find(&member);
                prop_assert!(at.is_some(), "{member} is missing in {edited}");
                rest = &rest[at.unwrap_or_default() + member.len()..];
            }
            let after = loops::summary(Place::CcwFile, edited.as_bytes(), &facts).expect("a loop");
            prop_assert!(after.problems.is_empty(), "{:?}", after.problems);
        }
    }

    #[test]
    fn any_change_of_any_object_says_what_was_meant(
        layout in layouts(),
        unknown in members(),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        set in prop::collection::vec(("[a-z]{1,3}x", any::<String>()), 0..4),
    ) {
        let text = document(&layout, &unknown);
        let mut taken = BTreeSet::new();
        let mut changes = Vec::new();
        for (key, value) in &set {
            if taken.insert(key.as_str()) {
                changes.push(Change::Set { key, value: NewValue::Text(value.clone()), after: None });
            }
        }
        for index in removed.iter().filter(|_| !unknown.is_empty()) {
            let key = unknown[index.index(unknown.len())].0.as_str();
            if taken.insert(key) {
                changes.push(Change::Remove { key });
            }
        }
        let ambiguous = taken.iter().any(|key| unknown.iter().filter(|(name, _)| name == key).count() > 1);
        match edit_object(text.as_bytes(), &[], &changes) {
            Err(error) => prop_assert!(ambiguous, "{error:?}"),
            Ok(edits) => {
                prop_assert!(!ambiguous);
                let edited = text_edit::apply(text.as_bytes(), &edits).expect("edits do not overlap");
                let edited = String::from_utf8(edited).expect("UTF-8");
                let left: Vec<_> = raw_members(&text).into_iter().filter(|(key, _)| !taken.contains(key.as_str())).collect();
                let mut found = raw_members(&edited);
                for (key, value) in set.iter().filter(|(key, _)| taken.contains(key.as_str())) {
                    let is_first = set.iter().find(|(name, _)| name == key).is_some_and(|first| &first.1 == value);
                    let quoted = serde_json::Value::from(value.as_str()).to_string();
                    if is_first {
                        prop_assert!(found.iter().any(|(name, text)| name == key && *text == quoted));
                    }
                }
                found.retain(|(key, _)| !taken.contains(key.as_str()));
                prop_assert_eq!(left, found);
            }
        }
    }

    #[test]
    fn no_bytes_make_the_core_panic(bytes in soup()) {
        read_in_every_way(&bytes);
    }

    #[test]
    fn no_cut_or_flip_of_a_real_file_makes_the_core_panic(
        which in 0..SAMPLES.len(),
        cut in any::<prop::sample::Index>(),
        flip in any::<u8>(),
    ) {
        let mut bytes = SAMPLES[which].as_bytes().to_vec();
        let at = cut.index(bytes.len());
        read_in_every_way(&bytes[..at]);
        bytes[at] = flip;
        read_in_every_way(&bytes);
    }
}

const SAMPLES: [&str; 3] = [
    include_str!(
        "../../../../tests/fixtures/ccw/codex-ccw-loop-synth/3-completed/loop-v2-20260122T020000-3fa91c0e.json"
    ),
    include_str!(
        "../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json"
    ),
    include_str!("../../../../tests/fixtures/ccw/stopped/loop-v2-20261120T042421-d8ff7e62.json"),
];

/// Keys of the formats.
const KEYS: [&str; 31] = [
    "loop_id",
    "title",
    "status",
    "mode",
    "skill_state",
    "develop",
    "debug",
    "validate",
    "tasks",
    "hypotheses",
    "test_results",
    "summary",
    "tests",
    "errors",
    "phase",
    "parallel_results",
    "pending_tasks",
    "conflicts",
    "cli_sequence",
    "task_id",
    "created_at",
    "updated_at",
    "evidence",
    "pass_rate",
    "findings",
    "tags",
    "execution_history",
    "current_iteration",
    "max_iterations",
    "session_id",
    "prep_source",
];

/// Random bytes, and random JSON with the formats' keys and arbitrary values.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1e308".to_owned()),
        Just("1e999".to_owned()),
        Just("\"running\"".to_owned()),
        Just("\"2026-01-22T10:00:00Z\"".to_owned()),
        Just("true".to_owned()),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    let tree = leaf.prop_recursive(5, 60, 6, |inner| {
        let object = prop::collection::vec((prop::sample::select(KEYS.to_vec()), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            object.prop_map(|fields| {
                let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    });
    let top = prop::collection::vec((prop::sample::select(KEYS.to_vec()), tree.clone()), 0..12);
    let object = top.prop_map(|fields| {
        let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!(
            "{{\"status\":\"paused\",{}\"title\":1}}",
            fields.iter().fold(String::new(), |all, field| all + field + ",")
        )
        .into_bytes()
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        tree.prop_map(String::into_bytes),
        object.clone(),
        object,
    ]
}

fn read_in_every_way(bytes: &[u8]) {
    let kinds = [
        CompanionKind::TaskList,
        CompanionKind::Hypotheses,
        CompanionKind::TestResults,
        CompanionKind::Coverage,
        CompanionKind::WorkerOutput,
        CompanionKind::DevelopDoc,
        CompanionKind::DebugDoc,
        CompanionKind::ValidateDoc,
        CompanionKind::SummaryDoc,
        CompanionKind::ChangesLog,
        CompanionKind::DebugLog,
        CompanionKind::SessionMeta,
        CompanionKind::SessionTasks,
    ];
    let companions: Vec<_> = kinds
        .into_iter()
        .map(|kind| Companion {
            kind,
            file: "x/develop.output.json".to_owned(),
            bytes: bytes.to_vec(),
            cut: false,
        })
        .collect();
    for stem in [STEM, "loop-b-20260122T110000-k3v9x2ab", "loop-x", "other"] {
        for place in [Place::CcwFile, Place::LegacyState] {
            let facts = FileFacts { stem, modified: NOW, now: NOW };
            let summary = loops::summary(place, bytes, &facts);
            let situation = situation(StatusWord::Paused);
            for format in [Format::LoopV2, Format::LoopB, Format::V1, Format::Legacy] {
                let _ = loops::detail(format, bytes, &facts, &situation, &companions);
                let _ = loops::test_rows(format, bytes, 0, &[]);
            }
            let Some(summary) = summary else { continue };
            let _ = loops::controls(&summary, &facts, &situation);
            for (intent, ..) in intents() {
                if let Ok(loops::Carried { bytes: edited, .. }) =
                    loops::carry_out(&summary, bytes, &facts, &intent, &situation)
                {
                    let after = loops::summary(place, &edited, &facts).expect("still a loop");
                    assert_eq!(after.format, summary.format);
                }
            }
        }
    }
}

#[test]
fn hostile_documents_are_problems_not_crashes() {
    let hostile = [
        b"\0\0\0\0".to_vec(),
        b"{\"status\": \"\xff\"}".to_vec(),
        "[".repeat(200_000).into_bytes(),
        "{\"a\":".repeat(200_000).into_bytes(),
        format!("{{\"title\":\"t\",\"status\":\"paused\",\"x\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000))
            .into_bytes(),
        b"{\"title\":\"t\",\"status\":\"paused\",\"skill_state\":{\"develop\":{\"tasks\":[{\"status\":{}}]}}}".to_vec(),
        Vec::new(),
        b"{}{}".to_vec(),
    ];
    for bytes in &hostile {
        read_in_every_way(bytes);
        let facts = FileFacts { stem: STEM, modified: NOW, now: NOW };
        let summary = loops::summary(Place::CcwFile, bytes, &facts).expect("listed by its name");
        assert!(!summary.problems.is_empty(), "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
}
