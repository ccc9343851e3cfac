//! The front matter of a Markdown file: its fields with their places, also where it isn't quite YAML.

use std::ops::Range;

/// A text with its front matter.
pub(crate) struct FrontMatter<'t> {
    text: &'t str,
    /// What is between the `---` lines; empty without front matter.
    pub(crate) inner: Range<usize>,
    /// Where the body begins.
    pub(crate) body: usize,
}

impl<'t> FrontMatter<'t> {
    /// The front matter of a text; `None` when it begins otherwise or the front matter doesn't end.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let start = usize::from(text.starts_with('\u{feff}')) * '\u{feff}'.len_utf8();
        let first = text[start..].split_inclusive('\n').next()?;
        if first.trim_end() != "---" {
            return None;
        }
        let inner = start + first.len();
        let mut at = inner;
        for line in text[inner..].split_inclusive('\n') {
            if matches!(line.trim_end(), "---" | "...") {
                return Some(Self { text, inner: inner..at, body: at + line.len() });
            }
            at += line.len();
        }
        None
    }

    /// The lines of the front matter's top level as key and place of the value, without quotes' meaning: upstream tools read them
    /// line by line too.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'t str, Range<usize>)> {
        let mut at = self.inner.start;
        let text = self.text;
        self.text[self.inner.clone()].split_inclusive('\n').filter_map(move |line| {
            let start = at;
            at += line.len();
            let (key, value) = line.split_once(':')?;
            if key.starts_with([' ', '\t', '#', '-']) {
                return None;
            }
            let from = start + key.len() + 1;
            Some((key.trim_end(), crate::format::trimmed(text, from..from + value.len())))
        })
    }

    /// The value of a field of the top level, as written.
    pub(crate) fn raw(&self, key: &str) -> Option<&'t str> {
        self.place(key).map(|range| &self.text[range])
    }

    /// Where the value of a field is.
    pub(crate) fn place(&self, key: &str) -> Option<Range<usize>> {
        self.fields().find(|(name, _)| *name == key).map(|(_, range)| range)
    }

    /// The value of a field without its quotes; `None` for nothing, `null` and `~`.
    pub(crate) fn value(&self, key: &str) -> Option<&'t str> {
        let raw = self.raw(key)?;
        let quoted = |quote: char| raw.len() > 1 && raw.starts_with(quote) && raw.ends_with(quote);
        if quoted('"') || quoted('\'') {
            return Some(&raw[1..raw.len() - 1]);
        }
        let raw = raw.split(" #").next().unwrap_or(raw).trim_end();
        Some(raw).filter(|raw| !matches!(*raw, "" | "null" | "~"))
    }

    /// What is below it.
    pub(crate) fn body(&self) -> &'t str {
        &self.text[self.body..]
    }

    /// All of it as YAML; `None` where it isn't.
    pub(crate) fn yaml(&self) -> Option<loopdeck_text::yaml_span::YamlNode<'t>> {
        let first_line = crate::format::Lines::of(self.text).of_byte(self.inner.start);
        let inner = &self.text[self.inner.clone()];
        loopdeck_text::yaml_span::parse(inner, self.inner.start, first_line).ok().map(|tree| tree.root)
    }
}
