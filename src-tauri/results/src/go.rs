//! `go test -json`: its events, and what they have in common with its text.

use super::json::small;
use super::tally::{Found, Row, Status};
use super::text::{first_line, lines, seconds};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Bytes kept of the output of one test or package.
pub(super) const PRINTED: usize = 32 * 1024;
/// Tests and packages whose output is kept while they run.
pub(super) const OPEN: usize = 50_000;

/// A running package.
#[derive(Default)]
struct Package {
    failed: u64,
    ended: bool,
    /// Tests that began and did not end, and whether they were waiting for others.
    running: BTreeMap<String, bool>,
}

#[derive(Default)]
struct Go {
    found: Found,
    packages: HashMap<String, Package>,
    /// Output by package and test; a package's own output is under an empty test.
    printed: HashMap<(String, String), String>,
    /// What builds printed, by import path: `shop/money`, `shop/cart [shop/cart.test]`.
    builds: HashMap<String, String>,
    /// Builds that failed.
    broken: Vec<String>,
    /// Builds that a failed package named.
    told: HashSet<String>,
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
    for path in std::mem::take(&mut go.broken) {
        // No package was said to need it.
        if go.told.is_empty() && go.found.counts().failed == 0 {
            let (message, trace) = message_and_text(go.builds.get(&path).map_or("", String::as_str));
            go.found.suite_failed(&path, &message, &trace);
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
        let Some(package) = package else { return self.build(action, node) };
        let test = node.get("Test").text().unwrap_or_default();
        let status = match action {
            "pass" | "bench" => Status::Passed,
            "fail" => Status::Failed,
            "skip" => Status::Skipped,
            "output" | "build-output" => {
                return self.print(package, test, node.get("Output").text().unwrap_or_default());
            }
            _ => {
                if let Some(package) = self.open(package)
                    && !test.is_empty()
                    && package.running.len() < OPEN
                {
                    package.running.insert(test.to_owned(), action == "pause");
                }
                return;
            }
        };
        let ms = node.get("Elapsed").number().map(|seconds| seconds * 1000.0);
        if test.is_empty() {
            self.package(package, status, ms, node.get("FailedBuild").text());
        } else {
            let printed = self.printed.remove(&(package.to_owned(), test.to_owned())).unwrap_or_default();
            self.test((package, test), status, ms, &printed);
        }
    }

    /// An event of a build, which names an import path.
    fn build(&mut self, action: &str, node: &Node<'_>) {
        let Some(path) = node.get("ImportPath").text() else { return };
        if action == "build-fail" && self.broken.len() < OPEN {
            self.broken.push(path.to_owned());
        }
        let output = node.get("Output").text().unwrap_or_default();
        if self.builds.len() < OPEN || self.builds.contains_key(path) {
            let printed = self.builds.entry(path.to_owned()).or_default();
            if printed.len() < PRINTED {
                printed.push_str(output);
            }
        }
    }

    fn open(&mut self, package: &str) -> Option<&mut Package> {
        let has_room = self.packages.len() < OPEN || self.packages.contains_key(package);
        has_room.then(|| self.packages.entry(package.to_owned()).or_default())
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
        if let Some(package) = self.open(package) {
            package.failed += u64::from(status == Status::Failed);
            package.running.remove(test);
        }
        let (message, trace) = message_and_text(printed);
        self.found.push(&Row { ms, message: &message, trace: &trace, ..Row::new(package, test, status) });
    }

    fn package(&mut self, name: &str, status: Status, ms: Option<f64>, failed_build: Option<&str>) {
        let mut package = self.packages.remove(name).unwrap_or_default();
        let own = self.printed.remove(&(name.to_owned(), String::new())).unwrap_or_default();
        let open: Vec<(String, bool)> = std::mem::take(&mut package.running).into_iter().collect();
        let printed: Vec<String> = open
            .iter()
            .map(|(test, _)| self.printed.remove(&(name.to_owned(), test.clone())).unwrap_or_default())
            .collect();
        if status == Status::Failed {
            package.failed += self.unfinished(name, &own, &open, &printed);
        }
        if status == Status::Failed && package.failed == 0 {
            // The build of the package itself is named without `FailedBuild` by older versions of Go.
            let own_build = || {
                let is_own = |path: &&String| path.split(' ').next() == Some(name);
                self.broken.iter().chain(self.builds.keys()).find(is_own).cloned()
            };
            let build = failed_build.map(str::to_owned).or_else(own_build);
            let said = build.as_ref().and_then(|path| self.builds.get(path));
            let (message, trace) = message_and_text(said.unwrap_or(&own));
            let message = if message.is_empty() { first_line(&own) } else { &message };
            self.found.suite_failed(name, message, &trace);
            self.told.extend(build);
        }
        self.packages.insert(name.to_owned(), Package { ended: true, ..package });
        self.found.lasted(ms);
    }

    /// Tests that a failed package leaves without an end: the run timed out, or its program died. Those of them
    /// that ran failed; the count of these.
    fn unfinished(&mut self, package: &str, own: &str, open: &[(String, bool)], printed: &[String]) -> u64 {
        let all = || printed.iter().map(String::as_str).chain([own]);
        let fatal = all().find_map(|text| text.lines().find(|line| is_fatal(line))).unwrap_or_default();
        let listed: HashSet<&str> = all().flat_map(running_tests).collect();
        let mut failed = 0;
        for ((test, waits), text) in open.iter().zip(printed) {
            // Go lists the innermost tests that ran.
            let is_above =
                |other: &&str| other.strip_prefix(test.as_str()).is_some_and(|rest| rest.starts_with('/'));
            let ran = if listed.is_empty() {
                !waits
            } else {
                listed.contains(test.as_str()) || listed.iter().any(is_above)
            };
            let (said, trace) = message_and_text(text);
            let message = [fatal, said.as_str(), first_line(own)].into_iter().find(|text| !text.is_empty());
            let status = if ran { Status::Failed } else { Status::Skipped };
            failed += u64::from(ran);
            self.found.push(&Row {
                message: message.unwrap_or_default(),
                trace: &trace,
                ..Row::new(package, test, status)
            });
        }
        failed
    }
}

/// The line by which Go ends a test program.
pub(super) fn is_fatal(line: &str) -> bool {
    ["panic: ", "fatal error: ", "SIGQUIT: ", "signal: "].iter().any(|start| line.starts_with(start))
}

/// The tests that Go lists below `running tests:` when a run timed out.
pub(super) fn running_tests(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.lines().skip_while(|line| line.trim() != "running tests:").skip(1);
    rest.map_while(|line| {
        let (name, time) = line.trim().rsplit_once(" (")?;
        time.ends_with(')').then_some(name)
    })
}

/// Message and text of a failure, extracted from the whole output.
pub(super) fn message_and_text(printed: &str) -> (String, String) {
    let noise = |line: &&str| {
        let line = line.trim_start();
        !["=== ", "--- ", "FAIL\t", "FAIL", "exit status "].iter().any(|start| line.starts_with(start))
    };
    let kept: Vec<&str> = printed.lines().filter(noise).collect();
    let speaks = |line: &&&str| !line.trim().is_empty() && !line.starts_with('#');
    let fatal = kept.iter().find(|line| is_fatal(line));
    let message = fatal.or(kept.iter().find(speaks)).map_or("", |line| line.trim());
    (message.to_owned(), kept.join("\n"))
}

/// `--- FAIL: TestCart/sum (0.00s)`
pub(super) fn end_of_test(line: &str) -> Option<(&str, Status, Option<f64>)> {
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
