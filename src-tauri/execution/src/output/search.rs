//! Searches the rows of a run, a stretch at a time: while the run continues, until the result is no longer wanted.

use super::line::Line;
use super::segment::Segment;
use crate::rows::{OutputKind, OutputSearch};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// So many rows are looked through between two questions whether it is still wanted.
const STRETCH: u32 = 16_384;

/// The rows of a run as they were at one moment, to be read without keeping the run waiting. Rows that are dropped
/// meanwhile are passed over.
pub struct Snapshot {
    pub(crate) folder: PathBuf,
    pub(crate) segments: Vec<Segment>,
}

/// What came of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// The next row that fits.
    Found(u32),
    /// There is none.
    Nothing,
    /// It was no longer wanted.
    Given,
}

impl Snapshot {
    /// The next row that fits, from `search.from` on (that one counted), while `wanted` says so.
    ///
    /// # Errors
    /// What the disk says.
    pub fn find(&self, search: &OutputSearch, wanted: impl Fn() -> bool) -> io::Result<SearchResult> {
        let text = search.text.to_lowercase();
        let fits = |row: &Line<'_>| (!search.errors || is_error(row)) && contains_text(row, &text);
        let floor = self.segments.first().map_or(0, |segment| segment.first);
        let total = self.segments.last().map_or(0, Segment::end);
        let mut at =
            if search.backwards { search.from.saturating_add(1).min(total) } else { search.from.max(floor) };
        loop {
            let stretch = if search.backwards {
                (at.saturating_sub(STRETCH).max(floor), at)
            } else {
                (at, at.saturating_add(STRETCH).min(total))
            };
            if stretch.0 >= stretch.1 {
                return Ok(SearchResult::Nothing);
            }
            if !wanted() {
                return Ok(SearchResult::Given);
            }
            if let Some(found) = self.search_stretch(stretch, search.backwards, &fits)? {
                return Ok(SearchResult::Found(found));
            }
            at = if search.backwards { stretch.0 } else { stretch.1 };
        }
    }

    /// The first row of a stretch that fits, or the last.
    fn search_stretch(
        &self,
        (from, to): (u32, u32),
        last: bool,
        fits: &impl Fn(&Line<'_>) -> bool,
    ) -> io::Result<Option<u32>> {
        let mut found = None;
        for segment in self.segments.iter().filter(|segment| segment.end() > from && segment.first < to) {
            let ended = segment.each(&self.folder, (from, to), &mut |at, row, _| {
                if !fits(&row) {
                    return ControlFlow::Continue(());
                }
                found = Some(at);
                if last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if ended.is_break() {
                break;
            }
        }
        Ok(found)
    }
}

/// What a person looks for when something went wrong.
fn is_error(row: &Line<'_>) -> bool {
    matches!(row.kind, OutputKind::Stderr | OutputKind::Denied | OutputKind::Warning) || row.ok == Some(false)
}

fn contains_text(row: &Line<'_>, wanted: &str) -> bool {
    wanted.is_empty() || has(&row.text, wanted) || has(&row.name, wanted)
}

/// Whether `text` has `wanted`, which is in small letters.
fn has(text: &str, wanted: &str) -> bool {
    if !text.is_ascii() || !wanted.is_ascii() {
        return text.to_lowercase().contains(wanted);
    }
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    let (small, large) = (wanted[0], wanted[0].to_ascii_uppercase());
    memchr::memchr2_iter(small, large, text)
        .any(|at| text[at..].get(..wanted.len()).is_some_and(|part| part.eq_ignore_ascii_case(wanted)))
}
