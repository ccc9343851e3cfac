//! Almost JSON: what models, scripts, editors and crashes leave where JSON was meant.
//!
//! [`correct`] turns such a text into strict JSON and lists what it corrected. One fault costs one value: what can't be
//! read is left out and named, and everything else stays, also behind the fault and at any depth. Untouched values keep
//! their bytes, and [`Corrected::origin`] tells where each byte of the result was. [`objects`] finds the objects in a
//! text with other things around them, [`records`] the objects of a file with one on each line.
//!
//! Strict JSON is returned as it is, without corrections. Time is linear: each decision looks a bounded way ahead.
//!
//! Ours, because `jsonc-parser` and `json5` stop at the first fault that isn't in their grammar (typographic quotes, raw
//! line breaks, cut-off ends), and the `jsonrepair` crates tell neither what they changed, nor where, nor what is lost.

mod bare;
mod blank;
mod correct;
mod encoding;
mod file;
mod find;
mod quotes;
mod records;
mod strings;

pub use encoding::{decode, same_places};
pub use file::{FileReading, read_file};
pub use find::{first_object, objects};
pub use records::{Record, records};

use crate::json_span::scan::Reader;
use crate::json_span::tree::Node;
use std::borrow::Cow;

/// Corrections that are listed one by one; more are only counted.
pub const MOST_LISTED: usize = 100;

/// What was corrected. A reason in English is [`CorrectionKind::reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CorrectionKind {
    /// `// …`, `/* … */`, `# …`.
    Comment,
    /// A comma before an end, or two in a row.
    ExtraComma,
    /// Two values with nothing between them.
    MissingComma,
    /// A key and its value with nothing, or `=`, between them.
    MissingColon,
    /// A raw line break, tab or other control character in a string.
    ControlCharacter,
    /// A backslash before a character that needs none.
    BadEscape,
    /// `NaN`, `Infinity`: null, as with `JSON.stringify`.
    NotANumber,
    /// `+1`, `.5`, `5.`, `0x1F`, `1_000`.
    NumberSpelling,
    /// `None`, `True`, `undefined` and the like.
    ForeignWord,
    /// Typographic quotes around a string.
    TypographicQuotes,
    /// Single quotes or backticks around a string.
    OtherQuotes,
    /// A key without quotes.
    UnquotedKey,
    /// A text without quotes.
    UnquotedText,
    /// A string that has only one of its quotes.
    MissingQuote,
    /// A quote within a string without its backslash.
    InnerQuote,
    /// A list or object without its end.
    MissingBracket,
    /// A bracket that closes nothing.
    StrayBracket,
    /// Text between values.
    StrayText,
    /// Text or a code fence before or behind the value.
    Surrounded,
    /// The text ends within the value.
    CutOff,
    /// A value that can't be read; it is left out.
    Unreadable,
    /// A value nested too deeply; it is left out.
    TooDeep,
    /// A byte order mark.
    ByteOrderMark,
    /// UTF-16 with a byte order mark.
    Utf16,
    /// Bytes that are not UTF-8, read as Windows-1252.
    NotUtf8,
    /// NUL bytes.
    Nul,
}

impl CorrectionKind {
    /// What is wrong there, as a short English reason.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Comment => "a comment",
            Self::ExtraComma => "an extra comma",
            Self::MissingComma => "a missing comma",
            Self::MissingColon => "a missing colon",
            Self::ControlCharacter => "a raw control character in a string",
            Self::BadEscape => "an unknown escape",
            Self::NotANumber => "not a JSON number",
            Self::NumberSpelling => "a number that JSON spells differently",
            Self::ForeignWord => "a word that is not JSON",
            Self::TypographicQuotes => "typographic quotes",
            Self::OtherQuotes => "quotes that JSON does not use",
            Self::UnquotedKey => "a key without quotes",
            Self::UnquotedText => "a text without quotes",
            Self::MissingQuote => "a missing quote",
            Self::InnerQuote => "a quote inside a string without a backslash",
            Self::MissingBracket => "a missing bracket",
            Self::StrayBracket => "a bracket that closes nothing",
            Self::StrayText => "text between values",
            Self::Surrounded => "text around the value",
            Self::CutOff => "the text ends too early",
            Self::Unreadable => "an unreadable value",
            Self::TooDeep => "nested too deeply",
            Self::ByteOrderMark => "a byte order mark",
            Self::Utf16 => "UTF-16",
            Self::NotUtf8 => "not UTF-8",
            Self::Nul => "NUL bytes",
        }
    }
}

/// One correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// What.
    pub kind: CorrectionKind,
    /// Byte offset in the text that was corrected.
    pub at: usize,
    /// 1-based line there.
    pub line: u32,
}

/// One part of a path to a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathPart {
    /// A key of an object.
    Key(String),
    /// An index in the corrected list.
    Index(usize),
}

/// A value that is not in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostValue {
    /// Where it was; with a key like `line 12` when its own can't be read.
    pub path: Vec<PathPart>,
    /// Byte offset in the text that was corrected.
    pub at: usize,
    /// 1-based line there.
    pub line: u32,
    /// Why.
    pub kind: CorrectionKind,
}

/// What becomes of a string that is cut off at the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutText {
    /// It is lost.
    #[default]
    Lost,
    /// What is there of it counts.
    Kept,
}

/// A corrected text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrected<'t> {
    /// Strict JSON: one value.
    pub text: Cow<'t, str>,
    /// What was corrected, in the order of the text; at most [`MOST_LISTED`].
    pub corrections: Vec<Correction>,
    /// How many corrections there are.
    pub count: usize,
    /// What is not in the result.
    pub lost: Vec<LostValue>,
    /// The innermost list or object that was open where the text ends.
    pub open: Option<Vec<PathPart>>,
    /// Offsets in the result with those in the original; each counts up to the next.
    origin: Vec<(usize, usize)>,
}

impl<'t> Corrected<'t> {
    /// The value. It is strict JSON, so this fails only for a bug; then it is null.
    #[must_use]
    pub fn node(&self) -> Node<'_> {
        Node::parse(self.text.as_bytes()).unwrap_or_else(|_| Node::null())
    }

    /// Where a byte of the result was in the text that was corrected.
    #[must_use]
    pub fn origin(&self, at: usize) -> usize {
        let next = self.origin.partition_point(|(result, _)| *result <= at);
        let (result, origin) = next.checked_sub(1).map_or((0, 0), |index| self.origin[index]);
        origin + (at - result)
    }

    /// The same with its own text.
    #[must_use]
    pub fn into_owned(self) -> Corrected<'static> {
        let Self { text, corrections, count, lost, open, origin } = self;
        Corrected { text: Cow::Owned(text.into_owned()), corrections, count, lost, open, origin }
    }

    /// Whether nothing had to be corrected.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.count == 0
    }

    /// A text that is strict JSON.
    fn strict(text: &'t str, at: usize) -> Self {
        Self { text: Cow::Borrowed(text), origin: vec![(0, at)], ..Self::default() }
    }

    /// For a value that begins at `at`, on a line with number `line`, of a larger text.
    fn within(mut self, at: usize, line: u32) -> Self {
        for correction in &mut self.corrections {
            correction.at += at;
            correction.line = correction.line.saturating_add(line - 1);
        }
        for lost in &mut self.lost {
            lost.at += at;
            lost.line = lost.line.saturating_add(line - 1);
        }
        for (_, origin) in &mut self.origin {
            *origin += at;
        }
        self
    }
}

/// The value of a text that is meant to be one JSON document, with whatever is around it. `None` when there is no list
/// and no object in it.
///
/// ```
/// use loopdeck_text::almost_json::{CutText, correct};
///
/// let corrected = correct("{\"a\": [1, 2,], // both\n \"b\": None}", CutText::Lost).unwrap();
/// assert_eq!(corrected.text, "{\"a\": [1, 2],\n \"b\": null}");
/// assert_eq!(corrected.corrections.len(), 3);
/// ```
#[must_use]
pub fn correct(text: &str, cut: CutText) -> Option<Corrected<'_>> {
    if let Some(whole) = strict(text) {
        return Some(whole);
    }
    find::document(text, cut)
}

/// A text that is strict JSON as it is.
fn strict(text: &str) -> Option<Corrected<'_>> {
    let mut reader = Reader::new(text.as_bytes()).ok()?;
    reader.skip().ok()?;
    reader.end().ok()?;
    let bare = text.strip_prefix('\u{feff}');
    let mut whole = Corrected::strict(bare.unwrap_or(text), text.len() - bare.unwrap_or(text).len());
    if bare.is_some() {
        whole.corrections.push(Correction { kind: CorrectionKind::ByteOrderMark, at: 0, line: 1 });
        whole.count = 1;
    }
    Some(whole)
}

#[cfg(test)]
mod tests;
