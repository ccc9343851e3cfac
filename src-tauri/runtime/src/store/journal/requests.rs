//! Control requests: open until the loop answers, a newer one takes their place, or a person undoes them.

use super::{Error, Journal, LoopRef, Outcome, RecordedRequest, add_event, intent_word};
use loopdeck_core::control::Intent;
use loopdeck_core::past::Asker;
use loopdeck_core::times::Timestamp;
use rusqlite::{Connection, params};

impl Journal {
    /// Notes that a request was written once more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn sent_again(&mut self, id: i64, times: u32) -> Result<(), Error> {
        let connection = self.database()?;
        connection.execute("UPDATE intents SET sent_again = ?2 WHERE id = ?1", params![id, times])?;
        self.changed();
        Ok(())
    }

    /// Notes how a request ended.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn settle(&mut self, entry: &RecordedRequest, outcome: Outcome, at: Timestamp) -> Result<(), Error> {
        let transaction = self.database()?.transaction()?;
        end(&transaction, entry, outcome, at)?;
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// Whether nothing has taken the place of a request and nothing has ended it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_open(&mut self, id: i64) -> Result<bool, Error> {
        let statement = "SELECT outcome = 'open' FROM intents WHERE id = ?1";
        Ok(self.database()?.query_row(statement, [id], |row| row.get(0))?)
    }

    /// Notes that a request could not be carried out; the older one that it had superseded is open again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_back(
        &mut self,
        entry: &RecordedRequest,
        older: Option<i64>,
        at: Timestamp,
    ) -> Result<(), Error> {
        let reopen =
            "UPDATE intents SET outcome = 'open', settled_at = NULL WHERE id = ?1 AND outcome = 'superseded'";
        let transaction = self.database()?.transaction()?;
        end(&transaction, entry, Outcome::Refused, at)?;
        if let Some(older) = older {
            transaction.execute(reopen, [older])?;
        }
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// Notes the step of a redirect or hold that was written, so that the guard of its loop can write it again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_redirect(&mut self, of: LoopRef<'_>, step: &str, at: Timestamp) -> Result<(), Error> {
        self.database()?.execute(
            "INSERT INTO intents (workspace, file, verb, reason, at, outcome) VALUES (?1, ?2, 'redirect', ?3, ?4, 'settled')",
            params![of.workspace, of.file, step, at.millis()],
        )?;
        self.changed();
        Ok(())
    }

    /// Requests of `workspace` that were under way when the app ended, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_requests(&mut self, workspace: &str) -> Result<Vec<RecordedRequest>, Error> {
        let mut statement = self.database()?.prepare(
            "SELECT id, workspace, file, verb, reason, raise_limit_to, at, sent_again, asker FROM intents
             WHERE outcome = 'open' AND workspace = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([workspace], entry)?;
        Ok(rows.collect::<rusqlite::Result<Vec<Option<RecordedRequest>>>>()?.into_iter().flatten().collect())
    }

    /// Requests of `workspace` that another tool overruled after `since`, and when; those after which nothing else was
    /// requested or written by us.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn overruled_requests(
        &mut self,
        workspace: &str,
        since: Timestamp,
    ) -> Result<Vec<(RecordedRequest, Timestamp)>, Error> {
        let mut statement = self.database()?.prepare_cached(
            "SELECT id, workspace, file, verb, reason, raise_limit_to, at, sent_again, asker, settled_at
             FROM intents i
             WHERE outcome = 'overruled' AND workspace = ?1 AND settled_at >= ?2
             AND NOT EXISTS (SELECT 1 FROM intents n WHERE n.workspace = ?1 AND n.file = i.file AND n.id > i.id)
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.workspace = ?1 AND e.file = i.file AND e.kind = 'write'
                 AND e.state = 'landed' AND e.at > i.settled_at)",
        )?;
        let row = |row: &rusqlite::Row<'_>| Ok((entry(row)?, Timestamp::from_millis(row.get(9)?)));
        let rows = statement.query_map(params![workspace, since.millis()], row)?;
        let rows = rows.collect::<rusqlite::Result<Vec<(Option<RecordedRequest>, Timestamp)>>>()?;
        Ok(rows.into_iter().filter_map(|(entry, at)| Some((entry?, at))).collect())
    }
}

fn end(
    connection: &Connection,
    entry: &RecordedRequest,
    outcome: Outcome,
    at: Timestamp,
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE intents SET outcome = ?2, settled_at = ?3 WHERE id = ?1",
        params![entry.id, outcome.word(), at.millis()],
    )?;
    let of = LoopRef { workspace: &entry.workspace, file: &entry.file };
    add_event(connection, of, "settled", outcome.word(), Some(entry.id), at)
}

/// Writes down a request; an older open one for the same loop ends with it.
pub(super) fn record(
    connection: &Connection,
    of: LoopRef<'_>,
    intent: &Intent,
    asker: Option<&str>,
    at: Timestamp,
) -> rusqlite::Result<RecordedRequest> {
    end_open(connection, of, Outcome::Superseded, at)?;
    let (verb, reason, raise) = columns(intent);
    connection
        .prepare_cached(
            "INSERT INTO intents (workspace, file, verb, reason, raise_limit_to, at, asker)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![of.workspace, of.file, verb, reason, raise, at.millis(), asker])?;
    let id = connection.last_insert_rowid();
    add_event(connection, of, "requested", verb, Some(id), at)?;
    let (workspace, file) = (of.workspace.to_owned(), of.file.to_owned());
    let asker = asker.and_then(Asker::parse);
    Ok(RecordedRequest { id, workspace, file, intent: intent.clone(), at, sent_again: 0, asker })
}

/// Ends what is open for a loop.
pub(super) fn end_open(
    connection: &Connection,
    of: LoopRef<'_>,
    outcome: Outcome,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let ended = connection
        .prepare_cached(
            "UPDATE intents SET outcome = ?4, settled_at = ?3
             WHERE workspace = ?1 AND file = ?2 AND outcome = 'open'",
        )?
        .execute(params![of.workspace, of.file, at.millis(), outcome.word()])?;
    if ended > 0 {
        add_event(connection, of, "settled", outcome.word(), None, at)?;
    }
    Ok(())
}

fn columns(intent: &Intent) -> (&'static str, Option<&str>, Option<u32>) {
    let verb = intent_word(intent);
    match intent {
        Intent::Stop { reason } => (verb, reason.as_deref(), None),
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            (verb, None, *raise_limit_to)
        }
        _ => (verb, None, None),
    }
}

fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<RecordedRequest>> {
    let verb: String = row.get(3)?;
    let raise_limit_to: Option<u32> = row.get(5)?;
    let intent = match verb.as_str() {
        "start" => Intent::Start,
        "pause" => Intent::Pause,
        "resume" => Intent::Resume { raise_limit_to },
        "stop" => Intent::Stop { reason: row.get(4)? },
        "reopen" => Intent::Reopen { raise_limit_to },
        "finalise" => Intent::Finalise,
        _ => return Ok(None), // a later version's verb: leave it alone
    };
    Ok(Some(RecordedRequest {
        id: row.get(0)?,
        workspace: row.get(1)?,
        file: row.get(2)?,
        intent,
        at: Timestamp::from_millis(row.get(6)?),
        sent_again: row.get(7)?,
        asker: row.get::<_, Option<String>>(8)?.as_deref().and_then(Asker::parse),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;

    #[test]
    fn a_request_is_taken_back_whole_or_not_at_all() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: "f" };
        let older = record(journal.database()?, of, &Intent::Pause, None, Timestamp::from_millis(1))?;
        let newer = record(
            journal.database()?,
            of,
            &Intent::Resume { raise_limit_to: None },
            None,
            Timestamp::from_millis(2),
        )?;
        let open = |journal: &mut Journal| -> Result<[bool; 2], Error> {
            Ok([journal.is_open(older.id)?, journal.is_open(newer.id)?])
        };
        journal.database()?.execute_batch(
            "CREATE TEMP TRIGGER broken BEFORE UPDATE ON intents WHEN NEW.outcome = 'open'
             BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
        )?;
        assert!(journal.take_back(&newer, Some(older.id), Timestamp::from_millis(3)).is_err());
        assert_eq!(open(&mut journal)?, [false, true], "no request is lost");
        journal.database()?.execute_batch("DROP TRIGGER broken")?;
        journal.take_back(&newer, Some(older.id), Timestamp::from_millis(4))?;
        assert_eq!(open(&mut journal)?, [true, false]);
        Ok(())
    }
}
