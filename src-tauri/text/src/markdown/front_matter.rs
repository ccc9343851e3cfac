//! Front matter: what tools put before Markdown between two lines of three dashes. CommonMark doesn't know it, so a text says
//! by its content whether it has any.

use super::boxes;
use crate::yaml_span;
use std::ops::Range;

/// Where Markdown begins, behind a byte order mark and front matter, and what is in that.
pub(super) fn split(text: &str) -> (usize, Range<usize>) {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let none = (start, start..start);
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return none };
    let inside = start + first.len();
    let mut at = inside;
    for line in lines {
        let end = at + line.len();
        if matches!(line.trim_end(), "---" | "...") && !line.starts_with(char::is_whitespace) {
            return if is_front_matter(&text[inside..at]) { (end, inside..at) } else { none };
        }
        at = end;
    }
    none
}

/// Whether it is a map of YAML. One that isn't valid counts by its first line, unless work could be hidden in it: then the dashes
/// are rules of Markdown.
fn is_front_matter(text: &str) -> bool {
    if text.trim().is_empty() {
        return true;
    }
    match yaml_span::parse(text, 0, 1) {
        Ok(tree) => tree.root.is_map(),
        Err(_) => {
            begins_with_key(text) && text.lines().all(|line| boxes::looks_like_box(line, false).is_none())
        }
    }
}

fn begins_with_key(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    first.and_then(|line| line.split_once(':')).is_some_and(|(key, _)| {
        !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || "_-.\"'".contains(letter))
    })
}
