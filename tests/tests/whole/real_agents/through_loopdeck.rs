//! The same agents, now driven by Loopdeck: its form, its command lines, its guardian, its decoders, its
//! writes. Each test runs in its own process with nothing of the person's in its environment ([`Scene`]).

mod asking;
mod atoms;
mod ending;
mod failing;
mod resuming;
mod together;
mod working;

use loopdeck_agents::AgentId;
use loopdeck_agents::Level;
use loopdeck_agents::table;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{
    AgentRow, AgentState, NeedAnswer, NeedKind, OutputKind, RunView, StopView,
};
use loopdeck_tests::driving::more;
use loopdeck_tests::model_server::{Rule, Script, Step, Turn};
use loopdeck_tests::real_agents::{Played, RealAgent, Scene, Stage};
use loopdeck_tests::tiny_project;
use serde_json::json;
use std::path::Path;

/// Declares scenarios as tests, one per agent named.
macro_rules! plays {
    ($($module:ident::$scenario:ident: $($name:ident $agent:ident),*;)*) => { $(mod $scenario {
        use super::{RealAgent, Scene};
        $(#[test]
        #[ignore = "cargo xtask test --real-agents"]
        fn $name() {
            let test = concat!(module_path!(), "::", stringify!($name));
            let test = test.split_once("::").unwrap().1; // without the name of the test program
            let guardian = env!("CARGO_BIN_EXE_guardian");
            let agent = RealAgent::$agent;
            let scene = Scene { agent, also: None, test, guardian, prefix: "", home_is_temporary: false };
            super::$module::$scenario(scene);
        })*
    })* };
}

// Only Claude Code has a cap of money and asks before it acts; only Codex warns about its home. Two agents in
// one loop are these two, each once as the plan's agent.
plays! {
    working::a_whole_loop: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    working::plans_of_other_tools: claude Claude, codex Codex;
    working::found_by_the_doctor: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    failing::what_is_not_allowed: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    failing::not_signed_in: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    failing::no_more_served: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    failing::a_flag_it_does_not_know: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    failing::a_flag_behind_a_warning: codex Codex;
    failing::money_is_used_up: claude Claude;
    failing::money_of_one_run_is_used_up: claude Claude;
    failing::time_is_used_up: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    ending::interrupted_and_gone_on: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    ending::stopped_in_a_tool: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    resuming::one_conversation: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    resuming::cut_off_and_gone_on: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    resuming::a_conversation_that_is_gone: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    resuming::a_conversation_that_is_gone_behind_a_warning: codex Codex;
    resuming::deferred: claude Claude;
    together::by_the_menu: claude Claude, codex Codex;
    together::in_parallel: claude Claude, codex Codex;
    atoms::to_the_verdict: claude Claude, codex Codex;
    atoms::stopped_in_parallel: claude Claude, codex Codex;
    asking::allowed: claude Claude;
    asking::refused: claude Claude;
    asking::stopped_while_it_asks: claude Claude;
}

/// A plan, after a command that reports its start and takes long the first time.
fn slow_at_first(rest: Script) -> Script {
    let slow = "test -e again || { touch again; echo began > began.txt; sleep 300; }";
    let mut script = rest;
    script.rules.insert(0, Rule::when(&["action of a loop: INIT"]).shell(slow).says(tiny_project::PLAN));
    script
}

/// Runs of the agent, without test commands.
fn of_the_agent(runs: &[RunView]) -> Vec<&RunView> {
    runs.iter().filter(|run| !run.agent.is_empty()).collect()
}

/// Codex printed its warning, and it is the first line of the run.
fn warned_first(played: &Played, name: &str, run: &RunView) {
    let rows = played.rows(name, run);
    let said = rows.iter().find(|row| !row.text.is_empty() && row.name.is_empty()).unwrap();
    assert!(said.text.starts_with("WARNING: "), "{rows:#?}");
}

/// Every credential that was sent is the stage's.
fn only_the_stages_key(stage: &Stage) {
    for request in stage.server.requests() {
        for (name, value) in &request.headers {
            if ["authorization", "x-api-key", "x-goog-api-key"].contains(&name.as_str()) {
                assert_eq!(value.trim_start_matches("Bearer "), "any");
            }
        }
    }
}
