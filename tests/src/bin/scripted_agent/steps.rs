//! Carrying out the steps of a rule.

use crate::speech::Speech;
use loopdeck_tests::scripted::{Rule, Spawn, Step};
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
        Step::Spawn(spawn) => leave_behind(spawn),
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
    let output = Command::new("/bin/sh").args(["-c", command]).stdin(Stdio::null()).output();
    output
        .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn wait_for(path: &Path) {
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

#[allow(clippy::zombie_processes, reason = "processes that nobody waits for are what is wanted")]
fn leave_behind(spawn: &Spawn) {
    let mut words: Vec<String> = Vec::new();
    if spawn.own_session {
        words.extend(["setsid".into(), "--fork".into()]);
    }
    if spawn.without_environment {
        words.extend(["env".into(), "-i".into(), "PATH=/usr/bin:/bin".into()]);
    }
    // The shell writes its process id before it becomes the sleeper.
    // Moved into place: a reader finds the whole number or no file.
    let named = spawn.pid_file.as_ref().map(|file| {
        let file = file.display();
        format!("echo $$ > '{file}.new' && mv '{file}.new' '{file}'; ")
    });
    words.extend(["sh".into(), "-c".into()]);
    words.push(format!("{}exec sleep {}", named.unwrap_or_default(), spawn.seconds));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    if !spawn.holds_output {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let child = command.spawn().expect("it is left behind");
    drop(child); // never waited for, on purpose
    if let Some(file) = &spawn.pid_file {
        wait_for(file);
    }
}
