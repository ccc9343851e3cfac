//! Which documents have which words, in SQLite FTS5.

use crate::Query;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// Another process may be writing.
const BUSY: Duration = Duration::from_secs(5);

/// Rises when words are kept in another form: the index is then built again.
const FORM: i64 = 2;

// Words only: nothing is phrases, ranked, or read back. Whatever is lost with the power is read from the files again. Names have no index: every
// process knows all of them.
const TABLES: &str = "
    CREATE TABLE document(id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
    CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='ascii');
    INSERT INTO words(words, rank) VALUES('hashsize', 16777216);
";
// A new file becomes one with a log before it has anything that is worth a wait for the disk.
const SETTINGS: &str = "
    PRAGMA synchronous = OFF;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA temp_store = MEMORY;
";

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the search index: {0}")]
pub struct Error(#[from] rusqlite::Error);

impl Error {
    /// Whether the file is no index, or a damaged one: nothing is lost when it is made again.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self.0.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
    }
}

/// The words of documents by the names of these.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    known: Known,
}

/// What is indexed.
#[derive(Debug, Default)]
struct Known {
    /// Ids and versions by name.
    documents: HashMap<String, (i64, i64)>,
    /// As SQLite counts the changes of other processes.
    changes: Option<i64>,
}

impl Known {
    /// Reads again what is indexed, if another process changed it.
    fn follow(&mut self, connection: &Connection) -> Result<(), Error> {
        let changes = connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        if self.changes.replace(changes) != Some(changes) {
            let mut all = connection.prepare("SELECT name, id, version FROM document")?;
            let rows = all.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
            self.documents = rows.collect::<Result<_, _>>()?;
        }
        Ok(())
    }
}

impl Index {
    /// The index in the file `path`, which is made when it is not there. One of an earlier form is emptied; one of a later form
    /// is left to the program that made it, and this index ends with its value.
    ///
    /// # Errors
    /// When the file is no index or cannot be written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        if form_of(&connection)? > FORM {
            return Self::in_memory();
        }
        Self::prepare(connection)
    }

    /// An index that ends with its value.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn in_memory() -> Result<Self, Error> {
        Self::prepare(Connection::open_in_memory()?)
    }

    fn prepare(mut connection: Connection) -> Result<Self, Error> {
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(SETTINGS)?;
        if form_of(&connection)? != FORM {
            let fresh = connection.transaction()?;
            fresh.execute_batch("DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS document;")?;
            fresh.execute_batch(TABLES)?;
            fresh.pragma_update(None, "user_version", FORM)?;
            fresh.commit()?;
        }
        let mut known = Known::default();
        known.follow(&connection)?;
        Ok(Self { connection, known })
    }

    /// The version of a document that is indexed.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<i64> {
        self.known.documents.get(name).map(|(_, version)| *version)
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.documents.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.documents.is_empty()
    }

    /// Puts documents in the place of what is known of them: name, version, and their words as
    /// [`Words`](crate::Words) gives them, each document once. All of them, or none after an error.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn update(&mut self, documents: impl Iterator<Item = (String, i64, String)>) -> Result<(), Error> {
        let (transaction, known) = self.begin()?;
        let mut changed = Vec::new();
        {
            let mut add = transaction.prepare_cached("INSERT INTO document(name, version) VALUES(?, ?)")?;
            let mut change = transaction.prepare_cached("UPDATE document SET version = ? WHERE id = ?")?;
            let mut forget = transaction.prepare_cached("DELETE FROM words WHERE rowid = ?")?;
            let mut keep = transaction.prepare_cached("INSERT INTO words(rowid, text) VALUES(?, ?)")?;
            for (name, version, words) in documents {
                let id = if let Some((id, _)) = known.documents.get(&name) {
                    change.execute([version, *id])?;
                    forget.execute([id])?;
                    *id
                } else {
                    add.insert(params![name, version])?
                };
                keep.execute(params![id, words])?;
                changed.push((name, (id, version)));
            }
        }
        transaction.commit()?;
        known.documents.extend(changed);
        Ok(())
    }

    /// Begins a change. No other process makes one until it ends, and all of theirs are known.
    fn begin(&mut self) -> Result<(Transaction<'_>, &mut Known), Error> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.known.follow(&transaction)?;
        Ok((transaction, &mut self.known))
    }

    /// The names of all documents, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.documents.keys().map(String::as_str)
    }

    /// Forgets the documents `names`.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn forget(&mut self, names: &[String]) -> Result<(), Error> {
        let (transaction, known) = self.begin()?;
        for name in names {
            let Some((id, _)) = known.documents.get(name) else { continue };
            transaction.execute("DELETE FROM words WHERE rowid = ?", [id])?;
            transaction.execute("DELETE FROM document WHERE id = ?", [id])?;
        }
        transaction.commit()?;
        for name in names {
            known.documents.remove(name);
        }
        Ok(())
    }

    /// Names of the documents that have all words of `query`, in no order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn matching(&self, query: &Query) -> Result<Vec<String>, Error> {
        let mut found = self.connection.prepare_cached(
            "SELECT document.name FROM words JOIN document ON document.id = words.rowid WHERE words MATCH ?",
        )?;
        let names = found.query_map([query.expression()], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }
}

fn form_of(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Words;

    fn put(index: &mut Index, name: &str, version: i64, text: &str) {
        let mut words = Words::default();
        words.add_text(text);
        index.update([(name.to_owned(), version, words.take())].into_iter()).unwrap();
    }

    fn found(index: &Index, query: &str) -> Vec<String> {
        let Some(query) = Query::new(query) else { return Vec::new() };
        let mut names = index.matching(&query).unwrap();
        names.sort();
        names
    }

    #[test]
    fn documents_are_found_replaced_and_forgotten() {
        let mut index = Index::in_memory().unwrap();
        put(&mut index, "a", 1, "Fix the parseConfig, 修复登录问题");
        put(&mut index, "b", 1, "the login \"OR\" AND NEAR(x) col:y");
        for (query, names) in [
            ("the", vec!["a", "b"]),
            ("config", vec!["a"]),
            ("登录", vec!["a"]),
            ("问", vec!["a"]),
            ("题", vec!["a"]),
            ("fix login", vec![]),
            ("LOG", vec!["b"]),
            ("NEAR(x) \"or\" col:", vec!["b"]),
            ("登问", vec![]),
        ] {
            assert_eq!(found(&index, query), names, "{query}");
        }
        put(&mut index, "b", 2, "something else");
        assert_eq!((found(&index, "login"), index.version("b")), (vec![], Some(2)));
        index.forget(&["a".to_owned(), "c".to_owned()]).unwrap();
        assert_eq!(index.names().collect::<Vec<_>>(), ["b"]);
        assert_eq!((found(&index, "the"), index.len(), index.version("a")), (vec![], 1, None));
    }

    #[test]
    fn it_is_there_again_and_one_of_an_earlier_form_is_built_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("search.sqlite");
        put(&mut Index::open(&path).unwrap(), "a", 1, "one");
        let index = Index::open(&path).unwrap();
        assert_eq!((index.version("a"), found(&index, "one")), (Some(1), vec!["a".to_owned()]));
        index.connection.pragma_update(None, "user_version", 0).unwrap();
        drop(index);
        assert!(Index::open(&path).unwrap().is_empty());
        std::fs::write(&path, "no database").unwrap();
        assert!(Index::open(&path).unwrap_err().is_damage());
        assert!(!Index::open(dir.path()).unwrap_err().is_damage());
    }

    #[test]
    fn what_another_process_changed_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("search.sqlite");
        let mut here = Index::open(&path).unwrap();
        let mut there = Index::open(&path).unwrap();
        put(&mut here, "a", 1, "one");
        put(&mut there, "a", 2, "two");
        put(&mut there, "b", 1, "two");
        assert_eq!((found(&here, "one"), found(&here, "two")), (vec![], vec!["a".into(), "b".into()]));
        here.forget(&["b".to_owned()]).unwrap();
        put(&mut here, "c", 1, "three");
        there.forget(&["b".to_owned(), "a".to_owned()]).unwrap();
        assert_eq!((found(&there, "two"), found(&there, "three")), (vec![], vec!["c".to_owned()]));
    }

    #[test]
    fn one_of_a_later_form_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("search.sqlite");
        let later = Connection::open(&path).unwrap();
        later.pragma_update(None, "user_version", FORM + 1).unwrap();
        later.execute_batch("CREATE TABLE words (theirs TEXT)").unwrap();
        drop(later);
        let before = std::fs::read(&path).unwrap();
        let mut index = Index::open(&path).unwrap();
        put(&mut index, "a", 1, "one");
        assert_eq!(found(&index, "one"), ["a"], "searched all the same");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
