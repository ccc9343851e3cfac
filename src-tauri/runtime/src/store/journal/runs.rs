//! How loops are run, and the runs that were: plans by loop, what a driver remembers, one row per run, what agents reported
//! to have used.

use super::run_record::RunRecord;
use super::{Error, Journal, LoopRef, RecordedRun, Spent};
use loopdeck_core::start::Recipe;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_execution::preferences::plan::RunPlan;
use loopdeck_execution::run::Run;
use rusqlite::{OptionalExtension as _, params};
use std::collections::HashMap;
use std::ops::Add as _;

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS plans (
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        plan TEXT NOT NULL,
        memory TEXT,
        at INTEGER NOT NULL,
        PRIMARY KEY (workspace, file)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL,
        file TEXT NOT NULL,
        started INTEGER NOT NULL,
        alive INTEGER NOT NULL,
        run TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS runs_of_loop ON runs (workspace, file, started);
    CREATE INDEX IF NOT EXISTS runs_alive ON runs (alive) WHERE alive = 1;
    CREATE INDEX IF NOT EXISTS runs_left ON runs (workspace)
        WHERE json_extract(run, '$.stop.result') IN ('left', 'unknown');
    CREATE TABLE IF NOT EXISTS used (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        usage TEXT NOT NULL,
        PRIMARY KEY (agent, session)
    ) WITHOUT ROWID;
";

/// How long runs were at work together, newest first.
fn time_at_work(runs: &[Run]) -> Option<TimeDelta> {
    runs.last().filter(|first| first.iteration <= 1)?;
    let mut spans: Vec<(Timestamp, Timestamp)> =
        runs.iter().filter_map(|run| Some((run.started, run.ended?))).collect();
    spans.sort_unstable();
    let (mut sum, mut until) = (TimeDelta::zero(), Timestamp::from_millis((Timestamp::MIN).millis()));
    for (started, ended) in spans {
        sum += ended.since(started.max(until));
        until = until.max(ended);
    }
    Some(sum)
}

/// A run from its record; none of a text that is no record.
fn read(text: &str) -> Option<Run> {
    serde_json::from_str::<RunRecord>(text).ok().map(Run::from)
}

/// The sum of what is known.
pub(super) fn sum_of_known<T>(sum: Option<T>, more: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(add(sum, more)),
        (sum, more) => sum.or(more),
    }
}

/// The kinds of work that loops were started for, by workspace path and file.
#[derive(Clone, Debug, Default)]
pub struct KnownRecipes(HashMap<(String, String), Recipe>);

impl KnownRecipes {
    /// That of one loop.
    #[must_use]
    pub fn of(&self, workspace: &str, file: &str) -> Option<Recipe> {
        self.0.get(&(workspace.to_owned(), file.to_owned())).copied()
    }
}

impl Journal {
    /// Keeps how a loop is run.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_plan(&mut self, of: LoopRef<'_>, plan: &RunPlan, now: Timestamp) -> Result<(), Error> {
        let text = serde_json::to_string(plan)?;
        self.database()?.execute(
            "INSERT INTO plans (workspace, file, plan, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (workspace, file) DO UPDATE SET plan = ?3, at = ?4",
            params![of.workspace, of.file, text, now.millis()],
        )?;
        Ok(())
    }

    /// How a loop was run last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn plan_of(&mut self, of: LoopRef<'_>) -> Result<Option<RunPlan>, Error> {
        let sql = "SELECT plan FROM plans WHERE workspace = ?1 AND file = ?2";
        let text: Option<String> =
            self.database()?.query_row(sql, params![of.workspace, of.file], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// The kinds of work that loops were started for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn recipes(&mut self) -> Result<KnownRecipes, Error> {
        let sql = "SELECT workspace, file, json_extract(plan, '$.recipe') FROM plans
             WHERE json_extract(plan, '$.recipe') IS NOT NULL";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get::<_, String>(2)?)))?;
        let known = rows.filter_map(|row| {
            row.map(|(of, word)| Some((of, serde_json::from_value(word.into()).ok()?))).transpose()
        });
        Ok(KnownRecipes(known.collect::<Result<_, _>>()?))
    }

    /// Keeps what a driver remembers of a loop; there must be a plan.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_memory(&mut self, of: LoopRef<'_>, memory: Option<&str>) -> Result<(), Error> {
        let sql = "UPDATE plans SET memory = ?3 WHERE workspace = ?1 AND file = ?2";
        self.database()?.execute(sql, params![of.workspace, of.file, memory])?;
        Ok(())
    }

    /// What a driver remembered.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn memory(&mut self, of: LoopRef<'_>) -> Result<Option<String>, Error> {
        let sql = "SELECT memory FROM plans WHERE workspace = ?1 AND file = ?2";
        let found =
            self.database()?.query_row(sql, params![of.workspace, of.file], |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }

    /// What drivers remember of loops whose plans have checks, by state file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn memories_with_checks(&mut self, workspace: &str) -> Result<Vec<(String, String)>, Error> {
        let sql = "SELECT file, memory FROM plans
             WHERE workspace = ?1 AND json_array_length(memory, '$.policy.checks') > 0";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map([workspace], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps a run as it is now.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_run(&mut self, of: LoopRef<'_>, run: &Run) -> Result<(), Error> {
        let text = serde_json::to_string(&RunRecord::from(run))?;
        let is_open = run.ended.is_none() || run.unconcluded;
        self.database()?.execute(
            "INSERT OR REPLACE INTO runs (id, workspace, file, started, alive, run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![run.id, of.workspace, of.file, run.started.millis(), is_open, text],
        )?;
        self.changed();
        Ok(())
    }

    /// The result of a run is in the loop's file, or is given up.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn conclude_run(&mut self, id: &str) -> Result<(), Error> {
        let sql = "UPDATE runs SET alive = json_extract(run, '$.ended') IS NULL,
             run = json_set(run, '$.unconcluded', json('false')) WHERE id = ?1";
        self.database()?.execute(sql, params![id])?;
        self.changed();
        Ok(())
    }

    /// Runs of a loop, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&mut self, of: LoopRef<'_>, limit: u32) -> Result<Vec<Run>, Error> {
        let sql =
            "SELECT run FROM runs WHERE workspace = ?1 AND file = ?2 ORDER BY started DESC, id LIMIT ?3";
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(params![of.workspace, of.file, limit], |row| row.get::<_, String>(0))?;
        Ok(rows.flatten().filter_map(|text| read(&text)).collect())
    }

    /// Runs of any loop that began at or after `since`, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs_since(&mut self, since: Timestamp) -> Result<Vec<RecordedRun>, Error> {
        let sql = "SELECT workspace, file, run FROM runs WHERE started >= ?1 ORDER BY started, id";
        self.query_runs(sql, params![since.millis()])
    }

    /// Runs of any loop whose end was not seen, or whose result is not in the loop's file yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_runs(&mut self) -> Result<Vec<RecordedRun>, Error> {
        self.query_runs("SELECT workspace, file, run FROM runs WHERE alive = 1 ORDER BY started", params![])
    }

    /// Runs below a workspace that ended, but not so that nothing was left for certain.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn left_runs(&mut self, workspace: &str) -> Result<Vec<RecordedRun>, Error> {
        let sql = "SELECT workspace, file, run FROM runs
             WHERE json_extract(run, '$.stop.result') IN ('left', 'unknown') AND alive = 0 AND workspace = ?1
             ORDER BY started";
        self.query_runs(sql, params![workspace])
    }

    fn query_runs(&mut self, sql: &str, given: &[&dyn rusqlite::ToSql]) -> Result<Vec<RecordedRun>, Error> {
        let mut found = self.database()?.prepare_cached(sql)?;
        let rows = found.query_map(given, |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let recorded = |(workspace, file, text): (String, String, String)| {
            Some(RecordedRun { workspace, file, run: read(&text)? })
        };
        Ok(rows.flatten().filter_map(recorded).collect())
    }

    /// What all runs of a loop used together.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn spent(&mut self, of: LoopRef<'_>) -> Result<Spent, Error> {
        let spent = |spent: Spent, run: &Run| Spent {
            tokens: sum_of_known(spent.tokens, run.tokens, u64::saturating_add),
            cost_usd: sum_of_known(spent.cost_usd, run.cost_usd, f64::add),
            ..spent
        };
        let runs = self.runs(of, u32::MAX)?;
        Ok(runs.iter().fold(Spent { worked: time_at_work(&runs), ..Spent::default() }, spent))
    }

    /// Keeps what an agent reported last for a conversation, as text of the caller's.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_used(&mut self, agent: &str, session: &str, usage: &str) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO used (agent, session, usage) VALUES (?1, ?2, ?3)";
        self.database()?.execute(sql, params![agent, session, usage])?;
        Ok(())
    }

    /// What it reported before.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn used(&mut self, agent: &str, session: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT usage FROM used WHERE agent = ?1 AND session = ?2";
        Ok(self.database()?.query_row(sql, params![agent, session], |row| row.get(0)).optional()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;
    use loopdeck_execution::rows::StopView;

    const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "f" };

    fn run(id: &str, started: i64, ended: Option<i64>, cost_usd: Option<f64>) -> Run {
        let (started, ended) = (Timestamp::from_millis(started), ended.map(Timestamp::from_millis));
        Run { id: id.into(), started, ended, cost_usd, ..Run::default() }
    }

    #[test]
    fn a_plan_and_a_memory_are_read_back() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        assert_eq!(journal.plan_of(OF)?, None);
        journal.keep_plan(
            OF,
            &RunPlan { agent: "codex".into(), ..RunPlan::default() },
            Timestamp::from_millis(1),
        )?;
        journal.keep_memory(OF, Some("{}"))?;
        journal.keep_plan(
            OF,
            &RunPlan { agent: "claude".into(), ..RunPlan::default() },
            Timestamp::from_millis(2),
        )?;
        assert_eq!(journal.plan_of(OF)?.map(|plan| plan.agent), Some("claude".into()));
        assert_eq!(journal.memory(OF)?.as_deref(), Some("{}"), "another plan forgets nothing");
        Ok(())
    }

    #[test]
    fn time_at_work_counts_once_and_only_when_all_of_it_is_known() {
        let of = |iteration, started, ended| Run { iteration, ..run("x", started, ended, None) };
        let runs = [of(3, 90, None), of(2, 50, Some(60)), of(2, 40, Some(70)), of(1, 0, Some(25))];
        assert_eq!(time_at_work(&runs), Some(TimeDelta::milliseconds(55)));
        assert_eq!((time_at_work(&runs[..3]), time_at_work(&[])), (None, None), "others began it");
    }

    #[test]
    fn runs_are_listed_newest_first_and_open_ones_are_found() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        journal.keep_run(OF, &run("a", 1, Some(2), Some(0.5)))?;
        journal.keep_run(OF, &run("b", 3, None, None))?;
        let ids: Vec<String> = journal.runs(OF, 9)?.into_iter().map(|run| run.id).collect();
        assert_eq!(ids, ["b", "a"]);
        assert_eq!(journal.open_runs()?.len(), 1);
        journal.keep_run(OF, &run("b", 3, Some(4), Some(0.25)))?;
        assert_eq!(journal.open_runs()?.len(), 0);
        assert_eq!(
            journal.spent(OF)?,
            Spent { tokens: None, cost_usd: Some(0.75), worked: Some(TimeDelta::milliseconds(2)) }
        );
        let mut left = run("c", 5, Some(6), None);
        for (stop, found) in [
            (StopView::Unknown { why: String::new() }, 1),
            (StopView::Left { ended: 0, processes: Vec::new() }, 1),
            (StopView::AllGone { ended: 2 }, 0),
        ] {
            left.stop = Some(stop);
            journal.keep_run(OF, &left)?;
            assert_eq!((journal.left_runs("/w")?.len(), journal.left_runs("/v")?.len()), (found, 0));
        }
        Ok(())
    }
}
