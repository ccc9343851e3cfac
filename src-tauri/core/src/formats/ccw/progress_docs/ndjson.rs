//! `changes.log` and `debug.log`: one JSON object per line. Instrumented programs also write other lines into
//! `debug.log`.

use super::lines::one_line;
use super::records::text;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// Entries of a log, and the number of other lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<T> {
    /// In file order.
    pub entries: Vec<T>,
    /// Lines that are not entries; blank ones do not count.
    pub foreign: u32,
    /// Lines with more than one entry, and lines of `changes.log` that are not entries.
    pub problems: Vec<Problem>,
    /// The number of an unterminated last line: its writer may still be writing it.
    pub unfinished: Option<u32>,
}

/// A line of `changes.log`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeLine {
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
pub struct DebugLogLine {
    /// Id of a hypothesis.
    pub hid: String,
    /// Milliseconds since 1970 UTC, unshifted.
    pub ts: Option<f64>,
    /// Function.
    pub func: String,
    /// The data it logged.
    pub data: Json,
    /// The whole entry, as kept in evidence.
    pub entry: Json,
}

/// Reads `changes.log`.
#[must_use]
pub fn changes(bytes: &[u8]) -> Log<ChangeLine> {
    log(bytes, LineKind { file: "changes.log", only_entries: true }, |node| {
        node.find("task_id").is_some().then(|| ChangeLine {
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
pub fn debug_entries(bytes: &[u8]) -> Log<DebugLogLine> {
    log(bytes, LineKind { file: "debug.log", only_entries: false }, |node| {
        node.find("hid").is_some().then(|| DebugLogLine {
            hid: text(node, "hid"),
            ts: node.get("ts").lenient_number(),
            func: text(node, "func"),
            data: Json::from_node(node.get("data")),
            entry: Json::from_node(node),
        })
    })
}

const MOST_PROBLEMS: usize = 20;

/// The kind of lines in a log.
#[derive(Clone, Copy)]
struct LineKind {
    /// For problems.
    file: &'static str,
    /// Whether there are only entries, so that any other line was torn or written by mistake.
    only_entries: bool,
}

fn log<T>(bytes: &[u8], lines: LineKind, entry: impl Fn(&Node<'_>) -> Option<T>) -> Log<T> {
    let LineKind { file, only_entries } = lines;
    let mut log = Log { entries: Vec::new(), foreign: 0, problems: Vec::new(), unfinished: None };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        log.unfinished = (!line.is_empty()).then_some(number); // that of the last line stays
        let (values, rest) = values(line, &mut log.entries, &entry);
        log.foreign = log.foreign.saturating_add(u32::from(rest.is_some()));
        let bad = rest.filter(|_| only_entries).map(|rest| {
            let found = String::from_utf8_lossy(rest);
            Problem::new(ProblemCode::W10_bad_line, file).with("found", shorten(found.trim(), 80))
        });
        let glued =
            (values > 1).then(|| Problem::new(ProblemCode::W10_glued_lines, file).with("found", values));
        let found = bad.into_iter().chain(glued).map(|problem| problem.at_line(number));
        log.problems.extend(found.take(MOST_PROBLEMS.saturating_sub(log.problems.len())));
    }
    log
}

/// Reads the entries of one line; returns how many there are, and the text after them that is not an entry.
fn values<'l, T>(
    line: &'l [u8],
    entries: &mut Vec<T>,
    entry: &impl Fn(&Node<'_>) -> Option<T>,
) -> (u32, Option<&'l [u8]>) {
    let Ok(text) = std::str::from_utf8(line) else { return (0, Some(line)) };
    let mut reader = Reader::at(text, 0);
    let mut values: u32 = 0;
    while reader.end().is_err() {
        let start = reader.offset();
        match Node::read(&mut reader).ok().as_ref().and_then(entry) {
            Some(entry) => entries.push(entry),
            None => return (values, Some(&line[start..])),
        }
        values += 1;
    }
    (values, None)
}

/// A line for `changes.log`, to be appended.
#[must_use]
pub fn change_line(change: &ChangeLine) -> String {
    let json = Json::object(vec![
        ("timestamp", Json::text(&change.timestamp)),
        ("task_id", Json::text(&change.task_id)),
        ("description", Json::text(one_line(&change.description))),
        ("files_changed", Json::texts(&change.files_changed)),
        ("result", Json::text(&change.result)),
    ]);
    json.compact() + "\n"
}
