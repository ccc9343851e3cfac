//! One connection to a guardian, and the thread that reads it.

use super::RunNotice;
use crate::runs::record::{RunDir, RunRecord};
use crate::runs::wire::{Event, Request, connect, send};
use parking_lot::{Mutex, MutexGuard};
use process_wrap::std::ChildWrapper;
use std::io::{self, BufRead as _, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) run_dir: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    stream: UnixStream,
    listeners: Vec<Sender<RunNotice>>,
    /// What a new listener has to know: exit and end.
    so_far: Vec<RunNotice>,
    over: bool,
    /// The last clone of the client is gone.
    dropped: bool,
}

impl Client {
    /// Reads on in a thread, which afterwards reaps `guardian` if it is our child.
    pub(crate) fn start(
        run_dir: PathBuf,
        lines: BufReader<UnixStream>,
        guardian: Option<Box<dyn ChildWrapper>>,
    ) -> io::Result<Arc<Self>> {
        let stream = lines.get_ref().try_clone()?;
        let state = State { stream, listeners: Vec::new(), so_far: Vec::new(), over: false, dropped: false };
        let state = Arc::new(Mutex::new(state));
        let client = Arc::new(Self { run_dir: run_dir.clone(), state: Arc::clone(&state) });
        thread::Builder::new().name("run".to_owned()).spawn(move || {
            follow(&run_dir, lines, &state);
            drop(state);
            if let Some(mut guardian) = guardian {
                let _ = guardian.wait(); // an error means that it was reaped elsewhere
            }
        })?;
        Ok(client)
    }

    pub(crate) fn send(&self, request: &Request) -> io::Result<()> {
        send(&mut lock(&self.state).stream, request)
    }

    pub(crate) fn subscribe(&self) -> Receiver<RunNotice> {
        let (sender, receiver) = mpsc::channel();
        let mut state = lock(&self.state);
        let _ = sender.send(RunNotice::More); // the receiver is here
        for notice in &state.so_far {
            let _ = sender.send(notice.clone());
        }
        if !state.over && !state.dropped {
            state.listeners.push(sender);
        }
        receiver
    }
}

impl Client {
    pub(crate) fn leave(&self) {
        let mut state = lock(&self.state);
        state.dropped = true;
        state.listeners.clear();
        let _ = state.stream.shutdown(Shutdown::Both); // ends the thread
    }

    pub(crate) fn is_left(&self) -> bool {
        lock(&self.state).dropped
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.leave();
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
        self.listeners.retain(|listener| listener.send(notice.clone()).is_ok());
        if last {
            self.over = true;
            self.listeners.clear();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock()
}

/// Reads until the run is over or no clone is left; connects again while the guardian is alive.
fn follow(run_dir: &Path, mut lines: BufReader<UnixStream>, state: &Mutex<State>) {
    loop {
        read(lines, state);
        match again(run_dir, state) {
            Some(other) => lines = BufReader::new(other),
            None => return,
        }
    }
}

fn read(mut lines: BufReader<UnixStream>, state: &Mutex<State>) {
    let mut line = String::new();
    while matches!(lines.read_line(&mut line), Ok(1..)) {
        if let Ok(event) = serde_json::from_str(&line) {
            let mut state = lock(state);
            match event {
                Event::More => {
                    state.notify(&RunNotice::More);
                    let _ = send(&mut state.stream, &Request::Seen); // an error ends the reading too
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
                    return state.notify(&RunNotice::Ended(report));
                }
            }
        }
        line.clear();
    }
}

/// The connection ended: why, and another one when there is a guardian.
fn again(run_dir: &Path, state: &Mutex<State>) -> Option<UnixStream> {
    let dir = RunDir(run_dir.to_owned());
    loop {
        {
            let mut state = lock(state);
            if state.over || state.dropped {
                return None;
            }
            // The lock first: a guardian writes the end of the record before it lets go.
            let ownerless = dir.is_owned().is_ok_and(|owned| !owned);
            if let Some(ended) = RunRecord::read(run_dir).ok().and_then(|record| record.ended) {
                state.notify(&RunNotice::Ended(ended.report));
                return None;
            }
            if ownerless {
                state.notify(&RunNotice::Lost);
                return None;
            }
            if let Ok(stream) = connect(run_dir)
                && let Ok(reading) = stream.try_clone()
            {
                state.stream = stream;
                state.notify(&RunNotice::More);
                return Some(reading);
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
}
