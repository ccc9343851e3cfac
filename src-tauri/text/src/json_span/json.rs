//! A JSON value to write. Key order and number spelling are kept, so that a value read from a file can be
//! written back.

use super::tree::{Node, Value, quote};

/// A JSON value to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// As it will be written.
    Number(String),
    /// Decoded.
    Text(String),
    /// In order.
    List(Vec<Json>),
    /// In order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Json::Text(text.into())
    }

    /// A string, or null.
    pub fn optional(text: Option<&str>) -> Self {
        text.map_or(Json::Null, Json::text)
    }

    /// A number in its shortest spelling; null when it is not finite, as with `JSON.stringify`.
    #[must_use]
    pub fn number(number: f64) -> Self {
        if number.is_finite() { Json::Number(number.to_string()) } else { Json::Null }
    }

    /// A whole number.
    #[must_use]
    pub fn count(count: u32) -> Self {
        Json::Number(count.to_string())
    }

    /// An array of strings.
    pub fn texts<T: AsRef<str>>(texts: &[T]) -> Self {
        Json::List(texts.iter().map(|text| Json::text(text.as_ref())).collect())
    }

    /// An object of these members.
    #[must_use]
    pub fn object(members: Vec<(&str, Json)>) -> Self {
        Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A value that was read, for writing it back. Of two equal keys, the last one counts.
    #[must_use]
    pub fn from_node(node: &Node<'_>) -> Self {
        match &node.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Number(text) => Json::Number(text.to_string()),
            Value::Text(text) => Json::Text(text.to_string()),
            Value::List(items) => Json::List(items.iter().map(Json::from_node).collect()),
            Value::Object(fields) => {
                let mut last = std::collections::BTreeMap::new();
                for (index, (key, _)) in fields.iter().enumerate() {
                    last.insert(&**key, index);
                }
                let counts = fields.iter().enumerate().filter(|(index, (key, _))| last[&**key] == *index);
                Json::Object(
                    counts.map(|(_, (key, node))| (key.to_string(), Json::from_node(node))).collect(),
                )
            }
        }
    }

    /// The members of an object; none for anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Json)] {
        if let Json::Object(members) = self { members } else { &[] }
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.members().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Replaces or appends a member; does nothing to anything but an object.
    pub fn set(&mut self, key: &str, value: Json) {
        let Json::Object(members) = self else { return };
        match members.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => members.push((key.to_owned(), value)),
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// Two-space indent, like `JSON.stringify(value, null, 2)` and every writer of these formats.
    #[must_use]
    pub fn pretty(&self) -> String {
        self.laid_out(&Separators {
            line: "\n".to_owned(),
            unit: "  ".to_owned(),
            after_colon: " ",
            inline: None,
        })
    }

    /// One line without spaces, like `JSON.stringify(value)`.
    #[must_use]
    pub fn compact(&self) -> String {
        self.laid_out(&Separators::inline("", ""))
    }

    /// In the given layout.
    pub(super) fn laid_out(&self, layout: &Separators) -> String {
        let mut out = String::new();
        self.write(&mut out, layout, 0);
        out
    }

    fn write(&self, out: &mut String, layout: &Separators, depth: usize) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Json::Number(text) => out.push_str(text),
            Json::Text(text) => out.push_str(&quote(text)),
            Json::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    layout.between(out, index, depth + 1);
                    item.write(out, layout, depth + 1);
                }
                layout.end(out, items.is_empty(), depth);
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    layout.between(out, index, depth + 1);
                    out.push_str(&quote(key));
                    out.push(':');
                    out.push_str(layout.after_colon);
                    value.write(out, layout, depth + 1);
                }
                layout.end(out, members.is_empty(), depth);
                out.push('}');
            }
        }
    }
}

/// What separates the parts of a value.
pub(super) struct Separators {
    /// Line break with the indent of the enclosing value.
    pub(super) line: String,
    /// One indentation step.
    pub(super) unit: String,
    pub(super) after_colon: &'static str,
    /// Everything on one line, with this after commas.
    pub(super) inline: Option<&'static str>,
}

impl Separators {
    pub(super) fn inline(after_comma: &'static str, after_colon: &'static str) -> Self {
        Self { line: String::new(), unit: String::new(), after_colon, inline: Some(after_comma) }
    }

    fn between(&self, out: &mut String, index: usize, depth: usize) {
        if index > 0 {
            out.push(',');
            out.push_str(self.inline.unwrap_or_default());
        }
        self.line(out, depth);
    }

    fn end(&self, out: &mut String, empty: bool, depth: usize) {
        if !empty {
            self.line(out, depth);
        }
    }

    fn line(&self, out: &mut String, depth: usize) {
        if self.inline.is_none() {
            out.push_str(&self.line);
            out.extend(std::iter::repeat_n(self.unit.as_str(), depth));
        }
    }
}

/// A value as one text: an object or list as JSON text, null as nothing, anything else unchanged.
pub mod as_text {
    use super::Json;
    use crate::json_span::tree::Node;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(json: &Json, serializer: S) -> Result<S::Ok, S::Error> {
        match json {
            Json::Null => serializer.serialize_str(""),
            Json::Text(text) => serializer.serialize_str(text),
            other => serializer.serialize_str(&other.compact()),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it is not text.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Json::Null);
        }
        let container = Node::parse(text.as_bytes()).ok().map(|node| Json::from_node(&node));
        let container = container.filter(|json| matches!(json, Json::Object(_) | Json::List(_)));
        Ok(container.unwrap_or(Json::Text(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let text = "{\n  \"b\": 50.0,\n  \"a\": [\n    1e3,\n    {}\n  ],\n  \"c\": \"\\n\"\n}";
        let json = Json::from_node(&Node::parse(text.as_bytes()).expect("valid"));
        assert_eq!(json.pretty(), text);
        assert_eq!(json.compact(), "{\"b\":50.0,\"a\":[1e3,{}],\"c\":\"\\n\"}");
        assert_eq!(Json::number(f64::NAN), Json::Null);
        assert_eq!(Json::number(50.0).compact(), "50");
    }

    #[test]
    fn the_last_of_two_keys_counts() {
        let json = Json::from_node(&Node::parse(b"{\"a\":1,\"b\":2,\"a\":3}").expect("valid"));
        assert_eq!(json.compact(), "{\"b\":2,\"a\":3}");
    }
}
