//! The strict scanner: one pass, no allocation for skipped values.

use super::quick;
use super::strings::{plain_end, unescape};
use std::borrow::Cow;
use std::ops::Range;

/// Deeper than any real loop, shallow enough for every stack.
pub const MAX_DEPTH: usize = 128;

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing but white space.
    Empty,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// More than [`MAX_DEPTH`] nested containers.
    TooDeep,
    /// The text ends inside a value: still being written, or cut off.
    UnexpectedEnd,
    /// Not JSON; what was expected.
    Syntax(&'static str),
    /// A complete value, then something else.
    TrailingGarbage,
}

impl Fault {
    /// A short English reason for the problem's `reason` argument.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Fault::Empty => "empty",
            Fault::NotUtf8 => "not UTF-8",
            Fault::TooDeep => "nested too deeply",
            Fault::UnexpectedEnd => "unexpected end",
            Fault::Syntax(expected) => expected,
            Fault::TrailingGarbage => "text after the end",
        }
    }
}

/// Where a document stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at byte {offset}", .fault.reason())]
pub struct ScanError {
    /// What is wrong.
    pub fault: Fault,
    /// Byte offset in the file.
    pub offset: usize,
}

/// Result of a scan step.
pub type Scan<T> = Result<T, ScanError>;

/// What kind of value comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object.
    Object,
}

/// A key of an object with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// Decoded name.
    pub name: Cow<'a, str>,
    /// With its quotes.
    pub span: Range<usize>,
}

/// A string as written in the file, decoded only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawText<'a> {
    inner: &'a str,
    escaped: bool,
}

impl<'a> RawText<'a> {
    /// The text; borrowed when it has no escapes.
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(unescape(self.inner)) } else { Cow::Borrowed(self.inner) }
    }
}

/// Reads a document from front to back. Every method that consumes a value checks its grammar.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a whole file; skips a BOM.
    ///
    /// # Errors
    /// When the bytes are not UTF-8, or are empty.
    pub fn new(bytes: &'a [u8]) -> Scan<Self> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ScanError { fault: Fault::NotUtf8, offset: error.valid_up_to() })?;
        let mut reader = Self::at(text, if text.starts_with('\u{feff}') { 3 } else { 0 });
        reader.blank();
        if reader.at == text.len() {
            return Err(ScanError { fault: Fault::Empty, offset: reader.at });
        }
        Ok(reader)
    }

    /// A reader at `offset` of `text`.
    #[must_use]
    pub fn at(text: &'a str, offset: usize) -> Self {
        Self { text, at: offset, depth: 0 }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The current byte offset.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Skips white space and returns the kind of the next value.
    ///
    /// # Errors
    /// When no value can start here.
    #[inline]
    pub fn peek(&mut self) -> Scan<ValueKind> {
        self.blank();
        match self.byte() {
            Some(b'"') => Ok(ValueKind::Text),
            Some(b'{') => Ok(ValueKind::Object),
            Some(b'[') => Ok(ValueKind::List),
            Some(b'-' | b'0'..=b'9') => Ok(ValueKind::Number),
            Some(b't' | b'f') => Ok(ValueKind::Bool),
            Some(b'n') => Ok(ValueKind::Null),
            _ => Err(self.fail("expected a value")),
        }
    }

    /// Skips one value of any kind and returns its range. Iterative: nesting uses no stack.
    ///
    /// # Errors
    /// When the value is not valid JSON.
    pub fn skip(&mut self) -> Scan<Range<usize>> {
        self.blank();
        let start = self.at;
        if let Some(end) = quick::value_end(self.text.as_bytes(), start, MAX_DEPTH - self.depth) {
            self.at = end;
            return Ok(start..end);
        }
        self.skip_carefully()
    }

    /// The same one step at a time, so that a fault is found where it is.
    fn skip_carefully(&mut self) -> Scan<Range<usize>> {
        let (start, base) = (self.at, self.depth);
        let mut objects: u128 = 0; // one bit per open container: set for an object
        loop {
            if let Some(object) = self.open()? {
                objects = objects << 1 | u128::from(object);
                if object {
                    self.skip_key()?;
                }
                continue;
            }
            while self.depth > base {
                if self.next_or_close(objects & 1 == 1)? {
                    break;
                }
                objects >>= 1;
            }
            if self.depth == base {
                return Ok(start..self.at);
            }
        }
    }

    /// Reads an object; `field` must consume exactly one value per call.
    ///
    /// # Errors
    /// When it is not valid JSON, or `field` fails.
    pub fn object(&mut self, mut field: impl FnMut(&mut Self, Key<'a>) -> Scan<()>) -> Scan<()> {
        self.blank();
        if self.byte() != Some(b'{') {
            return Err(self.fail("expected an object"));
        }
        if self.open()?.is_none() {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            field(self, key)?;
            self.blank();
            match self.byte() {
                Some(b',') => {
                    self.at += 1;
                    self.blank();
                }
                Some(b'}') => break,
                _ => return Err(self.fail("expected , or }")),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// Reads an array; `item` must consume exactly one value per call.
    ///
    /// # Errors
    /// When it is not valid JSON, or `item` fails.
    pub fn list(&mut self, mut item: impl FnMut(&mut Self) -> Scan<()>) -> Scan<()> {
        self.blank();
        if self.byte() != Some(b'[') {
            return Err(self.fail("expected an array"));
        }
        if self.open()?.is_none() {
            return Ok(());
        }
        while {
            item(self)?;
            self.next_or_close(false)?
        } {}
        Ok(())
    }

    /// Reads a string.
    ///
    /// # Errors
    /// When the next value is not a string.
    #[inline]
    pub fn string(&mut self) -> Scan<RawText<'a>> {
        self.blank();
        if self.byte() != Some(b'"') {
            return Err(self.fail("expected a string"));
        }
        let start = self.at + 1;
        if let Some(end) = quick::plain_string(self.text.as_bytes(), self.at) {
            self.at = end + 1;
            return Ok(RawText { inner: &self.text[start..end], escaped: false });
        }
        let escaped = self.skip_string()?;
        Ok(RawText { inner: &self.text[start..self.at - 1], escaped })
    }

    /// Reads a number as written.
    ///
    /// # Errors
    /// When the next value is not a number.
    pub fn number(&mut self) -> Scan<&'a str> {
        let span = self.skip()?;
        Ok(&self.text[span])
    }

    /// Reads a literal: `true` gives true, any other valid value gives false.
    ///
    /// # Errors
    /// When the value is not valid JSON.
    pub fn flag(&mut self) -> Scan<bool> {
        let span = self.skip()?;
        Ok(&self.text[span] == "true")
    }

    /// Only white space may be left.
    ///
    /// # Errors
    /// [`Fault::TrailingGarbage`] otherwise.
    pub fn end(&mut self) -> Scan<()> {
        self.blank();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(ScanError { fault: Fault::TrailingGarbage, offset: self.at })
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail(&self, expected: &'static str) -> ScanError {
        let fault = if self.at >= self.text.len() { Fault::UnexpectedEnd } else { Fault::Syntax(expected) };
        ScanError { fault, offset: self.at }
    }

    #[inline]
    fn blank(&mut self) {
        self.at = quick::blank(self.text.as_bytes(), self.at);
    }

    /// Consumes a scalar or an empty container (`None`), or opens a container (`Some(is it an object)`).
    #[inline]
    fn open(&mut self) -> Scan<Option<bool>> {
        let (object, close) = match self.byte() {
            Some(b'{') => (true, b'}'),
            Some(b'[') => (false, b']'),
            _ => return self.scalar().map(|()| None),
        };
        if self.depth == MAX_DEPTH {
            return Err(ScanError { fault: Fault::TooDeep, offset: self.at });
        }
        self.at += 1;
        self.blank();
        if self.byte() == Some(close) {
            self.at += 1;
            return Ok(None);
        }
        self.depth += 1;
        Ok(Some(object))
    }

    /// After a value: true when another one follows (in an object, its key is consumed), false when the
    /// container closed.
    #[inline]
    fn next_or_close(&mut self, object: bool) -> Scan<bool> {
        self.blank();
        match self.byte() {
            Some(b',') => {
                self.at += 1;
                if object {
                    self.skip_key()?;
                } else {
                    self.blank();
                }
                Ok(true)
            }
            Some(b'}') if object => self.close(),
            Some(b']') if !object => self.close(),
            _ => Err(self.fail(if object { "expected , or }" } else { "expected , or ]" })),
        }
    }

    fn close(&mut self) -> Scan<bool> {
        self.at += 1;
        self.depth -= 1;
        Ok(false)
    }

    #[inline]
    fn skip_key(&mut self) -> Scan<()> {
        self.blank();
        if self.byte() != Some(b'"') {
            return Err(self.fail("expected a key"));
        }
        self.skip_string()?;
        self.colon()
    }

    #[inline]
    fn key(&mut self) -> Scan<Key<'a>> {
        let start = self.at;
        if let Some((end, value)) = quick::plain_key(self.text.as_bytes(), start) {
            self.at = value;
            return Ok(Key { name: Cow::Borrowed(&self.text[start + 1..end]), span: start..end + 1 });
        }
        self.unusual_key()
    }

    #[cold]
    #[inline(never)]
    fn unusual_key(&mut self) -> Scan<Key<'a>> {
        self.blank();
        let start = self.at;
        if self.byte() != Some(b'"') {
            return Err(self.fail("expected a key"));
        }
        let name = self.string()?.decode();
        let span = start..self.at;
        self.colon()?;
        Ok(Key { name, span })
    }

    #[inline]
    fn colon(&mut self) -> Scan<()> {
        self.blank();
        if self.byte() != Some(b':') {
            return Err(self.fail("expected :"));
        }
        self.at += 1;
        self.blank();
        Ok(())
    }

    #[inline]
    fn scalar(&mut self) -> Scan<()> {
        match self.byte() {
            Some(b'"') => self.skip_string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => Err(self.fail("expected a value")),
        }
    }

    fn literal(&mut self, word: &'static str) -> Scan<()> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.text.len(); // cut off inside the word
        }
        Err(self.fail("expected a value"))
    }

    fn skip_number(&mut self) -> Scan<()> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Scan<()> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.fail("expected a digit")) } else { Ok(()) }
    }

    /// Skips a string that starts here; true when it contains escapes.
    #[inline]
    fn skip_string(&mut self) -> Scan<bool> {
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at = plain_end(self.text.as_bytes(), self.at);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.skip_escape()?;
                }
                _ => return Err(self.fail("control character in a string")),
            }
        }
    }

    fn skip_escape(&mut self) -> Scan<()> {
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.byte().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.fail("expected four hex digits"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.fail("unknown escape")),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
