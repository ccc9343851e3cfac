//! The one place where the processes of runs are started.

use super::RUN_ID_VARIABLE;
use super::record::{RunDir, RunRecord};
use super::spec::StdinKind;
use crate::platform::{Leader, command};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;

/// Starts a guardian for `run_dir`: its stdin is `channel`, its stderr a file.
pub(crate) fn guardian(
    program: &Path,
    args: &[OsString],
    run_dir: &Path,
    channel: Stdio,
) -> io::Result<Leader> {
    let complaints = loopdeck_system::platform::private_file()
        .append(true)
        .truncate(false)
        .open(run_dir.join("guardian.log"))?;
    let mut command = command(program.as_os_str(), args, None);
    command.arg(run_dir).current_dir(run_dir);
    command.stdin(channel).stdout(Stdio::null()).stderr(complaints);
    Leader::start_guardian(command)
}

/// Starts the child of a run: exactly its arguments, folder and environment, and the marker.
pub(crate) fn child(record: &RunRecord, environment: &[(OsString, OsString)]) -> io::Result<Leader> {
    let plan = &record.plan;
    let [program, args @ ..] = plan.argv.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    if !plan.cwd.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("no folder {}", plan.cwd.display())));
    }
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
    let mut command = command(OsStr::new(program), &args, path);
    command
        .current_dir(&plan.cwd)
        .env_clear()
        .envs(environment.iter().cloned())
        .env(RUN_ID_VARIABLE, &plan.id);
    command.stdin(if plan.stdin == StdinKind::Null { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Leader::start_child(command)
}

/// The text for stdin.
pub(crate) fn stdin_text(dir: &RunDir) -> io::Result<File> {
    File::open(dir.stdin())
}
