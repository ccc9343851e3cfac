//! Finding the JSON object of an answer: the last one in the text that holds what is wanted. Almost JSON is read too
//! ([`almost_json`]), and where nothing can be taken, the reason says the line.

use super::{AnswerError, AnswerErrorCode, MOST_BYTES};
use loopdeck_text::almost_json::{self, Corrected, Correction, CorrectionKind, CutText, PathPart};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::line_of;

/// Objects of a text that are tried.
const MOST_OBJECTS: usize = 500;
/// Lists that say what to do next: an answer that breaks off in one of them isn't whole.
const LISTS_OF_WORK: [&str; 6] = ["tasks", "hypotheses", "children", "scores", "atoms", "base_case"];

/// What was read from the last object that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct LastObject<T> {
    /// What it holds.
    pub value: T,
    /// What had to be corrected in it; places and lines are those in the text. Empty for strict JSON.
    pub corrections: Vec<Correction>,
}

/// The last object of a text that `wanted` accepts. Objects may be almost JSON, in fences of any label or none, with text
/// around them.
///
/// # Errors
/// What `wanted` says of the longest object, with the lines of the text; never empty.
pub fn last_object<T>(
    text: &str,
    mut wanted: impl FnMut(&Node<'_>) -> Result<T, Vec<AnswerError>>,
) -> Result<LastObject<T>, Vec<AnswerError>> {
    let end = tail(text, MOST_BYTES);
    let from = text.len() - end.len();
    let (text, before) = (end, if from == 0 { 0 } else { line_of(text.as_bytes(), from) - 1 });
    let mut longest: Option<(usize, Vec<AnswerError>)> = None;
    for found in almost_json::objects(text, CutText::Kept).take(MOST_OBJECTS) {
        let node = found.node();
        let read = match breaks_off(&found) {
            Some(error) => Err(vec![error]),
            None => wanted(&node),
        };
        match read {
            Ok(value) => return Ok(LastObject { value, corrections: moved(&found, before) }),
            Err(errors) if longest.as_ref().is_none_or(|(length, _)| found.text.len() > *length) => {
                let errors = errors.into_iter().map(|error| located(error, &found, &node, text, before));
                longest = Some((found.text.len(), errors.collect()));
            }
            Err(_) => {}
        }
    }
    let nothing = || vec![AnswerError::new(AnswerErrorCode::NoObject, "", "")];
    Err(longest.map(|(_, errors)| errors).filter(|errors| !errors.is_empty()).unwrap_or_else(nothing))
}

/// The last `most` bytes of a text, starting at a character.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// An answer that ends within the work it lists: what follows is not known.
fn breaks_off(found: &Corrected<'_>) -> Option<AnswerError> {
    let Some(PathPart::Key(first)) = found.open.as_ref()?.first() else { return None };
    let is_work = LISTS_OF_WORK.contains(&first.as_str());
    is_work
        .then(|| AnswerError::new(AnswerErrorCode::NotJson, first.as_str(), CorrectionKind::CutOff.reason()))
}

/// The error with its line: of the value that it is about, or of what is left of its place. A value that is missing because
/// it can't be read is named so.
fn located(
    mut error: AnswerError,
    found: &Corrected<'_>,
    node: &Node<'_>,
    text: &str,
    before: u32,
) -> AnswerError {
    let place = parts(&error.place);
    let lost = found.lost.iter().find(|lost| place.starts_with(&lost.path) && !lost.path.is_empty());
    let line = match lost {
        Some(lost) => {
            if error.code == AnswerErrorCode::Missing {
                error.code = AnswerErrorCode::NotJson;
                error.found = lost.kind.reason().to_owned();
            }
            lost.line
        }
        None if error.code == AnswerErrorCode::NotJson => line_of(text.as_bytes(), text.len()),
        None => line_of(text.as_bytes(), found.origin(deepest(node, &place).at)),
    };
    error.line = Some(line.saturating_add(before));
    error
}

/// The value at a place, or the last one on the way to it.
fn deepest<'n, 't>(node: &'n Node<'t>, place: &[PathPart]) -> &'n Node<'t> {
    let mut node = node;
    for part in place {
        let next = match part {
            PathPart::Key(key) => node.find(key),
            PathPart::Index(index) => node.items().get(*index),
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

/// `tasks[2].id` by its parts.
fn parts(place: &str) -> Vec<PathPart> {
    let mut parts = Vec::new();
    for key in place.split('.').filter(|key| !key.is_empty()) {
        let mut names = key.split('[');
        parts.extend(names.next().filter(|name| !name.is_empty()).map(|name| PathPart::Key(name.to_owned())));
        let indices = names.filter_map(|index| index.trim_end_matches(']').parse().ok());
        parts.extend(indices.map(PathPart::Index));
    }
    parts
}

fn moved(found: &Corrected<'_>, before: u32) -> Vec<Correction> {
    let moved = |correction: &Correction| Correction { line: correction.line + before, ..*correction };
    found.corrections.iter().map(moved).collect()
}
