//! What a provider's refusal looks like in an agent's own error: usage limits, exhausted credit and billing, sign-in.
//! Typed words decide first, known sentences second; [`table`] has all of them, each with its source.
//!
//! Only errors of the agent are read here, never what a model, a tool or a file said.

mod reset;
mod table;

use crate::Clip;
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::{Node, Value};
pub use reset::Reset;
use std::borrow::Cow;
use table::{CLASSES, SENTENCES, STATUSES, Sentence};

/// How deep errors are looked for in errors: providers put their answer as text into a message.
const DEEPEST: u32 = 8;
/// Bytes of a message that are read.
const LONGEST: usize = 64 * 1024;
/// Bytes of raw JSON that stand for a reason when there is no message in it.
const LONGEST_RAW: usize = 200;
/// A sentence ends within so many bytes.
const LONGEST_SENTENCE: usize = 160;
/// Braces that are tried as the beginning of an object.
const MOST_TRIES: usize = 20;

/// What a refusal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The provider serves no more: a usage limit, no credit, an open bill. Nothing that an agent does next can help.
    Limit,
    /// Not signed in, or not allowed.
    SignIn,
    /// A budget of the agent's own, not of its provider.
    OwnBudget,
}

/// What an agent's error tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What it means by a typed class, that class, and its field where that is not a part of the message.
    class: Option<(Refusal, String, Option<&'static str>)>,
    /// HTTP status of the provider, and its field.
    status: Option<(u32, Option<&'static str>)>,
    /// What it means by a known sentence.
    sentence: Option<Refusal>,
    /// When the provider serves again.
    pub reset: Option<Reset>,
    /// The part of the message that says why, without what is wrapped around it.
    pub line: Option<String>,
}

impl Told {
    /// What `message`, an agent's own error, tells.
    #[must_use]
    pub fn from_message(message: &str) -> Self {
        let mut told = Self::default();
        let message = message.trim();
        told.read(&Clip::cut(message, LONGEST, message.len()).text, DEEPEST);
        if told.line.is_none() && !message.is_empty() {
            told.line = Some(Clip::cut(message, LONGEST_RAW, message.len()).text);
        }
        told
    }

    /// Adds a class that stands in a field of its own.
    #[must_use]
    pub fn with_class(mut self, class: Option<&str>, field: &'static str) -> Self {
        self.read_class(class.unwrap_or_default(), Some(field));
        self
    }

    /// Adds a status that stands in a field of its own.
    #[must_use]
    pub fn with_status(mut self, status: Option<u32>, field: &'static str) -> Self {
        self.status = status.map(|status| (status, Some(field))).or(self.status);
        self
    }

    /// What it means, and where that stands, as `field=word`. `message`: the field of the message.
    #[must_use]
    pub fn refusal(&self, message: &str) -> Option<(Refusal, String)> {
        if let Some((means, word, field)) = &self.class {
            return Some((*means, format!("{}={word}", field.unwrap_or(message))));
        }
        let by_status = self.status.and_then(|(status, field)| {
            Some((of_status(status)?, format!("{}={status}", field.unwrap_or(message))))
        });
        by_status.or_else(|| self.sentence.map(|means| (means, message.to_owned())))
    }

    fn read(&mut self, text: &str, depth: u32) {
        let (text, is_wrapped) = unwrapped(text.trim());
        let Some((json, node)) = object_in(text).filter(|_| depth > 0) else {
            self.read_words(text, is_wrapped);
            if !text.starts_with(['{', '[']) && !text.is_empty() {
                self.line.get_or_insert_with(|| text.to_owned());
            }
            return;
        };
        let (before, after) = (&text[..json.start], &text[json.end..]);
        self.read_node(&node, depth - 1);
        self.read_words(before, is_wrapped);
        self.read_words(after, false);
        let before = before.trim_end_matches(|c: char| c.is_whitespace() || ":,-[(".contains(c)).trim();
        if self.line.is_none() && before.contains(' ') {
            self.line = Some(before.to_owned());
        }
    }

    fn read_node(&mut self, node: &Node<'_>, depth: u32) {
        for (key, value) in node.fields() {
            self.note_reset(Reset::from_field(key, value));
            match (&**key, &value.value) {
                (
                    "type" | "code" | "status" | "reason" | "error_code" | "errorCode" | "name",
                    Value::Text(word),
                ) => {
                    self.read_class(word, None);
                    self.note_status(word.parse().ok());
                }
                ("code" | "status" | "status_code" | "statusCode" | "http_status", Value::Number(_)) => {
                    self.note_status(value.number().and_then(small));
                }
                ("message" | "error" | "detail" | "msg" | "error_description", Value::Text(text))
                    if depth > 0 =>
                {
                    self.read(text, depth - 1);
                }
                _ => {}
            }
        }
        for (_, value) in node.fields() {
            if depth > 0 && value.is_object() {
                self.read_node(value, depth - 1);
            }
            for item in value.items().iter().take(20).filter(|_| depth > 0) {
                self.read_node(item, depth - 1);
            }
        }
    }

    /// Text beside JSON. `begins_with_status`: a status may be its first word.
    fn read_words(&mut self, text: &str, begins_with_status: bool) {
        if begins_with_status {
            self.note_status(status_at(text));
        }
        // A message may quote others; its own status is at its beginning.
        let begins = ["API Error: ", "unexpected status ", "got status: "];
        self.note_status(begins.iter().find_map(|words| status_at(text.strip_prefix(words)?)));
        let last = "last status: ";
        self.note_status(text.find(last).and_then(|at| status_at(&text[at + last.len()..])));
        for segment in text.splitn(5, ": ") {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            self.read_class(segment.trim_matches(|c| !is_part(c)), None);
        }
        if self.sentence.is_none() {
            self.sentence = sentence_in(text);
        }
        self.note_reset(Reset::from_text(text));
    }

    fn read_class(&mut self, word: &str, field: Option<&'static str>) {
        if self.class.is_none() {
            self.class = of_class(word).map(|means| (means, word.to_owned(), field));
        }
    }

    fn note_status(&mut self, status: Option<u32>) {
        if self.status.is_none() {
            self.status = status.filter(|status| of_status(*status).is_some()).map(|status| (status, None));
        }
    }

    /// The more exact of two times counts, the first of two alike.
    fn note_reset(&mut self, reset: Option<Reset>) {
        if reset.as_ref().map(Reset::exactness) > self.reset.as_ref().map(Reset::exactness) {
            self.reset = reset;
        }
    }
}

/// What a typed class of an error means.
#[must_use]
pub fn of_class(word: &str) -> Option<Refusal> {
    CLASSES.iter().find(|known| known.word.eq_ignore_ascii_case(word)).map(|known| known.means)
}

/// What a status of a provider means.
#[must_use]
pub fn of_status(status: u32) -> Option<Refusal> {
    STATUSES.iter().find(|(known, _)| *known == status).map(|(_, means)| *means)
}

/// What a known sentence in `text` means. It begins a line or a clause: words within a sentence say nothing.
#[must_use]
pub fn sentence_in(text: &str) -> Option<Refusal> {
    let text = with_plain_signs(text);
    SENTENCES.iter().find(|sentence| says(&text, sentence)).map(|sentence| sentence.means)
}

fn says(text: &str, sentence: &Sentence) -> bool {
    let Some((first, rest)) = sentence.words.split_first() else { return false };
    clauses_with(text, first).any(|at| {
        let from = at + first.len();
        let line = text[from..].lines().next().unwrap_or_default();
        let line = Clip::cut(line, LONGEST_SENTENCE, 0).text.to_ascii_lowercase();
        let mut rest_of_line = line.as_str();
        rest.iter().all(|word| {
            let found = rest_of_line.find(&word.to_ascii_lowercase());
            found.map(|at| rest_of_line = &rest_of_line[at + word.len()..]).is_some()
        })
    })
}

/// Where `words` begin `text`, a line or a clause of it; capitals don't matter.
fn clauses_with<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> + 't {
    let bytes = text.as_bytes();
    let first = words.as_bytes().first().copied().unwrap_or_default();
    let both = [first.to_ascii_lowercase(), first.to_ascii_uppercase()];
    let begins = memchr::memchr2_iter(both[0], both[1], bytes);
    begins.filter(move |at| {
        let is_it =
            bytes.get(*at..at + words.len()).is_some_and(|part| part.eq_ignore_ascii_case(words.as_bytes()));
        is_it && text.is_char_boundary(*at) && begins_clause(&text[..*at])
    })
}

fn begins_clause(before: &str) -> bool {
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.trim_end()
        .chars()
        .next_back()
        .is_none_or(|sign| !sign.is_alphanumeric() && !matches!(sign, ',' | '\'' | '"' | '`' | '-'))
}

/// `[API Error: …]` of Gemini CLI and Qwen Code; whether it was wrapped.
fn unwrapped(text: &str) -> (&str, bool) {
    match text.strip_prefix("[API Error: ") {
        Some(inner) => (inner.strip_suffix(']').unwrap_or(inner).trim(), true),
        None => (text, false),
    }
}

/// The first JSON object in a text, and where it is.
fn object_in(text: &str) -> Option<(std::ops::Range<usize>, Node<'_>)> {
    memchr::memchr_iter(b'{', text.as_bytes()).take(MOST_TRIES).find_map(|at| {
        let mut reader = Reader::at(text, at);
        let node = Node::read(&mut reader).ok()?;
        (!node.fields().is_empty()).then(|| (at..reader.offset(), node))
    })
}

/// A status of three digits at the beginning of a text.
fn status_at(text: &str) -> Option<u32> {
    let digits = text.get(..3)?;
    let ends = !text[3..].starts_with(|next: char| next.is_alphanumeric());
    digits.parse().ok().filter(|_| ends && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Typographic apostrophes as plain ones.
fn with_plain_signs(text: &str) -> Cow<'_, str> {
    if text.contains('\u{2019}') { Cow::Owned(text.replace('\u{2019}', "'")) } else { Cow::Borrowed(text) }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be whole and in range
fn small(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..1e6).contains(&number)).then_some(number as u32)
}

#[cfg(test)]
#[path = "provider/tests.rs"]
mod tests;
