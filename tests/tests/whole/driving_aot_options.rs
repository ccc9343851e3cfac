//! Options of AoT loops with real processes: the plugin drives, workers work in worktrees, atoms are probed.

mod plugin;
mod probes;
mod worktrees;

use loopdeck_agents::Level;
use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom, Probes};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::Options;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, more};
use loopdeck_tests::live::AOT;
use loopdeck_tests::repository::git;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{NO_PLUGIN, Output, Rule, Scripted, Step};
use loopdeck_tests::steps::aot;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A loop in the canonical layout with atoms A1 and A2; `status` and the other fields of `control`.
fn text_of(status: &str, stop_reason: &str) -> String {
    let atom = |id: &str| {
        format!("  - id: {id}\n    description: \"Do {id}\"\n    status: pending\n    depends_on: []\n")
    };
    format!(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: file\n    value: \"A1.txt\"\n  background_intent: \"Because\"\n  \
         deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    max_iterations: 10\n    max_parallel_agents: 2\n    \
         max_stall_count: 2\n\ncontrol:\n  status: {status}\n  iteration: 3\n  stall_count: 1\n  prev_pending_count: 2\n  \
         stop_requested: false\n  stop_reason: {stop_reason}\n  redirect_requested: false\n\natoms:\n{}{}\ndecompositions: []\n\nor_groups: {{}}\n\n\
         bindings: {{}}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n",
        atom("A1"),
        atom("A2")
    )
}

fn lay_out(text: &str) -> Driven {
    lay_out_with(text, |_| {})
}

/// The same, with `change` applied to its options.
fn lay_out_with(text: &str, change: impl FnOnce(&mut Options)) -> Driven {
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), change);
    let program = env!("CARGO_BIN_EXE_scripted_agent");
    driven.live.runtime.set_program("claude", Some(program.into())).unwrap();
    fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
    fs::write(driven.live.workspace.join(AOT), text).unwrap();
    driven.live.wait_for("it is listed", |live| live.row(AOT).is_some());
    driven
}

fn text(driven: &Driven) -> String {
    fs::read_to_string(driven.live.workspace.join(AOT)).unwrap()
}

#[track_caller]
fn has(driven: &Driven, line: &str) {
    let text = text(driven);
    assert!(text.lines().any(|found| found == line), "no {line:?} in\n{text}");
}

fn script(driven: &Driven, rules: Vec<Rule>) {
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
}

fn answer(status: &str) -> serde_json::Value {
    json!({ "status": status, "summary": "worked", "artifacts": [], "children": [], "reason": "so", "needs": null })
}

fn launch(driven: &Driven, plan: RunPlan) {
    driven.live.runtime.launch(&driven.live.key(AOT), Some(plan), None).unwrap();
}
