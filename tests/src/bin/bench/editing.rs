//! One status edit in huge files, guard included, compared with one parser pass over the same bytes.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const ROUNDS: usize = 9;

/// Measures edits.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let id = corpus::id(1);
    let json = corpus::state(&id, "Loop number 1.", 50_000, 60_000); // 14 letters: running
    let json_pass = || {
        serde_json::from_str::<serde::de::IgnoredAny>(&json).expect("JSON");
    };
    let (pass, edit) = compare(json_pass, || carry_out(Place::CcwFile, &id, json.as_bytes(), &Intent::Pause));
    Report::note(&format!("JSON, {} MB: one pass that keeps nothing", json.len() >> 20), pass, "ms");
    Report::note("JSON: pause, guard included", edit, "ms");
    report.limit("JSON: pause / one pass", edit / pass, 2.0, "x");

    let aot = aot(10_000);
    let front = &aot[4..aot.rfind("\n---\n").expect("an end")];
    let yaml_pass = || {
        let events = granit_parser::Parser::new_from_str(front);
        assert!(events.filter(Result::is_ok).count() > 10_000);
    };
    let stop = Intent::Stop { reason: None };
    let (pass, edit) =
        compare(yaml_pass, || carry_out(Place::AotFile, "aot-loop-state", aot.as_bytes(), &stop));
    Report::note("AoT, 10,000 atoms: one event pass", pass, "ms");
    Report::note("AoT: stop, guard included", edit, "ms");
    report.limit("AoT: stop / one event pass", edit / pass, 2.5, "x");
}

fn compare(mut pass: impl FnMut(), mut edit: impl FnMut()) -> (f64, f64) {
    let (mut passes, mut edits) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        pass();
        passes.push(ms(start.elapsed()));
        let start = Instant::now();
        edit();
        edits.push(ms(start.elapsed()));
    }
    (percentile(&mut passes, 0.5), percentile(&mut edits, 0.5))
}

fn carry_out(place: Place, stem: &str, bytes: &[u8], intent: &Intent) {
    let facts = FileFacts { stem, modified: NOW, now: NOW };
    let situation = Situation { shown: StatusWord::RunningElsewhere, now: NOW };
    // The format is known when a verb is pressed; the edit reads everything else itself.
    let mut summary = loopdeck_core::summary::Summary::empty(
        if place == Place::AotFile {
            loopdeck_core::format::Format::Aot
        } else {
            loopdeck_core::format::Format::LoopV2
        },
        stem,
        loopdeck_core::status::FileStatus::Running,
    );
    summary.status_word = "running".into();
    loops::carry_out(&summary, bytes, &facts, intent, &situation).expect("legal");
}

/// An AoT state file with this many atoms, each waiting for the one before.
pub(crate) fn aot(atoms: usize) -> String {
    let mut text = loopdeck_tests::live::aot("running", 4);
    let mut more = String::new();
    for n in 2..=atoms {
        let _ = write!(
            more,
            "  - id: A{n}\n    description: \"Move the validation of field {n} to the shared module, with its messages\"\n    status: pending\n    depends_on: [A{}]\n",
            n - 1
        );
    }
    let at = text.find("\ndecompositions:").expect("a section");
    text.insert_str(at, &more);
    text
}
