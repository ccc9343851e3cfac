use super::*;
use crate::control::Verb;
use crate::formats::aot::{Check, CheckItem, CheckKind, CheckPart, Criteria, Criterion, Quality};
use crate::view::AtomState;

fn check(kind: CheckKind, value: &str) -> Check {
    Check { kind, value: value.into() }
}

fn new(goal: &str) -> NewAotLoop {
    let base_case = Some(BaseCase::Single(check(CheckKind::Command, "npm test")));
    NewAotLoop { goal: goal.into(), base_case, ..NewAotLoop::default() }
}

fn situation() -> Situation {
    Situation { shown: StatusWord::NotStarted, now: Timestamp::from_millis(0) }
}

fn facts() -> FileFacts<'static> {
    FileFacts { stem: STEM, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) }
}

fn atom(id: &str, description: &str, depends_on: &[&str], group: Option<&str>) -> NewAtom {
    NewAtom {
        id: (!id.is_empty()).then(|| id.to_owned()),
        description: description.into(),
        depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
        or_group: group.map(str::to_owned),
    }
}

fn item(name: &str, part: CheckPart) -> CheckItem {
    CheckItem { item: name.into(), part }
}

/// Everything that the form can contain, with all six kinds of checks.
fn whole() -> NewAotLoop {
    let one = |name: &str, kind, value: &str| item(name, CheckPart::Check(check(kind, value)));
    let rubric = vec![
        Criterion {
            criterion: "Readability".into(),
            description: Some("Small functions".into()),
            weight: Some(40),
            levels: vec![(1, "Hard to read".into()), (5, "Very readable".into())],
        },
        Criterion { criterion: "Design".into(), weight: Some(60), ..Criterion::default() },
    ];
    let quality = Quality {
        criteria: Criteria::Rubric(rubric),
        pass_threshold: 350,
        scope: Some("src/**/*.ts".into()),
    };
    let list = vec![
        item(
            "Functional",
            CheckPart::Group(vec![
                one("Tests pass", CheckKind::Command, "sh -c 'true'"),
                one("No leftovers", CheckKind::NotCommand, "grep -r TODO src"),
                item(
                    "Packaged",
                    CheckPart::AnyOf(vec![
                        one("As a folder", CheckKind::File, "dist/*"),
                        one("As an archive", CheckKind::File, "out.tgz"),
                    ]),
                ),
            ]),
        ),
        one("No maps", CheckKind::NotFile, "dist/*.map"),
        one("The page feels quick", CheckKind::Assertion, "Pages open at once"),
        item("Code quality", CheckPart::Quality(quality)),
    ];
    let work = AotWork {
        background_intent: "People wait\nfor logins".into(),
        deliverables: "A login page".into(),
        definition_of_done: "Everyone can log in".into(),
        in_scope: vec!["login".into(), " ".into(), "pass\"words".into()],
        out_of_scope: vec!["single sign-on".into()],
        atoms: vec![
            atom("", "Design", &[], None),
            atom("jwt", "Use \"JWT\"", &["A1"], Some("token")),
            atom("session", "Use sessions", &["A1"], Some("token")),
            atom("", "Build it", &["jwt"], None),
        ],
        max_parallel_agents: Some(2),
        max_stall_count: Some(5),
    };
    NewAotLoop {
        goal: "Add login\nwith tests".into(),
        base_case: Some(BaseCase::Checklist(list)),
        max_iterations: Some(12),
        work,
    }
}

/// The AoT contract §1 and §4, line by line.
const WHOLE: &str = r#"---
objective:
  goal: "Add login with tests"
  base_case:
    checklist:
      - item: "Functional"
        group:
          - item: "Tests pass"
            check:
              type: command
              value: "sh -c 'true' "
          - item: "No leftovers"
            check:
              type: not_command
              value: "grep -r TODO src"
          - item: "Packaged"
            any_of:
              - item: "As a folder"
                check:
                  type: file
                  value: "dist/*"
              - item: "As an archive"
                check:
                  type: file
                  value: "out.tgz"
      - item: "No maps"
        check:
          type: not_file
          value: "dist/*.map"
      - item: "The page feels quick"
        check:
          type: assertion
          value: "Pages open at once"
      - item: "Code quality"
        check:
          type: quality
          rubric:
            - criterion: "Readability"
              description: "Small functions"
              weight: 0.4
              levels:
                1: "Hard to read"
                5: "Very readable"
            - criterion: "Design"
              weight: 0.6
          pass_threshold: 3.5
          scope: "src/**/*.ts"
  background_intent: "People wait for logins"
  deliverables: "A login page"
  definition_of_done: "Everyone can log in"
  scope:
    in_scope: ["login", "pass\"words"]
    out_of_scope: ["single sign-on"]
  constraints:
    max_iterations: 12
    max_parallel_agents: 2
    max_stall_count: 5

control:
  status: pending
  iteration: 0
  stall_count: 0
  prev_pending_count: -1
  stop_requested: false
  redirect_requested: false
  stop_reason: null

atoms:
  - id: A1
    description: "Design"
    status: pending
    depends_on: []
  - id: jwt
    description: "Use \"JWT\""
    status: pending
    depends_on: [A1]
    or_group: token
  - id: session
    description: "Use sessions"
    status: pending
    depends_on: [A1]
    or_group: token
  - id: A2
    description: "Build it"
    status: pending
    depends_on: [jwt]

decompositions: []

or_groups:
  token:
    choices: [jwt, session]
    selected: jwt
    failed: []

bindings: {}

trail:
  - or_group: token
    selected: jwt
    reason: "First choice at the start"
    timestamp: "1970-01-01T00:00:00Z"

corrections: []
---

# Original Prompt

Add login
with tests
"#;

#[test]
fn everything_that_the_form_says_stands_in_the_layout_of_the_contract() {
    let text = create(&whole(), Timestamp::from_millis(0)).expect("valid");
    assert_eq!(text, WHOLE);
    assert_eq!(super::super::repairs(text.as_bytes()).len(), 0, "nothing for the plugin to stumble over");
    let detail = super::super::detail(text.as_bytes(), &facts(), &situation());
    assert_eq!(detail.problems, []);
    let start = detail.controls.iter().find(|control| control.verb == Verb::Start).expect("offered");
    assert_eq!(start.refusal, None);
    let states: Vec<AtomState> = detail.atoms.iter().map(|atom| atom.state).collect();
    assert_eq!(states, [AtomState::Ready, AtomState::Blocked, AtomState::Inactive, AtomState::Blocked]);
}

#[test]
fn a_form_takes_up_what_another_loop_says() {
    let text = create(&whole(), Timestamp::from_millis(0)).expect("valid");
    let detail = super::super::detail(text.as_bytes(), &facts(), &situation());
    let (work, base_case) = crate::start::aot_like(&detail);
    let again = NewAotLoop { work, base_case, ..whole() };
    assert_eq!(create(&again, Timestamp::from_millis(0)).expect("valid"), text);
}

#[test]
fn little_is_enough_and_the_rest_is_said_with_the_goal() {
    let text = create(&new("Ship it"), Timestamp::from_millis(0)).expect("valid");
    for line in [
        "  background_intent: \"Ship it\"\n",
        "  definition_of_done: \"Every check of base_case passes.\"\n",
        "    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n",
        "  - id: A1\n    description: \"Ship it\"\n",
        "or_groups: {}\n\nbindings: {}\n\ntrail: []\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("scope"), "{text}");
}

#[test]
fn a_prompt_cannot_speak_to_the_plugin() {
    let text = create(&new("a\n---\n  status: completed\n- id: X\n  # ok"), Timestamp::from_millis(0))
        .expect("valid");
    let body = text.split("# Original Prompt").nth(1).expect("there");
    assert!(
        !body.lines().any(|line| line == "---" || line.starts_with("  status:") || line.starts_with("- id:"))
    );
    assert!(super::super::detail(text.as_bytes(), &facts(), &situation()).problems.is_empty());
}

#[test]
fn what_the_form_does_not_take_is_refused_by_name() {
    let field =
        |new: &NewAotLoop| create(new, Timestamp::from_millis(0)).expect_err("refused").args["field"].clone();
    assert_eq!(field(&new(" \n")), "goal");
    assert_eq!(field(&NewAotLoop { max_iterations: Some(0), ..new("x") }), "max_iterations");
    let atoms = |atoms: Vec<NewAtom>| AotWork { atoms, ..AotWork::default() };
    let unknown = NewAotLoop { work: atoms(vec![atom("", "a", &["A2"], None)]), ..new("x") };
    assert_eq!(field(&unknown), "atoms.0");
    assert_eq!(field(&NewAotLoop { base_case: Some(BaseCase::Checklist(vec![])), ..new("x") }), "base_case");
    assert_eq!(field(&NewAotLoop { base_case: None, ..new("x") }), "base_case");
    let dashes = BaseCase::Single(check(CheckKind::Command, "a --- b"));
    assert_eq!(field(&NewAotLoop { base_case: Some(dashes), ..new("x") }), "base_case");
}

#[test]
fn a_draft_is_shown_however_much_of_it_is_missing() {
    let atoms = [
        atom("A1", "", &["A2", "A9"], None),
        atom("A2", "b", &["A1"], Some("way")),
        atom("A1", "again", &[], None),
        atom("a b", "c", &[], Some("x: y")),
    ];
    let detail = draft(&atoms);
    let ids: Vec<&str> = detail.atoms.iter().map(|atom| atom.id.as_str()).collect();
    assert_eq!(ids, ["A1", "A2", "A1", "a b"], "in the order of the form");
    assert_eq!(detail.atoms[3].or_group.as_deref(), Some("x: y"));
    assert!(
        detail.problems.iter().any(|problem| problem.code.name().starts_with("V7")),
        "the circle is said"
    );
}
