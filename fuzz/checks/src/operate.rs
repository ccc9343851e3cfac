//! What drivers write: operations of AoT, Loop v2 and Loop-B, individually and in sequence.

mod aot;
mod beside;
mod loop_b;
mod loop_v2;

use crate::{door, spans};
use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::outcome::FileChanges;
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::StatusWord;
use loopdeck_text::json_span::tree::Node;

/// An accepted operation leaves a loop without errors, changes only its own fields, and writes texts that we
/// can read.
pub fn check(bytes: &[u8]) {
    aot::check(bytes);
    let stem = door::stem(bytes);
    let Some(summary) = loops::summary(Place::CcwFile, bytes, &door::facts(&stem)) else { return };
    let Some(running) = door::running(Place::CcwFile, &stem, bytes) else { return };
    match summary.format {
        Format::LoopV2 => each(&loop_v2::family(&stem), &running, &loop_v2::operations(&running)),
        Format::LoopB => each(&loop_b::family(&stem), &running, &loop_b::operations(&running)),
        _ => {}
    }
}

type Operate<O> = fn(&[u8], &FileFacts<'_>, &O, &Situation) -> Result<FileChanges, Refusal>;

/// A format with its operations.
struct Family<'s, O> {
    stem: &'s str,
    operate: Operate<O>,
    /// The fields that an operation writes.
    ours: fn(&O) -> &'static [&'static str],
    /// Append-only lists.
    grow: &'static [&'static str],
}

fn each<O: std::fmt::Debug>(family: &Family<'_, O>, bytes: &[u8], operations: &[O]) {
    let mut state = bytes.to_vec();
    for operation in operations {
        let _ = one(family, bytes, operation);
        state = one(family, &state, operation).unwrap_or(state);
    }
}

/// The bytes after an accepted operation.
fn one<O: std::fmt::Debug>(family: &Family<'_, O>, bytes: &[u8], operation: &O) -> Option<Vec<u8>> {
    let situation = Situation { shown: StatusWord::Running, now: door::NOW };
    let facts = door::facts(family.stem);
    let outcome = (family.operate)(bytes, &facts, operation, &situation).ok()?;
    let after = spans::apply_keeping(bytes, &outcome.edits, (family.ours)(operation));
    let errors = door::errors(Place::CcwFile, family.stem, &after);
    assert_eq!(errors, [], "{operation:?}");
    for list in family.grow {
        let (old, new) = (spans::items(bytes, list), spans::items(&after, list));
        assert!(new.starts_with(&old), "{operation:?} changed what stands in {list}");
    }
    beside::check(family.stem, &outcome.files);
    Some(after)
}

/// Texts of `key` in the items of a list, and one that is not in any.
fn ids(bytes: &[u8], path: &[&str], key: &str) -> Vec<String> {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let list = path.iter().fold(&root, |node, key| node.get(key)).items();
    let ids = list.iter().filter_map(|item| item.get(key).text().map(str::to_owned));
    ids.take(3).chain(["nobody".to_owned()]).collect()
}
