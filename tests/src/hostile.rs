//! Foreign writers as separate processes: they hold stale copies and rewrite whole files, without any lock.
//!
//! Each writer owns one counter field. In a *storm* both write at the same time and overwrite each other. In
//! a *turn* only one writes, from what it just read, so a counter that went back was lost by Loopdeck and
//! nobody else.

use crate::random::Random;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Variables that turn the test program into a writer.
const FILE: &str = "LOOPDECK_TEST_WRITER_FILE";
const NUMBER: &str = "LOOPDECK_TEST_WRITER_NUMBER";
/// How long a reader waits for a file that another writer is in the middle of, and for our restored version.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the writers know about a format.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The two counters, by writer; `None` when the file is incomplete.
    pub counters: fn(&str) -> Option<[u64; 2]>,
    /// The text with one counter incremented and, if given, another status.
    pub rewrite: fn(&str, usize, u64, Option<&str>) -> String,
}

/// The test's handle of a writer process.
pub struct Writer {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Turns in which it briefly saw its own past.
    pub glimpses: u32,
}

impl Writer {
    /// Starts this test program again, as writer `number` (0 writes in place, 1 by rename); its test `name`
    /// must call [`serve_if_asked`].
    pub fn start(name: &str, file: &Path, number: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", name, "--nocapture"])
            .env(FILE, file)
            .env(NUMBER, number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let orders = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, orders, answers, glimpses: 0 }
    }

    /// Sends an order; the answer comes later.
    pub fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").expect("the writer lives");
    }

    /// Waits for the answer to the last order; returns the words after `answer`.
    ///
    /// # Panics
    /// When the writer's fields were lost.
    pub fn answer(&mut self) -> u64 {
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).expect("a pipe") > 0, "the writer died");
            // The test harness prints its own lines.
            let Some((_, answer)) = line.trim_end().split_once("answer ") else { continue };
            let Ok(number) = answer.trim_start_matches("glimpsed ").parse() else { panic!("{answer}") };
            self.glimpses += u32::from(answer.starts_with("glimpsed"));
            return number;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may already have ended
        let _ = self.child.wait();
    }
}

/// In a writer process: carries out orders until there are no more. Otherwise does nothing.
pub fn serve_if_asked(kind: Kind) {
    let Some(file) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let number: usize = std::env::var(NUMBER).ok().and_then(|number| number.parse().ok()).expect("a number");
    let mut served = Served { kind, file, number, count: 0, random: Random::from(number as u64 + 7) };
    for order in std::io::stdin().lines() {
        let order = order.expect("a pipe");
        let words: Vec<&str> = order.split(' ').collect();
        let answer = match words[..] {
            ["storm", milliseconds] => {
                served.storm(Duration::from_millis(milliseconds.parse().expect("a time")))
            }
            ["turn", first, second] => served.turn([first, second].map(number_of), None),
            ["end", first, second, status] => served.turn([first, second].map(number_of), Some(status)),
            _ => panic!("no such order: {order}"),
        };
        #[allow(clippy::print_stdout, reason = "the pipe to the test")]
        {
            println!("answer {answer}");
        }
    }
}

/// A count, or `-` for an unknown one.
fn number_of(word: &str) -> Option<u64> {
    word.parse().ok()
}

/// The state of a writer in its own process.
struct Served {
    kind: Kind,
    file: PathBuf,
    number: usize,
    count: u64,
    random: Random,
}

impl Served {
    /// Rewrites the file from ever older copies, for this time; returns the last count.
    fn storm(&mut self, time: Duration) -> String {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let copy = self.read();
            for _ in 0..=self.random.below(6) {
                self.think();
                self.write(&copy, None);
            }
        }
        self.count.to_string()
    }

    /// One write based on the current content, after checking that nothing of ours or the other's was lost.
    fn turn(&mut self, expected: [Option<u64>; 2], status: Option<&str>) -> String {
        let (mut copy, end, mut glimpsed) = (self.read(), Instant::now() + PATIENCE, false);
        loop {
            let found = (self.kind.counters)(&copy);
            if found.is_some_and(|found| (0..2).all(|n| expected[n].is_none_or(|count| count == found[n]))) {
                break;
            }
            if Instant::now() > end {
                return format!("lost: expected {expected:?}, found {found:?} in\n{copy}");
            }
            glimpsed = true;
            copy = self.read();
        }
        self.think();
        self.write(&copy, status);
        format!("{}{}", if glimpsed { "glimpsed " } else { "" }, self.count)
    }

    /// A complete file: another writer's half-written one is read again, as every sane agent does.
    fn read(&self) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let text = fs::read_to_string(&self.file).unwrap_or_default();
            if (self.kind.counters)(&text).is_some() {
                return text;
            }
            assert!(Instant::now() < end, "answer damaged for good:\n{text}");
        }
    }

    /// The agent's pause between reading and writing, in which its copy becomes stale.
    fn think(&mut self) {
        std::thread::sleep(Duration::from_micros(self.random.below(4_000)));
    }

    fn write(&mut self, copy: &str, status: Option<&str>) {
        self.count += 1;
        let text = (self.kind.rewrite)(copy, self.number, self.count, status);
        match (self.number, self.count % 2) {
            (0, 0) => fs::write(&self.file, text).expect("written"),
            (0, _) => self.write_held_open(&text),
            _ => {
                let temp = self.file.with_extension("tmp.9");
                fs::write(&temp, text).expect("written");
                fs::rename(temp, &self.file).expect("renamed");
            }
        }
    }

    /// Like `open(path, "r+")` in many languages: if the file is replaced meanwhile, this writer is left with
    /// the old one.
    fn write_held_open(&mut self, text: &str) {
        let mut file = File::options().read(true).write(true).open(&self.file).expect("opens");
        self.think();
        file.rewind().expect("rewinds");
        file.write_all(text.as_bytes()).expect("written");
        file.set_len(text.len() as u64).expect("cut");
    }
}
