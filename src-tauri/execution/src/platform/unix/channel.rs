//! Sockets between apps and guardians: one in the folder of each run.

use loopdeck_system::processes::ProcessId;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// Name of the socket in the run's folder.
const SOCKET: &str = "socket";

/// One end of a connection. Clones are the same end.
#[derive(Debug)]
pub(crate) struct Channel(UnixStream);

impl Channel {
    /// Both ends of a new connection, the second for the guardian of a run.
    pub(crate) fn pair(_run_id: &str) -> io::Result<(Self, Stdio)> {
        let (ours, its) = UnixStream::pair()?;
        Ok((Self(ours), OwnedFd::from(its).into()))
    }

    /// The end that was given to this process as its stdin.
    pub(crate) fn of_stdin() -> io::Result<Self> {
        Ok(Self(io::stdin().as_fd().try_clone_to_owned()?.into()))
    }

    /// Connects to the guardian of a run. Socket addresses are short: on Linux the folder is named by an open handle.
    pub(crate) fn connect(run_dir: &Path, _run_id: &str, _guardian: Option<ProcessId>) -> io::Result<Self> {
        if cfg!(target_os = "linux") && run_dir.as_os_str().len() > 80 {
            use std::os::fd::AsRawFd as _;
            let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
            let folder = rustix::fs::open(run_dir, flags, Mode::empty())?;
            return UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())).map(Self);
        }
        UnixStream::connect(run_dir.join(SOCKET)).map(Self)
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// How long a write waits for a reader.
    pub(crate) fn set_write_timeout(&mut self, patience: Duration) -> io::Result<()> {
        self.0.set_write_timeout(Some(patience))
    }

    /// Ends the connection for all clones.
    pub(crate) fn shut_down(&self) {
        let _ = self.0.shutdown(Shutdown::Both); // an error means that it has ended
    }

    /// The same end for a task to read.
    pub(crate) fn into_reading(self) -> io::Result<Reading> {
        self.0.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(self.0).map(Reading)
    }

    /// The sending side of a channel whose other clone a task reads: it waits for room.
    pub(crate) fn waiting(&mut self) -> impl Write {
        BlockingSender(&mut self.0)
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
pub(crate) struct Reading(tokio::net::UnixStream);

impl Reading {
    /// Adds what comes next; how many bytes, none at the end.
    pub(crate) async fn read_more(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        self.0.read_buf(bytes).await
    }
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

/// Where apps connect to a guardian: in its working folder, because the address must be short.
pub(crate) struct Listener(UnixListener);

impl Listener {
    pub(crate) fn bind(_run_id: &str) -> io::Result<Self> {
        UnixListener::bind(SOCKET).map(Self)
    }

    /// The next app.
    pub(crate) fn accept(&mut self) -> io::Result<Channel> {
        self.0.accept().map(|(stream, _)| Channel(stream))
    }

    /// From here on, no app can connect to this guardian.
    pub(crate) fn remove_address() {
        let _ = std::fs::remove_file(SOCKET); // whoever tries it finds nobody
    }
}
