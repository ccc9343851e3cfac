//! A fence: until when this machine may work on a workspace that is lent to it.
//!
//! Work that another machine asked for belongs to whoever holds its lease. The holder renews a file of ours while the lease
//! holds. Whoever writes a state file, starts a process or keeps one alive looks at it, also in another process: when the
//! time is over, nothing is written or started, and what runs ends, whatever became of the program that took the work on.
//! The clock includes time asleep, and begins anew with each start of the machine: the file names the start that it is of.
//! A workspace without the file is our own.

use crate::{dirs::Dirs, files, platform, processes};
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
        self.open_in(&this_boot()?, since.saturating_add(span))
    }

    fn open_in(&self, boot: &str, until: Duration) -> io::Result<()> {
        files::write_own(&self.path, format!("{} {boot}", until.as_millis()).as_bytes())
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

    /// Whether work may go on: there is no fence, or its time is not over. One that cannot be read is closed, and so is one of
    /// another start of this machine.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => this_boot().is_ok_and(|boot| allows(&text, &boot, moment())),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Whether a fence with this text is open at `now` after `boot`.
fn allows(text: &str, boot: &str, now: Duration) -> bool {
    let Some((until, of)) = text.trim().split_once(' ') else { return false };
    of == boot && until.parse().is_ok_and(|until| now < Duration::from_millis(until))
}

/// Names this start of the machine.
fn this_boot() -> io::Result<String> {
    processes::boot_id().map_err(|error| io::Error::other(error.0))
}

/// Time since this machine was started, time asleep included: the clock of all fences.
#[must_use]
pub fn moment() -> Duration {
    platform::since_boot()
}

// Elsewhere, starts of the machine are not told apart, and every fence is closed.
#[cfg(test)]
#[cfg(target_os = "linux")]
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

    #[test]
    fn one_from_before_a_start_of_the_machine_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let fence = Fence::at(dir.path().join("w"));
        let later = moment() + Duration::from_secs(3_600);
        fence.open_in("another-start", later).unwrap();
        assert!(!fence.is_open(), "its time begins anew, and would seem to be long");
        fence.open_in(&this_boot().unwrap(), later).unwrap();
        assert!(fence.is_open());
        for doubtful in [later.as_millis().to_string(), String::new(), format!("{} ", later.as_millis())] {
            std::fs::write(fence.path(), doubtful).unwrap();
            assert!(!fence.is_open());
        }
        let text = "5000 one";
        let at = Duration::from_millis;
        assert!(
            allows(text, "one", at(4_999)) && !allows(text, "one", at(5_000)) && !allows(text, "two", at(1))
        );
    }
}
