//! Starting guardians and children: each leads its own session. Being asked to end.

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// A program that was started, in its own session.
pub(crate) struct Leader(Box<dyn ChildWrapper>);

impl Leader {
    /// Starts the guardian of a run.
    pub(crate) fn start_guardian(command: Command) -> io::Result<Self> {
        Self::start(command)
    }

    /// Starts the child of a run.
    pub(crate) fn start_child(command: Command) -> io::Result<Self> {
        Self::start(command)
    }

    fn start(command: Command) -> io::Result<Self> {
        CommandWrap::from(command).wrap(ProcessSession).spawn().map(Self)
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Its pipes, as far as it has some and they were not taken yet.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.0.stdin().take(), self.0.stdout().take(), self.0.stderr().take())
    }

    /// Waits for its end and reaps it. An error means that it was reaped elsewhere.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        self.0.wait().map(drop)
    }
}

/// A command: exactly these arguments. The program is an absolute path, or a name on the PATH of the environment it gets.
#[expect(clippy::disallowed_methods, reason = "for the one module where processes start")]
pub(crate) fn command(program: &OsStr, args: &[OsString], _path: Option<&OsStr>) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// `NAME=value` entries, each ended by a zero byte.
pub(crate) fn block_of(environment: &[(OsString, OsString)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in environment {
        for part in [name.as_bytes(), b"=", value.as_bytes(), b"\0"] {
            block.extend_from_slice(part);
        }
    }
    block
}

/// The variables in a block.
pub(crate) fn variables_in(block: &[u8]) -> Vec<(OsString, OsString)> {
    let pair = |entry: &[u8]| {
        let middle = entry.iter().position(|byte| *byte == b'=')?;
        Some((OsString::from_vec(entry[..middle].to_vec()), OsString::from_vec(entry[middle + 1..].to_vec())))
    };
    block.split(|byte| *byte == 0).filter_map(pair).collect()
}

/// Calls `told` when the system wants this process to end, until it returns false. A hang-up is not for us; handlers, unlike ignoring, are
/// not inherited by the child.
pub(crate) fn on_termination(told: impl Fn() -> bool + Send + Sync + 'static) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let (mut heard, teller) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, teller)?;
    thread::spawn(move || while heard.read_exact(&mut [0]).is_ok() && told() {});
    Ok(())
}
