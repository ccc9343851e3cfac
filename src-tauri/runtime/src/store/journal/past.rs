//! Versions and costs of all loops of a workspace over a time, for what is asked about the past.

use super::{Error, Journal};
use loopdeck_core::times::Timestamp;
use rusqlite::params;
use std::collections::HashMap;

/// A version with its bytes.
#[derive(Clone, Debug)]
pub struct PastVersion {
    /// The state file below the workspace.
    pub file: String,
    /// When it was written.
    pub at: Timestamp,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// What one run cost.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCost {
    /// The state file below the workspace.
    pub file: String,
    /// When the run began.
    pub at: Timestamp,
    /// USD.
    pub cost_usd: f64,
}

impl Journal {
    /// Calls `take` with each readable version of a workspace that was written at or after `since`, file by file, oldest
    /// first; until it answers false.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn each_version_since(
        &mut self,
        workspace: &str,
        since: Timestamp,
        mut take: impl FnMut(PastVersion) -> bool,
    ) -> Result<(), Error> {
        let mut found = self.database()?.prepare_cached(
            "SELECT s.file, s.at, c.bytes FROM snapshots s JOIN contents c ON c.id = s.content
             WHERE s.workspace = ?1 AND s.at >= ?2 AND s.landed = 1 AND s.readable = 1 ORDER BY s.file, s.id",
        )?;
        let mut rows = found.query(params![workspace, since.millis()])?;
        while let Some(row) = rows.next()? {
            let at = Timestamp::from_millis(row.get(1)?);
            if !take(PastVersion { file: row.get(0)?, at, bytes: row.get(2)? }) {
                break;
            }
        }
        Ok(())
    }

    /// What the runs of a workspace cost, oldest first; runs that do not say are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_costs(&mut self, workspace: &str) -> Result<Vec<RunCost>, Error> {
        let mut found = self.database()?.prepare_cached(
            "SELECT file, started, json_extract(run, '$.cost_usd') FROM runs
             WHERE workspace = ?1 AND json_extract(run, '$.cost_usd') > 0 ORDER BY started, id",
        )?;
        let rows = found.query_map([workspace], |row| {
            Ok(RunCost { file: row.get(0)?, at: Timestamp::from_millis(row.get(1)?), cost_usd: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What the runs of each loop cost, by workspace path and file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn costs(&mut self) -> Result<HashMap<(String, String), f64>, Error> {
        let mut found = self.database()?.prepare_cached(
            "SELECT workspace, file, sum(json_extract(run, '$.cost_usd')) FROM runs
             WHERE json_extract(run, '$.cost_usd') > 0 GROUP BY workspace, file",
        )?;
        let rows = found.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
