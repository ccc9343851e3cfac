//! Ignoring signals without unsafe code: a program inherits the signals that the shell before it ignores.

use crate::prompt::Prompt;
#[cfg(unix)]
use std::{env, os::unix::process::CommandExt as _, process::Command};

/// Contains the prompt for the second start; its presence means that signals are already ignored.
pub(crate) const KEPT_PROMPT: &str = "LOOPDECK_SCRIPTED_PROMPT";

/// Elsewhere there are no signals to ignore.
#[cfg(not(unix))]
pub(crate) fn or_again(_: &Prompt) {}

/// Restarts this program in the same process with SIGTERM and SIGINT ignored, unless it already was.
#[cfg(unix)]
pub(crate) fn or_again(prompt: &Prompt) {
    if env::var_os(KEPT_PROMPT).is_some() {
        return;
    }
    let program = env::current_exe().expect("a program has a file");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' TERM INT; exec \"$0\" \"$@\""]).arg(program).args(env::args().skip(1));
    let error = command.env(KEPT_PROMPT, &prompt.text).exec();
    eprintln!("scripted_agent: {error}");
    std::process::exit(1);
}
