//! A file that is meant to be one JSON document.

use super::{Corrected, Correction, CorrectionKind, CutText, LostValue, correct, decode};
use crate::json_span::tree::{Node, Value};
use std::borrow::Cow;

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReading<'b> {
    /// Its value; positions are those in the corrected text.
    pub value: Node<'b>,
    /// What was corrected, in order; empty for strict JSON.
    pub corrections: Vec<Correction>,
    /// What can't be read.
    pub lost: Vec<LostValue>,
}

impl FileReading<'_> {
    /// The first thing that is wrong with it: what costs a value before what doesn't.
    #[must_use]
    pub fn fault(&self) -> Option<Correction> {
        let lost = self.lost.first().map(|lost| Correction { kind: lost.kind, at: lost.at, line: lost.line });
        lost.or_else(|| {
            self.corrections.iter().find(|fault| fault.kind != CorrectionKind::ByteOrderMark).copied()
        })
    }
}

/// Reads a file in any of its usual encodings; `None` when there is no value in it, or nothing of it can be read.
#[must_use]
pub fn read_file(bytes: &[u8]) -> Option<FileReading<'_>> {
    let (text, done) = decode(bytes);
    let mut reading = match text {
        Cow::Borrowed(text) => {
            let found = correct(text, CutText::Lost)?;
            let value = match found.text {
                Cow::Borrowed(text) => Node::parse(text.as_bytes()).unwrap_or_else(|_| Node::null()),
                Cow::Owned(_) => found.node().into_owned(),
            };
            reading(value, found)
        }
        Cow::Owned(text) => {
            let found = correct(&text, CutText::Lost)?;
            reading(found.node().into_owned(), found)
        }
    };
    let encoding = |kind| Correction { kind, at: 0, line: 1 };
    reading.corrections.splice(..0, done.into_iter().map(encoding));
    let is_empty = matches!(&reading.value.value, Value::Object(fields) if fields.is_empty())
        || matches!(&reading.value.value, Value::List(items) if items.is_empty());
    let is_broken = !reading.lost.is_empty()
        || reading.corrections.iter().any(|fault| fault.kind == CorrectionKind::CutOff);
    (!is_empty || !is_broken).then_some(reading)
}

fn reading<'b>(value: Node<'b>, found: Corrected<'_>) -> FileReading<'b> {
    FileReading { value, corrections: found.corrections, lost: found.lost }
}
