//! Carrying out the steps of a rule.

use crate::left_behind;
use crate::speech::Speech;
use loopdeck_tests::scripted::{Rule, Step};
use serde_json::json;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::Duration;

/// An edit does not match the content.
const NOT_THERE: i32 = 4;

/// All of them, in order; a denied permission skips the rest.
pub(crate) fn all(rule: &Rule, speech: &mut Speech) {
    for step in &rule.steps {
        if let Step::Ask { tool, input } = step {
            if !speech.ask(tool, input) {
                speech.say("I was not allowed to.");
                return;
            }
            continue;
        }
        one(step, speech);
    }
}

fn one(step: &Step, speech: &mut Speech) {
    match step {
        Step::Say(text) => speech.say(text),
        Step::Complain(text) => eprintln!("{text}"),
        Step::Write { path, text } => {
            speech.tool("Write", &json!({ "file_path": path }), || write(path, text));
        }
        Step::Edit { path, old, new } => {
            let input = json!({ "file_path": path, "old_string": old, "new_string": new });
            speech.tool("Edit", &input, || edit(path, old, new));
        }
        Step::Shell(command) => speech.tool("Bash", &json!({ "command": command }), || shell(command)),
        Step::WaitFor(path) => wait_for(path),
        Step::Spam { lines, text } => spam(*lines, text),
        Step::Raw(text) => {
            let mut out = io::stdout().lock();
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush()); // nobody may be reading
        }
        Step::Hang => loop {
            thread::park();
        },
        Step::Crash => std::process::abort(),
        Step::Exit(code) => exit(*code),
        Step::Spawn(spawn) => left_behind::start(spawn),
        Step::Ask { .. } => {} // decided by the caller
    }
}

fn write(path: &Path, text: &str) -> String {
    fs::create_dir_all(path.parent().unwrap_or(path)).expect("a folder");
    fs::write(path, text).expect("written");
    format!("wrote {}", path.display())
}

fn edit(path: &Path, old: &str, new: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    if !text.contains(old) {
        eprintln!("scripted_agent: {} has no {old:?}", path.display());
        exit(NOT_THERE);
    }
    write(path, &text.replacen(old, new, 1))
}

fn shell(command: &str) -> String {
    let (shell, flag) = if cfg!(windows) { ("cmd.exe", "/c") } else { ("/bin/sh", "-c") };
    let output = Command::new(shell).args([flag, command]).stdin(Stdio::null()).output();
    output
        .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn wait_for(path: &Path) {
    while !path.exists() {
        thread::sleep(Duration::from_millis(20));
    }
}

fn spam(lines: u64, text: &str) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for number in 0..lines {
        if writeln!(out, "{number} {text}").is_err() {
            return; // nobody is reading
        }
    }
    let _ = out.flush();
}
