//! Runs of a loop and their output: on this computer, or on another machine as far as its owner shares them.

use super::Runtime;
use crate::elsewhere::RemoteLoop;
use crate::views::{Failure, FailureKind};
use loopdeck_core::loop_id::{LoopId, file_of, workspace_of};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::output::SearchResult;
use loopdeck_execution::rows::{OutputPage, OutputSearch, RunView};
use loopdeck_execution::run_monitor::{SharedOutput, source_text};
use loopdeck_system::dirs;
use std::path::{Path, PathBuf};

/// The rows of a run.
struct OpenOutput {
    run: String,
    rows: SharedOutput,
    /// Whether more may come.
    alive: bool,
    /// The folder of its raw log; `None` for a run on another machine.
    folder: Option<PathBuf>,
}

/// Work of ours on a loop, for what is shared of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkedOn {
    /// The loop.
    pub key: String,
    /// Its state file.
    pub file: String,
    /// Whether something of ours is alive, or about to be.
    pub alive: bool,
    /// When the last work ended; `None` while it continues.
    pub over_at: Option<Timestamp>,
}

impl Runtime {
    /// What Loopdeck started for a loop, newest first, at most 500. Of a loop of another machine, what its owner shares.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read; those of [`Runtime::output`].
    pub fn runs(&self, key: &str) -> Result<Vec<RunView>, Failure> {
        if let Some(of) = self.remote(key)? {
            return Ok(self.remote_runs(&of)?.into_iter().map(|run| run.view).collect());
        }
        self.newest_runs(key, 500)
    }

    /// The newest runs of a loop of this computer, newest first.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn newest_runs(&self, key: &str, limit: u32) -> Result<Vec<RunView>, Failure> {
        self.ask(key, move |owner, key| owner.store.driver_context().runs_of(key, limit))
    }

    /// Rows of the output of a run; of the newest one when none is named.
    ///
    /// # Errors
    /// `UnknownRun`; `TeamUnreachable`, `TeamNotSetUp` for a loop of another machine.
    pub fn output(
        &self,
        key: &str,
        run: Option<&str>,
        first: u32,
        count: u32,
    ) -> Result<OutputPage, Failure> {
        let Some(open) = self.open_output(key, run)? else { return Ok(OutputPage::default()) };
        let rows = open.rows.lock();
        rows.page(&open.run, first, count, open.alive).map_err(|error| unknown(&error))
    }

    /// The whole text of a row, at most 1 MB. Of a run on another machine, only what came of it.
    ///
    /// # Errors
    /// As [`Runtime::output`].
    pub fn output_text(&self, key: &str, run: &str, row: u32) -> Result<String, Failure> {
        let open = self.open_output(key, Some(run))?.ok_or_else(no_run)?;
        let stored = open.rows.lock().row(row).map_err(|error| unknown(&error))?;
        let Some(folder) = open.folder else { return Ok(stored.row.text) };
        let text = source_text(&folder, &stored).map_err(|error| unknown(&error))?;
        Ok(self.choices.read(Mask::of_all).hide(text))
    }

    /// The next row that fits; none when another search began meanwhile: a person looks for one thing at a time.
    ///
    /// # Errors
    /// As [`Runtime::output`].
    pub fn find_output(&self, key: &str, run: &str, search: &OutputSearch) -> Result<Option<u32>, Failure> {
        let open = self.open_output(key, Some(run))?.ok_or_else(no_run)?;
        let rows = open.rows.lock().snapshot();
        match rows.find(search, self.outputs().newest_search()).map_err(|error| unknown(&error))? {
            SearchResult::Found(row) => Ok(Some(row)),
            SearchResult::Nothing | SearchResult::Given => Ok(None),
        }
    }

    /// Loops of a folder of this computer on which Loopdeck works, or has worked since its data began.
    #[must_use]
    pub fn worked_on(&self, folder: &Path) -> Vec<WorkedOn> {
        let id = dirs::id_of(folder);
        self.read(|catalog| {
            let here = catalog.entries().filter(|(_, entry)| *entry.workspace == *id);
            let work = here.map(|(key, entry)| WorkedOn {
                key: key.to_string(),
                file: entry.candidate.file.clone(),
                alive: entry.work.alive,
                over_at: entry.work.over_at,
            });
            work.filter(|one| one.alive || one.over_at.is_some()).collect()
        })
    }

    /// Tells windows that the runs of a loop of another machine changed: its row gets a new revision.
    pub fn note_remote_runs(&self, workspace: &str, file: &str) {
        let key = LoopId::new(workspace, file);
        self.coordinator.change_catalog(|catalog| {
            if let Some(entry) = catalog.get(&key).cloned() {
                catalog.put(entry);
            }
        });
    }

    /// The rows of a run of a loop, of the newest one when none is named; `None` when there is no run.
    fn open_output(&self, key: &str, run: Option<&str>) -> Result<Option<OpenOutput>, Failure> {
        if let Some(of) = self.remote(key)? {
            let mut runs = self.remote_runs(&of)?.into_iter();
            let found = match run {
                Some(id) => Some(runs.find(|known| known.view.id == id).ok_or_else(no_run)?),
                None => runs.next(),
            };
            return Ok(found.map(|known| OpenOutput {
                alive: known.view.ended.is_none(),
                run: known.view.id,
                rows: known.rows,
                folder: None,
            }));
        }
        let run = match run {
            Some(run) => run.to_owned(),
            None => match self.newest_runs(key, 1)?.into_iter().next() {
                Some(run) => run.id,
                None => return Ok(None),
            },
        };
        let runs = self.dirs().runs();
        let (rows, alive) = self.outputs().open(&runs, &run).map_err(|error| unknown(&error))?;
        Ok(Some(OpenOutput { folder: Some(runs.join(&run)), run, rows, alive }))
    }

    /// Where a loop of another machine is kept here; `None` for one of this computer.
    pub(super) fn remote(&self, key: &str) -> Result<Option<RemoteLoop>, Failure> {
        if self.elsewhere(key).is_none() {
            return Ok(None);
        }
        let workspace =
            self.read(|catalog| catalog.workspace(workspace_of(key)).map(|known| known.path.clone()));
        let workspace = workspace.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))?;
        Ok(Some(RemoteLoop { workspace, file: file_of(key).to_owned() }))
    }
}

fn no_run() -> Failure {
    Failure::new(FailureKind::UnknownRun)
}

fn unknown(error: &std::io::Error) -> Failure {
    no_run().with("reason", error)
}
