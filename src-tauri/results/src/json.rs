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

/// Where JSON starts in a text: at its start, or at the first line that starts with a brace (after the output
/// of `npm`).
pub(super) fn start(text: &str) -> Option<usize> {
    let blank = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
    if text[blank..].starts_with('{') {
        return Some(blank);
    }
    memchr::memmem::find(text.as_bytes(), b"\n{").map(|at| at + 1)
}

/// A whole number that is not negative; none for anything else.
pub(super) fn count(node: &Node<'_>) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    node.number().map_or(0, |number| number as u64)
}
