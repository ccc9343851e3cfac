//! AoT loops for tests, the scripted workers that resolve their atoms, and what a file says about an atom.

use crate::driving::Driven;
use crate::live::AOT;
use crate::scripted::{Rule, Step};
use serde_json::{Value, json};
use std::fs;

/// A loop in the canonical layout; `atoms` and `groups` as in the file, `checks` below `base_case`.
#[must_use]
pub fn loop_with(checks: &str, atoms: &[(&str, &str, &str)], groups: &str) -> String {
    let mut text = format!(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n{checks}  background_intent: \"Because\"\n  deliverables: \"A thing\"\n  \
         definition_of_done: \"It works\"\n  constraints:\n    max_iterations: 10\n    max_parallel_agents: 2\n    \
         max_stall_count: 2\n\ncontrol:\n  status: pending\n  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  \
         stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\natoms:\n"
    );
    for (id, depends_on, group) in atoms {
        text += &format!(
            "  - id: {id}\n    description: \"Do {id}\"\n    status: pending\n    depends_on: [{depends_on}]\n"
        );
        if !group.is_empty() {
            text += &format!("    or_group: {group}\n");
        }
    }
    text += &format!(
        "\ndecompositions: []\n\nor_groups:{groups}\n\nbindings: {{}}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n"
    );
    text
}

/// A check that the file of A1 exists.
pub const FILE_CHECK: &str = "    type: file\n    value: \"A1.txt\"\n";

/// A worker's answer; `more` replaces members.
#[must_use]
pub fn answer(more: &Value) -> Value {
    let mut answer = json!({
        "status": "resolved", "summary": "worked", "artifacts": [], "children": [], "reason": null, "needs": null,
    });
    let (Some(answer_of), Some(more)) = (answer.as_object_mut(), more.as_object()) else { panic!("objects") };
    answer_of.extend(more.clone());
    answer
}

/// A worker that creates a file named after its atom and resolves it.
#[must_use]
pub fn resolves(atom: &str) -> Rule {
    let file = format!("{atom}.txt");
    let path = file.as_str().into();
    Rule::on("atom")
        .task(atom)
        .then(Step::Write { path, text: "done".into() })
        .answers(answer(&json!({ "summary": format!("Did {atom}"), "artifacts": [file] })))
}

/// A worker that gives up its atom.
#[must_use]
pub fn fails(atom: &str, why: &str) -> Rule {
    Rule::on("atom").task(atom).answers(answer(&json!({ "status": "failed", "summary": why, "reason": why })))
}

/// The same, after creating a marker file and waiting for the gate.
#[must_use]
pub fn gated(rule: Rule, atom: &str) -> Rule {
    let begun = format!("{atom}.begun");
    Rule {
        steps: [Step::Write { path: begun.into(), text: String::new() }, Step::WaitFor("gate".into())]
            .into_iter()
            .chain(rule.steps)
            .collect(),
        ..rule
    }
}

/// The state file.
#[must_use]
pub fn text(driven: &Driven) -> String {
    fs::read_to_string(driven.live.workspace.join(AOT)).expect("a state file")
}

/// `status` of an atom in the file.
#[must_use]
pub fn status(driven: &Driven, atom: &str) -> String {
    let text = text(driven);
    let (_, rest) =
        text.split_once(&format!("- id: {atom}\n")).unwrap_or_else(|| panic!("no {atom}:\n{text}"));
    let line = rest.lines().find(|line| line.starts_with("    status: ")).expect("a state file");
    line.trim_start().strip_prefix("status: ").expect("a state file").to_owned()
}
