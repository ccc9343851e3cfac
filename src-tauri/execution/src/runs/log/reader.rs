//! The app's side: windows of a log that may be growing.

use super::frame::{HEADER, Header, MOST, Stream};
use super::{segment_path, segments};
use loopdeck_core::times::Timestamp;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Reads the log of one run, while it is written or later.
#[derive(Clone, Debug)]
pub struct LogReader {
    folder: PathBuf,
}

/// Some output, in the order in which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where its frame starts.
    pub position: u64,
    /// Where it came out.
    pub stream: Stream,
    /// When it was read.
    pub at: Timestamp,
    /// The bytes: not necessarily whole lines or characters.
    pub bytes: Vec<u8>,
}

/// Consecutive pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogWindow {
    /// Bytes (of frames) that were there once, directly before the first piece.
    pub dropped: u64,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Where to read on.
    pub next: u64,
    /// Whether nothing is there behind `next` now.
    pub at_end: bool,
}

impl LogReader {
    /// A reader of the log in the folder of a run.
    #[must_use]
    pub fn of_run(run_dir: &Path) -> Self {
        Self { folder: run_dir.join("log") }
    }

    /// Reads pieces of together at least `limit` bytes (if there are so many) from a position that was given by this
    /// reader, or 0. Pieces of one window have no gap between them.
    ///
    /// # Errors
    /// The log cannot be read. A log that is not there yet is empty.
    pub fn read(&self, from: u64, limit: usize) -> io::Result<LogWindow> {
        let mut window = LogWindow { next: from, ..LogWindow::default() };
        let mut bytes = 0;
        while let Some((start, is_last)) = self.segment_at(window.next)? {
            if start > window.next {
                if !window.pieces.is_empty() {
                    return Ok(window);
                }
                window.dropped += start - window.next;
                window.next = start;
            }
            let Some(mut file) = self.open(start, window.next - start)? else { continue };
            let first = window.pieces.len();
            bytes += read_frames(&mut file, &mut window, limit.saturating_sub(bytes))?;
            if bytes >= limit && window.pieces.len() > first {
                return Ok(window);
            }
            if is_last {
                window.at_end = true;
                return Ok(window);
            }
            // What follows the last frame here is the next segment, or a frame that was never finished.
            let Some(next) = self.next_segment(start)? else { continue };
            if next > window.next && !window.pieces.is_empty() {
                return Ok(window);
            }
            window.dropped += next.saturating_sub(window.next);
            window.next = window.next.max(next);
        }
        window.at_end = true;
        Ok(window)
    }

    /// Position behind the last whole frame.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn end(&self) -> io::Result<u64> {
        self.align(u64::MAX)
    }

    /// The last position of a frame that is not behind `position`; the end for a position behind everything.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn align(&self, position: u64) -> io::Result<u64> {
        let starts = self.segments()?;
        let Some(&start) = starts.iter().rev().find(|start| **start <= position).or(starts.first()) else {
            return Ok(0);
        };
        let Some(file) = self.open(start, 0)? else { return Ok(start) };
        let mut file = BufReader::with_capacity(MOST, file);
        let mut at = start;
        while let Some(header) = next_header(&mut file)? {
            let next = at + header.size() as u64;
            if next > position || !skip(&mut file, header.len)? {
                break;
            }
            at = next;
        }
        Ok(at)
    }

    fn segments(&self) -> io::Result<Vec<u64>> {
        match segments(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            found => found,
        }
    }

    /// The segment that contains `position`, or the next one there is; and whether it is the last.
    fn segment_at(&self, position: u64) -> io::Result<Option<(u64, bool)>> {
        let starts = self.segments()?;
        let behind = starts.partition_point(|start| *start <= position);
        let Some(before) = behind.checked_sub(1) else {
            return Ok(starts.first().map(|first| (*first, starts.len() == 1)));
        };
        let start = starts[before];
        let last = before + 1 == starts.len();
        let length =
            std::fs::metadata(segment_path(&self.folder, start)).map_or(0, |metadata| metadata.len());
        if !last && start + length <= position {
            return Ok(Some((starts[before + 1], before + 2 == starts.len())));
        }
        Ok(Some((start, last)))
    }

    fn next_segment(&self, start: u64) -> io::Result<Option<u64>> {
        Ok(self.segments()?.into_iter().find(|other| *other > start))
    }

    /// `None`: it was dropped in this moment.
    fn open(&self, start: u64, offset: u64) -> io::Result<Option<File>> {
        match File::open(segment_path(&self.folder, start)) {
            Ok(mut file) => file.seek(SeekFrom::Start(offset)).map(|_| Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Adds whole frames to `window` until `limit` bytes are reached; how many were added.
fn read_frames(file: &mut File, window: &mut LogWindow, limit: usize) -> io::Result<usize> {
    let mut file = BufReader::with_capacity(MOST + HEADER, file);
    let mut added = 0;
    while added < limit.max(1) {
        let Some(header) = next_header(&mut file)? else { break };
        let mut bytes = vec![0; header.len];
        if !was_read_whole(file.read_exact(&mut bytes))? {
            break;
        }
        window.pieces.push(Piece { position: window.next, stream: header.stream, at: header.at, bytes });
        window.next += header.size() as u64;
        added += header.len;
    }
    Ok(added)
}

/// Bytes of whole frames at the beginning of `file`.
pub(crate) fn valid_length(file: &mut File) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut file = BufReader::with_capacity(MOST, file);
    let mut length = 0;
    while let Some(header) = next_header(&mut file)? {
        if !skip(&mut file, header.len)? {
            break;
        }
        length += header.size() as u64;
    }
    Ok(length)
}

/// `None`: no header is there, or not the whole of it.
fn next_header(file: &mut impl Read) -> io::Result<Option<Header>> {
    let mut bytes = [0; HEADER];
    Ok(if was_read_whole(file.read_exact(&mut bytes))? { Header::decode(&bytes) } else { None })
}

/// Whether so many bytes were there to be skipped.
fn skip(file: &mut impl Read, len: usize) -> io::Result<bool> {
    Ok(io::copy(&mut file.take(len as u64), &mut io::sink())? == len as u64)
}

fn was_read_whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
