//! CCW state files of every kind: quick read, full read and every edit.

use crate::door;
use loopdeck_core::loops::Place;
use loopdeck_text::json_span::tree::Node;

/// No panic; every edited file is still JSON, and no foreign top-level member is lost.
pub fn check(bytes: &[u8]) {
    let stem = door::stem(bytes);
    let before = names(bytes);
    door::exercise(Place::CcwFile, &stem, bytes, |_, after| {
        let after = names(after);
        let lost: Vec<_> = before.iter().filter(|name| !after.contains(name) && !is_ours(name)).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
    });
    door::exercise(Place::LegacyState, "session", bytes, |_, _| {});
}

/// Members that a verb may remove.
fn is_ours(name: &str) -> bool {
    matches!(name, "completed_at" | "failure_reason" | "tags" | "priority" | "notes")
}

fn names(bytes: &[u8]) -> Vec<String> {
    let node = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    node.fields().iter().map(|(name, _)| name.to_string()).collect()
}
