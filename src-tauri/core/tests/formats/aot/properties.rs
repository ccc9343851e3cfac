//! Properties that hold for any bytes and any sequence of intents.

use crate::aot::{FACTS, carry_out, detail, fixtures, summary};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::formats::aot;
use loopdeck_core::loops;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::times::Timestamp;
use proptest::prelude::*;

const WORDS: [StatusWord; 6] = [
    StatusWord::NotStarted,
    StatusWord::Running,
    StatusWord::RunningElsewhere,
    StatusWord::Interrupted,
    StatusWord::Stopped,
    StatusWord::Completed,
];

fn intents() -> impl Strategy<Value = Intent> {
    prop_oneof![
        Just(Intent::Start),
        Just(Intent::Pause),
        Just(Intent::Finalise),
        proptest::option::of(".{0,60}").prop_map(|reason| Intent::Stop { reason }),
        proptest::option::of(0..200_u32).prop_map(|raise_limit_to| Intent::Resume { raise_limit_to }),
        proptest::option::of(0..200_u32).prop_map(|raise_limit_to| Intent::Reopen { raise_limit_to }),
    ]
}

/// Pieces of state files, so that random input reaches deep into the reader.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("---\n".to_owned()),
        Just("control:\n".to_owned()),
        Just("  status: running\n".to_owned()),
        Just("  stop_requested: ".to_owned()),
        Just("  stop_reason: |\n".to_owned()),
        Just("atoms:\n".to_owned()),
        Just("  - id: A1\n".to_owned()),
        Just("    status: in_progress\n".to_owned()),
        Just("    depends_on: [A1, ".to_owned()),
        Just("objective: {".to_owned()),
        Just("corrections: []\r\n".to_owned()),
        Just("&a *a !!str ".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("\0".to_owned()),
        ".{0,12}",
        "[ \\[\\]{},:#'\"|>?*&!-]{1,6}",
    ];
    let text = proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![text, proptest::collection::vec(any::<u8>(), 0..400)]
}

/// A fixture with some bytes replaced, removed or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let all = fixtures();
    (0..all.len(), proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6))
        .prop_map(move |(which, mutations)| {
            let mut bytes = all[which].1.clone();
            for (at, byte, kind) in mutations {
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, byte),
                }
            }
            bytes
        })
}

/// Any bytes that may have been written.
pub(crate) fn any_file() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![soup(), mutated()]
}

/// Everything except the lines of control fields, limits, corrections and atom statuses.
fn others(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let ours = [
        "status:",
        "iteration:",
        "stall_count:",
        "prev_pending_count:",
        "stop_requested:",
        "stop_reason:",
        "redirect_requested:",
        "max_iterations:",
        "corrections:",
    ];
    let added = [
        "- timestamp: \"2026-11-20T04:24:21Z\"",
        "type: constraint_change",
        "description: \"max_iterations raised",
        "trail_cleared: false",
    ];
    let keep = |line: &&str| !ours.iter().chain(&added).any(|key| line.trim_start().starts_with(key));
    text.split_inclusive('\n').filter(keep).map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edit_sequences_keep_all_other_lines(
        which in any::<prop::sample::Index>(),
        windows in any::<bool>(),
        steps in proptest::collection::vec((intents(), 0..WORDS.len()), 1..12),
    ) {
        let all = fixtures();
        let (_, original) = &all[which.index(all.len())];
        let mut bytes = if windows { String::from_utf8_lossy(original).replace('\n', "\r\n").into_bytes() } else { original.clone() };
        let before = others(&bytes);
        for (intent, shown) in &steps {
            let Ok(after) = carry_out(&bytes, intent, WORDS[*shown]) else { continue };
            prop_assert!(summary(&after).problems.iter().all(|p| p.severity != loopdeck_core::problem::Severity::Error));
            bytes = after;
        }
        if windows {
            // The first write changes the layout, but the content about the work stays.
            let work = |bytes: &[u8]| {
                let detail = detail(bytes, StatusWord::Interrupted);
                let atoms = detail.atoms.into_iter().map(|atom| {
                    let needs = atom.depends_on.into_iter().map(|need| need.id);
                    (atom.id, atom.description, needs.collect::<Vec<_>>())
                });
                (atoms.collect::<Vec<_>>(), detail.trail.len())
            };
            prop_assert_eq!(work(&bytes), work(original));
        } else {
            prop_assert_eq!(others(&bytes), before);
        }
    }

    #[test]
    fn a_stop_says_its_reason_and_nothing_more(reason in "\\PC{1,80}|[\\s\\S]{1,40}") {
        let bytes = crate::aot::fixture("sample-02-running-checklist-decomposed");
        let after = carry_out(&bytes, &Intent::Stop { reason: Some(reason.clone()) }, StatusWord::Running).expect("legal");
        let found = summary(&after).reason.expect("a reason");
        prop_assert!(!found.contains(['\n', '\r']) && !found.contains("---"));
        prop_assert_eq!(after.iter().filter(|b| **b == b'\n').count(), bytes.iter().filter(|b| **b == b'\n').count());
        if reason.chars().all(char::is_alphanumeric) {
            prop_assert_eq!(found, reason);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in any_file(), intent in intents(), shown in 0..WORDS.len()) {
        let shown = WORDS[shown];
        let _ = detail(&bytes, shown);
        let summary = summary(&bytes);
        let situation = Situation { shown, now: Timestamp::from_millis(0) };
        let _ = (loops::controls(&summary, &FACTS, &situation), intent.verb().map(|verb| loops::request_standing(&summary, verb)));
        if let Ok(edits) = aot::edit(&bytes, &FACTS, &intent, &situation) {
            let after = loopdeck_text::text_edit::apply(&bytes, &edits).expect("no overlap");
            let again = crate::aot::summary(&after);
            // A stop repairs what makes the file unreadable, so there may be a title that was missing before.
            if summary.status != FileStatus::Unreadable {
                prop_assert_eq!(again.title, summary.title);
            }
        }
    }
}

/// Lists that only an attacker writes. A quadratic reader would take minutes here.
#[test]
fn hostile_lists_are_read_to_their_end() {
    let ids = |n: usize| (0..n).map(|k| format!("A{k}, ")).collect::<String>();
    let many = |n: usize, item: &str| item.repeat(n);
    let base = crate::aot::text("sample-04-running-or-backtracked");
    let with = |from: &str, to: &str| {
        assert!(base.contains(from), "{from:?}");
        base.replacen(from, to, 1)
    };
    let files = [
        with("failed: [A3_sqlite]", &format!("failed: [{}]", ids(100_000))),
        with("choices: [A3", &format!("choices: [{}A3", ids(100_000))),
        with("children: [A3", &format!("children: [{}A3", "A1, ".repeat(100_000))),
        with("depends_on: [A4]", &format!("depends_on: [{}]", ids(100_000))),
        with(
            "decompositions:\n",
            &format!("decompositions:\n{}", many(20_000, "  - parent: A5\n    children: [A2]\n")),
        ),
        with("atoms:\n", &format!("atoms:\n{}", many(20_000, "  - status: x\n"))),
        with(
            "atoms:\n",
            &format!(
                "atoms:\n{}",
                many(20_000, "  - id: A1\n    status: resolved\n    decomposed_from: A5\n")
            ),
        ),
        with("trail:\n", &format!("x: [{}]\ntrail:\n", many(50_000, "{type: x, value: 'y'}, "))),
        with(
            "    checklist:\n",
            &format!("    x: [{}]\n    checklist:\n", many(50_000, "{type: x, value: 'y'}, ")),
        ),
        with("bindings:\n", &format!("bindings:\n{}", many(50_000, "  status: x\n"))),
        with("# Original Prompt", &many(100_000, "  status: x\n - id: y\n")),
        with("trail:\n", &format!("x: {}\ntrail:\n", "[".repeat(200_000))),
    ];
    for file in &files {
        let detail = detail(file.as_bytes(), StatusWord::Interrupted);
        assert!(detail.problems.len() <= 1_500);
        let _ = carry_out(file.as_bytes(), &Intent::Finalise, StatusWord::Interrupted);
        let _ = (aot::decide(file.as_bytes()), aot::repairs(file.as_bytes()));
        let _ =
            aot::operate(file.as_bytes(), &FACTS, &aot::AotOperation::ResetInProgress, &crate::aot::NOBODY);
    }
}
