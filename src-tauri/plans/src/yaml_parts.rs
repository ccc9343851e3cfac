//! YAML that people and agents edit by hand, part by part: a fault in one part leaves the others readable, and the places are right.

use crate::finding::{Finding, FindingCode};
use crate::format::Lines;
use loopdeck_text::yaml_span::{Entry, ScalarForm, YamlKind, YamlNode, parse};
use std::ops::Range;

/// A part of a block mapping: a key with its value.
pub(crate) struct YamlPart<'t> {
    pub(crate) key: String,
    /// Where it is, the comments below it included.
    pub(crate) range: Range<usize>,
    /// Where it isn't YAML: the rest of its first line without a comment.
    pub(crate) value: YamlNode<'t>,
    /// Why it isn't YAML.
    pub(crate) fault: Option<Finding>,
}

/// The parts of a block, read.
pub(crate) fn yaml_parts<'t>(
    text: &'t str,
    range: Range<usize>,
    lines: &Lines,
) -> impl Iterator<Item = YamlPart<'t>> {
    part_ranges(text, range).into_iter().filter_map(move |range| YamlPart::at(text, range, lines))
}

/// Where the parts of a block are: each begins with a line of the block's own indentation, and has what is indented deeper, lists at
/// its own indentation, comments and empty lines.
pub(crate) fn part_ranges(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut own = None;
    let mut at = range.start;
    for line in text[range].split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        let is_blank = content.trim().is_empty() || content.starts_with('#');
        let is_list = content.starts_with("- ") && !found.is_empty();
        if !is_blank && !is_list && own.is_none_or(|own| indent <= own) {
            own = own.or(Some(indent));
            found.push(at..at);
        }
        at += line.len();
        if let Some(last) = found.last_mut() {
            last.end = at;
        }
    }
    found
}

/// The key of a part as its first line has it, without quotes.
pub(crate) fn key_of<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let line = text[range.clone()].lines().next().unwrap_or_default();
    line.split(':').next().unwrap_or_default().trim().trim_matches(['"', '\''])
}

impl<'t> YamlPart<'t> {
    /// The part that is there; `None` for a line that is no key.
    pub(crate) fn at(text: &'t str, range: Range<usize>, lines: &Lines) -> Option<Self> {
        Self::plain(text, &range, lines).or_else(|| Self::read(text, range, lines))
    }

    /// A line `key: word # comment` alone, as most are: the parser isn't needed for it.
    fn plain(text: &'t str, range: &Range<usize>, lines: &Lines) -> Option<Self> {
        let is_plain = |text: &str| {
            text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.'))
        };
        let inner = &text[range.clone()];
        let (line, below) = inner.split_once('\n').unwrap_or((inner, ""));
        let (key, rest) = line.trim_start_matches(' ').split_once(':')?;
        let word = rest.split(" #").next()?.trim_matches([' ', '\r']);
        let is_spaced = rest.starts_with(' ') || rest.trim_end().is_empty();
        let begins = |text: &str| text.is_empty() || text.starts_with(char::is_alphabetic);
        let is_alone =
            below.lines().all(|line| line.trim().is_empty() || line.trim_start_matches(' ').starts_with('#'));
        if !(is_spaced
            && is_plain(key)
            && is_plain(word)
            && begins(word)
            && !key.starts_with(['-', '.'])
            && is_alone)
        {
            return None;
        }
        // Nothing is where its key ends.
        let start = if word.is_empty() { ":".len() + rest.len() } else { rest.trim_start_matches(' ').len() };
        let at = range.start + line.len() - start;
        let mut value = YamlNode::written(word, ScalarForm::Plain, at);
        value.range.end += word.len();
        value.line = lines.of_byte(at);
        let is_word = (word.is_empty() || !value.is_null()) && !matches!(key, "null" | "Null" | "NULL" | "");
        is_word.then(|| Self { key: key.to_owned(), range: range.clone(), value, fault: None })
    }

    fn read(text: &'t str, range: Range<usize>, lines: &Lines) -> Option<Self> {
        let inner = &text[range.clone()];
        match parse(inner, range.start, lines.of_byte(range.start)) {
            Ok(tree) => {
                let Entry { key, value } = tree.root.entries().first()?.clone();
                let key = key.text()?.clone().into_owned();
                Some(Self { key, range, value, fault: None })
            }
            Err(error) => {
                let (_, rest) = inner.lines().next()?.split_once(':')?;
                let rest = rest.split(" #").next()?.trim();
                let fault =
                    Finding::new(FindingCode::Corrected).with("found", error.reason).at_line(error.line);
                let value = YamlNode::written(rest, ScalarForm::Plain, range.start);
                let key = key_of(text, &range).to_owned();
                Some(Self { key, range, value, fault: Some(fault) })
            }
        }
    }
}

/// Whether a value is a word on one line, so that another word can stand in its place.
pub(crate) fn is_replaceable(text: &str, node: &YamlNode<'_>) -> bool {
    let is_word = matches!(&node.kind, YamlKind::Scalar(_, form) if *form != ScalarForm::Block);
    let written = text.get(node.range.clone()).unwrap_or_default();
    is_word && !node.tagged && !written.is_empty() && !written.contains('\n')
}

/// The comment behind a value, on its line.
pub(crate) fn comment_behind<'t>(text: &'t str, node: &YamlNode<'_>) -> Option<&'t str> {
    let rest = text.get(node.range.end..)?.lines().next()?;
    rest.trim_start().strip_prefix('#').map(|comment| comment.trim_start_matches('#').trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_in_one_part_leaves_the_others() {
        let text = "a: 1 # one\nb: it: is\nc:\n- x\n\n# note\n'd': {e: f}\nno key\ng: 2\n\th: 3\n";
        let parts: Vec<_> = yaml_parts(text, 0..text.len(), &Lines::of(text)).collect();
        let keys: Vec<&str> = parts.iter().map(|part| part.key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "d", "g"]);
        assert_eq!(&text[parts[0].value.range.clone()], "1");
        assert_eq!(parts[1].value.text().map(AsRef::as_ref), Some("it: is"));
        assert_eq!(parts[1].fault.as_ref().map(|fault| fault.line), Some(Some(2)));
        assert_eq!(parts[2].value.items().len(), 1);
        assert!(parts[3].fault.is_none() && parts[3].value.is_flow());
    }

    #[test]
    fn places_are_those_of_the_file() {
        let text = "\u{feff}x:\r\n  a: one\r\n  # note\r\n  b:\r\n    c: two\r\n";
        let parts: Vec<_> =
            yaml_parts(text, text.find("  a").unwrap_or(0)..text.len(), &Lines::of(text)).collect();
        assert_eq!(&text[parts[0].value.range.clone()], "one");
        assert_eq!(
            parts[1].value.get("c").map(|node| (&text[node.range.clone()], node.line)),
            Some(("two", 5))
        );
    }

    #[test]
    fn a_plain_line_says_what_the_parser_says() {
        let words = [
            "done",
            "in-progress",
            "é.1",
            "null",
            "Null",
            "~",
            "",
            "-",
            "a b",
            "1",
            "a:",
            "a#",
            "[a",
            "true",
        ];
        let ends = ["", " ", " # note", "  #", "#", "\r", " # é\r"];
        for (word, end) in words.iter().flat_map(|word| ends.iter().map(move |end| (word, end))) {
            for key in ["  1-1-a", "é", "a.b", "a b", "'q'", "-a", "null", "~", "12", "2.5"] {
                for below in ["", "\n", "\n\n  # c\n", "\n    more\n", "\n# c\n    more"] {
                    let text = format!("x\n{key}: {word}{end}{below}");
                    let lines = Lines::of(&text);
                    let Some(plain) = YamlPart::plain(&text, &(2..text.len()), &lines) else { continue };
                    let parsed = YamlPart::read(&text, 2..text.len(), &lines).unwrap();
                    assert_eq!((&plain.key, &plain.value), (&parsed.key, &parsed.value), "{text:?}");
                    assert!(parsed.fault.is_none(), "{text:?}");
                }
            }
        }
        let text = "  1-1-a: done # note\n";
        assert!(YamlPart::plain(text, &(0..text.len()), &Lines::of(text)).is_some());
    }
}
