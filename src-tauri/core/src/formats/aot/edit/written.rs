//! Values and blocks as Loopdeck writes them (AoT contract §4, L4, L9, L15 to L18, L22).

use loopdeck_text::yaml_span::{CollectionStyle, Entry, ScalarForm, YamlKind, YamlNode};
use std::borrow::Cow;

/// Longest reason that is written.
pub(crate) const MAX_REASON: usize = 500;
/// Longest other text that is written.
pub(crate) const MAX_TEXT: usize = 20_000;

/// A value to write.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// A word or number.
    Plain(Cow<'static, str>),
    /// Text in double quotes on one line (L9, L15).
    Quoted(String),
    /// Text of several lines (L22).
    Lines(Vec<String>),
    /// A list on one line (L17, L18).
    List(Vec<Written>),
}

/// Keys with values, in writing order.
pub(crate) type Fields = Vec<(&'static str, Written)>;

impl Written {
    pub(crate) fn word(word: &'static str) -> Self {
        Self::Plain(Cow::Borrowed(word))
    }

    pub(crate) fn number(number: impl std::fmt::Display) -> Self {
        Self::Plain(Cow::Owned(number.to_string()))
    }

    pub(crate) fn reason(text: &str) -> Self {
        Self::Quoted(one_line(text, MAX_REASON))
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::Quoted(one_line(text, MAX_TEXT))
    }

    /// An id or group name: bare where every reader takes it for text (L16).
    pub(crate) fn id(id: &str) -> Self {
        if is_bare(id) { Self::Plain(Cow::Owned(id.to_owned())) } else { Self::Quoted(id.to_owned()) }
    }

    pub(crate) fn ids<'i>(ids: impl IntoIterator<Item = &'i str>) -> Self {
        Self::List(ids.into_iter().map(Self::id).collect())
    }

    pub(crate) fn texts<'i>(texts: impl IntoIterator<Item = &'i str>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// A text that may have several lines.
    pub(crate) fn summary(text: &str) -> Self {
        let flat = |line: &str| one_line(&format!("|{line}"), MAX_TEXT)[1..].to_owned();
        let lines: Vec<String> = text.trim().lines().map(|line| flat(line.trim_end())).collect();
        let literal = lines.len() > 1 && lines[0].starts_with(|c: char| !c.is_whitespace());
        if literal { Self::Lines(lines) } else { Self::text(text) }
    }

    /// The same with every text in quotes.
    pub(crate) fn as_json(&self) -> Self {
        let is_bare = |word: &str| matches!(word, "true" | "false" | "null") || word.parse::<i64>().is_ok();
        match self {
            Self::Plain(word) if !is_bare(word) => Self::Quoted(word.clone().into_owned()),
            Self::List(items) => Self::List(items.iter().map(Self::as_json).collect()),
            Self::Lines(lines) => Self::text(&lines.join(" ")),
            other => other.clone(),
        }
    }

    /// The text after `key:` on the line, for a key at `column`.
    pub(crate) fn yaml(&self, column: usize, eol: &str) -> Cow<'_, str> {
        match self {
            Self::Plain(word) => Cow::Borrowed(word),
            Self::Quoted(text) => {
                Cow::Owned(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            Self::List(items) => {
                let items: Vec<Cow<'_, str>> = items.iter().map(|item| item.yaml(column, eol)).collect();
                Cow::Owned(format!("[{}]", items.join(", ")))
            }
            Self::Lines(lines) => {
                let mut text = "|-".to_owned();
                for line in lines {
                    text.push_str(eol);
                    if !line.is_empty() {
                        text.push_str(&" ".repeat(column + 2));
                        text.push_str(line);
                    }
                }
                Cow::Owned(text)
            }
        }
    }

    pub(crate) fn node<'a>(&self, at: usize) -> YamlNode<'a> {
        match self {
            Self::Plain(word) => YamlNode::written(word.clone(), ScalarForm::Plain, at),
            Self::Quoted(text) => YamlNode::written(text.clone(), ScalarForm::Double, at),
            Self::Lines(lines) => YamlNode::written(lines.join("\n"), ScalarForm::Block, at),
            Self::List(items) => {
                let items = items.iter().map(|item| item.node(at)).collect();
                YamlNode {
                    kind: YamlKind::Seq(items, CollectionStyle::Flow),
                    ..YamlNode::written("", ScalarForm::Plain, at)
                }
            }
        }
    }
}

/// Makes any text a single line that all readers of the file read the same way (L13, L15).
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let flat: String = text.chars().map(|c| if blank(c) { ' ' } else { c }).collect();
    flat.replace("---", "—").trim().chars().take(limit).collect()
}

/// Whether `id` is written without quotes: every YAML reader takes it for text or a number.
fn is_bare(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    id.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.bytes().all(plain) && !is_yaml_word(id)
}

/// Words that YAML readers do not take for text.
pub(crate) fn is_yaml_word(text: &str) -> bool {
    let word = text.to_ascii_lowercase();
    matches!(word.as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "~" | "")
}

/// A map that is not in the file yet.
pub(crate) fn map_node<'a>(fields: &Fields) -> YamlNode<'a> {
    let entry = |(key, value): &(&'static str, Written)| Entry {
        key: YamlNode::written(Cow::Borrowed(*key), ScalarForm::Plain, 0),
        value: value.node(0),
    };
    YamlNode::written_map(fields.iter().map(entry).collect(), 0)
}

/// The lines of a list item whose dash follows `indent`.
pub(crate) fn item_lines(fields: &Fields, indent: &str, eol: &str) -> String {
    let line = |(index, (key, value)): (usize, &(&'static str, Written))| {
        let lead = if index == 0 { "- " } else { "  " };
        format!("{indent}{lead}{key}: {}{eol}", value.yaml(indent.len() + 2, eol))
    };
    fields.iter().enumerate().map(line).collect()
}

/// The lines of a map entry whose key follows `indent`.
pub(crate) fn entry_lines(key: &str, fields: &Fields, indent: &str, eol: &str) -> String {
    let line = |(name, value): &(&'static str, Written)| {
        format!("{indent}  {name}: {}{eol}", value.yaml(indent.len() + 2, eol))
    };
    let lines: String = fields.iter().map(line).collect();
    format!("{indent}{}:{eol}{lines}", Written::id(key).yaml(0, eol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line_and_summaries_keep_theirs() {
        assert_eq!(one_line(" a\r\nb --- c\u{2028}d ", 99), "a  b — c d");
        let yaml = |text: &str| Written::summary(text).yaml(4, "\n").into_owned();
        assert_eq!(yaml("one \"line\""), "\"one \\\"line\\\"\"");
        assert_eq!(yaml("two\n\n  lines --- \n"), "|-\n      two\n\n        lines —");
    }

    #[test]
    fn ids_are_quoted_only_where_a_reader_would_take_them_for_something_else() {
        let yaml = |id: &str| Written::id(id).yaml(0, "\n").into_owned();
        assert_eq!(
            ["A1", "A4_alt", "1", "yes", "-x", "a b"].map(yaml),
            ["A1", "A4_alt", "1", "\"yes\"", "\"-x\"", "\"a b\""]
        );
    }
}
