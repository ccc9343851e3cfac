//! Windows.

use std::io;
use std::process::{Command, ExitCode};

/// A process cannot be replaced: this one waits for the other and exits with it.
pub(crate) fn become_program(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

/// The console ends the process; guardians notice and end their processes.
///
/// # Errors
/// None.
pub(crate) fn on_interrupt(_told: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}
