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

/// Milliseconds from seconds as tools print them; none when it is not a time.
pub(super) fn seconds(text: &str) -> Option<f64> {
    duration(decimal(text)? * 1000.0)
}

/// A number as tools print it in any language: `0.03`, `1,234.5`, `0,123`, `1.234,5`, `1 234,5`, `1e-4`. One
/// separator alone is the decimal one; one that is there more than once groups digits.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.contains([',', ' ', '\'', '’', '\u{a0}', '\u{202f}']) && text.matches('.').count() < 2 {
        return text.parse().ok();
    }
    let mut plain: String =
        text.chars().filter(|char| !matches!(char, ' ' | '\'' | '’' | '\u{a0}' | '\u{202f}')).collect();
    let (commas, dots) = (plain.matches(',').count(), plain.matches('.').count());
    let point = match (commas, dots) {
        (1, 0) => Some(','),
        (0, 1) => Some('.'),
        (0, _) | (_, 0) => None,
        _ => plain.chars().rev().find(|char| matches!(char, ',' | '.')),
    };
    if point.is_some_and(|point| plain.matches(point).count() > 1) {
        return None;
    }
    plain.retain(|char| !matches!(char, ',' | '.') || Some(char) == point);
    plain.replace(',', ".").parse().ok()
}

/// A count whose digits may be grouped: `1,234`, `1.234`, `1 234`.
pub(super) fn grouped(text: &str) -> Option<u64> {
    let text = text.trim();
    let (first, mut rest) = number(text)?;
    let mut all = first;
    while let Some(group) = rest.strip_prefix([',', '.', ' ', '\'', '’', '\u{a0}', '\u{202f}']) {
        match number(group) {
            Some((more, behind)) if group.len() - behind.len() == 3 => {
                all = all.saturating_mul(1000).saturating_add(more);
                rest = behind;
            }
            _ => break,
        }
    }
    Some(all)
}

/// Whether a word is `known`, or differs from it by one letter.
pub(super) fn is_like(word: &str, known: &str) -> bool {
    let (word, known): (Vec<char>, Vec<char>) = (word.chars().take(40).collect(), known.chars().collect());
    let same = word.iter().zip(&known).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count();
    let (word, known) = (&word[same..], &known[same..]);
    let ends_as = |one: &[char], other: &[char]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
    };
    match (word.split_first(), known.split_first()) {
        // One letter is another one, one too many, or missing.
        (Some((_, less)), Some((_, rest))) => {
            ends_as(less, rest) || ends_as(less, known) || ends_as(word, rest)
        }
        (Some((_, less)), None) => less.is_empty(),
        (None, Some((_, rest))) => rest.is_empty(),
        (None, None) => true,
    }
}

/// Milliseconds from a number with its unit: `12ms`, `1.5 s`, `800us`.
pub(super) fn span(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit = text.trim_start_matches(|char: char| !char.is_alphabetic() && char != 'µ');
    let factor = match unit {
        "ms" => 1.0,
        "s" | "sec" | "secs" => 1000.0,
        "us" | "µs" | "μs" => 0.001,
        "m" | "min" => 60_000.0,
        _ => return None,
    };
    duration(decimal(text.strip_suffix(unit)?)? * factor)
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
        for (text, ms) in [
            ("0,123", 123.0),
            ("0.123", 123.0),
            ("1.234,5", 1_234_500.0),
            ("1 234,5", 1_234_500.0),
            ("1\u{202f}234,5", 1_234_500.0),
            ("1'234.5", 1_234_500.0),
            ("1,234,567.25", 1_234_567_250.0),
            ("1,234,567", 1_234_567_000.0),
            ("1.0E-4", 0.1),
            ("1,0E-4", 0.1),
        ] {
            assert_eq!(seconds(text), Some(ms), "{text}");
        }
        for text in ["-0,002", "1,2,3.4.5", ",", "0,x", "1.2.3,4,5"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(["1,234", "1.234", "12", "1 234", "7x"].map(grouped), [1234, 1234, 12, 1234, 7].map(Some));
        assert_eq!(
            (span("12ms"), span("1,5 s"), span("800us"), span("5")),
            (Some(12.0), Some(1500.0), Some(0.8), None)
        );
        for text in ["NaN", "inf", "-1", "1e300", ""] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_word_with_one_fault_is_known() {
        for word in ["skip", "SKIP", "skp", "kip", "ski", "skiip", "xskip", "skipx", "skxp", "~kip"] {
            assert!(is_like(word, "skip"), "{word}");
        }
        for word in ["", "s", "sk", "skipped", "sxxp", "pass"] {
            assert!(!is_like(word, "skip"), "{word}");
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
