//! Which files the runs of a loop changed, also when the folders of the runs are gone.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Timestamp;
use rusqlite::params;
use std::collections::HashMap;

/// The facts that say which files a run changed begin with this.
const CHANGED_BY: &str = "changed by ";
/// So many files of one run are kept.
const MOST_CHANGED: usize = 10_000;

/// A run that changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunChanged {
    /// The run.
    pub id: String,
    /// When it began.
    pub started: Timestamp,
    /// The iteration of the loop.
    pub iteration: u32,
    /// Places of the files in the list that was asked for; `None` when the journal doesn't have them: an earlier version kept the run.
    pub files: Option<Vec<u32>>,
}

/// The places of those of the paths that are wanted.
#[must_use]
pub fn places_in(wanted: &HashMap<String, u32>, paths: &[String]) -> Vec<u32> {
    paths.iter().filter_map(|path| wanted.get(path).copied()).collect()
}

impl Journal {
    /// Keeps which files a run changed: the first 10,000.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_changed_files(&mut self, of: LoopRef<'_>, run: &str, paths: &[String]) -> Result<(), Error> {
        let paths = &paths[..paths.len().min(MOST_CHANGED)];
        self.keep_fact(of, &format!("{CHANGED_BY}{run}"), &paths)
    }

    /// The runs of a loop that changed files, oldest first, each with the places of those that it changed in `wanted`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn changing_runs(
        &mut self,
        of: LoopRef<'_>,
        wanted: &HashMap<String, u32>,
    ) -> Result<Vec<RunChanged>, Error> {
        let sql = "SELECT runs.id, runs.started, json_extract(run, '$.iteration'), fact FROM runs
             LEFT JOIN loop_facts ON loop_facts.workspace = runs.workspace AND loop_facts.file = runs.file
                 AND kind = ?3 || runs.id
             WHERE runs.workspace = ?1 AND runs.file = ?2 AND json_extract(run, '$.changes') IS NOT NULL
             ORDER BY runs.started, runs.id";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file, CHANGED_BY], |row| {
            let kept: Option<String> = row.get(3)?;
            let paths = kept.and_then(|paths| serde_json::from_str::<Vec<String>>(&paths).ok());
            Ok(RunChanged {
                id: row.get(0)?,
                started: Timestamp::from_millis(row.get(1)?),
                iteration: row.get(2)?,
                files: paths.map(|paths| places_in(wanted, &paths)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;
    use loopdeck_execution::run::Run;

    const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "a" };

    #[test]
    fn which_files_runs_changed_is_known_of_all_runs_and_goes_with_the_loop() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let changes = Some(loopdeck_execution::changes::ChangeTotals::default());
        for (number, changes) in (0..300_u32).zip(std::iter::repeat(changes)).chain([(300, None)]) {
            let started = Timestamp::from_millis(number.into());
            let id = format!("r{number}");
            let run = Run { iteration: number, started, changes, id: id.clone(), ..Run::default() };
            journal.keep_run(OF, &run)?;
            if number != 7 {
                journal.keep_changed_files(OF, &id, &["other".to_owned(), format!("f{}", number % 2)])?;
            }
        }
        let wanted = HashMap::from([("f1".to_owned(), 0), ("none".to_owned(), 1)]);
        let runs = journal.changing_runs(OF, &wanted)?;
        assert_eq!((runs.len(), runs[299].iteration), (300, 299), "all that have changes, oldest first");
        let files: Vec<_> = runs.iter().skip(5).take(3).map(|run| run.files.as_deref()).collect();
        assert_eq!(files, [Some(&[0][..]), Some(&[]), None], "an earlier version kept the last one");
        journal.forget_way(OF)?;
        assert!(journal.changing_runs(OF, &wanted)?.iter().all(|run| run.files.is_none()));
        Ok(())
    }
}
