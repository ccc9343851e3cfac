//! Re-executes this process with one more variable, which GTK and WebKit read when they load.

use loopdeck_runtime::package::set_for_desktop;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::{env, io, path::Path};

pub(crate) fn replace_with(variable: (&str, &str)) {
    let mut args = env::args_os();
    let name = args.next();
    let mut command = match env::current_exe() {
        Ok(program) => command(&program),
        Err(error) => return explain(&error),
    };
    if !set_for_desktop(&mut command, variable) {
        return; // the person's value wins, and it ends the second pass
    }
    if let Some(name) = name {
        command.arg0(name);
    }
    explain(&command.args(args).exec()); // exec returns only on failure
}

fn explain(error: &io::Error) {
    eprintln!("loopdeck: cannot set WebKit's variables: {error}");
}

#[expect(clippy::disallowed_methods, reason = "replaces this process, starts no other")]
fn command(program: &Path) -> Command {
    Command::new(program)
}
