//! AoT state files: front matter splitter, reader, checks, view and every edit.

use crate::door;
use loopdeck_core::loops::Place;

/// No panic. Every edited file is well-formed, and the body belongs to the person: only the indent of a line
/// that the plugin's hook would take for a field changes (AoT contract §4).
pub fn check(bytes: &[u8]) {
    let person = body(bytes);
    let before = words(&person);
    door::exercise(Place::AotFile, "aot-loop-state", bytes, |_, after| {
        assert_eq!(words(&body(after)), before, "the body changed");
    });
}

/// The lines without their indents.
fn words(body: &[u8]) -> Vec<&[u8]> {
    body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start).collect()
}

/// The text after the second line of three dashes, found in the simplest way.
pub(crate) fn body(bytes: &[u8]) -> Vec<u8> {
    let is_delimiter = |line: &[u8]| line.trim_ascii_end() == b"---";
    let mut lines =
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split_inclusive(|byte| *byte == b'\n');
    lines.by_ref().find(|line| is_delimiter(line));
    lines.by_ref().find(|line| is_delimiter(line));
    lines.flatten().copied().collect()
}
