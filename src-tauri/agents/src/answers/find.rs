//! Finding the JSON object of an answer.

use super::{AnswerError, AnswerErrorCode};
use loopdeck_text::json_span::tree::Node;

/// How many opening braces are tried from the end of a text.
const MOST_TRIES: usize = 400;

/// The last `most` bytes of a text, starting at a character.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The object: the whole text, the last fenced block that contains one, or the end of the text.
pub(super) fn object(text: &str) -> Result<Node<'_>, AnswerError> {
    let whole = text.trim();
    if let Some(node) = parsed(whole) {
        return Ok(node);
    }
    let blocks = fenced(text);
    if let Some(node) = blocks.iter().rev().find_map(|block| parsed(block)) {
        return Ok(node);
    }
    if let Some(node) = at_end(whole) {
        return Ok(node);
    }
    Err(match blocks.iter().rev().find(|block| block.trim_start().starts_with('{')) {
        Some(block) => {
            let why = Node::parse(block.as_bytes()).err().map(|error| error.fault.reason());
            AnswerError::new(AnswerErrorCode::NotJson, "", why.unwrap_or_default())
        }
        None => AnswerError::new(AnswerErrorCode::NoObject, "", ""),
    })
}

fn parsed(text: &str) -> Option<Node<'_>> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    Node::parse(text.as_bytes()).ok().filter(Node::is_object)
}

/// Contents of fenced blocks labelled `json` or unlabelled. A line break inside a JSON string is written
/// `\n`, so a fence at the start of a line is always a real one.
fn fenced(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, usize, bool)> = None; // content start, fence length, wanted
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, bare) = (at, line.trim());
        at += line.len();
        let ticks = bare.bytes().take_while(|byte| *byte == b'`').count();
        if ticks < 3 {
            continue;
        }
        let label = bare[ticks..].trim();
        match open {
            Some((from, length, wanted)) if ticks >= length && label.is_empty() => {
                blocks.extend(wanted.then(|| &text[from..start]));
                open = None;
            }
            Some(_) => {}
            None => open = Some((at, ticks, label.is_empty() || label.eq_ignore_ascii_case("json"))),
        }
    }
    // A truncated answer, or one without its last fence.
    blocks.extend(open.filter(|(.., wanted)| *wanted).map(|(from, ..)| &text[from..]));
    blocks
}

/// The object at the end of the text. Only its own opening brace parses through to the end.
fn at_end(text: &str) -> Option<Node<'_>> {
    let end = text.trim_end_matches(|c: char| c == '`' || c.is_whitespace());
    if !end.ends_with('}') {
        return None;
    }
    let braces = end.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'{').map(|(at, _)| at);
    braces.take(MOST_TRIES).find_map(|at| parsed(&end[at..]))
}
