//! The tables by version, which SQLite keeps as `user_version`. A step is never changed once people have it; a new one is added.

use super::{
    Error, asking, finishing, follow_ups, groups, handing, leases, list_marks, messages, notes, runs, steps,
    verifications,
};
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

/// The version that this Loopdeck writes.
const NEWEST: u32 = 15;

/// From an empty file to today's tables. Journals from before there were versions say 0 and have some or all of these tables,
/// so these steps make only what is missing.
const STEPS: [M<'static>; NEWEST as usize] = [
    M::up(SCHEMA),
    M::up(runs::SCHEMA),
    M::up(follow_ups::SCHEMA),
    M::up(verifications::SCHEMA),
    M::up(steps::SCHEMA),
    M::up(groups::SCHEMA),
    M::up(notes::SCHEMA),
    M::up(asking::SCHEMA),
    M::up(leases::SCHEMA),
    M::up(handing::SCHEMA),
    M::up(finishing::SCHEMA),
    M::up(finishing::EXECUTABLE),
    M::up(messages::SCHEMA),
    M::up(list_marks::SCHEMA),
    M::up(messages::DELIVERED),
];

const SCHEMA: &str = "
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
    CREATE TABLE IF NOT EXISTS contents (
        id INTEGER PRIMARY KEY,
        hash INTEGER NOT NULL,
        size INTEGER NOT NULL,
        bytes BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS contents_by_hash ON contents (hash, size);
    CREATE TABLE IF NOT EXISTS snapshots (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL,
        hash INTEGER NOT NULL,
        content INTEGER NOT NULL,
        who TEXT NOT NULL,
        event INTEGER,
        intent INTEGER,
        readable INTEGER NOT NULL,
        landed INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS snapshots_of_loop ON snapshots (workspace, file, id);
    CREATE INDEX IF NOT EXISTS snapshots_of_content ON snapshots (content);
    CREATE TABLE IF NOT EXISTS events (
        id INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        word TEXT NOT NULL,
        intent INTEGER,
        before INTEGER,
        after INTEGER,
        state TEXT,
        life INTEGER,
        size INTEGER,
        modified_ns INTEGER,
        inode INTEGER
    );
    CREATE TABLE IF NOT EXISTS leases (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        holder TEXT NOT NULL,
        until INTEGER NOT NULL,
        PRIMARY KEY (workspace, file)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS writes_of_loop ON events (workspace, file, id) WHERE kind = 'write';
    CREATE INDEX IF NOT EXISTS planned_writes ON events (workspace) WHERE state = 'planned';
";

/// A journal of a newer Loopdeck is not touched.
///
/// # Errors
/// [`Error::Newer`], or what SQLite says.
pub(super) fn refuse_newer(connection: &Connection) -> Result<(), Error> {
    let version: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > NEWEST { Err(Error::Newer) } else { Ok(()) }
}

/// Makes the tables that are missing.
///
/// # Errors
/// [`Error::Newer`], or what SQLite says.
pub(super) fn bring_up_to_date(connection: &mut Connection) -> Result<(), Error> {
    use rusqlite_migration::Error as Fault;
    Migrations::from_slice(&STEPS).to_latest(connection).map_err(|fault| match fault {
        Fault::RusqliteError { err, .. } => Error::Database(err),
        // Another program was faster, and newer.
        _ => Error::Newer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::{Journal, LoopRef, Retention};
    use loopdeck_core::times::Timestamp;

    fn version(path: &std::path::Path) -> u32 {
        let connection = Connection::open(path).unwrap();
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn the_steps_are_valid() {
        assert_eq!(Migrations::from_slice(&STEPS).validate(), Ok(()));
    }

    #[test]
    fn a_new_journal_says_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        drop(Journal::open(&path, Retention::default()));
        assert_eq!(version(&path), NEWEST);
    }

    #[test]
    fn a_message_from_before_it_was_called_delivered_is_read_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut earlier = Connection::open(&path).unwrap();
        Migrations::from_slice(&STEPS).to_version(&mut earlier, 14).unwrap();
        let insert = "INSERT INTO messages VALUES (3, '/w', 'a', 1, 'ann', '', 'one', 'run-1', 2), \
                      (7, '/w', 'a', 3, 'ann', '', 'two', NULL, NULL)";
        earlier.execute_batch(insert).unwrap();
        drop(earlier);
        let of = LoopRef { workspace: "/w", file: "a" };
        let seen = Journal::open_for_reading(&path, Retention::default()).unwrap().messages(of).unwrap();
        let at = Timestamp::from_millis(2);
        assert_eq!(seen.iter().map(|one| one.id).collect::<Vec<_>>(), [3, 7]);
        assert_eq!(
            (seen[0].delivered.clone(), seen[1].delivered.clone()),
            (Some(("run-1".into(), at)), None)
        );
        assert_eq!(version(&path), 14, "a look changes nothing");
        let mut journal = Journal::open(&path, Retention::default());
        assert_eq!(journal.messages(of).unwrap(), seen);
        assert!(journal.remove_message(of, 7).unwrap());
        assert_eq!(
            journal.add_message(of, ("ann", "", "three"), at).unwrap(),
            8,
            "a number is never used again"
        );
    }

    #[test]
    fn a_newer_journal_is_refused_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", NEWEST + 1).unwrap();
        let before = std::fs::read(&path).unwrap();
        let mut journal = Journal::open(&path, Retention::default());
        assert!(matches!(journal.check(), Err(Error::Newer)));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
