//! Processes that outlive their parent.

use crate::steps::wait_for;
use loopdeck_tests::scripted::Spawn;
use std::process::{Command, Stdio};

#[allow(clippy::zombie_processes, reason = "processes that nobody waits for are what is wanted")]
#[cfg(unix)]
pub(crate) fn start(spawn: &Spawn) {
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

/// This program once more, which sleeps.
#[allow(clippy::zombie_processes, reason = "processes that nobody waits for are what is wanted")]
#[cfg(windows)]
pub(crate) fn start(spawn: &Spawn) {
    use std::os::windows::process::CommandExt as _;
    const DETACHED: u32 = 0x8; // no console, and so nobody who could ask it
    let mut command = Command::new(std::env::current_exe().expect("a program has a file"));
    command.arg(SLEEP).arg(spawn.seconds.to_string()).args(&spawn.pid_file).stdin(Stdio::null());
    if spawn.own_session {
        command.creation_flags(DETACHED);
    }
    if spawn.without_environment {
        command.env_clear();
    }
    if !spawn.holds_output {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let child = command.spawn().expect("it is left behind");
    drop(child); // never waited for, on purpose
    if let Some(file) = &spawn.pid_file {
        wait_for(file);
    }
}

/// The argument before seconds and the file for the process id.
pub(crate) const SLEEP: &str = "--sleep";

/// Sleeps, if these arguments say so.
pub(crate) fn sleep(arguments: &[String]) -> bool {
    let [first, seconds, rest @ ..] = arguments else { return false };
    if first != SLEEP {
        return false;
    }
    if let Some(file) = rest.first() {
        let new = format!("{file}.new");
        // Moved into place: a reader finds the whole number or no file.
        std::fs::write(&new, std::process::id().to_string()).expect("written");
        std::fs::rename(new, file).expect("moved");
    }
    std::thread::sleep(std::time::Duration::from_secs(seconds.parse().expect("seconds")));
    true
}
