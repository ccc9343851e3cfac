//! Rebuilding a damaged state file: the source of each part, and that the proposal is always a valid file.

use crate::aot::{FACTS, detail, fixtures, summary, text};
use loopdeck_core::formats::aot;
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::status::{FileStatus, StatusWord};
use proptest::prelude::*;

const GOOD: &str = "sample-04-running-or-backtracked";

fn recover(damaged: &str, last_good: Option<&str>) -> Option<Recovery> {
    let recovery = aot::recover(damaged.as_bytes(), last_good.map(str::as_bytes), &FACTS)?;
    assert_eq!(faults(&recovery.text), Vec::<String>::new(), "{}", recovery.text);
    Some(recovery)
}

/// Errors and layout findings.
fn faults(file: &str) -> Vec<String> {
    let problems = detail(file.as_bytes(), StatusWord::Interrupted).problems.into_iter();
    let bad = problems.filter(|p| p.severity == Severity::Error || p.code == ProblemCode::V20_layout);
    bad.map(|p| format!("{} {} {:?}", p.code.name(), p.path, p.args)).collect()
}

fn sources(recovery: &Recovery) -> String {
    let field = |p: &loopdeck_core::formats::ccw::recover::Provenance| format!("{}={}", p.path, p.source);
    recovery.provenance.iter().map(field).collect::<Vec<_>>().join(" ")
}

/// The good file up to a text, excluding it.
fn until(end: &str) -> String {
    let file = text(GOOD);
    file[..file.find(end).expect(end)].to_owned()
}

#[test]
fn a_cut_file_keeps_its_prefix_and_takes_the_rest_from_the_last_good_copy() {
    let older = text(GOOD).replacen("goal: \"Persist", "goal: \"Once persist", 1).replacen(
        "iteration: 9",
        "iteration: 4",
        1,
    );
    let cut = until("    choices: [A3_sqlite");
    let recovery = recover(&cut, Some(&older)).expect("a proposal");
    assert_eq!(
        sources(&recovery),
        "objective=prefix control=prefix atoms=prefix decompositions=prefix or_groups=last_good bindings=last_good trail=last_good corrections=last_good prompt=last_good"
    );
    assert_eq!(recovery.lost, [""; 0]);
    assert_eq!(recovery.text, text(GOOD));
    let status = summary(recovery.text.as_bytes()).status;
    assert_eq!(status, FileStatus::Running, "the file itself still says so");
}

#[test]
fn that_the_loop_runs_is_not_taken_from_an_older_copy() {
    let cut = until("control:");
    let recovery = recover(&cut, Some(&text(GOOD))).expect("a proposal");
    assert!(
        sources(&recovery).contains("objective=last_good control.status=proposed control=last_good"),
        "{}",
        sources(&recovery)
    );
    assert_eq!(recovery.lost, ["control.status"]);
    let read = summary(recovery.text.as_bytes());
    assert_eq!((read.status, read.reason.as_deref()), (FileStatus::StoppedByUser, Some("Interrupted")));
    assert!(recovery.text.contains("  iteration: 9\n  stall_count: 1\n"));
    let completed = text(GOOD).replacen("status: running", "status: completed", 1);
    let recovery = recover(&cut, Some(&completed)).expect("a proposal");
    assert_eq!(summary(recovery.text.as_bytes()).status, FileStatus::Completed);
}

#[test]
fn without_an_older_copy_the_defaults_of_a_new_file_are_proposed() {
    let recovery = recover(&until("decompositions:"), None).expect("a proposal");
    assert_eq!(
        sources(&recovery),
        "objective=prefix control=prefix atoms=prefix decompositions=missing or_groups=missing bindings=missing trail=missing corrections=missing prompt=missing"
    );
    // The last atom may be incomplete: what followed is unknown.
    assert_eq!(recovery.lost[0], "atoms.A5");
    let atoms = detail(recovery.text.as_bytes(), StatusWord::Interrupted).atoms;
    assert_eq!((atoms.len(), atoms[5].description.as_str()), (6, "Recovery scan on boot"));
    let recovery = recover(&until("atoms:"), None).expect("a proposal");
    assert!(
        sources(&recovery)
            .starts_with("objective=prefix control.status=proposed control=proposed atoms=proposed")
    );
    assert_eq!(summary(recovery.text.as_bytes()).status, FileStatus::StoppedByUser);
    // Not even the objective is complete.
    assert_eq!(recover(&until("control:"), None), None);
    assert_eq!(recover("", None), None);
}

#[test]
fn a_line_that_is_no_yaml_takes_nothing_else_with_it() {
    let broken = text(GOOD).replacen("    failed: [A3_sqlite]", "    failed: [A3_sqlite", 1).replacen(
        "Queued jobs are lost",
        "Our jobs are lost",
        1,
    );
    let recovery = recover(&broken, Some(&text(GOOD))).expect("a proposal");
    assert!(sources(&recovery).contains("decompositions=prefix or_groups=prefix bindings=prefix"));
    assert!(recovery.text.contains("    failed: [A3_sqlite]\n"), "a list that lacks its end is closed");
    assert!(sources(&recovery).ends_with("prompt=prefix"));
    assert!(recovery.text.contains("\n---\n\n# Original Prompt\n\nOur jobs are lost"));
    let unclosed = text(GOOD).replacen("corrections: []\n---\n\n", "corrections: []\n", 1);
    let recovery = recover(&unclosed, None).expect("a proposal");
    assert_eq!(recovery.text, text(GOOD));
}

#[test]
fn a_bad_section_is_replaced_alone() {
    let twice = text(GOOD).replacen("- id: A5\n", "- id: A4\n", 1);
    let recovery = recover(&twice, Some(&text(GOOD))).expect("a proposal");
    assert!(sources(&recovery).contains("control=prefix atoms=prefix decompositions=prefix"));
    assert_eq!(recovery.lost, ["atoms.A4_2.id"], "an atom keeps what it says");
    let word = text(GOOD).replacen("status: running", "status: paused", 1);
    let recovery = recover(&word, None).expect("a proposal");
    assert!(sources(&recovery).contains("control.status=proposed control=prefix"));
    assert!(recovery.text.contains("  status: stopped\n"));
}

#[test]
fn comments_and_foreign_layout_become_canonical_and_strange_sections_stay() {
    let file = text("seed-002-s3");
    let recovery = recover(&file, None).expect("a proposal");
    let front = recovery.text.split("\n---\n").next().expect("front matter");
    assert!(!front.contains(" # ") && file.contains(" # "), "{front}");
    let strange = text(GOOD).replacen("corrections: []\n---", "notes:\n  a: [1, 2]\ncorrections: [\n---", 1);
    let recovery = recover(&strange, None).expect("a proposal");
    assert!(
        recovery.text.contains("\nnotes:\n")
            && sources(&recovery).contains("notes=prefix corrections=missing")
    );
}

/// Every place at which a write can end.
#[test]
fn every_cut_of_every_fixture_is_survived() {
    for (name, bytes) in fixtures() {
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        let proposes = recover("", Some(&whole)).is_some();
        let step = if cfg!(debug_assertions) { 23 } else { 1 };
        let ends = (0..bytes.len())
            .step_by(step)
            .chain(bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
        for end in ends {
            let found = aot::recover(&bytes[..end], Some(&bytes), &FACTS);
            assert_eq!(found.is_some(), proposes, "{name} cut at {end}");
            if let Some(found) = found {
                assert_eq!(faults(&found.text), Vec::<String>::new(), "{name} cut at {end}");
                let atoms = |bytes: &[u8]| {
                    detail(bytes, StatusWord::Interrupted)
                        .atoms
                        .into_iter()
                        .map(|atom| (atom.id, atom.description, atom.status, atom.summary))
                        .collect::<Vec<_>>()
                };
                assert_eq!(atoms(found.text.as_bytes()), atoms(&bytes), "{name} cut at {end}");
            }
            let alone = aot::recover(&bytes[..end], None, &FACTS);
            assert_eq!(
                alone.map(|found| faults(&found.text)).unwrap_or_default(),
                Vec::<String>::new(),
                "{name} alone, cut at {end}"
            );
        }
        assert!(proposes, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(damaged in crate::aot::properties::any_file(), last_good in proptest::option::of(crate::aot::properties::any_file())) {
        if let Some(found) = aot::recover(&damaged, last_good.as_deref(), &FACTS) {
            prop_assert_eq!(faults(&found.text), Vec::<String>::new());
            // Its proposal for its own proposal is the same: nothing is lost a second time.
            let again = aot::recover(found.text.as_bytes(), None, &FACTS).expect("a good file");
            prop_assert_eq!(again.text, found.text);
        }
    }
}
