//! The rows of output of one run, on disk next to its raw log: appended while it runs, read in windows, never held in memory.
//!
//! Rows are stored in segments of JSON lines; a run that never stops writing loses its oldest segments. Memory costs only a sparse index
//! (the place of every 64th row), which is bounded like the segments, below a megabyte.

mod line;
mod search;
mod segment;
#[cfg(test)]
mod tests;

use crate::rows::{OutputPage, OutputRow};
use line::Line;
use segment::{Segment, path};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub use line::{Source, StoredRow};
pub use search::{SearchResult, Snapshot};

/// A segment is closed at so many bytes.
const SEGMENT: u64 = 8 << 20;
/// So many segments are kept.
const SEGMENTS: usize = 24;
/// A page stays below this many bytes of JSON, so that a slow window stays usable.
const PAGE: usize = 60_000;
/// What a row of a page takes that its line on disk leaves out.
const UNSAID: usize = 64;
/// Asks for the newest rows, wherever they are.
pub(crate) const NEWEST: u32 = u32::MAX;

/// The rows of one run.
pub struct OutputLog {
    folder: PathBuf,
    segments: VecDeque<Segment>,
    writer: Option<BufWriter<File>>,
    line: Vec<u8>,
}

impl OutputLog {
    /// The rows in the folder of a run, as they are on disk.
    ///
    /// # Errors
    /// What the disk says; a folder without rows has none.
    pub(crate) fn open(run_dir: &Path) -> io::Result<Self> {
        let mut log = Self::empty(run_dir.join("rows"));
        let mut firsts: Vec<u32> = match fs::read_dir(&log.folder) {
            Ok(entries) => entries.flatten().filter_map(|entry| first_row(&entry.file_name())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        firsts.sort_unstable();
        for (at, first) in firsts.iter().enumerate() {
            // Only the row count of the last one is unknown.
            log.segments.push_back(match firsts.get(at + 1) {
                Some(next) => Segment::before(&log.folder, *first, *next)?,
                None => Segment::index(&log.folder, *first)?,
            });
        }
        Ok(log)
    }

    /// Forgets all rows, to make them again from the raw log.
    ///
    /// # Errors
    /// What the disk says.
    pub fn begin_again(run_dir: &Path) -> io::Result<Self> {
        let folder = run_dir.join("rows");
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        loopdeck_system::platform::private_folder(run_dir)?;
        fs::create_dir_all(&folder)?;
        Ok(Self::empty(folder))
    }

    fn empty(folder: PathBuf) -> Self {
        Self { folder, segments: VecDeque::new(), writer: None, line: Vec::new() }
    }

    /// Forgets all rows and continues with row `first`: those between were never here.
    ///
    /// # Errors
    /// What the disk says.
    pub fn continue_at(&mut self, first: u32) -> io::Result<()> {
        self.writer = None;
        for segment in self.segments.drain(..) {
            fs::remove_file(path(&self.folder, segment.first))?;
        }
        self.begin_segment(first)
    }

    /// Rows there are, those that were dropped counted.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.segments.back().map_or(0, Segment::end)
    }

    /// Rows that were dropped at the beginning.
    #[must_use]
    pub(crate) fn dropped(&self) -> u32 {
        self.segments.front().map_or(0, |segment| segment.first)
    }

    /// Adds a row; it can be read after [`OutputLog::flush`].
    ///
    /// # Errors
    /// What the disk says.
    pub fn append(&mut self, row: &StoredRow) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, &Line::from(row)).map_err(io::Error::other)?;
        self.line.push(b'\n');
        if self.writer.is_none() || self.segments.back().is_none_or(|segment| segment.bytes >= SEGMENT) {
            self.next_segment()?;
        }
        if let (Some(writer), Some(segment)) = (&mut self.writer, self.segments.back_mut()) {
            writer.write_all(&self.line)?;
            segment.add(self.line.len());
        }
        Ok(())
    }

    /// Makes everything that was added readable.
    ///
    /// # Errors
    /// What the disk says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }

    fn next_segment(&mut self) -> io::Result<()> {
        self.flush()?;
        self.begin_segment(self.total())?;
        while self.segments.len() > SEGMENTS {
            if let Some(oldest) = self.segments.pop_front() {
                fs::remove_file(path(&self.folder, oldest.first))?;
            }
        }
        Ok(())
    }

    fn begin_segment(&mut self, first: u32) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let file = File::options().append(true).create_new(true).open(path(&self.folder, first))?;
        self.writer = Some(BufWriter::with_capacity(1 << 16, file));
        self.segments.push_back(Segment::empty(first));
        Ok(())
    }

    /// Rows from `first` on, at most `count` and not more than a page holds; from [`NEWEST`] on: the newest ones.
    ///
    /// # Errors
    /// What the disk says.
    pub fn page(&self, run: &str, first: u32, count: u32, alive: bool) -> io::Result<OutputPage> {
        let newest = first == NEWEST;
        let (total, dropped) = (self.total(), self.dropped());
        let mut first = if newest { total.saturating_sub(count) } else { first }.clamp(dropped, total);
        let mut rows: VecDeque<(OutputRow, usize)> = VecDeque::new();
        let mut bytes = 0;
        self.each(first, first.saturating_add(count), |_, line, size| {
            let size = size + UNSAID;
            bytes += size;
            if newest {
                while bytes > PAGE
                    && let Some((_, gone)) = rows.pop_front()
                {
                    (bytes, first) = (bytes - gone, first + 1);
                }
            } else if bytes > PAGE && !rows.is_empty() {
                return ControlFlow::Break(());
            }
            rows.push_back((StoredRow::from(line).row, size));
            ControlFlow::Continue(())
        })?;
        let rows = rows.into_iter().map(|(row, _)| row).collect();
        Ok(OutputPage { run: run.to_owned(), total, first, dropped, rows, alive })
    }

    /// One row.
    ///
    /// # Errors
    /// `NotFound` when it was dropped or never there; what the disk says.
    pub fn row(&self, at: u32) -> io::Result<StoredRow> {
        let found = self.each(at, at.saturating_add(1), |_, line, _| ControlFlow::Break(line.into()))?;
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The rows as they are now, to be looked through while more come.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { folder: self.folder.clone(), segments: self.segments.iter().cloned().collect() }
    }

    /// Rows from `from` to before `to`, with their number and size; answers what ended it before.
    fn each<B>(
        &self,
        from: u32,
        to: u32,
        mut each: impl FnMut(u32, Line<'_>, usize) -> ControlFlow<B>,
    ) -> io::Result<Option<B>> {
        for segment in self.segments.iter().filter(|segment| segment.end() > from && segment.first < to) {
            if let ControlFlow::Break(found) = segment.each(&self.folder, (from, to), &mut each)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

fn first_row(name: &std::ffi::OsStr) -> Option<u32> {
    name.to_str()?.strip_suffix(".jsonl")?.parse().ok()
}
