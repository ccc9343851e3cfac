//! The app's side of a run: start it, or find it again, and talk to its guardian.

mod client;

use super::leftovers::{end_leftovers, leftovers};
use super::log::LogReader;
use super::record::{RunDir, RunRecord};
use super::report::Leftovers;
use super::report::{Exit, StepTaken, StopReason, StopReport};
use super::spec::RunSpec;
use super::wire::{Request, RunStatus};
use client::{Client, connect};
use loopdeck_core::times::TimeDelta;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// The program that becomes a guardian: it calls [`super::guardian_main`] with its last argument.
#[derive(Clone, Debug)]
pub struct GuardianProgram {
    /// The program.
    pub program: PathBuf,
    /// Arguments before the run's folder.
    pub args: Vec<OsString>,
}

impl GuardianProgram {
    /// This program once more, with `--guardian`.
    ///
    /// # Errors
    /// The path of this program is unknown.
    pub fn this_program() -> io::Result<Self> {
        Ok(Self { program: std::env::current_exe()?, args: vec!["--guardian".into()] })
    }
}

/// Something happened to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunNotice {
    /// There may be more in the log.
    More,
    /// Its state; at the start of a connection and after [`Attached::ask_status`].
    Status(RunStatus),
    /// The child has exited; what it left is being ended.
    Exited(Exit),
    /// A step of the ending was taken.
    Step(StepTaken),
    /// Who or what ended the run, right before [`RunNotice::Ended`]; nothing for a run that ended on its own.
    EndedBy(StopReason),
    /// The run is over and its record complete. The last notice.
    Ended(StopReport),
    /// The guardian is gone and the run has no owner. The last notice; see [`attach`].
    Lost,
}

/// A run whose guardian is listening. Clones talk through the same connection; when the last is dropped, the guardian
/// sees an app less.
#[derive(Clone, Debug)]
pub struct Attached {
    client: Arc<Client>,
}

/// What was found in the folder of a run.
#[derive(Debug)]
pub enum FoundRun {
    /// Its guardian lives.
    Alive(Attached),
    /// It has ended, and this is how.
    Ended(RunRecord),
    /// Its guardian was killed; these are its processes.
    Lost(RunRecord, Leftovers),
}

/// Starts a run in `run_dir`, which is made. A child that cannot be started is not an error here: the run then ends with
/// [`Exit::NotStarted`].
///
/// # Errors
/// The folder cannot be written or is one of a run already; the guardian cannot be started, or was killed before it said
/// that it runs: then [`attach`] finds whatever it had begun.
pub fn spawn(guardian: &GuardianProgram, run_dir: &Path, spec: &RunSpec) -> io::Result<Attached> {
    Ok(Attached { client: Client::spawn(guardian, RunDir(std::path::absolute(run_dir)?), spec)? })
}

/// Reads the state of the run in `run_dir`, whoever started it.
///
/// # Errors
/// There is no readable record; the guardian lives and cannot be reached; the run is only just being started.
pub fn attach(run_dir: &Path) -> io::Result<FoundRun> {
    let dir = RunDir(std::path::absolute(run_dir)?);
    // A guardian that is beginning or ending holds its lock and does not listen for a moment.
    let mut tries = 40;
    loop {
        let record = RunRecord::read(&dir.0)?;
        if record.ended.is_some() {
            return Ok(FoundRun::Ended(record));
        }
        let failed = match connect(&dir, &record) {
            Ok(stream) => {
                return Ok(FoundRun::Alive(Attached { client: Client::of(dir.0, stream)? }));
            }
            Err(error) => error,
        };
        if !dir.is_owned()? {
            return lost(&dir);
        }
        tries -= 1;
        if tries == 0 {
            return Err(failed);
        }
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// The lock is free: the record is final, unless the guardian is about to start. One whose starter was killed may still come: it finds
/// that its run has ended.
fn lost(dir: &RunDir) -> io::Result<FoundRun> {
    const STARTS_WITHIN: TimeDelta = TimeDelta::seconds(10);
    let record = RunRecord::read(&dir.0)?;
    if record.ended.is_some() {
        return Ok(FoundRun::Ended(record));
    }
    let left = leftovers(&dir.0, &record);
    let is_closed = record.is_abandoned() && left == Leftovers::Processes(Vec::new()) && close(dir);
    let is_young = loopdeck_system::clock::now() - record.created_at < STARTS_WITHIN;
    if record.guardian.is_none() && !is_closed && is_young {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "the run is being started"));
    }
    Ok(FoundRun::Lost(record, left))
}

/// Writes down that the run has ended, unless a guardian owns it by now.
fn close(dir: &RunDir) -> bool {
    !matches!(end_leftovers(&dir.0), StopReport::Unknown { .. })
}

impl Attached {
    /// The folder of the run.
    #[must_use]
    pub fn run_dir(&self) -> &Path {
        self.client.run_dir()
    }

    /// The record as it is on disk now.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn record(&self) -> io::Result<RunRecord> {
        RunRecord::read(self.client.run_dir())
    }

    /// Reads what the run says.
    #[must_use]
    pub fn log(&self) -> LogReader {
        LogReader::of_run(self.client.run_dir())
    }

    /// Notices from now on, beginning with [`RunNotice::More`] and what of the end has happened already. Each call
    /// gives a channel of its own; it closes after the last notice.
    #[must_use]
    pub fn events(&self) -> Receiver<RunNotice> {
        self.client.subscribe()
    }

    /// The same, for a task.
    pub(crate) fn notices(&self) -> UnboundedReceiver<RunNotice> {
        self.client.subscribe_task()
    }

    /// Ends the run. `ask_first`: by the ways of its plan before SIGTERM; a second request without it skips the asking.
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn stop(&self, by: StopReason, ask_first: bool) -> io::Result<()> {
        self.client.send(&Request::Stop { by, ask_first })
    }

    /// SIGINT to the child, and nothing after it.
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn interrupt(&self) -> io::Result<()> {
        self.client.send(&Request::Interrupt)
    }

    /// Sends text to a stream on stdin. Without one, or after its end, nothing happens.
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn send_stdin(&self, text: impl Into<String>) -> io::Result<()> {
        self.client.send(&Request::Stdin { text: text.into() })
    }

    /// Ends stdin.
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn close_stdin(&self) -> io::Result<()> {
        self.client.send(&Request::CloseStdin)
    }

    /// The final event was read: stdin is closed, and the process has the plan's grace to exit.
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn final_seen(&self) -> io::Result<()> {
        self.client.send(&Request::FinalSeen)
    }

    /// Lets go of the guardian, for all clones: no more notices come, and the guardian has one app less.
    pub fn leave(&self) {
        self.client.leave();
    }

    /// Whether a clone let go of the guardian.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.client.is_left()
    }

    /// Asks for [`RunNotice::Status`].
    ///
    /// # Errors
    /// The guardian is gone.
    pub fn ask_status(&self) -> io::Result<()> {
        self.client.send(&Request::Status)
    }

    /// How many processes it has now; `None` when the guardian does not know, or does not answer within `patience`. Expensive, because the
    /// whole tree is read.
    #[must_use]
    pub fn processes(&self, patience: Duration) -> Option<u32> {
        let events = self.events();
        self.ask_status().ok()?;
        let until = Instant::now() + patience;
        loop {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())).ok()? {
                // The status that greets a connection has no count, and may still come.
                RunNotice::Status(RunStatus { processes: Some(count), .. }) => return Some(count),
                RunNotice::Ended(_) | RunNotice::Lost => return None,
                _ => {}
            }
        }
    }
}
