//! Values and keys without quotes: numbers, literals of other languages, words.

use super::CorrectionKind as Kind;
use super::blank::past;
use super::correct::{Corrector, Outcome, Role};
use super::quotes::{closes, is_opening_quote};
use crate::json_span::scan::Reader;
use crate::json_span::tree::quote;

/// Characters of a key without quotes at most.
const LONGEST_KEY: usize = 128;
/// Bytes of a text without quotes at most.
const LONGEST_TEXT: usize = 4096;

impl<'t> Corrector<'t> {
    /// A value without quotes.
    pub(super) fn bare(&mut self, role: Role) -> Outcome {
        let start = self.at;
        let token = self.token(start);
        if token.is_empty() {
            self.skip_unreadable();
            return Outcome::Lost(Kind::Unreadable);
        }
        let end = start + token.len();
        let is_last = end == self.bytes.len();
        let mut reader = Reader::at(token, 0);
        if reader.skip().is_ok() && reader.offset() == token.len() && self.ends_well(end, role) {
            self.at = end;
            if is_last && !matches!(token, "null" | "true" | "false") {
                return Outcome::Lost(Kind::CutOff); // the rest of a number may be missing
            }
            self.copy(start, end);
            return Outcome::Read;
        }
        if is_last {
            self.at = end;
            return Outcome::Lost(Kind::CutOff);
        }
        if self.ends_well(end, role)
            && let Some((kind, written)) = literal(token).or_else(|| number(token))
        {
            self.corrected(kind, start);
            self.mark(start);
            self.out.push_str(&written);
            self.at = end;
            return Outcome::Read;
        }
        self.bare_text()
    }

    /// Words without quotes, up to what ends a value.
    fn bare_text(&mut self) -> Outcome {
        let start = self.at;
        let rest = &self.bytes[start..self.bytes.len().min(start + LONGEST_TEXT)];
        let stop = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b'\n' | b'"' | b'{' | b'[' | 0);
        let length = rest.iter().position(stop).unwrap_or(rest.len());
        let text = self.text.get(start..start + length).unwrap_or_default().trim_end();
        let begins = text.starts_with(|c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '/' | '~' | '$' | '@') && text.len() > 1
        });
        let word = |c: char| c.is_alphanumeric() || " _/~$@.-+:'%&?!;".contains(c) || !c.is_ascii();
        let end = start + length;
        let closed = rest.get(length) == Some(&b'"'); // its first quote is missing
        let is_text = begins
            && !text.ends_with(':')
            && text.chars().all(word)
            && text.chars().any(char::is_alphanumeric)
            && end < self.bytes.len();
        if !is_text
            || !(closed || rest.get(length).is_some_and(|byte| !matches!(byte, b'{' | b'[' | b'"' | 0)))
        {
            self.skip_unreadable();
            return Outcome::Lost(Kind::Unreadable);
        }
        self.corrected(if closed { Kind::MissingQuote } else { Kind::UnquotedText }, start);
        self.mark(start);
        self.out.push_str(&quote(text));
        self.at = if closed { end + 1 } else { start + text.len() };
        Outcome::Read
    }

    /// What may be a number or a word, from `at`.
    fn token(&self, at: usize) -> &'t str {
        let rest = &self.text[at..];
        let ends =
            |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '[' | '{' | '"' | ':' | ';' | '\0');
        let mut end = rest.find(ends).unwrap_or(rest.len());
        for mark in ["//", "/*", "#"] {
            if let Some(found) = rest[..end].find(mark) {
                end = found;
            }
        }
        &rest[..end]
    }

    /// Whether a value may end at `at`: what follows ends it, or begins the next one.
    fn ends_well(&self, at: usize, role: Role) -> bool {
        let next = past(self.bytes, at);
        match self.bytes.get(next) {
            None | Some(b',' | b'}' | b']' | b';') => true,
            Some(b':') => false,
            Some(b'{' | b'[') => role == Role::Item,
            Some(_) if next == at => false,
            Some(_) if role == Role::Member => self.is_key_at(next),
            Some(b'"') => true,
            Some(_) => {
                let token = self.token(next);
                literal(token).or_else(|| number(token)).is_some() || strict(token)
            }
        }
    }

    /// A key without quotes at `at`, and where what follows it begins. It may have one of its quotes.
    pub(super) fn bare_key(&self, at: usize) -> Option<(&'t str, usize)> {
        let rest = &self.text[at..];
        let stop =
            |c: char| c.is_whitespace() || c.is_control() || is_opening_quote(c) || ":,=[]{}()/#".contains(c);
        let length =
            rest.char_indices().take(LONGEST_KEY).find(|(_, c)| stop(*c)).map(|(length, _)| length)?;
        let begins = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '-'));
        if length == 0 || !begins {
            return None;
        }
        let mut end = at + length;
        if self.bytes.get(end) == Some(&b'"') {
            end += 1;
        }
        let next = past(self.bytes, end);
        matches!(self.bytes.get(next), Some(b':' | b'=')).then(|| (&rest[..length], end))
    }

    /// Like [`Self::is_key_at`], but a word without quotes has neither of them.
    pub(super) fn is_whole_key_at(&self, at: usize) -> bool {
        let half = self.bare_key(at).is_some_and(|(name, end)| end > at + name.len());
        !half && self.is_key_at(at)
    }

    /// Whether a key begins at `at`: something in quotes or a word, and a colon.
    pub(super) fn is_key_at(&self, at: usize) -> bool {
        let Some(first) = self.text.get(at..).and_then(|rest| rest.chars().next()) else { return false };
        if !is_opening_quote(first) {
            return self.bare_key(at).is_some();
        }
        let mut end = at + first.len_utf8();
        let from = end;
        loop {
            let Some(c) = self.text[end..].chars().next() else { return false };
            if end - from > LONGEST_KEY || c == '\n' {
                return false;
            }
            if c == '\\' {
                end += 1 + self.text[end + 1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            end += c.len_utf8();
            if closes(first, c) && self.bytes.get(past(self.bytes, end)) == Some(&b':') {
                return true;
            }
            if c == first && first == '"' {
                return false;
            }
        }
    }
}

fn strict(token: &str) -> bool {
    let mut reader = Reader::at(token, 0);
    !token.is_empty() && reader.skip().is_ok() && reader.offset() == token.len()
}

/// Whether a word is a literal of JSON or of another language, in any case.
pub(super) fn is_literal(token: &str) -> bool {
    strict(token) || literal(token).is_some()
}

/// Literals of other languages.
fn literal(token: &str) -> Option<(Kind, String)> {
    let word = token.trim_start_matches(['+', '-']).to_lowercase();
    let (kind, written) = match word.as_str() {
        "nan" | "infinity" | "inf" => (Kind::NotANumber, "null"),
        "none" | "null" | "nil" | "undefined" => (Kind::ForeignWord, "null"),
        "true" => (Kind::ForeignWord, "true"),
        "false" => (Kind::ForeignWord, "false"),
        _ => return None,
    };
    (kind == Kind::NotANumber || word.len() == token.len()).then(|| (kind, written.to_owned()))
}

/// Numbers that JSON spells differently.
fn number(token: &str) -> Option<(Kind, String)> {
    let (sign, digits) = match token.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", token.strip_prefix('+').unwrap_or(token)),
    };
    let written = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?.to_string(),
        None => {
            let plain = digits.replace('_', "");
            if !plain.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
                return None;
            }
            let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
            let (fraction, power) = match fraction.find(['e', 'E']) {
                Some(at) => fraction.split_at(at),
                None => (fraction, ""),
            };
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() || whole.starts_with(['e', 'E']) {
                format!("0{whole}")
            } else {
                whole.to_owned()
            };
            let dot = if fraction.is_empty() { "" } else { "." };
            format!("{whole}{dot}{fraction}{power}")
        }
    };
    let written = format!("{sign}{written}");
    (digits.bytes().any(|byte| byte.is_ascii_digit()) && strict(&written))
        .then_some((Kind::NumberSpelling, written))
}
