//! Windows.

use std::io;
use std::process::{Command, ExitCode};
use std::sync::mpsc;
use std::thread;

/// A process cannot be replaced: this one waits for the other and exits with it.
pub(crate) fn become_program(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

/// Calls `told` for each Ctrl-C or Ctrl-Break from now on, and when the console is closed or the person signs out, in its own thread.
///
/// # Errors
/// When the system refuses; these then end the process as usual.
pub(crate) fn on_interrupt(told: impl Fn() + Send + 'static) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    loopdeck_windows::console::on_event(move |event| _ = sender.send(event))?;
    thread::Builder::new().name("console".into()).spawn(move || events.iter().for_each(|_| told())).map(drop)
}
