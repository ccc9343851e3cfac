//! Lines of a text and their places.

use std::ops::Range;

/// The end of the line that contains `at`, before its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length)
}

/// The line that contains `at`, without blanks and a byte order mark around it.
pub(super) fn line_at(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let mark = text[start..].len() - text[start..].trim_start_matches('\u{feff}').len();
    trimmed(text, start + mark..line_end(text, at))
}

/// The lines of `range`, without their line breaks.
pub(super) fn lines(text: &str, Range { start, end }: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = start;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let line = at..line_end(text, at).min(end);
            at = line.end + 1;
            line
        })
    })
}

/// The same without blanks around it.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let begin = range.start;
    let said = &text[range];
    let start = begin + (said.len() - said.trim_start().len());
    start..start + said.trim().len()
}
