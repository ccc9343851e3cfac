//! Which loop follows from which: state files have no field for it.

use super::{Error, Journal, LoopRef};
use crate::views::{from_word, to_word};
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::FollowUpKind;
use rusqlite::params;

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS follow_ups (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        parent_workspace TEXT NOT NULL,
        parent_file TEXT NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (workspace, file)
    ) WITHOUT ROWID;
";

/// A loop that follows from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFollowUp {
    /// Canonical workspace path and state file of the new loop.
    pub of: (String, String),
    /// The same of the loop that it follows from.
    pub parent: (String, String),
    /// In which direction.
    pub kind: FollowUpKind,
}

impl Journal {
    /// Keeps that `of` follows from `parent`.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_follow_up(
        &mut self,
        of: LoopRef<'_>,
        parent: LoopRef<'_>,
        kind: FollowUpKind,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.database()?.execute(
            "INSERT OR REPLACE INTO follow_ups (workspace, file, parent_workspace, parent_file, kind, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![of.workspace, of.file, parent.workspace, parent.file, to_word(kind), now.millis()],
        )?;
        self.changed();
        Ok(())
    }

    /// All of them, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read, or is of a version before this one.
    pub fn follow_ups(&mut self) -> Result<Vec<RecordedFollowUp>, Error> {
        let sql =
            "SELECT workspace, file, parent_workspace, parent_file, kind FROM follow_ups ORDER BY at, file";
        let mut found = self.database()?.prepare(sql)?;
        let rows = found.query_map([], |row| {
            let of = (row.get(0)?, row.get(1)?);
            Ok((of, (row.get(2)?, row.get(3)?), row.get::<_, String>(4)?))
        })?;
        let known = rows
            .flatten()
            .filter_map(|(of, parent, kind)| Some(RecordedFollowUp { of, parent, kind: from_word(&kind)? }));
        Ok(known.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Retention;
    use super::*;

    #[test]
    fn a_loop_is_kept_with_the_one_that_it_follows_from() {
        let mut journal = Journal::in_memory(Retention::default()).expect("a journal");
        let loop_of = |file| LoopRef { workspace: "/w", file };
        for (child, kind, at) in [("b", FollowUpKind::Doc, 2), ("a", FollowUpKind::Test, 1)] {
            journal
                .keep_follow_up(loop_of(child), loop_of("parent"), kind, Timestamp::from_millis(at))
                .expect("kept");
        }
        let found = journal.follow_ups().expect("read");
        let named = |one: &RecordedFollowUp| (one.of.1.clone(), one.parent.1.clone(), one.kind);
        assert_eq!(
            found.iter().map(named).collect::<Vec<_>>(),
            [
                ("a".into(), "parent".into(), FollowUpKind::Test),
                ("b".into(), "parent".into(), FollowUpKind::Doc)
            ]
        );
    }
}
