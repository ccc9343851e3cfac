//! The guardian of one run: a process of its own that outlives the app.
//!
//! One thread decides ([`watch`]); the others only wait for something (output, an app, the child's exit, a signal) and put it into its
//! inbox. Output goes to disk in the thread that reads it, before any app hears of it.

mod apps;
mod ending;
mod family;
mod pipes;
mod watch;

use super::launch;
use super::record::{RunDir, RunRecord};
use super::report::Exit;
use super::spec::StdinKind;
use super::wire::{Event, Request, SOCKET, send};
use crate::platform::become_reaper;
use apps::Apps;
use family::Family;
use pipes::{OutputDrain, StdinWriter};
use process_wrap::std::ChildWrapper;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
    Connected(UnixStream),
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
    let Ok(mut app) = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else {
        return ExitCode::FAILURE;
    };
    match guard(run_dir, &mut app) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the guardian of {} failed: {error}", run_dir.display());
            let _ = send(&mut app, &Event::Failed { why: error.to_string() }); // it may be gone
            ExitCode::FAILURE
        }
    }
}

fn guard(run_dir: &Path, app: &mut UnixStream) -> io::Result<()> {
    let environment = read_environment(app)?;
    std::env::set_current_dir(run_dir)?; // the socket's address must be short
    let dir = RunDir(run_dir.to_owned());
    let taken = || io::Error::new(io::ErrorKind::AlreadyExists, "another guardian owns this run");
    let _lock = dir.lock_as_owner()?.ok_or_else(taken)?;
    let record = RunRecord::read(run_dir)?;
    if record.guardian.is_some() || record.ended.is_some() {
        return Err(taken());
    }
    let _ = rustix::process::setsid(); // an error means that our parent did it
    let reaper = become_reaper();
    let (inbox, messages) = mpsc::channel();
    catch_signals(&inbox)?;
    let listener = UnixListener::bind(SOCKET)?;
    let run = Started::begin(dir, record, environment, reaper, &inbox)?;
    accept(listener, inbox.clone());
    let first = app.try_clone();
    // Whatever goes wrong from here on, the tree must not be left to itself.
    let watched = catch_unwind(AssertUnwindSafe(|| run.watch(inbox, first, &messages)));
    watched.unwrap_or_else(|_| Err(io::Error::other("it panicked"))).inspect_err(|_| family::last_resort())
}

/// Their length, then `NAME=value` entries, each ended by a zero byte. An app that died in between sends less: no run.
fn read_environment(app: &mut UnixStream) -> io::Result<Vec<(OsString, OsString)>> {
    let mut length = [0; 8];
    app.read_exact(&mut length)?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(LARGEST_ENVIRONMENT)];
    app.read_exact(&mut bytes)?;
    let pair = |entry: &[u8]| {
        let middle = entry.iter().position(|byte| *byte == b'=')?;
        Some((OsString::from_vec(entry[..middle].to_vec()), OsString::from_vec(entry[middle + 1..].to_vec())))
    };
    Ok(bytes.split(|byte| *byte == 0).filter_map(pair).collect())
}

/// A hang-up is not for us; a termination ends the run. Handlers, unlike ignoring, are not inherited by the child.
fn catch_signals(inbox: &Sender<Message>) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let (mut told, teller) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, teller)?;
    let inbox = inbox.clone();
    thread::spawn(
        move || {
            while told.read_exact(&mut [0]).is_ok() && inbox.send(Message::Terminate).is_ok() {}
        },
    );
    Ok(())
}

fn accept(listener: UnixListener, inbox: Sender<Message>) {
    thread::spawn(move || {
        for app in listener.incoming().flatten() {
            if inbox.send(Message::Connected(app)).is_err() {
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
        environment: Vec<(OsString, OsString)>,
        reaper: bool,
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
        let mut run =
            Self { family: Family::new(&record.plan.id, reaper), dir, record, feed: None, drain, pipes: 0 };
        match launch::child(&run.record, environment) {
            Ok(child) => run.adopt(child, stdin, inbox),
            Err(error) => run.not_started(&error, inbox),
        }
        run.write_record();
        Ok(run)
    }

    fn adopt(&mut self, mut child: Box<dyn ChildWrapper>, text: Option<File>, inbox: &Sender<Message>) {
        let pid = child.id();
        self.record.child = self.family.begin(pid);
        self.record.started_at = Some(loopdeck_system::clock::now());
        if let Some(child) = self.record.child {
            let _ = super::leftovers::write_tree(&self.dir.0, &BTreeSet::from([child])); // written again later
        }
        if let Some(out) = child.stdout().take() {
            self.drain.read(out, super::log::Stream::Out);
            self.pipes += 1;
        }
        if let Some(err) = child.stderr().take() {
            self.drain.read(err, super::log::Stream::Err);
            self.pipes += 1;
        }
        if let (Some(stdin), Some(text)) = (child.stdin().take(), text) {
            self.feed = Some(StdinWriter::start(stdin, text, self.record.plan.stdin == StdinKind::Text));
        }
        family::tell_exit(pid, inbox.clone());
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
        first: io::Result<UnixStream>,
        messages: &Receiver<Message>,
    ) -> io::Result<()> {
        let mut watch = Watch::new(self, Apps::new(inbox));
        if let Ok(app) = first {
            watch.connect(app);
        }
        watch.run(messages)
    }
}
