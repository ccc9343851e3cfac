//! Values that the plugin's hook would pass to its shell as arithmetic (AoT contract §12): some of them run a
//! command.
//!
//! Here they are only inspected as bytes. They are searched in lines, the way the hook finds them, so that a
//! file that is not YAML cannot hide one.

use super::hook::HookView;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::text_edit;

/// The fields that the hook evaluates, by the spaces before them.
const FIELDS: [(&str, &str, &str); 5] = [
    ("  ", "control", "iteration"),
    ("  ", "control", "stall_count"),
    ("  ", "control", "prev_pending_count"),
    ("    ", "objective.constraints", "max_iterations"),
    ("    ", "objective.constraints", "max_stall_count"),
];
/// More findings say nothing new.
const MANY: usize = 20;

/// Whether a shell that evaluates `text` may run what it contains: the index of an array is expanded first.
pub(crate) fn is_dangerous(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_index = |at: usize| at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    text.contains(['$', '`']) || memchr::memchr_iter(b'[', bytes).any(is_index)
}

/// Every line that gives such a value to a field of the hook.
pub(crate) fn lines(bytes: &[u8]) -> Vec<Problem> {
    // Few files have these characters next to a number at all.
    let Some(view) = HookView::from_bytes(bytes) else { return Vec::new() };
    let found = view.lines().filter_map(|(start, line)| {
        let (section, key, value) = FIELDS.iter().find_map(|(indent, section, key)| {
            let rest = line.strip_prefix(indent.as_bytes())?.strip_prefix(key.as_bytes())?;
            Some((*section, *key, rest.strip_prefix(b":")?))
        })?;
        let value = String::from_utf8_lossy(value);
        is_dangerous(&value).then(|| problem(section, key, text_edit::line_of(bytes, start), value.trim()))
    });
    found.take(MANY).collect()
}

pub(crate) fn problem(section: &str, key: &str, line: u32, found: &str) -> Problem {
    let path = format!("{section}.{key}");
    Problem::new(ProblemCode::V4_shell_value, path).at_line((line > 0).then_some(line)).with("found", found)
}

/// Puts this problem first in a list: it is not a mistake in the content, but a danger to the person.
pub(crate) fn rank(problem: &Problem) -> (bool, std::cmp::Reverse<crate::problem::Severity>) {
    (problem.code != ProblemCode::V4_shell_value, std::cmp::Reverse(problem.severity))
}
