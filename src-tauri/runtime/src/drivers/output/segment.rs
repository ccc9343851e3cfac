//! One file of rows, and which row lies where in it.

use super::line::Line;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Every so many rows one place is remembered.
const STEP: usize = 64;

/// A file of rows.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The first row in it, also its name.
    pub(super) first: u32,
    pub(super) rows: u32,
    pub(super) bytes: u64,
    /// Places of rows 0, 64, 128, …
    places: Vec<u32>,
}

impl Segment {
    pub(super) fn empty(first: u32) -> Self {
        Self { first, rows: 0, bytes: 0, places: Vec::new() }
    }

    /// Looks through a file that is on disk already.
    pub(super) fn index(folder: &Path, first: u32) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 16, File::open(path(folder, first))?);
        let mut segment = Self::empty(first);
        let mut line = Vec::new();
        loop {
            line.clear();
            if file.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
                return Ok(segment);
            }
            segment.add(line.len());
        }
    }

    /// A row of so many bytes was added.
    pub(super) fn add(&mut self, bytes: usize) {
        if (self.rows as usize).is_multiple_of(STEP) {
            self.places.push(u32::try_from(self.bytes).unwrap_or(u32::MAX));
        }
        self.rows += 1;
        self.bytes += bytes as u64;
    }

    /// How many places are remembered.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// One past its last row.
    pub(super) fn end(&self) -> u32 {
        self.first.saturating_add(self.rows)
    }

    /// Rows from `from` to before `to`, with their number and size. A file that was dropped meanwhile has none.
    pub(super) fn each<B>(
        &self,
        folder: &Path,
        (from, to): (u32, u32),
        each: &mut impl FnMut(u32, Line<'_>, usize) -> ControlFlow<B>,
    ) -> io::Result<ControlFlow<B>> {
        let skip = from.saturating_sub(self.first) as usize / STEP;
        let Some(place) = self.places.get(skip) else { return Ok(ControlFlow::Continue(())) };
        let mut file = match File::open(path(folder, self.first)) {
            Ok(file) => BufReader::with_capacity(1 << 16, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ControlFlow::Continue(())),
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(u64::from(*place)))?;
        let begin = self.first + u32::try_from(skip * STEP).unwrap_or(u32::MAX);
        let mut line = Vec::new();
        for at in begin..self.end().min(to) {
            line.clear();
            // A row that is not flushed yet is not there yet.
            if file.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
                break;
            }
            let Some(row) = (at >= from).then(|| serde_json::from_slice(&line).ok()).flatten() else {
                continue;
            };
            if let ControlFlow::Break(found) = each(at, row, line.len()) {
                return Ok(ControlFlow::Break(found));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

pub(super) fn path(folder: &Path, first: u32) -> PathBuf {
    folder.join(format!("{first:010}.jsonl"))
}
