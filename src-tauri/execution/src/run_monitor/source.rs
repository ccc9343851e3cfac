//! The whole text behind a row that was cut, from the raw log.

use crate::output::StoredRow;
use crate::rows::OutputKind as RowKind;
use crate::runs::log::LogReader;
use crate::runs::log::Stream as LogStream;
use std::io;

/// Bytes of the log in which a text that was cut is looked for.
const WHOLE: usize = 1 << 20;

/// The whole source of a row that was cut, at most 1 MB, from the raw log.
///
/// # Errors
/// What the disk says; `NotFound` when that part of the log is gone.
pub fn source_text(run_dir: &std::path::Path, stored: &StoredRow) -> io::Result<String> {
    let Some(source) = stored.source else { return Ok(stored.row.text.clone()) };
    let wanted = if stored.row.kind == RowKind::Stderr { LogStream::Err } else { LogStream::Out };
    let window = LogReader::of_run(run_dir).read(source.frame, WHOLE)?;
    if window.dropped > 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut text = Vec::new();
    for (index, piece) in window.pieces.iter().filter(|piece| piece.stream == wanted).enumerate() {
        let skip = if index == 0 { (source.offset as usize).min(piece.bytes.len()) } else { 0 };
        let bytes = &piece.bytes[skip..];
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                text.extend_from_slice(&bytes[..end]);
                break;
            }
            None => text.extend_from_slice(bytes),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
