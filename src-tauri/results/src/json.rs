//! JSON in pieces: a report of any size is walked, and only small values become trees.

use loopdeck_text::json_span::scan::{Reader, Scan};
use loopdeck_text::json_span::tree::Node;

/// Larger than any single test, or the coverage of any single file.
const LARGEST: usize = 4 << 20;

/// The next value as a tree; null when it is too large for one.
pub(super) fn small<'a>(reader: &mut Reader<'a>) -> Scan<Node<'a>> {
    reader.peek()?;
    let span = reader.skip()?;
    if span.len() > LARGEST {
        return Ok(Node::null());
    }
    Node::read(&mut Reader::at(reader.text(), span.start))
}

/// Calls `each` with every member of an object; skips anything else.
pub(super) fn members<'a>(
    reader: &mut Reader<'a>,
    mut each: impl FnMut(&mut Reader<'a>, &str) -> Scan<()>,
) -> Scan<()> {
    use loopdeck_text::json_span::scan::ValueKind;
    if reader.peek()? == ValueKind::Object {
        return reader.object(|value, key| each(value, &key.name));
    }
    reader.skip().map(drop)
}

/// Calls `each` with every item of a list; skips anything else.
pub(super) fn items<'a>(reader: &mut Reader<'a>, each: impl FnMut(&mut Reader<'a>) -> Scan<()>) -> Scan<()> {
    use loopdeck_text::json_span::scan::ValueKind;
    if reader.peek()? == ValueKind::List {
        return reader.list(each);
    }
    reader.skip().map(drop)
}

/// Values that are tried before a text counts as one without JSON.
const TRIES: usize = 500;

/// Where an object may begin, at or behind `from`: at the start of a line, or in a line that has one of `keys`
/// behind what a runner puts before each line.
fn next_object(text: &str, from: usize, keys: &[&str]) -> Option<usize> {
    let blank = |char: char| matches!(char, '\u{feff}' | ' ' | '\t' | '\r' | '\n');
    let mut at = text.len() - text[from..].trim_start_matches(blank).len();
    loop {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        if rest.starts_with('{') {
            return Some(at);
        }
        let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = &rest[..end];
        if keys.iter().any(|key| memchr::memmem::find(line.as_bytes(), key.as_bytes()).is_some())
            && let Some(brace) = line.find('{')
        {
            return Some(at + brace);
        }
        at += end + 1;
    }
}

/// What became of a look at an object.
pub(super) enum Looked {
    /// It was read; the next one is behind it.
    Whole,
    /// It is not JSON.
    Failed,
    /// Nothing behind it matters.
    Enough,
}

/// Calls `look` with a reader at every object of a text that may have other lines around them.
pub(super) fn each_object<'a>(text: &'a str, keys: &[&str], mut look: impl FnMut(&mut Reader<'a>) -> Looked) {
    let (mut from, mut tries) = (0, 0);
    while let Some(start) = next_object(text, from, keys) {
        let mut reader = Reader::at(text, start);
        from = match look(&mut reader) {
            Looked::Whole => reader.offset(),
            Looked::Failed if tries < TRIES => {
                tries += 1;
                start + 1
            }
            Looked::Failed | Looked::Enough => return,
        };
    }
}

/// The line of a place, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> u32 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    u32::try_from(memchr::memchr_iter(b'\n', before).count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// A whole number that is not negative; none for anything else.
pub(super) fn count(node: &Node<'_>) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    node.number().map_or(0, |number| number as u64)
}
