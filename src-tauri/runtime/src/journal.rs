//! Our own memory (SQLite): every control request is written down before the file is touched, so that a crash between
//! the two loses nothing and a request that another writer undid is known to be ours.

use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::times::Millis;
use rusqlite::{Connection, params};
use std::path::Path;

/// The journal's database.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
}

/// A request as the journal keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// Canonical workspace path.
    pub workspace: String,
    /// State file below it.
    pub file: String,
    /// What was asked.
    pub intent: Intent,
    /// When.
    pub at: Millis,
    /// How often it was written again.
    pub sent_again: u32,
}

/// How a request ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Still guarded.
    Open,
    /// In effect, or answered by the loop.
    Settled,
    /// A newer request took its place.
    Superseded,
    /// Not legal, or the disk refused.
    Refused,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Outcome::Open => "open",
            Outcome::Settled => "settled",
            Outcome::Superseded => "superseded",
            Outcome::Refused => "refused",
        }
    }
}

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS intents (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        verb TEXT NOT NULL,
        reason TEXT,
        raise_limit_to INTEGER,
        at INTEGER NOT NULL,
        outcome TEXT NOT NULL DEFAULT 'open',
        sent_again INTEGER NOT NULL DEFAULT 0,
        settled_at INTEGER
    );
    CREATE INDEX IF NOT EXISTS open_intents ON intents (outcome) WHERE outcome = 'open';
";

impl Journal {
    /// Opens or creates the journal at `path`.
    ///
    /// # Errors
    /// When the file cannot be opened or is no database.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        Self::prepare(Connection::open(path)?)
    }

    /// A journal that ends with the app: used when our data folder cannot be written.
    ///
    /// # Errors
    /// When SQLite itself fails.
    pub fn in_memory() -> rusqlite::Result<Self> {
        Self::prepare(Connection::open_in_memory()?)
    }

    fn prepare(connection: Connection) -> rusqlite::Result<Self> {
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection })
    }

    /// Writes down a request before anything is done about it; an older open one for the same loop is superseded.
    ///
    /// # Errors
    /// When the database cannot be written; then the request must not be carried out.
    pub fn record(
        &mut self,
        workspace: &str,
        file: &str,
        intent: &Intent,
        at: Millis,
    ) -> rusqlite::Result<Entry> {
        let (verb, reason, raise) = columns(intent);
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "UPDATE intents SET outcome = 'superseded', settled_at = ?3 WHERE workspace = ?1 AND file = ?2 AND outcome = 'open'",
            params![workspace, file, at],
        )?;
        transaction.execute(
            "INSERT INTO intents (workspace, file, verb, reason, raise_limit_to, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![workspace, file, verb, reason, raise, at],
        )?;
        let id = transaction.last_insert_rowid();
        transaction.commit()?;
        let (workspace, file) = (workspace.to_owned(), file.to_owned());
        Ok(Entry { id, workspace, file, intent: intent.clone(), at, sent_again: 0 })
    }

    /// Notes that a request was written once more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn sent_again(&self, id: i64, times: u32) -> rusqlite::Result<()> {
        self.connection.execute("UPDATE intents SET sent_again = ?2 WHERE id = ?1", params![id, times])?;
        Ok(())
    }

    /// Notes how a request ended.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn settle(&self, id: i64, outcome: Outcome, at: Millis) -> rusqlite::Result<()> {
        let statement = "UPDATE intents SET outcome = ?2, settled_at = ?3 WHERE id = ?1";
        self.connection.execute(statement, params![id, outcome.word(), at])?;
        Ok(())
    }

    /// Whether nothing has taken the place of a request and nothing has ended it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_open(&self, id: i64) -> rusqlite::Result<bool> {
        let statement = "SELECT outcome = 'open' FROM intents WHERE id = ?1";
        self.connection.query_row(statement, [id], |row| row.get(0))
    }

    /// Requests of `workspace` that were under way when the app ended, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_requests(&self, workspace: &str) -> rusqlite::Result<Vec<Entry>> {
        let mut statement = self.connection.prepare(
            "SELECT id, workspace, file, verb, reason, raise_limit_to, at, sent_again FROM intents
             WHERE outcome = 'open' AND workspace = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([workspace], entry)?;
        Ok(rows.collect::<rusqlite::Result<Vec<Option<Entry>>>>()?.into_iter().flatten().collect())
    }
}

fn columns(intent: &Intent) -> (&'static str, Option<&str>, Option<u32>) {
    let verb = verb_word(intent.verb());
    match intent {
        Intent::Stop { reason } => (verb, reason.as_deref(), None),
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            (verb, None, *raise_limit_to)
        }
        Intent::Start | Intent::Pause | Intent::Finalise | Intent::EditMetadata(_) => (verb, None, None),
    }
}

fn verb_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "start",
        Verb::Pause => "pause",
        Verb::Resume => "resume",
        Verb::Stop => "stop",
        Verb::Reopen => "reopen",
        Verb::Finalise => "finalise",
        Verb::EditMetadata => "edit_metadata",
        Verb::Delete => "delete",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_a_restart_and_a_newer_one_supersedes_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.sqlite");
        let mut journal = Journal::open(&path).unwrap();
        journal.record("/w", ".loop/a.json", &Intent::Pause, 10).unwrap();
        let stop = Intent::Stop { reason: Some("Stopped by Ana".into()) };
        let entry = journal.record("/w", ".loop/a.json", &stop, 20).unwrap();
        journal.sent_again(entry.id, 2).unwrap();
        drop(journal);

        let journal = Journal::open(&path).unwrap();
        let open = journal.open_requests("/w").unwrap();
        assert_eq!(open, vec![Entry { sent_again: 2, ..entry.clone() }]);
        assert!(journal.is_open(entry.id).unwrap() && !journal.is_open(entry.id - 1).unwrap());
        journal.settle(entry.id, Outcome::Settled, 30).unwrap();
        assert!(journal.open_requests("/w").unwrap().is_empty());
        assert!(journal.open_requests("/other").unwrap().is_empty());
    }
}
