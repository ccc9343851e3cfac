//! What it takes to run the agents of one workspace: folders, the guardian program, and where events go.

use crate::event::Inbox;
use crate::needs_board::NeedsBoard;
use crate::output::OutputLog;
use crate::preferences::choices::KeptChoices;
use crate::run_monitor::SharedOutput;
use crate::runs::{GuardianProgram, folder_of};
use loopdeck_core::times::TimeDelta;
use loopdeck_system::dirs::Dirs;
use loopdeck_system::fence::Fence;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the drivers of a workspace share with those of others and with the window.
pub struct Workshop {
    /// Our own data.
    pub dirs: Dirs,
    /// What the person chose for all loops.
    pub choices: Arc<KeptChoices>,
    /// Who becomes a guardian.
    pub guardian: GuardianProgram,
    /// Where threads tell what happened.
    pub inbox: Inbox,
    /// Id of the workspace whose loops are driven.
    pub workspace: String,
    /// What waits for the person, in all workspaces.
    pub needs: Arc<NeedsBoard>,
    /// Rows of runs.
    pub outputs: Arc<Outputs>,
    /// A minute of a limit.
    pub minute: TimeDelta,
}

impl Workshop {
    /// Until when this computer may work on the workspace.
    pub(crate) fn fence(&self) -> Fence {
        Fence::new(&self.dirs, &self.workspace)
    }

    /// A limit of so many minutes.
    pub(crate) fn limit_of(&self, minutes: u32) -> TimeDelta {
        self.minute * i32::try_from(minutes).unwrap_or(i32::MAX)
    }
}

/// Rows of runs: of those at work as they are written, of older ones from disk.
#[derive(Default)]
pub struct Outputs {
    live: Mutex<HashMap<String, SharedOutput>>,
    /// The last one that was read.
    last: Mutex<Option<(String, SharedOutput)>>,
    /// Searches so far.
    searches: AtomicU32,
}

impl std::fmt::Debug for Outputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outputs")
    }
}

impl Outputs {
    /// Starts a search, which replaces every earlier one. Returns whether this one is still the latest.
    pub fn newest_search(&self) -> impl Fn() -> bool + '_ {
        let mine = self.searches.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        move || self.searches.load(Ordering::SeqCst) == mine
    }

    /// A run is at work: its rows are these.
    pub fn keep(&self, run: &str, output: &SharedOutput) {
        let mut live = self.live.lock();
        live.insert(run.to_owned(), Arc::clone(output));
    }

    /// A window that shows it keeps it a while longer.
    pub fn note_end(&self, run: &str) {
        let ended = self.live.lock().remove(run);
        if let Some(output) = ended {
            *self.last.lock() = Some((run.to_owned(), output));
        }
    }

    /// The rows of a run, and whether more may come.
    ///
    /// # Errors
    /// What the disk says; `NotFound` when there is no such run.
    pub fn open(&self, runs: &Path, run: &str) -> io::Result<(SharedOutput, bool)> {
        if let Some(output) = self.live.lock().get(run) {
            return Ok((Arc::clone(output), true));
        }
        let mut last = self.last.lock();
        if let Some((_, output)) = last.as_ref().filter(|(known, _)| known == run) {
            return Ok((Arc::clone(output), false));
        }
        let folder = folder_of(runs, run)?;
        if !folder.is_dir() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let output = Arc::new(Mutex::new(OutputLog::open(&folder)?));
        *last = Some((run.to_owned(), Arc::clone(&output)));
        Ok((output, false))
    }
}
