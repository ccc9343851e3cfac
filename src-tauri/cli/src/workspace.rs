//! A workspace opened for one command, and the loops in it.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::cores::{ROWS, on_all_cores};
use loopdeck_runtime::views::{Failure, LoopPage, LoopRow};
use loopdeck_runtime::{Options, Runtime, Traces, clock, log};

use super::complaint::{Complaint, tell};
use super::text;
use loopdeck_runtime::data_dir::{self, DataDir};

/// A file may be caught half written: how often, and how far apart, it is checked again before it counts as
/// damaged.
const LOOKS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(330);
/// After this many milliseconds without a write, a damaged file is not being written.
const SETTLED_AFTER: f64 = 2_000.0;

/// An open workspace.
pub(super) struct Workspace {
    /// The runtime on it.
    pub(super) runtime: Runtime,
    /// Its loops by state file.
    pub(super) rows: Vec<LoopRow>,
    /// As the person named it.
    path: PathBuf,
    /// The same, for commands that are offered: it stays as it was typed.
    typed: PathBuf,
}

impl Workspace {
    /// Its id: the only one that is open.
    pub(super) fn id(&self) -> String {
        self.runtime.changes(0).workspaces.first().map(|workspace| workspace.id.clone()).unwrap_or_default()
    }
}

/// Opens `dir` for viewing: nothing is written anywhere. The end of the program frees what was read, all at once.
pub(super) fn open_for_viewing(
    dir: &Path,
    data_dir: Option<PathBuf>,
) -> Result<&'static Workspace, Complaint> {
    let data = data_dir::without_creating(data_dir).unwrap_or_default();
    let workspace = open(dir, &Options::once(data, Traces::Nothing))?;
    Ok(Box::leak(Box::new(workspace)))
}

/// Opens `dir` to view the loop that `id` names; only that one is read, and those that it follows from or that follow it.
pub(super) fn look_at(
    dir: &Path,
    data_dir: Option<PathBuf>,
    id: &str,
) -> Result<&'static Workspace, Complaint> {
    let data = data_dir::without_creating(data_dir).unwrap_or_default();
    let named = Some(id.trim_start_matches("./").to_owned());
    let workspace = open(dir, &Options { named, ..Options::once(data, Traces::Nothing) })?;
    Ok(Box::leak(Box::new(workspace)))
}

/// Opens `dir` to change a loop: the request is kept in the journal in our data folder.
pub(super) fn touch(dir: &Path, data_dir: Option<PathBuf>) -> Result<Workspace, Complaint> {
    let data = DataDir::resolve(data_dir)
        .map_err(|error| Complaint::own("own_data", &[("reason", &error.to_string())]))?;
    open(dir, &Options::once(data.path().to_owned(), Traces::Requests))
}

/// Opens `dir` to change the loop that `id` names; no other loop is looked at but its relatives.
pub(super) fn touch_one(dir: &Path, data_dir: Option<PathBuf>, id: &str) -> Result<Workspace, Complaint> {
    let data = DataDir::resolve(data_dir)
        .map_err(|error| Complaint::own("own_data", &[("reason", &error.to_string())]))?;
    let named = Some(id.trim_start_matches("./").to_owned());
    open(dir, &Options { named, ..Options::once(data.path().to_owned(), Traces::Requests) })
}

/// Opens `dir` to run the loop `id` in it: the journal is kept and requests are guarded, as in a window.
pub(super) fn run(dir: &Path, data_dir: Option<PathBuf>, id: &str) -> Result<Workspace, Complaint> {
    let data = DataDir::resolve(data_dir)
        .map_err(|error| Complaint::own("own_data", &[("reason", &error.to_string())]))?;
    open(dir, &Options::run(data.path().to_owned(), id.trim_start_matches("./")))
}

/// Starts a runtime, with the log of the window unless it leaves no trace.
pub(super) fn start(options: &Options) -> Result<Runtime, Failure> {
    if options.traces != Traces::Nothing
        && let Err(failure) = log::start(&options.dirs)
    {
        eprintln!("loopdeck: nothing is logged: {:?}", failure.args);
    }
    let runtime = Runtime::start(options)?;
    tell(&runtime.damaged_data());
    Ok(runtime)
}

fn open(dir: &Path, options: &Options) -> Result<Workspace, Complaint> {
    let path = std::env::current_dir().map_or_else(|_| dir.to_owned(), |here| here.join(dir));
    let runtime = start(options)?;
    runtime.open_workspace(&path)?;
    let rows = rows(&runtime);
    let mut workspace = Workspace { runtime, rows, path, typed: dir.to_owned() };
    workspace.settle()?;
    Ok(workspace)
}

/// Every loop that is known, by its file.
pub(super) fn rows(runtime: &Runtime) -> Vec<LoopRow> {
    runtime.rows()
}

impl Workspace {
    /// `loopdeck WORD DIR ID`, as it can be typed where this program was started.
    pub(super) fn command(&self, word: &str, id: &str) -> String {
        text::command(word, &self.typed, id)
    }

    /// Why a change of one of its loops failed.
    pub(super) fn refused(&self, failure: &Failure, row: &LoopRow) -> Complaint {
        Complaint::of_change(failure, row, &self.command("recover", &row.id))
    }

    /// Its path, for sentences.
    pub(super) fn shown_path(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads again while a recently written file is unreadable.
    fn settle(&mut self) -> Result<(), Failure> {
        for _ in 0..LOOKS {
            let now = clock::now();
            if !self.rows.iter().any(|row| may_be_half_written(row, now)) {
                break;
            }
            thread::sleep(BETWEEN_LOOKS);
            self.look_again()?;
        }
        Ok(())
    }

    /// Reads the changes since.
    pub(super) fn look_again(&mut self) -> Result<(), Failure> {
        self.runtime.rescan()?;
        self.rows = rows(&self.runtime);
        Ok(())
    }

    /// The same, until the loop in `file` is there: another program may be removing and writing it again.
    pub(super) fn look_again_for(&mut self, file: &str) -> Result<(), Failure> {
        self.look_again()?;
        for _ in 0..LOOKS {
            if self.find(file).is_ok() {
                break;
            }
            thread::sleep(BETWEEN_LOOKS);
            self.look_again()?;
        }
        Ok(())
    }

    /// The loop that `id` names: its file stem, or its file when several have that stem.
    pub(super) fn find(&self, id: &str) -> Result<&LoopRow, Complaint> {
        if let Some(row) = self.rows.iter().find(|row| row.file == id.trim_start_matches("./")) {
            return Ok(row);
        }
        let named: Vec<&LoopRow> = self.rows.iter().filter(|row| row.id == id).collect();
        match named[..] {
            [row] => Ok(row),
            [] => Err(Complaint::own("unknown_id", &[("id", id), ("path", &self.shown_path())])),
            _ => {
                let files: Vec<&str> = named.iter().map(|row| row.file.as_str()).collect();
                Err(Complaint::own("ambiguous_id", &[("id", id), ("files", &files.join(", "))]))
            }
        }
    }

    /// What `take` keeps of the full read of each of `rows`, in their order, read on all cores. Each page is gone before the
    /// next one is read. A loop that disappeared meanwhile is left out.
    pub(super) fn each_page<T: Send>(
        &self,
        rows: &[LoopRow],
        take: impl Fn(&LoopPage) -> T + Sync,
    ) -> Vec<T> {
        let read = |row: &LoopRow| Some(take(&self.runtime.read_loop(&row.key).ok()?));
        on_all_cores(rows, ROWS, read).into_iter().flatten().collect()
    }
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn may_be_half_written(row: &LoopRow, now: Timestamp) -> bool {
    row.word == StatusWord::CannotRead && now.number() - row.changed < SETTLED_AFTER
}
