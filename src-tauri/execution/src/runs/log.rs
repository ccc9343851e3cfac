//! What a run says, on disk: bytes as they came, framed, in segments.
//!
//! A *position* counts bytes of all frames since the run began. A segment is a file named by the position of its first
//! frame. A frame is 16 bytes of header (a magic byte, the stream, two zeros, the length as u32, milliseconds since 1970
//! as u64, both little-endian), then at most 64 KiB of output, written with one call. A frame that is not whole is no
//! frame: it is what a kill in mid-write leaves.
//!
//! The whole is bounded: when it grows over its cap, the oldest segments go, but never the first, which says how the run
//! began.

mod frame;
mod reader;
mod writer;

pub use frame::{Stream, largest_frame};
pub use reader::{LogReader, LogWindow, Piece};
pub use writer::{FrameBuffer, LogWriter};

/// The maximum size of a log, in bytes, unless given.
pub const DEFAULT_CAP: u64 = 256 << 20;

use std::io;
use std::path::{Path, PathBuf};

fn segment_path(folder: &Path, start: u64) -> PathBuf {
    folder.join(format!("{start:020}.log"))
}

/// Positions at which segments start, in order.
fn segments(folder: &Path) -> io::Result<Vec<u64>> {
    let mut starts: Vec<u64> = std::fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".log")?.parse().ok())
        .collect();
    starts.sort_unstable();
    Ok(starts)
}
