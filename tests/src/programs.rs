//! Programs that a test writes and starts.
//!
//! A process of its own writes them. The kernel doesn't start a file that is open for writing, and a child that
//! another test is just starting holds whatever this process has open.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes `text` as a program that can be started at once.
///
/// # Panics
/// When it can't be written.
pub fn write_program(file: &Path, text: &str) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(file).stdin(Stdio::piped());
    let mut writing = writer.spawn().expect("a shell");
    writing.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the text is taken");
    assert!(writing.wait().expect("its end").success(), "{} can't be written", file.display());
}

/// Copies the program `from` to `to`, with its mode. It can be started at once.
///
/// # Panics
/// When it can't be copied.
pub fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("--").args([from, to]).status().expect("cp is there");
    assert!(copied.success(), "{} can't be copied", from.display());
}
