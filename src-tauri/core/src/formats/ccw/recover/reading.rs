//! Reading a damaged master: the same bytes can be read in several ways (an older encoding, a partial copy
//! before the complete one, two sides of a merge), and the most complete one counts (the CCW contract §16).

use super::fullness;
use crate::formats::ccw::recover::Salvage;
use crate::times::{self, Timestamp};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::{Node, Value};
use std::borrow::Cow;

/// Most objects tried in one file.
const MOST_OBJECTS: usize = 16;
/// Most bytes in all readings of one file.
const MOST_READ: usize = 64 << 20;

/// The bytes of the loop `stem` in a damaged file; empty when they are another loop's.
pub(crate) fn best<'b>(damaged: &'b [u8], stem: &str) -> Cow<'b, [u8]> {
    if is_whole(damaged, stem) {
        return Cow::Borrowed(damaged);
    }
    let text = text_of(damaged);
    let mut found = vec![Cow::Borrowed(damaged)];
    for side in sides(&text).into_iter().chain([text]) {
        found.extend(objects(&side).map(|object| Cow::Owned(object.to_owned())));
        found.extend(quoted(&side).map(Cow::Owned));
        found.push(Cow::Owned(side.into_owned().into_bytes()));
    }
    let mut left = MOST_READ;
    found.retain(|bytes| {
        let fits = bytes.len() <= left;
        left = left.saturating_sub(bytes.len());
        fits
    });
    let scored = found.into_iter().filter_map(|bytes| Some((score(&bytes, stem)?, bytes)));
    // Of equals the first: original text comes before derived text.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, bytes)| bytes).unwrap_or_default()
}

/// Whether the file is a complete object of another loop.
pub(crate) fn is_of_another(bytes: &[u8], stem: &str) -> bool {
    first_value(bytes).is_some_and(|(node, _)| id(&node).is_some_and(|id| id != stem))
}

/// `loop_id`, or its older name.
pub(crate) fn id<'t>(node: &'t Node<'_>) -> Option<&'t str> {
    node.get("loop_id").text().or_else(|| node.get("session_id").text())
}

/// Whether the file begins with a complete state of the loop `stem`.
pub(crate) fn is_whole(bytes: &[u8], stem: &str) -> bool {
    first_value(bytes).is_some_and(|(node, _)| id(&node) == Some(stem) && node.get("status").text().is_some())
}

/// Whether it is complete, when it was written, and how much is readable; `None` for another loop.
fn score(bytes: &[u8], stem: &str) -> Option<(bool, Option<Timestamp>, usize)> {
    let json = Salvage::from_bytes(bytes).json;
    let id = ["loop_id", "session_id"].into_iter().find_map(|key| json.get(key)?.as_text());
    if id.is_some_and(|id| id != stem) {
        return None;
    }
    let whole = is_whole(bytes, stem);
    let updated = json.get("updated_at").and_then(Json::as_text).and_then(times::parse);
    Some((whole, updated.filter(|_| whole), fullness::leaves(&json).len()))
}

/// The bytes as text: UTF-16 if its mark says so, invalid UTF-8 as Windows' Latin-1, without surrounding
/// NULs.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|chunk| pair([chunk[0], chunk[1]]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, ..] => return Cow::Owned(wide(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => return Cow::Owned(wide(u16::from_be_bytes)),
        _ => {}
    }
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(start, |last| last + 1);
    let bytes = &bytes[start..end];
    let Err(_) = std::str::from_utf8(bytes) else { return String::from_utf8_lossy(bytes) };
    let mut text = String::with_capacity(bytes.len());
    let mut foreign: Vec<u8> = Vec::new();
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            letters(&mut foreign, &mut text);
            text.push_str(chunk.valid());
        }
        foreign.extend(chunk.invalid());
    }
    letters(&mut foreign, &mut text);
    Cow::Owned(text)
}

/// A few bytes in a row are letters; more are garbage, and a NUL ends the readable part.
fn letters(foreign: &mut Vec<u8>, text: &mut String) {
    const MOST_IN_A_ROW: usize = 3;
    let is_text = foreign.len() <= MOST_IN_A_ROW;
    text.extend(foreign.drain(..).map(|byte| if is_text { latin(byte) } else { '\0' }));
}

fn latin(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Both sides of a text with merge-conflict markers.
fn sides<'t>(text: &str) -> Vec<Cow<'t, str>> {
    if !text.lines().any(|line| line.starts_with("<<<<<<<")) {
        return Vec::new();
    }
    [0, 1].map(|wanted| Cow::Owned(side(text, wanted))).into()
}

fn side(text: &str, wanted: usize) -> String {
    let (mut kept, mut part) = (String::with_capacity(text.len()), None);
    for line in text.split_inclusive('\n') {
        match part {
            _ if line.starts_with("<<<<<<<") => part = Some(0),
            Some(_) if line.starts_with(">>>>>>>") => part = None,
            Some(_) if line.starts_with("=======") => part = Some(1),
            Some(_) if line.starts_with("|||||||") => part = Some(2), // the common ancestor
            _ if part.is_none_or(|part| part == wanted) => kept.push_str(line),
            _ => {}
        }
    }
    kept
}

/// Objects that start with an id later in the file: after a broken half, or within a list.
fn objects(text: &str) -> impl Iterator<Item = &[u8]> {
    let places = text.match_indices("\"loop_id\"").filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        before.ends_with('{').then(|| before.len() - 1)
    });
    places.filter(|at| *at > 0).take(MOST_OBJECTS).map(|at| &text.as_bytes()[at..])
}

/// The content of a string that was written instead of an object.
fn quoted(text: &str) -> Option<Vec<u8>> {
    let (node, _) = first_value(text.as_bytes())?;
    let Value::Text(inner) = &node.value else { return None };
    Some(inner.as_bytes().to_vec())
}

/// The first complete value of a file and where it ends, whatever bytes follow.
pub(crate) fn first_value(bytes: &[u8]) -> Option<(Node<'_>, usize)> {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let mut reader = Reader::new(&bytes[..valid]).ok()?;
    let node = Node::read(&mut reader).ok()?;
    Some((node, reader.offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";

    #[track_caller]
    fn check(what: &str, damaged: &[u8], expected: &str) {
        let found = best(damaged, STEM);
        let found = Salvage::from_bytes(&found).json;
        assert_eq!(found.compact(), expected, "{what}");
    }

    #[test]
    fn the_fullest_reading_counts() {
        let whole = format!("{{\"loop_id\":\"{STEM}\",\"title\":\"café\",\"status\":\"paused\"}}");
        let half = &whole[..whole.len() / 2];
        let latin: Vec<u8> =
            whole.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect();
        let wide: Vec<u8> =
            [0xfeff].into_iter().chain(whole.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        check("a whole object", whole.as_bytes(), &whole);
        check("Latin-1", &latin, &whole);
        check("UTF-16", &wide, &whole);
        check("NULs", &[b"\0\0", whole.as_bytes(), b"\0"].concat(), &whole);
        check("a half in front", format!("{half}{whole}").as_bytes(), &whole);
        check("a list", format!("[{whole}]").as_bytes(), &whole);
        check("a string", loopdeck_text::json_span::tree::quote(&whole).as_bytes(), &whole);
        check(
            "the first of two",
            format!("{whole}\n{}", whole.replace("paused", "failed")).as_bytes(),
            &whole,
        );
        let spoiled = [&whole.as_bytes()[..60], &[0xff; 9][..], &whole.as_bytes()[60..]].concat();
        check("garbage", &spoiled, &format!("{{\"loop_id\":\"{STEM}\"}}"));
        let other = whole.replace("3fa91c0e", "00000000");
        check("another loop", other.as_bytes(), "null");
        check("a part of another loop", &other.as_bytes()[..other.len() - 4], "null");
        assert!(is_of_another(other.as_bytes(), STEM) && !is_of_another(whole.as_bytes(), STEM));
    }

    #[test]
    fn of_two_sides_the_later_one_counts() {
        let head = format!("{{\"loop_id\":\"{STEM}\",\"status\":\"paused\",");
        let (older, newer) = (
            "\"n\":1,\"m\":1,\"updated_at\":\"2026-01-22T10:00:00Z\"",
            "\"updated_at\":\"2026-01-22T11:00:00Z\"",
        );
        for (ours, theirs) in [(older, newer), (newer, older)] {
            let text = format!(
                "{head}\n<<<<<<< HEAD\n{ours}\n||||||| base\n\"x\":\n=======\n{theirs}\n>>>>>>> theirs\n}}\n"
            );
            check("a conflict", text.as_bytes(), &format!("{head}{newer}}}"));
        }
    }
}
