//! Starting guardians and children. Being told that the session ends.

use loopdeck_system::platform::shell_command;
use loopdeck_windows::console::{
    ConsoleEvent, IN_ITS_OWN_GROUP, IN_THE_JOB_OF_ITS_STARTER, OUTLIVES_ITS_STARTER, keep_to_ourselves,
    on_event,
};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::windows::io::AsHandle as _;
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A program that was started.
pub(crate) struct Leader(Child);

impl Leader {
    /// Starts the guardian of a run, outside of the job that we may be in. Where that lets nobody out, the run ends with it.
    pub(crate) fn start_guardian(mut command: Command) -> io::Result<Self> {
        keep_standard_handles();
        let started =
            command.creation_flags(OUTLIVES_ITS_STARTER).spawn().or_else(|error| match error.kind() {
                io::ErrorKind::PermissionDenied => command.creation_flags(IN_THE_JOB_OF_ITS_STARTER).spawn(),
                _ => Err(error),
            });
        started.map(Self)
    }

    /// Starts the child of a run: in our job, on our console, which nobody sees.
    pub(crate) fn start_child(mut command: Command) -> io::Result<Self> {
        command.creation_flags(IN_ITS_OWN_GROUP).spawn().map(Self)
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Its pipes, as far as it has some and they were not taken yet.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.0.stdin.take(), self.0.stdout.take(), self.0.stderr.take())
    }

    /// Waits for its end; its exit code.
    pub(crate) fn wait(&mut self) -> io::Result<Option<i32>> {
        Ok(self.0.wait()?.code())
    }
}

/// A command: exactly these arguments. The program is an absolute path, or a name on `path`, the PATH of the environment it gets; endings as
/// in `PATHEXT`. No shell reads the arguments, except for a command for the shell, which it gets as it is written.
#[expect(clippy::disallowed_methods, reason = "for the one module where processes start")]
pub(crate) fn command(program: &OsStr, args: &[OsString], path: Option<&OsStr>) -> Command {
    if let Some((text, flags)) = shell_text(program, args) {
        let mut command = Command::new(program);
        command.args(flags);
        // The shell takes the outer quotes off and reads what is between them. Ours would be escaped as other programs read them.
        let mut quoted = OsString::from("\"");
        quoted.push(text);
        quoted.push("\"");
        command.raw_arg(quoted);
        return command;
    }
    // Nothing is found in the folder where a run happens.
    let found = which::which_in_global(program, path).ok().and_then(|mut found| found.next());
    let mut command = Command::new(found.unwrap_or_else(|| PathBuf::from(program)));
    command.args(args);
    command
}

/// What the shell is to run, if this is a command for it, and the flags before that.
fn shell_text<'a>(program: &OsStr, args: &'a [OsString]) -> Option<(&'a OsString, &'a [OsString])> {
    let shell = shell_command("");
    let [name, its_flags @ .., _] = shell.as_slice() else { return None };
    let (text, flags) = args.split_last()?;
    let is_shell = Path::new(program).file_stem()?.eq_ignore_ascii_case(Path::new(name).file_stem()?);
    (is_shell && flags.iter().eq(its_flags.iter().map(OsStr::new))).then_some((text, flags))
}

/// `NAME=value` entries in units of 16 bits, each ended by a zero.
pub(crate) fn block_of(environment: &[(OsString, OsString)]) -> Vec<u8> {
    let entry = |(name, value): &(OsString, OsString)| {
        name.encode_wide()
            .chain([u16::from(b'=')])
            .chain(value.encode_wide())
            .chain([0])
            .collect::<Vec<u16>>()
    };
    environment.iter().flat_map(entry).flat_map(u16::to_le_bytes).collect()
}

/// The variables in a block. The system's own begin with `=`.
pub(crate) fn variables_in(block: &[u8]) -> Vec<(OsString, OsString)> {
    let units: Vec<u16> = block.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let pair = |entry: &[u16]| {
        let middle = 1 + entry.iter().skip(1).position(|unit| *unit == u16::from(b'='))?;
        Some((OsString::from_wide(&entry[..middle]), OsString::from_wide(&entry[middle + 1..])))
    };
    units.split(|unit| *unit == 0).filter_map(pair).collect()
}

/// Calls `told` when the person signs out or the system shuts down. What is pressed in a console is not for us.
pub(crate) fn on_termination(told: impl Fn() -> bool + Send + Sync + 'static) -> io::Result<()> {
    on_event(move |event| {
        if event == ConsoleEvent::End {
            told();
        }
    })
}

/// Programs that we start get the pipes that they are given, and not those that whoever started us reads until they are closed.
pub(super) fn keep_standard_handles() {
    // An error means that we have none.
    let _ = keep_to_ourselves(io::stdin().as_handle());
    let _ = keep_to_ourselves(io::stdout().as_handle());
    let _ = keep_to_ourselves(io::stderr().as_handle());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_comes_out_as_it_went_in() {
        let strange = OsString::from_wide(&[0xD800, 65]);
        let environment =
            [("PATH".into(), r"C:\ü;D:\".into()), ("=C:".into(), r"C:\x".into()), ("E".into(), strange)];
        assert_eq!(variables_in(&block_of(&environment)), environment);
        assert!(variables_in(b"").is_empty());
    }

    #[test]
    fn programs_are_found_by_their_endings_and_shells_read_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.cmd"), "@echo said %1").unwrap();
        let said = |program: &str, args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let output = command(program.as_ref(), &args, Some(folder.path().as_os_str())).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        };
        assert_eq!(said("agent", &["a b"]), "said \"a b\"");
        let shell = shell_command("echo \"a  b\" c");
        let args: Vec<&str> = shell.iter().skip(1).map(String::as_str).collect();
        assert_eq!(said(&shell[0], &args), "\"a  b\" c");
    }
}
