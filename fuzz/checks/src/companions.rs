//! `tasks.jsonl` and the other files next to a CCW loop.

use crate::door;
use loopdeck_core::control::Situation;
use loopdeck_core::format::Format;
use loopdeck_core::loops;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::{Companion, CompanionKind, LoopDetail};

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
const MASTER: &str = r#"{"loop_id":"loop-v2-20261120T042421-d8ff7e62","status":"paused","max_iterations":10,"current_iteration":1}"#;
const SIDE_FILES: [CompanionKind; 12] = [
    CompanionKind::Hypotheses,
    CompanionKind::TestResults,
    CompanionKind::Coverage,
    CompanionKind::WorkerOutput,
    CompanionKind::DevelopDoc,
    CompanionKind::DebugDoc,
    CompanionKind::ValidateDoc,
    CompanionKind::SummaryDoc,
    CompanionKind::ChangesLog,
    CompanionKind::DebugLog,
    CompanionKind::SessionMeta,
    CompanionKind::SessionTasks,
];

/// No panic, every problem names an existing line, and the list does not depend on how the last line ends.
pub fn check(bytes: &[u8]) {
    let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
    let list = detail(&[companion(CompanionKind::TaskList, "x.tasks.jsonl", bytes)]);
    let is_there = |line: u32| usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line));
    assert!(list.problems.iter().filter_map(|problem| problem.line).all(is_there));
    let ended = detail(&[companion(CompanionKind::TaskList, "x.tasks.jsonl", &[bytes, b"\n"].concat())]);
    assert_eq!(ended.task_list, list.task_list, "a missing last newline matters");
    let _ = detail(&[
        companion(CompanionKind::TaskList, "x.tasks.jsonl", bytes),
        companion(CompanionKind::TaskList, "x/tasks.jsonl", bytes),
    ]);
    let _ = detail(&SIDE_FILES.map(|kind| companion(kind, "develop.output.json", bytes)));
}

fn companion(kind: CompanionKind, file: &str, bytes: &[u8]) -> Companion {
    Companion { kind, file: file.to_owned(), bytes: bytes.to_vec(), cut: false }
}

fn detail(companions: &[Companion]) -> LoopDetail {
    let situation = Situation { shown: StatusWord::Paused, now: door::NOW };
    loops::detail(Format::LoopV2, MASTER.as_bytes(), &door::facts(STEM), &situation, companions)
}
