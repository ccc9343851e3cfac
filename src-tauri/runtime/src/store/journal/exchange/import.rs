//! Taking an export in: notes that are newer than those here, and the history of loops that have none here.

use super::{FORM, Line, VersionContent};
use crate::store::journal::snapshots::{self, New, Writer};
use crate::store::journal::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use loopdeck_system::files::SIZE_LIMIT;
use rusqlite::{Connection, Transaction, params};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Read as _};
use std::path::{Component, Path};

/// The first line has a number in it. Whatever is no export is known by it.
const LONGEST_FIRST: u64 = 1 << 12;
/// A version of the largest state file, each of whose bytes is escaped.
const LONGEST_LINE: u64 = 6 * SIZE_LIMIT + (1 << 20);
/// What is kept of all workspaces, written in the same way, is smaller.
const LARGEST: u64 = 4 << 30;

/// How much was taken in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Loops whose notes are newer than those that were here.
    pub notes: u32,
    /// Loops whose history was not known here.
    pub loops: u32,
    /// Loops that have a history of their own here, which stays as it is.
    pub known: u32,
}

/// Why an import took nothing in.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    /// A line that is none of ours (1-based).
    #[error("line {0} is not from an export of Loopdeck")]
    Line(u64),
    /// A newer Loopdeck made the export.
    #[error("the export is from a newer version of Loopdeck")]
    Newer,
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] Error),
}

impl From<rusqlite::Error> for ImportFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Journal(error.into())
    }
}

impl Journal {
    /// Takes in what an export has, under `workspace`: notes that are newer than those here, and the history of loops that have none
    /// here. All of it or nothing.
    ///
    /// # Errors
    /// [`ImportFault`]; then nothing was taken in.
    pub fn import(&mut self, workspace: &str, input: &mut dyn BufRead) -> Result<Imported, ImportFault> {
        let notes = self.all_notes()?.into_iter().filter(|notes| notes.workspace == workspace);
        let notes_at = notes.map(|notes| (notes.file, notes.at.millis())).collect();
        let transaction = self.database()?.transaction().map_err(Error::from)?;
        let known = known_files(&transaction, workspace)?;
        let mut import = Import {
            transaction,
            workspace,
            known,
            notes_at,
            taken: HashSet::new(),
            skipped: HashSet::new(),
            notes: 0,
            added: 0,
        };
        let mut bytes = Vec::new();
        let mut read = 0;
        for number in 1.. {
            bytes.clear();
            if input.fill_buf()?.first().is_some_and(|byte| *byte != b'{' && !byte.is_ascii_whitespace()) {
                return Err(ImportFault::Line(number));
            }
            let longest = if number == 1 { LONGEST_FIRST } else { LONGEST_LINE };
            match input.take(longest + 1).read_until(b'\n', &mut bytes)? as u64 {
                0 => break,
                length if length > longest => return Err(ImportFault::Line(number)),
                length => read += length,
            }
            if read > LARGEST {
                return Err(ImportFault::Line(number));
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_slice(&bytes).map_err(|_| ImportFault::Line(number))?;
            match line {
                Line::Loopdeck { form } if form > FORM => return Err(ImportFault::Newer),
                Line::Loopdeck { .. } => (),
                _ if number == 1 => return Err(ImportFault::Line(number)),
                line => import.take(line).map_err(|fault| fault.unwrap_or(ImportFault::Line(number)))?,
            }
        }
        let (imported, added) = import.finish()?;
        self.sizes.add(added);
        self.changed();
        Ok(imported)
    }
}

/// Files of which there is a history here.
fn known_files(connection: &Connection, workspace: &str) -> Result<HashSet<String>, Error> {
    let sql = "SELECT file FROM snapshots WHERE workspace = ?1 UNION SELECT file FROM intents WHERE workspace = ?1
         UNION SELECT file FROM runs WHERE workspace = ?1 UNION SELECT file FROM verifications WHERE workspace = ?1";
    let mut found = connection.prepare(sql)?;
    let files = found.query_map([workspace], |row| row.get(0))?;
    Ok(files.collect::<Result<_, _>>()?)
}

struct Import<'a> {
    transaction: Transaction<'a>,
    workspace: &'a str,
    known: HashSet<String>,
    notes_at: HashMap<String, i64>,
    taken: HashSet<String>,
    skipped: HashSet<String>,
    notes: u32,
    /// Bytes of contents that are new.
    added: u64,
}

impl Import<'_> {
    /// Takes one line in; `Err(None)` when it cannot be one of ours.
    fn take(&mut self, line: Line) -> Result<(), Option<ImportFault>> {
        let file = line.file().to_owned();
        if !is_below(&file) {
            return Err(None);
        }
        if let Line::Notes { note, labels, at, .. } = line {
            return self.take_notes(&file, &note, &labels, at);
        }
        if self.known.contains(&file) {
            self.skipped.insert(file);
            return Ok(());
        }
        self.taken.insert(file);
        self.take_history(&line).map_err(|error| Some(ImportFault::from(error)))
    }

    fn take_notes(
        &mut self,
        file: &str,
        note: &str,
        labels: &[String],
        at: i64,
    ) -> Result<(), Option<ImportFault>> {
        if self.notes_at.get(file).is_some_and(|here| *here >= at) {
            return Ok(());
        }
        let labels = serde_json::to_string(labels).map_err(|_| None)?;
        let sql =
            "INSERT OR REPLACE INTO notes (workspace, file, note, labels, at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let kept = self.transaction.execute(sql, params![self.workspace, file, note, labels, at]);
        kept.map_err(|error| Some(ImportFault::from(error)))?;
        self.notes += 1;
        Ok(())
    }

    fn take_history(&mut self, line: &Line) -> rusqlite::Result<()> {
        let (database, workspace) = (&self.transaction, self.workspace);
        match line {
            Line::Request { file, verb, reason, raise_limit_to, at, outcome, settled_at, asker } => {
                // A request that was open elsewhere is not sent again here.
                let outcome = if outcome == "open" { "superseded" } else { outcome };
                let sql = "INSERT INTO intents
                     (workspace, file, verb, reason, raise_limit_to, at, outcome, settled_at, asker)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
                database.execute(
                    sql,
                    params![workspace, file, verb, reason, raise_limit_to, at, outcome, settled_at, asker],
                )?;
            }
            Line::Version { file, at, ours, readable, content } => {
                let bytes = match content {
                    VersionContent::Text(text) => text.as_bytes(),
                    VersionContent::Bytes(bytes) => bytes,
                };
                let new = New {
                    of: LoopRef { workspace, file },
                    at: Timestamp::from_millis(*at),
                    bytes,
                    who: if *ours { Writer::Ours } else { Writer::Foreign },
                    intent: None,
                    readable: *readable,
                    landed: true,
                };
                self.added += snapshots::keep(database, &new)?.1;
            }
            Line::Event { file, at, what, word, asker, refused } if what != "write" => {
                let sql = "INSERT INTO events (workspace, file, at, kind, word, asker, state)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                database.execute(sql, params![workspace, file, at, what, word, asker, refused])?;
            }
            Line::Run { file, id, started, run } => {
                let sql = "INSERT OR IGNORE INTO runs (id, workspace, file, started, alive, run)
                     VALUES (?1, ?2, ?3, ?4, 0, ?5)";
                database.execute(sql, params![id, workspace, file, started, run.to_string()])?;
            }
            Line::Verification { file, started, verification } => {
                let sql = "INSERT OR IGNORE INTO verifications (workspace, file, started, verification)
                     VALUES (?1, ?2, ?3, ?4)";
                database.execute(sql, params![workspace, file, started, verification.to_string()])?;
            }
            Line::Event { .. } | Line::Notes { .. } | Line::Loopdeck { .. } => (),
        }
        Ok(())
    }

    fn finish(self) -> Result<(Imported, u64), Error> {
        self.transaction.commit()?;
        let count = |files: &HashSet<String>| u32::try_from(files.len()).unwrap_or(u32::MAX);
        let imported = Imported { notes: self.notes, loops: count(&self.taken), known: count(&self.skipped) };
        Ok((imported, self.added))
    }
}

/// Whether a name is one of a file below a workspace. It is never opened; but nothing else can be a loop.
fn is_below(file: &str) -> bool {
    !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}
