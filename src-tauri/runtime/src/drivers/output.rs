//! The rows of output of one run, on disk beside its raw log: appended while it runs, read by window, never held in memory.
//!
//! Rows lie in segments of JSON lines; of a run that never stops talking the oldest segments go. A sparse index (the
//! place of every 64th row) is what memory costs: an hour at 5,000 lines a second stays below a megabyte.

use super::rows::{OutputKind, OutputPage, OutputRow, OutputSearch};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A segment is closed at so many bytes.
const SEGMENT: u64 = 8 << 20;
/// So many segments are kept.
const SEGMENTS: usize = 24;
/// Every so many rows one place is remembered.
const STEP: usize = 64;
/// A page stays below this many bytes of JSON (field-lessons.md L4.2).
const PAGE: usize = 60_000;
/// So many rows are looked through by one search; the page asks again from there.
const SEARCHED: u32 = 400_000;

/// A row with where its source begins in the raw log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredRow {
    /// What is shown.
    #[serde(flatten)]
    pub(crate) row: OutputRow,
    /// Position of the frame in the raw log, when the text was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
}

/// Where a line begins in the raw log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    /// Position of the frame.
    pub(crate) frame: u64,
    /// Bytes into it.
    pub(crate) offset: u32,
}

struct Segment {
    /// The first row in it, also its name.
    first: u32,
    rows: u32,
    bytes: u64,
    /// Places of rows 0, 64, 128, … of this segment.
    places: Vec<u32>,
}

/// The rows of one run.
pub(crate) struct OutputLog {
    folder: PathBuf,
    segments: VecDeque<Segment>,
    writer: Option<BufWriter<File>>,
}

impl OutputLog {
    /// The rows in the folder of a run, as they are on disk.
    ///
    /// # Errors
    /// What the disk says; a folder without rows has none.
    pub(crate) fn open(run_dir: &Path) -> io::Result<Self> {
        let folder = run_dir.join("rows");
        let mut log = Self { folder, segments: VecDeque::new(), writer: None };
        let mut firsts: Vec<u32> = match fs::read_dir(&log.folder) {
            Ok(entries) => entries.flatten().filter_map(|entry| first_row(&entry.file_name())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        firsts.sort_unstable();
        for first in firsts {
            let segment = log.index(first)?;
            log.segments.push_back(segment);
        }
        Ok(log)
    }

    /// Forgets all rows, to make them again from the raw log.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn begin_again(run_dir: &Path) -> io::Result<Self> {
        let folder = run_dir.join("rows");
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        super::starting::private_folder(run_dir)?;
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, segments: VecDeque::new(), writer: None })
    }

    /// Rows there are, those that were dropped counted.
    #[must_use]
    pub(crate) fn total(&self) -> u32 {
        self.segments.back().map_or(0, |segment| segment.first.saturating_add(segment.rows))
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
    pub(crate) fn append(&mut self, row: &StoredRow) -> io::Result<()> {
        let mut line = serde_json::to_vec(row).map_err(io::Error::other)?;
        line.push(b'\n');
        if self.writer.is_none() || self.segments.back().is_none_or(|segment| segment.bytes >= SEGMENT) {
            self.next_segment()?;
        }
        if let (Some(writer), Some(segment)) = (&mut self.writer, self.segments.back_mut()) {
            writer.write_all(&line)?;
            if (segment.rows as usize).is_multiple_of(STEP) {
                segment.places.push(u32::try_from(segment.bytes).unwrap_or(u32::MAX));
            }
            segment.rows += 1;
            segment.bytes += line.len() as u64;
        }
        Ok(())
    }

    /// Makes everything that was added readable.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }

    fn next_segment(&mut self) -> io::Result<()> {
        self.flush()?;
        let first = self.total();
        fs::create_dir_all(&self.folder)?;
        let file = File::options().append(true).create_new(true).open(self.path(first))?;
        self.writer = Some(BufWriter::with_capacity(1 << 16, file));
        self.segments.push_back(Segment { first, rows: 0, bytes: 0, places: Vec::new() });
        while self.segments.len() > SEGMENTS {
            if let Some(oldest) = self.segments.pop_front() {
                fs::remove_file(self.path(oldest.first))?;
            }
        }
        Ok(())
    }

    /// Rows from `first` on, at most `count` and not more than a page holds.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn page(&self, run: &str, first: u32, count: u32, alive: bool) -> io::Result<OutputPage> {
        let first = first.max(self.dropped()).min(self.total());
        let mut rows = Vec::new();
        let mut bytes = 0;
        self.each(first, |_, stored, size| {
            bytes += size;
            let fits = rows.is_empty() || bytes <= PAGE;
            if fits {
                rows.push(stored.row);
            }
            fits && rows.len() < count as usize
        })?;
        let (total, dropped) = (self.total(), self.dropped());
        Ok(OutputPage { run: run.to_owned(), total, first, dropped, rows, alive })
    }

    /// One row.
    ///
    /// # Errors
    /// `NotFound` when it was dropped or never there; what the disk says.
    pub(crate) fn row(&self, at: u32) -> io::Result<StoredRow> {
        let mut found = None;
        if at >= self.dropped() {
            self.each(at, |_, stored, _| {
                found = Some(stored);
                false
            })?;
        }
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The next row that fits, from `search.from` on (that one counted). `Err(row)`: looked through up to there
    /// without finding one, and there is more.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn find(&self, search: &OutputSearch) -> io::Result<Result<Option<u32>, u32>> {
        let wanted = search.text.to_lowercase();
        let fits = |row: &OutputRow| (!search.errors || is_error(row)) && holds(row, &wanted);
        if search.backwards { self.find_back(search.from, fits) } else { self.find_on(search.from, fits) }
    }

    fn find_on(&self, from: u32, fits: impl Fn(&OutputRow) -> bool) -> io::Result<Result<Option<u32>, u32>> {
        let mut found = None;
        let mut last = from;
        self.each(from.max(self.dropped()), |at, stored, _| {
            last = at;
            found = fits(&stored.row).then_some(at);
            found.is_none() && at - from < SEARCHED
        })?;
        let more = found.is_none() && last + 1 < self.total() && last - from >= SEARCHED;
        Ok(if more { Err(last + 1) } else { Ok(found) })
    }

    /// Backwards step by step: each stretch is read forwards.
    fn find_back(
        &self,
        from: u32,
        fits: impl Fn(&OutputRow) -> bool,
    ) -> io::Result<Result<Option<u32>, u32>> {
        let mut end = from.saturating_add(1).min(self.total());
        let floor = self.dropped();
        let mut looked = 0;
        while end > floor {
            let begin = end.saturating_sub(1024).max(floor);
            let mut found = None;
            self.each(begin, |at, stored, _| {
                if at < end && fits(&stored.row) {
                    found = Some(at);
                }
                at + 1 < end
            })?;
            looked += end - begin;
            if found.is_some() {
                return Ok(Ok(found));
            }
            if looked >= SEARCHED && begin > floor {
                return Ok(Err(begin - 1));
            }
            end = begin;
        }
        Ok(Ok(None))
    }

    /// Rows from `first` on, with their number and size, until `go_on` says false.
    fn each(&self, first: u32, mut go_on: impl FnMut(u32, StoredRow, usize) -> bool) -> io::Result<()> {
        let mut line = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.first + segment.rows > first) {
            let skip = first.saturating_sub(segment.first) as usize;
            let place = segment.places.get(skip / STEP).copied().unwrap_or(0);
            let mut file = BufReader::new(File::open(self.path(segment.first))?);
            file.seek(SeekFrom::Start(u64::from(place)))?;
            let begin = segment.first + u32::try_from(skip / STEP * STEP).unwrap_or(u32::MAX);
            for at in begin..segment.first + segment.rows {
                line.clear();
                // A row that is not flushed yet is not there yet.
                if file.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
                    return Ok(());
                }
                if at < first {
                    continue;
                }
                let Ok(stored) = serde_json::from_slice(&line) else { continue };
                if !go_on(at, stored, line.len()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Looks through a segment that is on disk already.
    fn index(&self, first: u32) -> io::Result<Segment> {
        let mut file = BufReader::with_capacity(1 << 16, File::open(self.path(first))?);
        let mut segment = Segment { first, rows: 0, bytes: 0, places: Vec::new() };
        let mut line = Vec::new();
        loop {
            line.clear();
            if file.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
                return Ok(segment);
            }
            if (segment.rows as usize).is_multiple_of(STEP) {
                segment.places.push(u32::try_from(segment.bytes).unwrap_or(u32::MAX));
            }
            segment.rows += 1;
            segment.bytes += line.len() as u64;
        }
    }

    fn path(&self, first: u32) -> PathBuf {
        self.folder.join(format!("{first:010}.jsonl"))
    }
}

fn first_row(name: &std::ffi::OsStr) -> Option<u32> {
    name.to_str()?.strip_suffix(".jsonl")?.parse().ok()
}

/// What a person looks for when something went wrong.
fn is_error(row: &OutputRow) -> bool {
    matches!(row.kind, OutputKind::Stderr | OutputKind::Denied | OutputKind::Warning) || row.ok == Some(false)
}

fn holds(row: &OutputRow, wanted: &str) -> bool {
    wanted.is_empty() || row.text.to_lowercase().contains(wanted) || row.name.to_lowercase().contains(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> StoredRow {
        let row = OutputRow {
            at: 1.0,
            kind: OutputKind::Text,
            name: String::new(),
            text: text.into(),
            cut: None,
            ok: None,
            depth: 0,
        };
        StoredRow { row, source: None }
    }

    fn filled(dir: &Path, count: u32) -> OutputLog {
        let mut log = OutputLog::begin_again(dir).unwrap();
        for number in 0..count {
            log.append(&row(&format!("row {number}"))).unwrap();
        }
        log.flush().unwrap();
        log
    }

    fn texts(page: &OutputPage) -> Vec<&str> {
        page.rows.iter().map(|row| row.text.as_str()).collect()
    }

    #[test]
    fn any_window_is_read_while_it_grows_and_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = filled(dir.path(), 1_000);
        for first in [0, 1, 63, 64, 65, 500, 999] {
            let page = log.page("r", first, 3, true).unwrap();
            assert_eq!(page.rows[0].text, format!("row {first}"));
            assert_eq!((page.first, page.total), (first, 1_000));
        }
        log.append(&row("new")).unwrap();
        log.flush().unwrap();
        assert_eq!(texts(&log.page("r", 999, 9, true).unwrap()), ["row 999", "new"]);
        let again = OutputLog::open(dir.path()).unwrap();
        assert_eq!(texts(&again.page("r", 998, 9, false).unwrap()), ["row 998", "row 999", "new"]);
        assert_eq!(again.page("r", 5_000, 9, false).unwrap().rows, []);
    }

    #[test]
    fn a_page_is_bounded_and_a_huge_row_still_comes() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = OutputLog::begin_again(dir.path()).unwrap();
        for _ in 0..50 {
            log.append(&row(&"x".repeat(4_000))).unwrap();
        }
        log.append(&row(&"y".repeat(200_000))).unwrap();
        log.flush().unwrap();
        assert!(log.page("r", 0, 50, false).unwrap().rows.len() < 20);
        assert_eq!(log.page("r", 50, 50, false).unwrap().rows.len(), 1);
    }

    #[test]
    fn the_oldest_segments_go_and_numbers_stay() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = OutputLog::begin_again(dir.path()).unwrap();
        let long = row(&"z".repeat(1 << 20));
        let rows = u32::try_from((SEGMENTS + 3) * 8).unwrap();
        for _ in 0..rows {
            log.append(&long).unwrap();
        }
        log.flush().unwrap();
        assert_eq!(log.total(), rows);
        assert!(log.dropped() > 0);
        assert_eq!(log.page("r", 0, 1, true).unwrap().first, log.dropped());
        assert!(log.row(0).is_err() && log.row(rows - 1).is_ok());
        assert_eq!(fs::read_dir(dir.path().join("rows")).unwrap().count(), SEGMENTS);
        let again = OutputLog::open(dir.path()).unwrap();
        assert_eq!((again.dropped(), again.total()), (log.dropped(), log.total()));
    }

    #[test]
    fn rows_are_found_both_ways() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = filled(dir.path(), 3_000);
        let mut bad = row("tests failed");
        bad.row.ok = Some(false);
        log.append(&bad).unwrap();
        log.flush().unwrap();
        let find = |text: &str, errors, from, backwards| {
            log.find(&OutputSearch { text: text.into(), errors, from, backwards }).unwrap()
        };
        assert_eq!(find("ROW 17", false, 0, false), Ok(Some(17)));
        assert_eq!(find("row 17", false, 18, false), Ok(Some(170)));
        assert_eq!(find("row 17", false, 2_500, true), Ok(Some(1_799)));
        assert_eq!(find("", true, 0, false), Ok(Some(3_000)));
        assert_eq!(find("", true, 2_999, true), Ok(None));
        assert_eq!(find("nowhere", false, 0, false), Ok(None));
    }
}
