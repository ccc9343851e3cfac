//! What is kept of a run: `run.json` in its folder.
//!
//! The app writes it before the guardian starts; from then on only the guardian does, and after the guardian's death the holder of its
//! lock. What an app learns later (session ids, outcomes, usage) is for the app to keep elsewhere.

use super::report::{Ended, Exit, StepTaken, StopRequest};
use super::spec::KeptSpec;
use loopdeck_core::times::Timestamp;
use loopdeck_system::platform::{private_file, rename_over};
use loopdeck_system::processes::{self, ProcessId};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of this shape.
    pub version: u32,
    /// What was asked for.
    pub plan: KeptSpec,
    /// When the record was made.
    pub created_at: Timestamp,
    /// The start of the machine in which pids and start times below have their meaning.
    pub boot_id: String,
    /// The process that starts the guardian; records of older versions don't have it.
    #[serde(default)]
    pub starter: Option<ProcessId>,
    /// The guardian.
    pub guardian: Option<ProcessId>,
    /// The child, which leads its own session and group.
    pub child: Option<ProcessId>,
    /// When the child began.
    pub started_at: Option<Timestamp>,
    /// When the guardian was told that the final event had been seen.
    pub final_seen_at: Option<Timestamp>,
    /// The first request to end, written down before anything was signalled.
    pub stop_request: Option<StopRequest>,
    /// Steps of the ending, in order.
    pub steps: Vec<StepTaken>,
    /// How the child ended.
    pub exit: Option<Exit>,
    /// When.
    pub exited_at: Option<Timestamp>,
    /// How the run ended.
    pub ended: Option<Ended>,
    /// Bytes of output that could not be kept, as on a full disk.
    pub log_lost: u64,
}

const VERSION: u32 = 1;
/// Name of the record in the run's folder.
pub(crate) const NAME: &str = "run.json";

impl RunRecord {
    /// The record of a run that is about to start.
    #[must_use]
    pub fn new(plan: KeptSpec) -> Self {
        Self {
            version: VERSION,
            plan,
            created_at: loopdeck_system::clock::now(),
            boot_id: processes::boot_id().unwrap_or_default(),
            starter: processes::find_process(std::process::id()).ok().flatten().map(|process| process.id),
            guardian: None,
            child: None,
            started_at: None,
            final_seen_at: None,
            stop_request: None,
            steps: Vec::new(),
            exit: None,
            exited_at: None,
            ended: None,
            log_lost: 0,
        }
    }

    /// Whether the process that was to start the guardian is gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        let is_other_start = processes::boot_id().is_ok_and(|now| now != self.boot_id);
        let is_gone = |starter: ProcessId| processes::is_alive(starter).is_ok_and(|alive| !alive);
        self.guardian.is_none() && (is_other_start || self.starter.is_some_and(is_gone))
    }

    /// Reads the record in `run_dir`.
    ///
    /// # Errors
    /// It cannot be read, or is not a record of a version known here.
    pub fn read(run_dir: &Path) -> io::Result<Self> {
        let record: Self = serde_json::from_slice(&fs::read(run_dir.join(NAME))?)?;
        if record.version != VERSION {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "a run record of another version"));
        }
        Ok(record)
    }

    /// Writes the record: afterwards the old or the new one is there, never another.
    ///
    /// # Errors
    /// It cannot be written; the old one is still there.
    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        replace(run_dir, NAME, &serde_json::to_vec_pretty(self)?)
    }
}

/// The folders of a run and the files in it.
#[derive(Clone, Debug)]
pub(crate) struct RunDir(pub(crate) PathBuf);

impl RunDir {
    pub(crate) fn stdin(&self) -> PathBuf {
        self.0.join("stdin.txt")
    }
    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("log")
    }
    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Makes the folder, for its owner only.
    pub(crate) fn create(&self) -> io::Result<()> {
        loopdeck_system::platform::private_folder(&self.0)
    }

    /// Whether a guardian (or who ends what one left) lives.
    pub(crate) fn is_owned(&self) -> io::Result<bool> {
        match private_file().truncate(false).open(self.lock())?.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(fs::TryLockError::WouldBlock) => Ok(true),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Owns the run as long as the file is open; `None`: another process does. A caller of [`Self::is_owned`] holds it for a moment, and is
    /// waited for.
    pub(crate) fn lock_as_owner(&self) -> io::Result<Option<fs::File>> {
        let file = private_file().truncate(false).open(self.lock())?;
        for _ in 0..20 {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(fs::TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// Replaces a file of `folder` by temporary file and rename; it is readable for its owner only.
pub(crate) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temp = folder.join(format!("{name}.tmp"));
    let mut file = private_file().truncate(true).open(&temp)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    rename_over(&temp, &folder.join(name))
}
