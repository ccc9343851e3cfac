//! The final check of the bytes: exactly the intended content and nothing else.
//!
//! Sections are judged one by one. A top-level entry at column 0 has the same meaning alone as in its file,
//! because nothing before it changed and nothing after it can belong to it. Cases this cannot decide
//! (anchors, other layouts) are decided by parsing the whole result.

use crate::formats::aot::read::front_matter;
use crate::formats::aot::read::front_matter::FrontMatter;
use crate::formats::aot::read::lines;
use loopdeck_text::text_edit::{self, TextEdit};
use loopdeck_text::yaml_span::{self, CollectionStyle, Entry, YamlKind, YamlNode};
use memchr::memmem;
use std::ops::Range;

/// Whether `edits` turn `bytes` into a file with the content of `meant`.
pub(crate) fn says_what_was_meant(
    bytes: &[u8],
    front: &FrontMatter<'_>,
    meant: &YamlNode<'_>,
    edits: &[TextEdit],
) -> bool {
    by_section(bytes, front.closing, meant, edits) || as_a_whole(bytes, front, meant, edits)
}

/// `false` can also mean that this is unknown.
pub(crate) fn by_section(bytes: &[u8], closing: usize, meant: &YamlNode<'_>, edits: &[TextEdit]) -> bool {
    let YamlKind::Map(sections, CollectionStyle::Block) = &meant.kind else { return false };
    let at_column_0 = |entry: &Entry<'_>| {
        let at = entry.key.range.start;
        // A section added by this edit has no position in the bytes yet.
        entry.key.line > 0 && lines::line_start(bytes, at) == at
    };
    if !sections.iter().all(at_column_0) {
        return false;
    }
    let mut judged = 0;
    for (index, section) in sections.iter().enumerate() {
        let start = section.key.range.start;
        let end = sections.get(index + 1).map_or(closing, |next| next.key.range.start);
        let inside = |edit: &&TextEdit| edit.range.start > start && edit.range.end <= end;
        let own: Vec<TextEdit> = edits.iter().filter(inside).map(|edit| shifted(edit, start)).collect();
        judged += own.len();
        if !own.is_empty() && !section_says(&bytes[start..end], section, &own) {
            return false;
        }
    }
    judged == edits.len()
}

fn shifted(edit: &TextEdit, start: usize) -> TextEdit {
    let Range { start: from, end: to } = edit.range;
    TextEdit::replace(from - start..to - start, edit.text.as_str())
}

fn section_says(old: &[u8], meant: &Entry<'_>, edits: &[TextEdit]) -> bool {
    let Ok(new) = text_edit::apply(old, edits) else { return false };
    // A new delimiter would end the front matter early.
    if !new.ends_with(b"\n") || memmem::find(&new, b"\n---").is_some() {
        return false;
    }
    let Ok(text) = std::str::from_utf8(&new) else { return false };
    let Ok(tree) = yaml_span::parse(text, 0, 1) else { return false };
    matches!(tree.root.entries(), [only] if only.key.says_the_same(&meant.key) && only.value.says_the_same(&meant.value))
}

fn as_a_whole(bytes: &[u8], front: &FrontMatter<'_>, meant: &YamlNode<'_>, edits: &[TextEdit]) -> bool {
    let Ok(new) = text_edit::apply(bytes, edits) else { return false };
    let Ok(found) = front_matter::split(&new) else { return false };
    let body_stays = new[found.body.clone()] == bytes[front.body.clone()];
    let tree = yaml_span::parse(found.text, found.start, found.first_line);
    body_stays && tree.is_ok_and(|tree| tree.root.says_the_same(meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\na:\n  x: 1\n  y: 2\nb: &n [1]\nc: *n\n---\nbody\n";

    /// Judges replacing `from` by `to`, when the intended content is `meant`.
    fn judge(from: &str, to: &str, meant: &str) -> (bool, bool) {
        let front = front_matter::split(FILE.as_bytes()).expect("front matter");
        let at = FILE.find(from).expect(from);
        let edits = [TextEdit::replace(at..at + from.len(), to)];
        // Positions come from the original, content from what was intended.
        let mut tree = yaml_span::parse(front.text, front.start, front.first_line).expect("yaml").root;
        let said = yaml_span::parse(meant, 0, 1).expect("yaml").root;
        if let (YamlKind::Map(old, _), YamlKind::Map(new, _)) = (&mut tree.kind, said.kind) {
            for (old, new) in old.iter_mut().zip(new) {
                old.value = new.value;
            }
        }
        let quick = by_section(FILE.as_bytes(), front.closing, &tree, &edits);
        (quick, says_what_was_meant(FILE.as_bytes(), &front, &tree, &edits))
    }

    #[test]
    fn what_was_meant_passes() {
        assert_eq!(judge("1\n  y", "7\n  y", "a:\n  x: 7\n  y: 2\nb: &n [1]\nc: *n\n"), (true, true));
    }

    #[test]
    fn anchors_need_the_whole_file() {
        assert_eq!(judge("[1]", "[2]", "a:\n  x: 1\n  y: 2\nb: &n [2]\nc: *n\n"), (true, true));
        assert_eq!(judge("*n", "[*n]", "a:\n  x: 1\n  y: 2\nb: &n [1]\nc: [*n]\n"), (false, true));
    }

    #[test]
    fn anything_else_is_refused() {
        let meant = "a:\n  x: 7\n  y: 2\nb: &n [1]\nc: *n\n";
        for wrong in ["8", "\"7\"", "7 y", "[7", "7\n  z: 1", "7\n---", "7\nd: 1"] {
            assert_eq!(judge("1\n  y", &format!("{wrong}\n  y"), meant), (false, false), "{wrong}");
        }
    }
}
