//! Requests that one program hands to another: the one that runs the loop carries them out, and answers here.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::{TimeDelta, Timestamp};
use rusqlite::{OptionalExtension as _, params};

pub(super) const SCHEMA: &str = "
    CREATE TABLE handed_over (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        holder TEXT NOT NULL,
        at INTEGER NOT NULL,
        request TEXT NOT NULL,
        taken INTEGER NOT NULL DEFAULT 0,
        answer TEXT
    );
";

/// What nobody fetched for so long is forgotten.
const KEPT: TimeDelta = TimeDelta::hours(1);

/// A request that was handed to this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedRequest {
    /// Its number.
    pub id: i64,
    /// State file of its loop.
    pub file: String,
    /// What is asked, as the asker wrote it.
    pub request: String,
}

impl Journal {
    /// Hands a request to the process that has the name `holder` in leases; answers its number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn hand_over(
        &mut self,
        of: LoopRef<'_>,
        holder: &str,
        request: &str,
        now: Timestamp,
    ) -> Result<i64, Error> {
        let database = self.database()?;
        database.execute("DELETE FROM handed_over WHERE at < ?1", [(now - KEPT).millis()])?;
        let sql =
            "INSERT INTO handed_over (workspace, file, holder, at, request) VALUES (?1, ?2, ?3, ?4, ?5)";
        database.execute(sql, params![of.workspace, of.file, holder, now.millis(), request])?;
        Ok(database.last_insert_rowid())
    }

    /// Takes what was handed to `holder`, oldest first. Each request is taken once.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_handed(&mut self, holder: &str) -> Result<Vec<HandedRequest>, Error> {
        let database = self.database()?;
        let waiting = "SELECT EXISTS (SELECT 1 FROM handed_over WHERE holder = ?1 AND taken = 0)";
        if !database.prepare_cached(waiting)?.query_row([holder], |row| row.get(0))? {
            return Ok(Vec::new());
        }
        let sql = "UPDATE handed_over SET taken = 1 WHERE holder = ?1 AND taken = 0
                   RETURNING id, file, request";
        let mut found = database.prepare(sql)?;
        let rows = found.query_map([holder], |row| {
            Ok(HandedRequest { id: row.get(0)?, file: row.get(1)?, request: row.get(2)? })
        })?;
        let mut taken = rows.collect::<Result<Vec<_>, _>>()?;
        taken.sort_by_key(|request| request.id);
        Ok(taken)
    }

    /// Answers a request that was taken.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn answer_handed(&mut self, id: i64, answer: &str) -> Result<(), Error> {
        self.database()?.execute("UPDATE handed_over SET answer = ?2 WHERE id = ?1", params![id, answer])?;
        Ok(())
    }

    /// The answer to a request that was handed over, once there is one.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn answer_to_handed(&mut self, id: i64) -> Result<Option<String>, Error> {
        let mut found = self.database()?.prepare_cached("SELECT answer FROM handed_over WHERE id = ?1")?;
        Ok(found.query_row([id], |row| row.get(0)).optional()?.flatten())
    }

    /// Takes a request back; false when it was taken before.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn withdraw_handed(&mut self, id: i64) -> Result<bool, Error> {
        let sql = "DELETE FROM handed_over WHERE id = ?1 AND taken = 0";
        Ok(self.database()?.execute(sql, [id])? > 0)
    }

    /// The answer was read.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_handed(&mut self, id: i64) -> Result<(), Error> {
        self.database()?.execute("DELETE FROM handed_over WHERE id = ?1", [id])?;
        Ok(())
    }

    /// A number that is another one once another process, or another thread, wrote to the journal.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn data_version(&mut self) -> Result<i64, Error> {
        Ok(self.database()?.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;

    #[test]
    fn a_request_is_taken_once_by_whom_it_was_handed_to() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let (of, now) = (LoopRef { workspace: "/w", file: "f" }, Timestamp::from_millis(10));
        let first = journal.hand_over(of, "me", "1", now)?;
        let second = journal.hand_over(of, "me", "2", now)?;
        let withdrawn = journal.hand_over(of, "me", "3", now)?;
        assert!(journal.withdraw_handed(withdrawn)?);
        assert_eq!(journal.take_handed("other")?, []);
        let taken: Vec<i64> = journal.take_handed("me")?.into_iter().map(|request| request.id).collect();
        assert_eq!((taken, journal.take_handed("me")?.len()), (vec![first, second], 0));
        assert!(!journal.withdraw_handed(first)?, "it is being carried out");
        assert_eq!(journal.answer_to_handed(first)?, None);
        journal.answer_handed(first, "done")?;
        assert_eq!(journal.answer_to_handed(first)?.as_deref(), Some("done"));
        journal.forget_handed(first)?;
        assert_eq!(journal.answer_to_handed(first)?, None);
        journal.hand_over(of, "dead", "4", now + KEPT + TimeDelta::milliseconds(1))?;
        assert_eq!(journal.answer_to_handed(second)?, None, "nobody came for it");
        Ok(())
    }
}
