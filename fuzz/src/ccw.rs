//! CCW state files of every kind: quick read, full read and every edit.

use crate::door;
use loopdeck_core::json_span::tree::Node;
use loopdeck_core::loops::Place;

/// No panic; whatever was edited is still JSON, and no foreign top-level member is lost.
pub fn check(bytes: &[u8]) {
    let stem = stem(bytes);
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

/// A file's name is its identity: most verbs are refused under another one, so it is taken from the file.
fn stem(bytes: &[u8]) -> String {
    let node = Node::parse(bytes).ok();
    let id = node.as_ref().and_then(|node| node.get("loop_id").text());
    id.filter(|id| id.starts_with("loop-")).unwrap_or("loop-v2-20261120T042421-d8ff7e62").to_owned()
}

fn names(bytes: &[u8]) -> Vec<String> {
    let node = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    node.fields().iter().map(|(name, _)| name.to_string()).collect()
}
