//! What our last writes were: for undo, and so that they do not pass for somebody else's.

use super::groups::UndoGroup;
use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use rusqlite::{OptionalExtension as _, params};

/// A landed write of ours on a loop or a companion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWrite {
    event: i64,
    /// When.
    pub at: Timestamp,
    /// The change that it belongs to.
    pub group: UndoGroup,
    /// State file below the workspace.
    pub file: String,
    /// Version it replaced.
    pub before: i64,
    /// Version it wrote.
    pub after: i64,
    /// Which version of the file that is.
    pub stamp: Fingerprint,
    /// The last sign of life of anybody else then.
    pub life: Timestamp,
}

/// The last redirect or hold of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRedirect {
    /// The file right after it.
    pub bytes: Vec<u8>,
    /// Its step, and when it was noted; nothing until it is.
    pub kept: Option<(String, Timestamp)>,
}

impl Journal {
    /// The last redirect or hold of a loop; nothing when an older version was put back since.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_redirect(&mut self, of: LoopRef<'_>) -> Result<Option<LastRedirect>, Error> {
        // What was kept before the write is the step of an earlier one: its own is noted after it landed.
        let mut statement = self.database()?.prepare_cached(
            "SELECT c.bytes, i.reason, i.at FROM events e
             JOIN snapshots s ON s.id = e.after JOIN contents c ON c.id = s.content
             LEFT JOIN intents i ON i.at >= e.at AND i.id = (SELECT max(id) FROM intents
                 WHERE workspace = ?1 AND file = ?2 AND verb = 'redirect')
             WHERE e.workspace = ?1 AND e.file = ?2 AND e.kind = 'write' AND e.state = 'landed'
             AND e.word = 'redirect'
             AND NOT EXISTS (SELECT 1 FROM events n WHERE n.workspace = ?1 AND n.file = ?2 AND n.kind = 'write'
                 AND n.state = 'landed' AND n.id > e.id AND n.word IN ('undo', 'restore', 'recover'))
             ORDER BY e.id DESC LIMIT 1",
        )?;
        let row = |row: &rusqlite::Row<'_>| {
            let kept: Option<String> = row.get(1)?;
            let kept =
                kept.map(|step| row.get(2).map(|at| (step, Timestamp::from_millis(at)))).transpose()?;
            Ok(LastRedirect { bytes: row.get(0)?, kept })
        };
        Ok(statement.query_row(params![of.workspace, of.file], row).optional()?)
    }

    /// The last landed write of each loop in `workspace`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_writes(&mut self, workspace: &str) -> Result<Vec<LastWrite>, Error> {
        let mut statement = self.database()?.prepare(
            "SELECT file, before, after, size, modified_ns, inode, life, at, max(id), undo_group FROM events
             WHERE kind = 'write' AND state IN ('landed', 'taken_back') AND workspace = ?1 GROUP BY file",
        )?;
        let rows = statement.query_map([workspace], last_write)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The last landed writes of one loop that belong together: on its state file and on its companions (`beside`: whole paths, or their
    /// folders with a slash). In the order in which they were made; empty when there are none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_group(&mut self, of: LoopRef<'_>, beside: &[String; 4]) -> Result<Vec<LastWrite>, Error> {
        // What another program wrote is nothing that a person could undo.
        let of_loop = format!(
            "{OF_LOOP} AND kind = 'write' AND state = 'landed' AND NOT (word = 'late' AND file <> ?2)"
        );
        let newest = format!("SELECT undo_group FROM events WHERE {of_loop} ORDER BY id DESC LIMIT 1");
        let [a, b, c, d] = beside;
        let named = params![of.workspace, of.file, a, b, c, d];
        let connection = self.database()?;
        let group =
            connection.query_row(&newest, named, |row| row.get(0).map(UndoGroup::from_column)).optional()?;
        group.map_or(Ok(Vec::new()), |group| self.writes_in_group(of, beside, group))
    }

    /// The landed writes of a group, see [`Journal::last_group`].
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn writes_in_group(
        &mut self,
        of: LoopRef<'_>,
        beside: &[String; 4],
        group: UndoGroup,
    ) -> Result<Vec<LastWrite>, Error> {
        let writes = format!(
            "SELECT file, before, after, size, modified_ns, inode, life, at, id, undo_group FROM events
             WHERE {OF_LOOP} AND kind = 'write' AND state = 'landed' AND undo_group = ?7 ORDER BY id"
        );
        let [a, b, c, d] = beside;
        let mut statement = self.database()?.prepare_cached(&writes)?;
        let rows =
            statement.query_map(params![of.workspace, of.file, a, b, c, d, group.column()], last_write)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Notes that a part of something that could not be done whole was taken back: nothing is left to undo.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn taken_back(&mut self, write: &LastWrite) -> Result<(), Error> {
        self.database()?.execute("UPDATE events SET state = 'taken_back' WHERE id = ?1", [write.event])?;
        self.changed();
        Ok(())
    }
}

/// Events of a loop and of its companions.
pub(super) const OF_LOOP: &str = "workspace = ?1 AND (file = ?2 OR file = ?3
    OR substr(file, 1, length(?4)) = ?4 OR substr(file, 1, length(?5)) = ?5 OR substr(file, 1, length(?6)) = ?6)";

fn last_write(row: &rusqlite::Row<'_>) -> rusqlite::Result<LastWrite> {
    Ok(LastWrite {
        file: row.get(0)?,
        before: row.get(1)?,
        after: row.get(2)?,
        stamp: Fingerprint::from_columns((row.get(3)?, row.get(4)?, row.get(5)?)),
        life: Timestamp::from_millis(row.get(6)?),
        at: Timestamp::from_millis(row.get(7)?),
        event: row.get(8)?,
        group: UndoGroup::from_column(row.get(9)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::{Plan, RequestLink, Retention};

    const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "f" };

    fn redirect(journal: &mut Journal, after: &[u8], at: i64) {
        let plan = Plan {
            of: OF,
            word: "redirect",
            ask: RequestLink::None,
            before: (b"old", Timestamp::from_millis(1), true),
            after: (after, true),
            life: Timestamp::from_millis(0),
            at: Timestamp::from_millis(at),
            group: UndoGroup::begin(),
        };
        let planned = journal.plan(&plan).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        journal.mark_landed(&planned, Fingerprint::at(file.path()).unwrap()).unwrap();
    }

    #[test]
    fn a_redirect_never_has_the_step_of_the_one_before() {
        let mut journal = Journal::in_memory(Retention::default()).unwrap();
        let at = Timestamp::from_millis;
        assert_eq!(journal.last_redirect(OF).unwrap(), None);
        redirect(&mut journal, b"held", 10);
        journal.keep_redirect(OF, "hold", at(11)).unwrap();
        let kept = Some(("hold".to_owned(), at(11)));
        assert_eq!(journal.last_redirect(OF).unwrap(), Some(LastRedirect { bytes: b"held".into(), kept }));
        redirect(&mut journal, b"corrected", 20);
        let not_noted = LastRedirect { bytes: b"corrected".into(), kept: None };
        assert_eq!(journal.last_redirect(OF).unwrap(), Some(not_noted.clone()));
        journal.keep_redirect(OF, "correct", at(20)).unwrap();
        let kept = Some(("correct".to_owned(), at(20)));
        assert_eq!(journal.last_redirect(OF).unwrap(), Some(LastRedirect { kept, ..not_noted }));
    }
}
