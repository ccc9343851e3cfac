//! The one place where processes are started. Each leads its own session.

use super::RUN_ID_VARIABLE;
use super::record::{RunDir, RunRecord};
use super::spec::StdinKind;
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a guardian for `run_dir`: its stdin is `socket`, its stderr a file.
pub(crate) fn guardian(
    program: &Path,
    args: &[OsString],
    run_dir: &Path,
    socket: UnixStream,
) -> io::Result<Box<dyn ChildWrapper>> {
    let complaints = loopdeck_system::platform::private_file()
        .append(true)
        .truncate(false)
        .open(run_dir.join("guardian.log"))?;
    let mut command = command(program.as_os_str().to_owned());
    command.args(args).arg(run_dir).current_dir(run_dir);
    command.stdin(OwnedFd::from(socket)).stdout(Stdio::null()).stderr(complaints);
    in_own_session(command)
}

/// Starts the child of a run: exactly its arguments, folder and environment, and the marker.
pub(crate) fn child(
    record: &RunRecord,
    environment: Vec<(OsString, OsString)>,
) -> io::Result<Box<dyn ChildWrapper>> {
    let plan = &record.plan;
    let [program, args @ ..] = plan.argv.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    if !plan.cwd.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("no folder {}", plan.cwd.display())));
    }
    let mut command = command(OsString::from(program));
    command.args(args).current_dir(&plan.cwd).env_clear().envs(environment).env(RUN_ID_VARIABLE, &plan.id);
    command.stdin(if plan.stdin == StdinKind::Null { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    in_own_session(command)
}

#[expect(clippy::disallowed_methods, reason = "this is the one module where processes start")]
fn command(program: OsString) -> Command {
    Command::new(program)
}

fn in_own_session(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    CommandWrap::from(command).wrap(ProcessSession).spawn()
}

/// The text for stdin.
pub(crate) fn stdin_text(dir: &RunDir) -> io::Result<File> {
    File::open(dir.stdin())
}
