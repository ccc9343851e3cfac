//! Windows. Never compiled.

use std::io;
use std::process::{Command, ExitCode};

/// A process cannot be replaced: this one ends with the other.
pub(crate) fn become_program(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

/// The console ends the process; guardians notice and end what they own.
///
/// # Errors
/// None.
pub(crate) fn on_interrupt(_told: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}
