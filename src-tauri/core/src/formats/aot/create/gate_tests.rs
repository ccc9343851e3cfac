use super::*;
use crate::formats::aot::create::AotWork;
use crate::formats::aot::{CheckKind, Criteria, Criterion};

fn check(kind: CheckKind, value: &str) -> CheckPart {
    CheckPart::Check(Check { kind, value: value.into() })
}

fn item(name: &str, part: CheckPart) -> CheckItem {
    CheckItem { item: name.into(), part }
}

fn atom(id: &str, depends_on: &[&str], group: &str) -> NewAtom {
    NewAtom {
        id: Some(id.into()),
        description: "x".into(),
        depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
        or_group: Some(group.into()),
    }
}

/// Nothing is missing here.
fn complete() -> NewAotLoop {
    let work = AotWork {
        background_intent: "b".into(),
        deliverables: "d".into(),
        definition_of_done: "done".into(),
        ..AotWork::default()
    };
    let base_case = Some(BaseCase::Checklist(vec![item("a", check(CheckKind::Command, "true"))]));
    NewAotLoop { goal: "g".into(), base_case, max_iterations: None, work }
}

fn said(new: &NewAotLoop) -> Vec<(String, &'static str)> {
    missing(new).into_iter().map(|missing| (missing.field, missing.code)).collect()
}

fn with_atoms(atoms: Vec<NewAtom>) -> NewAotLoop {
    let mut new = complete();
    new.work.atoms = atoms;
    new
}

fn with_checks(base_case: BaseCase) -> NewAotLoop {
    NewAotLoop { base_case: Some(base_case), ..complete() }
}

fn one(field: &str, code: &'static str) -> Vec<(String, &'static str)> {
    vec![(field.to_owned(), code)]
}

#[test]
fn every_text_of_the_objective_is_asked_for() {
    assert_eq!(said(&complete()), []);
    let blank = NewAotLoop::default();
    let fields = ["goal", "background_intent", "deliverables", "definition_of_done", "base_case"];
    assert_eq!(said(&blank), fields.map(|field| (field.to_owned(), "blank")));
    let mut long = complete();
    long.work.deliverables = "x".repeat(MAX_TEXT + 1);
    long.work.out_of_scope = vec!["x".repeat(MAX_TEXT + 1)];
    let expected = [("deliverables".to_owned(), "too_long"), ("out_of_scope".to_owned(), "too_long")];
    assert_eq!(said(&long), expected);
    assert_eq!(missing(&long)[0].args["limit"], "20000");
}

#[test]
fn each_check_is_named_by_its_place() {
    let list = vec![
        item("", check(CheckKind::Command, " ")),
        item(
            "all",
            CheckPart::Group(vec![
                item("a \"b\"", check(CheckKind::File, "x")),
                item("any", CheckPart::AnyOf(vec![])),
                item("c", check(CheckKind::NotCommand, "a: 'b' \"c\"")),
                item("d", check(CheckKind::NotFile, "'x'")),
            ]),
        ),
    ];
    let expected = [
        ("base_case.0", "unnamed"),
        ("base_case.0", "blank"),
        ("base_case.1.0", "quote_in_name"),
        ("base_case.1.1", "no_items"),
        ("base_case.1.2", "command_not_writable"),
        ("base_case.1.3", "not_writable"),
    ];
    assert_eq!(
        said(&with_checks(BaseCase::Checklist(list))),
        expected.map(|(field, code)| (field.to_owned(), code))
    );
    assert_eq!(said(&with_checks(BaseCase::Checklist(vec![]))), one("base_case", "no_items"));
}

#[test]
fn a_list_in_a_list_has_an_end() {
    let nested = |depth: usize| {
        let leaf = item("leaf", check(CheckKind::Command, "true"));
        (0..depth).fold(leaf, |inner, _| item("all", CheckPart::Group(vec![inner])))
    };
    assert_eq!(said(&with_checks(BaseCase::Checklist(vec![nested(base_case::MAX_DEPTH)]))), []);
    let deep = said(&with_checks(BaseCase::Checklist(vec![nested(base_case::MAX_DEPTH + 1)])));
    assert_eq!(deep.iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["too_deep"]);
}

#[test]
fn a_rubric_says_what_it_lacks() {
    let quality = |criteria, pass_threshold| {
        let quality = Quality { criteria, pass_threshold, scope: None };
        said(&with_checks(BaseCase::Quality(quality)))
    };
    let line = |name: &str, weight| Criterion { criterion: name.into(), weight, ..Criterion::default() };
    assert_eq!(quality(Criteria::Text(" ".into()), 350), one("base_case", "blank"));
    assert_eq!(quality(Criteria::Text("x".into()), 100), one("base_case", "bad_threshold"));
    assert_eq!(quality(Criteria::Rubric(vec![line("a", Some(0))]), 350), one("base_case", "no_weight"));
    assert_eq!(quality(Criteria::Rubric(vec![line("", Some(50))]), 350), one("base_case", "blank"));
    let levels = Criterion { levels: vec![(3, "x".into()), (3, "y".into())], ..line("a", None) };
    assert_eq!(quality(Criteria::Rubric(vec![levels]), 350), one("base_case", "bad_levels"));
    assert_eq!(quality(Criteria::Rubric(vec![line("a", Some(40)), line("b", None)]), 350), []);
}

#[test]
fn each_atom_is_named_by_its_place() {
    let blank = NewAtom { description: " ".into(), ..atom("A1", &[], "") };
    let atoms = vec![
        blank,
        atom("a b", &[], ""),
        atom("A1", &["A9"], ""),
        atom("A4", &[], "x y"),
        NewAtom { id: None, ..atom("", &["A4"], "") },
    ];
    let expected = [
        ("atoms.0", "blank"),
        ("atoms.1", "bad_id"),
        ("atoms.2", "id_taken"),
        ("atoms.2", "unknown_atom"),
        ("atoms.3", "bad_group"),
    ];
    assert_eq!(said(&with_atoms(atoms)), expected.map(|(field, code)| (field.to_owned(), code)));
    assert_eq!(said(&with_atoms(vec![atom("A1", &[], ""); 201])), one("atoms", "too_many"));
}

#[test]
fn work_that_waits_for_itself_is_said_with_its_way() {
    let circle = with_atoms(vec![atom("A1", &["A2"], ""), atom("A2", &["A1"], "")]);
    let found = missing(&circle);
    assert_eq!((found.len(), found[0].code), (1, "cycle"));
    assert!(found[0].args["cycle"].contains("A1 → A2") || found[0].args["cycle"].contains("A2 → A1"));
    // A depends on the choice that is not selected, so on the selected one, which depends on A.
    let through = vec![atom("A1", &["A3"], ""), atom("A2", &["A1"], "g"), atom("A3", &[], "g")];
    assert_eq!(said(&with_atoms(through)), one("atoms", "cycle"));
    let open = vec![atom("A1", &[], ""), atom("A2", &["A1"], "g"), atom("A3", &["A1"], "g")];
    assert_eq!(said(&with_atoms(open)), []);
}

#[test]
fn limits_are_at_least_one() {
    let mut new = complete();
    new.max_iterations = Some(10_001);
    new.work.max_parallel_agents = Some(0);
    new.work.max_stall_count = Some(0);
    let fields = ["max_iterations", "max_parallel_agents", "max_stall_count"];
    assert_eq!(said(&new), fields.map(|field| (field.to_owned(), "out_of_range")));
}
