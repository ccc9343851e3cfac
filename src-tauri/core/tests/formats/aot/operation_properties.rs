//! Properties of any operation on any file: it has the intended effect, changes nothing else, and the plugin
//! agrees.

use crate::aot::operations::{changes, operate, redirect, resolve};
use crate::aot::{FACTS, NOW, detail, fixtures, summary, text};
use loopdeck_core::formats::aot::{self, AotOperation, ConstraintPatch, Correction, NewAtom, ObjectivePatch};
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::status::StatusWord;
use loopdeck_text::text_edit;
use proptest::prelude::*;

const IDS: [&str; 10] =
    ["A1", "A2", "A3", "A4", "A4_alt", "A5", "A3_sqlite", "A3_postgres", "A3_files", "nobody"];
const GROUPS: [&str; 3] = ["token_method", "storage_method", "no_group"];

fn id() -> impl Strategy<Value = String> {
    (0..IDS.len()).prop_map(|at| IDS[at].to_owned())
}

fn atom() -> impl Strategy<Value = NewAtom> {
    let group = proptest::option::of((0..GROUPS.len()).prop_map(|at| GROUPS[at].to_owned()));
    (
        proptest::option::of("[A-Z][0-9a-z_]{0,3}"),
        "\\PC{1,30}|[\\s\\S]{1,20}",
        proptest::collection::vec(id(), 0..3),
        group,
    )
        .prop_map(|(id, description, depends_on, or_group)| NewAtom {
            id,
            description,
            depends_on,
            or_group,
        })
}

fn change() -> impl Strategy<Value = Correction> {
    prop_oneof![
        proptest::option::of("[\\s\\S]{0,40}")
            .prop_map(|goal| Correction::Objective(ObjectivePatch { goal, ..ObjectivePatch::default() })),
        proptest::option::of(0..50_u32).prop_map(|max_parallel_agents| {
            Correction::Constraints(ConstraintPatch { max_parallel_agents, ..ConstraintPatch::default() })
        }),
        atom().prop_map(Correction::AddAtom),
        id().prop_map(|id| Correction::DeleteAtom { id }),
        (0..GROUPS.len(), id(), ".{0,20}").prop_map(|(at, id, reason)| Correction::ForceSelection {
            group: GROUPS[at].to_owned(),
            id,
            reason
        }),
        proptest::collection::vec(id(), 0..3).prop_map(|ids| Correction::Redo { ids }),
        (
            id(),
            proptest::option::of("[\\s\\S]{0,30}"),
            proptest::option::of(proptest::collection::vec(id(), 0..3))
        )
            .prop_map(|(id, description, depends_on)| Correction::EditAtom {
                id,
                description,
                depends_on
            }),
        (id(), proptest::collection::vec(atom(), 0..3), ".{0,20}")
            .prop_map(|(parent, children, reason)| Correction::Decompose { parent, children, reason }),
    ]
}

fn operations() -> impl Strategy<Value = AotOperation> {
    prop_oneof![
        proptest::collection::vec(id(), 0..3).prop_map(|ids| AotOperation::StartAtoms { ids }),
        (id(), "[\\s\\S]{0,60}", proptest::collection::vec(".{0,12}", 0..3))
            .prop_map(|(id, summary, artifacts)| AotOperation::Resolve { id, summary, artifacts }),
        id().prop_map(|id| AotOperation::Fail { id }),
        (id(), proptest::collection::vec(atom(), 0..3), ".{0,20}")
            .prop_map(|(parent, children, reason)| AotOperation::Decompose { parent, children, reason }),
        Just(AotOperation::ResolveContainers),
        (id(), ".{0,20}").prop_map(|(id, why)| AotOperation::Backtrack { id, why }),
        (0..GROUPS.len(), proptest::option::of(id()), ".{0,20}")
            .prop_map(|(at, id, reason)| AotOperation::Select { group: GROUPS[at].to_owned(), id, reason }),
        Just(AotOperation::ResetInProgress),
        Just(AotOperation::Complete),
        Just(AotOperation::HoldForRedirect),
        change().prop_map(redirect),
    ]
}

/// The sections of the front matter that an operation never touches, and the body.
fn untouched(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let start = text.find("  base_case:").expect("base_case");
    let end = text.find("  background_intent:").expect("background");
    let body = text.find("# Original Prompt").expect("body");
    format!("{}{}", &text[start..end], &text[body..])
}

/// The content of a file, ignoring white space, lines, and the source text of fields that no schema lists.
fn meaning(bytes: &[u8]) -> String {
    let mut read = detail(bytes, StatusWord::Interrupted);
    read.atoms.iter_mut().for_each(|atom| atom.line = None);
    read.trail.iter_mut().for_each(|entry| entry.other = None);
    let work = (read.atoms, read.batch, read.or_groups, read.decompositions, read.trail, read.corrections);
    let said = format!("{:?} {:?} {:?} {work:?}", read.facts, read.objective, read.checklist);
    said.replace("\\n", "").replace("\\t", "").split_whitespace().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn sequences_keep_a_loop_a_loop(
        which in any::<prop::sample::Index>(),
        windows in any::<bool>(),
        steps in proptest::collection::vec(operations(), 1..10),
    ) {
        let all: Vec<Vec<u8>> = fixtures().into_iter().map(|(_, bytes)| bytes).filter(|b| summary(b).status_word == "running").collect();
        let mut bytes = all[which.index(all.len())].clone();
        if windows {
            bytes = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes();
        }
        let before = untouched(&bytes);
        for operation in &steps {
            let Ok(after) = operate(&bytes, operation) else { continue };
            prop_assert!(summary(&after).problems.iter().all(|problem| problem.severity != Severity::Error), "{:?}", operation);
            prop_assert_eq!(windows, !String::from_utf8_lossy(&after).replace("\r\n", "").contains('\n') && windows);
            bytes = after;
        }
        prop_assert_eq!(untouched(&bytes), before);
    }

    #[test]
    fn a_result_is_read_back(summary in "\\PC{1,60}|[\\s\\S]{1,60}", artifacts in proptest::collection::vec("\\PC{0,20}", 0..4)) {
        let before = text("seed-002-s6-2-before");
        let operation = AotOperation::Resolve { id: "A1".into(), summary: summary.clone(), artifacts: artifacts.clone() };
        let Ok(after) = operate(before.as_bytes(), &operation) else { return Ok(()) };
        let atom = detail(&after, StatusWord::Running).atoms.remove(0);
        let flat = |text: &str| text.replace("---", "—").split(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}').collect::<String>();
        prop_assert_eq!(flat(&atom.summary.expect("a summary")), flat(&summary));
        prop_assert_eq!(atom.artifacts.len(), artifacts.len());
        let changed = changes(before.as_bytes(), &after);
        prop_assert!(changed.iter().filter(|line| line.starts_with('-')).all(|line| matches!(line.as_str(), "-    status: in_progress" | "-bindings: {}")), "{:?}", changed);
    }

    #[test]
    fn adding_and_deleting_an_atom_restores_the_graph(description in "[a-zA-Z \"\\\\#:]{1,30}") {
        let file = text("sample-04-running-or-backtracked");
        let atoms = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let (from, to) = (text.find("atoms:").expect("atoms"), text.find("trail:").expect("trail"));
            text[from..to].replace("in_progress", "pending")
        };
        let new = NewAtom { id: Some("B".into()), description, depends_on: vec!["A1".into()], or_group: Some("storage_method".into()) };
        let Ok(added) = operate(file.as_bytes(), &redirect(Correction::AddAtom(new))) else { return Ok(()) };
        let gone = operate(&added, &redirect(Correction::DeleteAtom { id: "B".into() })).expect("legal");
        prop_assert_eq!(atoms(&gone), atoms(file.as_bytes()));
    }

    #[test]
    fn resolving_and_redoing_restores_the_bindings(windows in any::<bool>()) {
        let file = text("seed-002-s6-2-before");
        let file = if windows { file.replace('\n', "\r\n") } else { file };
        let done = operate(file.as_bytes(), &resolve("A1")).expect("legal");
        let undone = operate(&done, &redirect(Correction::Redo { ids: vec!["A1".into()] })).expect("legal");
        let bindings = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text[text.find("decompositions:").expect("section")..text.find("corrections:").expect("section")].to_owned()
        };
        prop_assert_eq!(bindings(&undone), bindings(file.as_bytes()));
    }

    #[test]
    fn any_bytes_are_survived(bytes in crate::aot::properties::any_file(), operation in operations()) {
        let _ = aot::decide(&bytes);
        for repair in aot::repairs(&bytes) {
            let Ok(edits) = aot::repair(&bytes, repair.code, NOW) else { continue };
            let after = text_edit::apply(&bytes, &edits).expect("no overlap");
            if repair.code == ProblemCode::V20_layout {
                prop_assert_eq!(meaning(&after), meaning(&bytes));
            }
        }
        if let Ok(edits) = aot::operate(&bytes, &FACTS, &operation, &crate::aot::NOBODY) {
            let after = text_edit::apply(&bytes, &edits).expect("no overlap");
            prop_assert!(summary(&after).problems.iter().all(|problem| problem.severity != Severity::Error));
        }
        if let Ok(decided) = aot::decide(&bytes) {
            text_edit::apply(&bytes, &decided.edits).expect("no overlap");
        }
    }
}
