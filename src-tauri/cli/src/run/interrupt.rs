//! Ctrl-C and a polite end of the process, as events instead of a sudden death.

use std::io;

/// Calls `told` for each SIGINT or SIGTERM from now on, in a thread of its own.
///
/// # Errors
/// When the system refuses; then the signals end the process as they always do.
#[cfg(unix)]
pub(super) fn listen(told: impl Fn() + Send + 'static) -> io::Result<()> {
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

/// Elsewhere the console ends the process; guardians notice and end what they own.
#[cfg(not(unix))]
pub(super) fn listen(_told: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}
