//! What stands on a line of events. Usually that is one event; agents also glue two together, and libraries print log text
//! before or behind one.

use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use memchr::memchr;

/// A part of a line.
pub(super) enum Piece<'t> {
    /// An object, and its text.
    Event(Node<'t>, &'t str),
    /// Anything else.
    Text(&'t str),
}

/// The parts of a line, in order. An object within other text counts only with a `type`, and only when it stands by
/// itself: what is a part of something unreadable may be a part of a transcript, and is no event.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    if let Some(node) = Node::parse(line.as_bytes()).ok().filter(Node::is_object) {
        return vec![Piece::Event(node, line.trim())];
    }
    let (mut pieces, mut text_from, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = memchr(b'{', &line.as_bytes()[at..]) {
        let begin = at + found;
        let mut reader = Reader::at(line, begin);
        let Ok(node) = Node::read(&mut reader) else { break };
        at = reader.offset();
        if node.get("type").text().is_some() {
            push_text(&mut pieces, &line[text_from..begin]);
            pieces.push(Piece::Event(node, &line[begin..at]));
            text_from = at;
        }
    }
    push_text(&mut pieces, &line[text_from..]);
    pieces
}

/// Signs that hold events together, as in a list, are no text.
fn push_text<'t>(pieces: &mut Vec<Piece<'t>>, text: &'t str) {
    let bare = loopdeck_text::plain(text);
    if bare.chars().any(|sign| !sign.is_whitespace() && !matches!(sign, ',' | ';' | '[' | ']')) {
        pieces.push(Piece::Text(text.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(line: &str) -> Vec<String> {
        let of = |piece: &Piece<'_>| match piece {
            Piece::Event(node, _) => node.get("type").text().unwrap_or("-").to_owned(),
            Piece::Text(text) => format!("'{text}'"),
        };
        pieces(line).iter().map(of).collect()
    }

    #[test]
    fn events_are_found_beside_each_other_and_beside_text() {
        let rows: [(&str, &[&str]); 12] = [
            (r#"{"type":"a"}"#, &["a"]),
            (r#" {"x":1} "#, &["-"]),
            (r#"{"type":"a"}{"type":"b"}"#, &["a", "b"]),
            (r#"{"type":"a"} , {"type":"b"}"#, &["a", "b"]),
            (r#"[{"type":"a"},{"type":"b"}]"#, &["a", "b"]),
            (r#"[log] parsed {"type":"a","x":{"type":"b"}}"#, &["'[log] parsed'", "a"]),
            (r#"{"type":"a"} done {"x":1}"#, &["a", r#"'done {"x":1}'"#]),
            (r#"[log] start {"status":200}"#, &[r#"'[log] start {"status":200}'"#]),
            (r#"a {"status":200} b {"type":"a"}"#, &[r#"'a {"status":200} b'"#, "a"]),
            ("\u{1b}[?25l{\"type\":\"a\"}", &["a"]),
            // Parts of something that cannot be read.
            (r#"{"type":"a","input":{"type":"b"},"#, &[r#"'{"type":"a","input":{"type":"b"},'"#]),
            (r#"[log] { body: {"type":"b"} }"#, &[r#"'[log] { body: {"type":"b"} }'"#]),
        ];
        for (line, expected) in rows {
            assert_eq!(short(line), expected, "{line}");
        }
    }
}
