//! Writes of ours: planned with both versions before the file is touched, landed or lost after.

use super::asking::Named;
use super::groups::UndoGroup;
use super::snapshots::{self, New, Writer};
use super::steps::{self, Rest};
use super::{Error, Journal, LoopRef, Outcome, RecordedRequest, requests};
use loopdeck_core::control::Intent;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use rusqlite::{Connection, OptionalExtension as _, params};

/// The word of a write that puts back what was before the last one.
pub const UNDO: &str = "undo";

/// The request behind a write.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// A new one, written down together with the versions; what was open ends.
    New(&'a Intent),
    /// One that is known by its number.
    Known(i64),
    /// None; the open request remains (edited metadata).
    None,
    /// None, and what was open ends: an older version is put back.
    End,
}

/// A write about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Which loop.
    pub of: LoopRef<'a>,
    /// What it is for: the verb's word, [`UNDO`] or `restore`.
    pub word: &'a str,
    /// The request that caused it.
    pub ask: Ask<'a>,
    /// The current content, when it was written, and whether it is readable.
    pub before: (&'a [u8], Timestamp, bool),
    /// The new content, and whether it is readable.
    pub after: (&'a [u8], bool),
    /// The last sign of life of anybody else.
    pub life: Timestamp,
    /// Now.
    pub at: Timestamp,
    /// The change that it belongs to.
    pub group: UndoGroup,
}

/// A plan that is written down.
#[derive(Debug)]
pub struct Planned {
    event: i64,
    after: i64,
    /// The request, when it was a new one.
    pub request: Option<RecordedRequest>,
    /// The step that it begins, see [`Journal::plan_step`].
    pub step: Option<i64>,
}

/// Why a write must not be made.
#[derive(Debug)]
pub enum PlanFault {
    /// The request itself could not be written down.
    NotRecorded(Error),
    /// It could not be made undoable.
    NoSnapshot(Error),
}

/// A landed write of ours on a loop or a companion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWrite {
    event: i64,
    /// When.
    pub at: Timestamp,
    /// The change that it belongs to.
    pub group: UndoGroup,
    /// State file below the workspace.
    pub file: String,
    /// Version it replaced.
    pub before: i64,
    /// Version it wrote.
    pub after: i64,
    /// Which version of the file that is.
    pub stamp: Fingerprint,
    /// The last sign of life of anybody else then.
    pub life: Timestamp,
}

/// A write of which it is unknown whether it landed: the app ended in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    event: i64,
    after: i64,
    /// State file below the workspace.
    pub file: String,
    /// When it was planned.
    pub at: Timestamp,
    /// What it meant to write.
    pub bytes: Vec<u8>,
}

impl Journal {
    /// Records a write with both versions, durably (fsync), before the file is touched.
    ///
    /// # Errors
    /// When any part cannot be written down; then the file must not be touched.
    pub fn plan(&mut self, plan: &Plan<'_>) -> Result<Planned, PlanFault> {
        self.plan_step(plan, None)
    }

    /// The same for the first write of a step: with it, for the process `holder`, what the step does after it.
    ///
    /// # Errors
    /// As [`Journal::plan`].
    pub fn plan_step(&mut self, plan: &Plan<'_>, step: Option<(&Rest, &str)>) -> Result<Planned, PlanFault> {
        let asker = self.behalf.name(plan.word);
        let connection = self.database().map_err(PlanFault::NotRecorded)?;
        let for_good =
            |on: bool| if on { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
        let done = connection
            .execute_batch(for_good(true))
            .map_err(|error| PlanFault::NotRecorded(error.into()))
            .and_then(|()| write_down(connection, plan, step, asker.as_ref()));
        let _ = connection.execute_batch(for_good(false)); // only costs time when it stays
        self.changed();
        let (planned, added) = done?;
        self.sizes.add(added);
        Ok(planned)
    }

    /// Notes that a planned write is in the file, as version `stamp`.
    ///
    /// # Errors
    /// When the database cannot be written; the next start finds out.
    pub fn landed(&mut self, planned: &Planned, stamp: Fingerprint) -> Result<(), Error> {
        self.note_landed(planned.event, planned.after, stamp)
    }

    /// Notes that a planned write did not happen.
    ///
    /// # Errors
    /// As [`Journal::landed`].
    pub fn lost(&mut self, planned: &Planned) -> Result<(), Error> {
        self.note_lost(planned.event, planned.after)
    }

    /// Decides on a write that the app did not see the end of: `stamp` when the file has its bytes.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn resolve(&mut self, write: &Unresolved, stamp: Option<Fingerprint>) -> Result<(), Error> {
        match stamp {
            Some(stamp) => self.note_landed(write.event, write.after, stamp),
            None => self.note_lost(write.event, write.after),
        }
    }

    fn note_landed(&mut self, event: i64, after: i64, stamp: Fingerprint) -> Result<(), Error> {
        let (size, modified_ns, inode) = stamp.columns();
        let transaction = self.database()?.transaction()?;
        transaction.execute("UPDATE snapshots SET landed = 1 WHERE id = ?1", [after])?;
        transaction.execute(
            "UPDATE events SET state = 'landed', size = ?2, modified_ns = ?3, inode = ?4 WHERE id = ?1",
            params![event, size, modified_ns, inode],
        )?;
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    fn note_lost(&mut self, event: i64, after: i64) -> Result<(), Error> {
        let transaction = self.database()?.transaction()?;
        transaction.execute("DELETE FROM snapshots WHERE id = ?1", [after])?;
        transaction.execute("UPDATE events SET state = 'lost' WHERE id = ?1", [event])?;
        transaction.execute("DELETE FROM steps WHERE event = ?1", [event])?;
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// Writes in `workspace` of which it is unknown whether they landed, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unresolved(&mut self, workspace: &str) -> Result<Vec<Unresolved>, Error> {
        let mut statement = self.database()?.prepare_cached(
            "SELECT e.id, e.after, e.file, e.at, c.bytes FROM events e
             JOIN snapshots s ON s.id = e.after JOIN contents c ON c.id = s.content
             WHERE e.state = 'planned' AND e.workspace = ?1 ORDER BY e.id",
        )?;
        let rows = statement.query_map([workspace], |row| {
            Ok(Unresolved {
                event: row.get(0)?,
                after: row.get(1)?,
                file: row.get(2)?,
                at: Timestamp::from_millis(row.get(3)?),
                bytes: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What the last redirect or hold of a loop wrote; nothing when an older version was put back since.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_redirect(&mut self, of: LoopRef<'_>) -> Result<Option<Vec<u8>>, Error> {
        let mut statement = self.database()?.prepare_cached(
            "SELECT c.bytes FROM events e
             JOIN snapshots s ON s.id = e.after JOIN contents c ON c.id = s.content
             WHERE e.workspace = ?1 AND e.file = ?2 AND e.kind = 'write' AND e.state = 'landed'
             AND e.word = 'redirect'
             AND NOT EXISTS (SELECT 1 FROM events n WHERE n.workspace = ?1 AND n.file = ?2 AND n.kind = 'write'
                 AND n.state = 'landed' AND n.id > e.id AND n.word IN ('undo', 'restore', 'recover'))
             ORDER BY e.id DESC LIMIT 1",
        )?;
        Ok(statement.query_row(params![of.workspace, of.file], |row| row.get(0)).optional()?)
    }

    /// The last landed write of each loop in `workspace`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_writes(&mut self, workspace: &str) -> Result<Vec<LastWrite>, Error> {
        let mut statement = self.database()?.prepare(
            "SELECT file, before, after, size, modified_ns, inode, life, at, max(id), undo_group FROM events
             WHERE kind = 'write' AND state IN ('landed', 'taken_back') AND workspace = ?1 GROUP BY file",
        )?;
        let rows = statement.query_map([workspace], last_write)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The last landed writes of one loop that belong together: on its state file and on its companions (`beside`: whole paths, or their
    /// folders with a slash). In the order in which they were made; empty when there are none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_group(&mut self, of: LoopRef<'_>, beside: &[String; 4]) -> Result<Vec<LastWrite>, Error> {
        // What another program wrote is nothing that a person could undo.
        let of_loop = format!(
            "{OF_LOOP} AND kind = 'write' AND state = 'landed' AND NOT (word = 'late' AND file <> ?2)"
        );
        let newest = format!("SELECT undo_group FROM events WHERE {of_loop} ORDER BY id DESC LIMIT 1");
        let [a, b, c, d] = beside;
        let named = params![of.workspace, of.file, a, b, c, d];
        let connection = self.database()?;
        let group =
            connection.query_row(&newest, named, |row| row.get(0).map(UndoGroup::from_column)).optional()?;
        group.map_or(Ok(Vec::new()), |group| self.writes_in_group(of, beside, group))
    }

    /// The landed writes of a group, see [`Journal::last_group`].
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn writes_in_group(
        &mut self,
        of: LoopRef<'_>,
        beside: &[String; 4],
        group: UndoGroup,
    ) -> Result<Vec<LastWrite>, Error> {
        let writes = format!(
            "SELECT file, before, after, size, modified_ns, inode, life, at, id, undo_group FROM events
             WHERE {OF_LOOP} AND kind = 'write' AND state = 'landed' AND undo_group = ?7 ORDER BY id"
        );
        let [a, b, c, d] = beside;
        let mut statement = self.database()?.prepare_cached(&writes)?;
        let rows =
            statement.query_map(params![of.workspace, of.file, a, b, c, d, group.column()], last_write)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Notes that a part of something that could not be done whole was taken back: nothing is left to undo.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn taken_back(&mut self, write: &LastWrite) -> Result<(), Error> {
        self.database()?.execute("UPDATE events SET state = 'taken_back' WHERE id = ?1", [write.event])?;
        self.changed();
        Ok(())
    }
}

/// Events of a loop and of its companions.
pub(super) const OF_LOOP: &str = "workspace = ?1 AND (file = ?2 OR file = ?3
    OR substr(file, 1, length(?4)) = ?4 OR substr(file, 1, length(?5)) = ?5 OR substr(file, 1, length(?6)) = ?6)";

fn last_write(row: &rusqlite::Row<'_>) -> rusqlite::Result<LastWrite> {
    Ok(LastWrite {
        file: row.get(0)?,
        before: row.get(1)?,
        after: row.get(2)?,
        stamp: Fingerprint::from_columns((row.get(3)?, row.get(4)?, row.get(5)?)),
        life: Timestamp::from_millis(row.get(6)?),
        at: Timestamp::from_millis(row.get(7)?),
        event: row.get(8)?,
        group: UndoGroup::from_column(row.get(9)?),
    })
}

/// One transaction: all of it or nothing.
fn write_down(
    connection: &mut Connection,
    plan: &Plan<'_>,
    step: Option<(&Rest, &str)>,
    asker: Option<&Named>,
) -> Result<(Planned, u64), PlanFault> {
    let not_recorded = |error: rusqlite::Error| PlanFault::NotRecorded(error.into());
    let transaction = connection.transaction().map_err(not_recorded)?;
    let (request, number) =
        record(&transaction, plan, asker.map(|named| &*named.asker)).map_err(not_recorded)?;
    let (before, after, added) =
        keep_both(&transaction, plan, number).map_err(|error| PlanFault::NoSnapshot(error.into()))?;
    let event = add_write(&transaction, plan, number, (before, after), asker).map_err(not_recorded)?;
    let step = step.map(|(rest, holder)| {
        steps::add(&transaction, plan.of, (plan.at, plan.group, plan.word), holder, Some(event), rest)
    });
    let step = step.transpose().map_err(not_recorded)?;
    transaction.commit().map_err(not_recorded)?;
    Ok((Planned { event, after, request, step }, added))
}

fn record(
    connection: &Connection,
    plan: &Plan<'_>,
    asker: Option<&str>,
) -> rusqlite::Result<(Option<RecordedRequest>, Option<i64>)> {
    match plan.ask {
        Ask::New(intent) => {
            let entry = requests::record(connection, plan.of, intent, asker, plan.at)?;
            let number = entry.id;
            Ok((Some(entry), Some(number)))
        }
        Ask::Known(number) => Ok((None, Some(number))),
        Ask::None => Ok((None, None)),
        Ask::End => requests::end_open(connection, plan.of, Outcome::Undone, plan.at).map(|()| (None, None)),
    }
}

fn keep_both(
    connection: &Connection,
    plan: &Plan<'_>,
    intent: Option<i64>,
) -> rusqlite::Result<(i64, i64, u64)> {
    let (bytes, at, readable) = plan.before;
    let before = New { of: plan.of, at, bytes, who: Writer::Foreign, intent: None, readable, landed: true };
    let (before, first) = snapshots::keep_unless_newest(connection, &before)?;
    let (bytes, readable) = plan.after;
    let (who, at) = (Writer::Ours, plan.at);
    let after = New { of: plan.of, at, bytes, who, intent, readable, landed: false };
    let (after, second) = snapshots::keep(connection, &after)?;
    Ok((before, after, first + second))
}

fn add_write(
    connection: &Connection,
    plan: &Plan<'_>,
    intent: Option<i64>,
    (before, after): (i64, i64),
    asker: Option<&Named>,
) -> rusqlite::Result<i64> {
    let (of, at, word) = (plan.of, plan.at, plan.word);
    connection
        .prepare_cached(
            "INSERT INTO events (workspace, file, at, kind, word, intent, before, after, state, life,
                 undo_group, asker, command)
             VALUES (?1, ?2, ?3, 'write', ?4, ?5, ?6, ?7, 'planned', ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            of.workspace,
            of.file,
            at.millis(),
            word,
            intent,
            before,
            after,
            plan.life.millis(),
            plan.group.column(),
            asker.map(|named| &named.asker),
            asker.map(|named| &named.command)
        ])?;
    let event = connection.last_insert_rowid();
    connection.execute("UPDATE snapshots SET event = ?2 WHERE id = ?1", params![after, event])?;
    Ok(event)
}
