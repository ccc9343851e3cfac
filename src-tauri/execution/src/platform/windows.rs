//! Windows: no sessions, no groups.

use std::io;
use std::path::Path;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

/// `CREATE_NO_WINDOW`: no console flashes up.
const NO_WINDOW: u32 = 0x0800_0000;

/// A program that was started to answer one question.
pub(crate) type Begun = Child;

/// Starts it without a console window.
///
/// # Errors
/// What the operating system says.
#[expect(clippy::disallowed_methods, reason = "the one place for processes that answer at once")]
pub(crate) fn begin(mut command: Command) -> io::Result<Begun> {
    command.creation_flags(NO_WINDOW).spawn()
}

/// Its pipes.
pub(crate) fn outputs(child: &mut Begun) -> (Option<ChildStdout>, Option<ChildStderr>) {
    (child.stdout.take(), child.stderr.take())
}

/// Nothing: there is no group.
pub(crate) async fn end_group(_: &Begun) {}

/// Links need a right of their own: git is not asked.
pub(crate) fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not known.
pub(crate) fn is_ours(_: &Path) -> bool {
    false
}
