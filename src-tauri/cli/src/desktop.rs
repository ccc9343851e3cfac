//! `loopdeck [PATH…]` without a command: the desktop program, with the same arguments.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use loopdeck_runtime::package::{NO_DMABUF, set_for_desktop};

use super::complaint::Complaint;
use super::platform::become_program;

/// The desktop program's file name.
const PROGRAM: &str = "loopdeck-desktop";

/// Starts the desktop program: the one next to this program, else the first on PATH.
pub(super) fn start(args: &[OsString]) -> ExitCode {
    let mut desktop = command(program_beside());
    // It would start itself again with it.
    set_for_desktop(&mut desktop, NO_DMABUF);
    let complaint = match become_program(desktop.args(args)) {
        Ok(code) => return code,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Complaint::own("no_desktop", &[("program", PROGRAM)])
        }
        Err(error) => {
            Complaint::own("desktop_failed", &[("program", PROGRAM), ("reason", &error.to_string())])
        }
    };
    complaint.print()
}

/// The desktop program in this program's folder. Links are followed, so a link in a `bin` folder works.
fn program_beside() -> Option<PathBuf> {
    let here = env::current_exe().ok()?;
    let program = here.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

#[expect(clippy::disallowed_methods, reason = "on Unix it replaces this process")]
fn command(beside: Option<PathBuf>) -> Command {
    beside.map_or_else(|| Command::new(PROGRAM), Command::new)
}
