//! Where lines, keys and values start and end in the bytes, for the editor, in addition to the tree's ranges.

use super::front_matter::line_end;
use loopdeck_text::yaml_span::{Entry, YamlKind, YamlNode};
use std::ops::Range;

/// The first byte of the line that contains `at`.
pub(crate) fn line_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..at.min(bytes.len())]).map_or(0, |n| n + 1)
}

/// The first byte of the line after the one that contains `at`; `None` on the last line.
pub(crate) fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let end = line_end(bytes, at);
    (end < bytes.len()).then_some(end + 1)
}

/// The line end in use just before `at`.
pub(crate) fn eol_before(bytes: &[u8], at: usize) -> &'static str {
    if bytes[..at.min(bytes.len())].ends_with(b"\r\n") { "\r\n" } else { "\n" }
}

/// The colon after a key that ends at `at`, on the same line.
pub(crate) fn colon_after(bytes: &[u8], at: usize) -> Option<usize> {
    let gap = bytes[at..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    (bytes[at + gap] == b':').then_some(at + gap)
}

/// The end of the line on which a value ends, without its line break; `from` is the byte after the colon.
pub(crate) fn text_end(bytes: &[u8], from: usize, value: &Range<usize>) -> usize {
    let last = from.max(value.start + trimmed(&bytes[value.clone()]));
    let end = line_end(bytes, last);
    if end > from && bytes[end - 1] == b'\r' { end - 1 } else { end }
}

/// Spaces before the key of an entry that is first on its line; `None` when there is something else.
pub(crate) fn indent_of(bytes: &[u8], entry: &Entry<'_>) -> Option<String> {
    let at = entry.key.range.start;
    let lead = &bytes[line_start(bytes, at)..at];
    lead.iter().all(|byte| *byte == b' ').then(|| " ".repeat(lead.len()))
}

/// Spaces before the dash of a list item whose content starts at `at`.
pub(crate) fn dash_indent(bytes: &[u8], at: usize) -> Option<String> {
    let lead = &bytes[line_start(bytes, at)..at];
    let spaces = lead.iter().take_while(|byte| **byte == b' ').count();
    let dash = lead.get(spaces) == Some(&b'-') && lead[spaces + 1..].iter().all(|byte| *byte == b' ');
    dash.then(|| " ".repeat(spaces))
}

/// The end of an entry, without trailing line breaks and spaces.
pub(crate) fn entry_end(bytes: &[u8], entry: &Entry<'_>) -> usize {
    node_end(bytes, &entry.value).max(entry.key.range.end)
}

/// The end of a value, without trailing line breaks and spaces.
pub(crate) fn node_end(bytes: &[u8], node: &YamlNode<'_>) -> usize {
    let last = match &node.kind {
        YamlKind::Seq(items, _) if !node.is_flow() => items.last(),
        YamlKind::Map(entries, _) if !node.is_flow() => entries.last().map(|entry| &entry.value),
        _ => None,
    };
    match last {
        Some(last) => node_end(bytes, last).max(node.range.start),
        None => node.range.start + trimmed(&bytes[node.range.clone()]),
    }
}

fn trimmed(text: &[u8]) -> usize {
    text.trim_ascii_end().len()
}
