//! A child process that ends with its owner, however the owner ends.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// How long a child may take to end when asked nicely.
const GRACE: Duration = Duration::from_secs(3);

/// How often to check for an event without a notification.
pub const TICK: Duration = Duration::from_millis(20);

/// A command for `program` that is told to end when the thread that started it is gone, even after SIGKILL.
///
/// Linux only; elsewhere a plain command.
pub fn bound_command(program: impl AsRef<OsStr>) -> Command {
    if cfg!(target_os = "linux") {
        let mut command = Command::new("setpriv"); // part of util-linux, always installed; execs the program
        command.arg("--pdeathsig=TERM").arg("--").arg(program);
        return command;
    }
    Command::new(program)
}

/// A running child; dropping it ends it.
#[derive(Debug)]
pub struct Owned {
    child: Child,
    leads_group: bool,
}

impl Owned {
    /// Starts `command`.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        Ok(Self { child: command.spawn().map_err(|error| named(&error, command))?, leads_group: false })
    }

    /// Starts `command` as the leader of its own process group; dropping it ends the whole group.
    #[cfg(unix)]
    pub fn spawn_group(command: &mut Command) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        let mut owned = Self::spawn(command.process_group(0))?;
        owned.leads_group = true;
        Ok(owned)
    }

    /// The underlying process, for its pipes and its exit code.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether it ends by itself within `patience`.
    pub fn ends_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(TICK),
                Ok(None) => return false,
                Ok(Some(_)) | Err(_) => return true,
            }
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        // An error means that it is already gone.
        let _ = if self.leads_group {
            rustix::process::kill_process_group(pid, signal)
        } else {
            rustix::process::kill_process(pid, signal)
        };
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let ended = matches!(self.child.try_wait(), Ok(Some(_)));
        if ended && !self.leads_group {
            return;
        }
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM); // so that Xvfb removes its lock file
        let ended = ended || (cfg!(unix) && self.ends_within(GRACE));
        #[cfg(unix)]
        if !ended || self.leads_group {
            self.signal(rustix::process::Signal::KILL);
        }
        if !ended {
            let _ = self.child.kill(); // an error means that it is already gone
            let _ = self.child.wait();
        }
    }
}

/// Kills the process `pid` and all its descendants, youngest first. Linux only: elsewhere descendants are
/// unknown.
pub fn end_tree(pid: u32) {
    #[cfg(target_os = "linux")]
    {
        let children =
            std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).for_each(end_tree);
        if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL); // already gone
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pid;
}

/// A start error with the program's name in it.
pub fn named(error: &io::Error, command: &Command) -> io::Error {
    let name = if command.get_program() == "setpriv" {
        command.get_args().nth(2).unwrap_or_default()
    } else {
        command.get_program()
    };
    io::Error::new(error.kind(), format!("cannot start {}: {error}", name.to_string_lossy()))
}
