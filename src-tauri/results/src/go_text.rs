//! The text of `go test`, which names every test with `-v`.

use super::go::{OPEN, PRINTED, end_of_package, end_of_test, is_fatal, message_and_text, running_tests};
use super::tally::{Found, Row, Status};
use super::text::lines;
use std::collections::HashMap;

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
    /// What builds printed, by package.
    builds: HashMap<String, String>,
}

/// Reads the text; `beside` is the other stream, where builds print. Without `-v`, passed tests have no names, so a
/// package is one row.
pub(super) fn read(output: &[u8], beside: &[u8]) -> Found {
    let mut text =
        Text { builds: builds(beside).into_iter().chain(builds(output)).collect(), ..Text::default() };
    for line in lines(output) {
        text.line(&line);
    }
    text.explain();
    text.found.truncated = !text.ended;
    text.found
}

/// What builds printed, by package: `# shop/cart [shop/cart.test]`, then the lines of the compiler.
fn builds(output: &[u8]) -> HashMap<String, String> {
    let mut all: HashMap<String, String> = HashMap::new();
    let mut current = String::new();
    for line in lines(output) {
        if let Some(rest) = line.strip_prefix("# ") {
            rest.split(' ').next().unwrap_or_default().clone_into(&mut current);
        } else if end_of_package(&line).is_some() || line.starts_with("--- ") || line.starts_with("=== ") {
            current.clear();
        } else if !current.is_empty() && (all.len() < OPEN || all.contains_key(&current)) {
            let text = all.entry(current.clone()).or_default();
            if text.len() < PRINTED {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    all
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
        if status == Status::Failed {
            self.died();
        }
        let fatal = self.printed.values().find(|text| text.lines().any(is_fatal)).cloned();
        let own = fatal.or(self.printed.remove("")).unwrap_or_default();
        self.explain();
        for row in self.found.rows.iter_mut().skip(self.first) {
            name.clone_into(&mut row.suite);
        }
        match status {
            Status::Failed if !self.failed => {
                let (message, trace) = message_and_text(self.built(name, line).unwrap_or(&own));
                let message = if message.is_empty() { line.trim() } else { &message };
                self.found.suite_failed(name, message, &trace);
            }
            Status::Passed if self.found.rows.len() == self.first => {
                self.found.push(&Row { ms, ..Row::new("", name, status) });
            }
            _ => {}
        }
        self.found.lasted(ms);
        (self.first, self.failed, self.ended) = (self.found.rows.len(), false, true);
    }

    /// What the build of a package printed, or that of one it needs.
    fn built(&self, name: &str, line: &str) -> Option<&str> {
        if !line.contains("[build failed]") && !line.contains("[setup failed]") {
            return None;
        }
        let any = || self.builds.values().find(|text| !text.trim().is_empty());
        self.builds.get(name).filter(|text| !text.trim().is_empty()).or_else(any).map(String::as_str)
    }

    /// The program died: the tests that ran then failed.
    fn died(&mut self) {
        let Some(said) = self.printed.values().find(|text| text.lines().any(is_fatal)).cloned() else {
            return;
        };
        let (message, trace) = message_and_text(&said);
        for test in running_tests(&said) {
            let known = self.found.rows[self.first..].iter().any(|row| row.name == test);
            if !known {
                self.failed = true;
                self.found.push(&Row {
                    message: &message,
                    trace: &trace,
                    ..Row::new("", test, Status::Failed)
                });
            }
        }
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
