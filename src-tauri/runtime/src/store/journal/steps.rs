//! Steps that write several files, one after the other: what is still to be done is known before the first is touched, so
//! that a kill in between is completed or taken back.

use super::{Error, Journal, LoopRef, UndoGroup, leases};
use loopdeck_core::outcome::FileWrite;
use loopdeck_core::times::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS steps (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL,
        word TEXT NOT NULL,
        holder TEXT NOT NULL,
        event INTEGER,
        what TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS steps_of_workspace ON steps (workspace);
";

/// A text that a step writes next to the state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepText {
    /// What is written.
    pub write: FileWrite,
    /// Finds what was there before; `None` when there was no file.
    pub was: Option<i64>,
}

/// What a step does after its first write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RemainingWrites {
    /// Writes texts next to the state file.
    Write {
        /// In their order.
        texts: Vec<StepText>,
    },
    /// Puts back what other writes replaced.
    PutBack {
        /// Their group.
        of: UndoGroup,
        /// A person's undo, which can itself be undone; otherwise the step could not be done whole.
        undo: bool,
    },
}

/// A step that is not known to be whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenStep {
    id: i64,
    holder: String,
    /// State file below the workspace.
    pub file: String,
    /// When it began.
    pub at: Timestamp,
    /// The group of its writes.
    pub group: UndoGroup,
    /// What it is for, as in [`super::Plan::word`].
    pub word: String,
    /// What it does.
    pub rest: RemainingWrites,
}

/// A write of a step, as far as the journal knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWrite {
    /// Whether it is known to have landed (and may have been taken back since).
    pub landed: bool,
    /// What it meant to write; `None` when that is not kept.
    pub bytes: Option<Vec<u8>>,
}

impl Journal {
    /// Writes down that the writes of the group `of` are to be put back, by those of another group; answers its number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn begin_restoring(
        &mut self,
        loop_ref: LoopRef<'_>,
        (of, undo): (UndoGroup, bool),
        (at, group): (Timestamp, UndoGroup),
        holder: &str,
    ) -> Result<i64, Error> {
        let rest = RemainingWrites::PutBack { of, undo };
        let added = add(self.database()?, loop_ref, (at, group, super::UNDO), holder, None, &rest)?;
        self.changed();
        Ok(added)
    }

    /// Notes that a step is whole, or that nothing is left of it.
    ///
    /// # Errors
    /// When the database cannot be written; then the next start checks it again.
    pub fn end_step(&mut self, id: i64) -> Result<(), Error> {
        self.database()?.execute("DELETE FROM steps WHERE id = ?1", [id])?;
        self.changed();
        Ok(())
    }

    /// Steps in `workspace` whose process is gone, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn left_steps(&mut self, workspace: &str) -> Result<Vec<OpenStep>, Error> {
        let mut statement = self.database()?.prepare_cached(
            "SELECT id, holder, file, at, word, what, undo_group FROM steps WHERE workspace = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([workspace], |row| {
            let what: String = row.get(5)?;
            let step = |rest| {
                Ok(OpenStep {
                    id: row.get(0)?,
                    holder: row.get(1)?,
                    file: row.get(2)?,
                    at: Timestamp::from_millis(row.get(3)?),
                    group: UndoGroup::from_column(row.get(6)?),
                    word: row.get(4)?,
                    rest,
                })
            };
            serde_json::from_str(&what).ok().map(step).transpose() // a later version's step: left alone
        })?;
        let steps = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten();
        Ok(steps.filter(|step| !leases::is_alive(&step.holder)).collect())
    }

    /// Takes a step that was left, so that no other process completes it; `None` when another one was faster.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_step(&mut self, step: &OpenStep, holder: &str) -> Result<Option<i64>, Error> {
        let taken = self.database()?.execute(
            "UPDATE steps SET holder = ?3 WHERE id = ?1 AND holder = ?2",
            params![step.id, step.holder, holder],
        )?;
        Ok((taken > 0).then_some(step.id))
    }

    /// The last write to `of` that was planned in a group and not given up.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn step_write(&mut self, of: LoopRef<'_>, group: UndoGroup) -> Result<Option<StepWrite>, Error> {
        let mut found = self.database()?.prepare_cached(
            "SELECT e.state <> 'planned', c.bytes FROM events e LEFT JOIN snapshots s ON s.id = e.after
             LEFT JOIN contents c ON c.id = s.content
             WHERE e.workspace = ?1 AND e.file = ?2 AND e.undo_group = ?3 AND e.kind = 'write' AND e.state <> 'lost'
             ORDER BY e.id DESC LIMIT 1",
        )?;
        let write = |row: &rusqlite::Row<'_>| Ok(StepWrite { landed: row.get(0)?, bytes: row.get(1)? });
        Ok(found.query_row(params![of.workspace, of.file, group.column()], write).optional()?)
    }

    /// Notes that the planned writes to `of` of a group never happened.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn give_up_planned(&mut self, of: LoopRef<'_>, group: UndoGroup) -> Result<(), Error> {
        let planned = params![of.workspace, of.file, group.column()];
        let those =
            "workspace = ?1 AND file = ?2 AND undo_group = ?3 AND kind = 'write' AND state = 'planned'";
        let transaction = self.database()?.transaction()?;
        transaction.execute(
            &format!("DELETE FROM snapshots WHERE id IN (SELECT after FROM events WHERE {those})"),
            planned,
        )?;
        transaction.execute(&format!("UPDATE events SET state = 'lost' WHERE {those}"), planned)?;
        transaction.commit()?;
        self.changed();
        Ok(())
    }
}

/// Writes a step down, as a part of the transaction of its first write.
pub(super) fn add(
    connection: &Connection,
    of: LoopRef<'_>,
    (at, group, word): (Timestamp, UndoGroup, &str),
    holder: &str,
    event: Option<i64>,
    rest: &RemainingWrites,
) -> rusqlite::Result<i64> {
    let what = serde_json::to_string(rest)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection
        .prepare_cached(
            "INSERT INTO steps (workspace, file, at, word, holder, event, what, undo_group)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![of.workspace, of.file, at.millis(), word, holder, event, what, group.column()])?;
    Ok(connection.last_insert_rowid())
}
