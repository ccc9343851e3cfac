//! One-click repairs: the problem is gone, and the rest of the file has the same content.

use crate::aot;
use crate::{door, spans};
use loopdeck_core::control::Situation;
use loopdeck_core::format::Format;
use loopdeck_core::formats::aot as core_aot;
use loopdeck_core::formats::ccw_v2::edit::repair::{repair, repairs};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{Problem, ProblemCode};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::step::RepairCode as Repair;
use loopdeck_core::summary::Summary;
use loopdeck_core::view::{Companion, CompanionKind};
use loopdeck_text::text_edit;
use loopdeck_text::yaml_span::{self, YamlKind, YamlNode};
use serde_json::Value;

const SITUATION: Situation = Situation { shown: StatusWord::Paused, now: door::NOW };
const AOT: &str = "aot-loop-state";
const V2: &str = "loop-v2-20261120T042421-d8ff7e62";

/// Every repair of both families, on any bytes.
pub fn check(bytes: &[u8]) {
    master(bytes);
    strip(bytes);
    task_list(bytes);
    work_graph(bytes);
}

fn ccw(stem: &str, bytes: &[u8]) -> Option<(Summary, Vec<Problem>)> {
    let facts = door::facts(stem);
    let summary = loops::summary(Place::CcwFile, bytes, &facts)?;
    let detail = loops::detail(summary.format, bytes, &facts, &SITUATION, &[]);
    Some((summary, detail.problems))
}

/// What a repair of a master may touch.
fn ours(what: Repair) -> &'static [&'static str] {
    match what {
        Repair::Recount => &[
            "skill_state.develop.total",
            "skill_state.develop.total_count",
            "skill_state.develop.completed",
            "skill_state.develop.completed_count",
            "skill_state.debug.hypotheses_count",
        ],
        Repair::ResetOrphans => &["skill_state.develop.tasks", "skill_state.pending_tasks"],
        Repair::ClearStaleEnd => &["completed_at", "failure_reason"],
        _ => &[],
    }
}

fn master(bytes: &[u8]) {
    let stem = door::stem(bytes);
    let Some((summary, problems)) = ccw(&stem, bytes) else { return };
    let facts = door::facts(&stem);
    let repairable = matches!(summary.format, Format::LoopV2 | Format::LoopB)
        && door::errors(Place::CcwFile, &stem, bytes).is_empty();
    for (what, code) in [
        (Repair::Recount, ProblemCode::W1_counters),
        (Repair::ResetOrphans, ProblemCode::W11_orphaned_task),
        (Repair::ClearStaleEnd, ProblemCode::W4_stale_end),
    ] {
        let edits = match repair(bytes, &facts, what, &SITUATION) {
            Ok(edits) => edits,
            Err(refusal) => {
                let empty = refusal.code == RefusalCode::NothingToRepair && repairable;
                assert!(!empty || !repairs(&problems).contains(&what), "{what:?} is offered for nothing");
                continue;
            }
        };
        let after = spans::apply_keeping(bytes, &edits, ours(what));
        if what == Repair::ResetOrphans {
            resets_words_only(bytes, &after);
        }
        let (again, left) = ccw(&stem, &after).expect("still a loop");
        assert_eq!((again.format, again.status), (summary.format, summary.status));
        assert_eq!(door::errors(Place::CcwFile, &stem, &after), []);
        assert!(left.iter().all(|problem| problem.code != code), "{what:?} left {left:?}");
        let twice = repair(&after, &facts, what, &SITUATION).map_err(|refusal| refusal.code);
        assert_eq!(twice, Err(RefusalCode::NothingToRepair), "{what:?}");
    }
}

/// Only the status of tasks changes, and only from in progress to pending.
fn resets_words_only(before: &[u8], after: &[u8]) {
    let leaves = |bytes: &[u8]| -> Vec<(String, String)> {
        let values = spans::values(bytes).expect("JSON").into_iter().filter(|value| !value.holds);
        values.map(|v| (v.path, String::from_utf8_lossy(&bytes[v.span]).into_owned())).collect()
    };
    let (before, after) = (leaves(before), leaves(after));
    assert_eq!(before.len(), after.len());
    for ((path, old), (same, new)) in before.iter().zip(&after) {
        let reset = path.ends_with("].status") && new == "\"pending\"";
        assert!(path == same && (old == new || reset), "{path}: {old} became {same}: {new}");
    }
}

fn strip(bytes: &[u8]) {
    let first = bytes.iter().rposition(|byte| *byte == b'}').map_or(bytes, |end| &bytes[..=end]);
    let stem = door::stem(first);
    let Ok(edits) = repair(bytes, &door::facts(&stem), Repair::StripTrailingGarbage, &SITUATION) else {
        return;
    };
    let after = text_edit::apply(bytes, &edits).expect("edits do not overlap");
    assert!(bytes.starts_with(&after) && after.len() < bytes.len(), "only the end goes");
    let summary = loops::summary(Place::CcwFile, &after, &door::facts(&stem)).expect("a loop");
    assert_ne!(summary.status, FileStatus::Unreadable);
}

fn task_list(bytes: &[u8]) {
    let list = |bytes: &[u8]| {
        let file = Companion {
            kind: CompanionKind::TaskList,
            file: "x.tasks.jsonl".to_owned(),
            bytes: bytes.to_vec(),
            cut: false,
        };
        let master = format!(
            "{{\"loop_id\":\"{V2}\",\"title\":\"T\",\"status\":\"paused\",\"max_iterations\":9,\"current_iteration\":1}}"
        );
        loops::detail(Format::LoopV2, master.as_bytes(), &door::facts(V2), &SITUATION, &[file])
    };
    let before = list(bytes);
    let glued = |problems: &[Problem]| problems.iter().any(|p| p.code == ProblemCode::W10_glued_lines);
    let Ok(edits) = repair(bytes, &door::facts(V2), Repair::SplitGluedLines, &SITUATION) else {
        assert!(!glued(&before.problems), "glued lines are left");
        return;
    };
    let after = list(&text_edit::apply(bytes, &edits).expect("edits do not overlap"));
    assert!(!glued(&after.problems), "{:?}", after.problems);
    assert_eq!(after.task_list, before.task_list);
}

fn work_graph(bytes: &[u8]) {
    for offered in core_aot::repairs(bytes) {
        let edits = match core_aot::repair(bytes, offered.code, door::NOW) {
            Ok(edits) => edits,
            Err(refusal) => {
                assert_eq!(refusal.code, RefusalCode::NotEditable, "{:?}", offered.code);
                continue;
            }
        };
        let after = text_edit::apply(bytes, &edits).expect("edits do not overlap");
        assert_ne!(after, bytes, "{:?} does nothing", offered.code);
        let errors = |bytes: &[u8]| door::errors(Place::AotFile, AOT, bytes).len();
        assert!(errors(&after) <= errors(bytes), "{:?} brought an error", offered.code);
        let left = core_aot::repairs(&after).into_iter().find(|repair| repair.code == offered.code);
        assert_eq!(left, None, "after {offered:?}");
        if offered.code == ProblemCode::V20_layout {
            assert_eq!(says(&after), says(bytes), "another meaning");
        } else {
            assert_eq!(aot::body(&after), aot::body(bytes), "the body changed");
            words_only(bytes, &after);
        }
    }
}

/// What the window shows of a file, without positions and layout.
fn says(bytes: &[u8]) -> Value {
    let detail = loops::detail(Format::Aot, bytes, &door::facts(AOT), &SITUATION, &[]);
    let mut shown = serde_json::to_value(&detail).expect("serialisable");
    for section in ["problems", "repairs", "steps", "controls", "prompt", "extra"] {
        shown[section] = Value::Null;
    }
    if let Some(work) = shown["work"].as_object_mut() {
        work.remove("problems");
    }
    for atom in shown["atoms"].as_array_mut().expect("a list") {
        atom["line"] = Value::Null;
    }
    flatten(&mut shown);
    shown
}

/// Texts are shown on one line (L11), so white space between words is layout.
fn flatten(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) => items.iter_mut().for_each(flatten),
        Value::Object(members) => members.values_mut().for_each(flatten),
        _ => {}
    }
}

/// Only status words in the front matter changed.
fn words_only(before: &[u8], after: &[u8]) {
    let (Some(before), Some(after)) = (front(before), front(after)) else { return };
    let is_status =
        |path: &str| path == ".control.status" || path.starts_with(".atoms[") && path.ends_with("].status");
    let others = |text: &str| {
        let mut leaves = leaves(text);
        leaves.retain(|(path, _)| !is_status(path));
        leaves
    };
    assert_eq!(others(&after), others(&before));
}

/// The text between the lines of three dashes.
fn front(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(&bytes[..bytes.len() - aot::body(bytes).len()]).ok()?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (_, rest) = text.split_once('\n')?;
    let rest = rest.trim_end();
    Some(rest[..rest.rfind('\n')? + 1].to_owned())
}

fn leaves(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Ok(tree) = yaml_span::parse(text, 0, 1) {
        gather(&tree.root, String::new(), &mut found);
    }
    found
}

fn gather(node: &YamlNode<'_>, path: String, found: &mut Vec<(String, String)>) {
    match &node.kind {
        YamlKind::Scalar(value, _) => found.push((path, value.to_string())),
        YamlKind::Alias(target) => found.push((path, format!("*{target}"))),
        YamlKind::Seq(items, _) => {
            items.iter().enumerate().for_each(|(at, item)| gather(item, format!("{path}[{at}]"), found));
        }
        YamlKind::Map(entries, _) => {
            for entry in entries {
                let key = entry.key.text().map(ToString::to_string).unwrap_or_default();
                gather(&entry.value, format!("{path}.{key}"), found);
            }
        }
    }
}
