//! The journal for reading only: a script shows what is asked of a loop, and leaves nothing behind.

use super::{BUSY, Error, Journal, Retention, asking, finishing, messages, prepare, retry_while_busy};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

impl Journal {
    /// The journal at `path` for reading: whatever is to be recorded fails, and no file is made or changed. An empty one
    /// when there is none or it cannot be read.
    ///
    /// # Errors
    /// When SQLite itself fails.
    pub fn open_for_reading(path: &Path, retention: Retention) -> Result<Self, Error> {
        let connection = read_only(path);
        if let Some(connection) = &connection {
            asking::read_earlier(connection)?;
            finishing::read_earlier(connection)?;
            messages::read_earlier(connection)?;
            connection.pragma_update(None, "query_only", true)?;
        }
        Ok(Self { connection, retention, ..Self::without_database() })
    }

    /// Whether there was none to read: it knows nothing, and its tables are made only when one is asked for.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.path.is_none() && self.connection.is_none()
    }
}

/// A database without entries that takes none.
pub(super) fn empty_database() -> Result<Connection, Error> {
    let connection = prepare(Connection::open_in_memory()?)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn read_only(path: &Path) -> Option<Connection> {
    let beside = |ending: &str| Path::new(&format!("{}{ending}", path.display())).exists();
    // Without them SQLite would make both files, to agree with writers that there are none. With them it must ask.
    let alone = !(beside("-wal") && beside("-shm"));
    let uri = format!("file:{}?mode=ro{}", encode_path(path), if alone { "&immutable=1" } else { "" });
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(&uri, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.query_row("SELECT count(*) FROM intents WHERE outcome = 'open'", [], |_| Ok(()))?;
        Ok::<_, Error>(connection)
    };
    retry_while_busy(open).ok()
}

/// A path inside a URI of SQLite.
fn encode_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::{LoopRef, Plan, RequestLink, UndoGroup};
    use super::*;
    use loopdeck_core::control::Intent;
    use loopdeck_core::times::Timestamp;
    use std::collections::BTreeMap;
    use std::fs;

    fn pause(journal: &mut Journal) -> bool {
        let plan = Plan {
            of: LoopRef { workspace: "/w", file: "f" },
            word: "pause",
            ask: RequestLink::New(&Intent::Pause),
            before: (b"old", Timestamp::from_millis(1), true),
            after: (b"new", true),
            life: Timestamp::from_millis(0),
            at: Timestamp::from_millis(2),
            group: UndoGroup::begin(),
        };
        journal.plan(&plan).is_ok()
    }

    fn folder(path: &Path) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(path).unwrap().flatten();
        files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
    }

    #[test]
    fn a_look_reads_what_others_wrote_and_changes_nothing() {
        let temp = tempfile::tempdir().unwrap();
        // Windows' names have no question mark.
        let at = temp.path().join(if cfg!(windows) { "50% of #1.sqlite" } else { "50% of #1?.sqlite" });
        let open = |path: &Path| {
            let mut seen = Journal::open_for_reading(path, Retention::default()).unwrap();
            (seen.open_requests("/w").unwrap().len(), seen)
        };
        let mut blank = Journal::open_for_reading(&at, Retention::default()).unwrap();
        assert!(blank.check().is_ok() && blank.is_blank(), "one that is not asked has no tables");
        let (none, mut seen) = open(&at);
        assert!(none == 0 && !pause(&mut seen), "an empty one takes nothing either");
        assert!(folder(temp.path()).is_empty(), "no journal is made");
        let mut writer = Journal::open(&at, Retention::default());
        assert!(pause(&mut writer));
        // While a writer is active, and after it.
        let (beside, mut seen) = open(&at);
        assert!(!pause(&mut seen), "nothing can be recorded");
        drop(seen);
        drop(writer);
        let before = folder(temp.path());
        let (after, seen) = open(&at);
        drop(seen);
        assert_eq!((beside, after), (1, 1));
        assert_eq!(folder(temp.path()), before);
        fs::write(&at, "no database").unwrap();
        assert_eq!(open(&at).0, 0);
    }
}
