//! From the events of the parser to a [`Document`].

use super::boxes::{self, OTHER};
use super::document::{Document, Heading, Item, Lookalike, LookalikePlace, Mark};
use super::front_matter;
use super::html::HtmlBlock;
use super::lines::{line_at, line_end, lines, trimmed};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Letters of a line that tell whether it begins with a box.
const LONGEST_BEGINNING: usize = 40;

impl Document {
    /// Reads `text`. Any text is Markdown.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (start, front) = front_matter::split(text);
        let mut walk = Walk::new(text, start);
        walk.raw_boxes(front, LookalikePlace::Verbatim);
        for (event, range) in Parser::new_ext(&text[start..], Options::ENABLE_TABLES).into_offset_iter() {
            walk.take(&event, start + range.start..start + range.end);
        }
        walk.finish()
    }
}

struct Walk<'t> {
    text: &'t str,
    found: Document,
    /// How many quotes are open.
    quotes: usize,
    /// The text of an item begins with what comes next.
    at_item: bool,
    /// The line of text that is read.
    line: Option<Line>,
    heading: Option<Heading>,
    code: Option<Code>,
    html: Option<HtmlBlock>,
    /// Boxes in fenced code that is closed: they count for nothing as long as all fences are.
    fenced: Vec<Lookalike>,
    has_open_fence: bool,
}

/// A line as it is shown.
struct Line {
    at: usize,
    /// Its beginning.
    shown: String,
    is_item: bool,
    is_box: bool,
}

struct Code {
    is_fenced: bool,
    is_closed: bool,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let found = Document { start, ..Document::default() };
        Self {
            text,
            found,
            quotes: 0,
            at_item: false,
            line: None,
            heading: None,
            code: None,
            html: None,
            fenced: Vec::new(),
            has_open_fence: false,
        }
    }

    fn finish(mut self) -> Document {
        self.end_line();
        if self.has_open_fence {
            // A fence too many turns text into code and code into text: none of them can be trusted.
            self.found.lookalikes.append(&mut self.fenced);
        }
        self.found.lookalikes.sort_by_key(|found| found.line.start);
        self.found
    }

    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag, range),
            Event::End(tag) => self.close(*tag),
            Event::Text(_) if self.code.is_some() => self.code_text(range),
            Event::Html(_) => {
                if let Some(html) = &mut self.html {
                    html.take(self.text, range);
                }
            }
            Event::Text(text) => self.inline(&range, text),
            Event::InlineHtml(html) => {
                self.inline(&range, boxes::input(html));
            }
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => self.end_block(),
            _ => self.inline(&range, OTHER.encode_utf8(&mut [0; 4])),
        }
    }

    fn open(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.inline(&range, "");
            }
            Tag::Link { .. } | Tag::Image { .. } => self.inline(&range, OTHER.encode_utf8(&mut [0; 4])),
            // Their text is that of the item, or of the quote.
            Tag::Paragraph | Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell => {
                self.end_line();
            }
            Tag::Item => {
                self.end_block();
                self.at_item = true;
                self.found.items.push(Item {
                    start: range.start,
                    text: range.start..range.start,
                    mark: None,
                });
            }
            Tag::BlockQuote(_) => {
                self.end_block();
                self.quotes += 1;
            }
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading =
                    Some(Heading { level: *level as usize, text: range.start..range.start, range });
            }
            Tag::CodeBlock(kind) => {
                self.end_block();
                let is_fenced = matches!(kind, CodeBlockKind::Fenced(_));
                let is_closed = !is_fenced || is_closed(&self.text[range]);
                self.has_open_fence |= !is_closed;
                self.code = Some(Code { is_fenced, is_closed });
            }
            Tag::HtmlBlock => {
                self.end_block();
                self.html = Some(HtmlBlock::new(self.quotes > 0));
            }
            _ => self.end_block(),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image => return,
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            TagEnd::CodeBlock => self.code = None,
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    html.finish(&mut self.found);
                }
            }
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take().filter(|_| self.quotes == 0) {
                    self.found.headings.push(heading);
                }
            }
            _ => {}
        }
        self.end_block();
    }

    /// Something within a line that is shown as `shown`.
    fn inline(&mut self, range: &Range<usize>, shown: &str) {
        if let Some(heading) = &mut self.heading {
            if heading.text.is_empty() {
                heading.text.start = range.start;
            }
            heading.text.end = heading.text.end.max(range.end);
        }
        if self.line.is_none() {
            let is_item = std::mem::take(&mut self.at_item);
            let is_box = is_item && self.item(range.start, shown.starts_with(OTHER));
            self.line = Some(Line { at: range.start, shown: String::new(), is_item, is_box });
        }
        if let Some(line) = self.line.as_mut().filter(|line| line.shown.len() < LONGEST_BEGINNING) {
            line.shown.extend(shown.chars().take(LONGEST_BEGINNING));
        }
    }

    /// The text of an item begins at `at`. Returns whether that is a box. A link or code may begin like one.
    fn item(&mut self, at: usize, is_other: bool) -> bool {
        let end = self.line_end(at);
        let mark = boxes::mark(&self.text[at..end]).filter(|(mark, _)| !is_other || *mark != Mark::Unknown);
        let mark = mark.map(|(mark, range)| (mark, at + range.start..at + range.end));
        let start = mark.as_ref().map_or(at, |(_, range)| range.end + 1);
        if let Some(item) = self.found.items.last_mut() {
            item.text = trimmed(self.text, start..end);
            item.mark = mark;
            return item.mark.is_some();
        }
        false
    }

    fn end_line(&mut self) {
        let Some(line) = self.line.take().filter(|line| !line.is_box) else { return };
        if let Some(is_open) = boxes::looks_like_box(&line.shown, line.is_item) {
            self.add(line.at, is_open, LookalikePlace::Text);
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.at_item = false;
    }

    fn add(&mut self, at: usize, is_open: bool, place: LookalikePlace) {
        // A line is told once, whatever its cells are.
        if let Some(last) = self.found.lookalikes.last_mut().filter(|last| last.line.contains(&at)) {
            last.is_open |= is_open;
            return;
        }
        self.found.lookalikes.push(Lookalike { line: line_at(self.text, at), is_open, place });
    }

    fn code_text(&mut self, range: Range<usize>) {
        let Some(code) = &self.code else { return };
        match (code.is_fenced, code.is_closed) {
            (false, _) => self.raw_boxes(range, LookalikePlace::Verbatim),
            (true, false) => self.raw_boxes(range, LookalikePlace::Unclosed),
            (true, true) => {
                let before = self.found.lookalikes.len();
                self.raw_boxes(range, LookalikePlace::Unclosed);
                self.fenced.extend(self.found.lookalikes.drain(before..));
            }
        }
    }

    /// Boxes in lines that are not read as Markdown.
    fn raw_boxes(&mut self, range: Range<usize>, place: LookalikePlace) {
        for line in lines(self.text, range) {
            if let Some(is_open) = boxes::is_raw_box(&self.text[line.clone()]) {
                self.add(line.start, is_open, place);
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        line_end(self.text, at)
    }
}

/// Whether fenced code has its closing fence.
fn is_closed(code: &str) -> bool {
    let Some(letter) = code.chars().next() else { return false };
    let fence = code.len() - code.trim_start_matches(letter).len();
    let Some((_, last)) = code.trim_end().rsplit_once(['\n', '\r']) else { return false };
    let last = last.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '>');
    last.len() >= fence && last.chars().all(|other| other == letter)
}
