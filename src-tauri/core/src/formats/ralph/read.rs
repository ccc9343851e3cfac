//! Reading `TODO.md`: its status line, its title, its boxes (the Ralph contract §2, §3).

use loopdeck_text::markdown::{Document, Lookalike, Mark};
use loopdeck_text::text_edit::line_of;
use std::ops::Range;

/// Most status lines that are read: a second one is an error already.
const MANY: usize = 100;
/// What tells a status line from any other comment.
const NAME: &str = "loop:";

/// A list, by its bytes.
#[derive(Debug)]
pub(crate) struct Todo<'b> {
    /// The whole text.
    pub(crate) text: &'b str,
    /// The first heading, on one line.
    pub(crate) title: Option<String>,
    /// Status lines in file order. A sound list has one, or none yet.
    pub(crate) status_lines: Vec<StatusLine<'b>>,
    /// Boxes in file order.
    pub(crate) items: Vec<TodoItem<'b>>,
    /// What looks like a box and is none.
    pub(crate) lookalikes: Vec<Lookalike>,
    /// Nothing can be open work that no box tells.
    pub(crate) is_clear: bool,
    /// Where a status line goes that is not there yet.
    pub(crate) top: usize,
}

/// A status line.
#[derive(Debug)]
pub(crate) struct StatusLine<'b> {
    /// Its 1-based line.
    pub(crate) line: u32,
    /// Its values in file order.
    pub(crate) fields: Vec<StatusField<'b>>,
    /// Where another value goes.
    pub(crate) end: usize,
}

/// One `key=value` of a status line.
#[derive(Debug)]
pub(crate) struct StatusField<'b> {
    pub(crate) key: &'b str,
    pub(crate) value: &'b str,
    /// The bytes of the value.
    pub(crate) range: Range<usize>,
}

/// A box and what it is for.
#[derive(Debug)]
pub(crate) struct TodoItem<'b> {
    /// Untrusted text.
    pub(crate) text: &'b str,
    /// What is in the box.
    pub(crate) mark: Mark,
    /// The bytes between its brackets.
    pub(crate) range: Range<usize>,
}

impl TodoItem<'_> {
    /// It is ticked. A mark that isn't known says nothing of the kind.
    pub(crate) fn is_done(&self) -> bool {
        self.mark == Mark::Ticked
    }
}

impl<'b> Todo<'b> {
    /// The list in `bytes`; where they are not UTF-8, the offset.
    pub(crate) fn read(bytes: &'b [u8]) -> Result<Self, usize> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to())?;
        let list = Document::read(text);
        let titles = list.headings.iter().map(|heading| one_line(&text[heading.text.clone()]));
        let lines = list.comments.iter().filter_map(|inner| StatusLine::read(text, inner));
        let items = list.items.iter().filter_map(|item| {
            let (mark, range) = item.mark.clone()?;
            Some(TodoItem { text: &text[item.text.clone()], mark, range })
        });
        Ok(Self {
            text,
            title: titles.into_iter().find(|title| !title.is_empty()),
            status_lines: lines.take(MANY).collect(),
            items: items.collect(),
            is_clear: list.is_clear(),
            top: list.start,
            lookalikes: list.lookalikes,
        })
    }

    /// How many boxes are ticked.
    pub(crate) fn done(&self) -> usize {
        self.items.iter().filter(|item| item.is_done()).count()
    }

    /// Whether every box is ticked and nothing else may be open. A list without boxes never is done.
    pub(crate) fn is_done(&self) -> bool {
        !self.items.is_empty() && self.done() == self.items.len() && self.is_clear
    }

    /// The value of a status line, when it has one.
    pub(crate) fn field(&self, key: &str) -> Option<&StatusField<'b>> {
        self.status_lines.first()?.fields.iter().find(|field| field.key == key)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'b> StatusLine<'b> {
    /// What the comment with this content says, if it is a status line.
    fn read(text: &'b str, comment: &Range<usize>) -> Option<Self> {
        let said = text[comment.clone()].trim_start().strip_prefix(NAME)?;
        let inner = comment.end - said.len()..comment.end;
        let line = line_of(text.as_bytes(), inner.start);
        let mut fields = Vec::new();
        let (mut at, mut end) = (inner.start, inner.start);
        for piece in text[inner].split_inclusive(char::is_whitespace) {
            let (start, word) = (at, piece.trim_end());
            at += piece.len();
            if word.is_empty() {
                continue;
            }
            end = start + word.len();
            if let Some((key, value)) = word.split_once('=') {
                fields.push(StatusField { key, value, range: start + key.len() + 1..end });
            }
        }
        Some(Self { line, fields, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_heading_with_a_text_is_the_title() {
        for (text, title) in [
            ("# Shop #\n", Some("Shop")),
            ("#\n## **The**  shop\n# x\n", Some("**The** shop")),
            ("The\nshop\n---\n", Some("The shop")),
            ("```\n# x\n```\n> # y\n#z\n", None),
        ] {
            assert_eq!(Todo::read(text.as_bytes()).unwrap().title.as_deref(), title, "{text:?}");
        }
    }

    #[test]
    fn a_status_line_is_a_comment_of_its_own() {
        let text = "<!-- loop: status=running iteration=3 odd max=20 -->\n<!-- loops: a=b -->\nx <!-- loop: a=b -->\n\
                    ```\n<!-- loop: a=b -->\n```\n  <!--loop:-->\n";
        let todo = Todo::read(text.as_bytes()).unwrap();
        let lines: Vec<u32> = todo.status_lines.iter().map(|line| line.line).collect();
        assert_eq!(lines, [1, 7]);
        let fields: Vec<_> =
            todo.status_lines[0].fields.iter().map(|field| (field.key, field.value)).collect();
        assert_eq!(fields, [("status", "running"), ("iteration", "3"), ("max", "20")]);
        let range = todo.field("iteration").unwrap().range.clone();
        assert_eq!((&text[range], &text[todo.status_lines[0].end..][..4]), ("3", " -->"));
    }

    #[test]
    fn what_is_no_text_is_no_list() {
        assert_eq!(Todo::read(b"ab\xff").unwrap_err(), 2);
    }
}
