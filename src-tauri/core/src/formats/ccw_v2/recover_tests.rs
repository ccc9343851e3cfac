//! From the samples: the companions' contents are restored, and each field names its source.

use super::*;
use crate::times::Timestamp;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;

const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
const FACTS: FileFacts<'static> = FileFacts {
    stem: STEM,
    modified: Timestamp::from_millis(1_795_148_661_870),
    now: Timestamp::from_millis(1_795_148_661_870),
};

macro_rules! sample {
    ($file:literal) => {
        include_bytes!(concat!(
            "../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/2-debugging/loop-v2-20260122T020000-3fa91c0e",
            $file
        ))
    };
}

const MASTER: &[u8] = sample!(".json");

fn companions() -> Vec<Companion> {
    let file =
        |kind, bytes: &[u8]| Companion { kind, file: String::new(), bytes: bytes.to_vec(), cut: false };
    vec![
        file(CompanionKind::DevelopDoc, sample!(".progress/develop.md")),
        file(CompanionKind::ChangesLog, sample!(".progress/changes.log")),
        file(CompanionKind::DebugDoc, sample!(".progress/debug.md")),
        file(CompanionKind::Hypotheses, sample!(".progress/hypotheses.json")),
        file(CompanionKind::DebugLog, sample!(".progress/debug.log")),
        file(CompanionKind::TestResults, sample!(".progress/test-results.json")),
        file(CompanionKind::Coverage, sample!(".progress/coverage.json")),
        file(CompanionKind::ValidateDoc, sample!(".progress/validate.md")),
    ]
}

fn sources(recovery: &Recovery) -> BTreeMap<&str, &'static str> {
    recovery.provenance.iter().map(|field| (field.path.as_str(), field.source)).collect()
}

#[test]
fn an_empty_file_is_rebuilt_from_its_companions() {
    let recovery = recover(b"", None, &companions(), &FACTS);
    let root = Node::parse(recovery.text.as_bytes()).expect("valid");
    let original = Node::parse(MASTER).expect("valid");
    let (skill, old) = (root.get("skill_state"), original.get("skill_state"));
    for key in ["id", "description", "tool", "mode", "status", "completed_at", "files_changed"] {
        let all = |node: &Node<'_>| -> Vec<Json> {
            node.get("develop")
                .get("tasks")
                .items()
                .iter()
                .map(|task| Json::from_node(task.get(key)))
                .collect()
        };
        assert_eq!(all(skill), all(old), "{key}");
    }
    for (section, key) in [
        ("develop", "total"),
        ("develop", "completed"),
        ("develop", "last_progress_at"),
        ("debug", "active_bug"),
        ("debug", "iteration"),
        ("debug", "last_analysis_at"),
        ("validate", "coverage"),
        ("validate", "failed_tests"),
        ("validate", "passed"),
    ] {
        assert_eq!(
            Json::from_node(skill.get(section).get(key)),
            Json::from_node(old.get(section).get(key)),
            "{section}.{key}"
        );
    }
    assert_eq!(skill.get("debug").get("hypotheses").items()[0].get("evidence").items().len(), 2);
    let from = sources(&recovery);
    assert_eq!(from["status"], "proposed");
    assert_eq!((from["loop_id"], from["description"]), ("stem", "develop.md"));
    assert_eq!(from["skill_state.debug.hypotheses"], "hypotheses.json");
    assert_eq!(from["skill_state.validate.pass_rate"], "test-results.json");
    assert!(recovery.lost.iter().any(|path| path == "max_iterations"));
    let lost =
        |recovery: &Recovery| recovery.lost.iter().any(|path| path == "skill_state.validate.test_results");
    assert!(!lost(&recovery), "it was the first run");
    let second = |file: &mut Companion| {
        let text = String::from_utf8_lossy(&file.bytes).replacen("\"iteration\": 1", "\"iteration\": 2", 1);
        file.bytes = text.into_bytes();
    };
    let mut later = companions();
    later.iter_mut().filter(|file| file.kind == CompanionKind::TestResults).for_each(second);
    later.retain(|file| file.kind != CompanionKind::ValidateDoc);
    assert!(lost(&recover(b"", None, &later, &FACTS)), "of the first run no file is left");
}

#[test]
fn a_complete_prefix_is_kept_as_it_is() {
    let tail = [MASTER, b"\n  \"old\": 1\n}"].concat();
    let recovery = recover(&tail, None, &[], &FACTS);
    let whole = Json::from_node(&Node::parse(MASTER).expect("valid"));
    assert_eq!(Json::from_node(&Node::parse(recovery.text.as_bytes()).expect("valid")), whole);
    assert_eq!(recovery.lost, [""; 0]);
    assert!(recovery.text.contains("\"pass_rate\": 50.0"));
}

#[test]
fn every_cut_of_a_file_gives_a_loop() {
    let companions = companions();
    for cut in (0..MASTER.len()).step_by(61) {
        let recovery = recover(&MASTER[..cut], Some(MASTER), &companions, &FACTS);
        assert!(is_valid(&recovery, Format::LoopV2, &FACTS), "{cut}: {}", recovery.text);
        let alone = recover(&MASTER[..cut], None, &[], &FACTS);
        assert!(is_valid(&alone, Format::LoopV2, &FACTS), "{cut}: {}", alone.text);
        assert_eq!(sources(&recovery)["max_iterations"], if cut < 240 { "last_good" } else { "prefix" });
    }
}

#[test]
fn without_side_files_the_reports_are_read() {
    let mut companions = companions();
    companions.retain(|file| matches!(file.kind, CompanionKind::DebugDoc | CompanionKind::ValidateDoc));
    let recovery = recover(b"{", None, &companions, &FACTS);
    let from = sources(&recovery);
    assert_eq!(
        (from["skill_state.debug.hypotheses"], from["skill_state.validate.passed"]),
        ("debug.md", "validate.md")
    );
    assert_eq!(from["skill_state.develop.tasks"], "missing");
    let nothing = recover(b"\xff\x00", None, &[], &FACTS);
    assert!(!nothing.text.contains("skill_state"));
}
