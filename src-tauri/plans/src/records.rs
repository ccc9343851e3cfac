//! Files with a JSON object on each line, and JSON next to a plan.

use crate::finding::{Finding, FindingCode};
use crate::format::Source;
use crate::json::Json;
use loopdeck_text::almost_json::{Corrected, Record, records};
use loopdeck_text::json_span::tree::Node;
use std::ops::Range;

/// The parts of a file with an object on each line, and what is wrong with its first faulty lines.
pub(crate) fn json_lines(text: &str) -> (Vec<Record<'_>>, Vec<Finding>) {
    let records = records(text);
    let faults = records.iter().filter_map(|record| match &record.object {
        None => Some((record.line, "not an object")),
        Some(object) => Some((record.line, object.corrections.first()?.kind.reason())),
    });
    let told = |(line, fault)| Finding::new(FindingCode::Corrected).with("found", fault).at_line(line);
    let findings = faults.take(20).map(told).collect();
    (records, findings)
}

/// The bytes of a word of such an object with its quotes; `None` where it is written otherwise, or where the object had to be
/// corrected.
pub(crate) fn word_place(text: &str, object: &Corrected<'_>, node: &Node<'_>) -> Option<Range<usize>> {
    let at = object.origin(node.at);
    let word = node.text().filter(|_| object.is_strict())?;
    let range = at..at + word.len() + 2;
    let written = text.get(range.clone())?.strip_prefix('"')?.strip_suffix('"')?;
    (written == word).then_some(range)
}

/// A file next to a plan that is JSON; `None` where it isn't there or isn't JSON.
pub(crate) fn beside<'f>(source: &Source<'f>, file: &str) -> Option<Json<'f>> {
    Json::read(source.beside(file)?.as_bytes()).ok()
}
