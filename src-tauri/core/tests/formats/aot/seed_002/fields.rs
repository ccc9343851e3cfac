//! §1 to §4: the file, its sections, and every field.

use super::{Row, check, errors, fact, number, page, problems, seed, with};
use crate::aot::summary;
use loopdeck_core::checklist::{CheckType, ItemKind};
use loopdeck_core::status::FileStatus;
use loopdeck_core::view::{AtomState, CorrectionKind, FactValue, LoopDetail, ObjectiveView};

fn objective(text: &str) -> ObjectiveView {
    page(text).objective.expect("an objective")
}

fn is_blank_problem(field: &str, line: &str) {
    let text = with("s8-1", &[(line, &format!("  {field}: \"\"\n"))]);
    assert_eq!(problems(&text, "V8"), [format!("objective.{field}")]);
    assert!(problems(&seed("s8-1"), "V8").is_empty());
}

fn limit_defaults(field: &str, written: &str, read: fn(&ObjectiveView) -> Option<f64>, default: f64) {
    let text = with("s8-1", &[(written, "")]);
    assert_eq!(read(&objective(&text)), Some(default));
    let other = with("s8-1", &[(written, &format!("    {field}: 7\n"))]);
    assert_eq!(read(&objective(&other)), Some(7.0));
    let bad = with("s8-1", &[(written, &format!("    {field}: many\n"))]);
    assert_eq!(errors(&bad), [format!("V4_bad_number objective.constraints.{field}")]);
}

/// A section that may be absent or empty: no problem, and nothing of it is shown.
fn is_optional(section: &str, empty: &str, is_empty: fn(&LoopDetail) -> bool) {
    let line = format!("{section}: {empty}\n");
    for text in [seed("s8-1"), with("s8-1", &[(line.as_str(), "")])] {
        assert!(errors(&text).is_empty(), "{section}: {:?}", errors(&text));
        assert!(is_empty(&page(&text)));
    }
}

fn without_section(name: &str, section: &str, next: &str) -> String {
    let text = seed(name);
    let from = text.find(&format!("\n{section}:")).expect(section) + 1;
    let to = text.find(&format!("\n{next}:")).expect(next) + 1;
    format!("{}{}", &text[..from], &text[to..])
}

fn checked(kind: CheckType, word: &str) {
    let text = with("s8-1", &[("    type: command\n", &format!("    type: {word}\n"))]);
    let rows = page(&text).checklist;
    assert_eq!((rows.len(), rows[0].check_type), (1, Some(kind)));
    let list = with("s8-2", &[("type: command", &format!("type: {word}"))]);
    assert_eq!(check(&list, "Tests pass").check_type, Some(kind));
}

fn status(word: &str) -> FileStatus {
    let line = format!("  status: {word}\n");
    let text = with("s8-1", &[("  status: pending\n", line.as_str())]);
    summary(text.as_bytes()).status
}

fn atom_status(word: &str) -> (String, AtomState) {
    let line = format!("    status: {word}\n");
    let text = with("s8-1", &[("    status: pending\n", line.as_str())]);
    let atom = page(&text).atoms.remove(0);
    (atom.status, atom.state)
}

fn correction(word: &str) -> LoopDetail {
    let entry = format!(
        "corrections:\n  - timestamp: \"2025-01-15T12:00:00Z\"\n    type: {word}\n    description: \"Only the API\"\n    trail_cleared: true\n"
    );
    page(&with("s8-1", &[("corrections: []\n", entry.as_str())]))
}

fn is_correction(word: &str, kind: CorrectionKind) {
    let own = correction(word).corrections.remove(0);
    assert_eq!((own.kind, own.word.as_str()), (kind, word));
    assert_eq!(correction("other_word").corrections[0].kind, CorrectionKind::Other);
}

fn is_flag(field: &str) {
    let line = format!("  {field}: false\n");
    let on = format!("  {field}: true\n");
    assert_eq!(fact(&seed("s8-1"), field), Some(FactValue::Flag(false)));
    assert_eq!(fact(&with("s8-1", &[(&line, on.as_str())]), field), Some(FactValue::Flag(true)));
}

fn is_number(field: &str, line: &str, written: f64) {
    assert_eq!(number(&seed("s3"), field), written);
    let other = with("s3", &[(line, &format!("  {field}: 2\n"))]);
    assert_eq!(number(&other, field), 2.0);
    let bad = with("s3", &[(line, &format!("  {field}: 08\n"))]);
    assert_eq!(errors(&bad), [format!("V4_bad_number control.{field}")]);
}

/// Every field, by section.
pub(super) const ROWS: &[&[Row]] = &[SECTIONS, CHECKS, OBJECTIVE, CONTROL, ATOMS, GRAPH];

/// §1 to §3: the file, its sections, the complete example.
#[rustfmt::skip] // one row a line, next to the seed
const SECTIONS: &[Row] = &[
    Row("§1", "YAML front matter between two lines ---", || {
        assert!(errors(&seed("s3")).is_empty());
        assert_eq!(errors(&seed("s3").replacen("---\n", "", 1)).len(), 1);
    }),
    Row("§1", "front matter that is not closed is no state", || {
        let text = seed("s8-1").replace("\n---\n\n# Orig", "\n\n# Orig");
        assert!(page(&text).atoms.is_empty() && !errors(&text).is_empty());
    }),
    Row("§1", "structured data is a map", || assert_eq!(errors("---\n- a\n---\n"), ["V1_bad_yaml "])),
    Row("§1", "Markdown body with the original request", || {
        let prompt = page(&seed("s3")).prompt.expect("a body");
        assert!(prompt.contains("# Original Prompt\n\nPlease implement user authentication feature."));
    }),
    Row("§2", "objective is required", || assert!(errors(&without_section("s8-1", "objective", "control")).contains(&"V2_missing_section objective".into()))),
    Row("§2", "objective is not empty", || {
        let text = without_section("s8-1", "objective", "control").replacen("control:", "objective: {}\ncontrol:", 1);
        assert!(errors(&text).contains(&"V2_missing_section objective".into()));
    }),
    Row("§2", "control is required", || assert_eq!(errors(&without_section("s8-1", "control", "atoms")), ["V2_missing_section control"])),
    Row("§2", "control is not empty", || {
        let text = without_section("s8-1", "control", "atoms").replacen("atoms:", "control: {}\natoms:", 1);
        assert!(errors(&text).contains(&"V2_missing_section control".into()));
    }),
    Row("§2", "atoms is required", || assert_eq!(errors(&without_section("s8-1", "atoms", "decompositions")), ["V2_missing_section atoms"])),
    Row("§2", "atoms is not empty", || {
        let text = without_section("s8-1", "atoms", "decompositions").replacen("decompositions:", "atoms: []\ndecompositions:", 1);
        assert_eq!(errors(&text), ["V2_missing_section atoms"]);
    }),
    Row("§2", "decompositions may be absent or empty", || is_optional("decompositions", "[]", |page| page.decompositions.is_empty())),
    Row("§2", "or_groups may be absent or empty", || is_optional("or_groups", "{}", |page| page.or_groups.is_empty())),
    Row("§2", "bindings may be empty † absent too (reference §1.1)", || is_optional("bindings", "{}", |page| page.atoms.iter().all(|atom| atom.summary.is_none()))),
    Row("§2", "trail may be empty † absent too (reference §1.1)", || is_optional("trail", "[]", |page| page.trail.is_empty())),
    Row("§2", "corrections may be empty † absent too (reference §1.1)", || is_optional("corrections", "[]", |page| page.corrections.is_empty())),
    Row("§3", "the complete example has no error", || assert_eq!(errors(&seed("s3")), [""; 0])),
    Row("§3", "the complete example: five atoms in file order", || {
        assert_eq!(super::atoms(&seed("s3")), "A1 resolved, A2 pending, A3 resolved, A4 in_progress, A5 pending");
    }),
    Row("§3", "the complete example: three parts of the checklist", || {
        let top: Vec<String> = page(&seed("s3")).checklist.iter().filter(|row| row.depth == 0).map(|row| row.item.clone()).collect();
        assert_eq!(top, ["Functional Requirements", "Quality Requirements", "Code Quality"]);
    }),
    Row("§3", "the choice A4_alt has no atom † a warning (reference §3, V10)", || {
        assert_eq!(problems(&seed("s3"), "V10"), ["or_groups.token_method.choices"]);
        let choices = page(&seed("s3")).or_groups.remove(0).choices;
        assert_eq!((choices[0].known, choices[1].known), (true, false));
    }),
    Row("§3", "comments on control lines † read, but hidden from the plugin (reference §4, L4)", || {
        assert_eq!(summary(seed("s3").as_bytes()).status, FileStatus::Running);
        assert!(problems(&seed("s3"), "V20").contains(&"control.status".into()), "{:?}", problems(&seed("s3"), "V20"));
    }),
];

/// §4.1: how the completion check is written.
#[rustfmt::skip] // one row a line, next to the seed
const CHECKS: &[Row] = &[
    Row("§4.1", "legacy: one type and one value", || {
        let rows = page(&seed("s6-1-before")).checklist;
        assert_eq!((rows.len(), rows[0].check_type), (1, Some(CheckType::Command)));
        assert_eq!(rows[0].value.as_deref(), Some("npm test -- --grep auth"));
    }),
    Row("§4.1", "checklist: an item with a single check", || {
        let row = check(&seed("s3"), "Code Quality");
        assert_eq!((row.kind, row.depth), (ItemKind::Check, 0));
    }),
    Row("§4.1", "checklist: a group with items below it", || {
        let rows = page(&seed("s3")).checklist;
        assert_eq!((rows[0].kind, rows[0].check_type), (ItemKind::Group, None));
        assert_eq!((rows[1].depth, rows[1].item.as_str(), rows[1].kind), (1, "Auth tests pass", ItemKind::Check));
    }),
    Row("§4.1", "checklist: any_of with items below it", || {
        let text = with("s8-2", &[("        group:", "        any_of:")]);
        assert_eq!(check(&text, "Functional Requirements").kind, ItemKind::AnyOf);
        assert_eq!(check(&seed("s8-2"), "Functional Requirements").kind, ItemKind::Group);
    }),
    Row("§4.1", "check.type command", || checked(CheckType::Command, "command")),
    Row("§4.1", "check.type file", || checked(CheckType::File, "file")),
    Row("§4.1", "check.type not_command", || checked(CheckType::NotCommand, "not_command")),
    Row("§4.1", "check.type not_file", || checked(CheckType::NotFile, "not_file")),
    Row("§4.1", "check.type assertion", || checked(CheckType::Assertion, "assertion")),
    Row("§4.1", "check.type quality", || assert_eq!(check(&seed("s3"), "Code Quality").check_type, Some(CheckType::Quality))),
    Row("§4.1", "check.type of another word passes never", || {
        checked(CheckType::Other, "guess");
        let text = with("s8-1", &[("    type: command\n", "    type: guess\n")]);
        assert!(!problems(&text, "V8").is_empty());
    }),
    Row("§4.1", "check.value is read", || assert_eq!(check(&seed("s3"), "No vulnerabilities").value.as_deref(), Some("npm audit --audit-level=high"))),
    Row("§4.1", "check.value is required", || {
        let text = with("s8-2", &[("value: \"npm test\"", "value: \"\"")]);
        assert_eq!(problems(&text, "V8").len(), 1);
    }),
    Row("§4.1", "rubric[].criterion", || {
        let names: Vec<String> = check(&seed("s4-1-rubric"), "Code Quality").rubric.into_iter().map(|row| row.criterion).collect();
        assert_eq!(names, ["Readability", "Design"]);
    }),
    Row("§4.1", "rubric[].description", || {
        let row = check(&seed("s4-1-rubric"), "Code Quality");
        assert_eq!(row.rubric[1].description, "Appropriate abstraction and responsibility separation");
    }),
    Row("§4.1", "rubric[].weight † shown as its share of the sum (reference §11)", || {
        let row = check(&seed("s4-1-rubric"), "Code Quality");
        assert_eq!(row.rubric.iter().map(|row| row.weight).collect::<Vec<_>>(), [0.5, 0.5]);
    }),
    Row("§4.1", "rubric[].levels", || {
        let row = check(&seed("s4-1-rubric"), "Code Quality");
        let levels: Vec<_> = row.rubric[0].levels.iter().map(|level| (level.score, level.text.as_str())).collect();
        assert_eq!(levels, [(Some(1), "Hard to read, unclear what it does"), (Some(3), "Mostly readable but room for improvement"), (Some(5), "Very readable and clear")]);
    }),
    Row("§4.1", "pass_threshold", || assert_eq!(check(&seed("s4-1-rubric"), "Code Quality").pass_threshold, Some(3.5))),
    Row("§4.1", "scope, optional", || {
        assert_eq!(check(&seed("s4-1-rubric"), "Code Quality").scope.as_deref(), Some("src/**/*.ts"));
        assert_eq!(check(&seed("s3"), "Code Quality").scope, None);
    }),
    Row("§4.1", "simple format: criteria", || {
        let row = page(&seed("s4-1-criteria")).checklist.into_iter().find(|row| row.check_type == Some(CheckType::Quality)).expect("a row");
        assert_eq!(row.value.as_deref(), Some("Functions under 20 lines, single responsibility, meaningful variable names"));
        assert_eq!((row.rubric.len(), row.pass_threshold), (0, Some(3.0)));
    }),
];

/// §4.1: the texts and limits of the objective.
#[rustfmt::skip] // one row a line, next to the seed
const OBJECTIVE: &[Row] = &[
    Row("§4.1", "goal is read", || assert_eq!(objective(&seed("s3")).goal, "Implement authentication feature")),
    Row("§4.1", "goal is required", || is_blank_problem("goal", "  goal: \"...\"\n")),
    Row("§4.1", "background_intent is read", || assert_eq!(objective(&seed("s3")).background_intent, "Enable existing users to log in")),
    Row("§4.1", "background_intent is required", || is_blank_problem("background_intent", "  background_intent: \"...\"\n")),
    Row("§4.1", "deliverables is read", || assert_eq!(objective(&seed("s3")).deliverables, "Login API with JWT authentication")),
    Row("§4.1", "deliverables is required", || is_blank_problem("deliverables", "  deliverables: \"...\"\n")),
    Row("§4.1", "definition_of_done is read", || assert_eq!(objective(&seed("s3")).definition_of_done, "All auth tests pass")),
    Row("§4.1", "definition_of_done is required", || is_blank_problem("definition_of_done", "  definition_of_done: \"...\"\n")),
    Row("§4.1", "base_case is required", || {
        let text = with("s8-1", &[("  base_case:\n    type: command\n    value: \"...\"\n", "")]);
        assert_eq!(problems(&text, "V8"), ["objective.base_case"]);
    }),
    Row("§4.1", "constraints.max_iterations, default 20", || limit_defaults("max_iterations", "    max_iterations: 20\n", |own| own.max_iterations, 20.0)),
    Row("§4.1", "constraints.max_parallel_agents, default 3", || limit_defaults("max_parallel_agents", "    max_parallel_agents: 3\n", |own| own.max_parallel_agents, 3.0)),
    Row("§4.1", "constraints.max_stall_count, default 3", || limit_defaults("max_stall_count", "    max_stall_count: 3\n", |own| own.max_stall_count, 3.0)),
];

/// §4.2: the state of the loop.
#[rustfmt::skip] // one row a line, next to the seed
const CONTROL: &[Row] = &[
    Row("§4.2", "status pending", || assert_eq!(status("pending"), FileStatus::NotStarted)),
    Row("§4.2", "status running", || assert_eq!(status("running"), FileStatus::Running)),
    Row("§4.2", "status stopped", || assert_eq!(status("stopped"), FileStatus::StoppedByUser)),
    Row("§4.2", "status completed", || assert_eq!(status("completed"), FileStatus::Completed)),
    Row("§4.2", "no other status", || {
        assert_eq!(status("paused"), FileStatus::Unknown);
        assert_eq!(errors(&with("s8-1", &[("  status: pending\n", "  status: Running\n")])), ["V3_unknown_status control.status"]);
    }),
    Row("§4.2", "iteration", || is_number("iteration", "  iteration: 5\n", 5.0)),
    Row("§4.2", "stall_count", || is_number("stall_count", "  stall_count: 0\n", 0.0)),
    Row("§4.2", "prev_pending_count", || {
        is_number("prev_pending_count", "  prev_pending_count: 3                     # Previous pending Atom count (for progress evaluation)\n", 3.0);
    }),
    Row("§4.2", "prev_pending_count -1 = first", || assert_eq!(fact(&seed("s8-1"), "prev_pending_count"), Some(FactValue::NotCounted))),
    Row("§4.2", "stop_requested", || is_flag("stop_requested")),
    Row("§4.2", "redirect_requested", || is_flag("redirect_requested")),
    Row("§4.2", "stop_reason, optional", || {
        assert_eq!(fact(&seed("s8-1"), "stop_reason"), None);
        let text = with("s8-1", &[("  stop_reason: null\n", "  stop_reason: \"Enough\"\n")]);
        assert_eq!(fact(&text, "stop_reason"), Some(FactValue::Text("Enough".into())));
    }),
];

/// §4.3: an atom.
#[rustfmt::skip] // one row a line, next to the seed
const ATOMS: &[Row] = &[
    Row("§4.3", "id", || assert_eq!(page(&seed("s3")).atoms.remove(0).id, "A1")),
    Row("§4.3", "id is required", || assert_eq!(errors(&with("s8-1", &[("  - id: A1\n", "  - id:\n")])), ["V5_bad_id atoms[0].id"])),
    Row("§4.3", "id: sequential † any plain word, as A4_alt (reference §1.2)", || {
        assert!(errors(&seed("s6-3-before")).is_empty());
        assert_eq!(page(&seed("s6-3-before")).atoms.remove(1).id, "A4_alt");
    }),
    Row("§4.3", "description", || assert_eq!(page(&seed("s3")).atoms.remove(2).description, "Password hashing")),
    Row("§4.3", "status pending", || assert_eq!(atom_status("pending"), ("pending".into(), AtomState::Ready))),
    Row("§4.3", "status in_progress", || assert_eq!(atom_status("in_progress"), ("in_progress".into(), AtomState::InProgress))),
    Row("§4.3", "status resolved", || assert_eq!(atom_status("resolved"), ("resolved".into(), AtomState::Resolved))),
    Row("§4.3", "no other status", || {
        assert_eq!(errors(&with("s8-1", &[("    status: pending\n", "    status: done\n")])), ["V3_unknown_status atoms[0].status"]);
    }),
    Row("§4.3", "depends_on", || {
        let needs: Vec<String> = page(&seed("s3")).atoms.remove(4).depends_on.into_iter().map(|need| need.id).collect();
        assert_eq!(needs, ["A3", "A4"]);
    }),
    Row("§4.3", "or_group, optional", || {
        let atoms = page(&seed("s3")).atoms;
        assert_eq!((atoms[3].or_group.as_deref(), atoms[4].or_group.as_deref()), (Some("token_method"), None));
    }),
];

/// §4.4 to §4.8: what belongs to the atoms.
#[rustfmt::skip] // one row a line, next to the seed
const GRAPH: &[Row] = &[
    Row("§4.4", "parent", || assert_eq!(page(&seed("s3")).decompositions.remove(0).parent, "A2")),
    Row("§4.4", "children", || {
        assert_eq!(page(&seed("s3")).decompositions.remove(0).children, ["A3", "A4"]);
        assert_eq!(page(&seed("s3")).atoms.remove(3).parent.as_deref(), Some("A2"));
    }),
    Row("§4.4", "reason", || assert_eq!(page(&seed("s3")).decompositions.remove(0).reason, "Split auth logic into hashing and token")),
    Row("§4.5", "the key is the name of the group", || assert_eq!(page(&seed("s3")).or_groups.remove(0).name, "token_method")),
    Row("§4.5", "choices", || {
        let ids: Vec<String> = page(&seed("s3")).or_groups.remove(0).choices.into_iter().map(|choice| choice.id).collect();
        assert_eq!(ids, ["A4", "A4_alt"]);
    }),
    Row("§4.5", "selected", || assert_eq!(page(&seed("s3")).or_groups.remove(0).selected.as_deref(), Some("A4"))),
    Row("§4.5", "failed", || {
        assert!(page(&seed("s3")).or_groups[0].choices.iter().all(|choice| !choice.failed));
        let text = with("s6-3-after", &[]);
        assert!(page(&text).or_groups[0].choices[0].failed);
    }),
    Row("§4.5", "failed is required † empty in v1.2 (reference §3)", || {
        let text = with("s6-3-before", &[("    failed: []\n", "")]);
        assert_eq!(problems(&text, "V21"), ["or_groups.token_method.failed"]);
        assert!(errors(&text).is_empty());
    }),
    Row("§4.6", "summary", || assert_eq!(page(&seed("s3")).atoms.remove(2).summary.as_deref(), Some("Implemented hashing with bcrypt"))),
    Row("§4.6", "artifacts", || assert_eq!(page(&seed("s3")).atoms.remove(2).artifacts, ["src/utils/auth.ts"])),
    Row("§4.6", "the key is the id of a resolved atom", || {
        let text = with("s6-2-after", &[("bindings:\n  A1:", "bindings:\n  A9:")]);
        assert_eq!(problems(&text, "V13").len(), 2, "A1 has none, and A9 is no atom");
    }),
    Row("§4.7", "or_group", || assert_eq!(page(&seed("s3")).trail.remove(0).or_group, "token_method")),
    Row("§4.7", "selected", || assert_eq!(page(&seed("s3")).trail.remove(0).selected, "A4")),
    Row("§4.7", "reason", || assert_eq!(page(&seed("s3")).trail.remove(0).reason, "JWT is stateless")),
    Row("§4.7", "timestamp, ISO 8601", || {
        let time = page(&seed("s3")).trail.remove(0).time.expect("a time");
        assert_eq!((time.text.as_str(), time.ms), ("2025-01-15T10:00:00Z", Some(1_736_935_200_000.0)));
    }),
    Row("§4.8", "timestamp, ISO 8601", || assert_eq!(correction("dag_adjustment").corrections[0].time.as_ref().and_then(|time| time.ms), Some(1_736_942_400_000.0))),
    Row("§4.8", "type objective_change", || is_correction("objective_change", CorrectionKind::ObjectiveChange)),
    Row("§4.8", "type dag_adjustment", || is_correction("dag_adjustment", CorrectionKind::DagAdjustment)),
    Row("§4.8", "type constraint_change", || is_correction("constraint_change", CorrectionKind::ConstraintChange)),
    Row("§4.8", "type bindings_override", || is_correction("bindings_override", CorrectionKind::BindingsOverride)),
    Row("§4.8", "description", || assert_eq!(correction("dag_adjustment").corrections[0].description, "Only the API")),
    Row("§4.8", "trail_cleared", || assert!(correction("dag_adjustment").corrections[0].trail_cleared)),
];
