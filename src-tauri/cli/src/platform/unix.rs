//! Unix: this process becomes another program, and signals are events.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// Replaces this process. Only returns when the program could not be started.
pub(crate) fn become_program(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

/// Calls `told` for each SIGINT or SIGTERM from now on, in its own thread.
///
/// # Errors
/// When the system refuses; the signals then end the process as usual.
pub(crate) fn on_interrupt(told: impl Fn() + Send + 'static) -> io::Result<()> {
    use std::io::Read as _;
    let (mut reader, writer) = std::os::unix::net::UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    let wait = move || {
        let mut byte = [0];
        while reader.read_exact(&mut byte).is_ok() {
            told();
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}
