//! The YAML reader with byte positions.

use loopdeck_text::yaml_span::{self, ScalarForm, YamlKind, YamlNode};

/// No panic; every range is within the text, on whole characters, and a plain word on one line is there as
/// read.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let text = front_matter(text);
    let Ok(tree) = yaml_span::parse(text, 0, 1) else { return };
    check_node(text, &tree.root);
}

/// Fixtures are whole state files; any other text is used unchanged.
fn front_matter(text: &str) -> &str {
    let inner = text.strip_prefix("---\n").unwrap_or(text);
    inner.split_once("\n---").map_or(inner, |(front, _)| front)
}

fn check_node(text: &str, node: &YamlNode<'_>) {
    let place = text.get(node.range.clone());
    assert!(place.is_some(), "{:?} is no place in {} bytes", node.range, text.len());
    match &node.kind {
        YamlKind::Scalar(value, ScalarForm::Plain)
            if place.is_some_and(|place| !place.contains(['\n', '\r'])) =>
        {
            assert_eq!(place, Some(value.as_ref()), "a plain word stands elsewhere");
        }
        YamlKind::Scalar(..) | YamlKind::Alias(_) => {}
        YamlKind::Seq(items, _) => items.iter().for_each(|item| check_node(text, item)),
        YamlKind::Map(entries, _) => {
            for entry in entries {
                check_node(text, &entry.key);
                check_node(text, &entry.value);
            }
        }
    }
}
