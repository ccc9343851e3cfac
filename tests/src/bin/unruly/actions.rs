//! Each word is an action.
#![allow(
    clippy::disallowed_methods,
    reason = "it starts processes that are hard to end; that is what it is for"
)]
#![allow(clippy::zombie_processes, reason = "it waits for nobody")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a program for tests stops loudly")]

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Those that the arguments name.
pub(crate) fn take_all() {
    let mut args = std::env::args().skip(1);
    let mark = args.next().unwrap();
    let words: Vec<String> = args.collect();
    let mut rest = words.as_slice();
    while let [word, more @ ..] = rest {
        rest = act(&mark, word, more);
    }
}

/// Carries out `word`; returns the words after it and its arguments.
fn act<'a>(mark: &str, word: &str, rest: &'a [String]) -> &'a [String] {
    match word {
        "own-session" => drop(rustix::process::setsid().unwrap()),
        "ignore-term" => drop(caught(signal_hook::consts::SIGTERM)),
        "clear-env" => {
            panic!("{}", me(mark, rest).env_clear().exec());
        }
        "spawn" => {
            let end = end_of(rest);
            me(mark, &rest[1..end]).spawn().unwrap();
            return &rest[end + 1..];
        }
        "say" => say(&rest[0]),
        "complain" => eprintln!("{}", rest[0]),
        "spam" => spam(number(&rest[0]), number(&rest[1])),
        "repeat-stdin" => drop(io::copy(&mut io::stdin(), &mut io::stdout()).unwrap()),
        "repeat-a-byte" => {
            let mut byte = [0];
            io::stdin().read_exact(&mut byte).unwrap();
            say(&String::from_utf8_lossy(&byte));
        }
        "breed" => breed(mark),
        "fork-on-term" => fork_on_term(mark),
        "interrupted" => {
            let flag = caught(signal_hook::consts::SIGINT);
            say("ready");
            wait_for(&flag);
            say("interrupted");
        }
        "environment" => std::env::vars().for_each(|(name, value)| say(&format!("{name}={value}"))),
        "folder" => say(&std::env::current_dir().unwrap().display().to_string()),
        "exit" => exit(rest[0].parse().unwrap()),
        "abort" => std::process::abort(),
        "forever" => loop {
            thread::park();
        },
        other => panic!("{other} is nothing that can be done"),
    }
    let taken = match word {
        "say" | "complain" => 1,
        "spam" => 2,
        _ => 0,
    };
    &rest[taken..]
}

fn me(mark: &str, words: &[String]) -> Command {
    let mut command = Command::new(std::env::args().next().unwrap()); // not from /proc, which a test removes
    command.arg(mark).args(words);
    command
}

/// The closing bracket of the one that opens `words`.
fn end_of(words: &[String]) -> usize {
    let mut depth = 0;
    for (place, word) in words.iter().enumerate() {
        match word.as_str() {
            "[" => depth += 1,
            "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place;
        }
    }
    panic!("a bracket stays open")
}

fn caught(signal: i32) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal, Arc::clone(&flag)).unwrap();
    flag
}

fn wait_for(flag: &AtomicBool) {
    while !flag.swap(false, Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(2));
    }
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
}

fn number(text: &str) -> usize {
    text.parse().unwrap()
}

/// This many bytes in lines of this length.
fn spam(bytes: usize, line: usize) {
    let mut text = vec![b'x'; line];
    text[line - 1] = b'\n';
    let mut out = io::stdout().lock();
    for _ in 0..bytes / line {
        out.write_all(&text).unwrap();
    }
}

fn hardened(mark: &str) -> Command {
    me(mark, &["own-session", "ignore-term", "forever"].map(str::to_owned))
}

/// A new process in its own session every few milliseconds, whatever it is told.
fn breed(mark: &str) {
    caught(signal_hook::consts::SIGTERM);
    for n in 0.. {
        hardened(mark).spawn().unwrap();
        if n == 3 {
            say("ready");
        }
        thread::sleep(Duration::from_millis(if n < 200 { 15 } else { 1_000 })); // a failed test stays bounded
    }
}

/// Starts three more processes on SIGTERM.
fn fork_on_term(mark: &str) {
    let asked = caught(signal_hook::consts::SIGTERM);
    say("ready");
    loop {
        wait_for(&asked);
        for _ in 0..3 {
            hardened(mark).spawn().unwrap();
        }
    }
}
