//! The one place where the runtime starts programs: editors, and the login shell that is asked for its search path.

use super::find;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program that lives on by itself: no input, no output, not in our group of processes, not in a folder of a
/// workspace.
///
/// # Errors
/// What the system says.
pub(super) fn detached(argv: &[OsString]) -> io::Result<()> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = quiet(program);
    command.args(arguments).env("PATH", std::env::join_paths(find::search_path()).map_err(io::Error::other)?);
    for (name, value) in without_package(std::env::vars_os(), std::env::var_os("APPDIR").as_deref()) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command.spawn()?;
    // Somebody has to take note of its end, or it stays in the list of processes.
    std::thread::Builder::new().name("editor".into()).spawn(move || child.wait()).map(drop)
}

/// The search path of the person's login shell; nothing when it says none within a few seconds.
#[cfg(unix)]
pub(super) fn login_path() -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    use std::sync::mpsc;
    use std::time::Duration;
    const PATIENCE: Duration = Duration::from_secs(4);

    let shell = std::env::var_os("SHELL").filter(|shell| Path::new(shell).is_absolute())?;
    let mut command = quiet(&shell);
    command.args(["-l", "-c", "printf '\\n<path>%s</path>\\n' \"$PATH\""]).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut said = child.stdout.take()?;
    let (tell, heard) = mpsc::channel();
    let _reader = std::thread::Builder::new().name("login path".into()).spawn(move || {
        let mut bytes = Vec::new();
        let _ = io::Read::read_to_end(&mut said, &mut bytes); // what was said until then counts
        drop(tell.send(bytes));
    });
    let bytes = heard.recv_timeout(PATIENCE).ok();
    let group = rustix::process::Pid::from_child(&child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL); // most often it has ended
    let _ = child.wait();
    between(&bytes?, b"<path>", b"</path>").map(|path| OsString::from_vec(path.to_vec()))
}

#[cfg(not(unix))]
pub(super) fn login_path() -> Option<OsString> {
    None
}

/// Start files of a shell may say something too: ours is what stands between the marks, the last time.
fn between<'b>(bytes: &'b [u8], from: &[u8], to: &[u8]) -> Option<&'b [u8]> {
    let start = memchr::memmem::rfind(bytes, from)? + from.len();
    let end = memchr::memmem::find(&bytes[start..], to)?;
    Some(&bytes[start..start + end]).filter(|path| !path.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "this is the one module of the runtime that starts programs")]
fn quiet(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.current_dir(std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(std::env::temp_dir));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Variables that point into our own package (an AppImage) would give the editor our libraries: what to set instead.
fn without_package(
    variables: impl Iterator<Item = (OsString, OsString)>,
    package: Option<&OsStr>,
) -> Vec<(OsString, Option<OsString>)> {
    let Some(package) = package.map(Path::new).filter(|package| package.is_absolute()) else {
        return Vec::new();
    };
    let cleaned = |(name, value): (OsString, OsString)| {
        let parts: Vec<_> = std::env::split_paths(&value).collect();
        let kept: Vec<_> = parts.iter().filter(|part| !part.starts_with(package)).collect();
        if kept.len() == parts.len() {
            return None;
        }
        Some((name, (!kept.is_empty()).then(|| std::env::join_paths(kept).ok()).flatten()))
    };
    variables.filter(|(name, _)| name != "PATH").filter_map(cleaned).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_what_stands_between_the_marks() {
        let said = b"Welcome <path>no</path>\n<path>/usr/bin:/home/ana/.local/bin</path>\nBye";
        assert_eq!(between(said, b"<path>", b"</path>"), Some(&b"/usr/bin:/home/ana/.local/bin"[..]));
        assert_eq!(between(b"<path></path>", b"<path>", b"</path>"), None);
        assert_eq!(between(b"<path>/usr", b"<path>", b"</path>"), None);
    }

    #[test]
    fn what_points_into_our_package_is_left_out() {
        let variables = [
            ("LD_LIBRARY_PATH", "/tmp/pkg/usr/lib:/opt/lib"),
            ("GTK_PATH", "/tmp/pkg/gtk"),
            ("HOME", "/home/ana"),
            ("XDG_DATA_DIRS", "/tmp/pkg2:/usr/share"),
        ];
        let all = || variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        assert_eq!(
            without_package(all(), Some("/tmp/pkg".as_ref())),
            [("LD_LIBRARY_PATH".into(), Some("/opt/lib".into())), ("GTK_PATH".into(), None)]
        );
        assert_eq!(without_package(all(), None), []);
    }
}
