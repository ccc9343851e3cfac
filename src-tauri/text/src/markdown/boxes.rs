//! Boxes, and what a person takes for one.

use super::document::Mark;
use std::ops::Range;

/// Signs of boxes, with whether they are open. Check marks alone are none: they decorate any text.
const SIGNS: [(char, bool); 14] = [
    ('☐', true),
    ('□', true),
    ('▢', true),
    ('◻', true),
    ('◽', true),
    ('⬜', true),
    ('🔲', true),
    ('🔳', true),
    ('☑', false),
    ('☒', false),
    ('🗵', false),
    ('🗷', false),
    ('🗹', false),
    ('■', false),
];

/// Brackets that stand for a box: those that a keyboard has, and those of an input method.
const BRACKETS: [(char, char); 5] = [('[', ']'), ('(', ')'), ('［', '］'), ('（', '）'), ('【', '】')];

/// Stands for what is shown in another way, such as code or a link: a box can't begin there.
pub(super) const OTHER: char = '\u{1}';

/// The box at the start of `text`, with the bytes between its brackets.
pub(super) fn mark(text: &str) -> Option<(Mark, Range<usize>)> {
    let inner = text.strip_prefix('[')?;
    let sign = inner.chars().next().filter(|sign| !matches!(sign, '[' | ']' | '\n' | '\r'))?;
    // A sign may have a variation or an accent behind it.
    let rest = inner[sign.len_utf8()..].trim_start_matches(['\u{fe0e}', '\u{fe0f}', '\u{200d}', '\u{20e3}']);
    let behind = rest.strip_prefix(']')?;
    if !behind.is_empty() && !behind.starts_with(char::is_whitespace) {
        return None;
    }
    let mark = match sign {
        ' ' | '\t' => Mark::Open,
        'x' | 'X' => Mark::Ticked,
        _ => Mark::Unknown,
    };
    Some((mark, 1..text.len() - rest.len()))
}

/// Whether a line that is shown as `line` begins with something that looks like a box, and whether that looks open.
/// `is_item`: it has a bullet before it.
pub(super) fn looks_like_box(line: &str, is_item: bool) -> Option<bool> {
    let line = line.trim_start();
    let text = behind_bullet(line);
    let is_item = is_item || text.len() < line.len();
    let first = text.chars().next()?;
    if let Some((_, is_open)) = SIGNS.iter().find(|(sign, _)| *sign == first) {
        return Some(*is_open);
    }
    let (open, close) = *BRACKETS.iter().find(|(open, _)| *open == first)?;
    let inner = &text[open.len_utf8()..];
    let end = inner.find(close)?;
    let (inside, behind) = (&inner[..end], &inner[end + close.len_utf8()..]);
    if behind.starts_with(['[', '(']) || open != '[' && (!is_item || inside.is_empty()) {
        return None;
    }
    let sign = inside.trim();
    match sign.chars().next() {
        // "[]" is a list in many languages, so only a blank behind it makes it a box.
        None if !inside.is_empty() || behind.starts_with(char::is_whitespace) => Some(true),
        Some('x' | 'X') if sign.len() == 1 => Some(false),
        Some(other) if sign.len() == other.len_utf8() => {
            (is_item && open == '[' && !other.is_alphanumeric() && other != OTHER).then_some(true)
        }
        _ => None,
    }
}

/// The same for a line that isn't read as Markdown, such as one of code: only what would be a box there counts.
pub(super) fn is_raw_box(line: &str) -> Option<bool> {
    let line = line.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '>');
    let text = behind_bullet(line);
    if text.len() == line.len() {
        return None;
    }
    mark(text).map(|(mark, _)| mark != Mark::Ticked)
}

/// What is behind a bullet or number, with or without a blank.
fn behind_bullet(line: &str) -> &str {
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let behind = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•', '‣', '◦', '·', '–', '—'])
    };
    behind.map_or(line, str::trim_start)
}

/// What a tag is shown as: a field for a tick, or nothing.
pub(super) fn input(tag: &str) -> &'static str {
    let tag = tag.to_ascii_lowercase();
    match tag.starts_with("<input") && tag.contains("checkbox") {
        true if tag.contains("checked") => "☑",
        true => "☐",
        false => "",
    }
}

/// A line of HTML as it is shown.
pub(super) fn without_tags(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        shown.push_str(before);
        let Some((inner, behind)) = tag.split_once('>') else {
            return shown;
        };
        shown.push_str(input(&format!("<{inner}")));
        rest = behind;
    }
    shown.push_str(rest);
    shown
}
