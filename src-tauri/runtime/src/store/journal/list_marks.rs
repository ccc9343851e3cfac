//! Loops that a person pinned or put aside in the list. It is theirs alone: the workspace knows nothing of it.

use super::{Error, Journal, LoopRef};
use loopdeck_core::put_aside::PutAside;
use loopdeck_core::times::Timestamp;
use rusqlite::{Row, params};

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS list_marks (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        pinned INTEGER NOT NULL,
        aside TEXT,
        at INTEGER NOT NULL,
        PRIMARY KEY (workspace, file)
    ) WITHOUT ROWID;
";

/// How a person keeps one loop in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptMarks {
    /// It comes first.
    pub pinned: bool,
    /// It is not listed for now.
    pub aside: Option<PutAside>,
}

/// The marks of one loop, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMarks {
    /// Canonical workspace path.
    pub workspace: String,
    /// State file below it.
    pub file: String,
    /// Its marks.
    pub marks: KeptMarks,
}

impl Journal {
    /// Keeps the marks of loops in the place of those before, all or none. A loop without marks is forgotten.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_list_marks(
        &mut self,
        marks: &[(LoopRef<'_>, KeptMarks)],
        now: Timestamp,
    ) -> Result<(), Error> {
        let transaction = self.database()?.transaction()?;
        for (of, marks) in marks {
            if *marks == KeptMarks::default() {
                let sql = "DELETE FROM list_marks WHERE workspace = ?1 AND file = ?2";
                transaction.prepare_cached(sql)?.execute(params![of.workspace, of.file])?;
                continue;
            }
            let aside = marks.aside.map(|aside| serde_json::to_string(&aside)).transpose()?;
            let sql = "INSERT OR REPLACE INTO list_marks (workspace, file, pinned, aside, at) VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![of.workspace, of.file, marks.pinned, aside, now.millis()];
            transaction.prepare_cached(sql)?.execute(values)?;
        }
        transaction.commit()?;
        self.changed();
        Ok(())
    }

    /// The marks of all loops.
    ///
    /// # Errors
    /// When the database cannot be read, or is of a version before this one.
    pub fn all_list_marks(&mut self) -> Result<Vec<RecordedMarks>, Error> {
        let mut found = self.database()?.prepare("SELECT workspace, file, pinned, aside FROM list_marks")?;
        let rows = found.query_map([], recorded)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The marks of the loops of one workspace.
    ///
    /// # Errors
    /// As [`Journal::all_list_marks`].
    pub fn list_marks_in(&mut self, workspace: &str) -> Result<Vec<RecordedMarks>, Error> {
        let sql = "SELECT workspace, file, pinned, aside FROM list_marks WHERE workspace = ?1";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map([workspace], recorded)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// What a loop was put aside with by a version that says it in another way counts as none: it is listed.
fn recorded(row: &Row<'_>) -> Result<RecordedMarks, rusqlite::Error> {
    let aside: Option<String> = row.get(3)?;
    let aside = aside.and_then(|text| serde_json::from_str(&text).ok());
    Ok(RecordedMarks {
        workspace: row.get(0)?,
        file: row.get(1)?,
        marks: KeptMarks { pinned: row.get(2)?, aside },
    })
}

#[cfg(test)]
mod tests {
    use super::super::Retention;
    use super::*;
    use loopdeck_core::put_aside::LoopSight;
    use loopdeck_core::status::{Group, StatusWord};

    #[test]
    fn the_last_marks_of_a_loop_are_kept_until_it_has_none() {
        let mut journal = Journal::in_memory(Retention::default()).expect("a journal");
        let of = |workspace, file| LoopRef { workspace, file };
        let now = Timestamp::from_millis(1);
        let seen = LoopSight::new(StatusWord::Failed, Group::Attention, now);
        let archived = KeptMarks { pinned: false, aside: Some(PutAside { until: None, seen }) };
        let snoozed = KeptMarks {
            pinned: true,
            aside: Some(PutAside { until: Some(Timestamp::from_millis(9)), seen }),
        };
        let both = [(of("/w", "a"), archived), (of("/w", "b"), archived), (of("/x", "a"), snoozed)];
        journal.keep_list_marks(&both, now).expect("kept");
        journal.keep_list_marks(&[(of("/w", "a"), snoozed)], now).expect("kept");
        journal.keep_list_marks(&[(of("/w", "b"), KeptMarks::default())], now).expect("kept");
        let recorded =
            |workspace: &str| RecordedMarks { workspace: workspace.into(), file: "a".into(), marks: snoozed };
        assert_eq!(journal.list_marks_in("/w").expect("read"), [recorded("/w")]);
        assert_eq!(journal.all_list_marks().expect("read"), [recorded("/w"), recorded("/x")]);
    }
}
