//! Boxes of a Markdown list as items, below their headings: one reader for every format that has them.

use crate::format::Lines;
use crate::plan::{Item, ItemState};
use loopdeck_text::markdown::{Document, Mark};

/// What is written between the brackets for a state.
pub(crate) fn mark(to: ItemState) -> Option<&'static str> {
    match to {
        ItemState::Open => Some(" "),
        ItemState::Done => Some("x"),
        _ => None,
    }
}

/// A Markdown text with its lists.
pub(crate) struct Boxes<'t> {
    pub(crate) text: &'t str,
    pub(crate) document: Document,
}

/// A box and where it stands.
pub(crate) struct FoundBox<'t> {
    /// The rest of its line.
    pub(crate) text: &'t str,
    /// Lines below it that belong to it, without blanks around.
    pub(crate) below: &'t str,
    /// Columns before its bullet.
    pub(crate) indent: usize,
    /// Texts of the headings above it, outermost first.
    pub(crate) headings: Vec<&'t str>,
    /// Its id is empty, its text the whole line; a format takes it apart.
    pub(crate) item: Item,
}

/// A heading with the text below it, up to the next one.
pub(crate) struct Section<'t> {
    pub(crate) title: &'t str,
    /// Texts of the headings above it, outermost first.
    pub(crate) headings: Vec<&'t str>,
    pub(crate) body: &'t str,
    /// Where its heading begins.
    pub(crate) start: usize,
    pub(crate) line: u32,
}

impl<'t> Boxes<'t> {
    pub(crate) fn read(text: &'t str) -> Self {
        Self { text, document: Document::read(text) }
    }

    /// The first heading with a text.
    pub(crate) fn title(&self) -> Option<String> {
        let texts = self.document.headings.iter().map(|heading| self.text[heading.text.clone()].trim());
        texts.into_iter().find(|text| !text.is_empty()).map(one_line)
    }

    /// The headings in order.
    pub(crate) fn sections(&self) -> Vec<Section<'t>> {
        let lines = Lines::of(self.text);
        let headings = &self.document.headings;
        let mut above: Vec<(usize, &str)> = Vec::new();
        let mut found = Vec::new();
        for (at, heading) in headings.iter().enumerate() {
            let title = self.text[heading.text.clone()].trim();
            let start = heading.range.start;
            let end = headings.get(at + 1).map_or(self.text.len(), |next| next.range.start);
            let body = &self.text[heading.range.end..end.max(heading.range.end)];
            above.retain(|(level, _)| *level < heading.level);
            let headings = above.iter().map(|(_, text)| *text).collect();
            found.push(Section { title, headings, body, start, line: lines.of_byte(start) });
            above.push((heading.level, title));
        }
        found
    }

    /// Every box outside of code and comments, in order.
    pub(crate) fn all(&self) -> Vec<FoundBox<'t>> {
        let lines = Lines::of(self.text);
        let items = &self.document.items;
        let mut headings = self.document.headings.iter().peekable();
        let mut above: Vec<(usize, &str)> = Vec::new();
        let mut found = Vec::new();
        for (at, item) in items.iter().enumerate() {
            while let Some(heading) = headings.next_if(|heading| heading.range.start < item.start) {
                above.retain(|(level, _)| *level < heading.level);
                above.push((heading.level, self.text[heading.text.clone()].trim()));
            }
            let Some((mark, range)) = item.mark.clone() else { continue };
            let next = items.get(at + 1).map_or(self.text.len(), |next| next.start);
            let next = headings.peek().map_or(next, |heading| next.min(heading.range.start));
            let end = end_of(self.text, item.start, next).max(item.text.end);
            // Below a tab the parser lets an item begin at the line break before it.
            let rest = &self.text[item.start..];
            let bullet = item.start + (rest.len() - rest.trim_start().len());
            let line_start = self.text[..bullet].rfind('\n').map_or(0, |at| at + 1);
            let state = match mark {
                Mark::Open => ItemState::Open,
                Mark::Ticked => ItemState::Done,
                Mark::Unknown => ItemState::Unknown,
            };
            let text = &self.text[item.text.clone()];
            found.push(FoundBox {
                text,
                below: self.text[item.text.end..end].trim(),
                indent: bullet - line_start,
                headings: above.iter().map(|(_, text)| *text).collect(),
                item: Item {
                    text: one_line(text),
                    word: self.text[range.clone()].to_owned(),
                    state,
                    line: lines.of_byte(bullet),
                    mark: Some(range),
                    ..Item::default()
                },
            });
        }
        found
    }
}

/// Where the text of an item ends that begins at `start`: before the next item, or `end`.
fn end_of(text: &str, start: usize, end: usize) -> usize {
    // The next item begins behind blanks of its own line.
    let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
    if line > start && text[line..end].trim().is_empty() { line } else { end }
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The indented lines below the line of `from`, up to `stop` or a line that isn't indented, without their common indentation.
pub(crate) fn indented_below(text: &str, from: usize, stop: usize) -> String {
    let Some(start) = text.get(from..stop).and_then(|rest| rest.find('\n')) else { return String::new() };
    let lines = text[from + start + 1..stop].lines();
    let lines: Vec<&str> = lines
        .take_while(|line| line.is_empty() || line.starts_with([' ', '\t', '\r']))
        .map(str::trim_end)
        .collect();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines.iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let bare: Vec<&str> = lines.iter().map(|line| line.get(common..).unwrap_or_default()).collect();
    bare.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::Boxes;

    #[test]
    fn a_section_has_the_headings_above_it_and_its_own_text() {
        let text = "before\n# A\n\none\n### B\n## C\ntwo\n### D\n# E\n";
        let boxes = Boxes::read(text);
        let found: Vec<_> = boxes.sections();
        let told: Vec<_> =
            found.iter().map(|one| (one.title, one.headings.join("/"), one.body.trim(), one.line)).collect();
        let expected = [
            ("A", "", "one", 2),
            ("B", "A", "", 5),
            ("C", "A", "two", 6),
            ("D", "A/C", "", 8),
            ("E", "", "", 9),
        ];
        assert_eq!(told, expected.map(|(title, above, body, line)| (title, above.to_owned(), body, line)));
        assert!(found.iter().all(|one| text[one.start..].starts_with('#')));
    }
}
