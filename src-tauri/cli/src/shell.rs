//! `loopdeck completions SHELL` and `loopdeck man [COMMAND]`: for installing into the shell and `man`.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap_complete::Shell;
use clap_mangen::Man;

use super::args::program;
use super::complaint::Complaint;

/// Prints the completions for `shell`.
pub(super) fn completions(shell: Shell) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program(), "loopdeck", &mut text);
    print(&text)
}

/// Prints the manual page of the program, or of `command`.
pub(super) fn manual(command: Option<&str>) -> ExitCode {
    let mut program = program();
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => return Complaint::own("no_command", &[("name", name)]).print(),
        },
    };
    let mut text = Vec::new();
    match Man::new(page).render(&mut text) {
        Ok(()) => print(&text),
        Err(error) => Complaint::own("output", &[("reason", &error.to_string())]).print(),
    }
}

/// Writes the manual pages of the program and of every command into `folder`, which exists.
pub(super) fn manuals(folder: &Path) -> ExitCode {
    match clap_mangen::generate_to(program(), folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Complaint::own("output", &[("reason", &error.to_string())]).print(),
    }
}

/// A reader that closes early (`| head`) is not a failure.
fn print(text: &[u8]) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Complaint::own("output", &[("reason", &error.to_string())]).print()
        }
        _ => ExitCode::SUCCESS,
    }
}
