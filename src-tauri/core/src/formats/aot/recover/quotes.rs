//! Lines of double-quoted text whose inner quotes are not escaped: simple scripts write them, and no YAML
//! reader accepts them.
//!
//! A line is fixed only if its meaning is clear: it starts with a key and a quote, ends with a quote, and is
//! not valid YAML.

use crate::formats::aot::read::front_matter;
use crate::formats::aot::read::front_matter::FrontMatter;
use loopdeck_text::text_edit::{self, TextEdit};
use loopdeck_text::yaml_span;
use std::ops::Range;

/// The lines to fix.
pub(crate) struct FixedLines {
    pub(crate) edits: Vec<TextEdit>,
    /// 1-based lines in the file.
    pub(crate) lines: Vec<u32>,
}

/// The fixes that make the front matter valid YAML; `None` when there are none, or when more is wrong.
pub(crate) fn fix(bytes: &[u8]) -> Option<FixedLines> {
    let front = front_matter::split(bytes).ok()?;
    let fixed = lines_of(bytes, &front)?;
    let after = text_edit::apply(bytes, &fixed.edits).ok()?;
    let again = front_matter::split(&after).ok()?;
    yaml_span::parse(again.text, again.start, again.first_line).ok().map(|_| fixed)
}

/// The text with all such lines fixed, whatever else is wrong with it.
pub(crate) fn fix_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, fixed) in escaped(text) {
        out.push_str(&text[at..range.start]);
        out.push_str(&fixed);
        at = range.end;
    }
    out + &text[at..]
}

fn lines_of(bytes: &[u8], front: &FrontMatter<'_>) -> Option<FixedLines> {
    let mut fixed = FixedLines { edits: Vec::new(), lines: Vec::new() };
    for (range, text) in escaped(front.text) {
        let place = front.start + range.start..front.start + range.end;
        fixed.lines.push(text_edit::line_of(bytes, place.start));
        fixed.edits.push(TextEdit::replace(place, text));
    }
    (!fixed.edits.is_empty()).then_some(fixed)
}

/// The quoted values of `text` that need escapes, each with its replacement.
fn escaped(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut block: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_end();
        let indent = bare.len() - bare.trim_start_matches(' ').len();
        if bare.is_empty() || block.is_some_and(|column| indent > column) {
            continue; // text of a block
        }
        block = begins_block(bare).then_some(indent);
        if let Some(value) = quoted_value(bare)
            && let Some(fixed) = escape(&bare[value.clone()])
        {
            found.push((start + value.start..start + value.end, fixed));
        }
    }
    found
}

/// Whether the deeper lines below form one text.
fn begins_block(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or_default();
    let marks = last.trim_start_matches(['|', '>']);
    marks.len() < last.len() && marks.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'))
}

/// The range of the value in a line `key: "…"` or `- key: "…"`.
fn quoted_value(line: &str) -> Option<Range<usize>> {
    let start = line.len() - line.trim_start_matches([' ', '-']).len();
    let colon = start + line[start..].find(':')?;
    let key = &line[start..colon];
    let named = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let value = line[colon + 1..].trim_start_matches(' ');
    let at = line.len() - value.len();
    (named && at > colon + 1 && value.len() > 2 && value.starts_with('"') && value.ends_with('"'))
        .then_some(at..line.len())
}

/// The value with its inner quotes escaped; `None` when it is already valid YAML.
pub(crate) fn escape(value: &str) -> Option<String> {
    if is_scalar(value) {
        return None;
    }
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(value.len() + 8);
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            // Existing escapes stay; any other backslash is literal.
            ('\\', Some('"' | '\\')) => out.extend(['\\', chars.next().unwrap_or_default()]),
            ('\\' | '"', _) => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    let fixed = format!("\"{out}\"");
    is_scalar(&fixed).then_some(fixed)
}

/// Whether a text is one YAML scalar, with or without a comment after it.
fn is_scalar(value: &str) -> bool {
    let line = format!("k: {value}\n");
    yaml_span::parse(&line, 0, 1)
        .is_ok_and(|tree| tree.root.get("k").and_then(yaml_span::YamlNode::text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_no_yaml_are_escaped() {
        let fixed = |line: &str| escaped(line).into_iter().map(|(_, text)| text).next();
        for (line, expected) in [
            ("    description: \"Say \"hi\" now\"\n", Some("\"Say \\\"hi\\\" now\"")),
            ("  - item: \"the \"x\"\"\n", Some("\"the \\\"x\\\"\"")),
            ("    description: \"a \\\"b\\\" \"c\" \\d\"\n", Some("\"a \\\"b\\\" \\\"c\\\" \\\\d\"")),
            ("    description: \"fine\"\n", None),
            ("    description: \"fine\" # \"x\"\n", None),
            ("    description: \"a\", \"b\n", None),
            ("    artifacts: [\"a \"b\" c\"]\n", None),
            ("    summary: |\n      k: \"a \"b\" c\"\n", None),
            ("    description: plain \"a\" and \"b\"\n", None),
        ] {
            assert_eq!(fixed(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_elsewhere_is_not_covered_up() {
        assert!(fix(b"---\na: \"x \"y\" z\"\nb: [1\n---\n").is_none());
        let fixed = fix(b"---\na: \"x \"y\" z\"\nb: 1\n---\n").expect("one line");
        assert_eq!(fixed.lines, [2]);
    }
}
