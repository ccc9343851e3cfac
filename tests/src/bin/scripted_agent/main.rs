//! An agent that follows a script: see `loopdeck_tests::scripted`.
//!
//! Each start is recorded in `<script>.runs`, one line each: rule, action and task, its process id and its
//! arguments.
#![allow(clippy::disallowed_methods, reason = "it does what agents do: it starts programs")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

mod hardened;
mod left_behind;
mod prompt;
mod runs;
mod speech;
mod steps;

use loopdeck_tests::scripted::{IN_WORKSPACE, Output, SCRIPT, Scripted};
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

/// No rule matches.
const NO_RULE: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--version") {
        println!("2.1.328 (Claude Code)");
        return ExitCode::SUCCESS;
    }
    if left_behind::sleep(&arguments) {
        return ExitCode::SUCCESS;
    }
    let file = env::var_os(SCRIPT).map_or_else(|| PathBuf::from(IN_WORKSPACE), PathBuf::from);
    let script: Scripted = match fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes).expect("the script is one"),
        Err(_) => Scripted::tiny_project(Output::Text),
    };
    let prompt = prompt::Prompt::take(&arguments);
    let resumed = speech::resumed(&arguments);
    let Some(number) = runs::choose(&script, &prompt, resumed.is_some(), &file) else {
        eprintln!("scripted_agent: no rule for {:?} {:?}", prompt.action, prompt.task);
        return ExitCode::from(NO_RULE);
    };
    let rule = &script.rules[number];
    if rule.ignore_signals {
        hardened::or_again(&prompt);
    }
    runs::note(&file, number, &prompt, &arguments);
    if let Some(id) = resumed.filter(|_| rule.forgets) {
        speech::does_not_know(id);
        return ExitCode::FAILURE;
    }
    let mut speech = speech::Speech::begin(script.output, rule, &prompt, &arguments);
    steps::all(rule, &mut speech);
    speech.end(rule);
    ExitCode::from(u8::try_from(rule.exit).unwrap_or(1))
}
