//! Windows: jobs, named pipes, console events.

mod channel;
mod family;
mod start;

pub(crate) use channel::{Channel, Listener};
pub(crate) use family::{Family, Proof, last_resort, tell_exit};
pub(crate) use start::{Leader, block_of, command, on_termination, variables_in};

use loopdeck_system::processes::{Process, SignalKind, Snapshot, signal};
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

/// Ends it and whatever it started that runs now.
#[expect(clippy::unused_async, reason = "the other platform waits")]
pub(crate) async fn end_group(child: &Begun) {
    let (Some(pid), Ok(snapshot)) = (child.id(), Snapshot::take()) else { return };
    let Some(first) = snapshot.among(&[pid]).first().map(|process| process.id) else { return };
    // One that began earlier had another parent, whose number this one has by now.
    let began_later = |process: &&Process| process.id.start >= first.start;
    for process in std::iter::once(first)
        .chain(snapshot.below(&[pid]).into_iter().filter(began_later).map(|process| process.id))
    {
        let _ = signal(process, SignalKind::Kill); // looked at again; an error means that it is not ours to end
    }
}

/// Links need a right of their own: git is not asked.
pub(crate) fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not known.
pub(crate) fn is_ours(_: &Path) -> bool {
    false
}
