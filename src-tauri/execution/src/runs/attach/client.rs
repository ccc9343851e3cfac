//! One connection to a guardian, made at its start or later, and the task that reads it.
//!
//! Requests are written by the caller: they are in the socket when the call returns, even if the app ends right after.

use super::{GuardianProgram, RunNotice};
use crate::platform::{Channel, Leader, block_of};
use crate::runs::launch;
use crate::runs::leftovers::leftovers;
use crate::runs::record::{NAME, RunDir, RunRecord};
use crate::runs::report::Leftovers;
use crate::runs::spec::{RunSpec, StdinKind};
use crate::runs::wire::{Event, Request, send};
use crate::tasks;
use loopdeck_system::platform::private_file;
use parking_lot::Mutex;
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long until a connection that broke is tried again.
const AGAIN: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Client {
    run_dir: PathBuf,
    link: Arc<GuardianLink>,
}

/// The current connection. A writer may have to wait for the guardian; the reader must not.
#[derive(Debug)]
struct GuardianLink {
    sending: Mutex<Channel>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Another handle of the connection, to end it.
    end: Channel,
    listeners: Vec<Listener>,
    /// What a new listener has to know: exit and end.
    so_far: Vec<RunNotice>,
    over: bool,
    /// The last clone of the client is gone.
    dropped: bool,
}

/// What gets the notices of the run: a thread, or a task.
#[derive(Debug)]
enum Listener {
    Thread(Sender<RunNotice>),
    Task(UnboundedSender<RunNotice>),
}

impl Listener {
    /// Whether it is still there.
    fn hear(&self, notice: &RunNotice) -> bool {
        match self {
            Self::Thread(sender) => sender.send(notice.clone()).is_ok(),
            Self::Task(sender) => sender.send(notice.clone()).is_ok(),
        }
    }
}

impl Client {
    /// Starts a run in the folder, which is made, and its guardian.
    pub(crate) fn spawn(guardian: &GuardianProgram, dir: RunDir, spec: &RunSpec) -> io::Result<Arc<Self>> {
        prepare(&dir, spec)?;
        let (ours, its) = Channel::pair(&spec.plan.id)?;
        let mut process = launch::guardian(&guardian.program, &guardian.args, &dir.0, its)?;
        match hand_over(ours, spec) {
            Ok(lines) => Self::start(dir.0, lines, Some(process)),
            Err(error) => {
                let _ = process.wait(); // our end is closed: it does not wait for more, and has said why it ends
                if !has_begun(&dir) {
                    let _ = std::fs::remove_file(dir.0.join(NAME)); // there never was a run
                }
                Err(error)
            }
        }
    }

    /// Continues a connection that was made just now.
    pub(crate) fn of(run_dir: PathBuf, stream: Channel) -> io::Result<Arc<Self>> {
        Self::start(run_dir, BufReader::new(stream), None)
    }

    /// Continues to read in a task, which afterwards reaps `guardian` if it is our child.
    fn start(run_dir: PathBuf, lines: BufReader<Channel>, guardian: Option<Leader>) -> io::Result<Arc<Self>> {
        let early = lines.buffer().to_vec();
        let reading = lines.into_inner();
        let (sending, end) = (Mutex::new(reading.try_clone()?), reading.try_clone()?);
        let state = State { end, listeners: Vec::new(), so_far: Vec::new(), over: false, dropped: false };
        let link = Arc::new(GuardianLink { sending, state: Mutex::new(state) });
        let client = Arc::new(Self { run_dir: run_dir.clone(), link: Arc::clone(&link) });
        tasks::handle()?.spawn(async move {
            follow(&run_dir, reading, early, &link).await;
            drop(link);
            if let Some(mut guardian) = guardian {
                // An error means that it was reaped elsewhere.
                let _ = tasks::blocking(move || guardian.wait()).await;
            }
        });
        Ok(client)
    }

    /// The folder of the run.
    pub(crate) fn run_dir(&self) -> &Path {
        &self.run_dir
    }

    pub(crate) fn send(&self, request: &Request) -> io::Result<()> {
        send(&mut self.link.sending.lock().waiting(), request)
    }

    /// For a thread.
    pub(crate) fn subscribe(&self) -> Receiver<RunNotice> {
        let (sender, receiver) = mpsc::channel();
        self.listen(Listener::Thread(sender));
        receiver
    }

    /// For a task.
    pub(crate) fn subscribe_task(&self) -> UnboundedReceiver<RunNotice> {
        let (sender, receiver) = unbounded_channel();
        self.listen(Listener::Task(sender));
        receiver
    }

    fn listen(&self, listener: Listener) {
        let mut state = self.link.state.lock();
        listener.hear(&RunNotice::More); // the receiver is here
        for notice in &state.so_far {
            listener.hear(notice);
        }
        if !state.over && !state.dropped {
            state.listeners.push(listener);
        }
    }
}

impl Client {
    pub(crate) fn leave(&self) {
        let mut state = self.link.state.lock();
        state.dropped = true;
        state.listeners.clear();
        state.end.shut_down(); // ends the task
    }

    pub(crate) fn is_left(&self) -> bool {
        self.link.state.lock().dropped
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Whether a guardian that sent nothing had started the child before it was killed.
fn has_begun(dir: &RunDir) -> bool {
    RunRecord::read(&dir.0).is_ok_and(|record| {
        record.child.is_some() || leftovers(&dir.0, &record) != Leftovers::Processes(Vec::new())
    })
}

fn prepare(dir: &RunDir, spec: &RunSpec) -> io::Result<()> {
    dir.create()?;
    if RunRecord::read(&dir.0).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a run lies in this folder already"));
    }
    if spec.plan.stdin != StdinKind::Null {
        private_file().truncate(true).open(dir.stdin())?.write_all(spec.stdin_text.as_bytes())?;
    }
    RunRecord::new(spec.plan.clone()).write(&dir.0)
}

/// Gives the guardian the environment of the child and waits until it listens. The pair of sockets that begins as its
/// stdin stays our connection.
fn hand_over(mut ours: Channel, spec: &RunSpec) -> io::Result<BufReader<Channel>> {
    let block = block_of(&spec.environment);
    let length = (block.len() as u64).to_le_bytes();
    // A guardian that does not take it may still have said why.
    let _ = ours.write_all(&length).and_then(|()| ours.write_all(&block));
    let mut lines = BufReader::new(ours);
    let mut answer = String::new();
    let _ = lines.read_line(&mut answer); // what is missing is seen below
    match serde_json::from_str(&answer) {
        Ok(Event::Status(_)) => Ok(lines),
        Ok(Event::Failed { why }) => Err(io::Error::other(why)),
        _ => Err(io::Error::other("the guardian ended at once; see guardian.log")),
    }
}

/// Connects to the guardian of a run.
pub(crate) fn connect(dir: &RunDir, record: &RunRecord) -> io::Result<Channel> {
    Channel::connect(&dir.0, &record.plan.id, record.guardian)
}

impl GuardianLink {
    /// The guardian may tell of more again. An error ends the reading too.
    fn send_seen(self: &Arc<Self>) {
        let link = Arc::clone(self);
        // A guardian that does not read must not hold up the task that reads the others.
        tokio::task::spawn_blocking(move || send(&mut link.sending.lock().waiting(), &Request::Seen));
    }
}

impl State {
    fn notify(&mut self, notice: &RunNotice) {
        let last = matches!(notice, RunNotice::Ended(_) | RunNotice::Lost);
        if last || matches!(notice, RunNotice::Exited(_) | RunNotice::EndedBy(_)) {
            if self.so_far.contains(notice) {
                return;
            }
            self.so_far.push(notice.clone());
        }
        self.listeners.retain(|listener| listener.hear(notice));
        if last {
            self.over = true;
            self.listeners.clear();
        }
    }
}

/// Reads until the run is over or no clone is left; connects again while the guardian is alive.
async fn follow(run_dir: &Path, mut stream: Channel, mut early: Vec<u8>, link: &Arc<GuardianLink>) {
    loop {
        read(stream, early, link).await;
        match connect_anew(run_dir, link).await {
            Some(other) => (stream, early) = (other, Vec::new()),
            None => return,
        }
    }
}

/// `early`: what was read of the connection before.
async fn read(stream: Channel, early: Vec<u8>, link: &Arc<GuardianLink>) {
    let Ok(mut stream) = stream.into_reading() else { return };
    let mut bytes = early;
    loop {
        while let Some(end) = memchr::memchr(b'\n', &bytes) {
            let event = serde_json::from_slice(&bytes[..end]);
            bytes.drain(..=end);
            if event.is_ok_and(|event| is_last(event, link)) {
                return;
            }
        }
        let Ok(1..) = stream.read_more(&mut bytes).await else { return };
    }
}

/// Passes an event on; whether it is the last.
fn is_last(event: Event, link: &Arc<GuardianLink>) -> bool {
    let mut state = link.state.lock();
    match event {
        Event::More => {
            state.notify(&RunNotice::More);
            drop(state);
            link.send_seen();
        }
        Event::Status(status) => {
            if let Some(exit) = status.exit.clone() {
                state.notify(&RunNotice::Exited(exit));
            }
            state.notify(&RunNotice::Status(status));
        }
        Event::Exited { exit } => state.notify(&RunNotice::Exited(exit)),
        Event::Step { step } => state.notify(&RunNotice::Step(step)),
        Event::Failed { .. } => {}
        Event::Ended { report, by } => {
            if let Some(by) = by {
                state.notify(&RunNotice::EndedBy(by));
            }
            state.notify(&RunNotice::Ended(report));
            return true;
        }
    }
    false
}

/// The connection ended: why, and another one when there is a guardian.
async fn connect_anew(run_dir: &Path, link: &Arc<GuardianLink>) -> Option<Channel> {
    loop {
        let (dir, link) = (RunDir(run_dir.to_owned()), Arc::clone(link));
        match tasks::blocking(move || connect_again(&dir, &link)).await? {
            Connection::Over => return None,
            Connection::Another(stream) => return Some(stream),
            Connection::NotYet => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

enum Connection {
    Over,
    Another(Channel),
    NotYet,
}

fn connect_again(dir: &RunDir, link: &GuardianLink) -> Connection {
    let mut state = link.state.lock();
    if state.over || state.dropped {
        return Connection::Over;
    }
    // The lock first: a guardian writes the end of the record before it lets go.
    let ownerless = dir.is_owned().is_ok_and(|owned| !owned);
    let record = RunRecord::read(&dir.0).ok();
    if let Some(ended) = record.as_ref().and_then(|record| record.ended.as_ref()) {
        state.notify(&RunNotice::Ended(ended.report.clone()));
        return Connection::Over;
    }
    if ownerless {
        state.notify(&RunNotice::Lost);
        return Connection::Over;
    }
    if let Some(record) = record
        && let Ok(reading) = connect(dir, &record)
        && let (Ok(sending), Ok(end)) = (reading.try_clone(), reading.try_clone())
    {
        state.end = end;
        state.notify(&RunNotice::More);
        drop(state);
        *link.sending.lock() = sending; // a writer to the old connection has failed by now
        return Connection::Another(reading);
    }
    Connection::NotYet
}
