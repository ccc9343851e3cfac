//! Damaged CCW masters rebuilt from the remaining files.

use crate::door;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::formats::{ccw_v2, loop_b};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::Severity;
use loopdeck_core::recovery::{Remains, proposals};
use loopdeck_core::view::{Companion, CompanionKind};
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

const KINDS: [CompanionKind; 11] = [
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
];

type Recover = fn(&[u8], Option<&[u8]>, &[Companion], &FileFacts<'_>) -> Recovery;

/// Whatever remains, and wherever: the proposal is a loop without errors, and gives the origin of each field.
pub fn check(bytes: &[u8]) {
    let proposals: [(Recover, Format, &str); 2] = [
        (ccw_v2::recover::recover, Format::LoopV2, "loop-v2-20261120T042421-d8ff7e62"),
        (loop_b::recover::recover, Format::LoopB, "loop-b-20261120T042421-d8ff7e62"),
    ];
    let beside = KINDS.map(|kind| Companion {
        kind,
        file: "develop.output.json".to_owned(),
        bytes: bytes.to_vec(),
        cut: false,
    });
    let cut = &bytes[..bytes.len() / 2];
    for (recover, format, stem) in proposals {
        for (damaged, last_good, companions) in [
            (bytes, None, &[][..]),
            (b"", Some(bytes), &[]),
            (b"", None, &beside),
            (cut, Some(bytes), &[]),
            (cut, None, &beside),
            (bytes, Some(cut), &beside),
        ] {
            let recovery = recover(damaged, last_good, companions, &door::facts(stem));
            sound(&recovery, format, stem);
        }
    }
    offered(bytes, cut, &beside);
}

/// Every recovery offered, for every format: a file without errors that differs from the damaged one.
fn offered(bytes: &[u8], cut: &[u8], beside: &[Companion]) {
    for (place, format, stem) in [
        (Place::CcwFile, Format::LoopV2, "loop-v2-20261120T042421-d8ff7e62"),
        (Place::CcwFile, Format::LoopB, "loop-b-20261120T042421-d8ff7e62"),
        (Place::CcwFile, Format::Unknown, "x"),
        (Place::AotFile, Format::Aot, "aot-loop-state"),
    ] {
        for (damaged, last_good, backup, elsewhere) in [
            (bytes, None, None, None),
            (cut, Some(bytes), None, None),
            (cut, None, Some(bytes), None),
            (b"", Some(cut), None, None),
            (b"", None, None, Some(bytes)),
        ] {
            let remains = Remains { damaged, last_good, backup, elsewhere, companions: beside };
            for (way, recovery) in proposals(format, &remains, &door::facts(stem)) {
                let errors = door::errors(place, stem, recovery.text.as_bytes());
                assert_eq!(errors, [], "{way:?} of {format:?}");
            }
        }
    }
}

fn sound(recovery: &Recovery, format: Format, stem: &str) {
    let summary =
        loops::summary(Place::CcwFile, recovery.text.as_bytes(), &door::facts(stem)).expect("a loop");
    assert_eq!(summary.format, format);
    let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{:?}", summary.problems);
    let root = Node::parse(recovery.text.as_bytes()).expect("JSON");
    let told = |path: &str| -> Vec<&str> {
        let told = recovery.provenance.iter().filter(|field| field.path == path);
        told.map(|field| field.source).collect()
    };
    for (key, value) in root.fields() {
        // The fields of the skill state are reported one by one, and a foreign key may look like their paths.
        if key == "skill_state" && value.is_object() || key.contains('.') {
            continue;
        }
        // A value that was put together names each of its sources, once.
        let sources = told(key);
        let once: BTreeSet<&str> = sources.iter().copied().collect();
        assert!(!sources.is_empty() && once.len() == sources.len(), "where {key} came from: {sources:?}");
    }
}
