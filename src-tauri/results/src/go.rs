//! `go test`: the events of `-json`, and the text, which names every test with `-v`.

use super::json::small;
use super::tally::{Found, Row, Status};
use super::text::{lines, seconds};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use std::collections::HashMap;

/// Bytes kept of the output of one test or package.
const PRINTED: usize = 32 * 1024;
/// Tests and packages whose output is kept while they run.
const OPEN: usize = 50_000;

/// A running package.
#[derive(Default)]
struct Package {
    tests: u64,
    failed: u64,
    ended: bool,
}

#[derive(Default)]
struct Go {
    found: Found,
    packages: HashMap<String, Package>,
    /// Output by package and test; a package's own output is under an empty test.
    printed: HashMap<(String, String), String>,
}

/// Reads the events of `-json`. Skips other lines, such as build output.
pub(super) fn read_json(output: &[u8]) -> Found {
    let mut go = Go::default();
    for line in lines(output) {
        let line = line.trim();
        if line.starts_with('{')
            && let Ok(node) = small(&mut Reader::at(line, 0))
        {
            go.event(&node);
        }
    }
    go.found.truncated = go.packages.is_empty() || go.packages.values().any(|package| !package.ended);
    go.found
}

/// Whether a line is an event of `go test -json`.
pub(super) fn is_event(line: &str) -> bool {
    let node = if line.starts_with('{') { small(&mut Reader::at(line, 0)).ok() } else { None };
    node.is_some_and(|node| {
        let place = node.get("Package").text().or(node.get("ImportPath").text());
        node.get("Action").text().is_some() && place.is_some()
    })
}

impl Go {
    fn event(&mut self, node: &Node<'_>) {
        let (Some(action), package) = (node.get("Action").text(), node.get("Package").text()) else { return };
        let Some(package) = package else {
            // The package in build output: `shop [shop.test]`.
            let path = node.get("ImportPath").text().unwrap_or_default();
            let package = path.split(' ').next().unwrap_or_default();
            return self.print(package, "", node.get("Output").text().unwrap_or_default());
        };
        let test = node.get("Test").text().unwrap_or_default();
        let status = match action {
            "pass" | "bench" => Status::Passed,
            "fail" => Status::Failed,
            "skip" => Status::Skipped,
            "output" | "build-output" => {
                return self.print(package, test, node.get("Output").text().unwrap_or_default());
            }
            _ => {
                if self.packages.len() < OPEN {
                    self.packages.entry(package.to_owned()).or_default();
                }
                return;
            }
        };
        let ms = node.get("Elapsed").number().map(|seconds| seconds * 1000.0);
        let printed = self.printed.remove(&(package.to_owned(), test.to_owned())).unwrap_or_default();
        if test.is_empty() {
            self.package(package, status, ms, &printed);
        } else {
            self.test((package, test), status, ms, &printed);
        }
    }

    fn print(&mut self, package: &str, test: &str, output: &str) {
        let key = (package.to_owned(), test.to_owned());
        if self.printed.len() >= OPEN && !self.printed.contains_key(&key) {
            return;
        }
        let printed = self.printed.entry(key).or_default();
        if printed.len() < PRINTED {
            printed.push_str(output);
        }
    }

    fn test(&mut self, (package, test): (&str, &str), status: Status, ms: Option<f64>, printed: &str) {
        if self.packages.len() < OPEN || self.packages.contains_key(package) {
            let package = self.packages.entry(package.to_owned()).or_default();
            package.tests += 1;
            package.failed += u64::from(status == Status::Failed);
        }
        let (message, trace) = message_and_text(printed);
        self.found.push(&Row { ms, message: &message, trace: &trace, ..Row::new(package, test, status) });
    }

    fn package(&mut self, name: &str, status: Status, ms: Option<f64>, printed: &str) {
        let package = self.packages.remove(name).unwrap_or_default();
        if status == Status::Failed && package.failed == 0 {
            let (message, trace) = message_and_text(printed);
            self.found.suite_failed(name, &message, &trace);
        }
        self.packages.insert(name.to_owned(), Package { ended: true, ..package });
        self.found.lasted(ms);
    }
}

/// Message and text of a failure, extracted from the whole output.
fn message_and_text(printed: &str) -> (String, String) {
    let noise = |line: &&str| {
        let line = line.trim_start();
        !["=== ", "--- ", "FAIL\t", "FAIL", "exit status "].iter().any(|start| line.starts_with(start))
    };
    let kept: Vec<&str> = printed.lines().filter(noise).collect();
    let speaks = |line: &&&str| !line.trim().is_empty() && !line.starts_with('#');
    let message = kept.iter().find(speaks).map_or("", |line| line.trim());
    (message.to_owned(), kept.join("\n"))
}

/// `--- FAIL: TestCart/sum (0.00s)`
fn end_of_test(line: &str) -> Option<(&str, Status, Option<f64>)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let (name, time) = rest.rsplit_once(" (")?;
    let status = match word {
        "PASS" | "BENCH" => Status::Passed,
        "FAIL" => Status::Failed,
        "SKIP" => Status::Skipped,
        _ => return None,
    };
    Some((name, status, seconds(time.trim_end_matches(')').trim_end_matches('s'))))
}

/// `ok  ⇥shop⇥0.003s`, `FAIL⇥shop [build failed]`, `?   ⇥shop⇥[no test files]`, with tabs for the arrows.
pub(super) fn end_of_package(line: &str) -> Option<(&str, Status, Option<f64>)> {
    let (word, rest) = line.split_once('\t')?;
    let (name, rest) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
    let status = match word.trim_end() {
        "ok" if rest.contains("[no tests to run]") => Status::Skipped,
        "ok" => Status::Passed,
        "FAIL" => Status::Failed,
        "?" if rest.contains("[no test files]") => Status::Skipped,
        _ => return None,
    };
    let sound = !name.is_empty() && !name.contains(char::is_whitespace);
    sound.then(|| (name, status, seconds(rest.split('\t').next().unwrap_or_default().trim_end_matches('s'))))
}

/// The text, line by line.
#[derive(Default)]
struct Text {
    found: Found,
    /// Rows of the current package start here.
    first: usize,
    failed: bool,
    /// The test that the next output belongs to.
    current: String,
    /// Output of tests that are running or have just ended.
    printed: HashMap<String, String>,
    /// Failures whose explanation may still come, by test.
    open: HashMap<String, usize>,
    ended: bool,
}

/// Reads the text. Without `-v`, passed tests have no names, so a package is one row.
pub(super) fn read_text(output: &[u8]) -> Found {
    let mut text = Text::default();
    for line in lines(output) {
        text.line(&line);
    }
    text.explain();
    text.found.truncated = !text.ended;
    text.found
}

impl Text {
    fn line(&mut self, line: &str) {
        if let Some((name, status, ms)) = end_of_test(line) {
            self.failed |= status == Status::Failed;
            let place = self.found.push(&Row { ms, ..Row::new("", name, status) });
            if let Some(place) = place.filter(|_| status == Status::Failed) {
                self.open.insert(name.to_owned(), place);
            } else {
                self.printed.remove(name);
            }
            // Without -v, its output comes after its end.
            name.clone_into(&mut self.current);
            self.ended = false;
        } else if let Some((name, status, ms)) = end_of_package(line) {
            self.package(name, status, ms, line);
        } else if let Some(rest) = line.strip_prefix("=== ") {
            let name = rest.split_once(' ').map_or("", |(_, name)| name.trim());
            name.clone_into(&mut self.current);
        } else {
            self.print(line);
        }
    }

    fn print(&mut self, line: &str) {
        if self.printed.len() >= OPEN && !self.printed.contains_key(&self.current) {
            return;
        }
        let printed = self.printed.entry(self.current.clone()).or_default();
        if printed.len() < PRINTED {
            printed.push_str(line);
            printed.push('\n');
        }
    }

    fn package(&mut self, name: &str, status: Status, ms: Option<f64>, line: &str) {
        self.explain();
        for row in self.found.rows.iter_mut().skip(self.first) {
            name.clone_into(&mut row.suite);
        }
        match status {
            Status::Failed if !self.failed => self.found.suite_failed(name, line.trim(), ""),
            Status::Passed if self.found.rows.len() == self.first => {
                self.found.push(&Row { ms, ..Row::new("", name, status) });
            }
            _ => {}
        }
        self.found.lasted(ms);
        (self.first, self.failed, self.ended) = (self.found.rows.len(), false, true);
    }

    fn explain(&mut self) {
        for (name, place) in self.open.drain() {
            let (message, trace) = message_and_text(self.printed.get(&name).map_or("", String::as_str));
            self.found.explain(place, &message, &trace);
        }
        self.printed.clear();
        self.current.clear();
    }
}
