//! A whole document in memory, for the full read: key order, number spelling and offsets kept.

use super::scan::{Reader, Scan, ValueKind};
use std::borrow::Cow;
use std::fmt::Write;

/// A value and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Byte offset in the file.
    pub at: usize,
    /// The value.
    pub value: Value<'a>,
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// As written.
    Number(Cow<'a, str>),
    /// Decoded.
    Text(Cow<'a, str>),
    /// In order.
    List(Vec<Node<'a>>),
    /// In order, duplicates kept.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

static NULL: Node<'static> = Node { at: 0, value: Value::Null };

impl<'a> Node<'a> {
    /// Reads a whole file.
    ///
    /// # Errors
    /// When it is not one JSON value.
    pub fn parse(bytes: &'a [u8]) -> Scan<Self> {
        let mut reader = Reader::new(bytes)?;
        let node = Self::read(&mut reader)?;
        reader.end()?;
        Ok(node)
    }

    /// The same with its own texts.
    #[must_use]
    pub fn into_owned(self) -> Node<'static> {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        let value = match self.value {
            Value::Null => Value::Null,
            Value::Bool(flag) => Value::Bool(flag),
            Value::Number(text) => Value::Number(owned(text)),
            Value::Text(text) => Value::Text(owned(text)),
            Value::List(items) => Value::List(items.into_iter().map(Node::into_owned).collect()),
            Value::Object(fields) => {
                Value::Object(fields.into_iter().map(|(key, node)| (owned(key), node.into_owned())).collect())
            }
        };
        Node { at: self.at, value }
    }

    /// The value that represents an absent one; it has no position.
    #[must_use]
    pub fn null() -> Node<'static> {
        Node { at: 0, value: Value::Null }
    }

    /// Reads the next value. Recursive, bounded by the reader's depth limit.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn read(reader: &mut Reader<'a>) -> Scan<Self> {
        let kind = reader.peek()?;
        let at = reader.offset();
        let value = match kind {
            ValueKind::Null => reader.skip().map(|_| Value::Null)?,
            ValueKind::Bool => Value::Bool(reader.flag()?),
            ValueKind::Number => Value::Number(Cow::Borrowed(reader.number()?)),
            ValueKind::Text => Value::Text(reader.string()?.decode()),
            ValueKind::List => {
                let mut items = Vec::new();
                reader.list(|item| Self::read(item).map(|node| items.push(node)))?;
                Value::List(items)
            }
            ValueKind::Object => {
                let mut fields = Vec::new();
                reader.object(|value, key| Self::read(value).map(|node| fields.push((key.name, node))))?;
                Value::Object(fields)
            }
        };
        Ok(Self { at, value })
    }

    /// The value of `key`; the last one counts, as with `JSON.parse`. Null when absent or when this is not an
    /// object.
    #[must_use]
    pub fn get(&self, key: &str) -> &Node<'a> {
        self.find(key).unwrap_or(&NULL)
    }

    /// Like [`Node::get`], but distinguishes absent from null.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&Node<'a>> {
        self.fields().iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The fields of an object; none for anything else.
    #[must_use]
    pub fn fields(&self) -> &[(Cow<'a, str>, Node<'a>)] {
        if let Value::Object(fields) = &self.value { fields } else { &[] }
    }

    /// The items of an array; none for anything else.
    #[must_use]
    pub fn items(&self) -> &[Node<'a>] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The text of a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The value of a finite number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        let Value::Number(text) = &self.value else { return None };
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// A number, a numeric string, or `"85%"` (the CCW contract §18).
    #[must_use]
    pub fn lenient_number(&self) -> Option<f64> {
        let text = match &self.value {
            Value::Number(text) => &**text,
            Value::Text(text) => text.trim().trim_end_matches('%').trim_end(),
            _ => return None,
        };
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// True or false.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        if let Value::Bool(flag) = self.value { Some(flag) } else { None }
    }

    /// Null or absent.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// An object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// A string unchanged, anything else as JSON text on one line; cut to `limit` characters. None for null.
    #[must_use]
    pub fn shown(&self, limit: usize) -> Option<String> {
        match &self.value {
            Value::Null => None,
            Value::Text(text) => Some(crate::shorten(text, limit)),
            _ => Some(self.json(None, limit)),
        }
    }

    /// JSON text, indented by `indent` spaces or on one line, cut to `limit` characters.
    #[must_use]
    pub fn json(&self, indent: Option<usize>, limit: usize) -> String {
        let mut out = String::new();
        self.write(&mut out, indent, 0, limit.saturating_mul(4));
        crate::shorten(&out, limit)
    }

    fn write(&self, out: &mut String, indent: Option<usize>, depth: usize, enough: usize) {
        if out.len() > enough {
            return; // the rest is cut anyway
        }
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(flag) => drop(write!(out, "{flag}")),
            Value::Number(text) => out.push_str(text),
            Value::Text(text) => out.push_str(&quote(text)),
            Value::List(items) => {
                let each = |out: &mut String, item: &Node<'a>| item.write(out, indent, depth + 1, enough);
                surround(out, ('[', ']'), items, (indent, depth), each);
            }
            Value::Object(fields) => {
                let each = |out: &mut String, (key, node): &(Cow<'a, str>, Node<'a>)| {
                    out.push_str(&quote(key));
                    out.push_str(": ");
                    node.write(out, indent, depth + 1, enough);
                };
                surround(out, ('{', '}'), fields, (indent, depth), each);
            }
        }
    }
}

fn surround<T>(
    out: &mut String,
    (open, close): (char, char),
    items: &[T],
    (indent, depth): (Option<usize>, usize),
    mut each: impl FnMut(&mut String, &T),
) {
    let line = |out: &mut String, depth: usize| {
        if let Some(indent) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(if indent.is_some() { "," } else { ", " });
        }
        line(out, depth + 1);
        each(out, item);
    }
    if !items.is_empty() {
        line(out, depth);
    }
    out.push(close);
}

/// `text` as a JSON string, written like `JSON.stringify`.
#[must_use]
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_spelling_and_places_are_kept() {
        let node = Node::parse(b"{\"b\": 50.0, \"a\": [1e3, null], \"b\": \"x\"}").expect("valid");
        assert_eq!(node.get("b").text(), Some("x"), "the last duplicate counts");
        assert_eq!(node.get("a").at, 17);
        assert_eq!(node.json(None, 99), r#"{"b": 50.0, "a": [1e3, null], "b": "x"}"#);
        assert_eq!(node.get("a").json(Some(2), 99), "[\n  1e3,\n  null\n]");
        assert!(node.get("nothing").get("below").is_null());
    }

    #[test]
    fn numbers_are_read_in_every_spelling_the_skills_use() {
        let node = Node::parse(br#"[85, "50.0", "85%", " 7 % ", "NaN%", null, 1e999]"#).expect("valid");
        let read: Vec<_> = node.items().iter().map(Node::lenient_number).collect();
        assert_eq!(read, [Some(85.0), Some(50.0), Some(85.0), Some(7.0), None, None, None]);
    }

    #[test]
    fn long_values_are_cut() {
        let text = format!("[{}0]", "1,".repeat(50_000));
        let node = Node::parse(text.as_bytes()).expect("valid");
        assert_eq!(node.json(Some(2), 100).chars().count(), 101);
    }
}
