//! Named pipes between apps and guardians, for this user only. The id of a run is its pipe's name; nobody can guess it.

use super::start::keep_standard_handles;
use loopdeck_system::processes::ProcessId;
use loopdeck_windows::pipe::{self, Pipe};
use std::io::{self, Read, Write};
use std::os::windows::io::AsHandle as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, channel};

/// Bytes that are read at once.
const AT_ONCE: usize = 16 << 10;
/// Pieces that wait for the task that reads them.
const WAITING: usize = 16;

fn name_of(run_id: &str) -> String {
    format!("loopdeck-{run_id}")
}

/// One end of a connection. Clones are the same end.
#[derive(Debug)]
pub(crate) struct Channel(Pipe);

impl Channel {
    /// Both ends of a new connection, the second for the guardian of a run.
    pub(crate) fn pair(run_id: &str) -> io::Result<(Self, Stdio)> {
        let (ours, its) = Pipe::pair(&format!("{}-start", name_of(run_id)))?;
        Ok((Self(ours), its.into()))
    }

    /// The end that was given to this process as its stdin.
    pub(crate) fn of_stdin() -> io::Result<Self> {
        keep_standard_handles();
        Pipe::from_handle(io::stdin().as_handle().try_clone_to_owned()?).map(Self)
    }

    /// Connects to the guardian of a run, and to nobody else who took its name.
    pub(crate) fn connect(_run_dir: &Path, run_id: &str, guardian: Option<ProcessId>) -> io::Result<Self> {
        let pipe = Pipe::connect(&name_of(run_id))?;
        let is_guardian = guardian.map(|id| id.pid) == Some(pipe.listening_process()?);
        if is_guardian { Ok(Self(pipe)) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// How long a write waits for a reader.
    #[expect(clippy::unnecessary_wraps, reason = "the other platform's can fail")]
    pub(crate) fn set_write_timeout(&mut self, patience: Duration) -> io::Result<()> {
        self.0.set_write_timeout(Some(patience));
        Ok(())
    }

    /// Ends the connection for all clones.
    pub(crate) fn shut_down(&self) {
        self.0.shut_down();
    }

    /// The same end for a task to read.
    pub(crate) fn into_reading(self) -> io::Result<Reading> {
        let (mut reading, end) = (self.0.try_clone()?, self.0);
        let (sender, pieces) = channel::<Vec<u8>>(WAITING);
        thread::Builder::new().name("pipe".into()).spawn(move || {
            let mut bytes = vec![0; AT_ONCE];
            while let Ok(count @ 1..) = reading.read(&mut bytes) {
                if sender.blocking_send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Reading { end, pieces })
    }

    /// The sending side: it waits for room.
    pub(crate) fn waiting(&mut self) -> impl Write {
        &mut self.0
    }
}

impl Read for Channel {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Channel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What a task reads.
pub(crate) struct Reading {
    end: Pipe,
    pieces: Receiver<Vec<u8>>,
}

impl Reading {
    /// Adds what comes next; how many bytes, none at the end.
    #[expect(clippy::unnecessary_wraps, reason = "the other platform's can fail")]
    pub(crate) async fn read_more(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let piece = self.pieces.recv().await.unwrap_or_default();
        bytes.extend_from_slice(&piece);
        Ok(piece.len())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.end.shut_down(); // its thread waits no longer
    }
}

/// Where apps connect to a guardian.
pub(crate) struct Listener(pipe::Listener);

impl Listener {
    pub(crate) fn bind(run_id: &str) -> io::Result<Self> {
        pipe::Listener::bind(&name_of(run_id)).map(Self)
    }

    /// The next app.
    pub(crate) fn accept(&mut self) -> io::Result<Channel> {
        self.0.accept().map(Channel)
    }

    /// Nothing: a pipe's name goes with the process that listens.
    pub(crate) fn remove_address() {}
}
