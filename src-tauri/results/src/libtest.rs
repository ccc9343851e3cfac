//! The text of `cargo test`: several test programs and documentation tests one after the other.

use super::MAX_ROWS;
use super::tally::{Counts, Found, Row, Status};
use super::text::{first_line, lines, number, seconds};
use std::collections::{HashMap, VecDeque};

/// Bytes of what one failed test printed.
const DETAIL: usize = 64 * 1024;

/// A program that a signal ended.
struct Abort {
    /// The test that ended it, where its thread says so.
    test: Option<String>,
    /// What cargo says of it.
    said: String,
}

/// One test program.
#[derive(Default)]
struct Block {
    suite: String,
    /// How many tests it announced.
    expected: u64,
    named: Counts,
    /// Rows that failed, by name.
    failed: HashMap<String, usize>,
    /// `test name ... ` whose result is on a later line, because the test printed something; and the last it printed.
    pending: Option<(String, String)>,
    /// The part after `failures:` has begun.
    details: bool,
    /// What failed tests printed.
    printed: HashMap<String, String>,
    current: Option<String>,
    /// Names in the last list.
    listed: Vec<String>,
    listing: bool,
}

/// Reads the output; `beside` is the other stream, where cargo names the programs.
pub(super) fn read(output: &[u8], beside: &[u8]) -> Found {
    let mut found = Found::default();
    let mut aborts = aborts(beside, output);
    let mut names: VecDeque<String> = lines(beside).filter_map(|line| program(&line)).collect();
    let mut block: Option<Block> = None;
    for line in lines(output) {
        let closes = block.as_ref().is_none_or(|block| !block.details);
        if let Some(expected) = running(&line).filter(|_| closes) {
            close(&mut found, block.take(), None, &mut aborts);
            block =
                Some(Block { suite: names.pop_front().unwrap_or_default(), expected, ..Block::default() });
        } else if let Some(name) = program(&line).filter(|_| closes) {
            names.push_back(name);
        } else if let Some(open) = &mut block {
            match result(&line).filter(|(counts, _)| counts.total() == open.expected) {
                Some(end) => close(&mut found, block.take(), Some(end), &mut aborts),
                None => open.line(&line, &mut found),
            }
        }
    }
    close(&mut found, block, None, &mut aborts);
    found
}

/// What cargo says of programs that a signal ended, in order.
fn aborts(beside: &[u8], output: &[u8]) -> VecDeque<Abort> {
    let (mut all, mut test) = (VecDeque::new(), None);
    for line in lines(beside).chain(lines(output)) {
        let line = line.trim();
        let ended = ["process didn't exit successfully: ", "process did not exit successfully: "];
        if line.ends_with(" has overflowed its stack") {
            let name = line.strip_prefix("thread '").and_then(|rest| rest.split_once('\''));
            test = name
                .map(|(name, _)| name.to_owned())
                .filter(|name| !matches!(name.as_str(), "main" | "<unknown>"));
        } else if ended.iter().any(|start| line.starts_with(start)) && line.contains("(signal: ") {
            // A program that ends with a code of its own wrote its results.
            let overflow = if test.is_some() { "stack overflow\n" } else { "" };
            all.push_back(Abort { test: test.take(), said: format!("{overflow}{line}") });
        }
    }
    all
}

/// `running 6 tests`
pub(super) fn running(line: &str) -> Option<u64> {
    let (count, rest) = number(line.strip_prefix("running ")?)?;
    matches!(rest, " test" | " tests").then_some(count)
}

/// The program that cargo announces.
fn program(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("Running ") {
        let (source, program) = rest.split_once(" (")?;
        let file = program.trim_end_matches(')').rsplit(['/', '\\']).next()?;
        let name = file.trim_end_matches(".exe").rsplit_once('-').map_or(file, |(name, _)| name);
        return Some(match source.strip_prefix("unittests ") {
            Some(source) => format!("{name} ({source})"),
            None => source.to_owned(),
        });
    }
    let name = line.strip_prefix("Doc-tests ")?;
    Some(format!("{} (doc)", name.trim()))
}

/// `test result: ok. 2 passed; 0 failed; …; finished in 0.07s`
fn result(line: &str) -> Option<(Counts, Option<f64>)> {
    let (_, rest) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let (mut counts, mut ms) = (Counts::default(), None);
    for part in rest.split("; ") {
        if let Some(time) = part.strip_prefix("finished in ") {
            ms = seconds(time.trim_end().trim_end_matches('s'));
            continue;
        }
        match number(part) {
            Some((count, " passed" | " measured")) => counts.add(Status::Passed, count),
            Some((count, " failed")) => counts.add(Status::Failed, count),
            Some((count, " ignored")) => counts.add(Status::Skipped, count),
            _ => {}
        }
    }
    Some((counts, ms))
}

/// `ok`, `FAILED`, `ignored, slow`, `ok <0.001s>`, `bench: 12 ns/iter (+/- 1)`
fn outcome(text: &str) -> Option<(Status, Option<f64>)> {
    let text = text.trim();
    let (word, time) = match text.split_once(" <") {
        Some((word, time)) => (word, seconds(time.trim_end_matches('>').trim_end_matches('s'))),
        None => (text, None),
    };
    let status = match word {
        "ok" => Status::Passed,
        "FAILED" => Status::Failed,
        "ignored" => Status::Skipped,
        _ if word.starts_with("ignored,") => Status::Skipped,
        _ if word.starts_with("FAILED (") => Status::Failed,
        _ if word.starts_with("bench:") => Status::Passed,
        _ => return None,
    };
    Some((status, time))
}

/// The name as written in the list of failures.
fn name(text: &str) -> &str {
    let suffixes = [" - should panic", " - compile fail", " - compile"];
    suffixes.iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or(text)
}

impl Block {
    fn line(&mut self, line: &str, found: &mut Found) {
        if line == "failures:" {
            (self.listing, self.details, self.current) = (self.details, true, None);
            self.listed.clear();
        } else if self.listing && line.starts_with("    ") {
            if self.listed.len() < MAX_ROWS {
                self.listed.push(line.trim().to_owned());
            }
        } else if self.details {
            self.detail(line);
        } else {
            self.row(line, found);
        }
    }

    fn detail(&mut self, line: &str) {
        let header = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----"));
        if let Some(header) = header.filter(|_| self.printed.len() < MAX_ROWS) {
            let name = header.strip_suffix(" stdout").or(header.strip_suffix(" stderr")).unwrap_or(header);
            self.current = Some(name.to_owned());
            self.printed.entry(name.to_owned()).or_default();
        } else if let Some(printed) = self.current.as_ref().and_then(|name| self.printed.get_mut(name))
            && printed.len() < DETAIL
        {
            printed.push_str(line);
            printed.push('\n');
        }
    }

    fn row(&mut self, line: &str, found: &mut Found) {
        if let Some((test, rest)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            self.settle(found);
            match outcome(rest) {
                Some((status, ms)) => self.push(found, name(test), status, ms),
                None => self.pending = Some((name(test).to_owned(), rest.trim_end().to_owned())),
            }
        } else if let Some(failed) = line.strip_suffix(" --- FAILED") {
            // With `-q` only failures have names.
            self.push(found, name(failed), Status::Failed, None);
        } else if let Some((status, ms)) = self.pending.is_some().then(|| outcome(line)).flatten() {
            let (name, _) = self.pending.take().unwrap_or_default();
            self.push(found, &name, status, ms);
        } else if let Some((_, printed)) = &mut self.pending
            && !line.trim().is_empty()
        {
            super::text::head(line.trim_end(), DETAIL).clone_into(printed);
        }
    }

    /// The result of a test that printed something without a line end stands behind what it printed.
    fn settle(&mut self, found: &mut Found) {
        let Some((name, printed)) = self.pending.take() else { return };
        let ends = [("FAILED", Status::Failed), ("ok", Status::Passed), ("ignored", Status::Skipped)];
        match ends.iter().find(|(word, _)| printed.ends_with(word)) {
            Some((_, status)) => self.push(found, &name, *status, None),
            None => self.pending = Some((name, printed)),
        }
    }

    fn push(&mut self, found: &mut Found, name: &str, status: Status, ms: Option<f64>) {
        self.named.add(status, 1);
        let place = found.push(&Row { ms, ..Row::new(&self.suite, name, status) });
        if let Some(place) = place.filter(|_| status == Status::Failed) {
            self.failed.insert(name.to_owned(), place);
        }
    }
}

fn close(
    found: &mut Found,
    block: Option<Block>,
    end: Option<(Counts, Option<f64>)>,
    aborts: &mut VecDeque<Abort>,
) {
    let Some(mut block) = block else { return };
    block.settle(found);
    if block.failed.is_empty() {
        for name in std::mem::take(&mut block.listed) {
            block.push(found, &name, Status::Failed, None);
        }
    }
    for (name, place) in &block.failed {
        let trace = block.printed.get(name).map_or("", String::as_str);
        found.explain(*place, &panic_message(trace), trace);
    }
    // No result line: the program crashed, or is still running.
    let Some((counts, ms)) = end else {
        found.truncated = true;
        if let Some(abort) = aborts.pop_front() {
            block.named.add(Status::Failed, 1);
            match abort.test.or(block.pending.take().map(|(name, _)| name)) {
                Some(name) => {
                    let row = Row::new(&block.suite, &name, Status::Failed);
                    found.push(&Row { message: &abort.said, ..row });
                }
                // Its tests ran in parallel, so it is not known which one it was.
                None => {
                    let program = if block.suite.is_empty() { program_of(&abort.said) } else { &block.suite };
                    found.suite_failed(program, &abort.said, "");
                }
            }
        }
        found.totals = sum(found.totals, block.named);
        return;
    };
    found.totals = sum(found.totals, counts);
    found.lasted(ms);
}

/// The program in `process didn't exit successfully: \`/w/deps/mail-1 --quiet\` (signal: 6, …)`.
fn program_of(abort: &str) -> &str {
    let path = abort.split_once(": ").map_or("", |(_, rest)| rest.trim_start_matches('`'));
    let path = path.split([' ', '`']).next().unwrap_or_default();
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

fn sum(mut all: Counts, more: Counts) -> Counts {
    all.add(Status::Passed, more.passed);
    all.add(Status::Failed, more.failed);
    all.add(Status::Skipped, more.skipped);
    all
}

/// The message of a panic, from everything that the test printed; the first line when there is none.
pub(super) fn panic_message(printed: &str) -> String {
    let mut rest = printed.lines().skip_while(|line| !is_panic(line));
    let Some(panic) = rest.next() else { return first_line(printed).to_owned() };
    // Before Rust 1.73: panicked at 'message', src/lib.rs:1:2
    if let Some((_, quoted)) = panic.split_once(" panicked at '") {
        return quoted.rsplit_once("', ").map_or(quoted, |(message, _)| message).to_owned();
    }
    let ends = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && line != "stack backtrace:" && !line.starts_with("note: ")
    };
    rest.take_while(ends).take(20).map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn is_panic(line: &str) -> bool {
    line.trim_start().starts_with("thread '") && line.contains(" panicked at ")
}
