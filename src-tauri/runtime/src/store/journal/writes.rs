//! Writes of ours: planned with both versions before the file is touched, landed or lost after.

use super::asking::Named;
use super::groups::UndoGroup;
use super::snapshots::{self, New, Writer};
use super::steps::{self, RemainingWrites};
use super::{Error, Journal, LoopRef, Outcome, RecordedRequest, requests};
use loopdeck_core::control::Intent;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use rusqlite::{Connection, params};

/// The word of a write that puts back what was before the last one.
pub const UNDO: &str = "undo";

/// The request behind a write.
#[derive(Clone, Copy, Debug)]
pub enum RequestLink<'a> {
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
    pub ask: RequestLink<'a>,
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
    pub fn plan_step(
        &mut self,
        plan: &Plan<'_>,
        step: Option<(&RemainingWrites, &str)>,
    ) -> Result<Planned, PlanFault> {
        let asker = self.behalf.name(plan.word);
        self.in_synced_transaction(|transaction| write_down(transaction, plan, step, asker.as_ref()))
    }

    /// Records several writes in one transaction with one fsync: all of them or none.
    ///
    /// # Errors
    /// As [`Journal::plan`]; then none of the files must be touched.
    pub fn plan_all(&mut self, plans: &[Plan<'_>]) -> Result<Vec<Planned>, PlanFault> {
        let askers: Vec<Option<Named>> = plans.iter().map(|plan| self.behalf.name(plan.word)).collect();
        self.in_synced_transaction(|transaction| {
            let mut added = 0;
            let planned = plans.iter().zip(&askers).map(|(plan, asker)| {
                let (planned, bytes) = write_down(transaction, plan, None, asker.as_ref())?;
                added += bytes;
                Ok(planned)
            });
            Ok((planned.collect::<Result<_, PlanFault>>()?, added))
        })
    }

    /// One transaction with an fsync; `write` also says how many bytes of content it added.
    fn in_synced_transaction<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> Result<(T, u64), PlanFault>,
    ) -> Result<T, PlanFault> {
        let not_recorded = |error: rusqlite::Error| PlanFault::NotRecorded(error.into());
        let connection = self.database().map_err(PlanFault::NotRecorded)?;
        let for_good =
            |on: bool| if on { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
        let in_one = |connection: &mut Connection| {
            let transaction = connection.transaction().map_err(not_recorded)?;
            let done = write(&transaction)?;
            transaction.commit().map_err(not_recorded)?;
            Ok(done)
        };
        let done =
            connection.execute_batch(for_good(true)).map_err(not_recorded).and_then(|()| in_one(connection));
        let _ = connection.execute_batch(for_good(false)); // only costs time when it stays
        self.changed();
        let (done, added) = done?;
        self.sizes.add(added);
        Ok(done)
    }

    /// Notes that a planned write is in the file, as version `stamp`.
    ///
    /// # Errors
    /// When the database cannot be written; the next start finds out.
    pub fn mark_landed(&mut self, planned: &Planned, stamp: Fingerprint) -> Result<(), Error> {
        self.note_landed(planned.event, planned.after, stamp)
    }

    /// The same for several writes, in one transaction.
    ///
    /// # Errors
    /// As [`Journal::landed`].
    pub fn mark_all_landed(&mut self, landed: &[(&Planned, Fingerprint)]) -> Result<(), Error> {
        let transaction = self.database()?.transaction()?;
        for (planned, stamp) in landed {
            note_landed(&transaction, planned.event, planned.after, *stamp)?;
        }
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// Notes that a planned write did not happen.
    ///
    /// # Errors
    /// As [`Journal::landed`].
    pub fn mark_lost(&mut self, planned: &Planned) -> Result<(), Error> {
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
        let transaction = self.database()?.transaction()?;
        note_landed(&transaction, event, after, stamp)?;
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
    pub fn unresolved_writes(&mut self, workspace: &str) -> Result<Vec<Unresolved>, Error> {
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
}

fn note_landed(connection: &Connection, event: i64, after: i64, stamp: Fingerprint) -> rusqlite::Result<()> {
    let (size, modified_ns, inode) = stamp.columns();
    connection.prepare_cached("UPDATE snapshots SET landed = 1 WHERE id = ?1")?.execute([after])?;
    connection
        .prepare_cached(
            "UPDATE events SET state = 'landed', size = ?2, modified_ns = ?3, inode = ?4 WHERE id = ?1",
        )?
        .execute(params![event, size, modified_ns, inode])?;
    Ok(())
}

/// The record of one write, and how many bytes of content it added.
fn write_down(
    connection: &Connection,
    plan: &Plan<'_>,
    step: Option<(&RemainingWrites, &str)>,
    asker: Option<&Named>,
) -> Result<(Planned, u64), PlanFault> {
    let not_recorded = |error: rusqlite::Error| PlanFault::NotRecorded(error.into());
    let (request, number) =
        record(connection, plan, asker.map(|named| &*named.asker)).map_err(not_recorded)?;
    let (before, after, added) =
        keep_both(connection, plan, number).map_err(|error| PlanFault::NoSnapshot(error.into()))?;
    let event = add_write(connection, plan, number, (before, after), asker).map_err(not_recorded)?;
    let step = step.map(|(rest, holder)| {
        steps::add(connection, plan.of, (plan.at, plan.group, plan.word), holder, Some(event), rest)
    });
    let step = step.transpose().map_err(not_recorded)?;
    Ok((Planned { event, after, request, step }, added))
}

fn record(
    connection: &Connection,
    plan: &Plan<'_>,
    asker: Option<&str>,
) -> rusqlite::Result<(Option<RecordedRequest>, Option<i64>)> {
    match plan.ask {
        RequestLink::New(intent) => {
            let entry = requests::record(connection, plan.of, intent, asker, plan.at)?;
            let number = entry.id;
            Ok((Some(entry), Some(number)))
        }
        RequestLink::Known(number) => Ok((None, Some(number))),
        RequestLink::None => Ok((None, None)),
        RequestLink::End => {
            requests::end_open(connection, plan.of, Outcome::Undone, plan.at).map(|()| (None, None))
        }
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
    connection
        .prepare_cached("UPDATE snapshots SET event = ?2 WHERE id = ?1")?
        .execute(params![after, event])?;
    Ok(event)
}
