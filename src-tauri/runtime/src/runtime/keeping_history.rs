//! The door of export and import: what the journal has of a workspace, as a file.

use super::Runtime;
use crate::files::Canonical as _;
use crate::store::journal::{ImportFault, Imported};
use crate::views::{Failure, FailureKind, ImportedHistory};
use loopdeck_system::files;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;

impl Runtime {
    /// Writes journal, notes and labels of a workspace to `path`, as JSON lines; answers how many.
    ///
    /// # Errors
    /// `UnknownWorkspace`; `Disk` when the file cannot be written, `OwnData` when the journal cannot be read.
    pub fn export_history(&self, id: &str, path: &Path) -> Result<u64, Failure> {
        let workspace = self.workspace_path(id)?;
        let mut journal = self.journal_for_reading()?;
        let disk = |error: std::io::Error| disk(path, &error);
        let mut out = BufWriter::new(File::create(path).map_err(disk)?);
        let lines = journal.export(&workspace.to_string_lossy(), &mut out).map_err(Failure::own_data)?;
        out.flush().map_err(disk)?;
        Ok(lines)
    }

    /// Takes in what the export at `path` has: newer notes, and the history of loops that have none here.
    ///
    /// # Errors
    /// `UnknownWorkspace`; `NotAnExport` with its line; `Disk` when the file cannot be read, `OwnData` when the journal cannot be
    /// written. Nothing is taken in then.
    pub fn import_history(&self, id: &str, path: &Path) -> Result<ImportedHistory, Failure> {
        let workspace = self.workspace_path(id)?;
        // A pipe or a device has no end.
        let file = path.canonical().and_then(|path| files::open_plain(&path));
        let file = file.map_err(|error| disk(path, &error))?;
        let shown = path.to_owned();
        let imported = self
            .coordinator
            .ask(id, move |owner| {
                let workspace = workspace.to_string_lossy();
                let read = owner.store.journal.import(&workspace, &mut BufReader::new(file));
                let imported = read.map_err(|fault| failure(&shown, fault))?;
                owner.store.show_notes()?;
                Ok(imported)
            })
            .wait()?;
        let Imported { notes, loops, known } = imported;
        Ok(ImportedHistory { notes, loops, known })
    }
}

fn failure(path: &Path, fault: ImportFault) -> Failure {
    let not_ours =
        |line: u64| Failure::new(FailureKind::NotAnExport).with("path", path.display()).with("line", line);
    match fault {
        ImportFault::Line(line) => not_ours(line),
        ImportFault::Newer => Failure::new(FailureKind::NewerData),
        ImportFault::Read(error) => disk(path, &error),
        ImportFault::Journal(error) => Failure::own_data(error),
    }
}

fn disk(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(FailureKind::Disk).with("path", path.display()).with("reason", error)
}
