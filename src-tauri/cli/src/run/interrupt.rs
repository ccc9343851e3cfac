//! Ctrl-C and SIGTERM as events instead of a sudden end.

use std::io;

/// Calls `told` for each SIGINT or SIGTERM from now on, in its own thread.
///
/// # Errors
/// When the system refuses; the signals then end the process as usual.
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

/// Elsewhere the console ends the process; guardians notice and end their processes.
#[cfg(not(unix))]
pub(super) fn listen(_told: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}
