//! Reading `TODO.md`: its status line, its title, its boxes (the Ralph contract §2, §3).

use loopdeck_text::text_edit::line_of;
use std::ops::Range;

/// What a status line begins with, after blanks.
const OPEN: &str = "<!--";
/// How a comment ends.
const CLOSE: &str = "-->";
/// What tells a status line from any other comment.
const NAME: &str = "loop:";

/// A list, by its bytes.
#[derive(Debug)]
pub(crate) struct Todo<'b> {
    /// The whole text.
    pub(crate) text: &'b str,
    /// The first heading.
    pub(crate) title: Option<&'b str>,
    /// Status lines in file order. A sound list has one, or none yet.
    pub(crate) status_lines: Vec<StatusLine<'b>>,
    /// Boxes in file order.
    pub(crate) items: Vec<TodoItem<'b>>,
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
    /// It is ticked.
    pub(crate) done: bool,
}

impl<'b> Todo<'b> {
    /// The list in `bytes`; where they are not UTF-8, the offset.
    pub(crate) fn read(bytes: &'b [u8]) -> Result<Self, usize> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to())?;
        let mut todo =
            Self { text, title: None, status_lines: Vec::new(), items: Vec::new(), top: top(text) };
        let mut fence: Option<&str> = None;
        let mut at = todo.top;
        for line in text[todo.top..].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let said = line.trim();
            match (fence, fence_of(said)) {
                (Some(open), Some(mark)) if mark.starts_with(open) && mark.len() == said.len() => {
                    fence = None;
                }
                (Some(_), _) => {}
                (None, Some(mark)) => fence = Some(mark),
                (None, None) => todo.add(said, start + (line.len() - line.trim_start().len())),
            }
        }
        Ok(todo)
    }

    /// How many boxes are ticked.
    pub(crate) fn done(&self) -> usize {
        self.items.iter().filter(|item| item.done).count()
    }

    /// The value of a status line, when it has one.
    pub(crate) fn field(&self, key: &str) -> Option<&StatusField<'b>> {
        self.status_lines.first()?.fields.iter().find(|field| field.key == key)
    }

    fn add(&mut self, line: &'b str, start: usize) {
        if let Some(item) = item(line) {
            self.items.push(item);
        } else if let Some(inner) = inner_of(line) {
            self.status_lines.push(StatusLine::read(self.text, start + inner.start..start + inner.end));
        } else if self.title.is_none() {
            self.title = heading(line);
        }
    }
}

impl<'b> StatusLine<'b> {
    fn read(text: &'b str, inner: Range<usize>) -> Self {
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
        Self { line, fields, end }
    }
}

/// Behind a byte order mark and front matter, which must stay what the file begins with.
fn top(text: &str) -> usize {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return start };
    let mut at = start + first.len();
    for line in lines {
        at += line.len();
        if line.trim_end() == "---" {
            return at;
        }
    }
    start
}

/// The mark of a line that opens or closes fenced code.
fn fence_of(line: &str) -> Option<&str> {
    let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let mark = &line[..line.len() - line.trim_start_matches(letter).len()];
    (mark.len() >= 3).then_some(mark)
}

/// What a status line says, as a range of the line.
fn inner_of(line: &str) -> Option<Range<usize>> {
    let rest = line.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    let said = rest.trim_start().strip_prefix(NAME)?;
    let start = line.len() - CLOSE.len() - said.len();
    Some(start..line.len() - CLOSE.len())
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let is_heading = text.len() < line.len() && text.starts_with([' ', '\t']);
    Some(text.trim().trim_end_matches('#').trim_end()).filter(|text| is_heading && !text.is_empty())
}

fn item(line: &str) -> Option<TodoItem<'_>> {
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = number.len() < line.len();
    let rest = if is_numbered { number.strip_prefix(['.', ')']) } else { line.strip_prefix(['-', '*', '+']) };
    let ticked = rest?.strip_prefix([' ', '\t'])?.trim_start().strip_prefix('[')?;
    let done = ticked.starts_with(['x', 'X']);
    let text = ticked.strip_prefix([' ', 'x', 'X'])?.strip_prefix(']')?;
    (text.is_empty() || text.starts_with([' ', '\t'])).then(|| TodoItem { text: text.trim(), done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_count_outside_of_code_in_every_list() {
        let text = "# Shop #\n\n- [ ] one\n  * [x] two\n3. [X]\tthree\n1) [ ]\n- [] no\n- [y] no\n-[ ] no\n- [x]no\n\
                    ```md\n- [ ] code\n~~~\n```\n~~~~\n- [ ] code\n~~~\n~~~~\n+ [ ] last";
        let todo = Todo::read(text.as_bytes()).unwrap();
        let found: Vec<_> = todo.items.iter().map(|item| (item.text, item.done)).collect();
        assert_eq!(found, [("one", false), ("two", true), ("three", true), ("", false), ("last", false)]);
        assert_eq!((todo.title, todo.done()), (Some("Shop"), 2));
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
    fn the_top_is_behind_what_a_file_must_begin_with() {
        for (text, top) in [
            ("# a\n", 0),
            ("\u{feff}# a\n", 3),
            ("---\na: b\n---\n# a\n", 13),
            ("---\r\na: b\r\n---\r\n", 16),
            ("---\nnever closed\n", 0),
            ("", 0),
        ] {
            assert_eq!(Todo::read(text.as_bytes()).unwrap().top, top, "{text:?}");
        }
        assert_eq!(Todo::read(b"ab\xff").unwrap_err(), 2);
    }
}
