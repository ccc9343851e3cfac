//! Strings of JSON, by their bytes.

use crate::hashes;
use crate::lanes::{LANES, Lanes};

/// A string in a JSON text.
pub(crate) struct JsonString {
    /// The place of the quote that ends it.
    pub(crate) end: usize,
    /// Of the bytes between the quotes.
    pub(crate) hash: u64,
    pub(crate) has_escapes: bool,
}

impl JsonString {
    /// The string whose first byte is at `start`; `None` when it does not end. One pass finds its end and its hash.
    #[inline]
    pub(crate) fn read(bytes: &[u8], start: usize, seed: u64) -> Option<Self> {
        let (mut at, mut hash, mut has_escapes) = (start, seed, false);
        while at < bytes.len() {
            let lanes = Lanes::at(bytes, at);
            let plain = lanes.equal(b'"').or(lanes.equal(b'\\')).first();
            if plain == LANES {
                hash = hashes::add(hash, lanes);
                at += LANES;
                continue;
            }
            hash = hashes::add(hash, lanes.first(plain));
            at += plain;
            if bytes[at] == b'"' {
                return Some(Self { end: at, hash, has_escapes });
            }
            has_escapes = true;
            hash = hashes::add(hash, Lanes::at(bytes, at).first(2));
            at += 2;
        }
        None
    }
}

/// The place of the first quote from `at` on.
#[inline]
pub(crate) fn quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        let first = Lanes::at(bytes, at).equal(b'"').first();
        at += first;
        if first < LANES {
            return Some(at);
        }
    }
    None
}

/// Whether the string that ends before `bytes` is the name of a member.
#[inline]
pub(crate) fn is_name(after: &[u8]) -> bool {
    after.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Whether a string is a time such as `2026-01-22T02:00:00Z`.
pub(crate) fn is_time(bytes: &[u8]) -> bool {
    let date = bytes.get(..10).is_some_and(|date| {
        let is_part =
            |(at, byte): (usize, &u8)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() };
        date.iter().enumerate().all(is_part)
    });
    date && bytes.len() <= 40
        && bytes[10..]
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'T' | b'Z' | b':' | b'.' | b'+' | b'-' | b' '))
}

/// The text of a JSON string. An escape that is none separates words.
pub(crate) fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next() else { return };
        rest = &rest[kind.len_utf8()..];
        match kind {
            '"' | '\\' | '/' => out.push(kind),
            'u' => rest = unescape_unit(rest, out),
            _ => out.push(' '),
        }
    }
    out.push_str(rest);
}

/// Takes the letter of `\uXXXX`, or of a pair of them; half a pair is a space.
fn unescape_unit<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let Some(first) = unit(rest) else {
        out.push(' ');
        return rest;
    };
    let after = &rest[4..];
    let second = after.strip_prefix("\\u").and_then(unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(u32::from(first)), pair) {
        (Some(letter), _) => {
            out.push(letter);
            after
        }
        (None, Some(letter)) => {
            out.push(letter);
            &after[6..]
        }
        (None, None) => {
            out.push(' ');
            after
        }
    }
}
