//! From the events of the parser to the tree, within bounds that no hostile text gets past.

use super::{CollectionStyle, DuplicateKey, Entry, ScalarForm, Tree, YamlError, YamlKind, YamlNode};
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Deeper than any real loop; deeper input is refused.
pub const MAX_DEPTH: usize = 64;
/// More nodes than the largest file that is read has, unless it is made of single letters; more are refused.
pub const MAX_NODES: usize = 4_000_000;
/// More aliases than any real loop has; more are refused.
pub const MAX_ALIASES: usize = 10_000;
/// Total bytes of decoded scalars.
pub const MAX_SCALAR_BYTES: usize = 256 << 20;

/// Parses `text`, which starts at byte `base` and 1-based line `first_line` of the file.
///
/// # Errors
/// [`YamlError`] when it is not one well-formed document within the bounds of this module.
pub fn parse(text: &str, base: usize, first_line: u32) -> Result<Tree<'_>, YamlError> {
    let mut limits = options! { flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
    // Comments are bytes between the nodes, where edits find them.
    limits.set_emit_comments(false);
    let mut builder = Builder::new(base, first_line);
    for step in Parser::new_from_str_with_options(text, limits) {
        let (event, span) = step.map_err(|error| builder.scan_error(&error))?;
        builder.take(event, &span)?;
    }
    builder.finish()
}

struct Builder<'a> {
    base: usize,
    first_line: u32,
    open: Vec<Open<'a>>,
    root: Option<YamlNode<'a>>,
    duplicates: Vec<DuplicateKey>,
    documents: usize,
    nodes: usize,
    aliases: usize,
    scalar_bytes: usize,
}

/// A collection that is still open; `key` is a map key that waits for its value.
struct Open<'a> {
    node: YamlNode<'a>,
    key: Option<YamlNode<'a>>,
}

impl<'a> Builder<'a> {
    fn new(base: usize, first_line: u32) -> Self {
        Self {
            base,
            first_line,
            open: Vec::new(),
            root: None,
            duplicates: Vec::new(),
            documents: 0,
            nodes: 0,
            aliases: 0,
            scalar_bytes: 0,
        }
    }

    fn take(&mut self, event: Event<'a>, span: &Span) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(self.error(span, "more than one document"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, anchor, tag.is_some(), span)?;
            }
            Event::Alias(target) => {
                self.aliases += 1;
                if self.aliases > MAX_ALIASES {
                    return Err(self.error(span, "too many aliases"));
                }
                self.leaf(YamlKind::Alias(target), 0, false, span)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.begin(YamlKind::Seq(Vec::new(), layout(style)), anchor, tag.is_some(), span)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                self.begin(YamlKind::Map(Vec::new(), layout(style)), anchor, tag.is_some(), span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tagged: bool,
        span: &Span,
    ) -> Result<(), YamlError> {
        self.scalar_bytes += text.len();
        if self.scalar_bytes > MAX_SCALAR_BYTES {
            return Err(self.error(span, "too much text"));
        }
        let style = match style {
            ScalarStyle::Plain => ScalarForm::Plain,
            ScalarStyle::SingleQuoted => ScalarForm::Single,
            ScalarStyle::DoubleQuoted => ScalarForm::Double,
            _ => ScalarForm::Block,
        };
        // The parser reports `~` for an absent value.
        let absent = style == ScalarForm::Plain && self.bytes(span).is_empty();
        let text = if absent { Cow::Borrowed("") } else { text };
        self.leaf(YamlKind::Scalar(text, style), anchor, tagged, span)
    }

    fn leaf(
        &mut self,
        kind: YamlKind<'a>,
        anchor: usize,
        tagged: bool,
        span: &Span,
    ) -> Result<(), YamlError> {
        self.count(span)?;
        let node = YamlNode { kind, range: self.bytes(span), line: self.line(span), anchor, tagged };
        self.place(node);
        Ok(())
    }

    fn begin(
        &mut self,
        kind: YamlKind<'a>,
        anchor: usize,
        tagged: bool,
        span: &Span,
    ) -> Result<(), YamlError> {
        self.count(span)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError { too_deep: true, ..self.error(span, "nested too deep") });
        }
        let node = YamlNode { kind, range: self.bytes(span), line: self.line(span), anchor, tagged };
        self.open.push(Open { node, key: None });
        Ok(())
    }

    fn end(&mut self, span: &Span) {
        let Some(Open { mut node, .. }) = self.open.pop() else { return };
        let last_leaf = match &node.kind {
            YamlKind::Seq(items, CollectionStyle::Block) => items.last().map(|item| item.range.end),
            YamlKind::Map(entries, CollectionStyle::Block) => {
                entries.last().map(|entry| entry.value.range.end)
            }
            _ => None,
        };
        node.range.end = last_leaf.unwrap_or_else(|| self.bytes(span).end).max(node.range.start);
        if let YamlKind::Map(entries, _) = &node.kind {
            note_duplicates(entries, &mut self.duplicates);
        }
        self.place(node);
    }

    /// Adds a finished node to the collection that waits for it.
    fn place(&mut self, node: YamlNode<'a>) {
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        match &mut open.node.kind {
            YamlKind::Seq(items, _) => items.push(node),
            YamlKind::Map(entries, _) => match open.key.take() {
                Some(key) => entries.push(Entry { key, value: node }),
                None => open.key = Some(node),
            },
            YamlKind::Scalar(..) | YamlKind::Alias(_) => {}
        }
    }

    fn count(&mut self, span: &Span) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES { Err(self.error(span, "too many values")) } else { Ok(()) }
    }

    fn finish(self) -> Result<Tree<'a>, YamlError> {
        match self.root {
            Some(root) => Ok(Tree { root, duplicates: self.duplicates }),
            None => Err(YamlError { line: self.first_line, reason: "empty".to_owned(), too_deep: false }),
        }
    }

    fn bytes(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or(0..0);
        self.base + range.start..self.base + range.end
    }

    fn line(&self, span: &Span) -> u32 {
        self.first_line.saturating_add(u32::try_from(span.start.line().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    fn error(&self, span: &Span, reason: &str) -> YamlError {
        YamlError { line: self.line(span), reason: reason.to_owned(), too_deep: false }
    }

    fn scan_error(&self, error: &ScanError) -> YamlError {
        let too_deep = matches!(error.kind(), granit_parser::ErrorKind::RecursionLimitExceeded);
        YamlError {
            line: self.line(&Span::empty(*error.marker())),
            reason: crate::shorten(&error.info(), 200),
            too_deep,
        }
    }
}

fn layout(style: StructureStyle) -> CollectionStyle {
    match style {
        StructureStyle::Block => CollectionStyle::Block,
        StructureStyle::Flow => CollectionStyle::Flow,
    }
}

/// How many repeated keys are reported.
const NOTED_DUPLICATES: usize = 100;

fn note_duplicates(entries: &[Entry<'_>], found: &mut Vec<DuplicateKey>) {
    let mut seen = HashSet::new();
    for (at, Entry { key, .. }) in entries.iter().enumerate() {
        let YamlKind::Scalar(text, _) = &key.kind else { continue };
        let repeated = if entries.len() <= 12 {
            entries[..at]
                .iter()
                .any(|Entry { key, .. }| matches!(&key.kind, YamlKind::Scalar(t, _) if t == text))
        } else {
            !seen.insert(text.as_ref())
        };
        if repeated && found.len() < NOTED_DUPLICATES {
            let key = crate::shorten(text, 100);
            found.push(DuplicateKey { key, range: key_range(entries, at), line: entries[at].key.line });
        }
    }
}

fn key_range(entries: &[Entry<'_>], at: usize) -> Range<usize> {
    entries[at].key.range.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> YamlNode<'_> {
        parse(text, 0, 1).expect(text).root
    }

    #[test]
    fn ranges_are_exact() {
        let text = "a: \"q\\n\"  # c\nb: é 😀\r\nc:\nd: [1, 'x']\n";
        let root = tree(text);
        let slice = |key: &str| &text[root.get(key).expect(key).range.clone()];
        assert_eq!((slice("a"), slice("b"), slice("c"), slice("d")), ("\"q\\n\"", "é 😀", "", "[1, 'x']"));
        assert_eq!(root.get("a").and_then(YamlNode::text).map(AsRef::as_ref), Some("q\n"));
        assert!(root.get("c").is_some_and(YamlNode::is_null));
        assert_eq!(root.get("d").map(|node| node.line), Some(4));
    }

    #[test]
    fn base_and_first_line_shift_everything() {
        let root = parse("k: v\n", 10, 5).expect("yaml").root;
        let value = root.get("k").expect("k");
        assert_eq!((value.range.clone(), value.line), (13..14, 5));
    }

    #[test]
    fn block_collections_end_with_their_last_leaf() {
        let text = "s:\n  - 1\n  - k: v\n\nt: 1\n";
        assert_eq!(&text[tree(text).get("s").expect("s").range.clone()], "- 1\n  - k: v");
    }

    #[test]
    fn only_unquoted_nothing_is_null() {
        let root = tree("a:\nb: ~\nc: null\nd: 'null'\ne: \"\"\nf: !!str null\n");
        let null: Vec<bool> = root.entries().iter().map(|entry| entry.value.is_null()).collect();
        assert_eq!(null, [true, true, true, false, false, false]);
    }

    #[test]
    fn repeated_keys_are_noted_in_small_and_large_maps() {
        for extra in [0, 20] {
            let mut text = "a: 1\nb: 2\n".to_owned();
            text.extend((0..extra).map(|n| format!("k{n}: 1\n")));
            text.push_str("a: 3\n");
            let tree = parse(&text, 0, 1).expect("yaml");
            assert_eq!(tree.duplicates.len(), 1);
            assert_eq!((tree.duplicates[0].key.as_str(), tree.duplicates[0].line), ("a", 3 + extra));
        }
    }

    #[test]
    fn aliases_are_kept_and_not_followed() {
        let root = tree("a: &x [1]\nb: [*x, *x]\n");
        assert!(matches!(root.get("b").expect("b").items()[0].kind, YamlKind::Alias(_)));
    }

    #[test]
    fn bounds_hold_against_hostile_text() {
        let deep = |text: &str| parse(text, 0, 1).expect_err("too deep").too_deep;
        assert!(deep(&"[".repeat(200_000)));
        assert!(deep(&"- ".repeat(20_000)));
        assert!(deep(&"? ".repeat(20_000)));
        assert!(deep(&"{a: ".repeat(20_000)));
        let mixed = (0..100).map(|n| format!("{}k: \n", " ".repeat(n))).collect::<String>();
        assert!(deep(&mixed));
        let mut bomb = "a0: &a0 [x, x, x]\n".to_owned();
        for n in 1..40 {
            let refs = vec![format!("*a{}", n - 1); 9].join(", ");
            bomb.push_str(&format!("a{n}: &a{n} [{refs}]\n"));
        }
        assert!(parse(&bomb, 0, 1).is_ok());
        let many = format!("a: &a 1\nb: [{}]\n", vec!["*a"; MAX_ALIASES + 1].join(", "));
        assert_eq!(parse(&many, 0, 1).expect_err("many").reason, "too many aliases");
    }

    #[test]
    fn errors_carry_line_and_reason() {
        let error = parse("a: 1\nb: [1\nc: }\n", 0, 10).expect_err("broken");
        assert!(error.line >= 11 && !error.reason.is_empty(), "{error:?}");
        assert!(parse("a: \u{0}", 0, 1).is_err());
        assert!(parse("", 0, 1).is_err());
        assert_eq!(parse("a: 1\n---\nb: 2\n", 0, 1).expect_err("two").reason, "more than one document");
    }
}
