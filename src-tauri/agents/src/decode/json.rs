//! Fields of an event as the decoders need them: absent when they have another type.

use crate::Clip;
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::{Node, Value};

/// A string.
pub(super) fn text(node: &Node<'_>) -> Option<String> {
    node.text().map(str::to_owned)
}

/// A string short enough for a name or an id.
pub(super) fn name(node: &Node<'_>) -> Option<String> {
    node.text().map(|text| Clip::cut(text, 200, text.len()).text)
}

/// A string unchanged, anything else as JSON text; empty when absent.
pub(super) fn text_or_json(node: &Node<'_>) -> Clip {
    match &node.value {
        Value::Null => Clip::default(),
        Value::Text(text) => Clip::from_text(text),
        _ => Clip::from_text(&node.json(None, crate::lines::LINE_LIMIT)),
    }
}

/// Like [`shown`], absent when the field is.
pub(super) fn optional(node: &Node<'_>) -> Option<Clip> {
    (!node.is_null()).then(|| text_or_json(node))
}

/// A whole number that is not negative.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be whole and in range
pub(super) fn count(node: &Node<'_>) -> Option<u64> {
    let number = node.number()?;
    (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
}

/// Like [`count`], for small numbers.
pub(super) fn small(node: &Node<'_>) -> Option<u32> {
    count(node).and_then(|count| u32::try_from(count).ok())
}

/// A small number, possibly written as a string.
pub(super) fn status(node: &Node<'_>) -> Option<u32> {
    small(node).or_else(|| node.text()?.parse().ok())
}

/// An exit code.
#[allow(clippy::cast_possible_truncation)] // checked to be whole and in range
pub(super) fn exit_code(node: &Node<'_>) -> Option<i32> {
    let number = node.number()?;
    let fits = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    fits.then_some(number as i32)
}

/// A sum of tokens: 0 when absent.
pub(super) fn tokens(node: &Node<'_>) -> u64 {
    count(node).unwrap_or(0)
}

/// Names in a list: strings, or objects with a `name`.
pub(super) fn names(node: &Node<'_>, limit: usize) -> Vec<String> {
    let of = |item: &Node<'_>| {
        name(item).or_else(|| name(item.get("name"))).unwrap_or_else(|| text_or_json(item).text)
    };
    node.items().iter().take(limit).map(of).collect()
}

/// What failed, and why if given: strings, or objects with a name and a message.
pub(super) fn failures(node: &Node<'_>, limit: usize) -> Vec<String> {
    let first = |item: &Node<'_>, keys: [&str; 2]| {
        keys.into_iter().find_map(|key| item.get(key).text().map(str::to_owned))
    };
    let of = |item: &Node<'_>| match (first(item, ["plugin", "name"]), first(item, ["message", "error"])) {
        (Some(name), Some(why)) => Clip::from_text(&format!("{name}: {why}")).text,
        (Some(one), None) | (None, Some(one)) => Clip::from_text(&one).text,
        (None, None) => text_or_json(item).text,
    };
    node.items().iter().take(limit).map(of).collect()
}

/// The exact bytes of a field in the line; none when it is absent or null.
pub(super) fn exact(text: &str, object: &Node<'_>, key: &str) -> Option<String> {
    // An absent field has no position of its own.
    let node = object.find(key).filter(|node| !node.is_null())?;
    let span = Reader::at(text, node.at).skip().ok()?;
    Some(text[span].to_owned())
}

/// The texts of a list of content blocks, or the string used instead.
pub(super) fn content(node: &Node<'_>) -> Clip {
    let blocks = node.items();
    let mut texts = blocks.iter().filter_map(|block| block.get("text").text()).peekable();
    if texts.peek().is_none() {
        return text_or_json(node);
    }
    Clip::from_text(&texts.collect::<Vec<_>>().join("\n"))
}
