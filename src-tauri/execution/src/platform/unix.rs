//! Unix: sessions and process groups. What only Linux has is a line of its own.

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::path::Path;
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

/// Ends whatever it started; an error means that all of it has ended.
pub(crate) fn end_group(child: &Begun) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Descendants that lose their parent become our children: nothing of the tree can get away by leaving its session.
/// Whether that is so: Linux only.
pub(crate) fn become_reaper() -> bool {
    #[cfg(target_os = "linux")]
    return rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok();
    #[cfg(not(target_os = "linux"))]
    false
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
