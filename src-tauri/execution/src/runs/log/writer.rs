//! The guardian's side: append, begin new segments, drop old ones.

use super::frame::{HEADER, Header, MOST, Stream};
use super::reader::valid_length;
use super::{segment_path, segments};
use loopdeck_core::times::Timestamp;
use loopdeck_system::platform::private_file;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A buffer for one frame: room for the header, then the output read right after it.
#[derive(Debug)]
pub struct FrameBuffer {
    bytes: Box<[u8]>,
    len: usize,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self { bytes: vec![0; HEADER + MOST].into_boxed_slice(), len: 0 }
    }
}

impl FrameBuffer {
    /// Reads what there is; 0 at the end.
    ///
    /// # Errors
    /// Those of the source.
    pub fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.len = from.read(&mut self.bytes[HEADER..])?;
        Ok(self.len)
    }
}

/// Appends frames to the log of one run.
#[derive(Debug)]
pub struct LogWriter {
    folder: PathBuf,
    cap: u64,
    segment_size: u64,
    file: File,
    /// Where the current segment starts.
    start: u64,
    /// Bytes in the current segment.
    length: u64,
    /// Segments before the current one, with their sizes.
    before: Vec<(u64, u64)>,
}

const LARGEST_SEGMENT: u64 = 8 << 20;
const SMALLEST_SEGMENT: u64 = 64 << 10;

impl LogWriter {
    /// Opens the log in `folder`, which is created when missing; continues after the last whole frame.
    ///
    /// # Errors
    /// The folder or the file cannot be opened.
    pub fn open(folder: &Path, cap: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let mut starts = segments(folder)?;
        let start = starts.pop().unwrap_or(0);
        let path = segment_path(folder, start);
        let mut file = private_file().read(true).truncate(false).open(&path)?;
        let length = valid_length(&mut file)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        let size = |start| fs::metadata(segment_path(folder, start)).map(|metadata| (start, metadata.len()));
        let before = starts.into_iter().map(size).collect::<io::Result<_>>()?;
        let segment_size = (cap / 16).clamp(SMALLEST_SEGMENT, LARGEST_SEGMENT);
        Ok(Self { folder: folder.to_owned(), cap, segment_size, file, start, length, before })
    }

    /// Appends what was read into `framed`.
    ///
    /// # Errors
    /// It could not be written (a full disk); the log is as it was before.
    pub fn append(&mut self, framed: &mut FrameBuffer, stream: Stream, at: Timestamp) -> io::Result<()> {
        if framed.len == 0 {
            return Ok(());
        }
        if self.length >= self.segment_size {
            self.begin_segment()?;
        }
        let header = Header { stream, len: framed.len, at };
        framed.bytes[..HEADER].copy_from_slice(&header.encode());
        if let Err(error) = self.file.write_all(&framed.bytes[..header.size()]) {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
            return Err(error);
        }
        self.length += header.size() as u64;
        Ok(())
    }

    /// Position behind the last frame.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start + self.length
    }

    /// Makes what was written last through a power loss.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let start = self.end();
        let file = private_file().read(true).truncate(true).open(segment_path(&self.folder, start))?;
        self.before.push((self.start, self.length));
        (self.file, self.start, self.length) = (file, start, 0);
        self.drop_oldest();
        Ok(())
    }

    /// Keeps the cap, counting the new segment as if it were full.
    fn drop_oldest(&mut self) {
        let mut total: u64 = self.segment_size + self.before.iter().map(|(_, size)| size).sum::<u64>();
        while total > self.cap && self.before.len() > 1 {
            let (start, size) = self.before.remove(1);
            let _ = fs::remove_file(segment_path(&self.folder, start)); // one that stays is only too much
            total -= size;
        }
    }
}
