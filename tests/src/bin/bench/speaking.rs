//! The agent whose output is measured: this program again, started as the shell agent of a loop. It prints
//! this many lines at twelve times the pace, then waits at gates (files in its folder), and finally prints at
//! the pace of a very talkative run.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The first argument, which turns the program into the agent.
pub(crate) const SPEAK: &str = "--speak";

/// Lines a second of a very talkative run.
pub(crate) const PACE: u64 = 5_000;

/// Lines of the first task.
pub(crate) const FEW: u64 = 2_000;

/// One special line in this many.
pub(crate) const RARELY: u64 = 400_000;

/// The word of that line.
pub(crate) const RARE: &str = "needle in the haystack";

/// Does the action named in the environment; `lines` are those of the second task.
pub(crate) fn speak(lines: u64) {
    let named = |name| std::env::var(name).unwrap_or_default();
    let task = named("LOOPDECK_TASK_ID");
    match (named("LOOPDECK_ACTION").as_str(), task.as_str()) {
        ("init", _) => {
            let task =
                |n| format!(r#"{{"id":"task-00{n}","description":"Part {n}","priority":{n},"files":[]}}"#);
            println!("```json\n{{\"tasks\":[{},{}],\"needs\":null}}\n```", task(1), task(2));
            return;
        }
        (_, "task-001") => say(0, FEW),
        _ => {
            say(0, lines / 10);
            wait_for("go-on");
            say(lines / 10, lines);
            wait_for("go-live");
            live(lines);
        }
    }
    println!(
        "```json\n{{\"task_id\":\"{task}\",\"status\":\"completed\",\"summary\":\"Done\",\"files_changed\":[],\"needs\":null}}\n```"
    );
}

/// Lines of an hour in five minutes. A run may be faster than its reader, but then lines are dropped from its
/// bounded log, and there would be nothing to count.
fn say(from: u64, to: u64) {
    at_pace(from, to, 12 * PACE, || false);
}

fn live(from: u64) {
    at_pace(from, u64::MAX, PACE, || Path::new("go-end").exists());
}

/// A few lines every five milliseconds, like programs that flush often.
fn at_pace(from: u64, to: u64, pace: u64, ended: impl Fn() -> bool) {
    let mut out = BufWriter::new(io::stdout().lock());
    let begin = Instant::now();
    let mut number = from;
    while number < to && !ended() {
        let due = from + u64::try_from(begin.elapsed().as_micros()).unwrap_or(0) * pace / 1_000_000;
        while number < due.min(to) {
            line(&mut out, number);
            number += 1;
        }
        if out.flush().is_err() {
            return; // nobody reads it
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A line as servers and test runners write them, some with colours.
fn line(out: &mut impl io::Write, number: u64) {
    let worker = number % 7;
    let took = number * 7_919 % 997;
    let _ = match number {
        n if n % RARELY == RARELY / 2 => writeln!(out, "{n:>9} {RARE}"),
        n if n % 20 == 7 => writeln!(
            out,
            "{n:>9} \u{1b}[32mPASS\u{1b}[0m src/worker-{worker}.test.ts \u{1b}[2m({took} ms)\u{1b}[0m"
        ),
        n => writeln!(
            out,
            "{n:>9} [worker-{worker}] GET /api/items/{} 200 in {took} ms, cache hit",
            n % 10_007
        ),
    };
}

fn wait_for(gate: &str) {
    while !Path::new(gate).exists() {
        thread::sleep(Duration::from_millis(20));
    }
}
