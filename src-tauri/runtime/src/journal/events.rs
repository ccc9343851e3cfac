//! What happened to a loop, for its timeline: requests and how they ended, writes and what they were for, deletions.

use super::writes::OF_LOOP;
use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Millis;
use rusqlite::params;

/// One thing that happened, in the journal's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// When.
    pub at: Millis,
    /// `requested`, `settled`, `write`, `deleted`.
    pub kind: String,
    /// What it was for: a verb or the cause of a write; of `settled` how it ended.
    pub word: String,
    /// Of a request its outcome, of a write whether it landed.
    pub state: Option<String>,
    /// The state file or a file beside it, below the workspace.
    pub file: String,
}

impl Journal {
    /// What happened to a loop and the files `beside` it (as for [`Journal::last_group`]), newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events(
        &mut self,
        of: LoopRef<'_>,
        beside: &[String; 4],
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        let sql = format!(
            "SELECT at, kind, word, file,
                CASE kind WHEN 'requested' THEN (SELECT outcome FROM intents WHERE intents.id = events.intent) ELSE state END
             FROM events WHERE {OF_LOOP} ORDER BY id DESC LIMIT ?7"
        );
        let [a, b, c, d] = beside;
        let mut statement = self.database()?.prepare_cached(&sql)?;
        let rows = statement.query_map(params![of.workspace, of.file, a, b, c, d, limit], |row| {
            Ok(Recorded {
                at: row.get(0)?,
                kind: row.get(1)?,
                word: row.get(2)?,
                file: row.get(3)?,
                state: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
