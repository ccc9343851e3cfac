//! Where in a text the value is.

use super::blank::past;
use super::correct::Corrector;
use super::{Corrected, Correction, CorrectionKind as Kind, CutText};

/// Opening braces that are tried when the objects of a text are broken.
const MOST_TRIES: usize = 400;
/// Bytes that these tries read in all.
const MOST_TRIED: usize = 16 << 20;

/// The only value of a text: its longest object, or else its first list.
pub(super) fn document(text: &str, cut: CutText) -> Option<Corrected<'_>> {
    let longest = top_level(text, cut)
        .into_iter()
        .reduce(|best, next| if next.0.text.len() > best.0.text.len() { next } else { best });
    let is_list = |at: usize| longest.as_ref().is_none_or(|(_, begin, _)| at < *begin);
    let list = text.bytes().position(|byte| byte == b'[').filter(|at| is_list(*at) && begins_list(text, *at));
    let list = list.map(|at| {
        let (corrected, end) = Corrector::new(text, at, cut).container_here();
        (corrected, at, end)
    });
    let holds = |end: usize| longest.as_ref().is_none_or(|(.., last)| *last <= end);
    let (found, from, to) = list.filter(|(.., end)| holds(*end)).or(longest)?;
    Some(surrounded(found, text, from, to))
}

/// Says that there is text around the value.
fn surrounded<'t>(mut found: Corrected<'t>, text: &str, from: usize, to: usize) -> Corrected<'t> {
    let before = text[..from].trim_start_matches('\u{feff}').trim();
    let mut add = |kind, at: usize| {
        let line = crate::text_edit::line_of(text.as_bytes(), at);
        found.corrections.insert(0, Correction { kind, at, line });
        found.count += 1;
    };
    if !before.is_empty() || !text[to..].trim().is_empty() {
        add(Kind::Surrounded, if before.is_empty() { to } else { 0 });
    }
    if text.starts_with('\u{feff}') {
        add(Kind::ByteOrderMark, 0);
    }
    found
}

/// The objects of a text, the most likely answer first: from the last to the first; when one of them is broken, then also
/// those that begin at the last braces, because a broken one may have taken in what follows it.
pub fn objects(text: &str, cut: CutText) -> impl Iterator<Item = Corrected<'_>> {
    let found = top_level(text, cut);
    let broken = found.iter().any(|(corrected, ..)| !corrected.lost.is_empty() || corrected.open.is_some());
    let starts: Vec<usize> = found.iter().map(|(_, at, _)| *at).collect();
    let braces = text.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'{').map(|(at, _)| at);
    let mut left = if broken { MOST_TRIED } else { 0 };
    let again = braces.take(MOST_TRIES).filter(move |at| !starts.contains(at)).map_while(move |at| {
        left = left.checked_sub(text.len() - at)?;
        Some(begins_object(text, at).then(|| Corrector::new(text, at, cut).container_here().0))
    });
    found
        .into_iter()
        .rev()
        .map(|(corrected, ..)| corrected)
        .chain(again.flatten().filter(|corrected| corrected.open.is_none()))
}

/// The first object of a text.
#[must_use]
pub fn first_object(text: &str, cut: CutText) -> Option<Corrected<'_>> {
    let mut braces = memchr::memchr_iter(b'{', text.as_bytes());
    let at = braces.find(|at| begins_object(text, *at))?;
    Some(Corrector::new(text, at, cut).container_here().0)
}

/// The objects that are not within another one, with their offsets.
fn top_level(text: &str, cut: CutText) -> Vec<(Corrected<'_>, usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    // The first of all may have a fault in its first key.
    let first = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
    let is_first =
        |at: usize| at == first && text.as_bytes().get(past(text.as_bytes(), at + 1)) == Some(&b'"');
    while let Some(length) = memchr::memchr(b'{', &text.as_bytes()[from..]) {
        let at = from + length;
        from = at + 1;
        if begins_object(text, at) || is_first(at) {
            let (corrected, end) = Corrector::new(text, at, cut).container_here();
            from = end.max(from);
            found.push((corrected, at, end));
        }
    }
    found
}

/// Whether an object may begin with the brace at `at`: it ends at once, or a key follows.
pub(super) fn begins_object(text: &str, at: usize) -> bool {
    let reader = Corrector::new(text, at, CutText::Lost);
    let mut next = past(text.as_bytes(), at + 1);
    if text.as_bytes().get(next) == Some(&b',') {
        next = past(text.as_bytes(), next + 1);
    }
    match text.as_bytes().get(next) {
        None | Some(b'}') => true,
        // Cut off in or behind its first key.
        Some(b'"') if is_last_string(text, next) => true,
        Some(_) => reader.is_key_at(next),
    }
}

/// Whether nothing follows the string that begins at `at`.
fn is_last_string(text: &str, at: usize) -> bool {
    let end = memchr::memchr(b'"', &text.as_bytes()[at + 1..]).map_or(text.len(), |length| at + length + 2);
    past(text.as_bytes(), end) == text.len()
}

fn begins_list(text: &str, at: usize) -> bool {
    let next = past(text.as_bytes(), at + 1);
    matches!(
        text.as_bytes().get(next),
        None | Some(b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9' | b'n' | b't' | b'f')
    )
}
