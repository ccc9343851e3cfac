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

    /// The front matter of a text; an empty one where [`FrontMatter::read`] finds none.
    pub(crate) fn of(text: &'t str) -> Self {
        Self::read(text).unwrap_or(Self { text, inner: 0..0, body: 0 })
    }

    /// What is between the `---` lines.
    pub(crate) fn inner_text(&self) -> &'t str {
        &self.text[self.inner.clone()]
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

    /// The line of a field, 1-based; 0 without it.
    pub(crate) fn line(&self, key: &str) -> u32 {
        self.place(key).map_or(0, |place| crate::format::Lines::of(self.text).of_byte(place.start))
    }

    /// The value of a field without its quotes; `None` for nothing, `null` and `~`.
    pub(crate) fn value(&self, key: &str) -> Option<&'t str> {
        let raw = self.raw(key)?;
        for quote in ['"', '\''] {
            // Behind the quotes only a comment may stand.
            let inner = raw.strip_prefix(quote).and_then(|rest| rest.rsplit_once(quote));
            if let Some((inner, behind)) = inner
                && (behind.is_empty() || behind.trim_start().starts_with('#'))
            {
                return Some(inner);
            }
        }
        let raw = raw.split(" #").next().unwrap_or(raw).trim_end();
        Some(raw).filter(|raw| !matches!(*raw, "" | "null" | "~"))
    }

    /// The entries of a list at any level, of each its first line. Read line by line: agents write what isn't YAML.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = self.inner_text().lines();
        let value =
            |line: &'t str| Some((indent(line), line.trim_start().strip_prefix(key)?.strip_prefix(':')?));
        let Some((own, value)) = lines.by_ref().find_map(value) else { return Vec::new() };
        if value.trim_start().starts_with('[') {
            let all = std::iter::once(value).chain(lines).collect::<Vec<_>>().join(",");
            let inner = all.split(']').next().unwrap_or_default();
            return inner.trim_start().trim_start_matches('[').split(',').filter_map(entry).collect();
        }
        if let Some(only) = entry(value) {
            return vec![only];
        }
        let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let is_inside =
            |line: &&str| indent(line) > own || indent(line) == own && line.trim_start().starts_with("- ");
        let below: Vec<&str> = lines.filter(is_said).take_while(is_inside).collect();
        // What is further right belongs to an entry.
        let column = below.first().map(|line| indent(line));
        let own = below.into_iter().filter(|line| Some(indent(line)) == column);
        own.filter_map(|line| entry(line.trim_start().strip_prefix("- ")?)).collect()
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

/// An entry of a list without its key, quotes and comment; `None` for one that says that there is nothing.
fn entry(written: &str) -> Option<String> {
    let mut text = written.trim();
    for key in ["test:", "truth:", "statement:", "path:", "name:", "plan:"] {
        text = text.strip_prefix(key).map_or(text, str::trim);
    }
    let quoted = |quote| Some(text.strip_prefix(quote)?.rsplit_once(quote)?.0);
    let bare = || text.split(" #").next().filter(|text| !text.starts_with('#'));
    let text = quoted('"').or_else(|| quoted('\'')).or_else(bare).unwrap_or_default();
    let text = crate::boxes::one_line(&loopdeck_text::shorten(text, 1_000));
    Some(text).filter(|text| !matches!(text.as_str(), "" | "none" | "null"))
}

#[cfg(test)]
mod tests {
    use super::FrontMatter;

    #[test]
    fn lists_are_read_however_they_are_written() {
        let text = "---\n\
            flow: [a, 'b', \"d\"] # note\n\
            long: [a,\n  b\n]\n\
            one: a # note\n\
            none: none\n\
            block:\n  - a: it: is\n    more: no\n\n  # note\n  - \"b # c\"\n    - deeper\n  - test: d\n\
            flat:\n- a\n- null\n- b\n\
            deep:\n  inner:\n    - a\n  other:\n    - b\n\
            ---\nblock:\n- z\n";
        let front = FrontMatter::of(text);
        for (key, expected) in [
            ("flow", vec!["a", "b", "d"]),
            ("long", vec!["a", "b"]),
            ("one", vec!["a"]),
            ("none", vec![]),
            ("block", vec!["a: it: is", "b # c", "d"]),
            ("flat", vec!["a", "b"]),
            ("inner", vec!["a"]),
            ("missing", vec![]),
        ] {
            assert_eq!(front.list(key), expected, "{key}");
        }
        assert_eq!((front.line("one"), front.line("missing")), (6, 0));
    }

    #[test]
    fn a_text_without_front_matter_is_all_body() {
        let front = FrontMatter::of("a: 1\n---\n");
        assert_eq!((front.value("a"), front.inner_text(), front.body()), (None, "", "a: 1\n---\n"));
    }
}
