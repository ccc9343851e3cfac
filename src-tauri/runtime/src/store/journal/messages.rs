//! Messages to the agents of a loop, and which run has them in its prompt.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::records::LoopMessage;
use rusqlite::{Connection, params};

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS messages (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL,
        by TEXT NOT NULL,
        about TEXT NOT NULL,
        text TEXT NOT NULL,
        run TEXT,
        heard_at INTEGER
    );
    CREATE INDEX IF NOT EXISTS messages_of_loop ON messages (workspace, file, id);
";

/// What came later: a number is never used again, and a message is delivered.
pub(super) const DELIVERED: &str = "
    ALTER TABLE messages RENAME TO earlier_messages;
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL,
        by TEXT NOT NULL,
        about TEXT NOT NULL,
        text TEXT NOT NULL,
        run TEXT,
        delivered_at INTEGER
    );
    INSERT INTO messages SELECT * FROM earlier_messages;
    DROP TABLE earlier_messages;
    CREATE INDEX messages_of_loop ON messages (workspace, file, id);
";

/// A prompt has room for so many.
const MOST: u32 = 30;

/// Lets a journal of an earlier version be read like one of this: it has no messages, or it calls their delivery otherwise.
pub(super) fn read_earlier(connection: &Connection) -> Result<(), Error> {
    let has = |column: &str| connection.prepare(&format!("SELECT {column} FROM messages LIMIT 1")).is_ok();
    let columns = "id, workspace, file, at, by, about, text, run";
    if has("delivered_at") {
        return Ok(());
    }
    connection.execute_batch(&if has("heard_at") {
        format!("CREATE TEMP VIEW messages AS SELECT {columns}, heard_at AS delivered_at FROM main.messages")
    } else {
        format!("CREATE TEMP TABLE messages ({columns}, delivered_at)")
    })?;
    Ok(())
}

impl Journal {
    /// Keeps a message of `by`; answers its number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_message(
        &mut self,
        of: LoopRef<'_>,
        (by, about, text): (&str, &str, &str),
        at: Timestamp,
    ) -> Result<i64, Error> {
        let database = self.database()?;
        database.execute(
            "INSERT INTO messages (workspace, file, at, by, about, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![of.workspace, of.file, at.millis(), by, about, text],
        )?;
        let id = database.last_insert_rowid();
        self.changed();
        Ok(id)
    }

    /// Forgets a message that is not delivered. Whether there was one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove_message(&mut self, of: LoopRef<'_>, id: i64) -> Result<bool, Error> {
        let removed = self.database()?.execute(
            "DELETE FROM messages WHERE workspace = ?1 AND file = ?2 AND id = ?3 AND run IS NULL",
            params![of.workspace, of.file, id],
        )?;
        self.changed();
        Ok(removed > 0)
    }

    /// The messages to a loop, oldest first; the newest 30.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn messages(&mut self, of: LoopRef<'_>) -> Result<Vec<LoopMessage>, Error> {
        let sql = "SELECT id, at, by, about, text, run, delivered_at FROM messages
             WHERE workspace = ?1 AND file = ?2 ORDER BY id DESC LIMIT ?3";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file, MOST], |row| {
            let delivered = row.get::<_, Option<String>>(5)?.zip(row.get::<_, Option<i64>>(6)?);
            Ok(LoopMessage {
                id: row.get(0)?,
                at: Timestamp::from_millis(row.get(1)?),
                by: row.get(2)?,
                about: row.get(3)?,
                text: row.get(4)?,
                delivered: delivered.map(|(run, at)| (run, Timestamp::from_millis(at))),
            })
        })?;
        let mut messages = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        messages.reverse();
        Ok(messages)
    }

    /// Records that the run `run` has the messages up to the number `newest` in its prompt.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_delivered(
        &mut self,
        of: LoopRef<'_>,
        newest: i64,
        run: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.database()?.execute(
            "UPDATE messages SET run = ?4, delivered_at = ?5
             WHERE workspace = ?1 AND file = ?2 AND id <= ?3 AND run IS NULL",
            params![of.workspace, of.file, newest, run, now.millis()],
        )?;
        self.changed();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;

    const OF: LoopRef<'_> = LoopRef { workspace: "/w", file: "a" };

    #[test]
    fn a_message_can_be_withdrawn_until_it_is_delivered() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let at = Timestamp::from_millis;
        let first = journal.add_message(OF, ("ann", "", "Use the new port."), at(1))?;
        let second = journal.add_message(OF, ("ann", "a.rs:3", "Why?"), at(2))?;
        let other = LoopRef { file: "b", ..OF };
        journal.add_message(other, ("ann", "", "elsewhere"), at(3))?;
        journal.note_delivered(OF, first, "run-1", at(4))?;
        journal.note_delivered(OF, first, "run-2", at(5))?;
        let delivered: Vec<_> = journal.messages(OF)?.into_iter().map(|message| message.delivered).collect();
        assert_eq!(delivered, [Some(("run-1".to_owned(), at(4))), None]);
        assert!(!journal.remove_message(OF, first)?, "it is in the prompt of a run");
        assert!(!journal.remove_message(other, second)?, "of another loop");
        assert!(journal.remove_message(OF, second)?);
        assert_eq!((journal.messages(OF)?.len(), journal.messages(other)?.len()), (1, 1));
        for n in 0..i64::from(MOST) {
            journal.add_message(OF, ("ann", "", &n.to_string()), at(n))?;
        }
        let kept = journal.messages(OF)?;
        assert_eq!((kept.len(), kept[0].text.as_str(), kept[29].text.as_str()), (30, "0", "29"));
        journal.forget_way(OF)?;
        assert_eq!((journal.messages(OF)?.len(), journal.messages(other)?.len()), (0, 1));
        Ok(())
    }

    #[test]
    fn a_journal_of_an_earlier_version_is_read_as_one_without_messages() {
        let connection = Connection::open_in_memory().unwrap();
        read_earlier(&connection).unwrap();
        let count = |connection: &Connection| {
            connection.query_row::<u32, _, _>("SELECT count(*) FROM messages", [], |row| row.get(0))
        };
        assert_eq!(count(&connection), Ok(0));
    }
}
