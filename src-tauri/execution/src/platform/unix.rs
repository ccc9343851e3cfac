//! Unix: sessions and process groups. What only Linux has is a line of its own.

mod channel;
mod family;
mod start;

pub(crate) use channel::{Channel, Listener};
pub(crate) use family::{Family, Proof, last_resort, tell_exit};
pub(crate) use start::{Leader, block_of, command, on_termination, variables_in};

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::process::{ChildStderr, ChildStdout, Command};

/// A program that was started to answer one question.
pub(crate) type Begun = Box<dyn ChildWrapper>;

/// Starts it in a session of its own: an interactive shell that finds our terminal, without being the one that the terminal
/// talks to, would stop.
///
/// # Errors
/// What the operating system says.
pub(crate) fn begin(command: Command) -> io::Result<Begun> {
    CommandWrap::from(command).wrap(ProcessSession).spawn()
}

/// Its pipes.
pub(crate) fn outputs(child: &mut Begun) -> (Option<ChildStdout>, Option<ChildStderr>) {
    (child.stdout().take(), child.stderr().take())
}

/// How long a program has to clean up.
const CLEANING: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// Ends it and whatever it started. It may clean up first: git removes its locks and what it made of a worktree.
pub(crate) async fn end_group(child: &Begun) {
    let Some(group) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) else {
        return;
    };
    // An error means that all of it has ended. Until it is waited for, the number is its own.
    let _ = kill_process_group(group, Signal::TERM);
    let until = tokio::time::Instant::now() + CLEANING;
    while !has_ended(group) && tokio::time::Instant::now() < until {
        tokio::time::sleep(LOOK).await;
    }
    let _ = kill_process_group(group, Signal::KILL);
}

/// Whether a child has ended; it stays to be waited for.
fn has_ended(child: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(child), look), Ok(None))
}

/// Makes `at` lead to `to`, which need not be there.
///
/// # Errors
/// What the operating system says.
pub(crate) fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

/// Whether a file belongs to whoever runs this program.
pub(crate) fn is_ours(path: &Path) -> bool {
    let owner = path.symlink_metadata().map(|seen| std::os::unix::fs::MetadataExt::uid(&seen));
    owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
}
