//! A fence: until when this machine may work on a workspace that is lent to it.
//!
//! Work that another machine asked for belongs to whoever holds its lease. The holder renews a file of ours while the lease
//! holds. Whoever writes a state file, starts a process or keeps one alive looks at it, also in another process: when the
//! time is over, nothing is written or started, and what runs ends, whatever became of the program that took the work on.
//! The clock includes time asleep. A workspace without the file is our own.

use crate::{dirs::Dirs, files, platform};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The fence of one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    path: PathBuf,
}

impl Fence {
    /// That of the workspace with this id.
    #[must_use]
    pub fn new(dirs: &Dirs, workspace: &str) -> Self {
        Self { path: dirs.fences().join(workspace) }
    }

    /// That whose file is at `path`.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the workspace has one.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Opens it for `span` from `since` on, a moment of [`moment`] before the lease was asked for.
    ///
    /// # Errors
    /// What the disk says; it is then as it was.
    pub fn open(&self, since: Duration, span: Duration) -> io::Result<()> {
        files::write_own(&self.path, since.saturating_add(span).as_millis().to_string().as_bytes())
    }

    /// Closes it.
    ///
    /// # Errors
    /// What the disk says; it then closes when its time is over.
    pub fn close(&self) -> io::Result<()> {
        files::write_own(&self.path, b"0")
    }

    /// Takes it away: the workspace is no longer lent.
    ///
    /// # Errors
    /// What the disk says.
    pub fn remove(&self) -> io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether work may go on: there is no fence, or its time is not over. One that cannot be read is closed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => text.trim().parse().is_ok_and(|until| moment() < Duration::from_millis(until)),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Time since this machine was started, time asleep included: the clock of all fences.
#[must_use]
pub fn moment() -> Duration {
    platform::since_boot()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_open_for_its_time_only() {
        let dir = tempfile::tempdir().unwrap();
        let fence = Fence::new(&Dirs { data: dir.path().to_owned() }, "w");
        assert!(fence.is_open() && !fence.exists(), "a workspace of our own");
        fence.open(moment(), Duration::from_secs(60)).unwrap();
        assert!(fence.is_open() && fence.exists());
        fence.open(Duration::ZERO, Duration::from_millis(1)).unwrap();
        assert!(!fence.is_open(), "its time is over");
        fence.open(moment(), Duration::from_secs(60)).unwrap();
        fence.close().unwrap();
        assert!(!fence.is_open());
        std::fs::write(fence.path(), "soon").unwrap();
        assert!(!fence.is_open(), "what cannot be read is closed");
        fence.remove().unwrap();
        fence.remove().unwrap();
        assert!(fence.is_open());
    }
}
