//! Every AoT fixture is a real file: it must be read completely and without false problems.

use crate::aot::{FACTS, NOW, detail, fixture, fixtures, summary};
use loopdeck_core::control::Situation;
use loopdeck_core::format::Format;
use loopdeck_core::loops;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::Severity;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::view::{AtomState, LoopDetail, UnitKind, UnitStanding};

fn codes(detail: &LoopDetail) -> Vec<String> {
    let serious = detail.problems.iter().filter(|problem| problem.severity == Severity::Warning);
    serious.map(|problem| format!("{} {}", problem.code.name(), problem.path)).collect()
}

#[test]
fn no_fixture_has_an_error() {
    let all = fixtures();
    assert!(all.len() >= 19, "fixtures are missing");
    for (name, bytes) in all {
        let summary = summary(&bytes);
        let errors: Vec<_> = summary.problems.iter().filter(|p| p.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert_ne!(summary.status, FileStatus::Unknown, "{name}");
        assert!(!summary.title.is_empty() && summary.iteration.is_some(), "{name}");
    }
}

#[test]
fn only_contradictions_of_the_content_are_warned_about() {
    let expected: &[(&str, &[&str])] = &[
        ("sample-04-running-or-backtracked", &[]),
        // The seed's own example names a choice that has no atom.
        ("seed-002-s3", &["V10_or_group or_groups.token_method.choices"]),
        // The seed's failed attempt still has its binding, which the "after" removes.
        ("seed-002-s6-3-before", &["V14_binding_unresolved bindings.A4"]),
        (
            "sample-08-tolerant-reader-v1.2-mixed",
            &[
                "V9_unknown_dependency atoms[6].depends_on",
                "V10_or_group or_groups.auth_method.choices",
                "V11_decomposition decompositions[0].parent",
            ],
        ),
    ];
    for (name, bytes) in fixtures() {
        let found = codes(&detail(&bytes, StatusWord::RunningElsewhere));
        let expected = expected.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, codes)| codes);
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn problems_of_a_run_without_owner_are_seen_only_then() {
    let bytes = fixture("sample-02-running-checklist-decomposed");
    assert!(codes(&detail(&bytes, StatusWord::RunningElsewhere)).is_empty());
    assert_eq!(codes(&detail(&bytes, StatusWord::Interrupted)), ["V16_orphaned_atom atoms"; 2]);
}

#[test]
fn the_seed_example_is_read_completely() {
    let detail = detail(&fixture("seed-002-s3"), StatusWord::RunningElsewhere);
    let states: Vec<_> = detail.atoms.iter().map(|atom| (atom.id.as_str(), atom.state)).collect();
    assert_eq!(
        states,
        [
            ("A1", AtomState::Resolved),
            ("A2", AtomState::Container),
            ("A3", AtomState::Resolved),
            ("A4", AtomState::InProgress),
            ("A5", AtomState::Blocked),
        ]
    );
    let rows: Vec<_> = detail.checklist.iter().map(|row| (row.depth, row.item.as_str())).collect();
    assert_eq!(
        rows,
        [
            (0, "Functional Requirements"),
            (1, "Auth tests pass"),
            (1, "Login API works"),
            (0, "Quality Requirements"),
            (1, "No lint errors"),
            (1, "No vulnerabilities"),
            (0, "Code Quality"),
        ]
    );
    let levels = detail.checklist[6].rubric[0].levels.iter();
    let said: Vec<_> = levels.map(|level| (level.score, level.text.as_str())).collect();
    assert_eq!(said, [(Some(1), "Hard to read"), (Some(3), "Mostly readable"), (Some(5), "Very readable")]);
    assert_eq!((detail.trail.len(), detail.corrections.len(), detail.decompositions.len()), (1, 0, 1));
    assert_eq!(detail.or_groups[0].choices.iter().map(|c| c.known).collect::<Vec<_>>(), [true, false]);
    let bytes = fixture("seed-002-s3");
    let situation = Situation { shown: StatusWord::RunningElsewhere, now: NOW };
    let work = loops::detail(Format::Aot, &bytes, &FACTS, &situation, &[]).work.expect("a graph");
    assert_eq!((work.of, work.units.len(), work.missing.len()), (UnitKind::Atom, 5, 0));
    let a4 = &work.units[3];
    assert_eq!(
        (&a4.turns[..], &a4.needed_by[..], a4.standing),
        (&[1][..], &["A5".to_owned()][..], UnitStanding::Now)
    );
    assert_eq!((work.units[1].split, work.units[2].parent.as_deref()), (Some(0), Some("A2")));
    assert_eq!(detail.atoms[0].artifacts, ["src/models/user.ts"]);
    assert_eq!(detail.atoms[3].line, Some(90));
    assert_eq!(
        detail.prompt.as_deref(),
        Some("\n# Original Prompt\n\nPlease implement user authentication feature.\n")
    );
    assert!(detail.extra.is_empty());
}

/// Entries of other shapes have no number, and lead to the first atom they mention.
#[test]
fn choices_of_the_trail_are_numbered_and_lead_to_atoms() {
    let entries = [
        ("or_group: g\n    selected: A1", Some(1), Some("A1")),
        ("type: user_correction\n    description: \"not A99 but A4, A1\"", None, Some("A4")),
        ("or_group: g\n    selected: A77", Some(2), None),
        ("note: nothing", None, None),
        ("or_group: g\n    selected: A4", Some(3), Some("A4")),
    ];
    let trail: String = entries.iter().map(|(entry, ..)| format!("  - {entry}\n")).collect();
    let example = text("seed-002-s3");
    let (before, behind) = example.split_once("\ntrail:").expect("a trail");
    let rest = behind.split_once("\n\n").expect("more").1;
    let corrections = "\ncorrections:\n  - type: dag_adjustment\n    description: \"A6? A2.\"\n  - type: x\n    description: \"see A2\"\n";
    let rest = rest.replacen("corrections: []\n", corrections.trim_start(), 1);
    let whole = format!("{before}\ntrail:\n{trail}\n{rest}");
    let detail = detail(whole.as_bytes(), StatusWord::RunningElsewhere);
    let told: Vec<_> = detail.trail.iter().map(|entry| (entry.turn, entry.atom.as_deref())).collect();
    assert_eq!(told, entries.map(|(_, turn, atom)| (turn, atom)));
    let told: Vec<_> = detail.corrections.iter().map(|one| one.atom.as_deref()).collect();
    assert_eq!(told, [Some("A2"), Some("A2")]);
}

fn ready(bytes: &[u8]) -> (Vec<String>, u32) {
    let detail = detail(bytes, StatusWord::RunningElsewhere);
    let ready = detail.atoms.iter().filter(|atom| atom.state == AtomState::Ready);
    let phase = summary(bytes).phase;
    let Some(Phase::Atoms { resolved, total, ready: count }) = phase else { unreachable!("{phase:?}") };
    let ids: Vec<String> = ready.map(|atom| atom.id.clone()).collect();
    assert_eq!(ids.len() as u32, count, "row and detail agree");
    (ids, total - resolved)
}

fn text(name: &str) -> String {
    String::from_utf8(fixture(name)).expect("utf-8")
}

/// The vectors of AoT contract §9.6: ready in ours, effective unresolved.
#[test]
fn work_graph_vectors() {
    let example = text("seed-002-s3");
    assert_eq!(ready(example.as_bytes()), (vec![], 3));
    let resolved = example.replace("status: in_progress", "status: resolved");
    assert_eq!(ready(resolved.as_bytes()), (vec!["A5".to_owned()], 2));
    let backtracked = text("seed-002-s6-3-after").replace("status: in_progress", "status: resolved").replace(
        "decompositions: []\n",
        "  - id: B\n    description: \"b\"\n    status: pending\n    depends_on: [A4]\ndecompositions: []\n",
    );
    assert_eq!(ready(backtracked.as_bytes()), (vec!["B".to_owned()], 1));
    let circle = text("seed-002-s8-1").replace(
        "    depends_on: []\n",
        "    depends_on: [B]\n  - id: B\n    description: \"b\"\n    status: pending\n    depends_on: [A1]\n",
    );
    assert_eq!(ready(circle.as_bytes()), (vec![], 2));
    let problems = summary(circle.as_bytes()).problems;
    assert_eq!(problems[0].code.name(), "V7_cycle");
    assert_eq!(problems[0].args["cycle"], "A1 -> B -> A1");
    assert_eq!(problems[0].line, Some(25));
}

#[test]
fn a_parent_is_ready_to_resolve_when_its_children_are_resolved() {
    let before = detail(&fixture("seed-002-s6-4-before"), StatusWord::RunningElsewhere);
    assert_eq!(
        (before.atoms[1].state, &before.atoms[1].children[..]),
        (AtomState::Container, &["A3".to_owned(), "A4".to_owned()][..])
    );
    let after = detail(&fixture("seed-002-s6-4-after"), StatusWord::RunningElsewhere);
    assert_eq!(after.atoms[1].summary.as_deref(), Some("Completed via A3, A4 resolution"));
}

#[test]
fn the_mixed_sample_keeps_everything() {
    let bytes = fixture("sample-08-tolerant-reader-v1.2-mixed");
    let summary = summary(&bytes);
    assert_eq!(summary.title, "Build a TODO API with CRUD, validation and tests");
    assert_eq!((summary.status, summary.status_word.as_str()), (FileStatus::Running, "running"));
    let detail = detail(&bytes, StatusWord::RunningElsewhere);
    let objective = detail.objective.expect("objective");
    assert_eq!((objective.in_scope.len(), objective.clarifications.len()), (2, 1));
    assert_eq!(detail.atoms[2].description, "Auth with sessions (it's the fallback)");
    assert_eq!(detail.atoms[1].depends_on[0].id, "A1");
    assert_eq!(detail.atoms[3].or_group, None);
    assert_eq!(detail.trail[1].other.as_deref(), Some("user_correction: User asked for cookies"));
    assert!(detail.trail[0].time.as_ref().is_some_and(|time| time.ms.is_some()));
    assert!(
        detail
            .prompt
            .is_some_and(|prompt| prompt.contains("Second part of the prompt after a horizontal rule."))
    );
}
