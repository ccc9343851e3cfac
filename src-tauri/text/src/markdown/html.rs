//! Blocks of HTML: comments, and lines that are shown without being Markdown.

use super::boxes;
use super::document::{Document, Lookalike, LookalikePlace};
use super::lines::{line_at, lines, trimmed};
use std::ops::Range;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// Blocks whose content is no text of a list, whatever it says, until their end.
const VERBATIM: [(&str, &str); 4] =
    [("<pre", "</pre"), ("<script", "</script"), ("<style", "</style"), ("<textarea", "</textarea")];

/// A block of HTML, taken line by line.
pub(super) struct HtmlBlock {
    is_quoted: bool,
    /// The end of a block of code, and what is found until then.
    code: Option<(&'static str, Vec<Lookalike>)>,
    comment: Option<Comment>,
    is_begun: bool,
    comments: Vec<Range<usize>>,
    lookalikes: Vec<Lookalike>,
}

/// A comment that began on an earlier line or in this one.
#[derive(Default)]
struct Comment {
    boxes: Vec<Lookalike>,
    /// Another one begins within it: the end that is found may be that of the other.
    is_nested: bool,
}

impl HtmlBlock {
    pub(super) fn new(is_quoted: bool) -> Self {
        Self {
            is_quoted,
            code: None,
            comment: None,
            is_begun: false,
            comments: Vec::new(),
            lookalikes: Vec::new(),
        }
    }

    /// The next lines of it.
    pub(super) fn take(&mut self, text: &str, range: Range<usize>) {
        for line in lines(text, range) {
            self.line(text, line);
        }
    }

    /// What it was.
    pub(super) fn finish(self, found: &mut Document) {
        let open = self.code.map(|(_, boxes)| boxes).into_iter().chain(self.comment.map(|open| open.boxes));
        found.lookalikes.extend(self.lookalikes.into_iter().chain(open.flatten()));
        found.comments.extend(self.comments);
    }

    fn line(&mut self, text: &str, line: Range<usize>) {
        let said = &text[line.clone()];
        if !std::mem::replace(&mut self.is_begun, true) {
            let begin = said.trim_start();
            let code = VERBATIM.iter().find(|(open, _)| is_at(begin, open));
            self.code = code.map(|(_, close)| (*close, Vec::new()));
        }
        if let Some((close, boxes)) = &mut self.code {
            let is_closed = said.match_indices('<').any(|(at, _)| is_at(&said[at..], close));
            if is_closed {
                self.code = None;
            } else if let Some(found) = raw(text, line) {
                boxes.push(found);
            }
            return;
        }
        self.shown(text, line);
    }

    /// A line outside of code: its comments, and what is shown of it.
    fn shown(&mut self, text: &str, line: Range<usize>) {
        let mut shown = String::new();
        let mut at = line.start;
        if let Some(comment) = &mut self.comment {
            let rest = &text[line.clone()];
            let Some(end) = rest.find(CLOSE) else {
                comment.is_nested |= rest.contains(OPEN);
                comment.boxes.extend(raw(text, line));
                return;
            };
            comment.is_nested |= rest[..end].contains(OPEN);
            at += end + CLOSE.len();
            self.end_comment();
        }
        while let Some(open) = text[at..line.end].find(OPEN).map(|open| at + open) {
            shown.push_str(&text[at..open]);
            let Some(end) = text[open + 2..line.end].find(CLOSE).map(|end| open + 2 + end) else {
                self.comment = Some(Comment::default());
                at = line.end;
                break;
            };
            at = end + CLOSE.len();
            let is_alone = trimmed(text, line.start..at).start == open
                && (text[at..line.end].trim().is_empty()
                    || text[at..line.end].trim_start().starts_with(OPEN));
            if is_alone && !self.is_quoted {
                self.comments.push((open + OPEN.len()).min(end)..end);
            }
        }
        shown.push_str(&text[at..line.end]);
        let shown = boxes::without_tags(&shown);
        if let Some(is_open) = boxes::looks_like_box(&shown, false) {
            let line = line_at(text, line.start);
            self.lookalikes.push(Lookalike { line, is_open, place: LookalikePlace::Text });
        }
    }

    fn end_comment(&mut self) {
        if let Some(comment) = self.comment.take().filter(|comment| comment.is_nested) {
            self.lookalikes.extend(comment.boxes);
        }
    }
}

/// Whether `text` begins with this tag, in any case.
fn is_at(text: &str, tag: &str) -> bool {
    let begin = text.as_bytes().get(..tag.len());
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(tag.as_bytes()))
        && text.as_bytes().get(tag.len()).is_none_or(ends)
}

/// A box in a line that isn't read as Markdown.
fn raw(text: &str, line: Range<usize>) -> Option<Lookalike> {
    let start = line.start;
    let is_open = boxes::is_raw_box(&text[line])?;
    Some(Lookalike { line: line_at(text, start), is_open, place: LookalikePlace::Unclosed })
}
