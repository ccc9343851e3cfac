//! Re-executes this process with one more variable, which GTK and WebKit read when they load.

use loopdeck_runtime::package::SET_BY_US;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::{env, io, path::Path};

pub(crate) fn replace_with(variable: &str, value: &str) {
    if env::var_os(variable).is_some() {
        return; // the person's value wins, and it ends the second pass
    }
    let mut args = env::args_os();
    let name = args.next();
    let mut command = match env::current_exe() {
        Ok(program) => command(&program),
        Err(error) => return explain(&error),
    };
    if let Some(name) = name {
        command.arg0(name);
    }
    // The variables we set are not meant for the agents and editors we start.
    let mut ours = env::var_os(SET_BY_US).unwrap_or_default();
    if !ours.is_empty() {
        ours.push(":");
    }
    ours.push(variable);
    command.args(args).env(SET_BY_US, ours).env(variable, value);
    explain(&command.exec()); // exec returns only on failure
}

fn explain(error: &io::Error) {
    eprintln!("loopdeck: cannot set WebKit's variables: {error}");
}

#[expect(clippy::disallowed_methods, reason = "replaces this process, starts no other")]
fn command(program: &Path) -> Command {
    Command::new(program)
}
