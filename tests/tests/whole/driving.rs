//! Loops that really run: real processes, real tests, real files.

use loopdeck_core::status::StatusWord;
use loopdeck_tests::driving::Driven;
use loopdeck_tests::scripted::{Output, Scripted};

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn is_done(driven: &mut Driven, name: &str) {
    driven.wait(name, "completed", |row| row.word == StatusWord::Completed);
    let detail = driven.live.detail(name);
    assert_eq!(detail.problems, []);
    let file = driven.live.read(name);
    for said in ["\"status\": \"completed\"", "\"passed\": true", "\"confirmed_hypothesis\": \"H1\""] {
        assert!(file.contains(said), "{said}: {file}");
    }
    assert!(driven.processes().is_empty());
}

#[test]
fn a_shell_agent_repairs_the_tiny_project_from_the_form_to_the_summary() {
    let mut driven = driven();
    let name = driven.start(&driven.form("shell"));
    is_done(&mut driven, &name);
}

#[test]
fn a_scripted_agent_repairs_it_in_three_tasks_and_a_round_of_debugging() {
    for (agent, output) in [("custom:scripted", Output::Text), ("custom:claude-like", Output::ClaudeJsonl)] {
        let mut driven = driven();
        Scripted::tiny_project(output).put_into(&driven.live.workspace);
        let name = driven.start(&driven.form(agent));
        is_done(&mut driven, &name);
    }
}
