//! `jest --json`, and `vitest --reporter=json`, which writes the same with fewer fields.

use super::MAX_ROWS;
use super::coverage::Coverage;
use super::json::{count, items, members, small};
use super::tally::{Found, Row, Status};
use super::text::{duration, first_line};
use super::unread::unread_json;
use loopdeck_text::json_span::scan::{Reader, Scan};
use loopdeck_text::json_span::tree::Node;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One file of tests; its name may come after its tests.
#[derive(Default)]
struct JestSuite {
    name: String,
    status: String,
    message: String,
    end: Option<f64>,
    tests: Vec<Test>,
    failed: bool,
    too_many: bool,
}

struct Test {
    path: String,
    title: String,
    status: Status,
    ms: Option<f64>,
    trace: String,
}

/// Reads the report at a place of `text`, including any coverage in it.
pub(super) fn read(text: &str, at: usize) -> (Found, Coverage) {
    let (mut found, mut coverage) = (Found::default(), Coverage::default());
    let (mut start, mut end) = (None, None::<f64>);
    let mut files: Vec<(String, Range<usize>)> = Vec::new();
    let mut reader = Reader::at(text, at);
    let read = members(&mut reader, |value, key| {
        match key {
            "testResults" => {
                return items(value, |item| {
                    let suite = suite(item)?;
                    end = end.into_iter().chain(suite.end).reduce(f64::max);
                    let first = found.rows.len();
                    take_suite(&mut found, &suite);
                    files.push((suite.name, first..found.rows.len()));
                    Ok(())
                });
            }
            "coverageMap" => return super::coverage::istanbul_final(value, &mut coverage),
            "startTime" => start = small(value)?.number(),
            "numPassedTests" => found.totals.add(Status::Passed, count(&small(value)?)),
            "numFailedTests" => found.totals.add(Status::Failed, count(&small(value)?)),
            "numPendingTests" | "numTodoTests" => {
                found.totals.add(Status::Skipped, count(&small(value)?));
            }
            _ => return value.skip().map(drop),
        }
        Ok(())
    });
    found.damaged(read.err().map(|error| unread_json(text, &error)).as_ref());
    two_of_a_name(&mut found, &files);
    found.lasted(start.zip(end).and_then(|(start, end)| duration(end - start)));
    (found, coverage)
}

fn suite(reader: &mut Reader<'_>) -> Scan<JestSuite> {
    let mut suite = JestSuite::default();
    members(reader, |value, key| {
        match key {
            "assertionResults" => return items(value, |item| small(item).map(|node| suite.add(&node))),
            "name" => suite.name = owned(&small(value)?),
            "status" => suite.status = owned(&small(value)?),
            "message" => suite.message = owned(&small(value)?),
            "endTime" => suite.end = small(value)?.number(),
            _ => return value.skip().map(drop),
        }
        Ok(())
    })?;
    Ok(suite)
}

fn owned(node: &Node<'_>) -> String {
    node.text().unwrap_or_default().to_owned()
}

impl JestSuite {
    fn add(&mut self, node: &Node<'_>) {
        let status = match node.get("status").text().unwrap_or_default() {
            "passed" => Status::Passed,
            "failed" => Status::Failed,
            _ => Status::Skipped,
        };
        self.failed |= status == Status::Failed;
        if self.tests.len() >= MAX_ROWS {
            self.too_many = true;
            return;
        }
        let path: Vec<&str> = node.get("ancestorTitles").items().iter().filter_map(Node::text).collect();
        let said: Vec<&str> = node.get("failureMessages").items().iter().filter_map(Node::text).collect();
        self.tests.push(Test {
            path: path.join(" › "),
            title: node.get("title").text().or(node.get("fullName").text()).unwrap_or_default().to_owned(),
            status,
            ms: node.get("duration").number(),
            trace: super::text::head(&said.join("\n"), 64 * 1024).to_owned(),
        });
    }
}

fn take_suite(found: &mut Found, suite: &JestSuite) {
    found.truncated |= suite.too_many;
    let file = base(&suite.name);
    for test in &suite.tests {
        let path = [file, test.path.as_str()].into_iter().filter(|part| !part.is_empty());
        let path = path.collect::<Vec<_>>().join(" › ");
        let message = before_stack(&test.trace);
        found.push(&Row {
            ms: test.ms,
            message,
            trace: &test.trace,
            ..Row::new(&path, &test.title, test.status)
        });
    }
    if suite.status == "failed" && !suite.failed {
        // It could not be loaded, or something outside its tests failed.
        let plain = loopdeck_text::plain(&suite.message);
        let line = plain.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('●'));
        found.suite_failed(file, line.unwrap_or(first_line(&plain)), &plain);
    }
}

/// Files of the same name in two folders: the folders that tell them apart become a part of their names.
fn two_of_a_name(found: &mut Found, files: &[(String, Range<usize>)]) {
    let mut named: HashMap<&str, Vec<&(String, Range<usize>)>> = HashMap::new();
    for file in files {
        named.entry(base(&file.0)).or_default().push(file);
    }
    for (name, files) in named.into_iter().filter(|(name, files)| !name.is_empty() && files.len() > 1) {
        let paths: Vec<Vec<&str>> = files.iter().map(|(path, _)| path.split(['/', '\\']).collect()).collect();
        let longest = paths.iter().map(Vec::len).max().unwrap_or_default();
        // The shortest end of the paths in which no two are the same.
        let tell_apart = |parts: &usize| {
            let ends = paths.iter().map(|path| &path[path.len().saturating_sub(*parts)..]);
            ends.collect::<HashSet<_>>().len() == paths.len()
        };
        let Some(parts) = (2..=longest).find(tell_apart) else { continue };
        for ((_, rows), path) in files.iter().zip(&paths) {
            let long = path[path.len().saturating_sub(parts)..].join("/");
            for row in &mut found.rows[rows.clone()] {
                if let Some(rest) = row.suite.strip_prefix(name) {
                    row.suite = super::text::head(&format!("{long}{rest}"), 1000).to_owned();
                } else if row.suite.is_empty() && row.name == name {
                    row.name = super::text::head(&long, 1000).to_owned();
                }
            }
        }
    }
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The message of an error without its stack.
fn before_stack(trace: &str) -> &str {
    let text = trace.split("\n    at ").next().unwrap_or_default().trim();
    text.strip_prefix("Error: ").unwrap_or(text)
}
