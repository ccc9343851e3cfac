//! Starting editors and terminals.

use super::find;
use loopdeck_execution::package::without_package;
use loopdeck_system::platform::own_group;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program that outlives us: no input, no output, not in our process group. Only a terminal is started in a folder of a
/// workspace; everything else in the person's own.
///
/// # Errors
/// What the system says.
pub(crate) fn start_detached(argv: &[OsString], folder: Option<&Path>) -> io::Result<()> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = quiet_command(program, folder);
    command.args(arguments).env_clear().envs(without_package(std::env::vars_os()));
    command.env("PATH", std::env::join_paths(find::search_path()).map_err(io::Error::other)?);
    let mut child = command.spawn()?;
    // Its end must be observed, or it stays in the process table.
    std::thread::Builder::new().name("editor".into()).spawn(move || child.wait()).map(drop)
}

#[expect(
    clippy::disallowed_methods,
    reason = "editors live on by themselves; runs and brief questions have modules of their own"
)]
fn quiet_command(program: &OsStr, folder: Option<&Path>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let home = || std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(std::env::temp_dir);
    command.current_dir(folder.map_or_else(home, Path::to_owned));
    own_group(&mut command);
    command
}
