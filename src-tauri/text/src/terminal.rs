//! Text as terminals show it.

use memchr::memchr;
use std::borrow::Cow;

/// `text` without terminal codes.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if memchr(0x1b, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('\x1b');
    out.extend(pieces.next());
    for piece in pieces {
        out.push_str(after_code(piece));
    }
    Cow::Owned(out)
}

/// The rest of a piece after a terminal code whose escape character was split off.
fn after_code(piece: &str) -> &str {
    match piece.as_bytes().first() {
        Some(b'[') => {
            let end = piece.bytes().skip(1).position(|byte| (0x40..=0x7e).contains(&byte));
            end.and_then(|end| piece.get(end + 2..)).unwrap_or_default()
        }
        // Titles and links end with a bell, or with an escape that began the next piece.
        Some(b']') => piece.split_once('\x07').map_or("", |(_, rest)| rest),
        Some(byte) if byte.is_ascii() => &piece[1..],
        _ => piece,
    }
}
