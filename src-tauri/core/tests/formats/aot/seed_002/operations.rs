//! §6 and §8: each operation turns the state "before" into the state "after", and the initial state of a new
//! loop.

use super::{Row, after, atoms, check, errors, number, page, refused, seed, with};
use loopdeck_core::checklist::CheckType;
use loopdeck_core::formats::aot::{
    AotOperation, BaseCase, Check, CheckItem, CheckKind, CheckPart, NewAotLoop, NewAtom, create,
};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::view::AtomView;

fn decompose() -> AotOperation {
    let child = |id: &str, description: &str| NewAtom {
        id: Some(id.into()),
        description: description.into(),
        ..NewAtom::default()
    };
    AotOperation::Decompose {
        parent: "A2".into(),
        children: vec![child("A3", "Password hashing"), child("A4", "JWT generation")],
        reason: "Split auth logic into hashing and token".into(),
    }
}

/// Atoms without their line numbers.
fn without_lines(text: &str) -> Vec<AtomView> {
    page(text).atoms.into_iter().map(|atom| AtomView { line: None, ..atom }).collect()
}

fn backtracked() -> String {
    after(&seed("s6-3-before"), &AotOperation::Backtrack { id: "A4".into(), why: "JWT failed".into() })
}

fn new() -> String {
    let check = Check { kind: CheckKind::Command, value: "npm test".into() };
    let new = NewAotLoop {
        goal: "Build\nit".into(),
        base_case: Some(BaseCase::Single(check)),
        ..NewAotLoop::default()
    };
    create(&new, crate::aot::NOW).expect("a file")
}

/// One line of the new file, and of the seed's own initial state.
fn begins_with(line: &str) {
    for text in [new(), seed("s8-1")] {
        assert!(text.contains(&format!("\n{line}\n")), "{line:?}\n{text}");
    }
}

/// Every operation, and the initial state.
pub(super) const ROWS: &[&[Row]] = &[OPERATIONS, INITIAL];

/// §6: before and after.
#[rustfmt::skip] // one row a line, next to the seed
const OPERATIONS: &[Row] = &[
    Row("§6.1", "decomposition: the parent is preserved as pending", || assert_eq!(atoms(&after(&seed("s6-1-before"), &decompose())), "A1 resolved, A2 pending, A3 pending, A4 pending")),
    Row("§6.1", "decomposition: children copy the dependencies of the parent", || {
        let own = page(&after(&seed("s6-1-before"), &decompose())).atoms;
        assert!(own[2..].iter().all(|atom| atom.depends_on.len() == 1 && atom.depends_on[0].id == "A1"));
    }),
    Row("§6.1", "decomposition: a record with parent, children and reason", || {
        assert!(after(&seed("s6-1-before"), &decompose()).contains("decompositions:\n  - parent: A2\n    children: [A3, A4]\n    reason: \"Split auth logic into hashing and token\"\n"));
    }),
    Row("§6.1", "decomposition: before and operation = after", || {
        assert_eq!(without_lines(&after(&seed("s6-1-before"), &decompose())), without_lines(&seed("s6-1-after")));
    }),
    Row("§6.1", "decomposition: an id that is taken † is refused (reference §9.5)", || assert_eq!(refused(&seed("s6-1-after"), &decompose()), RefusalCode::IdTaken)),
    Row("§6.2", "resolution: status and binding in one write", || {
        let resolve = AotOperation::Resolve { id: "A1".into(), summary: "Created User model".into(), artifacts: vec!["src/models/user.ts".into()] };
        let text = after(&seed("s6-2-before"), &resolve);
        assert!(text.contains("bindings:\n  A1:\n    summary: \"Created User model\"\n    artifacts: [\"src/models/user.ts\"]\n"));
        assert_eq!(without_lines(&text), without_lines(&seed("s6-2-after")));
    }),
    Row("§6.2", "resolution: a binding has a summary", || {
        let resolve = AotOperation::Resolve { id: "A1".into(), summary: " ".into(), artifacts: vec![] };
        assert_eq!(refused(&seed("s6-2-before"), &resolve), RefusalCode::BadValue);
    }),
    Row("§6.3", "backtracking: the failed atom is reset to pending", || assert!(atoms(&backtracked()).starts_with("A4 pending"))),
    Row("§6.3", "backtracking: the alternative is started † stays pending until its round (reference §9.5)", || assert_eq!(atoms(&backtracked()), "A4 pending, A4_alt pending")),
    Row("§6.3", "backtracking: the alternative is selected", || assert_eq!(page(&backtracked()).or_groups[0].selected.as_deref(), Some("A4_alt"))),
    Row("§6.3", "backtracking: the choice is among the failed ones", || assert!(backtracked().contains("    failed: [A4]\n"))),
    Row("§6.3", "backtracking: bindings of A4 are deleted", || assert!(backtracked().contains("\nbindings: {}\n"))),
    Row("§6.3", "backtracking: the earlier entry of the trail stays", || {
        assert!(backtracked().contains("    selected: A4\n    reason: \"JWT is stateless\"\n    timestamp: \"2025-01-15T10:00:00Z\"\n"));
    }),
    Row("§6.3", "backtracking: the new entry has group, choice, reason and time", || {
        let entry = page(&backtracked()).trail.remove(1);
        assert_eq!((entry.or_group.as_str(), entry.selected.as_str()), ("token_method", "A4_alt"));
        assert!(entry.reason.contains("JWT failed") && entry.time.expect("a time").ms.is_some());
    }),
    Row("§6.3", "backtracking: without a choice left † the loop stops (reference §9.5)", || {
        let text = with("s6-3-before", &[("    failed: []\n", "    failed: [A4_alt]\n")]);
        let text = after(&text, &AotOperation::Backtrack { id: "A4".into(), why: "no".into() });
        assert!(text.contains("  status: stopped\n") && text.contains("OR group exhausted: token_method"));
    }),
    Row("§6.3", "the state \"after\" with the alternative in progress † is accepted (reference §9.5)", || assert!(errors(&seed("s6-3-after")).is_empty())),
    Row("§6.4", "auto-resolution: when all children are resolved", || {
        assert!(page(&seed("s6-4-before")).atoms[1].ready_to_resolve);
        assert!(atoms(&after(&seed("s6-4-before"), &AotOperation::ResolveContainers)).contains("A2 resolved"));
    }),
    Row("§6.4", "auto-resolution: not before", || {
        let text = with("s6-4-before", &[("JWT generation\"\n    status: resolved", "JWT generation\"\n    status: pending")]);
        assert!(!page(&text).atoms[1].ready_to_resolve);
        assert!(atoms(&after(&text, &AotOperation::ResolveContainers)).contains("A2 pending"));
    }),
    Row("§6.4", "auto-resolution: the summary names the children", || {
        assert!(after(&seed("s6-4-before"), &AotOperation::ResolveContainers).contains("  A2:\n    summary: \"Completed via A3, A4 resolution\"\n"));
    }),
    Row("§6.4", "auto-resolution: no artifacts of its own", || {
        let text = after(&seed("s6-4-before"), &AotOperation::ResolveContainers);
        assert!(page(&text).atoms[1].artifacts.is_empty() && text.contains("resolution\"\n    artifacts: []\n"));
    }),
];

/// §8: the initial state.
#[rustfmt::skip] // one row a line, next to the seed
const INITIAL: &[Row] = &[
    Row("§8", "the new file has no error", || assert_eq!(errors(&new()), [""; 0])),
    Row("§8", "sections in the order of §2", || {
        let text = new();
        let at: Vec<usize> = ["objective", "control", "atoms", "decompositions", "or_groups", "bindings", "trail", "corrections"].iter().map(|section| text.find(&format!("\n{section}:")).expect(section)).collect();
        assert!(at.is_sorted());
    }),
    Row("§8.1", "max_iterations: 20", || begins_with("    max_iterations: 20")),
    Row("§8.1", "max_parallel_agents: 3", || begins_with("    max_parallel_agents: 3")),
    Row("§8.1", "max_stall_count: 3", || begins_with("    max_stall_count: 3")),
    Row("§8.1", "control.status: pending", || begins_with("  status: pending")),
    Row("§8.1", "control.iteration: 0", || begins_with("  iteration: 0")),
    Row("§8.1", "control.stall_count: 0", || begins_with("  stall_count: 0")),
    Row("§8.1", "control.prev_pending_count: -1", || begins_with("  prev_pending_count: -1")),
    Row("§8.1", "control.stop_requested: false", || begins_with("  stop_requested: false")),
    Row("§8.1", "control.stop_reason: null", || begins_with("  stop_reason: null")),
    Row("§8.1", "control.redirect_requested: false", || begins_with("  redirect_requested: false")),
    Row("§8.1", "one atom A1, pending, without dependencies", || {
        begins_with("  - id: A1");
        begins_with("    status: pending\n    depends_on: []");
    }),
    Row("§8.1", "decompositions: []", || begins_with("decompositions: []")),
    Row("§8.1", "or_groups: {}", || begins_with("or_groups: {}")),
    Row("§8.1", "bindings: {}", || begins_with("bindings: {}")),
    Row("§8.1", "trail: []", || begins_with("trail: []")),
    Row("§8.1", "corrections: []", || begins_with("corrections: []\n---")),
    Row("§8.1", "the request of the user is the body, verbatim", || assert!(new().ends_with("\n---\n\n# Original Prompt\n\nBuild\nit\n"))),
    Row("§8.1", "base_case in the legacy format", || assert!(new().contains("  base_case:\n    type: command\n    value: \"npm test\"\n"))),
    Row("§8.2", "base_case in the checklist format is written as the seed has it", || {
        let part = |value: &str| CheckPart::Check(Check { kind: CheckKind::Command, value: value.into() });
        let item = |name: &str, part| CheckItem { item: name.into(), part };
        let group = CheckPart::Group(vec![item("Tests pass", part("npm test")), item("Build succeeds", part("npm run build"))]);
        let list = BaseCase::Checklist(vec![item("Functional Requirements", group)]);
        let text = create(&NewAotLoop { goal: "g".into(), base_case: Some(list), ..NewAotLoop::default() }, crate::aot::NOW).expect("a file");
        let seed = seed("s8-2");
        let section = |text: &str| {
            let from = text.find("    checklist:\n").expect("a list");
            let to = text[from..].find("npm run build\"\n").expect("the second check");
            text[from..from + to].to_owned()
        };
        assert_eq!(section(&text), section(&seed));
    }),
    Row("§8.2", "the checklist of the initial state", || {
        let text = seed("s8-2");
        assert_eq!(page(&text).checklist.len(), 7);
        assert_eq!(check(&text, "No vulnerabilities").check_type, Some(CheckType::NotCommand));
        let quality = check(&text, "Code Quality");
        assert_eq!((quality.value.as_deref(), quality.pass_threshold), (Some("Code is readable and well designed"), Some(3.0)));
        assert_eq!(number(&text, "iteration"), 0.0);
    }),
];
