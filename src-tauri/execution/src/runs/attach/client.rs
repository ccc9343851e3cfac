//! One connection to a guardian, and the task that reads it.
//!
//! Requests are written by the caller: they are in the socket when the call returns, even if the app ends right after.

use super::RunNotice;
use crate::runs::record::{RunDir, RunRecord};
use crate::runs::wire::{Event, Request, connect, send};
use crate::tasks;
use parking_lot::Mutex;
use process_wrap::std::ChildWrapper;
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long until a connection that broke is tried again.
const AGAIN: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) run_dir: PathBuf,
    link: Arc<GuardianLink>,
}

/// The current connection. A writer may have to wait for the guardian; the reader must not.
#[derive(Debug)]
struct GuardianLink {
    sending: Mutex<UnixStream>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Another handle of the connection, to end it.
    end: UnixStream,
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
    /// Continues to read in a task, which afterwards reaps `guardian` if it is our child.
    pub(crate) fn start(
        run_dir: PathBuf,
        lines: BufReader<UnixStream>,
        guardian: Option<Box<dyn ChildWrapper>>,
    ) -> io::Result<Arc<Self>> {
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

    pub(crate) fn send(&self, request: &Request) -> io::Result<()> {
        send(&mut BlockingSender(&mut self.link.sending.lock()), request)
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
        let _ = state.end.shutdown(Shutdown::Both); // ends the task
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

impl GuardianLink {
    /// The guardian may tell of more again. An error ends the reading too.
    fn send_seen(self: &Arc<Self>) {
        let link = Arc::clone(self);
        // A guardian that does not read must not hold up the task that reads the others.
        tokio::task::spawn_blocking(move || {
            send(&mut BlockingSender(&mut link.sending.lock()), &Request::Seen)
        });
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
async fn follow(run_dir: &Path, mut stream: UnixStream, mut early: Vec<u8>, link: &Arc<GuardianLink>) {
    loop {
        read(stream, early, link).await;
        match connect_anew(run_dir, link).await {
            Some(other) => (stream, early) = (other, Vec::new()),
            None => return,
        }
    }
}

/// `early`: what was read of the connection before.
async fn read(stream: UnixStream, early: Vec<u8>, link: &Arc<GuardianLink>) {
    let Ok(mut stream) = not_blocking(stream) else { return };
    let mut bytes = early;
    loop {
        while let Some(end) = memchr::memchr(b'\n', &bytes) {
            let event = serde_json::from_slice(&bytes[..end]);
            bytes.drain(..=end);
            if event.is_ok_and(|event| is_last(event, link)) {
                return;
            }
        }
        let Ok(1..) = stream.read_buf(&mut bytes).await else { return };
    }
}

fn not_blocking(stream: UnixStream) -> io::Result<tokio::net::UnixStream> {
    stream.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(stream)
}

/// The sending side of a socket whose other handle does not block: it waits for room.
struct BlockingSender<'s>(&'s mut UnixStream);

impl Write for BlockingSender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(&*self.0, PollFlags::OUT)], None)?;
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
async fn connect_anew(run_dir: &Path, link: &Arc<GuardianLink>) -> Option<UnixStream> {
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
    Another(UnixStream),
    NotYet,
}

fn connect_again(dir: &RunDir, link: &GuardianLink) -> Connection {
    let mut state = link.state.lock();
    if state.over || state.dropped {
        return Connection::Over;
    }
    // The lock first: a guardian writes the end of the record before it lets go.
    let ownerless = dir.is_owned().is_ok_and(|owned| !owned);
    if let Some(ended) = RunRecord::read(&dir.0).ok().and_then(|record| record.ended) {
        state.notify(&RunNotice::Ended(ended.report));
        return Connection::Over;
    }
    if ownerless {
        state.notify(&RunNotice::Lost);
        return Connection::Over;
    }
    if let Ok(reading) = connect(&dir.0)
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
