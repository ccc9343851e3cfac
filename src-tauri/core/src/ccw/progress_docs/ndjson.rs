//! `changes.log` and `debug.log`: one JSON object per line. Instrumented programs write other lines too.

use super::lines::one_line;
use super::records::text;
use crate::json_span::json::Json;
use crate::json_span::scan::Reader;
use crate::json_span::tree::Node;
use crate::problem::{Problem, ProblemCode};

/// Entries of a log, and how many lines are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<T> {
    /// In file order.
    pub entries: Vec<T>,
    /// Lines that are no entry; blank ones do not count.
    pub foreign: u32,
    /// Lines with more than one entry.
    pub problems: Vec<Problem>,
}

/// A line of `changes.log`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// As written.
    pub timestamp: String,
    /// Which task.
    pub task_id: String,
    /// Its text.
    pub description: String,
    /// Files changed; Claude lists planned ones.
    pub files_changed: Vec<String>,
    /// `success`.
    pub result: String,
}

/// A line of `debug.log`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugEntry {
    /// Id of a hypothesis.
    pub hid: String,
    /// Milliseconds since 1970 UTC, true.
    pub ts: Option<f64>,
    /// Function.
    pub func: String,
    /// What it saw.
    pub data: Json,
    /// The whole entry, as evidence keeps it.
    pub entry: Json,
}

/// Reads `changes.log`.
#[must_use]
pub fn changes(bytes: &[u8]) -> Log<Change> {
    log(bytes, "changes.log", |node| {
        node.find("task_id").is_some().then(|| Change {
            timestamp: text(node, "timestamp"),
            task_id: text(node, "task_id"),
            description: text(node, "description"),
            files_changed: node
                .get("files_changed")
                .items()
                .iter()
                .filter_map(Node::text)
                .map(str::to_owned)
                .collect(),
            result: text(node, "result"),
        })
    })
}

/// Reads `debug.log`.
#[must_use]
pub fn debug_entries(bytes: &[u8]) -> Log<DebugEntry> {
    log(bytes, "debug.log", |node| {
        node.find("hid").is_some().then(|| DebugEntry {
            hid: text(node, "hid"),
            ts: node.get("ts").lenient_number(),
            func: text(node, "func"),
            data: Json::of(node.get("data")),
            entry: Json::of(node),
        })
    })
}

const MOST_PROBLEMS: usize = 20;

fn log<T>(bytes: &[u8], file: &str, entry: impl Fn(&Node<'_>) -> Option<T>) -> Log<T> {
    let mut log = Log { entries: Vec::new(), foreign: 0, problems: Vec::new() };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let Ok(line) = std::str::from_utf8(line) else {
            log.foreign = log.foreign.saturating_add(1);
            continue;
        };
        let mut reader = Reader::at(line, 0);
        let mut values: u32 = 0;
        while reader.end().is_err() {
            match Node::read(&mut reader).ok().as_ref().and_then(&entry) {
                Some(entry) => log.entries.push(entry),
                None => {
                    log.foreign = log.foreign.saturating_add(1);
                    break;
                }
            }
            values += 1;
        }
        if values > 1 && log.problems.len() < MOST_PROBLEMS {
            let problem = Problem::new(ProblemCode::W10_glued_lines, file).at_line(number);
            log.problems.push(problem.with("found", values));
        }
    }
    log
}

/// A line for `changes.log`, to be appended.
#[must_use]
pub fn change_line(change: &Change) -> String {
    let json = Json::object(vec![
        ("timestamp", Json::text(&change.timestamp)),
        ("task_id", Json::text(&change.task_id)),
        ("description", Json::text(one_line(&change.description))),
        ("files_changed", Json::texts(&change.files_changed)),
        ("result", Json::text(&change.result)),
    ]);
    json.compact() + "\n"
}
