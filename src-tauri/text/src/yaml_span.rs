//! YAML with byte ranges: one pass over the parser's events builds a tree that knows the position of every
//! node.
//!
//! The tree serves reading, checking and editing. Aliases are kept and never expanded, and depth and number
//! of nodes are bounded, so hostile bytes cost no more than their length.

mod parse;

pub use parse::{MAX_ALIASES, MAX_DEPTH, MAX_NODES, MAX_SCALAR_BYTES, parse};
use std::borrow::Cow;
use std::ops::Range;

/// A parsed document.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<'a> {
    /// The top node.
    pub root: YamlNode<'a>,
    /// Keys that appear twice in one map.
    pub duplicates: Vec<DuplicateKey>,
}

/// The second appearance of a key in one map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// Range of the second one, in bytes of the file.
    pub range: Range<usize>,
    /// 1-based line in the file.
    pub line: u32,
}

/// Why a text is no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} in line {line}")]
pub struct YamlError {
    /// 1-based line in the file.
    pub line: u32,
    /// In the parser's words.
    pub reason: String,
    /// The text nests deeper than [`MAX_DEPTH`].
    pub too_deep: bool,
}

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlNode<'a> {
    /// What it is.
    pub kind: YamlKind<'a>,
    /// Bytes in the file. Block scalars start at their content, block collections end with their last leaf,
    /// and empty values are an empty range after their key.
    pub range: Range<usize>,
    /// 1-based line in the file.
    pub line: u32,
    /// Number of its anchor, 0 for none.
    pub anchor: usize,
    /// Whether it carries an explicit tag.
    pub tagged: bool,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlKind<'a> {
    /// A scalar after unescaping; an absent value is the plain empty text.
    Scalar(Cow<'a, str>, ScalarForm),
    /// A list.
    Seq(Vec<YamlNode<'a>>, CollectionStyle),
    /// A map in file order.
    Map(Vec<Entry<'a>>, CollectionStyle),
    /// A reference to an anchor, not followed.
    Alias(usize),
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarForm {
    /// Without quotes.
    Plain,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// `|` or `>`.
    Block,
}

/// How a collection is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionStyle {
    /// By indentation.
    Block,
    /// By brackets.
    Flow,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The key.
    pub key: YamlNode<'a>,
    /// The value.
    pub value: YamlNode<'a>,
}

impl<'a> YamlNode<'a> {
    /// A scalar that is not in the file yet: what an edit will write at `at`.
    #[must_use]
    pub fn written(text: impl Into<Cow<'a, str>>, style: ScalarForm, at: usize) -> Self {
        Self { kind: YamlKind::Scalar(text.into(), style), range: at..at, line: 0, anchor: 0, tagged: false }
    }

    /// A map of such scalars.
    #[must_use]
    pub fn written_map(entries: Vec<Entry<'a>>, at: usize) -> Self {
        Self {
            kind: YamlKind::Map(entries, CollectionStyle::Block),
            range: at..at,
            line: 0,
            anchor: 0,
            tagged: false,
        }
    }

    /// A copy that does not borrow the source text.
    #[must_use]
    pub fn detached<'b>(&self) -> YamlNode<'b> {
        let kind = match &self.kind {
            YamlKind::Scalar(text, style) => YamlKind::Scalar(Cow::Owned(text.clone().into_owned()), *style),
            YamlKind::Seq(items, layout) => {
                YamlKind::Seq(items.iter().map(YamlNode::detached).collect(), *layout)
            }
            YamlKind::Map(entries, layout) => {
                let entry = |e: &Entry<'_>| Entry { key: e.key.detached(), value: e.value.detached() };
                YamlKind::Map(entries.iter().map(entry).collect(), *layout)
            }
            YamlKind::Alias(target) => YamlKind::Alias(*target),
        };
        YamlNode {
            kind,
            range: self.range.clone(),
            line: self.line,
            anchor: self.anchor,
            tagged: self.tagged,
        }
    }

    /// The text of a scalar that is not null.
    #[must_use]
    pub fn text(&self) -> Option<&Cow<'a, str>> {
        match &self.kind {
            YamlKind::Scalar(text, _) if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// Nothing, `~` or `null`, unquoted.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, YamlKind::Scalar(text, ScalarForm::Plain)
            if !self.tagged && matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The entries of a map; none for anything else.
    #[must_use]
    pub fn entries(&self) -> &[Entry<'a>] {
        if let YamlKind::Map(entries, _) = &self.kind { entries } else { &[] }
    }

    /// The items of a list; none for anything else.
    #[must_use]
    pub fn items(&self) -> &[YamlNode<'a>] {
        if let YamlKind::Seq(items, _) = &self.kind { items } else { &[] }
    }

    /// The entry of `key`; the first one if the key is repeated.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries().iter().find(|entry| entry.key.text().is_some_and(|text| text == key))
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&YamlNode<'a>> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of `key`, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut YamlNode<'a>> {
        let YamlKind::Map(entries, _) = &mut self.kind else { return None };
        let entry = entries.iter_mut().find(|entry| entry.key.text().is_some_and(|text| text == key))?;
        Some(&mut entry.value)
    }

    /// Whether it is a map.
    #[must_use]
    pub fn is_map(&self) -> bool {
        matches!(self.kind, YamlKind::Map(..))
    }

    /// Whether it is a map or list written with brackets.
    #[must_use]
    pub fn is_flow(&self) -> bool {
        matches!(self.kind, YamlKind::Map(_, CollectionStyle::Flow) | YamlKind::Seq(_, CollectionStyle::Flow))
    }

    /// Whether both have the same content in the same style, wherever they are.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        let properties = (self.anchor, self.tagged) == (other.anchor, other.tagged);
        properties
            && match (&self.kind, &other.kind) {
                (YamlKind::Scalar(a, style_a), YamlKind::Scalar(b, style_b)) => style_a == style_b && a == b,
                (YamlKind::Seq(a, layout_a), YamlKind::Seq(b, layout_b)) => {
                    layout_a == layout_b
                        && a.len() == b.len()
                        && a.iter().zip(b).all(|(a, b)| a.says_the_same(b))
                }
                (YamlKind::Map(a, layout_a), YamlKind::Map(b, layout_b)) => {
                    layout_a == layout_b && a.len() == b.len() && a.iter().zip(b).all(same_entry)
                }
                (YamlKind::Alias(a), YamlKind::Alias(b)) => a == b,
                _ => false,
            }
    }
}

fn same_entry((a, b): (&Entry<'_>, &Entry<'_>)) -> bool {
    a.key.says_the_same(&b.key) && a.value.says_the_same(&b.value)
}
