//! Lists in front matter, which agents write in ways that aren't YAML, and texts between tags.

use crate::boxes::one_line;
use loopdeck_text::shorten;

/// The text between two marks, without blanks around it.
pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let inner = text.split_once(start).map_or("", |(_, rest)| rest);
    inner.split_once(end).map_or("", |(inner, _)| inner).trim()
}

/// The entries of a list in front matter, of each its first line without key and quotes. Line by line, as upstream's tools read it:
/// agents write what isn't YAML.
pub(super) fn entries(front: &str, key: &str) -> Vec<String> {
    let mut lines = front.lines();
    let value = lines.by_ref().find_map(|line| {
        let value = line.trim_start().strip_prefix(key)?.strip_prefix(':')?;
        Some((line.len() - line.trim_start().len(), value.trim()))
    });
    let Some((indent, value)) = value else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(first) = value.strip_prefix('[') {
        for line in std::iter::once(first).chain(lines) {
            let (inner, end) = line.split_once(']').map_or((line, false), |(inner, _)| (inner, true));
            all.extend(inner.split(',').map(scalar));
            if end {
                break;
            }
        }
    } else if !value.is_empty() && !value.starts_with('#') {
        all.push(scalar(value));
    } else {
        let mut column = None;
        for line in lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
            let trimmed = line.trim_start();
            let at = line.len() - trimmed.len();
            match trimmed.strip_prefix("- ") {
                Some(entry) if at >= indent && at == *column.get_or_insert(at) => all.push(scalar(entry)),
                Some(_) if at >= indent => {}
                _ if at <= indent => break,
                _ => {}
            }
        }
    }
    all.retain(|entry| !entry.is_empty() && entry != "none" && entry != "null");
    all
}

/// A text without its key, quotes and comment.
fn scalar(written: &str) -> String {
    let mut text = written.trim();
    for key in ["test:", "truth:", "statement:", "path:", "name:", "plan:"] {
        text = text.strip_prefix(key).map_or(text, str::trim);
    }
    for quote in ['"', '\''] {
        if let Some((inner, _)) = text.strip_prefix(quote).and_then(|text| text.rsplit_once(quote)) {
            return one_line(&shorten(inner, 1_000));
        }
    }
    one_line(&shorten(text.split(" #").next().unwrap_or(text), 1_000))
}
