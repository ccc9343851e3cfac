//! Fields that no schema lists: kept byte for byte, shown unchanged (AoT contract §3).

use crate::view::ExtraField;
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;

/// Longest text of one field.
const MAX_FIELD: usize = 2_000;
/// More fields than a person reads.
const MAX_FIELDS: usize = 200;

const SECTIONS: [&str; 8] =
    ["objective", "control", "atoms", "decompositions", "or_groups", "bindings", "trail", "corrections"];
const OBJECTIVE: [&str; 8] = [
    "goal",
    "base_case",
    "background_intent",
    "deliverables",
    "definition_of_done",
    "constraints",
    "clarifications",
    "scope",
];
const LIMITS: [&str; 3] = ["max_iterations", "max_parallel_agents", "max_stall_count"];
const ATOM: [&str; 6] = ["id", "description", "status", "depends_on", "or_group", "decomposed_from"];
const DECOMPOSITION: [&str; 4] = ["parent", "children", "reason", "timestamp"];
const OR_GROUP: [&str; 4] = ["choices", "selected", "failed", "speculative"];
const BINDING: [&str; 2] = ["summary", "artifacts"];
const TRAIL: [&str; 6] = ["or_group", "selected", "reason", "timestamp", "type", "description"];
const CORRECTION: [&str; 4] = ["timestamp", "type", "description", "trail_cleared"];

/// All fields that §1.2 does not list.
pub(crate) fn fields(bytes: &[u8], root: &YamlNode<'_>) -> Vec<ExtraField> {
    let mut found = ExtraFields { bytes, fields: Vec::new() };
    found.unknown(root, "", &SECTIONS);
    if let Some(objective) = root.get("objective") {
        found.unknown(objective, "objective.", &OBJECTIVE);
        if let Some(limits) = objective.get("constraints") {
            found.unknown(limits, "objective.constraints.", &LIMITS);
        }
    }
    if let Some(control) = root.get("control") {
        found.unknown(control, "control.", &super::hook::CONTROL_KEYS);
    }
    let lists: [(&str, &[&str]); 4] = [
        ("atoms", &ATOM),
        ("decompositions", &DECOMPOSITION),
        ("trail", &TRAIL),
        ("corrections", &CORRECTION),
    ];
    for (section, known) in lists {
        let items = root.get(section).map(YamlNode::items).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            found.unknown(item, &format!("{section}[{index}]."), known);
        }
    }
    let maps: [(&str, &[&str]); 2] = [("or_groups", &OR_GROUP), ("bindings", &BINDING)];
    for (section, known) in maps {
        for entry in root.get(section).map(YamlNode::entries).unwrap_or_default() {
            let name = super::state::text(Some(&entry.key));
            found.unknown(&entry.value, &format!("{section}.{}.", shorten(&name, 100)), known);
        }
    }
    found.fields
}

/// The text of a node as written in the file.
pub(crate) fn source(bytes: &[u8], node: &YamlNode<'_>, limit: usize) -> String {
    let text = &bytes[node.range.clone()];
    // Text that is cut by characters later need not be decoded now.
    let text = &text[..text.len().min(limit.saturating_mul(4))];
    shorten(&String::from_utf8_lossy(text), limit)
}

struct ExtraFields<'b> {
    bytes: &'b [u8],
    fields: Vec<ExtraField>,
}

impl ExtraFields<'_> {
    fn unknown(&mut self, map: &YamlNode<'_>, path: &str, known: &[&str]) {
        for entry in map.entries() {
            let key = super::state::text(Some(&entry.key));
            if self.fields.len() < MAX_FIELDS && !known.contains(&&*key) {
                let path = format!("{path}{}", shorten(&key, 100));
                self.fields.push(ExtraField { path, text: source(self.bytes, &entry.value, MAX_FIELD) });
            }
        }
    }
}
