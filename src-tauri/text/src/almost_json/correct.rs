//! One value, corrected while it is read from front to back.

mod gap;
mod skip;

use super::blank::indent;
use super::{Corrected, Correction, CorrectionKind as Kind, CutText, LostValue, MOST_LISTED, PathPart};
use crate::json_span::scan::MAX_DEPTH;
use crate::json_span::tree::quote;
use gap::Gap;

/// Lost values that are listed one by one.
const MOST_LOST: usize = 1_000;

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is in the result.
    Read,
    /// It is lost; the result may have a part of it, which its caller takes away.
    Lost(Kind),
}

/// Where a string or another scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The key of a member.
    Key,
    /// The value of a member.
    Member,
    /// An item of a list.
    Item,
}

/// An open list or object.
struct Frame {
    object: bool,
    /// The column of its first key, if that begins its line.
    indent: Option<usize>,
}

/// Reads one value, and writes it as strict JSON.
pub(super) struct Corrector<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    pub(super) out: String,
    pub(super) cut: CutText,
    /// Bytes that may still be read twice, so that the whole stays linear.
    pub(super) again: usize,
    frames: Vec<Frame>,
    path: Vec<PathPart>,
    corrections: Vec<Correction>,
    count: usize,
    lost: Vec<LostValue>,
    open: Option<Vec<PathPart>>,
    origin: Vec<(usize, usize)>,
    /// A byte and its line, for counting on from there.
    lines: (usize, u32),
    /// From here on, no block comment ends.
    open_comment: Option<usize>,
}

impl<'t> Corrector<'t> {
    pub(super) fn new(text: &'t str, at: usize, cut: CutText) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            out: String::new(),
            cut,
            again: 4 * text.len() + (64 << 10),
            frames: Vec::new(),
            path: Vec::new(),
            corrections: Vec::new(),
            count: 0,
            lost: Vec::new(),
            open: None,
            origin: Vec::new(),
            lines: (0, 1),
            open_comment: None,
        }
    }

    /// Reads the list or object that begins here; returns it with the offset behind it.
    pub(super) fn container_here(mut self) -> (Corrected<'t>, usize) {
        self.out.reserve((self.text.len() - self.at).min(1 << 16));
        self.container();
        let end = self.at;
        self.corrections.sort_by_key(|correction| correction.at);
        let corrected = Corrected {
            text: self.out.into(),
            corrections: self.corrections,
            count: self.count,
            lost: self.lost,
            open: self.open,
            origin: self.origin,
        };
        (corrected, end)
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn char(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Writes a part of the text as it is.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        self.mark(from);
        self.out.push_str(&self.text[from..to]);
    }

    /// What is written next comes from `at`.
    pub(super) fn mark(&mut self, at: usize) {
        let here = self.out.len();
        let follows =
            self.origin.last().is_some_and(|(result, origin)| at.checked_sub(here - result) == Some(*origin));
        if !follows {
            self.origin.push((here, at));
        }
    }

    fn take_back(&mut self, to: usize) {
        self.out.truncate(to);
        while self.origin.last().is_some_and(|(result, _)| *result >= to) {
            self.origin.pop();
        }
    }

    pub(super) fn corrected(&mut self, kind: Kind, at: usize) {
        self.count += 1;
        if self.corrections.len() < MOST_LISTED {
            let line = self.line(at);
            self.corrections.push(Correction { kind, at, line });
        }
    }

    fn lose(&mut self, kind: Kind, at: usize) {
        if self.lost.len() < MOST_LOST {
            let (path, line) = (self.path.clone(), self.line(at));
            self.lost.push(LostValue { path, at, line, kind });
        }
        self.corrected(kind, at);
    }

    fn line(&mut self, at: usize) -> u32 {
        let (known, line) = self.lines;
        let count = |from, to| memchr::memchr_iter(b'\n', &self.bytes[from..to]).count();
        let breaks = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let line = if at >= known {
            line.saturating_add(breaks(count(known, at)))
        } else {
            line.saturating_sub(breaks(count(at, known)))
        };
        self.lines = (at, line);
        line
    }

    /// The text ends within a list or object.
    fn cut_off(&mut self) {
        if self.open.is_none() {
            self.open = Some(self.path.clone());
            self.corrected(Kind::CutOff, self.bytes.len());
        }
    }

    /// Reads the list or object that begins here; the stack is bounded by [`MAX_DEPTH`].
    fn container(&mut self) -> Outcome {
        let object = self.byte() == Some(b'{');
        if self.frames.len() == MAX_DEPTH {
            self.skip_nested();
            return Outcome::Lost(Kind::TooDeep);
        }
        let (open, close) = if object { (b'{', b'}') } else { (b'[', b']') };
        debug_assert_eq!(self.byte(), Some(open));
        self.copy(self.at, self.at + 1);
        self.at += 1;
        self.frames.push(Frame { object, indent: None });
        let (mut there, mut seen) = (0, 0);
        loop {
            let mark = self.out.len();
            let gap = self.gap();
            let begun = self.at;
            if self.closes(close, seen) {
                if self.open.is_some() && there == 0 && self.frames.len() > 1 {
                    self.frames.pop();
                    return Outcome::Lost(Kind::CutOff); // nothing of it is there
                }
                self.write_end(close, begun, &gap);
                break;
            }
            if gap.commas > usize::from(seen > 0) {
                self.corrected(Kind::ExtraComma, if seen > 0 { gap.extra } else { gap.first });
            }
            self.open_gap(&gap, there > 0);
            let (outcome, kept) = if object { self.member() } else { self.item(there) };
            match outcome {
                Outcome::Read => {
                    if seen > 0 && gap.commas == 0 {
                        self.corrected(Kind::MissingComma, begun);
                    }
                    there += 1;
                }
                Outcome::Lost(kind) => {
                    self.take_back(mark);
                    self.note_lost(kind, begun, kept);
                }
            }
            if kept {
                self.path.pop();
            }
            seen += 1;
            if self.at == begun {
                self.at += self.char().map_or(1, char::len_utf8); // always forward
            }
        }
        self.frames.pop();
        Outcome::Read
    }

    /// Writes the end of a list or object, which begins at `begun`, after the space before it.
    fn write_end(&mut self, close: u8, begun: usize, gap: &Gap) {
        if gap.commas > 0 && self.open.is_none() {
            self.corrected(Kind::ExtraComma, gap.first);
        }
        self.mark(begun);
        self.out.push_str(&gap.blank);
        self.out.push(char::from(close));
    }

    /// Notes that what begins at `at` is lost; of a member whose key cannot be read, its line.
    fn note_lost(&mut self, kind: Kind, at: usize, has_name: bool) {
        if has_name {
            self.lose(kind, at);
        } else if kind != Kind::CutOff {
            let line = self.line(at);
            self.path.push(PathPart::Key(format!("line {line}")));
            self.lose(kind, at);
            self.path.pop();
        }
    }

    /// Writes the space before a value, with the comma if one belongs there.
    fn open_gap(&mut self, gap: &Gap, comma: bool) {
        let before = if gap.commas > 0 { gap.before } else { 0 };
        if comma {
            self.out.push_str(&gap.blank[..before]);
            self.out.push(',');
            self.out.push_str(&gap.blank[before..]);
        } else {
            self.out.push_str(&gap.blank);
        }
    }

    /// Whether the open list or object ends here. The end is consumed, unless it belongs to one further out.
    fn closes(&mut self, close: u8, seen: usize) -> bool {
        let Some(byte) = self.byte() else {
            self.cut_off();
            return true;
        };
        let object = close == b'}';
        if byte == close {
            self.at += 1;
            return true;
        }
        let ends_outer = match byte {
            // `gap` skipped those that close nothing.
            b'}' | b']' => true,
            // A key in a list of an object, an item in an object of a list, a key of an object further out.
            b'{' if object => self.parent_is(false) && seen > 0,
            _ if object => seen > 0 && self.is_outer_key(),
            b'"' if self.parent_is(true) => self.is_key_at(self.at),
            _ => false,
        };
        if ends_outer {
            self.corrected(Kind::MissingBracket, self.at);
        }
        ends_outer
    }

    /// Whether these brackets close all that is open.
    pub(super) fn are_all_closed_by(&self, closers: &[u8]) -> bool {
        let open = self.frames.iter().rev().map(|frame| if frame.object { b'}' } else { b']' });
        closers.iter().copied().eq(open)
    }

    fn parent_is(&self, object: bool) -> bool {
        self.frames.len().checked_sub(2).is_some_and(|index| self.frames[index].object == object)
    }

    /// A key that begins its line further left than those of this object, where those of an outer one begin.
    fn is_outer_key(&self) -> bool {
        let Some((own, outer)) = self.frames.split_last() else { return false };
        let (Some(column), Some(own)) = (indent(self.bytes, self.at), own.indent) else { return false };
        column < own
            && outer.iter().any(|frame| frame.object && frame.indent == Some(column))
            && self.is_key_at(self.at)
    }

    /// An item of a list.
    fn item(&mut self, index: usize) -> (Outcome, bool) {
        self.path.push(PathPart::Index(index));
        (self.value(Role::Item), true)
    }

    /// A key and its value; tells whether the path has the key.
    fn member(&mut self) -> (Outcome, bool) {
        let begun = self.at;
        let own = indent(self.bytes, begun);
        let Some(name) = self.key() else {
            let stray = matches!(self.byte(), Some(b'{' | b'['));
            if stray {
                let mark = self.out.len();
                self.skip_nested();
                self.take_back(mark);
            } else {
                self.skip_unreadable();
            }
            let kind = if self.at >= self.bytes.len() { Kind::CutOff } else { Kind::Unreadable };
            return (Outcome::Lost(kind), false);
        };
        if let Some(frame) = self.frames.last_mut()
            && frame.indent.is_none()
        {
            frame.indent = own;
        }
        self.path.push(PathPart::Key(name));
        let mut gap = self.gap_in_member();
        match self.byte() {
            Some(b':') => {
                self.out.push_str(&gap);
                self.copy(self.at, self.at + 1);
                self.at += 1;
            }
            Some(b'=') => {
                self.corrected(Kind::MissingColon, self.at);
                self.at += if self.bytes.get(self.at + 1) == Some(&b'>') { 2 } else { 1 };
                self.out.push(':');
            }
            None => return (Outcome::Lost(Kind::CutOff), true),
            Some(b',' | b'}' | b']') => return (Outcome::Lost(Kind::Unreadable), true),
            Some(_) => {
                self.corrected(Kind::MissingColon, self.at);
                self.out.push(':');
                self.out.push_str(&gap);
            }
        }
        gap = self.gap_in_member();
        while self.byte() == Some(b':') {
            self.corrected(Kind::StrayText, self.at);
            self.at += 1;
            gap += &self.gap_in_member();
        }
        self.out.push_str(&gap);
        match self.byte() {
            None => (Outcome::Lost(Kind::CutOff), true),
            Some(b',' | b'}' | b']') => (Outcome::Lost(Kind::Unreadable), true),
            Some(_) => (self.value(Role::Member), true),
        }
    }

    /// A key in any spelling; nothing is consumed when there is none.
    fn key(&mut self) -> Option<String> {
        if self.opening_quote().is_some() {
            let from = self.out.len();
            if self.string(Role::Key) != Outcome::Read {
                return None;
            }
            let written = &self.out[from..];
            return Some(serde_json::from_str(written).unwrap_or_else(|_| written.to_owned()));
        }
        let (name, end) = self.bare_key(self.at)?;
        let name = name.to_owned();
        self.corrected(Kind::UnquotedKey, self.at);
        self.mark(self.at);
        self.out.push_str(&quote(&name));
        self.at = end;
        Some(name)
    }

    /// A value of any kind.
    fn value(&mut self, role: Role) -> Outcome {
        match self.byte() {
            Some(b'{' | b'[') => self.container(),
            Some(_) if self.opening_quote().is_some() => self.string(role),
            _ => self.bare(role),
        }
    }
}
