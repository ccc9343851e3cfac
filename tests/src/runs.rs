//! Runs of the unruly program, watched the way the app watches them: notified, then checking.

use loopdeck_runtime::runs::log::{LogReader, Stream};
use loopdeck_runtime::runs::{
    Attached, Exit, FoundRun, GuardianProgram, Pace, RunNotice, RunRecord, RunSpec, StopReport, attach, spawn,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub use crate::waiting::eventually;

const PATIENCE: Duration = Duration::from_secs(60);

/// A folder for runs, and their programs.
pub struct Stage {
    /// The folder of the runs.
    pub runs: PathBuf,
    /// The guardian program.
    pub guardian: GuardianProgram,
    /// In the arguments of every process of these runs.
    pub mark: String,
    unruly: PathBuf,
    _folder: TempDir,
}

impl Stage {
    /// With the programs `guardian` and `unruly`.
    pub fn new(guardian: &str, unruly: &str) -> Self {
        let folder = TempDir::with_prefix("loopdeck-runs-").expect("a temporary folder");
        let runs = folder.path().canonicalize().expect("a path").join("runs");
        let mark = format!("mark-{}", loopdeck_runtime::runs::spec::new_run_id());
        let guardian = GuardianProgram { program: guardian.into(), args: Vec::new() };
        Self { runs, guardian, mark, unruly: unruly.into(), _folder: folder }
    }

    /// A run of the unruly program that does `words`.
    pub fn spec(&self, words: &str) -> RunSpec {
        let mut argv = vec![self.unruly.display().to_string(), self.mark.clone()];
        argv.extend(words.split_whitespace().map(str::to_owned));
        RunSpec::new(argv, std::env::temp_dir())
    }

    /// The same with short steps, for tests that are not about durations.
    pub fn quick(&self, words: &str) -> RunSpec {
        let mut spec = self.spec(words);
        spec.plan.pace = hurried();
        spec
    }

    /// Starts a run.
    pub fn start(&self, spec: &RunSpec) -> Run {
        let run_dir = self.runs.join(&spec.plan.id);
        Run::of(spawn(&self.guardian, &run_dir, spec).expect("a guardian"))
    }

    /// Living processes of these runs, found only by their arguments.
    pub fn alive(&self) -> Vec<u32> {
        with_mark(&self.mark)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Left-over processes of a failed test must not disturb the others.
        end_all(&self.alive());
    }
}

/// Ends processes at once.
pub fn end_all(pids: &[u32]) {
    for pid in pids {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).expect("a pid");
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL); // already gone
    }
}

/// Short steps.
pub fn hurried() -> Pace {
    Pace {
        final_grace_ms: 300,
        settle_ms: 100,
        ask_ms: 300,
        interrupt_ms: 300,
        terminate_ms: 300,
        terminate_after_final_ms: 200,
        kill_ms: 2_000,
        drain_ms: 300,
        orphaned_stdin_ms: 300,
    }
}

/// A run and its notices.
pub struct Run {
    /// The connection.
    pub attached: Attached,
    /// All notices so far.
    pub notices: Vec<RunNotice>,
    events: Receiver<RunNotice>,
}

impl Run {
    /// Listens to a run.
    pub fn of(attached: Attached) -> Self {
        let events = attached.events();
        Self { attached, notices: Vec::new(), events }
    }

    /// Waits until `holds`, checking after each notice.
    pub fn wait_for<T>(&mut self, what: &str, mut holds: impl FnMut(&Self) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = holds(self) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(notice) => self.notices.push(notice),
                Err(error) => panic!("{what}: {error} after {:?}; said {:?}", self.notices, self.said()),
            }
        }
    }

    /// Waits until the child has printed `text` on stdout.
    pub fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |run| run.said().contains(text).then_some(()));
    }

    /// Waits for the end and returns the report.
    pub fn wait_for_end(&mut self) -> StopReport {
        self.wait_for("the end", |run| {
            run.notices.iter().find_map(|notice| match notice {
                RunNotice::Ended(report) => Some(report.clone()),
                _ => None,
            })
        })
    }

    /// Waits for the child's exit.
    pub fn wait_for_exit(&mut self) -> Exit {
        self.wait_for("the exit", |run| {
            run.notices.iter().find_map(|notice| match notice {
                RunNotice::Exited(exit) => Some(exit.clone()),
                _ => None,
            })
        })
    }

    /// The record.
    pub fn record(&self) -> RunRecord {
        self.attached.record().expect("a record")
    }

    /// The child's stdout.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&output(&self.attached.log(), Stream::Out)).into_owned()
    }
}

/// Everything kept of one stream.
pub fn output(log: &LogReader, stream: Stream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut from = 0;
    loop {
        let window = log.read(from, 1 << 20).expect("a log");
        for piece in window.pieces.iter().filter(|piece| piece.stream == stream) {
            bytes.extend_from_slice(&piece.bytes);
        }
        if window.at_end {
            return bytes;
        }
        from = window.next;
    }
}

/// The run in `run_dir`, whose guardian is alive.
pub fn found_alive(run_dir: &Path) -> Run {
    match attach(run_dir).expect("a record") {
        FoundRun::Alive(attached) => Run::of(attached),
        other => panic!("{other:?}"),
    }
}

/// Living processes with `mark` among their arguments, without zombies.
pub fn with_mark(mark: &str) -> Vec<u32> {
    with_argument(|argument| argument == mark.as_bytes())
}

/// Living processes with a matching argument, without zombies.
pub fn with_argument(fits: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let pids = fs::read_dir("/proc").expect("a list of processes").flatten();
    pids.filter_map(|entry| {
        let arguments = fs::read(entry.path().join("cmdline")).ok()?; // empty for zombies
        let marked = arguments.split(|byte| *byte == 0).any(&fits);
        marked.then(|| entry.file_name().to_str()?.parse().ok())?
    })
    .collect()
}
