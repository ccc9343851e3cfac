//! Control requests: open until the loop answers, a newer one takes their place, or a person undoes them.

use super::{Entry, Error, Journal, LoopRef, Outcome, add_event, intent_word};
use loopdeck_core::control::Intent;
use loopdeck_core::times::Millis;
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
    pub fn settle(&mut self, entry: &Entry, outcome: Outcome, at: Millis) -> Result<(), Error> {
        let of = LoopRef { workspace: &entry.workspace, file: &entry.file };
        let transaction = self.database()?.transaction()?;
        transaction.execute(
            "UPDATE intents SET outcome = ?2, settled_at = ?3 WHERE id = ?1",
            params![entry.id, outcome.word(), at],
        )?;
        add_event(&transaction, of, "settled", outcome.word(), Some(entry.id), at)?;
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
    pub fn take_back(&mut self, entry: &Entry, older: Option<i64>, at: Millis) -> Result<(), Error> {
        self.settle(entry, Outcome::Refused, at)?;
        let reopen =
            "UPDATE intents SET outcome = 'open', settled_at = NULL WHERE id = ?1 AND outcome = 'superseded'";
        if let Some(older) = older {
            self.database()?.execute(reopen, [older])?;
        }
        Ok(())
    }

    /// Requests of `workspace` that were under way when the app ended, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_requests(&mut self, workspace: &str) -> Result<Vec<Entry>, Error> {
        let mut statement = self.database()?.prepare(
            "SELECT id, workspace, file, verb, reason, raise_limit_to, at, sent_again FROM intents
             WHERE outcome = 'open' AND workspace = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([workspace], entry)?;
        Ok(rows.collect::<rusqlite::Result<Vec<Option<Entry>>>>()?.into_iter().flatten().collect())
    }
}

/// Writes down a request; an older open one for the same loop ends with it.
pub(super) fn record(
    connection: &Connection,
    of: LoopRef<'_>,
    intent: &Intent,
    at: Millis,
) -> rusqlite::Result<Entry> {
    end_open(connection, of, Outcome::Superseded, at)?;
    let (verb, reason, raise) = columns(intent);
    connection.execute(
        "INSERT INTO intents (workspace, file, verb, reason, raise_limit_to, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![of.workspace, of.file, verb, reason, raise, at],
    )?;
    let id = connection.last_insert_rowid();
    add_event(connection, of, "requested", verb, Some(id), at)?;
    let (workspace, file) = (of.workspace.to_owned(), of.file.to_owned());
    Ok(Entry { id, workspace, file, intent: intent.clone(), at, sent_again: 0 })
}

/// Ends what is open for a loop.
pub(super) fn end_open(
    connection: &Connection,
    of: LoopRef<'_>,
    outcome: Outcome,
    at: Millis,
) -> rusqlite::Result<()> {
    let ended = connection.execute(
        "UPDATE intents SET outcome = ?4, settled_at = ?3 WHERE workspace = ?1 AND file = ?2 AND outcome = 'open'",
        params![of.workspace, of.file, at, outcome.word()],
    )?;
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

fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Entry>> {
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
    Ok(Some(Entry {
        id: row.get(0)?,
        workspace: row.get(1)?,
        file: row.get(2)?,
        intent,
        at: row.get(6)?,
        sent_again: row.get(7)?,
    }))
}
