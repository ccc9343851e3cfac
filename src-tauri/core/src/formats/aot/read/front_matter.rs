//! Splits a state file into front matter and body, on bytes (AoT contract §1, L1).
//!
//! Only the front matter must be UTF-8; the body is the person's text and may contain anything.

use crate::problem::{Problem, ProblemCode};
use memchr::memmem;
use std::ops::Range;

/// A state file split into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter<'a> {
    /// The YAML text between the two `---` lines.
    pub(crate) text: &'a str,
    /// Where that text starts in the file.
    pub(crate) start: usize,
    /// 1-based line in the file on which it starts.
    pub(crate) first_line: u32,
    /// Where the closing `---` line starts.
    pub(crate) closing: usize,
    /// The Markdown body.
    pub(crate) body: Range<usize>,
    /// The delimiters are exactly `---` and nothing comes before the first one.
    pub(crate) exact: bool,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Finds the parts.
///
/// # Errors
/// The problem to show when there is no complete front matter: `F5` (empty), `F6` (not UTF-8), `V1` (none, not closed).
pub(crate) fn split(bytes: &[u8]) -> Result<FrontMatter<'_>, Problem> {
    let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let Some(opening) = first_line_with_text(bytes, bom) else {
        return Err(Problem::new(ProblemCode::F5_being_written, ""));
    };
    let first_line = loopdeck_text::text_edit::line_of(bytes, opening.start);
    if !is_delimiter(&bytes[opening.clone()]) {
        // A file cut off within its first line is still being written.
        let code = if b"---".starts_with(&bytes[opening.clone()]) && opening.end == bytes.len() {
            ProblemCode::V1_unclosed
        } else {
            ProblemCode::V1_no_front_matter
        };
        return Err(Problem::new(code, "").at_line(first_line));
    }
    let start = (opening.end + 1).min(bytes.len());
    let Some(closing) = closing_line(bytes, start) else {
        return Err(Problem::new(ProblemCode::V1_unclosed, "").at_line(first_line));
    };
    let text = std::str::from_utf8(&bytes[start..closing.start]).map_err(|error| {
        let offset = start + error.valid_up_to();
        Problem::new(ProblemCode::F6_not_utf8, "")
            .at_line(loopdeck_text::text_edit::line_of(bytes, offset))
            .with("offset", offset)
    })?;
    let exact = opening == (0..3) && &bytes[closing.clone()] == b"---";
    let body = (closing.end + 1).min(bytes.len())..bytes.len();
    Ok(FrontMatter { text, start, first_line: first_line + 1, closing: closing.start, body, exact })
}

/// The end of the line that contains byte `at`, before its `\n`.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n)
}

fn first_line_with_text(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut start = from;
    while start < bytes.len() {
        let end = line_end(bytes, start);
        if !bytes[start..end].iter().all(u8::is_ascii_whitespace) {
            return Some(start..end);
        }
        start = end + 1;
    }
    None
}

fn closing_line(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let at_start = bytes[start..].starts_with(b"---").then_some(start);
    let later = memmem::find_iter(&bytes[start..], b"\n---").map(|at| start + at + 1);
    let dashes = at_start
        .into_iter()
        .chain(later)
        .map(|at| at..line_end(bytes, at))
        .find(|line| is_delimiter(&bytes[line.clone()]));
    // YAML also ends a document with three dots; what follows them is no longer YAML (L1).
    let dots = memmem::find_iter(&bytes[start..], b"\n...").map(|at| start + at + 1);
    let dots = dots.map(|at| at..line_end(bytes, at)).find(|line| is_end_of_document(&bytes[line.clone()]));
    match (dashes, dots) {
        (Some(dashes), Some(dots)) if dots.start < dashes.start => Some(dots),
        (dashes, dots) => dashes.or(dots),
    }
}

fn is_end_of_document(line: &[u8]) -> bool {
    line.strip_prefix(b"...").is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')))
}

pub(crate) fn is_delimiter(line: &[u8]) -> bool {
    line.strip_prefix(b"---").is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8]) -> &'static str {
        split(bytes).expect_err("no front matter").code.name()
    }

    #[test]
    fn the_parts_are_exact() {
        let file = b"---\na: 1\n---\n\n# Original Prompt\n";
        let front = split(file).expect("front matter");
        assert_eq!((front.text, front.start, front.first_line, front.closing), ("a: 1\n", 4, 2, 9));
        assert_eq!(&file[front.body], b"\n# Original Prompt\n");
        assert!(front.exact);
    }

    #[test]
    fn windows_and_hand_made_beginnings_are_read() {
        for file in [
            "\u{feff}---\na: 1\n---\nx",
            "\n\n---\na: 1\n---\nx",
            "---\r\na: 1\r\n---\r\nx",
            "--- \na: 1\n---\t\nx",
        ] {
            let front = split(file.as_bytes()).expect(file);
            assert_eq!(front.text.trim(), "a: 1");
            assert_eq!(&file.as_bytes()[front.body.clone()], b"x");
            assert!(!front.exact, "{file:?}");
        }
        assert_eq!(split(b"\n\n---\na: 1\n---\n").expect("front matter").first_line, 4);
    }

    #[test]
    fn a_body_may_be_any_bytes_and_contain_rules() {
        let front = split(b"---\na: 1\n---\n\xff\x00\n---\n").expect("front matter");
        assert_eq!(front.text, "a: 1\n");
        assert_eq!(split(b"---\na: 1\n---").expect("no final newline").body, 12..12);
    }

    #[test]
    fn dashes_within_a_line_close_nothing() {
        assert_eq!(
            split(b"---\na: x --- y\n----\n---x\n---\n").expect("front matter").text,
            "a: x --- y\n----\n---x\n"
        );
    }

    #[test]
    fn three_dots_end_the_front_matter_too() {
        let front = split(b"---\na: 1\n...\n# Original Prompt\n---\n").expect("front matter");
        assert_eq!((front.text, front.exact), ("a: 1\n", false));
        assert_eq!(split(b"---\na: 1\n...b\n---\n").expect("front matter").text, "a: 1\n...b\n");
    }

    #[test]
    fn incomplete_files_say_what_is_missing() {
        assert_eq!(code(b""), "F5_being_written");
        assert_eq!(code(b"\n \n"), "F5_being_written");
        assert_eq!(code(b"--"), "V1_unclosed");
        assert_eq!(code(b"---"), "V1_unclosed");
        assert_eq!(code(b"---\na: 1\n"), "V1_unclosed");
        assert_eq!(code(b"# Notes\n---\na: 1\n---\n"), "V1_no_front_matter");
        assert_eq!(code(b"---\na: \xff\n---\n"), "F6_not_utf8");
    }
}
