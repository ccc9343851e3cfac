//! Files with one object on each line, and what became of that.

use super::blank::{is_mark, line_end};
use super::correct::Corrector;
use super::find::begins_object;
use super::{Corrected, CutText};
use crate::json_span::scan::Reader;
use std::ops::Range;

/// A part of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'t> {
    /// Its bytes.
    pub span: Range<usize>,
    /// 1-based line on which it begins.
    pub line: u32,
    /// The object, or `None` for what is none: a comma, a fence, a torn line. Positions count in the whole file.
    pub object: Option<Corrected<'t>>,
}

/// The objects of a file, in order, with what is between them. An object may take several lines, and a line may have
/// several objects. What a line has lost doesn't take in the next one: a torn line is no object.
#[must_use]
pub fn records(text: &str) -> Vec<Record<'_>> {
    let bytes = text.as_bytes();
    let mut records = Vec::new();
    let (mut at, mut line) = (if text.starts_with('\u{feff}') { 3 } else { 0 }, 1);
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            line += u32::from(*byte == b'\n');
            at += 1;
            continue;
        }
        let (end, object) = match object_at(text, at, line) {
            Some((end, object)) => (end, Some(object)),
            None => (other_end(text, at), None),
        };
        let breaks = memchr::memchr_iter(b'\n', &bytes[at..end]).count();
        records.push(Record { span: at..end, line, object });
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        at = end;
    }
    records
}

/// The object that begins at `at`, and where it ends.
fn object_at(text: &str, at: usize, line: u32) -> Option<(usize, Corrected<'_>)> {
    let bytes = text.as_bytes();
    if bytes[at] != b'{' || !begins_object(text, at) {
        return None;
    }
    let mut reader = Reader::at(text, at);
    if reader.skip().is_ok() {
        let end = reader.offset();
        return Some((end, Corrected::strict(&text[at..end], at)));
    }
    let first = line_end(bytes, at);
    let several = std::iter::once_with(|| next_record(bytes, first)).filter(|end| *end > first);
    std::iter::once(first).chain(several).find_map(|end| {
        let (corrected, length) = Corrector::new(&text[at..end], 0, CutText::Lost).container_here();
        let closed = corrected.open.is_none();
        closed.then(|| (at + length, corrected.within(at, line)))
    })
}

/// Where the next line begins that an object begins, or a mark.
fn next_record(bytes: &[u8], from: usize) -> usize {
    let breaks = memchr::memchr_iter(b'\n', &bytes[from..]).map(|length| from + length);
    let begins = |line: usize| {
        let rest = &bytes[line + 1..];
        rest.starts_with(b"{") || is_mark(rest)
    };
    breaks.into_iter().find(|at| begins(*at)).unwrap_or(bytes.len())
}

/// The end of what is no object: commas alone, or up to an object on the same line or to the end of the line. What was
/// looked at isn't looked at again.
fn other_end(text: &str, at: usize) -> usize {
    const MOST_TRIES: usize = 16;
    let bytes = text.as_bytes();
    if bytes[at] == b',' {
        let commas = bytes[at..].iter().take_while(|byte| matches!(byte, b',' | b' ')).count();
        return at + text[at..at + commas].trim_end().len();
    }
    let mut next =
        memchr::memchr2_iter(b'{', b'\n', &bytes[at + 1..]).map(|length| at + 1 + length).take(MOST_TRIES);
    let end = next.find(|at| bytes[*at] == b'\n' || begins_object(text, *at) && closes_on_line(text, *at));
    let end = end.unwrap_or_else(|| line_end(bytes, at));
    at + text[at..end].trim_end_matches(['\r', ' ', '\t']).len()
}

fn closes_on_line(text: &str, at: usize) -> bool {
    Reader::at(text, at).skip().is_ok_and(|span| !text[span].contains('\n'))
}
