//! Where comments are: the tree leaves them out, so they are searched between its leaves.

use super::front_matter::line_end;
use loopdeck_text::yaml_span::{YamlKind, YamlNode};
use std::ops::Range;

/// The comments between `start` and `end`, each from its `#` to the end of its line, in file order.
pub(crate) fn between(bytes: &[u8], root: &YamlNode<'_>, start: usize, end: usize) -> Vec<Range<usize>> {
    if memchr::memchr(b'#', &bytes[start..end]).is_none() {
        return Vec::new();
    }
    let mut leaves = Vec::new();
    leaves_of(root, &mut leaves);
    let mut found = Vec::new();
    let mut at = start;
    for leaf in leaves.into_iter().chain(std::iter::once(end..end)) {
        in_gap(bytes, at, leaf.start.min(end), &mut found);
        at = at.max(leaf.end);
    }
    found
}

/// The ranges of all texts and aliases in file order.
fn leaves_of(node: &YamlNode<'_>, leaves: &mut Vec<Range<usize>>) {
    match &node.kind {
        YamlKind::Seq(items, _) => items.iter().for_each(|item| leaves_of(item, leaves)),
        YamlKind::Map(entries, _) => entries.iter().for_each(|entry| {
            leaves_of(&entry.key, leaves);
            leaves_of(&entry.value, leaves);
        }),
        YamlKind::Scalar(..) | YamlKind::Alias(_) => leaves.push(node.range.clone()),
    }
}

fn in_gap(bytes: &[u8], start: usize, end: usize, found: &mut Vec<Range<usize>>) {
    let mut at = start;
    while at < end {
        let Some(mark) = memchr::memchr(b'#', &bytes[at..end]).map(|n| at + n) else { return };
        let begins = mark == 0 || bytes[mark - 1].is_ascii_whitespace();
        let line = line_end(bytes, mark);
        if begins {
            found.push(mark..line);
        }
        at = if begins { line } else { mark + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_text::yaml_span::parse;

    fn found(text: &str) -> Vec<&str> {
        let tree = parse(text, 0, 1).expect(text);
        between(text.as_bytes(), &tree.root, 0, text.len()).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn comments_are_found_wherever_yaml_has_them() {
        let text = "# top\na: 1 # one\nb: [1, # two\n  'x # y'] # three\n#four\nc: \"# no\"\nd: x#no\ne: | # five\n  # text\n  more\n\n# six\nf: &a#b 1\n  # seven\ng: >-\n   #t\n # eight\nh:\n  - x # nine\n# ten\n";
        assert_eq!(
            found(text),
            [
                "# top", "# one", "# two", "# three", "#four", "# five", "# six", "# seven", "# eight",
                "# nine", "# ten"
            ]
        );
    }
}
