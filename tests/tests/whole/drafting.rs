//! *Draft it for me*: an agent drafts an AoT loop from a paragraph; a person edits it, and nothing is written.

use loopdeck_core::formats::aot::create::draft_by_agent::DraftedLoop;
use loopdeck_runtime::drivers::rows::FormDraft;
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_tests::driving::Driven;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};

fn driven(rule: Rule) -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    driven.script(&Scripted { output: Output::Text, rules: vec![rule] });
    driven
}

fn wanted(driven: &Driven) -> FormDraft {
    FormDraft {
        id: "draft-1".into(),
        folder: driven.folder(),
        plan: driven.plan("custom:scripted"),
        paragraph: "The shop needs a receipt.".into(),
    }
}

fn draft(driven: &Driven) -> Result<DraftedLoop, Failure> {
    let drafted = driven.live.runtime.draft_loop(&wanted(driven));
    driven.all_gone();
    let runs = std::fs::read_dir(driven.live.data().runs()).unwrap();
    assert_eq!(runs.count(), 0, "nothing of a draft is kept");
    assert!(!driven.live.workspace.join(".claude").exists(), "nothing is written into the workspace");
    drafted
}

fn plan() -> Value {
    json!({
        "goal": "The shop prints a receipt", "background_intent": "Customers ask", "deliverables": "A receipt",
        "definition_of_done": "It prints", "in_scope": ["src"], "out_of_scope": [],
        "checks": [
            { "name": "Tests", "kind": "command", "value": "sh test.sh", "threshold": null, "group": null, "group_passes": null },
            { "name": "Readable", "kind": "quality", "value": "Short functions", "threshold": 4, "group": null, "group_passes": null },
        ],
        "atoms": [
            { "id": "A1", "description": "Lines", "depends_on": [], "or_group": null },
            { "id": "A2", "description": "Sum", "depends_on": ["A1"], "or_group": null },
        ],
    })
}

#[test]
fn a_paragraph_becomes_a_loop_to_edit() {
    let drafted = draft(&driven(Rule::default().answers(plan()))).unwrap();
    assert_eq!(drafted.goal, "The shop prints a receipt");
    let atoms: Vec<_> =
        drafted.aot.atoms.iter().map(|atom| (atom.id.as_deref(), atom.depends_on.len())).collect();
    assert_eq!(atoms, [(Some("A1"), 0), (Some("A2"), 1)]);
    assert!(drafted.base_case.is_some());
}

#[test]
fn an_agent_that_answers_something_else_is_said_to_have_drafted_nothing() {
    let failure = draft(&driven(Rule::default().then(Step::Say("no plan".into())))).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NoDraft);
    assert!(failure.args.contains_key("reason"), "{failure:?}");
}

#[test]
fn a_draft_can_be_stopped() {
    let driven = driven(
        Rule::default()
            .then(Step::Write { path: "begun".into(), text: String::new() })
            .then(Step::WaitFor("never".into())),
    );
    std::thread::scope(|scope| {
        let (runtime, wanted) = (&driven.live.runtime, wanted(&driven));
        let drafting = scope.spawn(move || runtime.draft_loop(&wanted));
        eventually("it began", || driven.live.workspace.join("begun").exists().then_some(()));
        driven.live.runtime.stop_try("draft-1");
        assert_eq!(drafting.join().unwrap().unwrap_err().kind, FailureKind::NoDraft);
    });
    driven.all_gone();
}
