//! What in a CCW state file shows where a version comes from. One pass for Loop v2 and Loop-B.

use crate::format::Format;
use crate::formats::ccw::check::lost_update::counts;
use crate::lineage::{ControlFields, ProcessHasher, Version, hash};
use loopdeck_text::json_span::tree::{Node, Value};
use std::hash::{Hash as _, Hasher};

/// Fields that verbs change (the CCW contract §5.1); everything else is work.
const OF_VERBS: [&str; 4] = ["status", "updated_at", "completed_at", "failure_reason"];

/// The version in `bytes`; `None` when they are not a JSON object.
pub(crate) fn version(format: Format, bytes: &[u8]) -> Option<Version> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let root = Node::parse(bytes).ok().filter(Node::is_object)?;
    let written = |key: &str| root.get(key).text().map(str::to_owned);
    let control = ControlFields {
        status: root.get("status").text().unwrap_or_default().to_lowercase(),
        flag: false,
        reason: written("failure_reason"),
    };
    let mut work = ProcessHasher::new();
    object(&root, &mut work, |key| !OF_VERBS.contains(&key));
    Some(Version {
        bytes: hash(text),
        identity: written("created_at"),
        control,
        ended: written("completed_at"),
        written: written("updated_at"),
        work: work.finish(),
        counts: counts(format, &root).iter().map(|count| count.count).collect(),
    })
}

/// The meaning of the JSON: number spelling and key order are ignored.
fn mean(node: &Node<'_>, hasher: &mut impl Hasher) {
    match &node.value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(flag) => (1_u8, flag).hash(hasher),
        Value::Number(text) => match node.number() {
            Some(number) => (2_u8, (number + 0.0).to_bits()).hash(hasher),
            None => (3_u8, text).hash(hasher),
        },
        Value::Text(text) => (4_u8, text).hash(hasher),
        Value::List(items) => {
            (5_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| mean(item, hasher));
        }
        Value::Object(_) => object(node, hasher, |_| true),
    }
}

fn object(node: &Node<'_>, hasher: &mut impl Hasher, wanted: impl Fn(&str) -> bool) {
    let fields = node.fields().iter().enumerate();
    let mut fields: Vec<_> = fields.filter(|(_, (key, _))| wanted(key)).collect();
    // Of a repeated key the last one counts: it sorts first, and the others are dropped.
    fields.sort_by(|(at, (key, _)), (other_at, (other, _))| key.cmp(other).then(other_at.cmp(at)));
    fields.dedup_by(|(_, (key, _)), (_, (kept, _))| key == kept);
    (6_u8, fields.len()).hash(hasher);
    for (_, (key, value)) in fields {
        key.hash(hasher);
        mean(value, hasher);
    }
}
