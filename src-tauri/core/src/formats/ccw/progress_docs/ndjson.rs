//! `changes.log` and `debug.log`: one JSON object per line, or what was meant as one. Instrumented programs also write other
//! lines into `debug.log`.

use super::lines::one_line;
use super::records::text;
use crate::formats::ccw::read::values::saturated;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::almost_json;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// Entries of a log, and the number of other lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<T> {
    /// In file order.
    pub entries: Vec<T>,
    /// Lines with something that is no entry; blank ones do not count.
    pub foreign: u32,
    /// Lines with more than one entry, and lines of `changes.log` that are no entries or had to be corrected.
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
    let text = almost_json::same_places(bytes);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    log.unfinished = (!last.is_empty()).then(|| saturated(breaks + 1));
    let (mut problems, mut counted) = (Vec::new(), 0);
    let mut on_line: (u32, u32) = (0, 0); // the entries of a line
    for record in almost_json::records(&text) {
        let end = record.line + record_breaks(&text[record.span.clone()]);
        let read = record.object.as_ref().and_then(|object| Some((entry(&object.node())?, object)));
        let fault = match read {
            Some((entry, object)) => {
                log.entries.push(entry);
                on_line =
                    if on_line.0 == record.line { (record.line, on_line.1 + 1) } else { (record.line, 1) };
                object
                    .lost
                    .first()
                    .map(|lost| (lost.line, lost.kind))
                    .or_else(|| {
                        object.corrections.first().map(|correction| (correction.line, correction.kind))
                    })
                    .map(|(line, kind)| (line, kind.reason().to_owned()))
            }
            None => {
                // Lines that a record has in common with another are counted once.
                let from = record.line.max(counted + 1);
                log.foreign = log.foreign.saturating_add((end + 1).saturating_sub(from));
                counted = end.max(counted);
                let found = text[record.span.clone()].replace('\0', "\u{fffd}");
                Some((record.line, shorten(found.trim(), 80)))
            }
        };
        let bad = fault.filter(|_| only_entries).map(|(line, found)| {
            Problem::new(ProblemCode::W10_bad_line, file).with("found", found).at_line(line)
        });
        problems.extend(bad);
        if on_line == (record.line, 2) {
            problems.push(Problem::new(ProblemCode::W10_glued_lines, file).at_line(record.line));
        }
        if on_line.1 > 1
            && on_line.0 == record.line
            && let Some(glued) =
                problems.iter_mut().rev().find(|problem| problem.code == ProblemCode::W10_glued_lines)
        {
            *glued = glued.clone().with("found", on_line.1);
        }
    }
    problems.truncate(MOST_PROBLEMS);
    log.problems = problems;
    log
}

fn record_breaks(text: &str) -> u32 {
    saturated(memchr::memchr_iter(b'\n', text.as_bytes()).count())
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
