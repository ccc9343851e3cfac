//! What people note about loops, and the labels they give them. State files have no field for it: these are not the agent's.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use rusqlite::params;

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS notes (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        note TEXT NOT NULL,
        labels TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (workspace, file)
    ) WITHOUT ROWID;
";

/// Note and labels of one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedNotes {
    /// Canonical workspace path.
    pub workspace: String,
    /// State file below it.
    pub file: String,
    /// The note; empty when there is none.
    pub note: String,
    /// The labels.
    pub labels: Vec<String>,
    /// When they were changed.
    pub at: Timestamp,
}

impl RecordedNotes {
    /// Which loop they are about.
    #[must_use]
    pub fn loop_ref(&self) -> LoopRef<'_> {
        LoopRef { workspace: &self.workspace, file: &self.file }
    }
}

impl Journal {
    /// Keeps note and labels of a loop in the place of those before. Empty ones are kept too: an import must not bring back what a person
    /// removed.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_notes(&mut self, notes: &RecordedNotes) -> Result<(), Error> {
        let labels = serde_json::to_string(&notes.labels)?;
        self.database()?.execute(
            "INSERT OR REPLACE INTO notes (workspace, file, note, labels, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![notes.workspace, notes.file, notes.note, labels, notes.at.millis()],
        )?;
        self.changed();
        Ok(())
    }

    /// The notes of all loops.
    ///
    /// # Errors
    /// When the database cannot be read, or is of a version before this one.
    pub fn all_notes(&mut self) -> Result<Vec<RecordedNotes>, Error> {
        let sql = "SELECT workspace, file, note, labels, at FROM notes ORDER BY workspace, file";
        let mut found = self.database()?.prepare(sql)?;
        let rows = found.query_map([], |row| {
            let labels: String = row.get(3)?;
            Ok(RecordedNotes {
                workspace: row.get(0)?,
                file: row.get(1)?,
                note: row.get(2)?,
                labels: serde_json::from_str(&labels).unwrap_or_default(),
                at: Timestamp::from_millis(row.get(4)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Retention;
    use super::*;

    #[test]
    fn the_last_notes_of_a_loop_are_kept() {
        let mut journal = Journal::in_memory(Retention::default()).expect("a journal");
        let notes = |note: &str, labels: &[&str], at| RecordedNotes {
            workspace: "/w".into(),
            file: "a".into(),
            note: note.into(),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            at: Timestamp::from_millis(at),
        };
        journal.keep_notes(&notes("first", &["release"], 1)).expect("kept");
        let last = notes("Ask Ana: \"why?\"", &["release 2", "登录"], 2);
        journal.keep_notes(&last).expect("kept");
        assert_eq!(journal.all_notes().expect("read"), [last]);
    }
}
