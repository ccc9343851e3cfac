//! Lines of output: bounded, without terminal codes, for any bytes.

use loopdeck_text::plain;
use memchr::memchr;
use std::borrow::Cow;

/// A longer line is not part of a report; its rest is ignored.
const LONGEST_LINE: usize = 64 * 1024;
/// How many bytes at the end of an output are searched for its last lines.
const TAIL_BYTES: usize = 16 * 1024;
/// Last lines of each of the two outputs.
const TAIL_LINES: usize = 15;
/// Total bytes of the last lines.
const TAIL_TEXT: usize = 4000;

/// The lines of an output, without line ends, terminal codes and text overwritten after a carriage return.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    std::iter::from_fn(move || {
        let now = rest.take().filter(|rest| !rest.is_empty())?;
        let end = memchr(b'\n', now);
        rest = end.map(|end| &now[end + 1..]);
        Some(line(&now[..end.unwrap_or(now.len())]))
    })
}

fn line(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = &bytes[..bytes.len().min(LONGEST_LINE)];
    let bytes = memchr::memrchr(b'\r', bytes).map_or(bytes, |at| &bytes[at + 1..]);
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => plain(text),
        Cow::Owned(text) => Cow::Owned(plain(&text).into_owned()),
    }
}

/// The beginning of `text`: at most `limit` bytes, whole characters.
pub(super) fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `text` as stored: plain, trimmed, at most `limit` bytes; none when nothing is left.
pub(super) fn kept(text: &str, limit: usize) -> Option<String> {
    let plain = plain(head(text, limit.saturating_mul(2)));
    let text = head(plain.trim_matches(['\n', '\r']).trim_end(), limit);
    (!text.trim().is_empty()).then(|| text.replace('\0', "\u{fffd}"))
}

/// The first line that is not blank.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The last lines of both outputs.
pub(super) fn tail(stdout: &[u8], stderr: &[u8]) -> String {
    let last = |bytes: &[u8]| {
        let end = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
        let mut all: Vec<String> = lines(end).map(|line| line.trim_end().to_owned()).collect();
        all.retain(|line| !line.is_empty());
        all.split_off(all.len().saturating_sub(TAIL_LINES))
    };
    let all = [last(stdout), last(stderr)].concat().join("\n");
    let mut start = all.len().saturating_sub(TAIL_TEXT);
    while !all.is_char_boundary(start) {
        start += 1;
    }
    all[start..].to_owned()
}

/// The number at the start of `text`, and the rest.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    // A number with too many digits becomes the largest one.
    (!digits.is_empty()).then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}

/// Milliseconds from seconds as tools print them (`0.03`, `1,234.5`); none when it is not a time.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = if text.contains(',') { Cow::Owned(text.replace(',', "")) } else { Cow::Borrowed(text) };
    duration(plain.parse::<f64>().ok()? * 1000.0)
}

/// `ms` when it is a valid duration: finite, not negative, shorter than thirty years.
pub(super) fn duration(ms: f64) -> Option<f64> {
    (0.0..1e12).contains(&ms).then_some((ms * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_codes_are_gone() {
        let all: Vec<_> =
            lines(b"\x1b[1;31ma\x1b[0m b\r\n50%\r100%\n\x1b]0;title\x07c\xff\n\x1b[\n").collect();
        assert_eq!(all, ["a b", "100%", "c\u{fffd}", ""]);
    }

    #[test]
    fn numbers_and_times_are_bounded() {
        assert_eq!(number("12 passed"), Some((12, " passed")));
        assert_eq!(number("99999999999999999999999"), Some((u64::MAX, "")));
        assert_eq!(number("x"), None);
        assert_eq!(seconds("1,234.5"), Some(1_234_500.0));
        for text in ["NaN", "inf", "-1", "1e300", ""] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_lines_are_cut_at_characters() {
        let long = "ä".repeat(30_000);
        assert!(tail(long.as_bytes(), b"end").len() <= TAIL_TEXT);
        assert_eq!(tail(b"a\n\nb\n", b"c"), "a\nb\nc");
        assert_eq!(kept("\n  \x1b[31mred\x1b[0m  \n", 99).as_deref(), Some("  red"));
    }
}
