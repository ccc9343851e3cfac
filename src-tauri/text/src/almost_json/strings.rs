//! Strings in any quotes: where they end, and what is in them.

use super::CorrectionKind as Kind;
use super::bare::is_literal;
use super::blank::past;
use super::correct::{Corrector, Outcome, Role};
use super::quotes::{closes, is_opening_quote, is_typographic};
use crate::json_span::quick;
use std::fmt::Write;

/// Bytes of a line in which the end of a sentence is looked for.
const SENTENCE: usize = 512;

/// What a quote within a string may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    /// The end of the string.
    End,
    /// A part of its text.
    Inner,
    /// The end of a key: the string ended before it.
    OfKey,
}

/// Where a string ends.
struct End {
    /// Behind its text.
    text: usize,
    /// Where reading continues.
    next: usize,
    /// What is wrong with its end.
    kind: Option<Kind>,
}

/// Quotes on the way to the end of a string, each with what is behind it.
#[derive(Default)]
struct PassedQuotes {
    /// The first one that is a part of the text.
    inner: Option<(usize, usize)>,
    /// Where the last one of those is.
    last_inner: Option<usize>,
    /// A closing quote of another kind, at a likely end.
    other: Option<(usize, usize)>,
}

impl Corrector<'_> {
    /// The quote with which a string begins here.
    pub(super) fn opening_quote(&self) -> Option<char> {
        let first = match self.byte()? {
            byte @ (b'"' | b'\'' | b'`') => char::from(byte),
            byte if byte.is_ascii() => return None,
            _ => self.char()?,
        };
        is_opening_quote(first).then_some(first)
    }

    /// Reads a string.
    pub(super) fn string(&mut self, role: Role) -> Outcome {
        let start = self.at;
        if let Some(end) = quick::plain_string(self.bytes, start)
            && self.judge(end + 1, role) == Quote::End
            && end + 1 < self.bytes.len()
        {
            self.copy(start, end + 1);
            self.at = end + 1;
            return Outcome::Read;
        }
        let Some(first) = self.opening_quote() else { return Outcome::Lost(Kind::Unreadable) };
        let from = start + first.len_utf8();
        let Some(end) = self.end_of_string(first, from, role) else {
            self.at = self.bytes.len();
            let readable = !self.bytes[from..].contains(&0);
            if self.cut == super::CutText::Kept && role != Role::Key && readable {
                self.write_string(first, from, self.bytes.len());
                return Outcome::Read;
            }
            return Outcome::Lost(Kind::CutOff);
        };
        if memchr::memchr(0, &self.bytes[from..end.text]).is_some() {
            self.at = end.next;
            return Outcome::Lost(Kind::Nul);
        }
        if first != '"' {
            let kind = if is_typographic(first) { Kind::TypographicQuotes } else { Kind::OtherQuotes };
            self.corrected(kind, start);
        }
        if let Some(kind) = end.kind {
            self.corrected(kind, end.text);
        }
        self.write_string(first, from, end.text);
        self.at = end.next;
        Outcome::Read
    }

    /// Where the string whose text begins at `from` ends; `None` when it is cut off.
    fn end_of_string(&mut self, first: char, from: usize, role: Role) -> Option<End> {
        if self.again == 0 {
            let end = self.text[from..].find(|c| closes(first, c)).map(|length| from + length)?;
            let next = end + self.text[end..].chars().next().map_or(1, char::len_utf8);
            return Some(End { text: end, next, kind: None });
        }
        let mut at = from;
        let mut passed = PassedQuotes::default();
        let most = from.saturating_add(self.again).min(self.bytes.len());
        while at < most {
            let byte = self.bytes[at];
            if byte == b'\\' {
                at += 1 + self.text[at + 1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            let c = if byte.is_ascii() { char::from(byte) } else { self.text[at..].chars().next()? };
            let behind = at + c.len_utf8();
            if closes(first, c) {
                if let Some(end) = self.end_at_quote((at, behind), from, role, &mut passed) {
                    return Some(end);
                }
            } else if first == '"'
                && passed.other.is_none()
                && is_typographic(c)
                && self.ends_before_more(behind, role)
            {
                passed.other = Some((at, behind));
            }
            at = behind;
        }
        self.again = self.again.saturating_sub(at - from);
        self.end_of_open_string(from, role, &passed)
    }

    /// The end of the string if its closing quote is at `at`, or shows that the string ended before.
    fn end_at_quote(
        &self,
        (at, behind): (usize, usize),
        from: usize,
        role: Role,
        passed: &mut PassedQuotes,
    ) -> Option<End> {
        let begins_item = |quote: &usize| self.begins_item(from, *quote);
        match self.judge(behind, role) {
            Quote::End => {
                let split = passed.last_inner.filter(|quote| role == Role::Item && begins_item(quote));
                if let Some(quote) = split {
                    return Some(self.missing_quote(from, quote, passed.other));
                }
                if let Some((quote, _)) = passed.inner.filter(|_| role == Role::Key)
                    && let Some(length) = self.text[from..quote].find(':')
                {
                    let colon = from + length; // its own quote is missing
                    return Some(End { text: colon, next: colon, kind: Some(Kind::MissingQuote) });
                }
                let kind = passed.inner.map(|_| Kind::InnerQuote);
                Some(End { text: at, next: behind, kind })
            }
            Quote::OfKey => {
                if let Some(quote) = passed.last_inner.filter(begins_item) {
                    return Some(self.missing_quote(from, quote, passed.other));
                }
                let (text, next) = passed.other.or(passed.inner).unwrap_or((at, behind));
                Some(End { text, next, kind: Some(Kind::MissingQuote) })
            }
            Quote::Inner => {
                if role != Role::Key && self.begins_line(from, at) && begins_item(&at) {
                    return Some(self.missing_quote(from, at, passed.other));
                }
                passed.inner = passed.inner.or(Some((at, behind)));
                passed.last_inner = Some(at);
                None
            }
        }
    }

    /// The end of a string without a closing quote, if it is not just cut off.
    fn end_of_open_string(&self, from: usize, role: Role, passed: &PassedQuotes) -> Option<End> {
        let kind = Some(Kind::MissingQuote);
        if let Some((text, next)) = passed.other {
            return Some(End { text, next, kind });
        }
        if role == Role::Key {
            // Its quote is missing, its colon is there, and it isn't just cut off: there is another line.
            let stop =
                self.bytes[from..].iter().take(128).position(|byte| matches!(byte, b':' | b'\n' | b'"'));
            let end = stop.map(|length| from + length).filter(|end| self.bytes[*end] == b':')?;
            memchr::memchr(b'\n', &self.bytes[end..])?;
            return Some(End { text: end, next: end, kind });
        }
        // The next line goes on with something else.
        let line = super::blank::line_end(self.bytes, from);
        let next = past(self.bytes, line);
        if line < self.bytes.len() && matches!(self.bytes.get(next), Some(b'"' | b'}' | b']')) {
            let text = self.text[from..line].trim_end().trim_end_matches(',').len() + from;
            return Some(End { text, next: text, kind });
        }
        if let Some((text, next)) = passed.inner {
            return Some(End { text, next, kind });
        }
        // What is left closes all that is open.
        let rest = self.text[from..].trim_end();
        let kept = rest.trim_end_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace());
        let closers: Vec<u8> =
            rest[kept.len()..].bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        self.are_all_closed_by(&closers).then(|| End {
            text: from + kept.len(),
            next: from + kept.len(),
            kind,
        })
    }

    /// The text before the quote at `quote`, which begins something else. Its own quote may be `other` than the first.
    fn missing_quote(&self, from: usize, quote: usize, other: Option<(usize, usize)>) -> End {
        let text = self.text[from..quote].trim_end().trim_end_matches(',').trim_end().len() + from;
        if let Some((text, next)) = other.filter(|(_, next)| *next == text) {
            return End { text, next, kind: Some(Kind::MissingQuote) };
        }
        End { text, next: text, kind: Some(Kind::MissingQuote) }
    }

    /// Whether what begins at `quote` follows a comma or a line break.
    fn begins_item(&self, from: usize, quote: usize) -> bool {
        let before = &self.text[from..quote];
        before.trim_end().ends_with(',') || self.begins_line(from, quote)
    }

    fn begins_line(&self, from: usize, quote: usize) -> bool {
        super::blank::indent(self.bytes, quote).is_some_and(|column| quote - column > from)
    }

    /// Whether a string may end before `after`, with something behind it.
    fn ends_before_more(&self, after: usize, role: Role) -> bool {
        past(self.bytes, after) < self.bytes.len() && self.judge(after, role) == Quote::End
    }

    /// What the quote before `after` is.
    fn judge(&self, after: usize, role: Role) -> Quote {
        let next = past(self.bytes, after);
        match (self.bytes.get(next), role) {
            (None, _) | (Some(b':' | b'='), Role::Key) => Quote::End,
            // A value without its colon.
            (Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9'), Role::Key) => Quote::End,
            (Some(_), Role::Key) if next > after && is_literal(self.word(next)) => Quote::End,
            // A key without its value.
            (Some(b'}' | b']'), Role::Key) => Quote::End,
            (Some(b','), Role::Key) if self.is_key_at(past(self.bytes, next + 1)) => Quote::End,
            (Some(_), Role::Key) => Quote::Inner,
            (Some(b'}' | b']' | b';'), _) => Quote::End,
            (Some(b','), _) if self.is_sentence(next + 1, role) => Quote::Inner,
            (Some(b','), _) => Quote::End,
            (Some(b':'), _) => Quote::OfKey,
            (Some(_), Role::Member) if self.is_whole_key_at(next) => Quote::End,
            (Some(b'"' | b'{' | b'['), Role::Item) => Quote::End,
            (Some(_), Role::Item) if next > after && is_literal(self.word(next)) => Quote::End,
            _ => Quote::Inner,
        }
    }

    /// Whether what follows a comma reads like the rest of a sentence that ends with another quote on its line.
    fn is_sentence(&self, at: usize, role: Role) -> bool {
        let rest = &self.bytes[at..self.bytes.len().min(at + SENTENCE)];
        let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let begins =
            self.text.get(at + blank..).and_then(|text| text.chars().next()).is_some_and(char::is_alphabetic);
        if !begins || blank == rest.len() || memchr::memchr(b'"', rest).is_none() {
            return false;
        }
        match role {
            Role::Item => !is_literal(self.word(at + blank)),
            _ => !self.is_key_at(at + blank),
        }
    }

    fn word(&self, at: usize) -> &str {
        let rest = &self.text[at..];
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '"');
        &rest[..rest.char_indices().take(64).find(|(_, c)| ends(*c)).map_or(0, |(length, _)| length)]
    }

    /// Writes the text from `from` to `to` as a string.
    fn write_string(&mut self, first: char, from: usize, to: usize) {
        self.mark(from.saturating_sub(1));
        self.out.push('"');
        let mut at = from;
        while at < to {
            let plain = plain_length(&self.bytes[at..to]);
            self.copy(at, at + plain);
            at += plain;
            match self.bytes.get(at).filter(|_| at < to) {
                None => break,
                Some(b'"') => {
                    self.out.push_str("\\\"");
                    at += 1;
                }
                Some(b'\\') => at = self.write_escape(first, at, to),
                Some(control) => {
                    let _ = match control {
                        b'\n' => write!(self.out, "\\n"),
                        b'\r' => write!(self.out, "\\r"),
                        b'\t' => write!(self.out, "\\t"),
                        other => write!(self.out, "\\u{other:04x}"),
                    };
                    self.corrected(Kind::ControlCharacter, at);
                    at += 1;
                }
            }
        }
        self.mark(to);
        self.out.push('"');
    }

    /// Writes one escape; returns where the text continues.
    fn write_escape(&mut self, first: char, at: usize, to: usize) -> usize {
        let follows = |at: usize| self.bytes.get(at).copied().filter(|_| at < to);
        let hex = |from: usize, count: usize| {
            let digits = self.text.get(from..from + count).filter(|_| from + count <= to);
            digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        match follows(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.copy(at, at + 2);
                return at + 2;
            }
            Some(b'u') if hex(at + 2, 4).is_some() => {
                self.copy(at, at + 6);
                return at + 6;
            }
            _ => {}
        }
        let (written, next) = match follows(at + 1) {
            Some(b'x') if hex(at + 2, 2).is_some() => {
                (format!("\\u00{}", hex(at + 2, 2).unwrap_or("00")), at + 4)
            }
            Some(b'\'' | b'`') => (char::from(self.bytes[at + 1]).to_string(), at + 2),
            Some(b'\n') => (String::new(), at + 2), // a line that continues
            Some(_) if self.text[at + 1..].starts_with(first) => {
                (first.to_string(), at + 1 + first.len_utf8())
            }
            _ => ("\\\\".to_owned(), at + 1),
        };
        self.out.push_str(&written);
        self.corrected(Kind::BadEscape, at);
        next
    }
}

/// Bytes before the next quote, backslash or control character.
fn plain_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(bytes.len())
}
