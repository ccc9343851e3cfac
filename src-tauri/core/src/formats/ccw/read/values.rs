//! Values of a master, read as leniently as its writers write them.

use loopdeck_text::json_span::tree::Node;

/// `node.first`, or the field's older name.
pub(crate) fn either<'t>(node: &'t Node<'t>, first: &str, older: &str) -> &'t Node<'t> {
    let value = node.get(first);
    if value.is_null() { node.get(older) } else { value }
}

/// Compares a status word case-insensitively.
pub(crate) fn has_status(node: &Node<'_>, word: &str) -> bool {
    node.get("status").text().is_some_and(|status| status.eq_ignore_ascii_case(word))
}

/// All times below `node`, whose key is `key`.
pub(crate) fn gather_times<'t>(key: &str, node: &'t Node<'t>, times: &mut Vec<&'t str>) {
    if matches!(key, "evidence" | "tests" | "failures") {
        return;
    }
    if let Some(text) = node.text()
        && (key == "timestamp" || key.ends_with("_at"))
    {
        times.push(text);
    }
    for item in node.items() {
        gather_times(key, item, times);
    }
    for (key, node) in node.fields() {
        gather_times(key, node, times);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates; negative counts become 0
pub(crate) fn count(node: &Node<'_>, key: &str) -> u32 {
    node.get(key).lenient_number().unwrap_or_default() as u32
}

/// A length as a count.
pub(crate) fn saturated(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
