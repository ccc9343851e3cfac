//! The file of pytest-json-report.

use super::json::{count, items, members, small};
use super::tally::{Found, Row, Status};
use super::unread::unread_json;
use loopdeck_text::json_span::scan::{Reader, Scan};
use loopdeck_text::json_span::tree::Node;

/// Suite and name of a node id; `::` between the brackets of a parameter belongs to the name.
pub(super) fn split_id(id: &str) -> (&str, &str) {
    let plain = id.find('[').unwrap_or(id.len());
    id[..plain].rfind("::").map_or(("", id), |at| (&id[..at], &id[at + 2..]))
}

/// Reads the report at a place of `text`.
pub(super) fn read(text: &str, at: usize) -> Found {
    let mut found = Found::default();
    let mut reader = Reader::at(text, at);
    let read = members(&mut reader, |value, key| member(&mut found, value, key));
    found.damaged(read.err().map(|error| unread_json(text, &error)).as_ref());
    found
}

fn member(found: &mut Found, value: &mut Reader<'_>, key: &str) -> Scan<()> {
    match key {
        "tests" => items(value, |item| small(item).map(|node| test(found, &node))),
        "collectors" => items(value, |item| small(item).map(|node| collector(found, &node))),
        "summary" => small(value).map(|node| summary(found, &node)),
        "duration" => small(value).map(|node| found.lasted(node.number().map(|seconds| seconds * 1000.0))),
        _ => value.skip().map(drop),
    }
}

fn test(found: &mut Found, node: &Node<'_>) {
    let Some(id) = node.get("nodeid").text() else { return };
    let stages = ["setup", "call", "teardown"].map(|stage| node.get(stage));
    let failed = stages.iter().find(|stage| stage.get("outcome").text() == Some("failed"));
    let status = match node.get("outcome").text().unwrap_or_default() {
        "passed" | "xpassed" => Status::Passed,
        "skipped" | "xfailed" => Status::Skipped,
        // Retried: the result of the last attempt counts.
        "rerun" if failed.is_none() && stages[1].get("outcome").text() == Some("passed") => Status::Passed,
        _ => Status::Failed,
    };
    let times = stages.iter().filter_map(|stage| stage.get("duration").number());
    let ms = times.reduce(|all, more| all + more).map(|seconds| seconds * 1000.0);
    let explanation =
        failed.map(|stage| (stage.get("crash").get("message").text(), stage.get("longrepr").text()));
    let (message, trace) = explanation.unwrap_or_default();
    let (suite, name) = split_id(id);
    found.push(&Row {
        ms,
        message: message.unwrap_or_default(),
        trace: trace.unwrap_or_default(),
        ..Row::new(suite, name, status)
    });
}

/// A file that could not be imported.
fn collector(found: &mut Found, node: &Node<'_>) {
    if node.get("outcome").text() == Some("failed") {
        let trace = node.get("longrepr").text().unwrap_or_default();
        let said = trace.lines().find_map(|line| line.strip_prefix("E ")).unwrap_or_default();
        let message = if said.is_empty() { super::text::first_line(trace) } else { said };
        found.suite_failed(node.get("nodeid").text().unwrap_or_default(), message, trace);
    }
}

fn summary(found: &mut Found, node: &Node<'_>) {
    for (key, status) in [
        ("passed", Status::Passed),
        ("xpassed", Status::Passed),
        ("failed", Status::Failed),
        ("error", Status::Failed),
        ("skipped", Status::Skipped),
        ("xfailed", Status::Skipped),
    ] {
        found.totals.add(status, count(node.get(key)));
    }
}
