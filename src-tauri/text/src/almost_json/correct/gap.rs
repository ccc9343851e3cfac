//! What is between values: space, commas, comments, and what belongs to nothing.

use super::Corrector;
use crate::almost_json::CorrectionKind as Kind;
use crate::almost_json::blank::{self, comment, indent, is_mark, line_end};

/// The space before a value.
#[derive(Default)]
pub(super) struct Gap {
    /// Without comments and commas.
    pub(super) blank: String,
    /// Its commas: how many, where the first and the second one are, and how much space is before the first.
    pub(super) commas: usize,
    pub(super) first: usize,
    pub(super) extra: usize,
    pub(super) before: usize,
}

impl Corrector<'_> {
    /// Space, comments, commas, and what belongs to nothing, up to a value, an end that closes something, or the end of
    /// the text.
    pub(super) fn gap(&mut self) -> Gap {
        let mut gap = Gap::default();
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => gap.blank.push(char::from(byte)),
                b',' | b';' => {
                    match gap.commas {
                        0 => (gap.first, gap.before) = (self.at, gap.blank.len()),
                        1 => gap.extra = self.at,
                        _ => {}
                    }
                    gap.commas += 1;
                    if byte == b';' {
                        self.corrected(Kind::StrayText, self.at);
                    }
                }
                0 => self.nul(),
                b'/' | b'#' => match self.comment_end() {
                    Some(end) => {
                        let before = if gap.commas > 0 { gap.before } else { 0 };
                        self.comment(end, &mut gap.blank, before);
                        continue;
                    }
                    None => break,
                },
                b'<' | b'=' | b'>' | b'|' | b'`' | b'~' => {
                    let end = line_end(self.bytes, self.at);
                    if indent(self.bytes, self.at).is_none() || !is_mark(&self.bytes[self.at..end]) {
                        break;
                    }
                    self.corrected(Kind::StrayText, self.at);
                    self.at = end;
                    continue;
                }
                b'}' | b']' if self.is_stray(byte) => self.corrected(Kind::StrayBracket, self.at),
                _ => break,
            }
            self.at += 1;
        }
        gap
    }

    /// Space and comments within a member.
    pub(super) fn gap_in_member(&mut self) -> String {
        let mut blank = String::new();
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => blank.push(char::from(byte)),
                0 => self.nul(),
                b'}' | b']' if self.is_stray(byte) => self.corrected(Kind::StrayBracket, self.at),
                _ => match self.comment_end() {
                    Some(end) => {
                        self.comment(end, &mut blank, 0);
                        continue;
                    }
                    None => break,
                },
            }
            self.at += 1;
        }
        blank
    }

    /// One or more NULs.
    fn nul(&mut self) {
        self.corrected(Kind::Nul, self.at);
        while self.bytes.get(self.at + 1) == Some(&0) {
            self.at += 1;
        }
    }

    /// The end of the comment that begins here. A block without an end ends with its line.
    fn comment_end(&mut self) -> Option<usize> {
        let is_open = self.open_comment.is_some_and(|from| self.at >= from);
        let is_block = self.bytes[self.at..].starts_with(b"/*");
        let end = if is_block && is_open { None } else { comment(self.bytes, self.at, self.bytes.len()) };
        if is_block && end.is_none() {
            self.open_comment = self.open_comment.or(Some(self.at));
            return Some(line_end(self.bytes, self.at));
        }
        end
    }

    /// A comment up to `end`; one that has its line for itself goes with it. The first `before` bytes of the space before
    /// it stay.
    fn comment(&mut self, end: usize, blank: &mut String, before: usize) {
        self.corrected(Kind::Comment, self.at);
        let whole_line = indent(self.bytes, self.at).is_some();
        self.at = end;
        if matches!(self.byte(), None | Some(b'\n' | b'\r')) {
            let kept = blank.trim_end_matches([' ', '\t']).len().max(before);
            blank.truncate(kept);
            if whole_line && blank.ends_with('\n') {
                self.at = (line_end(self.bytes, self.at) + 1).min(self.bytes.len());
            }
        }
    }

    /// A bracket that closes nothing, or that closes the whole too early: its members continue behind it.
    fn is_stray(&self, byte: u8) -> bool {
        let object = byte == b'}';
        if !self.frames.iter().any(|frame| frame.object == object) {
            return true;
        }
        if self.frames.len() > 1 || !object {
            return false;
        }
        let comma = blank::past(self.bytes, self.at + 1);
        self.bytes.get(comma) == Some(&b',') && self.is_key_at(blank::past(self.bytes, comma + 1))
    }
}
