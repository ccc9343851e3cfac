//! What in an AoT state file shows where a version comes from. The format has no time of writing.

use super::state::{self, Document};
use crate::lineage::{ControlFields, ProcessHasher, Version, hash};
use loopdeck_text::yaml_span::{YamlKind, YamlNode};
use std::hash::{Hash as _, Hasher};

/// Fields that verbs and redirects set or clear (the AoT contract §6, §7); the counters of `control` belong
/// to the work.
const OF_VERBS: [&str; 4] = ["status", "stop_requested", "stop_reason", "redirect_requested"];

/// The version in `bytes`; `None` when they are unreadable.
pub(crate) fn version(bytes: &[u8]) -> Option<Version> {
    let document = state::read(bytes).ok()?;
    let Document { front, state, .. } = &document;
    let control = &state.control;
    let body = &bytes[front.body.clone()];
    let mut work = ProcessHasher::new();
    body.hash(&mut work);
    map(document.root(), &mut work, |section, hasher| {
        if section.key.text().is_some_and(|key| key == "control") {
            map(&section.value, hasher, |field, hasher| {
                if !field.key.text().is_some_and(|key| OF_VERBS.contains(&key.as_ref())) {
                    mean(&field.key, hasher);
                    mean(&field.value, hasher);
                }
            });
        } else {
            mean(&section.key, hasher);
            mean(&section.value, hasher);
        }
    });
    Some(Version {
        bytes: hash(bytes),
        identity: None,
        control: ControlFields {
            status: control.status.to_lowercase(),
            flag: control.stop_requested,
            reason: control.stop_reason.as_ref().map(|reason| reason.clone().into_owned()),
        },
        ended: None,
        written: None,
        work: work.finish(),
        counts: vec![counted(control.iteration)],
    })
}

#[allow(clippy::cast_precision_loss)] // iterations are far below 2^52
fn counted(iteration: i64) -> f64 {
    iteration as f64
}

fn map(
    node: &YamlNode<'_>,
    hasher: &mut ProcessHasher,
    mut each: impl FnMut(&loopdeck_text::yaml_span::Entry<'_>, &mut ProcessHasher),
) {
    node.entries().iter().for_each(|entry| each(entry, hasher));
    1_u8.hash(hasher);
}

/// The meaning of the YAML: quotes and layout are ignored.
fn mean(node: &YamlNode<'_>, hasher: &mut ProcessHasher) {
    match &node.kind {
        YamlKind::Scalar(..) => (2_u8, node.text()).hash(hasher),
        YamlKind::Alias(anchor) => (3_u8, anchor).hash(hasher),
        YamlKind::Seq(items, _) => {
            (4_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| mean(item, hasher));
        }
        YamlKind::Map(entries, _) => {
            (5_u8, entries.len()).hash(hasher);
            for entry in entries {
                mean(&entry.key, hasher);
                mean(&entry.value, hasher);
            }
        }
    }
}
