//! One file of rows, and the place of each row in it.

use super::line::Line;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Every so many rows one place is remembered.
const STEP: usize = 64;

/// A file of rows.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The first row in it, also its name.
    pub(crate) first: u32,
    pub(crate) rows: u32,
    pub(crate) bytes: u64,
    /// Places of rows 0, 64, 128, …; for a file that was written before, once its rows are requested.
    places: OnceLock<Vec<u32>>,
}

impl Segment {
    pub(crate) fn empty(first: u32) -> Self {
        Self { first, rows: 0, bytes: 0, places: OnceLock::from(Vec::new()) }
    }

    /// A file on disk behind which the one of row `next` was begun: how many rows it has is known without reading it.
    pub(crate) fn before(folder: &Path, first: u32, next: u32) -> io::Result<Self> {
        let bytes = path(folder, first).metadata()?.len();
        Ok(Self { first, rows: next.saturating_sub(first), bytes, places: OnceLock::new() })
    }

    fn places_in(&self, folder: &Path) -> io::Result<&[u32]> {
        if self.places.get().is_none() {
            let found = Self::index(folder, self.first)?.places;
            let _ = self.places.set(found.into_inner().unwrap_or_default()); // another thread was quicker
        }
        Ok(self.places.get().map(Vec::as_slice).unwrap_or_default())
    }

    /// Looks through a file that is on disk already.
    pub(crate) fn index(folder: &Path, first: u32) -> io::Result<Self> {
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
    pub(crate) fn add(&mut self, bytes: usize) {
        if (self.rows as usize).is_multiple_of(STEP) {
            let place = u32::try_from(self.bytes).unwrap_or(u32::MAX);
            self.places.get_mut().into_iter().for_each(|places| places.push(place));
        }
        self.rows += 1;
        self.bytes += bytes as u64;
    }

    /// How many places are remembered.
    #[cfg(test)]
    pub(crate) fn places(&self) -> usize {
        self.places.get().map_or(0, Vec::len)
    }

    /// One past its last row.
    pub(crate) fn end(&self) -> u32 {
        self.first.saturating_add(self.rows)
    }

    /// Rows from `from` to before `to`, with their number and size. A file that was dropped meanwhile has none.
    pub(crate) fn each<B>(
        &self,
        folder: &Path,
        (from, to): (u32, u32),
        each: &mut impl FnMut(u32, Line<'_>, usize) -> ControlFlow<B>,
    ) -> io::Result<ControlFlow<B>> {
        let skip = from.saturating_sub(self.first) as usize / STEP;
        let places = match self.places_in(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ControlFlow::Continue(())),
            places => places?,
        };
        let Some(place) = places.get(skip) else { return Ok(ControlFlow::Continue(())) };
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

pub(crate) fn path(folder: &Path, first: u32) -> PathBuf {
    folder.join(format!("{first:010}.jsonl"))
}
