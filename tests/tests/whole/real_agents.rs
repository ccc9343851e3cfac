//! The real Claude Code, Codex, Gemini CLI and Qwen Code against the model server on loopback: what the
//! adapters and the stop recipe rely on. `cargo xtask test --real-agents` installs them and runs this;
//! `LOOPDECK_RECORD=1` keeps their output as fixtures.
#![allow(clippy::disallowed_methods, reason = "the agents and the tests are programs")]

mod claude_over_stdio;
mod scenarios;
mod through_loopdeck;

use loopdeck_tests::model_server::{Rule, Script, Step};
use loopdeck_tests::real_agents::{Ended, Launch, RealAgent, Stage, keep};
use loopdeck_tests::tiny_project;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than any of them needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Declares scenarios as tests, one per agent named.
macro_rules! tests {
    ($($scenario:ident: $($name:ident $agent:ident),*;)*) => { $(mod $scenario {
        use super::{RealAgent, scenarios};
        $(#[test]
        #[ignore = "cargo xtask test --real-agents"]
        fn $name() { scenarios::$scenario(RealAgent::$agent); })*
    })* };
}

// Codex and Gemini CLI have no cap of their own; Gemini CLI and Qwen Code have no flag for a schema.
tests! {
    success: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    edit: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    denied: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    unauthorized: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    rate_limited: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    budget: claude Claude, qwen Qwen;
    interrupted: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    terminated: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    killed_in_a_tool: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    resumed: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    unknown_flag: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    bad_session: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
    structured: claude Claude, codex Codex;
    whole_loop: claude Claude, codex Codex, gemini Gemini, qwen Qwen;
}

/// A tool that reports its start, and then takes long.
fn slow() -> Rule {
    Rule::when(&["Take your time"]).shell("echo began > began.txt; sleep 300").says("It took its time.")
}

fn in_a_tool(agent: RealAgent) -> (Stage, loopdeck_tests::real_agents::Running) {
    let stage = Stage::new(agent, Script::with(vec![slow()]));
    let mut running = stage.start(&Launch::FullAccess.argv(agent, &[])).asked("Take your time.");
    until_began(&stage);
    running.until("began.txt", PATIENCE); // the call is in the stream
    (stage, running)
}

fn until_began(stage: &Stage) {
    let deadline = Instant::now() + PATIENCE;
    while !stage.workspace().join("began.txt").exists() {
        let requests = stage.server.requests();
        assert!(Instant::now() < deadline, "the tool never began: {requests:#?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn tests_that_fail(stage: &Stage) -> usize {
    let output = Command::new("sh").arg("test.sh").current_dir(stage.workspace()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().matches("not ok").count()
}

fn run(stage: &Stage, name: &str, argv: &[String], prompt: &str) -> Ended {
    let ended = stage.start(argv).asked(prompt).end(PATIENCE);
    keep(stage, name, &ended);
    ended
}

/// Whether the stream ends with a success.
fn finished_well(agent: RealAgent, ended: &Ended) -> bool {
    let last = ended.events().pop().unwrap_or_default();
    match agent {
        RealAgent::Claude | RealAgent::Qwen => last["type"] == "result" && last["is_error"] == false,
        RealAgent::Codex => last["type"] == "turn.completed",
        RealAgent::Gemini => last["type"] == "result" && last["status"] == "success",
    }
}

fn session(agent: RealAgent, ended: &Ended) -> String {
    let id = |kind: &str, field: &str| ended.of_type(kind)[0][field].as_str().unwrap().to_owned();
    match agent {
        RealAgent::Claude | RealAgent::Qwen => id("system", "session_id"),
        RealAgent::Codex => id("thread.started", "thread_id"),
        RealAgent::Gemini => id("init", "session_id"),
    }
}
