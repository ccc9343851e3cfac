//! Reading a damaged master: the same bytes can be read in several ways (an older encoding, a partial copy
//! before the complete one, two sides of a merge), and the most complete one counts (the CCW contract §16).

use super::fullness;
use crate::times::{self, Timestamp};
use loopdeck_text::almost_json::{self, Corrected, CutText};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::{Node, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Most objects tried in one file.
const MOST_OBJECTS: usize = 16;
/// Most bytes in all readings of one file.
const MOST_READ: usize = 64 << 20;

/// What a damaged file says of its loop.
#[derive(Debug, Default)]
pub(crate) struct OwnReading {
    /// Strict JSON: the object of the loop, its untouched bytes as they are. Empty when there is none.
    pub(crate) object: Corrected<'static>,
    /// Whether a line break follows the object.
    pub(crate) line_end: bool,
    /// For a file with Git's conflict marks: which side was taken, and the paths whose values differ.
    pub(crate) side: Option<(&'static str, BTreeSet<String>)>,
}

impl OwnReading {
    /// The object with the line break that belongs to the file, if all of it could be read and it is a state of the loop.
    pub(crate) fn whole(&self, stem: &str) -> Option<Vec<u8>> {
        let is_all = self.object.lost.is_empty() && self.object.open.is_none();
        let end = if self.line_end { "\n" } else { "" };
        (is_all && is_whole(self.object.text.as_bytes(), stem))
            .then(|| format!("{}{end}", self.object.text.trim_end()).into_bytes())
    }
}

/// What the damaged file says of the loop `stem`; nothing when it is another loop's.
pub(crate) fn best(damaged: &[u8], stem: &str) -> OwnReading {
    if let Some((node, end)) = first_value(damaged).filter(|(node, _)| is_state(node, stem))
        && let Ok(text) = std::str::from_utf8(&damaged[node.at..end])
    {
        let object = almost_json::correct(text, CutText::Lost).map(owned).unwrap_or_default();
        return OwnReading { object, line_end: damaged.get(end) == Some(&b'\n'), side: None };
    }
    let (text, _) = almost_json::decode(damaged);
    let sides = sides(&text);
    let found: Vec<_> = sides.iter().map(|side| best_of(side, stem)).collect();
    if let [Some(ours), Some(theirs)] = &found[..] {
        let differing = differing(&ours.1, &theirs.1);
        let second = theirs.0 > ours.0;
        let side = (if second { "theirs" } else { "ours" }, differing);
        let object = found.into_iter().flatten().nth(usize::from(second)).map(|(_, object)| object);
        return OwnReading {
            object: object.unwrap_or_default(),
            line_end: text.ends_with('\n'),
            side: Some(side),
        };
    }
    let object =
        found.into_iter().flatten().next().or_else(|| best_of(&text, stem)).map(|(_, object)| object);
    OwnReading { object: object.unwrap_or_default(), line_end: text.ends_with('\n'), side: None }
}

/// How good a reading is: whether it is a state of the loop without losses, whether it is strict JSON, when it was
/// written, and how much is readable.
type Score = (bool, bool, Option<Timestamp>, usize);

/// The best reading of a text.
fn best_of(text: &str, stem: &str) -> Option<(Score, Corrected<'static>)> {
    let mut found: Vec<Corrected<'static>> = Vec::new();
    let whole = almost_json::correct(text, CutText::Lost);
    found.extend(whole.as_ref().filter(|whole| whole.text.starts_with('"')).and_then(quoted));
    found.extend(whole.map(owned));
    let mut left = MOST_READ;
    for object in objects(text) {
        let Some(rest) = left.checked_sub(object.len()) else { break };
        left = rest;
        found.extend(almost_json::first_object(object, CutText::Lost).map(owned));
    }
    let scored = found.into_iter().filter_map(|object| Some((score(&object, stem)?, object)));
    // Of equals the first: original text comes before derived text.
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

fn owned(object: Corrected<'_>) -> Corrected<'static> {
    object.into_owned()
}

/// The paths of values that two readings have differently.
fn differing(ours: &Corrected<'_>, theirs: &Corrected<'_>) -> BTreeSet<String> {
    let [ours, theirs] = [ours, theirs].map(|object| fullness::leaves(&Json::from_node(&object.node())));
    let all: BTreeSet<&Vec<String>> = ours.keys().chain(theirs.keys()).collect();
    all.into_iter()
        .filter(|path| ours.get(*path) != theirs.get(*path))
        .map(|path| fullness::path_text(path))
        .collect()
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
    first_value(bytes).is_some_and(|(node, _)| is_state(&node, stem))
}

fn is_state(node: &Node<'_>, stem: &str) -> bool {
    id(node) == Some(stem) && node.get("status").text().is_some()
}

/// `None` for another loop.
fn score(object: &Corrected<'_>, stem: &str) -> Option<Score> {
    let node = object.node();
    if id(&node).is_some_and(|id| id != stem) {
        return None;
    }
    let whole = is_state(&node, stem) && object.lost.is_empty() && object.open.is_none();
    let updated = node.get("updated_at").text().and_then(times::parse).filter(|_| whole);
    Some((whole, object.is_strict(), updated, fullness::leaves(&Json::from_node(&node)).len()))
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
fn objects(text: &str) -> impl Iterator<Item = &str> {
    let places = text.match_indices("\"loop_id\"").filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        before.ends_with('{').then(|| before.len() - 1)
    });
    places.filter(|at| *at > 0).take(MOST_OBJECTS).map(|at| &text[at..])
}

/// The content of a string that was written instead of an object.
fn quoted(whole: &Corrected<'_>) -> Option<Corrected<'static>> {
    let node = whole.node();
    let Value::Text(inner) = &node.value else { return None };
    almost_json::correct(inner, CutText::Lost).map(owned)
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
        assert_eq!(Json::from_node(&found.object.node()).compact(), expected, "{what}");
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
        check("garbage", &spoiled, &whole.replace("\"title\":\"café\",", ""));
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
