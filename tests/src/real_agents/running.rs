//! A real agent while it runs: its output, line by line, and its end.

use super::processes;
use rustix::process::{Pid, Signal};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long processes that follow their parent may take to end.
const SETTLING: Duration = Duration::from_secs(2);

/// A running agent; dropping it ends its tree.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    ended: Ended,
    marker: String,
}

/// How a run went.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Its arguments.
    pub argv: Vec<String>,
    /// Lines written to it after its start, if the protocol has them.
    pub stdin: Vec<String>,
    /// Lines of the stream.
    pub stdout: Vec<String>,
    /// Lines for people.
    pub stderr: Vec<String>,
    /// Exit code; `None` after a signal.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Names of processes of the run that were still running two seconds after its end.
    pub left: Vec<String>,
    /// External actions on it, in words.
    pub done_to_it: Vec<String>,
}

enum Line {
    Out(String),
    Err(String),
}

impl Running {
    pub(super) fn start(command: &mut Command, argv: &[String]) -> Self {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let marker = format!("real-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        let mut child = command.env("LOOPDECK_RUN_ID", &marker).spawn().expect("starts");
        let (sender, lines) = mpsc::channel();
        let out = child.stdout.take().expect("a pipe");
        let err = child.stderr.take().expect("a pipe");
        for (pipe, wrap) in [
            (Box::new(out) as Box<dyn Read + Send>, Line::Out as fn(String) -> Line),
            (Box::new(err), Line::Err),
        ] {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                    let _ = sender.send(wrap(String::from_utf8_lossy(&line).into_owned()));
                }
            });
        }
        let stdin = child.stdin.take();
        let ended = Ended { argv: argv.to_vec(), ..Ended::default() };
        Self { child, stdin, lines, ended, marker }
    }

    /// Writes the prompt and closes its standard input.
    #[must_use]
    pub fn asked(mut self, prompt: &str) -> Self {
        let mut stdin = self.stdin.take().expect("open");
        let _ = stdin.write_all(prompt.as_bytes()); // one that does not read (a usage error) is judged by its end
        self
    }

    /// Writes one line to it and leaves its standard input open.
    ///
    /// # Panics
    /// When it does not read.
    pub fn tell(&mut self, line: &serde_json::Value) {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{line}").expect("it listens");
        stdin.flush().expect("it listens");
        self.ended.stdin.push(line.to_string());
    }

    /// Closes its standard input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Reads until a line of the stream contains `words`; returns that line.
    ///
    /// # Panics
    /// When none came within `patience`.
    pub fn until(&mut self, words: &str, patience: Duration) -> String {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("no line with {words:?}: {:#?}", self.ended);
            };
            if let Line::Out(text) = &line
                && text.contains(words)
            {
                let text = text.clone();
                self.take(line);
                return text;
            }
            self.take(line);
        }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Out(text) => self.ended.stdout.push(text),
            Line::Err(text) => self.ended.stderr.push(text),
        }
    }

    /// Process id, which is also that of its session.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the process only.
    pub fn signal(&mut self, signal: Signal) {
        let _ = rustix::process::kill_process(Pid::from_child(&self.child), signal); // may be gone
        self.ended.done_to_it.push(format!("signal {} to the process", signal.as_raw()));
    }

    /// Sends a signal to its process group.
    pub fn signal_group(&mut self, signal: Signal) {
        let _ = rustix::process::kill_process_group(Pid::from_child(&self.child), signal); // may be gone
        self.ended.done_to_it.push(format!("signal {} to the group", signal.as_raw()));
    }

    /// Whether it ends by itself within `patience`.
    pub fn ends_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if let Ok(Some(_)) = self.child.try_wait() {
                return true;
            }
            while let Ok(line) = self.lines.try_recv() {
                self.take(line);
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Waits for its end, then for its left-over processes; kills it if it does not end in time.
    #[must_use]
    pub fn end(mut self, patience: Duration) -> Ended {
        if !self.ends_within(patience) {
            self.signal_group(Signal::KILL);
            self.ended.done_to_it.push(format!("it had not ended after {} s", patience.as_secs()));
        }
        let status = self.child.wait().expect("it was ours");
        self.ended.exit = status.code();
        self.ended.signal = status.signal();
        let left = processes::still_there(&self.marker, SETTLING);
        self.ended.left = left.iter().map(|(_, name)| name.clone()).collect();
        processes::kill(&left);
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(5)) {
            self.take(line); // until both pipes are closed
        }
        std::mem::take(&mut self.ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill(); // an error means that it is already gone
        let _ = self.child.wait();
        processes::kill(&processes::marked(&self.marker));
    }
}

impl Ended {
    /// Objects of the stream.
    pub fn events(&self) -> Vec<serde_json::Value> {
        self.stdout.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Objects with this `type`.
    pub fn of_type(&self, kind: &str) -> Vec<serde_json::Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// The text of both streams.
    pub fn text(&self) -> String {
        [self.stdout.join("\n"), self.stderr.join("\n")].join("\n")
    }
}
