//! Properties of every edit of a CCW file, whatever its layout: it changes only its own fields, every other
//! byte stays, the result reads back as intended, and an undone edit restores the bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod files;
mod inverse;
mod loop_b;
mod loop_v2;
mod repairs;
mod spans;
mod task_list;

use loopdeck_core::control::Situation;
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_text::json_span::tree::Node;

const V2: &str = "loop-v2-20261120T042421-d8ff7e62";
const B: &str = "loop-b-20261120T042421-d8ff7e62";
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
/// [`NOW`] as it is written.
const TIME: &str = "2026-11-20T04:24:21.870Z";

fn facts(stem: &str) -> FileFacts<'_> {
    FileFacts { stem, modified: NOW, now: NOW }
}

fn situation(shown: StatusWord) -> Situation {
    Situation { shown, now: NOW }
}

/// The value at a path of keys, as text.
fn at(bytes: &[u8], path: &[&str]) -> String {
    let root = Node::parse(bytes).expect("JSON");
    path.iter().fold(&root, |node, key| node.get(key)).json(None, 10_000)
}

/// The texts of `key` in the items of a list.
fn column(bytes: &[u8], path: &[&str], key: &str) -> Vec<String> {
    let root = Node::parse(bytes).expect("JSON");
    let items = path.iter().fold(&root, |node, key| node.get(key)).items();
    items.iter().map(|item| item.get(key).text().unwrap_or_default().to_owned()).collect()
}

#[track_caller]
fn assert_sound(stem: &str, bytes: &[u8]) {
    let summary = loops::summary(Place::CcwFile, bytes, &facts(stem)).expect("a loop");
    assert_eq!(summary.problems, [], "{}", String::from_utf8_lossy(bytes));
}
