//! What is kept of the way that the work of a loop goes afterwards: where it began, which files a person has viewed, what they said of
//! them, and both versions of files that they put back.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS loop_facts (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        kind TEXT NOT NULL,
        fact TEXT NOT NULL,
        PRIMARY KEY (workspace, file, kind)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS viewed (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        path TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        PRIMARY KEY (workspace, file, path)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS comments (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        comment TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS comments_of_loop ON comments (workspace, file, id);
    CREATE TABLE IF NOT EXISTS reverts (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS reverted_files (
        revert INTEGER NOT NULL,
        path TEXT NOT NULL,
        before BLOB,
        after BLOB,
        PRIMARY KEY (revert, path)
    ) WITHOUT ROWID;
";

/// What came later: whether the versions can be run.
pub(super) const EXECUTABLE: &str = "
    ALTER TABLE reverted_files ADD COLUMN before_runs INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE reverted_files ADD COLUMN after_runs INTEGER NOT NULL DEFAULT 0;
";

/// Lets a journal of an earlier version be read like one of this: nothing is kept there of any loop.
pub(super) fn read_earlier(connection: &Connection) -> Result<(), Error> {
    if connection.prepare("SELECT before_runs FROM reverted_files LIMIT 1").is_ok() {
        return Ok(());
    }
    let has_facts = connection.prepare("SELECT kind FROM loop_facts LIMIT 1").is_ok();
    let is_missing = |step: &&str| !has_facts || step.contains("reverted_files");
    let tables = SCHEMA.split_inclusive(';').filter(|step| step.contains("CREATE TABLE")).filter(is_missing);
    let in_memory: String = tables.map(|step| step.replace("CREATE TABLE", "CREATE TEMP TABLE")).collect();
    connection.execute_batch(&in_memory)?;
    connection.execute_batch(EXECUTABLE)?;
    Ok(())
}

/// Where a loop began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Began {
    /// The working state then; `None` when git took too long: a later one would hold work of the loop.
    pub(crate) commit: Option<String>,
    /// ms since 1970 UTC.
    pub(crate) at: f64,
}

impl Began {
    /// When that was.
    #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
    pub(crate) fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.at as i64)
    }
}

/// So many reverts of one loop can be undone, one after the other.
const MOST_REVERTS: u32 = 20;

/// The fact that says where a loop began.
pub const BEGAN: &str = "began";
/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub executable: bool,
}

/// One file that a person put back: what was there, and what is there since. `None` where there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevertedFile {
    /// Below the workspace.
    pub path: String,
    /// What was replaced.
    pub before: Option<FileVersion>,
    /// What took its place.
    pub after: Option<FileVersion>,
}

/// Files that were put back together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revert {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// By path.
    pub files: Vec<RevertedFile>,
}

impl Journal {
    /// Keeps a fact of this kind about a loop in the place of the one before.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_fact(&mut self, of: LoopRef<'_>, kind: &str, fact: &impl Serialize) -> Result<(), Error> {
        let fact = serde_json::to_string(fact)?;
        self.database()?.execute(
            "INSERT OR REPLACE INTO loop_facts (workspace, file, kind, fact) VALUES (?1, ?2, ?3, ?4)",
            params![of.workspace, of.file, kind, fact],
        )?;
        self.changed();
        Ok(())
    }

    /// The fact of this kind about a loop; `None` also for one that another version of Loopdeck kept in another form.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn fact<T: DeserializeOwned>(&mut self, of: LoopRef<'_>, kind: &str) -> Result<Option<T>, Error> {
        let sql = "SELECT fact FROM loop_facts WHERE workspace = ?1 AND file = ?2 AND kind = ?3";
        let mut found = self.database()?.prepare_cached(sql)?;
        let text: Option<String> =
            found.query_row(params![of.workspace, of.file, kind], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// The facts of this kind about loops of a workspace, by file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn facts<T: DeserializeOwned>(
        &mut self,
        workspace: &str,
        kind: &str,
    ) -> Result<Vec<(String, T)>, Error> {
        let sql = "SELECT file, fact FROM loop_facts WHERE workspace = ?1 AND kind = ?2";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![workspace, kind], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        let known = |(file, text): (String, String)| Some((file, serde_json::from_str(&text).ok()?));
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().filter_map(known).collect())
    }

    /// Forgets the fact of this kind about a loop.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_fact(&mut self, of: LoopRef<'_>, kind: &str) -> Result<(), Error> {
        self.database()?.execute(
            "DELETE FROM loop_facts WHERE workspace = ?1 AND file = ?2 AND kind = ?3",
            params![of.workspace, of.file, kind],
        )?;
        self.changed();
        Ok(())
    }

    /// Forgets everything of this file: another loop has its name from now on.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_way(&mut self, of: LoopRef<'_>) -> Result<(), Error> {
        let transaction = self.database()?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "DELETE FROM reverted_files WHERE revert IN
                 (SELECT id FROM reverts WHERE workspace = ?1 AND file = ?2)",
            params![of.workspace, of.file],
        )?;
        for table in ["loop_facts", "viewed", "comments", "reverts", "messages"] {
            let sql = format!("DELETE FROM {table} WHERE workspace = ?1 AND file = ?2");
            transaction.execute(&sql, params![of.workspace, of.file])?;
        }
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// Marks a file as viewed in the version with this fingerprint, or no longer.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn mark_viewed(
        &mut self,
        of: LoopRef<'_>,
        path: &str,
        fingerprint: Option<&str>,
    ) -> Result<(), Error> {
        let database = self.database()?;
        match fingerprint {
            Some(fingerprint) => database.execute(
                "INSERT OR REPLACE INTO viewed (workspace, file, path, fingerprint) VALUES (?1, ?2, ?3, ?4)",
                params![of.workspace, of.file, path, fingerprint],
            )?,
            None => database.execute(
                "DELETE FROM viewed WHERE workspace = ?1 AND file = ?2 AND path = ?3",
                params![of.workspace, of.file, path],
            )?,
        };
        self.changed();
        Ok(())
    }

    /// Fingerprints of the versions that were viewed, by path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn viewed(&mut self, of: LoopRef<'_>) -> Result<BTreeMap<String, String>, Error> {
        let sql = "SELECT path, fingerprint FROM viewed WHERE workspace = ?1 AND file = ?2";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps a new comment; answers its number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_comment(&mut self, of: LoopRef<'_>, comment: &impl Serialize) -> Result<i64, Error> {
        let text = serde_json::to_string(comment)?;
        let database = self.database()?;
        database.execute(
            "INSERT INTO comments (workspace, file, comment) VALUES (?1, ?2, ?3)",
            params![of.workspace, of.file, text],
        )?;
        let id = database.last_insert_rowid();
        self.changed();
        Ok(id)
    }

    /// Keeps a comment as it is now, or forgets it. Whether there was one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn change_comment<T: Serialize>(
        &mut self,
        of: LoopRef<'_>,
        id: i64,
        comment: Option<&T>,
    ) -> Result<bool, Error> {
        let text = comment.map(serde_json::to_string).transpose()?;
        let database = self.database()?;
        let changed = match text {
            Some(text) => database.execute(
                "UPDATE comments SET comment = ?4 WHERE workspace = ?1 AND file = ?2 AND id = ?3",
                params![of.workspace, of.file, id, text],
            )?,
            None => database.execute(
                "DELETE FROM comments WHERE workspace = ?1 AND file = ?2 AND id = ?3",
                params![of.workspace, of.file, id],
            )?,
        };
        self.changed();
        Ok(changed > 0)
    }

    /// The comments of a loop with their numbers, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn comments<T: DeserializeOwned>(&mut self, of: LoopRef<'_>) -> Result<Vec<(i64, T)>, Error> {
        let sql = "SELECT id, comment FROM comments WHERE workspace = ?1 AND file = ?2 ORDER BY id";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        let known = |(id, text): (i64, String)| Some((id, serde_json::from_str(&text).ok()?));
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().filter_map(known).collect())
    }

    /// Keeps both versions of files that are about to be put back; answers the number of it.
    ///
    /// # Errors
    /// When the database cannot be written: then nothing may be put back.
    pub fn keep_revert(
        &mut self,
        of: LoopRef<'_>,
        files: &[RevertedFile],
        at: Timestamp,
    ) -> Result<i64, Error> {
        let transaction = self.database()?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT INTO reverts (workspace, file, at) VALUES (?1, ?2, ?3)",
            params![of.workspace, of.file, at.millis()],
        )?;
        let id = transaction.last_insert_rowid();
        for file in files {
            transaction.execute(
                "INSERT INTO reverted_files (revert, path, before, after, before_runs, after_runs)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    id,
                    file.path,
                    file.before.as_ref().map(|version| &version.bytes),
                    file.after.as_ref().map(|version| &version.bytes),
                    file.before.as_ref().is_some_and(|version| version.executable),
                    file.after.as_ref().is_some_and(|version| version.executable),
                ],
            )?;
        }
        transaction.execute(
            "DELETE FROM reverts WHERE workspace = ?1 AND file = ?2 AND id NOT IN
                 (SELECT id FROM reverts WHERE workspace = ?1 AND file = ?2 ORDER BY id DESC LIMIT ?3)",
            params![of.workspace, of.file, MOST_REVERTS],
        )?;
        transaction.execute("DELETE FROM reverted_files WHERE revert NOT IN (SELECT id FROM reverts)", [])?;
        transaction.commit()?;
        self.changed();
        Ok(id)
    }

    /// Nothing is left to undo of a revert.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_revert(&mut self, id: i64) -> Result<(), Error> {
        let transaction = self.database()?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM reverts WHERE id = ?1", [id])?;
        transaction.execute("DELETE FROM reverted_files WHERE revert = ?1", [id])?;
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// The last revert of a loop that can be undone.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_revert(&mut self, of: LoopRef<'_>) -> Result<Option<Revert>, Error> {
        let database = self.database()?;
        let sql = "SELECT id, at FROM reverts WHERE workspace = ?1 AND file = ?2 ORDER BY id DESC LIMIT 1";
        let last: Option<(i64, i64)> = database
            .prepare_cached(sql)?
            .query_row(params![of.workspace, of.file], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((id, at)) = last else { return Ok(None) };
        let sql = "SELECT path, before, after, before_runs, after_runs FROM reverted_files WHERE revert = ?1
             ORDER BY path";
        let mut found = database.prepare_cached(sql)?;
        let rows = found.query_map([id], |row| {
            let version =
                |bytes: Option<Vec<u8>>, executable| bytes.map(|bytes| FileVersion { bytes, executable });
            Ok(RevertedFile {
                path: row.get(0)?,
                before: version(row.get(1)?, row.get(3)?),
                after: version(row.get(2)?, row.get(4)?),
            })
        })?;
        let files = rows.collect::<Result<_, _>>()?;
        Ok(Some(Revert { id, at: Timestamp::from_millis(at), files }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Retention;
    use super::*;

    const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "a" };

    fn file(path: &str, before: Option<&[u8]>) -> RevertedFile {
        let version = |bytes: &[u8], executable| FileVersion { bytes: bytes.to_vec(), executable };
        RevertedFile {
            path: path.into(),
            before: before.map(|bytes| version(bytes, false)),
            after: Some(version(b"new\0", true)),
        }
    }

    #[test]
    fn what_is_kept_of_a_loop_is_its_own_and_goes_with_it() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let other = LoopRef { file: "b", ..OF };
        for of in [OF, other] {
            journal.keep_fact(of, "began", &1)?;
            journal.keep_fact(of, "began", &2)?;
            journal.mark_viewed(of, "x", Some("1"))?;
            journal.mark_viewed(of, "y", Some("1"))?;
            journal.mark_viewed(of, "y", None)?;
            journal.add_comment(of, &"why?")?;
            journal.keep_revert(of, &[file("p", None)], Timestamp::from_millis(7))?;
        }
        assert_eq!(journal.facts::<u32>("/w", "began")?, [("a".to_owned(), 2), ("b".to_owned(), 2)]);
        journal.forget_fact(OF, "ended")?;
        journal.forget_way(OF)?;
        assert_eq!(
            (journal.fact::<u32>(OF, "began")?, journal.fact::<u32>(other, "began")?),
            (None, Some(2))
        );
        assert_eq!(journal.fact::<String>(other, "began")?, None, "in another form");
        assert_eq!((journal.viewed(OF)?.len(), journal.viewed(other)?.len()), (0, 1));
        let comments = journal.comments::<String>(other)?;
        let [(id, text)] = &comments[..] else { panic!("{comments:?}") };
        assert_eq!((journal.comments::<String>(OF)?.len(), text.as_str()), (0, "why?"));
        assert!(!journal.change_comment(OF, *id, Some(&"mine"))?, "of another loop");
        assert!(journal.change_comment(other, *id, Some(&"because"))?);
        assert_eq!(journal.comments::<String>(other)?[0].1, "because");
        assert!(journal.change_comment::<String>(other, *id, None)?);
        assert_eq!((journal.last_revert(OF)?, journal.comments::<String>(other)?.len()), (None, 0));
        assert_eq!(journal.last_revert(other)?.map(|last| last.files), Some(vec![file("p", None)]));
        Ok(())
    }

    #[test]
    fn a_journal_of_an_earlier_version_is_read_as_one_that_has_nothing() {
        let connection = Connection::open_in_memory().unwrap();
        read_earlier(&connection).unwrap();
        for table in ["loop_facts", "viewed", "comments", "reverts", "reverted_files"] {
            let count = format!("SELECT count(*) FROM {table}");
            assert_eq!(connection.query_row(&count, [], |row| row.get(0)), Ok(0), "{table}");
        }
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        connection.execute("INSERT INTO viewed VALUES ('/w', 'a', 'x', '1')", []).unwrap();
        read_earlier(&connection).unwrap();
        let count = |sql| connection.query_row::<u32, _, _>(sql, [], |row| row.get(0));
        assert_eq!(count("SELECT count(before_runs) FROM reverted_files"), Ok(0));
        assert_eq!(count("SELECT count(*) FROM viewed"), Ok(1), "what it has is there");
    }

    #[test]
    fn reverts_are_undone_one_after_the_other_and_the_oldest_are_forgotten() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        for at in 0..=i64::from(MOST_REVERTS) {
            journal.keep_revert(OF, &[file("p", Some(b"old"))], Timestamp::from_millis(at))?;
        }
        for at in (1..=i64::from(MOST_REVERTS)).rev() {
            let last = journal.last_revert(OF)?.expect("one more");
            assert_eq!(last.at.millis(), at);
            journal.forget_revert(last.id)?;
        }
        assert_eq!(journal.last_revert(OF)?, None);
        Ok(())
    }
}
