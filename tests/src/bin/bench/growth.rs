//! Reading is linear: four times the file takes about four times as long, for every format and the texts next
//! to it.

use crate::report::{Report, ms, percentile};
use crate::{corpus, editing};
use loopdeck_core::control::Situation;
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind};
use std::path::Path;
use std::time::Instant;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const ROUNDS: usize = 9;
/// Quadratic would be 16.
const LIMIT: f64 = 6.0;

/// A file with this many of everything in its format, and the texts next to it.
pub(crate) struct Sized {
    pub(crate) place: Place,
    pub(crate) stem: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) beside: Vec<Companion>,
}

type Make = fn(usize) -> Sized;

/// Measures every format at two sizes.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let formats: [(&str, usize, Make); 7] = [
        ("Loop v2", 4_000, loop_v2),
        ("Loop-B", 4_000, loop_b),
        ("CCW v1", 4_000, v1),
        ("legacy session", 4_000, legacy),
        ("AoT", 2_500, aot),
        ("task list", 4_000, task_list),
        ("damaged Loop v2", 4_000, damaged),
    ];
    for (format, size, make) in formats {
        let (once, four) = (make(size), make(4 * size));
        let (mut smalls, mut larges) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            smalls.push(read(&once));
            larges.push(read(&four));
        }
        let (small, large) = (percentile(&mut smalls, 0.5), percentile(&mut larges, 0.5));
        let length = four.bytes.len() + four.beside.iter().map(|file| file.bytes.len()).sum::<usize>();
        Report::note(&format!("{format}, {} KB: list and page", length >> 10), large, "ms");
        report.limit(&format!("{format}: four times the size / once"), large / small, LIMIT, "x");
    }
}

/// The list's read and the page's read, in milliseconds.
pub(crate) fn read(file: &Sized) -> f64 {
    let facts = FileFacts { stem: &file.stem, modified: NOW, now: NOW };
    let situation = Situation { shown: StatusWord::Interrupted, now: NOW };
    let start = Instant::now();
    let summary = loops::summary(file.place, &file.bytes, &facts).expect("a loop");
    let detail = loops::detail(summary.format, &file.bytes, &facts, &situation, &file.beside);
    let time = ms(start.elapsed());
    std::hint::black_box((summary, detail));
    time
}

fn ccw(stem: String, bytes: String) -> Sized {
    Sized { place: Place::CcwFile, stem, bytes: bytes.into_bytes(), beside: Vec::new() }
}

fn loop_v2(size: usize) -> Sized {
    ccw(corpus::id(1), corpus::state(&corpus::id(1), "T", size, size))
}

fn damaged(size: usize) -> Sized {
    let mut file = loop_v2(size);
    file.bytes.extend_from_slice(b"  \"tail\": 1}");
    file
}

fn joined(size: usize, item: impl Fn(usize) -> String) -> String {
    (0..size).map(item).collect::<Vec<_>>().join(",\n")
}

fn loop_b(size: usize) -> Sized {
    let stem = "loop-b-20261120T042421-d8ff7e62";
    let task =
        |n| format!("{{\"id\":\"T{n}\",\"description\":\"Task {n}\",\"status\":\"pending\",\"files\":[]}}");
    let finding = |n| format!("\"finding {n}\"");
    let file = |n| format!("\"src/{n}.ts\"");
    let worker = format!("{{\"status\":\"success\",\"files_changed\":[{}]}}", joined(size, file));
    let text = format!(
        "{{\"loop_id\":\"{stem}\",\"title\":\"T\",\"mode\":\"parallel\",\"status\":\"running\",\"max_iterations\":9,\"current_iteration\":1,\"skill_state\":{{\"phase\":\"develop\",\"pending_tasks\":[{}],\"completed_tasks\":[],\"findings\":[{}],\"parallel_results\":{{\"develop\":{worker},\"debug\":{worker}}}}}}}",
        joined(size, task),
        joined(size, finding),
    );
    ccw(stem.to_owned(), text)
}

fn v1(size: usize) -> Sized {
    let step = |n| {
        format!(
            "{{\"step_id\":\"s{n}\",\"tool\":\"gemini\",\"mode\":\"analysis\",\"prompt_template\":\"p\"}}"
        )
    };
    let done = |n| format!("{{\"step_index\":{n},\"tool\":\"gemini\",\"exit_code\":0,\"duration_ms\":{n}}}");
    let text = format!(
        "{{\"loop_id\":\"loop-x\",\"task_id\":\"t\",\"status\":\"running\",\"current_iteration\":1,\"max_iterations\":9,\"current_cli_step\":1,\"cli_sequence\":[{}],\"execution_history\":[{}]}}",
        joined(size, step),
        joined(size, done),
    );
    ccw("loop-x".to_owned(), text)
}

fn legacy(size: usize) -> Sized {
    let task = |n| format!("{{\"id\":\"task-{n}\",\"description\":\"Task {n}\",\"status\":\"pending\"}}");
    let text = format!(
        "{{\"session_id\":\"s\",\"task_description\":\"T\",\"status\":\"running\",\"develop\":{{\"total_count\":{size},\"completed_count\":0,\"tasks\":[{}]}}}}",
        joined(size, task),
    );
    Sized { place: Place::LegacyState, stem: "s".to_owned(), bytes: text.into_bytes(), beside: Vec::new() }
}

fn aot(size: usize) -> Sized {
    let bytes = editing::aot(size).into_bytes();
    Sized { place: Place::AotFile, stem: "aot-loop-state".to_owned(), bytes, beside: Vec::new() }
}

/// A small master with a long list and long texts next to it.
fn task_list(size: usize) -> Sized {
    let line = |n| {
        format!("{{\"task_id\":\"t{n}\",\"description\":\"Task {n}\",\"tool\":\"codex\",\"order\":{n}}}\n")
    };
    let hypothesis = |n| format!("{{\"id\":\"H{n}\",\"description\":\"d\",\"status\":\"pending\"}}");
    let entry = |n| format!("### Iteration {n} - task {n} (t)\n- **Status**: completed\n\n");
    let lines: String = (0..size).map(line).collect();
    let beside = [
        (CompanionKind::TaskList, lines.clone()),
        (CompanionKind::TaskList, lines),
        (CompanionKind::Hypotheses, format!("{{\"hypotheses\":[{}]}}", joined(size, hypothesis))),
        (CompanionKind::ValidateDoc, (0..size).map(entry).collect()),
    ];
    let beside = beside.map(|(kind, text)| Companion {
        kind,
        file: "x".to_owned(),
        bytes: text.into_bytes(),
        cut: false,
    });
    Sized { beside: beside.into(), ..loop_v2(10) }
}
