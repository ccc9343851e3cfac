//! JSON as the tools and agents leave it: read in spite of faults, with places in the file as it is.

use crate::finding::{Finding, FindingCode};
use crate::format::{Lines, ReadError, text_of};
use loopdeck_text::almost_json::{Corrected, CorrectionKind, CutText, correct};
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::text_edit::TextEdit;
use std::ops::Range;

/// A JSON document with what had to be corrected.
pub(crate) struct Json<'t> {
    text: &'t str,
    corrected: Corrected<'t>,
    lines: Lines,
}

impl<'t> Json<'t> {
    /// # Errors
    /// Where there is no object and no list in it.
    pub(crate) fn read(bytes: &'t [u8]) -> Result<Self, ReadError> {
        let text = text_of(bytes)?;
        let corrected = correct(text, CutText::Lost)
            .ok_or(ReadError::NotParsed { reason: "not JSON".to_owned(), line: None })?;
        Ok(Self { text, corrected, lines: Lines::of(text) })
    }

    /// The value.
    pub(crate) fn root(&self) -> Node<'_> {
        self.corrected.node()
    }

    /// The line of a value of [`Json::root`], 1-based.
    pub(crate) fn line(&self, node: &Node<'_>) -> u32 {
        self.lines.of_byte(self.corrected.origin(node.at))
    }

    /// The bytes of a plain value in the file; `None` in a file that had to be corrected, which isn't edited.
    pub(crate) fn place(&self, node: &Node<'_>) -> Option<Range<usize>> {
        let at = self.corrected.origin(node.at);
        let length = match &node.value {
            Value::Bool(flag) => flag.to_string().len(),
            Value::Number(text) => text.len(),
            // Escapes make a text longer in the file; a word that is a state has none.
            Value::Text(text) => text.len() + 2,
            Value::Null => 4,
            Value::List(_) | Value::Object(_) => return None,
        };
        let range = at..at + length;
        let written = self.text.get(range.clone())?;
        let is_whole = match &node.value {
            Value::Text(text) => written.strip_prefix('"')?.strip_suffix('"')? == text.as_ref(),
            Value::Null => written == "null",
            Value::Bool(flag) => written == flag.to_string(),
            Value::Number(text) => written == text.as_ref(),
            Value::List(_) | Value::Object(_) => false,
        };
        (is_whole && self.corrected.is_strict()).then_some(range)
    }

    /// What had to be corrected, for a person.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let first = self.corrected.corrections.first();
        let finding = first.map(|first| {
            let finding = Finding::new(FindingCode::Corrected).with("found", first.kind.reason());
            finding.at_line(first.line).repaired_by(self.repair())
        });
        finding.into_iter().collect()
    }

    /// The text as it was meant, where nothing that somebody wrote would be lost.
    fn repair(&self) -> Option<TextEdit> {
        use CorrectionKind as Kind;
        let Corrected { corrections, count, lost, text, .. } = &self.corrected;
        let drops = |kind| {
            matches!(
                kind,
                Kind::Comment | Kind::NotANumber | Kind::StrayText | Kind::Surrounded | Kind::CutOff
            )
        };
        let is_safe =
            lost.is_empty() && *count == corrections.len() && !corrections.iter().any(|one| drops(one.kind));
        is_safe.then(|| TextEdit::replace(0..self.text.len(), text.as_ref()))
    }
}

/// A text or number as text; empty for anything else.
pub(crate) fn word(node: &Node<'_>) -> String {
    match &node.value {
        Value::Text(text) => text.trim().to_owned(),
        Value::Number(text) => text.to_string(),
        _ => String::new(),
    }
}

/// A list of texts and numbers as texts; a single text counts as a list of one.
pub(crate) fn words(node: &Node<'_>) -> Vec<String> {
    let list = if node.items().is_empty() { std::slice::from_ref(node) } else { node.items() };
    list.iter().map(word).filter(|word| !word.is_empty()).collect()
}

/// The first of these keys that has a value.
pub(crate) fn first<'n, 'a>(node: &'n Node<'a>, keys: &[&str]) -> Option<&'n Node<'a>> {
    keys.iter().find_map(|key| node.find(key).filter(|value| !value.is_null()))
}

/// A number of 0 or more, also where it is written as text.
pub(crate) fn count(node: &Node<'_>) -> Option<u32> {
    let number = node.lenient_number()?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // both are checked
    (number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0).then_some(number as u32)
}
