//! Damaged files: each recovery by itself, in order, and never a proposal that is damaged too (the
//! CCW contract §16).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::Severity;
use loopdeck_core::recovery::{self, ProposalSource, Remains};
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind};
use std::path::{Path, PathBuf};

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const V1: &str = "{\"loop_id\":\"loop-T1-20260122\",\"task_id\":\"T1\",\"status\":\"paused\",\"current_iteration\":2,\"max_iterations\":3,\"cli_sequence\":[]}\n";
const V1_STEM: &str = "loop-T1-20260122";

fn ways(
    format: Format,
    damaged: &[u8],
    last_good: Option<&[u8]>,
    backup: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Vec<(ProposalSource, Recovery)> {
    let remains = Remains { damaged, last_good, backup, companions, ..Remains::default() };
    recovery::proposals(format, &remains, facts)
}

/// A master, its name, and everything next to it.
struct Sample {
    stem: String,
    bytes: Vec<u8>,
    companions: Vec<Companion>,
}

impl Sample {
    fn read(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ccw").join(file);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let companions = beside(&path.with_extension("progress"))
            .into_iter()
            .chain(beside(&path.with_extension("workers")))
            .collect();
        Self { bytes: std::fs::read(&path).unwrap(), stem, companions }
    }

    fn facts(&self) -> FileFacts<'_> {
        FileFacts { stem: &self.stem, modified: NOW, now: NOW }
    }

    fn format(&self) -> Format {
        if self.stem.starts_with("loop-b-") { Format::LoopB } else { Format::LoopV2 }
    }
}

fn beside(folder: &PathBuf) -> Vec<Companion> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let companion = |path: PathBuf| {
        let file = path.file_name()?.to_str()?.to_owned();
        let kind = match file.as_str() {
            "develop.md" => CompanionKind::DevelopDoc,
            "debug.md" => CompanionKind::DebugDoc,
            "validate.md" => CompanionKind::ValidateDoc,
            "summary.md" => CompanionKind::SummaryDoc,
            "changes.log" => CompanionKind::ChangesLog,
            "debug.log" => CompanionKind::DebugLog,
            "hypotheses.json" => CompanionKind::Hypotheses,
            "test-results.json" => CompanionKind::TestResults,
            "coverage.json" => CompanionKind::Coverage,
            _ => CompanionKind::WorkerOutput,
        };
        Some(Companion { kind, file, bytes: std::fs::read(&path).ok()?, cut: false })
    };
    entries.filter_map(|entry| companion(entry.ok()?.path())).collect()
}

const SAMPLES: [&str; 7] = [
    "codex-ccw-loop-synth/1-paused-mid-develop/loop-v2-20260122T020000-3fa91c0e.json",
    "codex-ccw-loop-synth/2-debugging/loop-v2-20260122T020000-3fa91c0e.json",
    "codex-ccw-loop-synth/3-completed/loop-v2-20260122T020000-3fa91c0e.json",
    "codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json",
    "seed-001-initialised/loop-v2-20260122-abc123.json",
    "seed-003-parallel/loop-b-20260122-abc123.json",
    "stopped/loop-v2-20261120T042421-d8ff7e62.json",
];

#[track_caller]
fn assert_sound(text: &str, format: Format, facts: &FileFacts<'_>) {
    let summary = loops::summary(Place::CcwFile, text.as_bytes(), facts).unwrap();
    assert_eq!(summary.format, format, "{text}");
    assert!(summary.problems.iter().all(|problem| problem.severity != Severity::Error), "{text}");
}

#[test]
fn every_truncation_gives_only_valid_and_different_proposals() {
    for sample in SAMPLES.map(Sample::read) {
        let (format, facts) = (sample.format(), sample.facts());
        // Every byte of the small files; for the large ones a step that reaches every kind of position.
        let step = if sample.bytes.len() < 1_500 { 1 } else { 31 };
        for cut in (0..sample.bytes.len()).step_by(step) {
            let damaged = &sample.bytes[..cut];
            for last_good in [None, Some(&*sample.bytes)] {
                let found = ways(format, damaged, last_good, None, &sample.companions, &facts);
                let order: Vec<ProposalSource> = found.iter().map(|(way, _)| *way).collect();
                let figures: Vec<u32> = found.iter().map(|(_, recovery)| recovery.recovered).collect();
                assert!(figures.iter().rev().is_sorted(), "{order:?} {figures:?}");
                assert_eq!(
                    order.contains(&ProposalSource::LastGood),
                    last_good.is_some(),
                    "{cut}: {order:?}"
                );
                let is_damaged = cut + 2 < sample.bytes.len(); // the last bytes are a brace and a newline
                assert!(
                    !is_damaged || order.iter().any(|way| *way != ProposalSource::LastGood),
                    "{cut}: a file of its name"
                );
                for (index, (way, recovery)) in found.iter().enumerate() {
                    assert_sound(&recovery.text, format, &facts);
                    assert!(
                        found[..index].iter().all(|(_, earlier)| earlier.text != recovery.text),
                        "{way:?}"
                    );
                }
            }
        }
    }
}

fn only(found: &[(ProposalSource, Recovery)], way: ProposalSource) -> &Recovery {
    &found.iter().find(|(found, _)| *found == way).unwrap_or_else(|| panic!("{way:?} is not offered")).1
}

#[test]
fn the_last_good_version_comes_back_byte_for_byte() {
    let sample = Sample::read(SAMPLES[1]);
    let odd = [b"\xef\xbb\xbf", &*sample.bytes, b"\r\n"].concat();
    let found = ways(Format::LoopV2, b"{\"loop", Some(&odd), None, &[], &sample.facts());
    let recovery = only(&found, ProposalSource::LastGood);
    assert_eq!(recovery.text.as_bytes(), odd);
    assert!(recovery.lost.is_empty(), "{:?}", recovery.lost);
    assert!(recovery.provenance.iter().all(|field| field.source == "last_good"));
    let paths: Vec<_> = recovery.provenance.iter().map(|field| field.path.as_str()).collect();
    assert!(paths.contains(&"skill_state.develop.tasks") && paths.contains(&"max_iterations"));
    // A last good version of another loop does not count.
    let other = String::from_utf8(sample.bytes.clone()).unwrap().replace("3fa91c0e", "00000000");
    let found = ways(Format::LoopV2, b"{\"loop", Some(other.as_bytes()), None, &[], &sample.facts());
    assert_eq!(found.iter().map(|(way, _)| *way).collect::<Vec<_>>(), [ProposalSource::Rebuilt]);
}

#[test]
fn the_prefix_is_stripped_or_closed() {
    let sample = Sample::read(SAMPLES[2]);
    let text = String::from_utf8(sample.bytes.clone()).unwrap();
    let tail = format!("{}\n  \"old\": 1\n}}\n", text.trim_end());
    let found = ways(Format::LoopV2, tail.as_bytes(), None, None, &sample.companions, &sample.facts());
    let recovery = only(&found, ProposalSource::Prefix);
    assert_eq!(recovery.text.trim_end(), text.trim_end(), "spelling and order stay");
    assert!(recovery.provenance.iter().all(|field| field.source == "prefix"));

    let cut = &text[..text.find("\"status\"").unwrap()];
    let found =
        ways(Format::LoopV2, cut.as_bytes(), Some(&sample.bytes), None, &sample.companions, &sample.facts());
    let recovery = only(&found, ProposalSource::Prefix);
    let source =
        |path: &str| recovery.provenance.iter().find(|field| field.path == path).map(|field| field.source);
    assert_eq!((source("title"), source("status")), (Some("prefix"), Some("proposed")));
    assert!(recovery.lost.iter().any(|path| path == "status"), "a person confirms it");
    assert!(recovery.provenance.iter().all(|field| !matches!(field.source, "last_good" | "develop.md")));
    assert!(
        only(&found, ProposalSource::Rebuilt)
            .provenance
            .iter()
            .any(|field| field.source == "develop.md" || field.source == "last_good")
    );

    let foreign = tail.replace("3fa91c0e\"", "00000000\"");
    let found = ways(Format::LoopV2, foreign.as_bytes(), None, None, &[], &sample.facts());
    assert!(found.iter().all(|(way, _)| *way != ProposalSource::Prefix), "another loop's content");
    let nothing = ways(Format::LoopV2, b"{\"loop_id\": \"", None, None, &[], &sample.facts());
    assert!(nothing.iter().all(|(way, _)| *way != ProposalSource::Prefix), "nothing is left of it");
}

#[test]
fn the_engine_s_backup_is_offered_for_what_it_is() {
    let facts = FileFacts { stem: V1_STEM, modified: NOW, now: NOW };
    for format in [Format::Unknown, Format::V1] {
        let found = ways(format, &V1.as_bytes()[..60], None, Some(V1.as_bytes()), &[], &facts);
        assert_eq!(found.len(), 1, "the engine's files cannot be rebuilt");
        assert_eq!((found[0].0, found[0].1.text.as_str()), (ProposalSource::Backup, V1));
        assert!(found[0].1.provenance.iter().all(|field| field.source == "backup"));
    }
    let same = ways(Format::V1, b"{", Some(V1.as_bytes()), Some(V1.as_bytes()), &[], &facts);
    assert_eq!(
        same.iter().map(|(way, _)| *way).collect::<Vec<_>>(),
        [ProposalSource::LastGood],
        "one text, offered once"
    );
    let tail = format!("{V1}  \"x\": 1}}");
    let found = ways(Format::Unknown, tail.as_bytes(), None, None, &[], &facts);
    assert_eq!((found.len(), found[0].0, found[0].1.text.as_str()), (1, ProposalSource::Prefix, V1));
    assert!(ways(Format::Unknown, b"{", None, Some(b"{\"loop_id\":"), &[], &facts).is_empty());
    assert!(
        ways(Format::V1, V1.as_bytes(), Some(V1.as_bytes()), None, &[], &facts).is_empty(),
        "nothing to recover"
    );
}
