//! The results of completion checks, one verification a row (AoT contract §11, §13): they have no place in the state file.

use super::{Error, Journal, LoopRef};
use loopdeck_core::formats::aot::drive::Verification;
use rusqlite::params;

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS verifications (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        started INTEGER NOT NULL,
        verification TEXT NOT NULL,
        PRIMARY KEY (workspace, file, started)
    ) WITHOUT ROWID;
";

/// So many of one loop are kept.
const MOST: u32 = 200;

impl Journal {
    /// Keeps a verification as it is now.
    ///
    /// # Errors
    /// When the database cannot be written.
    #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
    pub fn keep_verification(&mut self, of: LoopRef<'_>, verification: &Verification) -> Result<(), Error> {
        let text = serde_json::to_string(verification)?;
        let database = self.database()?;
        database.execute(
            "INSERT OR REPLACE INTO verifications (workspace, file, started, verification)
             VALUES (?1, ?2, ?3, ?4)",
            params![of.workspace, of.file, verification.started as i64, text],
        )?;
        database.execute(
            "DELETE FROM verifications WHERE workspace = ?1 AND file = ?2 AND started NOT IN (
                 SELECT started FROM verifications WHERE workspace = ?1 AND file = ?2
                 ORDER BY started DESC LIMIT ?3)",
            params![of.workspace, of.file, MOST],
        )?;
        self.changed();
        Ok(())
    }

    /// Verifications of a loop, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn verifications(&mut self, of: LoopRef<'_>, limit: u32) -> Result<Vec<Verification>, Error> {
        let sql = "SELECT verification FROM verifications WHERE workspace = ?1 AND file = ?2
                   ORDER BY started DESC LIMIT ?3";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file, limit], |row| row.get::<_, String>(0))?;
        Ok(rows.flatten().filter_map(|text| serde_json::from_str(&text).ok()).collect())
    }
}
