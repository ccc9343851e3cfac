//! The guardian of one run: a process of its own that outlives the app.
//!
//! One thread decides ([`watch`]); the others only wait for something (output, an app, the child's exit, a signal) and put it into its
//! inbox. Output goes to disk in the thread that reads it, before any app hears of it.

mod apps;
mod ending;
mod pipes;
mod watch;

use super::launch;
use super::record::{RunDir, RunRecord};
use super::report::Exit;
use super::spec::StdinKind;
use super::wire::{Event, Request, send};
use crate::platform::{
    Channel, Family, Leader, Listener, last_resort, on_termination, tell_exit, variables_in,
};
use apps::Apps;
use pipes::{OutputDrain, StdinWriter};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use watch::Watch;

/// What the threads of the guardian tell the one that decides.
enum Message {
    /// The child has exited; it is not reaped yet.
    Exited(Exit),
    /// The log has grown.
    More,
    /// A pipe of the child's output has ended.
    OutputEnded,
    /// An app connected.
    Connected(Channel),
    /// An app asks.
    Asked(u32, Request),
    /// An app is gone.
    Disconnected(u32),
    /// The system wants the guardian to end.
    Terminate,
}

/// Owns the run in `run_dir` until it has ended. Called in a process of its own that [`super::spawn`] starts.
#[must_use]
pub fn guardian_main(run_dir: &Path) -> ExitCode {
    let Ok(mut app) = Channel::of_stdin() else { return ExitCode::FAILURE };
    match guard(run_dir, &mut app) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the guardian of {} failed: {error}", run_dir.display());
            let _ = send(&mut app, &Event::Failed { why: error.to_string() }); // it may be gone
            ExitCode::FAILURE
        }
    }
}

fn guard(run_dir: &Path, app: &mut Channel) -> io::Result<()> {
    let environment = read_environment(app)?;
    std::env::set_current_dir(run_dir)?; // where apps connect, the address must be short
    let dir = RunDir(run_dir.to_owned());
    let taken = || io::Error::new(io::ErrorKind::AlreadyExists, "another guardian owns this run");
    let _lock = dir.lock_as_owner()?.ok_or_else(taken)?;
    let record = RunRecord::read(run_dir)?;
    if record.guardian.is_some() || record.ended.is_some() {
        return Err(taken());
    }
    let family = Family::found(&record.plan.id)?;
    let (inbox, messages) = mpsc::channel();
    let terminated = inbox.clone();
    on_termination(move || terminated.send(Message::Terminate).is_ok())?;
    let listener = Listener::bind(&record.plan.id)?;
    let run = Started::begin(dir, record, &environment, family, &inbox)?;
    accept(listener, inbox.clone());
    let first = app.try_clone();
    // Whatever goes wrong from here on, the tree must not be left to itself.
    let watched = catch_unwind(AssertUnwindSafe(|| run.watch(inbox, first, &messages)));
    watched.unwrap_or_else(|_| Err(io::Error::other("it panicked"))).inspect_err(|_| last_resort())
}

/// The length of the block in bytes, then the block. An app that died in between sends less: no run.
fn read_environment(app: &mut Channel) -> io::Result<Vec<(OsString, OsString)>> {
    let mut length = [0; 8];
    app.read_exact(&mut length)?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(LARGEST_ENVIRONMENT)];
    app.read_exact(&mut bytes)?;
    Ok(variables_in(&bytes))
}

/// An app that cannot be let in is not waited for, and tries again.
fn accept(mut listener: Listener, inbox: Sender<Message>) {
    thread::spawn(move || {
        loop {
            if let Ok(app) = listener.accept()
                && inbox.send(Message::Connected(app)).is_err()
            {
                return;
            }
        }
    });
}

/// Operating systems accept far less.
const LARGEST_ENVIRONMENT: usize = 64 << 20;

/// A run whose child was started, or could not be.
struct Started {
    dir: RunDir,
    record: RunRecord,
    family: Family,
    feed: Option<StdinWriter>,
    drain: OutputDrain,
    pipes: u32,
}

impl Started {
    fn begin(
        dir: RunDir,
        mut record: RunRecord,
        environment: &[(OsString, OsString)],
        family: Family,
        inbox: &Sender<Message>,
    ) -> io::Result<Self> {
        let drain = OutputDrain::open(&dir.log(), record.plan.log_cap, inbox)?;
        let me = std::process::id();
        record.guardian =
            loopdeck_system::processes::find_process(me).ok().flatten().map(|process| process.id);
        // Before the child: a kill between both leaves a record that names the guardian, and no child.
        record.write(&dir.0)?;
        let stdin = match record.plan.stdin {
            StdinKind::Null => None,
            StdinKind::Text | StdinKind::Stream => Some(launch::stdin_text(&dir)?),
        };
        let mut run = Self { family, dir, record, feed: None, drain, pipes: 0 };
        match launch::child(&run.record, environment) {
            Ok(child) => run.adopt(child, stdin, inbox),
            Err(error) => run.not_started(&error, inbox),
        }
        run.write_record();
        Ok(run)
    }

    fn adopt(&mut self, mut child: Leader, text: Option<File>, inbox: &Sender<Message>) {
        self.record.child = self.family.begin(child.id());
        self.record.started_at = Some(loopdeck_system::clock::now());
        if let Some(child) = self.record.child {
            let _ = super::leftovers::write_tree(&self.dir.0, &BTreeSet::from([child])); // written again later
        }
        let (stdin, out, err) = child.pipes();
        if let Some(out) = out {
            self.drain.read(out, super::log::Stream::Out);
            self.pipes += 1;
        }
        if let Some(err) = err {
            self.drain.read(err, super::log::Stream::Err);
            self.pipes += 1;
        }
        if let (Some(stdin), Some(text)) = (stdin, text) {
            self.feed = Some(StdinWriter::start(stdin, text, self.record.plan.stdin == StdinKind::Text));
        }
        let inbox = inbox.clone();
        tell_exit(child, move |exit| _ = inbox.send(Message::Exited(exit)));
    }

    /// A record that cannot be written must not keep a tree from being owned and ended.
    fn write_record(&mut self) {
        self.record.log_lost = self.drain.lost();
        if let Err(error) = self.record.write(&self.dir.0) {
            let _ = writeln!(io::stderr(), "the record could not be written: {error}");
        }
    }

    fn not_started(&mut self, error: &io::Error, inbox: &Sender<Message>) {
        let program = self.record.plan.argv.first().cloned().unwrap_or_default();
        let missing = error.kind() == io::ErrorKind::NotFound;
        let _ = inbox.send(Message::Exited(Exit::NotStarted { program, why: error.to_string(), missing }));
    }

    fn watch(
        self,
        inbox: Sender<Message>,
        first: io::Result<Channel>,
        messages: &Receiver<Message>,
    ) -> io::Result<()> {
        let mut watch = Watch::new(self, Apps::new(inbox));
        if let Ok(app) = first {
            watch.connect(app);
        }
        watch.run(messages)
    }
}
